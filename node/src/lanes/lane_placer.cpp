// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "lanes/lane_placer.hpp"

#include <algorithm>
#include <utility>

#include <consensus_adapter/lanes/move.hpp>
#include <consensus_adapter/lanes/opportunistic.hpp>
#include <types/transaction.hpp>

#include "lanes/object_guess.hpp"

namespace heddle::node::lanes {
namespace {

namespace homes = consensus_adapter::lanes;

using consensus_adapter::cometbft::CometError;
using consensus_adapter::cometbft::CometErrorCode;

constexpr std::size_t kMostSenders = 16'384;

CometError stopped() {
    return {CometErrorCode::unreachable, "the node stops: no other lane is asked"};
}

}  // namespace

void PlacedTransactions::note_placed(const Hash& transaction, const Hash& digest,
                                     homes::LaneSet lanes) {
    PlacedTransaction said;
    for (homes::LaneNumber lane = 0; lane < homes::kMaxLanes; ++lane)
        if (lanes.has(lane)) said.lanes.push_back(lane);
    const std::scoped_lock lock{mutex_};
    placed_[transaction] = {digest, std::move(said)};
    by_digest_[digest] = transaction;
    order_.emplace_back(digest, transaction);
    while (order_.size() > most_) {
        const auto& [old_digest, old_transaction] = order_.front();
        by_digest_.erase(old_digest);
        // It may have been placed again since.
        const auto found = placed_.find(old_transaction);
        if (found != placed_.end() && found->second.digest == old_digest) placed_.erase(found);
        order_.pop_front();
    }
}

void PlacedTransactions::note_failed(const Hash& digest, const std::string& reason) {
    const std::scoped_lock lock{mutex_};
    const auto transaction = by_digest_.find(digest);
    if (transaction == by_digest_.end()) return;
    const auto found = placed_.find(transaction->second);
    if (found != placed_.end() && found->second.digest == digest)
        found->second.transaction.outcome = reason;
}

std::optional<PlacedTransaction> PlacedTransactions::find(const Hash& transaction) const {
    const std::scoped_lock lock{mutex_};
    const auto found = placed_.find(transaction);
    if (found == placed_.end()) return std::nullopt;
    return found->second.transaction;
}

LanePlacer::LanePlacer(const PlacerParts& parts, PlacerOptions options, Send send)
    : chain_(parts.chain),
      mempool_(parts.mempool),
      merged_(parts.merged),
      placed_(parts.placed),
      open_(parts.open),
      options_(std::move(options)),
      send_(std::move(send)),
      rests_until_(homes::kMaxLanes) {}

homes::LaneSet LanePlacer::resting() const {
    LaneSet result;
    const auto now = Clock::now();
    for (LaneNumber lane = 0; lane < homes::kMaxLanes; ++lane)
        if (now < rests_until_[lane]) result.add(lane);
    return result;
}

homes::Placement LanePlacer::place(const PooledTransaction& transaction, ObjectGuess& guess) {
    if (const auto move = homes::move_of(transaction.tx)) {
        auto placed = merged_.place_move(move->unit, move->new_home);
        if (placed.has_value() && placed->units.front().moves == move->moves)
            return *std::move(placed);
    }
    return merged_.place(guess.objects_of(transaction));
}

/// A sender's transactions are inserted in their order, for one that came before its predecessor
/// could not be executed.
std::uint64_t LanePlacer::insertion_time(const Placement& placement, const Address& sender) {
    if (!options_.is_opportunistic) return 0;
    const LaneSet lanes = lanes_of(placement);
    const std::uint64_t now = options_.clock();
    std::uint64_t time = 0;
    if (lanes.size() > 1) {
        std::vector<std::int64_t> offsets;
        for (LaneNumber lane = 0; lane < homes::kMaxLanes; ++lane)
            if (lanes.has(lane)) offsets.push_back(options_.offset_us(lane));
        time = homes::insertion_time_us(now, offsets, options_.overshoot_us);
    }
    if (last_insertion_us_.size() > kMostSenders)
        std::erase_if(last_insertion_us_, [&](const auto& last) { return last.second < now; });
    if (last_insertion_us_.size() > kMostSenders) last_insertion_us_.clear();
    const auto last = last_insertion_us_.find(sender);
    if (last != last_insertion_us_.end()) time = std::max(time, last->second);
    if (time != 0) last_insertion_us_[sender] = time;
    return time;
}

LanePlacer::Going LanePlacer::make(const PooledTransaction& transaction, ObjectGuess& guess) {
    homes::Entry entry;
    entry.placement = place(transaction, guess);
    encode_transaction(transaction.tx, entry.payload);
    entry.placement.payload_hash = keccak256(entry.payload);
    counter_ = std::max(counter_ + 1, options_.clock());
    const LaneSet lanes = lanes_of(entry.placement);
    entry.placement.id = {counter_, lanes.first()};
    entry.placement.insert_at_us = insertion_time(entry.placement, *transaction.tx.sender);
    Going going;
    going.one = {transaction.hash, *transaction.tx.sender, transaction.tx.nonce};
    going.sent.digest = digest_of(entry.placement);
    going.sent.lanes = lanes;
    going.left = lanes;
    encode_entry(entry, going.sent.entry);
    return going;
}

/// With what is to be done about a transaction.
LanePlacer::Going LanePlacer::begin(const Bytes& encoded, ObjectGuess& guess,
                                    const ClosedLanes& closed) {
    Going going;
    going.is_refused = true;
    const SharedTransaction transaction = mempool_.find(keccak256(encoded));
    if (transaction == nullptr || !transaction->tx.sender.has_value()) return going;
    going.one = {transaction->hash, *transaction->tx.sender, transaction->tx.nonce};
    if (auto open = open_.find(transaction->hash)) {
        // Some lane has it: where others are away, it is sent to them when they are back.
        going.left = open->lanes.without(closed.resting);
        going.sent = *std::move(open);
        going.is_new = false;
        going.is_refused = false;
        return going;
    }
    if (open_.is_held_up(going.one)) {
        open_.wait(going.one, {});
        return going;
    }
    going = make(*transaction, guess);
    going.away = closed.among(going.left);
    if (!going.away.is_empty()) {
        // Half of a transaction is worth nothing: what cannot come into all of its lanes is not
        // sent.
        open_.wait(going.one, going.away);
        Going none;
        none.is_refused = true;
        return none;
    }
    placed_.note_placed(going.one.hash, going.sent.digest, going.left);
    open_.placed(going.one, going.sent);
    return going;
}

std::optional<LanePlacer::CometError> LanePlacer::send(LaneNumber lane, std::vector<Going>& going) {
    std::vector<std::size_t> chosen;
    std::vector<Bytes> entries;
    for (std::size_t i = 0; i < going.size(); ++i) {
        if (!going[i].left.has(lane) || going[i].is_refused) continue;
        chosen.push_back(i);
        entries.push_back(going[i].sent.entry);
    }
    if (chosen.empty()) return std::nullopt;
    const bool is_asked = !is_stopped_.load(std::memory_order_relaxed);
    const auto results = is_asked ? send_(lane, entries) : std::unexpected(stopped());
    if (!results.has_value()) {
        if (is_asked) {
            open_.lane_failed(lane);
            rests_until_[lane] = Clock::now() + options_.rest;
        }
        for (const std::size_t i : chosen) {
            going[i].is_refused = true;
            going[i].away.add(lane);
        }
        return results.error();
    }
    open_.lane_answered(lane);
    LaneSet this_lane;
    this_lane.add(lane);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        Going& one = going[chosen[i]];
        switch ((*results)[i]) {
            case BroadcastResult::accepted:
            case BroadcastResult::already_there:
                one.is_taken = true;
                open_.taken(one.sent.digest, this_lane);
                break;
            case BroadcastResult::mempool_full:
                one.is_full = true;
                break;
            case BroadcastResult::refused:
                one.is_refused = true;
                break;
        }
    }
    return std::nullopt;
}

