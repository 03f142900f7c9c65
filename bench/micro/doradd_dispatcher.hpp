// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The rival of the dispatcher benchmark: DORADD's scheme as its paper describes it (DORADD §3.3,
// §4; BoC §4), written for this benchmark. Every object has a queue of the requests for it, of
// which only the tail is stored with the object; a behaviour has one request per object and counts
// those that are not yet at the head of their queue.
//
// Where the paper leaves a choice, the one that is faster for it is taken: tails of eight bytes,
// dense and in huge pages; one dispatcher, so that no second phase is needed to enqueue on several
// queues at once; one atomic subtraction per behaviour for all the requests that were first in
// their queue; a look at the tail before the compare-exchange that would fail.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <workers/parking_lot.hpp>

#include "machine.hpp"

namespace heddle::bench {

/// Thread safety: dispatch(), prefetch() by the dispatcher; complete() by whoever ran the
/// behaviour; commit() is only a notice that the position's memory may be used again, and does
/// nothing. Invariant: at most `window` positions are in use, counted from the oldest that is not
/// complete.
class DoraddDispatcher {
public:
    DoraddDispatcher(std::size_t objects, std::size_t window, std::uint32_t objects_per_tx)
        : mask_(std::bit_ceil(window) - 1),
          objects_per_tx_(objects_per_tx),
          tails_(objects),
          behaviours_(mask_ + 1),
          requests_((mask_ + 1) * objects_per_tx) {
        for (std::size_t i = 0; i < requests_.size(); ++i)
            requests_[i].behaviour = &behaviours_[i / objects_per_tx];
    }

    void prefetch(std::uint32_t object) noexcept { prefetch_for_write(&tails_[object]); }

    /// Appends the behaviour to the queue of each of its objects.
    /// @param watermark  Not used: the scheme knows no prefix that is done.
    /// @return whether it is the first in all of them.
    [[nodiscard]] bool dispatch(std::uint64_t position, std::span<const std::uint32_t> objects,
                                std::uint64_t /*watermark*/) noexcept {
        Behaviour& behaviour = behaviours_[position & mask_];
        behaviour.position = position;
        // The other thread had it last.
        prefetch_for_write(&behaviours_[(position + kBehavioursAhead) & mask_]);
        // One more than its requests, so that it cannot become ready before all are enqueued.
        behaviour.waiting_for.store(objects_per_tx_ + 1, std::memory_order_relaxed);
        std::uint32_t acquired = 1;
        Request* request = requests_of(position);
        for (const std::uint32_t object : objects) {
            request->next.store(nullptr, std::memory_order_relaxed);
            request->tail = &tails_[object];
            // Release publishes the request to the next one, acquire shows the last one's fields.
            Request* last = request->tail->exchange(request, std::memory_order_acq_rel);
            if (last == nullptr) {
                ++acquired;
            } else {
                // Release pairs with complete(): the request's behaviour is visible.
                last->next.store(request, std::memory_order_release);
            }
            ++request;
        }
        // In front everywhere: nobody else knows the behaviour's count.
        return acquired == objects_per_tx_ + 1 ||
               behaviour.waiting_for.fetch_sub(acquired, std::memory_order_acq_rel) == acquired;
    }

    /// Leaves the queue of each object; calls `make_ready(position)` for each behaviour that
    /// thereby becomes the first in all of its queues.
    template <typename MakeReady>
    void complete(std::uint64_t position, MakeReady&& make_ready) noexcept {
        Request* request = requests_of(position);
        for (std::uint32_t i = 0; i < objects_per_tx_; ++i, ++request) {
            Request* next = request->next.load(std::memory_order_acquire);
            if (next == nullptr) {
                Request* expected = request;
                if (request->tail->load(std::memory_order_relaxed) == request &&
                    request->tail->compare_exchange_strong(
                        expected, nullptr, std::memory_order_acq_rel, std::memory_order_relaxed))
                    continue;
                // Somebody is behind it and about to say so.
                while ((next = request->next.load(std::memory_order_acquire)) == nullptr)
                    executor::pause_briefly();
            }
            Behaviour& behaviour = *next->behaviour;
            if (behaviour.waiting_for.fetch_sub(1, std::memory_order_acq_rel) == 1)
                make_ready(behaviour.position);
        }
    }

    void commit(std::uint64_t /*position*/) noexcept {}

private:
    struct Behaviour {
        std::atomic<std::uint32_t> waiting_for{0};
        std::uint64_t position = 0;
    };
    static constexpr std::uint64_t kBehavioursAhead = 16;
    struct Request;
    using Tail = std::atomic<Request*>;
    struct Request {
        std::atomic<Request*> next{nullptr};
        Behaviour* behaviour = nullptr;
        Tail* tail = nullptr;
    };

    [[nodiscard]] Request* requests_of(std::uint64_t position) noexcept {
        return &requests_[(position & mask_) * objects_per_tx_];
    }

    const std::size_t mask_;
    const std::uint32_t objects_per_tx_;
    HugeArray<Tail> tails_;
    std::vector<Behaviour> behaviours_;
    std::vector<Request> requests_;
};

}  // namespace heddle::bench
