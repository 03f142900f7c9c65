// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "aria/unit_making.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace heddle::executor {
namespace {

/// Which of so many things belong together. The first of them stands for all.
class Groups {
public:
    explicit Groups(std::size_t count) : first_(count) {
        std::iota(first_.begin(), first_.end(), std::uint32_t{0});
    }
    [[nodiscard]] std::uint32_t first_of(std::uint32_t i) noexcept {
        while (first_[i] != i) {
            first_[i] = first_[first_[i]];  // paths become short
            i = first_[i];
        }
        return i;
    }
    void unite(std::uint32_t a, std::uint32_t b) noexcept {
        const std::uint32_t one = first_of(a);
        const std::uint32_t other = first_of(b);
        first_[std::max(one, other)] = std::min(one, other);
    }

private:
    std::vector<std::uint32_t> first_;
};

/// One for each group; `add(unit, i)` puts the i-th thing into its unit.
template <typename Add>
std::vector<Unit> collect(Groups& groups, std::size_t count, Add&& add) {
    std::vector<Unit> units;
    std::vector<std::uint32_t> places(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t first = groups.first_of(i);
        if (first == i) {
            places[i] = static_cast<std::uint32_t>(units.size());
            units.emplace_back();
        }
        add(units[places[first]], i);
    }
    return units;
}

}  // namespace

bool BusyRecipients::is_busy(const Address& recipient) const {
    const auto found = records_.find(recipient);
    return found != records_.end() && found->second.tried >= kLeastTried &&
           2 * found->second.aborted > found->second.tried;
}

void BusyRecipients::note(const Transaction& tx, bool was_aborted) {
    if (!tx.to.has_value()) return;
    // Most recipients are met once: those that nobody disturbs need no record.
    auto found = records_.find(*tx.to);
    if (found == records_.end()) {
        if (!was_aborted) return;
        found = records_.try_emplace(*tx.to).first;
    }
    ++found->second.tried;
    if (was_aborted) ++found->second.aborted;
}

void BusyRecipients::fade() {
    for (auto& [recipient, record] : records_)
        record = {record.tried / 2, record.aborted / 2};
    std::erase_if(records_, [](const auto& entry) { return entry.second.aborted == 0; });
}

std::vector<Unit> units_by_sender(std::span<const Trial> trials, const BusyRecipients& busy) {
    Groups groups(trials.size());
    std::unordered_map<Address, std::uint32_t, AddressHasher> senders;
    std::unordered_map<Address, std::uint32_t, AddressHasher> recipients;
    for (std::uint32_t i = 0; i < trials.size(); ++i) {
        const Transaction& tx = *trials[i].tx;
        groups.unite(senders.try_emplace(*tx.sender, i).first->second, i);
        if (tx.to.has_value() && busy.is_busy(*tx.to))
            groups.unite(recipients.try_emplace(*tx.to, i).first->second, i);
    }
    return collect(groups, trials.size(),
                   [](Unit& unit, std::uint32_t i) { unit.trials.push_back(i); });
}

std::vector<Unit> units_by_conflict(std::span<const Unit> aborted) {
    struct Seen {
        std::uint64_t object = 0;
        std::uint32_t place = 0;
        TouchMode mode = TouchMode::read;
    };
    std::vector<Seen> seen;
    for (std::uint32_t i = 0; i < aborted.size(); ++i)
        for (const Touch& touch : aborted[i].footprint)
            seen.push_back({std::uint64_t{touch.is_slot} << 32 | touch.object, i, touch.mode});
    std::ranges::sort(seen, {}, [](const Seen& one) { return std::pair{one.object, one.place}; });
    Groups groups(aborted.size());
    for (std::size_t begin = 0; begin < seen.size();) {
        std::size_t end = begin;
        bool are_read = false;
        bool are_changed = false;
        for (; end < seen.size() && seen[end].object == seen[begin].object; ++end) {
            are_read |= reads(seen[end].mode);
            are_changed |= changes(seen[end].mode);
        }
        if (are_read && are_changed)
            for (std::size_t i = begin + 1; i < end; ++i)
                groups.unite(seen[begin].place, seen[i].place);
        begin = end;
    }
    std::vector<Unit> units = collect(groups, aborted.size(), [&](Unit& unit, std::uint32_t i) {
        unit.trials.insert(unit.trials.end(), aborted[i].trials.begin(), aborted[i].trials.end());
    });
    for (Unit& unit : units)
        std::ranges::sort(unit.trials);
    std::ranges::sort(units, {}, [](const Unit& unit) { return unit.trials.front(); });
    return units;
}

}  // namespace heddle::executor
