// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "workers/ready_queues.hpp"

#include <algorithm>
#include <utility>

#include <types/assert.hpp>

namespace heddle::executor {

ReadyQueues::ReadyQueues(unsigned workers, std::size_t capacity, WorkerParking& parking)
    : parking_(parking), dispatched_(capacity) {
    for (unsigned i = 0; i < workers; ++i)
        queues_.push_back(std::make_unique<ReadyQueue>(capacity));
}

void ReadyQueues::push(ReadyQueue& queue, ReadyItem item) noexcept {
    const bool has_room = queue.push(item);  // it holds all that can be ready
    HEDDLE_ASSERT(has_room);
    parking_.notify_any();
}

ReadyQueues::Choice ReadyQueues::choose(unsigned worker, std::uint64_t committed) noexcept {
    ReadyQueue& own = *queues_[worker];
    const std::uint64_t oldest_own = own.oldest();
    const std::uint64_t oldest_dispatched = dispatched_.oldest();
    // The older of the two: the committer waits for the oldest of all.
    Choice choice{&dispatched_, &own, false};
    if (oldest_own < oldest_dispatched) std::swap(choice.first, choice.second);
    std::uint64_t oldest = std::min(oldest_own, oldest_dispatched);
    if (oldest <= committed || oldest - committed <= kNear * queues_.size()) return choice;
    for (std::size_t i = 1; i < queues_.size(); ++i) {
        ReadyQueue& other = *queues_[(worker + i) % queues_.size()];
        if (const std::uint64_t position = other.oldest(); position < oldest) {
            oldest = position;
            choice.first = &other;
            choice.is_stolen = true;
        }
    }
    return choice;
}

ReadyBundle ReadyQueues::take(unsigned worker, std::span<ReadyItem> items, std::uint64_t max_gas,
                              std::uint64_t committed) noexcept {
    const ReadyBundle taken = take_any(worker, items, max_gas, committed);
    // A queue has them in the order in which they became ready. Whoever waits for budget with one
    // of them in hand must not have an older one behind it, for which everybody would wait.
    std::ranges::sort(items.first(taken.count), {}, &ReadyItem::position);
    return taken;
}

ReadyBundle ReadyQueues::take_any(unsigned worker, std::span<ReadyItem> items,
                                  std::uint64_t max_gas, std::uint64_t committed) noexcept {
    const Choice choice = choose(worker, committed);
    if (const std::size_t count = choice.first->take(items, max_gas); count != 0)
        return {count, choice.is_stolen};
    if (const std::size_t count = choice.second->take(items, max_gas); count != 0)
        return {count, false};
    for (std::size_t i = 1; i < queues_.size(); ++i) {
        ReadyQueue& other = *queues_[(worker + i) % queues_.size()];
        if (const std::size_t count = other.take(items, max_gas); count != 0) return {count, true};
    }
    return {};
}

std::size_t ReadyQueues::backlog() const noexcept {
    std::size_t count = dispatched_.size();
    for (const auto& queue : queues_)
        count += queue->size();
    return count;
}

bool ReadyQueues::has_ready() const noexcept {
    return dispatched_.size() != 0 ||
           std::ranges::any_of(queues_, [](const auto& queue) { return queue->size() != 0; });
}

}  // namespace heddle::executor
