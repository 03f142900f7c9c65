// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The dispatcher as a pipeline of one to three threads for the ablation of DORADD §5.4: names are
// looked up (index), records fetched (prefetch), transactions put into the DAG (spawn) and, in the
// same thread as that, completed. Stages work in place on one ring of requests and hand over
// counts.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include <executor/executor.hpp>

#include "access_stream.hpp"
#include "dispatch_flow.hpp"
#include "machine.hpp"

namespace heddle::bench {

/// Dense numbers by 64-bit name. Open addressing, at most half full.
class NameIndex {
public:
    explicit NameIndex(std::uint32_t objects)
        : mask_(std::bit_ceil(std::size_t{objects} * 2) - 1), slots_(mask_ + 1) {
        for (std::uint32_t id = 0; id < objects; ++id) {
            std::size_t at = home(name_of(id));
            while (slots_[at].name != 0)
                at = (at + 1) & mask_;
            slots_[at] = {name_of(id), id};
        }
    }

    /// Never 0; different for different objects, since all steps can be undone.
    [[nodiscard]] static std::uint64_t name_of(std::uint32_t id) noexcept {
        std::uint64_t mixed = (std::uint64_t{id} + 1) * 0x9e3779b97f4a7c15;
        mixed ^= mixed >> 32;
        return mixed * 0xd6e8feb86659fd93;
    }
    void prefetch(std::uint64_t name) noexcept { __builtin_prefetch(&slots_[home(name)]); }
    [[nodiscard]] std::uint32_t find(std::uint64_t name) noexcept {
        std::size_t at = home(name);
        while (slots_[at].name != name)
            at = (at + 1) & mask_;
        return slots_[at].id;
    }

private:
    struct Slot {
        std::uint64_t name = 0;
        std::uint32_t id = 0;
    };
    [[nodiscard]] std::size_t home(std::uint64_t name) const noexcept { return name & mask_; }

    std::size_t mask_;
    HugeArray<Slot> slots_;
};

/// How many requests the next stage may process; bounded, so that a stage waits for the next.
/// Thread safety: one thread gives, one takes. The cursors count requests: giving adds, and taking
/// takes all there is, which hands over a batch as one number.
class CountQueue {
public:
    explicit CountQueue(std::uint64_t most_waiting) : most_waiting_(most_waiting) {}

    void give(std::uint64_t count) noexcept {
        const std::uint64_t given = given_.load(std::memory_order_relaxed);
        unsigned idle = 0;
        while (given + count - taken_.load(std::memory_order_acquire) > most_waiting_)
            idle_briefly(idle);
        // Release pairs with take(): what the giver did to the requests is visible.
        given_.store(given + count, std::memory_order_release);
    }
    /// Waits for at least one. `most`: the bound of a batch.
    [[nodiscard]] std::uint64_t take(std::uint64_t most) noexcept {
        const std::uint64_t taken = taken_.load(std::memory_order_relaxed);
        std::uint64_t given = 0;
        unsigned idle = 0;
        while ((given = given_.load(std::memory_order_acquire)) == taken)
            idle_briefly(idle);
        const std::uint64_t count = std::min(most, given - taken);
        taken_.store(taken + count, std::memory_order_release);
        return count;
    }

private:
    const std::uint64_t most_waiting_;
    alignas(64) std::atomic<std::uint64_t> given_{0};
    alignas(64) std::atomic<std::uint64_t> taken_{0};
};

struct PipelineOptions {
    unsigned stages = 1;  // threads: 1 all, 2 index and prefetch | spawn, 3 each its own
    bool has_prefetch = true;
    std::uint64_t batch = 64;  // most requests handed over at once
    std::size_t in_flight = 1024;
};

/// Thread safety: run() by one thread at a time.
template <typename Dispatcher>
class Pipeline {
public:
    Pipeline(Dispatcher& dispatcher, NameIndex& index, const AccessStream& stream,
             const PipelineOptions& options)
        : dispatcher_(dispatcher),
          index_(index),
          options_(options),
          per_tx_(stream.objects_per_tx()),
          size_(stream.size()),
          ring_(kRing * stream.objects_per_tx()),
          to_prefetcher_(kMostBatches * options.batch),
          to_spawner_(kMostBatches * options.batch) {
        for (std::size_t i = 0; i < stream.size(); ++i)
            for (const std::uint32_t id : stream[i])
                names_.push_back(NameIndex::name_of(id));
    }

