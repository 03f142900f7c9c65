// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A cache of flat values over the database, with the values that the database does not have yet. It
// knows keys, values and blocks; where a missing value comes from is its caller's business.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <utility>

#include "flat_map.hpp"

namespace heddle::ledger {

/// A value is pinned from the block that wrote it until that block's state is in the database.
///
/// Two generations in each shard: what is looked up moves to the young one; when that is full, the
/// old one is dropped, pinned values excepted. So the capacity is a limit for what is not pinned.
///
/// Loading: a reader that finds nothing takes a Ticket, reads the database, and offers what it
/// read. In between the value may have been written, pinned, persisted and dropped again; the
/// ticket then no longer fits and the offer is ignored, for it may be older than what was dropped.
///
/// Thread safety: find(), offer() and set_persisted() from any thread; write() from any number that
/// write other keys each. A value that has been written is never replaced by an older one.
template <typename Key, typename Value, typename Hasher>
class FlatCache {
public:
    /// Which drops of its shard a reader has seen.
    struct Ticket {
        std::size_t shard = 0;
        std::uint64_t drops = 0;
    };
    struct Lookup {
        std::optional<Value> value;  // nullopt: not cached
        Ticket ticket;
    };

    /// @param capacity  Values, both generations together.
    explicit FlatCache(std::size_t capacity)
        : young_capacity_(std::max<std::size_t>(capacity / kShards / 2, 8)) {}

    [[nodiscard]] Lookup find(const Key& key) {
        const std::size_t index = shard_of(key);
        Shard& shard = shards_[index];
        {
            const std::shared_lock lock{shard.mutex};
            if (const Entry* entry = shard.young.find(key)) return {entry->value, {}};
            if (shard.old.find(key) == nullptr) return {std::nullopt, {index, shard.drops}};
        }
        const std::unique_lock lock{shard.mutex};
        if (Entry* entry = promote(shard, key)) return {entry->value, {}};
        return {std::nullopt, {index, shard.drops}};
    }

    /// What the database has.
    void offer(const Key& key, const Value& value, const Ticket& ticket) {
        Shard& shard = shards_[ticket.shard];
        const std::unique_lock lock{shard.mutex};
        if (shard.drops != ticket.drops) return;
        if (shard.young.find(key) != nullptr || shard.old.find(key) != nullptr) return;
        insert(shard, key, {value, 0});
    }

    /// Block `number` has written the value.
    void write(const Key& key, const Value& value, std::uint64_t number) {
        Shard& shard = shards_[shard_of(key)];
        const std::unique_lock lock{shard.mutex};
        if (Entry* entry = promote(shard, key))
            *entry = {value, number};
        else
            insert(shard, key, {value, number});
    }

    /// The database has the state after block `number`.
    void set_persisted(std::uint64_t number) noexcept {
        persisted_.store(number, std::memory_order_release);
    }

    /// Values, pinned or not, of both generations.
    [[nodiscard]] std::size_t size() const {
        std::size_t size = 0;
        for (const Shard& shard : shards_) {
            const std::shared_lock lock{shard.mutex};
            size += shard.young.size() + shard.old.size();
        }
        return size;
    }

    /// About what one value takes in memory.
    static constexpr std::size_t kBytesPerValue = (sizeof(Key) + sizeof(Value) + 9) * 3 / 2;

private:
    static constexpr std::size_t kShards = 64;
    static constexpr std::size_t kCacheLine = 64;

    struct Entry {
        Value value{};
        std::uint64_t written_by = 0;  // block; 0: as the database has it
    };
    using Map = FlatMap<Key, Entry, Hasher>;
    struct alignas(kCacheLine) Shard {
        mutable std::shared_mutex mutex;
        Map young;
        Map old;
        std::uint64_t drops = 0;
    };

    /// The map inside a shard uses the lowest and the highest bits.
    static std::size_t shard_of(const Key& key) noexcept {
        return (Hasher{}(key) * 0x9e3779b97f4a7c15u >> 40) % kShards;
    }

    /// Moves the value to the young generation. Under the exclusive lock. nullptr: not there.
    Entry* promote(Shard& shard, const Key& key) {
        if (Entry* entry = shard.young.find(key)) return entry;
        const Entry* entry = shard.old.find(key);
        if (entry == nullptr) return nullptr;
        const Entry moved = *entry;
        shard.old.erase(key);
        return &insert(shard, key, moved);
    }

    Entry& insert(Shard& shard, const Key& key, const Entry& entry) {
        if (shard.young.size() >= young_capacity_) turn(shard);
        Entry& place = shard.young[key];
        place = entry;
        return place;
    }

    /// The young generation becomes the old one, which is dropped but for what is pinned.
    void turn(Shard& shard) {
        const std::uint64_t persisted = persisted_.load(std::memory_order_acquire);
        Map next;
        next.reserve(shard.old.size());
        shard.old.for_each([&](const Key& key, const Entry& entry) {
            if (entry.written_by > persisted) next[key] = entry;
        });
        // With more pinned than fits, nothing would be gained by turning at every insertion.
        if (next.size() >= young_capacity_) {
            shard.young.reserve(shard.young.size() + next.size());
            next.for_each([&](const Key& key, const Entry& entry) { shard.young[key] = entry; });
            shard.old.clear();
        } else {
            shard.old = std::exchange(shard.young, std::move(next));
        }
        ++shard.drops;
    }

    const std::size_t young_capacity_;
    std::atomic<std::uint64_t> persisted_ = 0;
    std::array<Shard, kShards> shards_;
};

}  // namespace heddle::ledger
