// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "lanes/lane_join.hpp"

#include <algorithm>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <consensus_adapter/lanes/lane_feed.hpp>
#include <ledger/snapshot.hpp>
#include <types/block.hpp>
#include <types/counted.hpp>

#include "lanes/join_client.hpp"
#include "lanes/lane_validators.hpp"
#include "lanes/merge_checkpoint.hpp"
#include "lanes/merged_chain.hpp"
#include "logging/log.hpp"
#include "program/error.hpp"

namespace heddle::node::lanes {
namespace {

namespace fs = std::filesystem;
namespace homes = consensus_adapter::lanes;
using consensus_adapter::cometbft::ApplyResult;
using consensus_adapter::cometbft::OfferResult;
using consensus_adapter::follow::FollowFault;
using ledger::SnapshotManifest;

/// A snapshot may go while it is fetched; whoever keeps so few that it always does is no help.
constexpr unsigned kMostBeginnings = 3;
/// A chunk that is not the snapshot's may be one that was damaged on its way.
constexpr unsigned kMostWrongChunks = 3;
constexpr std::uint32_t kChunksOfProgress = 32;

/// What ends an attempt, and is nobody's mistake.
class AttemptEnd : public std::runtime_error {
public:
    AttemptEnd(bool is_stopped, const std::string& sentence)
        : std::runtime_error(sentence), is_stopped_(is_stopped) {}
    [[nodiscard]] bool is_stopped() const noexcept { return is_stopped_; }

private:
    bool is_stopped_;
};

class Joining {
public:
    Joining(const LaneJoinOptions& options, const std::stop_token& stop)
        : options_(options),
          stop_(stop),
          client_(options.source, stop),
          name_(options.source.name()),
          restoring_(options.chain) {}

    /// Errors: InputError, StorageError, AttemptEnd.
    void run();

private:
    void choose();
    void prove_block();
    void prove_headers(std::uint64_t first, std::uint64_t last, Hash& expected);
    void fetch_checkpoint();
    void check_checkpoint() const;
    void begin_snapshot();
    void check_logs();
    void check_log(std::size_t lane, std::uint64_t height);
    void keep_checkpoint();
    void fetch_chunks();
    [[nodiscard]] Bytes fetch(const JoinPart& part, std::size_t size);
    [[nodiscard]] bool is_offered();

    template <typename Question>
    [[nodiscard]] auto ask(Question question) {
        for (unsigned attempt = 1;; ++attempt) {
            auto answer = question();
            if (answer.has_value()) return *std::move(answer);
            pause_after(answer.error(), attempt);
        }
    }
    void pause_after(const consensus_adapter::follow::FollowError& error, unsigned attempt);
    void pause(const std::string& sentence, unsigned attempt);

