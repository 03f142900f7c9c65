// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "block_window.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <types/sender_recovery.hpp>

#include "pauses.hpp"

namespace heddle::consensus_adapter::follow {
namespace {

/// Questions about one range before the whole conversation is begun anew.
constexpr unsigned kTries = 4;

std::optional<FollowError> misplaced(const std::vector<FetchedBlock>& blocks, std::uint64_t first,
                                     std::size_t count) {
    if (blocks.empty() || blocks.size() > count)
        return FollowError{
            FollowFault::misunderstood,
            fmt::format("the origin gave {} blocks instead of 1 to {}", blocks.size(), count)};
    for (std::size_t i = 0; i < blocks.size(); ++i)
        if (const std::uint64_t number = blocks[i].block.start.header.number; number != first + i)
            return FollowError{
                FollowFault::wrong_block,
                fmt::format("the origin gave block {} instead of {}", number, first + i)};
    return std::nullopt;
}

/// What a block takes of the window: what is said of a small one may be as large as an answer, and
/// a transaction of ten bytes takes hundreds when it is decoded.
std::size_t size_of(const OrderedBlock& block) noexcept {
    std::size_t bytes = block.start.encoded_size_bytes + block.start.access_list.size() +
                        block.transactions.size() * sizeof(Transaction);
    for (const ObjectSet& set : block.object_sets)
        bytes += set.accesses().size_bytes();
    return bytes;
}

}  // namespace

BlockWindow::BlockWindow(const MakeOrigin& make_origin, const FollowOptions& options,
                         const FollowedChain& chain, SharedCounters& counters)
    : make_origin_(make_origin),
      options_(options),
      counters_(counters),
      parent_(chain.head()),
      next_given_(parent_.number + 1),
      next_claimed_(parent_.number + 1),
      last_wanted_(parent_.number),
      plausibility_(parent_.number, chain.head_gas_limit()) {
    threads_.reserve(options_.connections);
    for (unsigned i = 0; i < std::max(1U, options_.connections); ++i)
        threads_.emplace_back(
            [this, seed = options_.seed + i](const std::stop_token& stop) { fetch(stop, seed); });
}

BlockWindow::~BlockWindow() {
    for (std::jthread& thread : threads_)
        thread.request_stop();
    threads_.clear();
}

void BlockWindow::extend(std::uint64_t last) {
    {
        const std::scoped_lock lock{mutex_};
        if (last <= last_wanted_) return;
        last_wanted_ = last;
    }
    changed_.notify_all();
}

std::expected<std::optional<FetchedBlock>, FollowError> BlockWindow::next(
    std::chrono::milliseconds wait) {
    std::unique_lock lock{mutex_};
    const auto is_there = [this] { return ready_.contains(next_given_); };
    changed_.wait_for(lock, wait, [&] { return is_there() || error_.has_value(); });
    if (!is_there()) {
        if (error_.has_value()) return std::unexpected(*error_);
        return std::nullopt;
    }
    FetchedBlock block = std::move(ready_.extract(next_given_).mapped());
    ++next_given_;
    ready_bytes_ -= size_of(block.block);
    plausibility_.pass(block.block.start.header);
    lock.unlock();
    changed_.notify_all();
    const BlockHeader& header = block.block.start.header;
    if (header.parent_hash != parent_.hash)
        return std::unexpected(FollowError{
            FollowFault::disconnected,
            fmt::format("block {} {} of the origin is on {}, not on block {} {}: its chain has "
                        "changed meanwhile",
                        header.number, to_string(block.hash), to_string(header.parent_hash),
                        parent_.number, to_string(parent_.hash))});
    parent_ = {header.number, block.hash};
    return block;
}

bool BlockWindow::has_room() const noexcept {
    // What is claimed counts, too: it is as good as there.
    return next_claimed_ - next_given_ < options_.max_ready_blocks &&
           (ready_bytes_ < options_.max_ready_bytes || ready_.empty());
}

std::optional<BlockWindow::Range> BlockWindow::claim(const std::stop_token& stop) {
    std::unique_lock lock{mutex_};
    const bool may_go_on = changed_.wait(lock, stop, [this] {
        return error_.has_value() || (next_claimed_ <= last_wanted_ && has_room());
    });
    if (!may_go_on || error_.has_value()) return std::nullopt;
    const std::uint64_t wanted = last_wanted_ - next_claimed_ + 1;
    const Range range{next_claimed_,
                      std::min<std::uint64_t>(wanted, std::max<std::size_t>(1, options_.batch)),
                      plausibility_.bound()};
    next_claimed_ += range.count;
    return range;
}

void BlockWindow::fetch(const std::stop_token& stop, std::uint64_t seed) {
    const std::unique_ptr<Origin> origin = make_origin_(stop);
    Pauses pauses(options_.pause, options_.max_pause, seed);
    while (std::optional<Range> range = claim(stop)) {
        unsigned failures = 0;
        while (range->count != 0) {
            auto blocks = origin->blocks(range->first, range->count, range->bound);
            if (blocks.has_value())
                if (auto error = misplaced(*blocks, range->first, range->count))
                    blocks = std::unexpected(*std::move(error));
            if (stop.stop_requested()) return;
            if (!blocks.has_value()) {
                if (++failures == kTries) return fail(std::move(blocks).error());
                ++counters_.retries;
                sleep(stop, pauses.next(blocks.error().rest));
                if (stop.stop_requested()) return;
                continue;
            }
            failures = 0;
            pauses.reset();
            range->first += blocks->size();
            range->count -= blocks->size();
            deliver(*std::move(blocks));
        }
    }
}

void BlockWindow::deliver(std::vector<FetchedBlock> blocks) {
    std::size_t fetched_bytes = 0;
    std::size_t ready_bytes = 0;
    for (FetchedBlock& fetched : blocks) {
        recover_missing_signers(fetched.block.transactions);
        fetched_bytes += fetched.block.start.encoded_size_bytes;
        ready_bytes += size_of(fetched.block);
    }
    counters_.fetched_blocks += blocks.size();
    counters_.fetched_bytes += fetched_bytes;
    {
        const std::scoped_lock lock{mutex_};
        ready_bytes_ += ready_bytes;
        for (FetchedBlock& fetched : blocks)
            ready_.emplace(fetched.block.start.header.number, std::move(fetched));
    }
    changed_.notify_all();
}

void BlockWindow::fail(FollowError error) {
    {
        const std::scoped_lock lock{mutex_};
        if (!error_.has_value()) error_ = std::move(error);
    }
    changed_.notify_all();
}

void BlockWindow::sleep(const std::stop_token& stop, std::chrono::milliseconds pause) {
    std::unique_lock lock{mutex_};
    (void)changed_.wait_for(lock, stop, pause, [this] { return error_.has_value(); });
}

}  // namespace heddle::consensus_adapter::follow
