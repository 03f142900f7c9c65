// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "replication/backup_link.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

#include <consensus_adapter/parallel_for.hpp>
#include <consensus_adapter/replication/epoch.hpp>
#include <executor/ordered_block.hpp>
#include <types/expected.hpp>
#include <types/sender_recovery.hpp>

#include "follow/rpc_block.hpp"
#include "follow/rpc_caller.hpp"
#include "formats/json_writer.hpp"
#include "logging/log.hpp"
#include "program/error.hpp"
#include "replication/member_messages.hpp"

namespace heddle::node::replication {
namespace {

using consensus_adapter::BlockId;
using consensus_adapter::follow::FollowError;
using consensus_adapter::follow::FollowFault;
using consensus_adapter::replication::epoch_of;
using consensus_adapter::replication::is_epoch_in_order;
using std::chrono::milliseconds;

constexpr milliseconds kAtOnce{0};
constexpr milliseconds kFirstPause{50};
constexpr milliseconds kLongestPause{2'000};
/// How often, within the timeout, a backup says that it is there.
constexpr int kSignsOfLife = 4;
/// Blocks of the locator that are next to each other; those before are ever farther apart.
constexpr std::size_t kNear = 64;

/// The last block that is shown is among them, and the first that is there: what came after the one
/// may be taken back, and must not look as if what was shown had to be.
std::vector<BlockId> make_locator(const Chain& chain) {
    std::vector<BlockId> locator;
    const std::uint64_t head = chain.kept_head().header.number;
    const std::uint64_t not_shown = head - std::min(head, chain.head().header.number);
    const std::uint64_t all = head - chain.ledger().first_block();
    for (std::uint64_t distance = 0; locator.size() < kMaxLocator;) {
        const auto header = chain.kept_header(head - distance);
        if (!header.has_value() || !header->has_value()) break;
        locator.push_back({(*header)->header.number, (*header)->hash});
        if (distance >= all) break;
        const std::uint64_t next = locator.size() < kNear ? distance + 1 : distance * 2;
        distance = std::min(next, distance < not_shown ? std::min(not_shown, all) : all);
    }
    return locator;
}

/// Many at once, while the executor is at the blocks before.
void recover_all(std::span<Transaction> transactions) {
    UnknownSigners unknown;
    for (Transaction& tx : transactions)
        unknown.add(tx);
    consensus_adapter::parallel_for(unknown.pieces(), 1,
                                    [&](std::size_t piece) { unknown.recover(piece); });
}

}  // namespace

BackupLink::BackupLink(Chain& chain, MemberFiles& files, follow::ChainStream& stream,
                       consensus_adapter::replication::Member& member, BackupLinkOptions options)
    : chain_(chain),
      files_(files),
      stream_(stream),
      member_(member),
      options_(std::move(options)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

BackupLink::~BackupLink() {
    stop();
}

void BackupLink::stop() {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
}

LinkStatus BackupLink::status() const {
    const std::scoped_lock lock{mutex_};
    return status_;
}

FollowError BackupLink::error(FollowFault fault, std::string_view what) const {
    return {fault, fmt::format("{} ({}): {}", options_.leader, options_.endpoint.name(),
                               what.substr(0, 300))};
}

void BackupLink::run(const std::stop_token& stop) {
    milliseconds pause = kFirstPause;
    std::string last_error;
    while (!stop.stop_requested()) {
        const std::uint64_t before = chain_.kept_head().header.number;
        const Result result = converse(stop);
        const Result settled = settle();
        executor_ = nullptr;
        // A block that is wrong says more than what came of it.
        const Result& why = settled.has_value() ? result : settled;
        if (stop.stop_requested() || why.has_value()) return;
        const FollowError& problem = why.error();
        {
            const std::scoped_lock lock{mutex_};
            status_.is_connected = false;
            status_.error = problem.sentence;
        }
        if (problem.fault == FollowFault::storage_failed)
            return options_.on_failure(problem.sentence);
        if (problem.sentence != last_error)
            logger(Component::consensus).warn("{}; trying again", problem.sentence);
        last_error = problem.sentence;
        pause = chain_.kept_head().header.number != before ? kFirstPause
                                                           : std::min(pause * 2, kLongestPause);
        std::unique_lock lock{mutex_};
        (void)wakeup_.wait_for(lock, stop, pause, [] { return false; });
    }
}

BackupLink::Result BackupLink::converse(const std::stop_token& stop) try {
    follow::RpcConnection connection(options_.endpoint, options_.limits, stop);
    HEDDLE_CHECK(begin(connection));
    auto begun = stream_.begin();
    if (!begun.has_value())
        return std::unexpected(FollowError{FollowFault::storage_failed, to_string(begun.error())});
    executor_ = *begun;
    {
        const std::scoped_lock lock{mutex_};
        status_.is_connected = true;
        status_.is_diverged = false;
        status_.error.clear();
    }
    logger(Component::consensus)
        .info("backup of {} in epoch {}, from block {} on", options_.leader, epoch_, next_);
    return exchange(connection, stop);
} catch (const InputError& problem) {
    return std::unexpected(error(FollowFault::misunderstood, problem.what()));
}

BackupLink::Result BackupLink::begin(follow::RpcConnection& connection) {
    const ReplicateRequest request{member_.membership(), member_.state(),
                                   chain_.ledger().block_hash(0), make_locator(chain_),
                                   /*ahead=*/true};
    std::string question = R"({"jsonrpc":"2.0","id":0,"method":"heddle_replicate","params":[)";
    JsonWriter out{question, JsonWriter::Style::compact};
    write(request, out);
    question += "]}";
    HEDDLE_TRY(const std::string text, connection.ask(question));
    const JsonView json = follow::parse_message(parser_, text, "answer");
    if (const auto refusal = json.find("error"))
        return std::unexpected(
            error(FollowFault::refused, follow::in_a_line(refusal->at("message").string())));
    const ReplicateAnswer answer = parse_replicate_answer(json.at("result"));
    // Its epoch is not that of the member whose address this should be.
    if (!answer.member.empty() && answer.member != options_.leader)
        return std::unexpected(error(
            FollowFault::refused,
            fmt::format("is member {}, not {}", answer.member.substr(0, 100), options_.leader)));
    // Before anything is acknowledged under it.
    if (const auto followed = member_.follow(answer.epoch, options_.leader); !followed.has_value())
        return std::unexpected(error(
            FollowFault::refused,
            fmt::format("it leads in epoch {}: {}", answer.epoch, to_string(followed.error()))));
    if (answer.common.has_value()) return other_branch(*answer.common);
    const ledger::StoredHeader head = chain_.kept_head();
    subscription_ = answer.subscription;
    epoch_ = answer.epoch;
    next_ = head.header.number + 1;
    parent_epoch_ = epoch_of(head.header.extra_data);
    bound_ = consensus_adapter::bound_after(head.header);
    shown_there_ = 0;
    kept_there_ = 0;
    held_.reset();
    is_settled_ = true;
    heard_ = Clock::now();
    said_ = {};  // nothing yet, in this session
    return acknowledge(connection);
}

BackupLink::Result BackupLink::other_branch(std::uint64_t common) {
    const std::uint64_t head = chain_.kept_head().header.number;
    const std::uint64_t shown = chain_.head().header.number;
    if (common >= shown) {
        options_.on_other_branch(common);
        return std::unexpected(
            error(FollowFault::reorganised,
                  fmt::format("blocks {} to {} were never acknowledged and are not on its chain",
                              common + 1, head)));
    }
    {
        const std::scoped_lock lock{mutex_};
        status_.is_diverged = true;
    }
    const std::string advice =
        common >= chain_.ledger().first_state()
            ? fmt::format("`heddle db rollback --to {}` does it", common)
            : "give it the snapshot of another member, for it has no state of block " +
                  std::to_string(common);
    return std::unexpected(error(
        FollowFault::reorganised,
        fmt::format("blocks {} to {}, of which this member has shown those up to {}, are not on "
                    "its chain. Nothing is taken back by itself: stop this node, and {}",
                    common + 1, head, shown, advice)));
}

BackupLink::Result BackupLink::exchange(follow::RpcConnection& connection,
                                        const std::stop_token& stop) {
    const milliseconds sign_of_life = options_.timeout / kSignsOfLife;
    while (!stop.stop_requested()) {
        HEDDLE_TRY(auto message, connection.wait(kAtOnce));
        if (!message.has_value()) {
            HEDDLE_CHECK(settle());
            HEDDLE_CHECK(acknowledge(connection));
            HEDDLE_TRY(message, connection.wait(sign_of_life));
        }
        const Clock::time_point now = Clock::now();
        if (message.has_value()) {
            heard_ = now;
            HEDDLE_CHECK(take(*message));
        } else if (now - heard_ > options_.timeout) {
            return std::unexpected(
                error(FollowFault::timed_out,
                      fmt::format("has said nothing for {} ms", options_.timeout.count())));
        }
        HEDDLE_CHECK(acknowledge(connection));
    }
    return {};
}

BackupLink::Result BackupLink::take(const std::string& message) {
    const JsonView json = follow::parse_message(parser_, message, "message");
    if (const auto result = json.find("result")) {
        if (result->is_boolean() && result->boolean()) return {};
        return std::unexpected(error(FollowFault::refused, "it does not know its stream any more"));
    }
    if (const auto refusal = json.find("error"))
        return std::unexpected(
            error(FollowFault::refused, follow::in_a_line(refusal->at("message").string())));
    const JsonView parameters = json.at("params");
    if (parameters.at("subscription").string() != subscription_)
        return std::unexpected(error(FollowFault::misunderstood, "a block of another stream"));
    const JsonView result = parameters.at("result");
    shown_there_ = result.at("acknowledged").uint64();
    kept_there_ = result.at("head").uint64();
    {
        const std::scoped_lock lock{mutex_};
        status_.leader_head = kept_there_;
    }
    HEDDLE_CHECK(release());
    if (result.find("block").has_value()) HEDDLE_CHECK(take_block(result));
    show();
    return {};
}

BackupLink::Result BackupLink::take_block(const JsonView& result) {
    const auto wrong = [this](std::string_view what) {
        return std::unexpected(
            error(FollowFault::wrong_block, fmt::format("block {}: {}", next_, what)));
    };
    auto fetched = follow::read_streamed_block(result, bound_);
    if (!fetched.has_value()) return wrong(fetched.error());
    const BlockHeader& header = fetched->block.start.header;
    if (header.number != next_) return wrong(fmt::format("block {} came", header.number));
    if (held_.has_value())
        return wrong(fmt::format("came while the leader has only block {}", kept_there_));
    const std::uint64_t epoch = epoch_of(header.extra_data);
    if (!is_epoch_in_order(parent_epoch_, epoch, epoch_))
        return wrong(fmt::format("is of epoch {}, after one of epoch {} and in a session of {}",
                                 epoch, parent_epoch_, epoch_));
    ++next_;
    parent_epoch_ = epoch;
    if (header.gas_limit <= bound_.at(header.number))
        bound_ = consensus_adapter::bound_after(header);
    recover_all(fetched->block.transactions);
    held_ = std::move(fetched->block);
    return release();
}

BackupLink::Result BackupLink::release() {
    if (!held_.has_value() || held_->start.header.number > kept_there_) return {};
    is_settled_ = false;
    executor::OrderedBlock block = *std::move(held_);
    held_.reset();
    // A refusal is of an earlier block, which settle() names.
    if (!executor::run(*executor_, std::move(block))) return settle();
    return {};
}

BackupLink::Result BackupLink::settle() {
    if (executor_ == nullptr || std::exchange(is_settled_, true)) return {};
    const auto drained = executor_->drain();
    show();
    if (drained.has_value()) return {};
    const BlockError& problem = drained.error();
    if (problem.code == BlockErrorCode::storage_failed)
        return std::unexpected(FollowError{FollowFault::storage_failed, to_string(problem)});
    return std::unexpected(
        error(FollowFault::invalid_block, "a block is not valid: " + to_string(problem)));
}

BackupLink::Result BackupLink::acknowledge(follow::RpcConnection& connection) {
    // Kept means durable: ledger.sync is `block`.
    const std::uint64_t kept = chain_.kept_head().header.number;
    const Clock::time_point now = Clock::now();
    if (kept == acknowledged_ && now - said_ < options_.timeout / kSignsOfLife) return {};
    acknowledged_ = kept;
    said_ = now;
    return connection.send(fmt::format(
        R"({{"jsonrpc":"2.0","id":{},"method":"heddle_acknowledge","params":["{}",{}]}})", kept,
        subscription_, follow::quoted_quantity(kept)));
}

void BackupLink::show() {
    const std::uint64_t number = std::min(shown_there_, chain_.kept_head().header.number);
    if (number <= chain_.head().header.number) return;
    files_.note_shown(number);
    chain_.show_up_to(number);
}

}  // namespace heddle::node::replication