    /// @return nanoseconds for the stream.
    std::uint64_t run(std::uint64_t& next_position) {
        const std::uint64_t start = now_ns();
        Completer<Dispatcher> completer(dispatcher_, next_position);
        if (options_.stages == 1) {
            run_fused(completer, next_position);
        } else {
            executor::bind_this_thread(0);
            std::thread indexer([this] {
                executor::bind_this_thread(1);
                run_indexer();
            });
            std::thread prefetcher;
            if (options_.stages == 3)
                prefetcher = std::thread([this] {
                    executor::bind_this_thread(2);
                    run_prefetcher();
                });
            for (std::size_t done = 0; done < size_;) {
                const std::uint64_t count = to_spawner_.take(options_.batch);
                spawn(done, count, completer, next_position);
                done += count;
            }
            indexer.join();
            if (prefetcher.joinable()) prefetcher.join();
        }
        while (completer.has_ready())
            completer.complete_one();
        return now_ns() - start;
    }

private:
    static constexpr std::size_t kRing = 4096;
    static constexpr std::uint64_t kMostBatches = 4;

    void prefetch_names(std::size_t first, std::size_t count) {
        if (!options_.has_prefetch) return;
        const std::size_t end = std::min(first + count, size_) * per_tx_;
        for (std::size_t i = first * per_tx_; i < end; ++i)
            index_.prefetch(names_[i]);
    }
    void look_up(std::size_t first, std::size_t count) {
        for (std::size_t i = first * per_tx_; i < (first + count) * per_tx_; ++i)
            ring_[i % ring_.size()] = index_.find(names_[i]);
    }
    void prefetch_records(std::size_t first, std::size_t count) {
        if (!options_.has_prefetch) return;
        for (std::size_t i = first * per_tx_; i < (first + count) * per_tx_; ++i)
            dispatcher_.prefetch(ring_[i % ring_.size()]);
    }
    void spawn(std::size_t first, std::size_t count, Completer<Dispatcher>& completer,
               std::uint64_t& next_position) {
        for (std::size_t i = first; i < first + count; ++i) {
            while (i - completer.completed() >= options_.in_flight ||
                   next_position - completer.watermark() >= kFlowWindow)
                completer.complete_one();
            const std::span<const std::uint32_t> objects(&ring_[i % kRing * per_tx_], per_tx_);
            if (dispatcher_.dispatch(next_position, objects, completer.watermark()))
                completer.add_ready(next_position);
            ++next_position;
        }
    }

    // One batch later for each step, so that what was prefetched has come meanwhile.
    void run_fused(Completer<Dispatcher>& completer, std::uint64_t& next_position) {
        const std::size_t batch = options_.batch;
        prefetch_names(0, batch);
        std::size_t spawned = 0;
        for (std::size_t first = 0; first < size_; first += batch) {
            const std::size_t count = std::min(batch, size_ - first);
            prefetch_names(first + batch, batch);
            look_up(first, count);
            prefetch_records(first, count);
            spawn(spawned, first - spawned, completer, next_position);
            spawned = first;
        }
        spawn(spawned, size_ - spawned, completer, next_position);
    }
    void run_indexer() {
        const std::size_t batch = options_.batch;
        prefetch_names(0, batch);
        for (std::size_t first = 0; first < size_; first += batch) {
            const std::size_t count = std::min(batch, size_ - first);
            prefetch_names(first + batch, batch);
            look_up(first, count);
            if (options_.stages == 3) {
                to_prefetcher_.give(count);
            } else {
                prefetch_records(first, count);
                to_spawner_.give(count);
            }
        }
    }
    void run_prefetcher() {
        for (std::size_t done = 0; done < size_;) {
            const std::uint64_t count = to_prefetcher_.take(options_.batch);
            prefetch_records(done, count);
            to_spawner_.give(count);
            done += count;
        }
    }

    Dispatcher& dispatcher_;
    NameIndex& index_;
    const PipelineOptions options_;
    const std::size_t per_tx_;
    const std::size_t size_;
    std::vector<std::uint64_t> names_;
    std::vector<std::uint32_t> ring_;
    CountQueue to_prefetcher_;
    CountQueue to_spawner_;
};

}  // namespace heddle::bench
