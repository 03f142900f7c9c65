// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <consensus_adapter/replication/acknowledgements.hpp>

#include <algorithm>
#include <functional>

#include <types/assert.hpp>

namespace heddle::consensus_adapter::replication {

using Kind = ReplicationEvent::Kind;

Acknowledgements::Acknowledgements(AcknowledgementOptions options, const PrimaryStart& start,
                                   Time now)
    : options_(std::move(options)),
      first_block_(start.first_block),
      kept_(start.kept),
      shown_(start.shown) {
    HEDDLE_ASSERT(options_.acks <= options_.backups.size() && start.shown <= start.kept);
    for (const std::string& name : options_.backups)
        backups_[name].heard = now;
    for (std::uint64_t number = start.shown + 1; number <= start.kept; ++number)
        waiting_.push_back({number, now});
    advance();
}

void Acknowledgements::kept(std::uint64_t number, Time now) {
    HEDDLE_ASSERT(number == kept_ + 1);
    kept_ = number;
    waiting_.push_back({number, now});
    advance();
}

bool Acknowledgements::joined(const std::string& backup, Time now) {
    const auto found = backups_.find(backup);
    if (found == backups_.end()) return false;
    found->second.is_connected = true;
    found->second.heard = now;
    note(Kind::joined, backup, found->second.number);
    return true;
}

void Acknowledgements::acknowledged(const std::string& backup, std::uint64_t number, Time now) {
    if (const auto found = backups_.find(backup); found != backups_.end())
        hear(backup, found->second, number, now);
}

void Acknowledgements::hear(const std::string& name, Backup& backup, std::uint64_t number,
                            Time now) {
    backup.heard = now;
    if (std::exchange(backup.is_lost, false)) note(Kind::returned, name, number);
    if (number > kept_) return;
    backup.number = std::max(backup.number, number);
    advance();
}

void Acknowledgements::left(const std::string& backup, Time now) {
    const auto found = backups_.find(backup);
    if (found == backups_.end() || !found->second.is_connected) return;
    found->second.is_connected = false;
    found->second.is_lost = false;
    found->second.heard = now;
    note(Kind::left, backup, found->second.number);
}

void Acknowledgements::tick(Time now) {
    for (auto& [name, backup] : backups_) {
        if (!backup.is_connected || backup.is_lost || now - backup.heard < options_.timeout)
            continue;
        backup.is_lost = true;
        note(Kind::lost, name, backup.number);
    }
    if (state_ != State::synced || waiting_.empty() ||
        now - waiting_.front().since < options_.timeout)
        return;
    const bool degrades = options_.on_timeout == OnTimeout::degrade;
    state_ = degrades ? State::degraded : State::stopped;
    note(degrades ? Kind::degraded : Kind::stopped, {}, waiting_.front().number);
    if (degrades) show(kept_);
}

std::uint64_t Acknowledgements::common() const {
    std::vector<std::uint64_t> numbers;
    numbers.reserve(backups_.size());
    for (const auto& [name, backup] : backups_)
        numbers.push_back(backup.number);
    const auto at = numbers.begin() + static_cast<std::ptrdiff_t>(options_.acks - 1);
    std::ranges::nth_element(numbers, at, std::greater{});
    // Without a block of this epoch there is no saying which of two chains goes on (ADR 24).
    return *at < first_block_ ? 0 : *at;
}

void Acknowledgements::advance() {
    if (options_.acks == 0) return show(kept_);
    const std::uint64_t number = common();
    show(std::min(number, kept_));
    if (state_ == State::degraded) {
        const auto near = std::ranges::count_if(backups_, [](const auto& entry) {
            return entry.second.is_connected && !entry.second.is_lost;
        });
        if (static_cast<std::size_t>(near) < options_.acks ||
            number + options_.window / 2 < kept_) {
            show(kept_);
            return;
        }
    } else if (state_ != State::stopped || !waiting_.empty()) {
        return;
    }
    // Nothing has waited long: what was kept while degraded was shown at once.
    state_ = State::synced;
    note(Kind::restored, {}, shown_);
}

void Acknowledgements::show(std::uint64_t number) {
    shown_ = std::max(shown_, number);
    while (!waiting_.empty() && waiting_.front().number <= shown_)
        waiting_.pop_front();
}

bool Acknowledgements::has_room() const noexcept {
    // The first block of the epoch is what everything else waits for.
    if (kept_ < first_block_) return true;
    return state_ != State::stopped && kept_ - shown_ < options_.window;
}

std::optional<Acknowledgements::Time> Acknowledgements::next_tick() const {
    std::optional<Time> next;
    const auto take = [&](Time since) {
        const Time due = since + options_.timeout;
        if (!next.has_value() || due < *next) next = due;
    };
    for (const auto& [name, backup] : backups_)
        if (backup.is_connected && !backup.is_lost) take(backup.heard);
    if (state_ == State::synced && !waiting_.empty()) take(waiting_.front().since);
    return next;
}

std::vector<BackupStatus> Acknowledgements::backups() const {
    std::vector<BackupStatus> found;
    found.reserve(backups_.size());
    for (const auto& [name, backup] : backups_)
        found.push_back({name, backup.is_connected, backup.is_lost, backup.number});
    return found;
}

void Acknowledgements::note(Kind kind, std::string backup, std::uint64_t number) {
    constexpr std::size_t kMost = 1'024;  // nobody takes them: then the first ones
    if (events_.size() < kMost) events_.push_back({kind, std::move(backup), number});
}

}  // namespace heddle::consensus_adapter::replication
