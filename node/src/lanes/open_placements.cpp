// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "lanes/open_placements.hpp"

#include <algorithm>
#include <utility>

namespace heddle::node::lanes {

std::optional<SentEntry> OpenPlacements::find(const Hash& transaction) const {
    const std::scoped_lock lock{mutex_};
    const auto digest = by_transaction_.find(transaction);
    if (digest == by_transaction_.end()) return std::nullopt;
    const Open& open = open_.at(digest->second);
    return SentEntry{digest->second, open.entry, open.left.is_empty() ? open.lanes : open.left};
}

bool OpenPlacements::is_held_up(const PlacedOne& one) const {
    const std::scoped_lock lock{mutex_};
    const auto sender = senders_.find(one.sender);
    if (sender == senders_.end() || sender->second.waiting.empty()) return false;
    return sender->second.waiting.begin()->first < one.nonce;
}

void OpenPlacements::placed(const PlacedOne& one, const SentEntry& entry) {
    const std::scoped_lock lock{mutex_};
    if (open_.size() >= options_.most_placements ||
        bytes_ + entry.entry.size() > options_.most_bytes)
        return;
    // It is open under another number where whoever hands it in did not ask find() first.
    if (const auto old = by_transaction_.find(one.hash); old != by_transaction_.end())
        drop(open_.find(old->second));
    Open& open = open_[entry.digest];
    open = {one, entry.entry, entry.lanes, entry.lanes, 0, 2 * options_.quiet_blocks};
    bytes_ += open.entry.size();
    by_transaction_[one.hash] = entry.digest;
    set_due(entry.digest, open, block_ + options_.quiet_blocks);
    // It waits no more, whatever it waited for.
    if (const auto sender = senders_.find(one.sender); sender != senders_.end())
        sender->second.waiting.erase(one.nonce);
}

void OpenPlacements::set_due(const Hash& digest, Open& open, std::uint64_t number) {
    open.due = number;
    open_timers_.emplace(number, digest);
}

void OpenPlacements::taken(const Hash& digest, LaneSet lanes) {
    const std::scoped_lock lock{mutex_};
    if (const auto open = open_.find(digest); open != open_.end())
        open->second.left = open->second.left.without(lanes);
}

void OpenPlacements::forget(const Hash& digest) {
    const std::scoped_lock lock{mutex_};
    if (const auto open = open_.find(digest); open != open_.end()) drop(open);
}

void OpenPlacements::drop(Opens::iterator open) {
    bytes_ -= open->second.entry.size();
    by_transaction_.erase(open->second.one.hash);
    open_.erase(open);
}

void OpenPlacements::wait(const PlacedOne& one, LaneSet away) {
    const std::scoped_lock lock{mutex_};
    hold(one, away);
}

std::uint64_t OpenPlacements::pause_after(unsigned failures) const noexcept {
    constexpr unsigned kMostDoublings = 16;
    const std::uint64_t pause =
        (std::uint64_t{1} << std::min(std::max(failures, 1u) - 1, kMostDoublings)) - 1;
    return std::min(pause, options_.most_pause);
}

void OpenPlacements::hold(const PlacedOne& one, LaneSet away) {
    auto found = senders_.find(one.sender);
    if (found == senders_.end()) {
        if (senders_.size() >= options_.most_senders) return;
        found = senders_.try_emplace(one.sender).first;
    }
    Sender& sender = found->second;
    sender.away = LaneSet{sender.away.bits() | away.bits()};
    failing_ = LaneSet{failing_.bits() | away.bits()};
    // What comes to nothing together is one time.
    if (sender.waiting.empty()) {
        ++sender.failures;
        const std::uint64_t least = away.is_empty() ? 0 : 1;
        sender.due = block_ + std::max(pause_after(sender.failures), least);
        sender_timers_.emplace(sender.due, one.sender);
    }
    sender.waiting[one.nonce] = one.hash;
}

void OpenPlacements::lane_failed(LaneNumber lane) {
    const std::scoped_lock lock{mutex_};
    failing_.add(lane);
}

void OpenPlacements::lane_answered(LaneNumber lane) {
    const std::scoped_lock lock{mutex_};
    if (!failing_.has(lane)) return;
    LaneSet this_lane;
    this_lane.add(lane);
    failing_ = failing_.without(this_lane);
    back_.add(lane);
}

consensus_adapter::lanes::LaneSet OpenPlacements::failing() const {
    const std::scoped_lock lock{mutex_};
    return failing_;
}

bool OpenPlacements::has(const Hash& digest) const {
    const std::scoped_lock lock{mutex_};
    return open_.contains(digest);
}

std::size_t OpenPlacements::size() const {
    const std::scoped_lock lock{mutex_};
    return open_.size();
}

std::size_t OpenPlacements::bytes() const {
    const std::scoped_lock lock{mutex_};
    return bytes_;
}

/// A CometBFT that was started anew has nothing of what it was given.
void OpenPlacements::take_back_lanes() {
    const LaneSet back = std::exchange(back_, {});
    if (back.is_empty()) return;
    for (auto& [digest, open] : open_) {
        if (!open.lanes.intersects(back)) continue;
        // It has not been quiet for nothing, so it is not to wait longer for that.
        open.wait = options_.quiet_blocks;
        if (open.due > block_) set_due(digest, open, block_);
    }
    for (auto& [address, sender] : senders_) {
        if (!sender.away.intersects(back) || sender.waiting.empty()) continue;
        sender.failures = 0;
        sender.due = block_;
        sender_timers_.emplace(block_, address);
    }
}

void OpenPlacements::senders_due(Due& due) {
    while (!sender_timers_.empty() && sender_timers_.begin()->first <= block_) {
        const auto [number, address] = *sender_timers_.begin();
        sender_timers_.erase(sender_timers_.begin());
        const auto found = senders_.find(address);
        if (found == senders_.end() || found->second.due != number) continue;
        Sender& sender = found->second;
        if (sender.waiting.empty()) {
            senders_.erase(found);
            continue;
        }
        for (const auto& [nonce, hash] : sender.waiting)
            due.place.push_back(hash);
        sender.waiting.clear();
        sender.away = {};
        sender.due = block_ + options_.forgiven_after;
        sender_timers_.emplace(sender.due, address);
    }
}

std::vector<Hash> OpenPlacements::opens_due() {
    std::vector<Hash> due;
    while (!open_timers_.empty() && open_timers_.begin()->first <= block_ &&
           due.size() < options_.most_sent) {
        const auto [number, digest] = *open_timers_.begin();
        open_timers_.erase(open_timers_.begin());
        const auto open = open_.find(digest);
        if (open != open_.end() && open->second.due == number) due.push_back(digest);
    }
    return due;
}

/// nullopt: it has been sent often enough, and waits to be placed anew.
std::optional<SentEntry> OpenPlacements::again(Opens::iterator found) {
    Open& open = found->second;
    if (open.wait > options_.most_quiet_blocks) {
        const PlacedOne one = open.one;
        drop(found);
        hold(one, {});
        return std::nullopt;
    }
    set_due(found->first, open, block_ + open.wait);
    open.wait *= 2;
    return SentEntry{found->first, open.entry, open.lanes};
}

auto OpenPlacements::on_block(std::uint64_t number, std::span<const Hash> decided,
                              const std::function<bool(const Hash&)>& is_in_pool) -> Due {
    Due due;
    std::vector<PlacedOne> ended;
    std::vector<Hash> quiet;
    std::vector<PlacedOne> quiet_ones;
    {
        const std::scoped_lock lock{mutex_};
        block_ = std::max(block_, number);
        for (const Hash& digest : decided) {
            const auto open = open_.find(digest);
            if (open == open_.end()) continue;
            ended.push_back(open->second.one);
            drop(open);
        }
        take_back_lanes();
        quiet = opens_due();
        for (const Hash& digest : quiet)
            quiet_ones.push_back(open_.at(digest).one);
    }
    // The pool has a lock of its own, which is not taken within ours.
    std::vector<bool> is_there;
    is_there.reserve(ended.size() + quiet_ones.size());
    for (const PlacedOne& one : ended)
        is_there.push_back(is_in_pool(one.hash));
    for (const PlacedOne& one : quiet_ones)
        is_there.push_back(is_in_pool(one.hash));
    const std::scoped_lock lock{mutex_};
    for (std::size_t i = 0; i < ended.size(); ++i) {
        const auto sender = senders_.find(ended[i].sender);
        if (is_there[i])
            hold(ended[i], {});
        else if (sender != senders_.end())
            sender->second.failures = 0;
    }
    for (std::size_t i = 0; i < quiet.size(); ++i) {
        const auto open = open_.find(quiet[i]);
        if (open == open_.end()) continue;
        if (!is_there[ended.size() + i])
            drop(open);
        else if (auto entry = again(open))
            due.send.push_back(*std::move(entry));
    }
    senders_due(due);
    return due;
}

}  // namespace heddle::node::lanes
