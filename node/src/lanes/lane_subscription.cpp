// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "lanes/lane_subscription.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <consensus_adapter/lanes/lane_feed.hpp>
#include <consensus_adapter/lanes/placement.hpp>
#include <types/expected.hpp>

#include "logging/log.hpp"

namespace heddle::node::lanes {
namespace {

using consensus_adapter::lanes::decode_lane_block;
using consensus_adapter::lanes::Equivocation;
using consensus_adapter::lanes::LaneStore;
using std::chrono::milliseconds;

/// A lane may say that it is any time.
std::int64_t offset_between(std::uint64_t sent_us, std::uint64_t lane_us) {
    constexpr std::uint64_t kMost = 60'000'000;
    if (lane_us >= sent_us) return static_cast<std::int64_t>(std::min(lane_us - sent_us, kMost));
    return -static_cast<std::int64_t>(std::min(sent_us - lane_us, kMost));
}

}  // namespace

LaneSubscription::LaneSubscription(SubscriptionOptions options, LaneStore& store)
    : options_(std::move(options)), store_(store) {
    state_.address = options_.endpoint.name();
    if (options_.trust.has_value())
        validators_.emplace(options_.trust->validators, options_.trust->file);
    thread_ = std::jthread{[this](const std::stop_token& stop) { run(stop); }};
}

LaneSubscription::~LaneSubscription() {
    stop();
}

void LaneSubscription::stop() {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
}

void LaneSubscription::merged(std::uint64_t height) {
    const std::scoped_lock lock{mutex_};
    merged_ = height;
}

void LaneSubscription::give_up_to(std::uint64_t height) {
    const std::scoped_lock lock{mutex_};
    needless_ = height;
}

/// On this thread, for who appends gives up.
void LaneSubscription::give_up_needless() {
    const std::uint64_t needless = [this] {
        const std::scoped_lock lock{mutex_};
        return std::exchange(needless_, 0);
    }();
    if (needless == 0) return;
    const auto given_up = store_.give_up_to(std::min(needless, store_.height()));
    if (!given_up.has_value())
        logger(Component::consensus)
            .warn("lane {}: old blocks are not given up as they should be: {}", options_.head.lane,
                  to_string(given_up.error()));
}

LaneState LaneSubscription::state() const {
    const std::scoped_lock lock{mutex_};
    LaneState state = state_;
    state.kept = store_.height();
    state.merged = merged_;
    return state;
}

std::int64_t LaneSubscription::offset_us() const {
    const std::scoped_lock lock{mutex_};
    return delay_.offset_us();
}

void LaneSubscription::wait(milliseconds longest, const std::stop_token& stop) {
    std::unique_lock lock{mutex_};
    wakeup_.wait_for(lock, stop, longest, [] { return false; });
}

/// With mutex_.
bool LaneSubscription::has_room() const {
    return store_.height() < merged_ + options_.max_ahead &&
           store_.bytes_after(merged_) < options_.max_bytes_ahead;
}

void LaneSubscription::run(const std::stop_token& stop) {
    LaneClient client(options_.endpoint, lane_limits(), stop);
    if (options_.trust.has_value()) commits_.emplace(options_.trust->comet, stop);
    milliseconds pause = options_.pause;
    while (!stop.stop_requested()) {
        give_up_needless();
        const bool may_ask = [this] {
            const std::scoped_lock lock{mutex_};
            return has_room();
        }();
        if (!may_ask) {
            wait(options_.poll, stop);
            continue;
        }
        const auto asked = ask(client);
        if (asked.has_value()) {
            pause = options_.pause;
            if (is_checked_) note_is_right();
            if (!is_new_) wait(options_.poll, stop);
            continue;
        }
        if (stop.stop_requested()) return;
        note(asked.error());
        if (asked.error().is_storage) return options_.on_failure(asked.error().sentence);
        if (asked.error().is_fault) {
            wait(options_.fault_pause, stop);
            continue;
        }
        wait(pause, stop);
        pause = std::min(2 * pause, options_.max_pause);
    }
}

void LaneSubscription::note(const Trouble& trouble) {
    is_checked_ = false;
    const bool is_news = [&] {
        const std::scoped_lock lock{mutex_};
        const bool was_connected = state_.trouble.empty();
        state_.is_connected = false;
        state_.trouble = trouble.sentence;
        // While a lane is at fault, that it answers in between is none.
        if (!trouble.is_fault) return was_connected && state_.fault.empty();
        return std::exchange(state_.fault, trouble.sentence) != trouble.sentence;
    }();
    if (!is_news) return;
    if (trouble.is_fault)
        logger(Component::consensus)
            .error(
                "lane {} is not followed: {}; it is asked again every {} s, and followed when "
                "what it gives is right",
                options_.head.lane, trouble.sentence,
                std::chrono::duration_cast<std::chrono::seconds>(options_.fault_pause).count());
    else
        logger(Component::consensus)
            .warn("lane {} does not answer: {}", options_.head.lane, trouble.sentence);
}

/// What it has given is the lane's, or goes on from what is here. While it has more to give, that
/// it gave once more what is kept says nothing of what was wrong beyond.
void LaneSubscription::note_is_right() {
    {
        const std::scoped_lock lock{mutex_};
        if (state_.fault.empty() || (!is_new_ && state_.height > store_.height())) return;
        state_.fault.clear();
    }
    logger(Component::consensus)
        .info("lane {} is followed again at {}, {} is here", options_.head.lane,
              options_.endpoint.name(), store_.height());
}

void LaneSubscription::note(const LaneBlocks& answer, std::uint64_t sent_us) {
    const std::uint64_t now = options_.clock();
    const bool is_news = [&] {
        const std::scoped_lock lock{mutex_};
        state_.round_trip_us = now - std::min(now, sent_us);
        delay_.add(offset_between(sent_us, answer.time_us));
        state_.offset_us = delay_.offset_us();
        state_.height = answer.height;
        state_.waiting = answer.waiting;
        state_.trouble.clear();
        return !std::exchange(state_.is_connected, true) && state_.fault.empty();
    }();
    if (is_news)
        logger(Component::consensus)
            .info("following lane {} at {}, its height is {} and {} is here", options_.head.lane,
                  options_.endpoint.name(), answer.height, store_.height());
}

std::expected<void, LaneSubscription::Trouble> LaneSubscription::check_identity(
    LaneClient& client) {
    const auto status = client.status();
    if (!status.has_value()) return std::unexpected(Trouble{status.error().sentence});
    const auto& wanted = options_.head;
    const auto& found = status->head;
    if (found != wanted || status->chain_id != options_.chain_id)
        return std::unexpected(Trouble{
            fmt::format("{} is lane {} of {} led by {} for chain {}, and should be lane {} of {} "
                        "led by {} for chain {}",
                        options_.endpoint.name(), found.lane, found.lane_count, found.leading,
                        status->chain_id, wanted.lane, wanted.lane_count, wanted.leading,
                        options_.chain_id),
            true});
    return {};
}

std::expected<void, LaneSubscription::Trouble> LaneSubscription::ask(LaneClient& client) {
    if (!is_checked_) HEDDLE_CHECK(check_identity(client));
    const std::uint64_t kept = store_.height();
    // Who was away is asked for the last block again: it has to be the same.
    // A log that begins at a checkpoint has no last block yet.
    const bool has_last = kept > store_.given_up();
    const std::uint64_t from = is_checked_ || !has_last ? kept + 1 : kept;
    const std::uint64_t connections = client.connections();
    const std::uint64_t sent_us = options_.clock();
    const auto answer = client.blocks(from);
    if (!answer.has_value()) return std::unexpected(Trouble{answer.error().sentence});
    note(*answer, sent_us);
    is_new_ = false;
    const bool is_same_connection = client.connections() == connections;
    // A lane that starts anew gets its blocks back from CometBFT first: until then it has none of
    // this height.
    if (answer->blocks.empty()) is_checked_ = is_same_connection && (is_checked_ || !has_last);
    // Somebody else may have answered: the next question begins with the last block again.
    if (!is_same_connection) is_checked_ = false;
    if (answer->blocks.empty() || (!is_same_connection && from > kept)) return {};
    return take(*answer, from);
}

std::expected<void, LaneSubscription::Trouble> LaneSubscription::take(const LaneBlocks& answer,
                                                                      std::uint64_t from) {
    if (options_.trust.has_value()) HEDDLE_CHECK(check_signatures(answer, from));
    std::expected<void, Trouble> taken;
    for (std::size_t i = 0; taken.has_value() && i < answer.blocks.size(); ++i)
        taken = take_one(answer.blocks[i], from + i);
    is_checked_ = taken.has_value();
    // Also where one after them was wrong: those before it are kept, and somebody waits for them.
    if (is_new_) options_.on_blocks();
    return taken;
}

/// The header of the last block vouches for those before it. Nothing is kept before.
std::expected<void, LaneSubscription::Trouble> LaneSubscription::check_signatures(
    const LaneBlocks& answer, std::uint64_t from) {
    const std::uint64_t kept = store_.height();
    const std::uint64_t last = from + answer.blocks.size() - 1;
    if (last <= kept) return {};
    const auto decoded = decode_lane_block(answer.blocks.back());
    if (!decoded.has_value() || decoded->height != last)
        return std::unexpected(
            Trouble{fmt::format("what {} gives as height {} is no block of a lane of that height",
                                options_.endpoint.name(), last),
                    true});
    Hash log = store_.digest();
    for (std::uint64_t height = kept + 1; height < last; ++height)
        log = consensus_adapter::lanes::next_digest(log, answer.blocks[height - from]);
    const auto not_signed = [&](const std::string& why) {
        return std::unexpected(
            Trouble{fmt::format("height {} of lane {} as {} gives it is not signed: {}", last,
                                options_.head.lane, options_.endpoint.name(), why),
                    true});
    };
    const auto header = validators_->header(*commits_, kept, last);
    if (!header.has_value() && header.error().is_fault) return not_signed(header.error().sentence);
    if (!header.has_value()) return std::unexpected(Trouble{header.error().sentence});
    const auto checked = check_block(options_.head, *header, *decoded, log);
    if (!checked.has_value()) return not_signed(checked.error());
    return {};
}

/// Of two blocks of one height, of which the first was signed when it was taken.
std::string LaneSubscription::who_signed(const consensus_adapter::lanes::LaneBlock& second) {
    if (!options_.trust.has_value()) return {};
    const auto signed_header = commits_->commit(second.height);
    const bool is_signed =
        signed_header.has_value() && check_signed(validators_->at(second.height), options_.head,
                                                  *signed_header, second, std::nullopt)
                                         .has_value();
    return is_signed ? "; its validators have signed both" : "; they have not signed the second";
}

std::expected<void, LaneSubscription::Trouble> LaneSubscription::take_one(const Bytes& block,
                                                                          std::uint64_t height) {
    const auto decoded = decode_lane_block(block);
    if (!decoded.has_value())
        return std::unexpected(
            Trouble{fmt::format("what {} gives as height {} is no block of a "
                                "lane: {}",
                                options_.endpoint.name(), height, to_string(decoded.error())),
                    true});
    if (decoded->lane != options_.head.lane || decoded->height != height)
        return std::unexpected(
            Trouble{fmt::format("{} gives height {} of lane {} where height {} of lane {} was "
                                "asked for: there is a gap in its log",
                                options_.endpoint.name(), decoded->height, decoded->lane, height,
                                options_.head.lane),
                    true});
    if (height <= store_.height()) {
        const auto kept = store_.read(height);
        if (!kept.has_value())
            return std::unexpected(Trouble{to_string(kept.error()), false, true});
        if (*kept == block) return {};
        return std::unexpected(Trouble{to_string(Equivocation{options_.head.lane, height,
                                                              keccak256(*kept), keccak256(block)}) +
                                           who_signed(*decoded),
                                       true});
    }
    if (const auto appended = store_.append(block, LaneStore::Keeping::written);
        !appended.has_value())
        return std::unexpected(Trouble{to_string(appended.error()), false, true});
    // Here, for the thread that orders has every lane's blocks to order, and this one waits.
    if (prepared_.has_room(block.size()))
        prepared_.put({*decoded, block, options_.head.lane_count});
    is_new_ = true;
    return {};
}

}  // namespace heddle::node::lanes