    const LaneJoinOptions& options_;
    const std::stop_token& stop_;
    JoinClient client_;
    const std::string name_;
    StateSync restoring_;
    JoinOffer offer_;
    Hash block_hash_;  // of the block that the offer is after, proven
    Bytes extra_data_;
    MergeCheckpoint checkpoint_;
    std::vector<std::uint64_t> heights_;  // of its cut
    SnapshotManifest manifest_;
};

/// Errors: InputError after the last attempt.
void Joining::pause(const std::string& sentence, unsigned attempt) {
    if (stop_.stop_requested()) throw AttemptEnd(true, sentence);
    if (attempt >= options_.attempts) fail_input("lanes.join: {}", sentence);
    if (attempt == 1) logger(Component::consensus).warn("joining: {}; it is asked again", sentence);
    std::mutex mutex;
    std::condition_variable_any wakeup;
    std::unique_lock lock{mutex};
    wakeup.wait_for(lock, stop_, options_.pause, [] { return false; });
    if (stop_.stop_requested()) throw AttemptEnd(true, sentence);
}

void Joining::pause_after(const consensus_adapter::follow::FollowError& error, unsigned attempt) {
    const bool may_pass =
        error.fault == FollowFault::unreachable || error.fault == FollowFault::timed_out ||
        error.fault == FollowFault::refused || error.fault == FollowFault::too_fast ||
        error.fault == FollowFault::absent;
    if (!may_pass && error.fault != FollowFault::stopped)
        fail_input("lanes.join: {}", error.sentence);
    pause(error.sentence, attempt);
}

void Joining::choose() {
    const std::vector<JoinOffer> offers = ask([this] { return client_.offers(); });
    const auto found = std::ranges::find_if(offers, [this](const JoinOffer& offer) {
        return offer.number < options_.trusted.number && offer.number != 0;
    });
    if (found == offers.end())
        fail_input(
            "lanes.join: {} offers {}, none of a block below {} (lanes.trust_number); "
            "trust a block above its newest, {}, or wait until it has one "
            "(lanes.snapshot_interval there)",
            name_, counted(offers.size(), "snapshot"), options_.trusted.number,
            offers.empty() ? "of which there is none" : std::to_string(offers.front().number));
    offer_ = *found;
    if (options_.trusted.number - offer_.number > options_.max_headers)
        fail_input(
            "lanes.join: the newest snapshot that {} offers is of block {}, and the trusted "
            "one is {}: trust one that is at most {} above it",
            name_, offer_.number, options_.trusted.number, options_.max_headers);
}

/// Headers of which the last one has the expected hash; afterwards that of the parent of the first
/// is expected. Errors: InputError: they are not each other's parents.
void Joining::prove_headers(std::uint64_t first, std::uint64_t last, Hash& expected) {
    const std::vector<Bytes> headers =
        ask([&] { return client_.headers(first, static_cast<std::size_t>(last - first + 1)); });
    for (std::uint64_t number = last;; --number) {
        const Bytes& encoded = headers[static_cast<std::size_t>(number - first)];
        const Hash found = keccak256(encoded);
        if (found != expected && number == options_.trusted.number)
            fail_input(
                "lanes.join: block {} of {} is {}, and lanes.trust_hash is {}: one of them "
                "is of another chain",
                number, name_, to_string(found), to_string(expected));
        if (found != expected)
            fail_input(
                "lanes.join: {} gives another block {} than that which leads to the trusted "
                "one: {}, expected {}",
                name_, number, to_string(found), to_string(expected));
        const auto header = decode_header(encoded);
        if (!header.has_value() || header->number != number)
            fail_input("lanes.join: what {} gives as block {} is no header of it", name_, number);
        // Of several blocks out of one merged block a checkpoint is after the last.
        if (number == offer_.number + 1) extra_data_ = header->extra_data;
        if (number == offer_.number) {
            if (header->extra_data.size() != 32 || header->extra_data == extra_data_)
                fail_input(
                    "lanes.join: block {} of {} ends no merged block, so there is no "
                    "checkpoint after it",
                    number, name_);
            extra_data_ = header->extra_data;
            block_hash_ = found;
        }
        expected = header->parent_hash;
        if (number == first) return;
    }
}

/// From the trusted block down to the one that is offered.
void Joining::prove_block() {
    Hash expected = options_.trusted.hash;
    std::uint64_t last = options_.trusted.number;
    for (;;) {
        const std::uint64_t most = JoinClient::kMostHeaders - 1;
        const std::uint64_t first = last - offer_.number > most ? last - most : offer_.number;
        prove_headers(first, last, expected);
        if (first == offer_.number) break;
        last = first - 1;
    }
    if (offer_.block_hash != block_hash_)
        fail_input("lanes.join: {} offers a snapshot of block {} {}, which is {} in the chain",
                   name_, offer_.number, to_string(offer_.block_hash), to_string(block_hash_));
}

bool Joining::is_offered() {
    const auto offers = client_.offers();
    return !offers.has_value() || std::ranges::any_of(*offers, [this](const JoinOffer& offer) {
        return offer.number == offer_.number;
    });
}

/// All of a part. Errors: AttemptEnd: the snapshot is not offered any more.
Bytes Joining::fetch(const JoinPart& part, std::size_t size) {
    Bytes whole;
    while (whole.size() < size) {
        const std::size_t next = std::min(size - whole.size(), kMostPartBytes);
        const Bytes bytes = ask([&] {
            auto answer = client_.part(offer_.number, part, whole.size(), next);
            if (!answer.has_value() && answer.error().fault == FollowFault::refused &&
                !is_offered())
                throw AttemptEnd(false, answer.error().sentence);
            return answer;
        });
        whole.insert(whole.end(), bytes.begin(), bytes.end());
    }
    return whole;
}

void Joining::fetch_checkpoint() {
    const Bytes bytes = fetch({JoinPart::Kind::checkpoint}, offer_.checkpoint_bytes);
    if (keccak256(bytes) != offer_.checkpoint_hash)
        fail_input("lanes.join: the checkpoint that {} gives is not the one that it offers", name_);
    auto decoded = decode_checkpoint(bytes);
    if (!decoded.has_value())
        fail_input("lanes.join: what {} gives is no checkpoint of a merge", name_);
    checkpoint_ = *std::move(decoded);
    check_checkpoint();
    const auto feed = homes::LaneFeed::restore(feed_rules(options_.lane_count, options_.leading),
                                               checkpoint_.feed);
    if (!feed.has_value())
        fail_input(
            "lanes.join: what waits by the checkpoint of {} cannot be read; it is of other "
            "lanes, or of another version",
            name_);
    heights_ = feed->cut().heights;
    // Entries that wait say nothing of the cut, so it is compared on its own.
    const auto said = read_said(checkpoint_.said, options_.lane_count);
    if (!said.has_value() || said->cut != feed->cut() || said->number != heights_[options_.leading])
        fail_input(
            "lanes.join: the checkpoint of {} goes on from another cut than block {} ends "
            "with",
            name_, offer_.number);
}

void Joining::check_checkpoint() const {
    if (checkpoint_.lane_count != options_.lane_count || checkpoint_.leading != options_.leading)
        fail_input(
            "lanes.join: the checkpoint of {} is of {} lanes led by {}, and this node "
            "follows {} led by {}",
            name_, checkpoint_.lane_count, checkpoint_.leading, options_.lane_count,
            options_.leading);
    if (checkpoint_.block != offer_.number || checkpoint_.block_hash != block_hash_)
        fail_input("lanes.join: the checkpoint of {} belongs to block {} {}, not to {} {}", name_,
                   checkpoint_.block, to_string(checkpoint_.block_hash), offer_.number,
                   to_string(block_hash_));
    if (!equal(checkpoint_.order.view(), extra_data_) ||
        keccak256(checkpoint_.said) != checkpoint_.order)
        fail_input(
            "lanes.join: the checkpoint of {} belongs to another order than block {}, whose "
            "extra data is the digest of it",
            name_, offer_.number);
}

void Joining::begin_snapshot() {
    const Bytes bytes = fetch({JoinPart::Kind::manifest}, offer_.manifest_bytes);
    const auto manifest = ledger::decode_manifest(bytes);
    if (!manifest.has_value()) fail_input("lanes.join: {}: {}", name_, to_string(manifest.error()));
    manifest_ = *manifest;
    const Hash id = ledger::snapshot_id(bytes);
    const OfferResult result =
        restoring_.offer({offer_.number, ledger::kSnapshotVersion,
                          static_cast<std::uint32_t>(manifest_.chunks.size()),
                          Bytes(id.bytes.begin(), id.bytes.end()), bytes},
                         block_hash_.view());
    if (result == OfferResult::accept) return;
    if (result == OfferResult::abort)
        throw StorageError("no snapshot can be restored; the line above says why");
    fail_input(
        "lanes.join: the snapshot of block {} that {} gives is refused; the line above says "
        "why",
        offer_.number, name_);
}

/// That a lane's log up to there has this digest, its validators have signed with the next height.
void Joining::check_log(std::size_t lane, std::uint64_t height) {
    const LaneTrust& trust = options_.lanes[lane];
    LaneValidators validators(trust.validators, trust.file);
    CommitClient commits(trust.comet, stop_);
    for (unsigned attempt = 1;; ++attempt) {
        const auto header = validators.jump(commits, height + 1);
        if (!header.has_value() && !header.error().is_fault) {
            pause(fmt::format("lane {}: {}", lane, header.error().sentence), attempt);
            continue;
        }
        if (!header.has_value())
            fail_input("lanes.join: height {} of lane {} as {} gives it is not signed: {}",
                       height + 1, lane, trust.comet.name(), header.error().sentence);
        if (equal(header->header.app_hash, checkpoint_.log_digests[lane].view())) return;
        fail_input(
            "lanes.join: by the checkpoint of {} the log of lane {} up to height {} is "
            "another one than its validators have signed",
            name_, lane, height);
    }
}

void Joining::check_logs() {
    for (std::size_t lane = 0; lane < options_.lanes.size(); ++lane) {
        if (heights_[lane] != 0)
            check_log(lane, heights_[lane]);
        else if (!checkpoint_.log_digests[lane].is_zero())
            fail_input(
                "lanes.join: by the checkpoint of {} nothing of lane {} is merged, and there "
                "is a digest of it",
                name_, lane);
    }
}

/// Once the directory says that it is unfinished: before, it has to be empty.
void Joining::keep_checkpoint() {
    if (const auto kept = write_checkpoint(options_.folder, checkpoint_); !kept.has_value())
        throw StorageError(kept.error());
}

void Joining::fetch_chunks() {
    const auto count = static_cast<std::uint32_t>(manifest_.chunks.size());
    const std::uint32_t there = restoring_.next_chunk();
    unsigned wrong = 0;
    // The last one ends it, whether or not it is there.
    for (std::uint32_t i = std::min(there, count - 1); i < count;) {
        if (stop_.stop_requested()) throw AttemptEnd(true, "stopped");
        const Bytes chunk = i < there ? Bytes{}
                                      : fetch({JoinPart::Kind::chunk, i},
                                              static_cast<std::size_t>(manifest_.chunks[i].size));
        switch (restoring_.apply(i, chunk).result) {
            case ApplyResult::accept:
                ++i;
                if (i % kChunksOfProgress == 0)
                    logger(Component::consensus).info("joining: {} of {} chunks", i, count);
                break;
            case ApplyResult::retry:
                if (++wrong == kMostWrongChunks)
                    fail_input(
                        "lanes.join: {} gives another chunk {} than its snapshot of block "
                        "{} has, {} times",
                        name_, i, offer_.number, wrong);
                break;
            case ApplyResult::reject_snapshot:
                fail_input(
                    "lanes.join: the snapshot of block {} that {} gives is not the state "
                    "after it; the line above says why. Join by another node",
                    offer_.number, name_);
            default:
                throw StorageError("the snapshot cannot be restored; the line above says why");
        }
    }
}

void Joining::run() {
    choose();
    prove_block();
    fetch_checkpoint();
    begin_snapshot();
    std::error_code error;
    fs::create_directories(options_.folder, error);
    if (error) fail_input("{}: cannot be created: {}", options_.folder, error.message());
    try {
        check_logs();
        keep_checkpoint();
        fetch_chunks();
    } catch (const InputError&) {
        for (const std::string& path : checkpoint_paths(options_.folder)) {
            std::error_code ignored;
            fs::remove(path, ignored);
        }
        throw;
    }
    logger(Component::consensus)
        .info(
            "joined after block {} {}, by {}: state and checkpoint are verified as far as the "
            "trusted block {} goes",
            offer_.number, to_string(block_hash_), name_, options_.trusted.number);
}

}  // namespace

bool join_lanes(const LaneJoinOptions& options, const std::stop_token& stop) {
    for (unsigned beginning = 1;; ++beginning) {
        try {
            Joining joining(options, stop);
            joining.run();
            return true;
        } catch (const AttemptEnd& end) {
            if (end.is_stopped()) return false;
            if (beginning == kMostBeginnings) fail_input("lanes.join: {}", end.what());
            logger(Component::consensus).warn("joining begins again: {}", end.what());
        }
    }
}

}  // namespace heddle::node::lanes