/// What is said of it when every lane has been asked.
LanePlacer::BroadcastResult LanePlacer::end(const Going& going) {
    if (!going.is_refused) {
        return going.is_full ? BroadcastResult::mempool_full : BroadcastResult::accepted;
    }
    // What some lane has is completed where it is missing, by whoever sees it.
    if (going.is_taken || (!going.is_new && !going.sent.lanes.is_empty()))
        return BroadcastResult::accepted;
    return BroadcastResult::refused;
}

auto LanePlacer::broadcast(std::span<const Bytes> transactions)
    -> std::expected<std::vector<BroadcastResult>, CometError> {
    if (is_stopped_.load(std::memory_order_relaxed)) return std::unexpected(stopped());
    ObjectGuess guess(chain_, mempool_, options_.most_gas);
    const ClosedLanes closed{resting(), options_.silent()};
    std::vector<Going> going;
    going.reserve(transactions.size());
    for (const Bytes& encoded : transactions)
        going.push_back(begin(encoded, guess, closed));
    std::optional<CometError> error;
    for (LaneNumber lane = 0; lane < homes::kMaxLanes; ++lane) {
        auto failed = send(lane, going);
        if (failed.has_value()) error = std::move(failed);
    }
    std::vector<BroadcastResult> results;
    bool has_sent = false;
    for (const Going& one : going) {
        results.push_back(end(one));
        has_sent = has_sent || results.back() != BroadcastResult::refused;
    }
    const bool comes_again = error.has_value() && !has_sent;
    for (const Going& one : going) {
        if (!one.is_new || !one.is_refused || one.is_taken || one.sent.lanes.is_empty()) continue;
        open_.forget(one.sent.digest);
        if (!comes_again) open_.wait(one.one, one.away);
    }
    if (comes_again) return std::unexpected(*std::move(error));
    return results;
}

}  // namespace heddle::node::lanes
