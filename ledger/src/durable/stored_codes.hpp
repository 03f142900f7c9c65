// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Code by its hash: as much as there is room for, and what the database does not have yet. Where
// missing code comes from is its caller's business.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <utility>

#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/state_diff.hpp>

#include "flat_map.hpp"

namespace heddle::ledger {

/// Code is pinned from the block that deployed it until that block's state is in the database.
///
/// Two generations: what is looked up moves to the young one; when that is full, the old one is
/// dropped, pinned code excepted. Whoever has been given code may keep it: what is dropped lives as
/// long as it is held.
///
/// Thread safety: any; write() by one thread at a time.
class StoredCodes {
public:
    using Code = std::shared_ptr<const Bytes>;

    /// @param max_bytes  Of what is not pinned, but for one code, both generations together.
    explicit StoredCodes(std::size_t max_bytes) : young_bytes_(max_bytes / 2) {}

    /// Null: not here.
    [[nodiscard]] Code find(const Hash& hash) {
        {
            const std::shared_lock lock{mutex_};
            if (const Entry* entry = young_.map.find(hash)) return entry->code;
            if (old_.map.find(hash) == nullptr) return nullptr;
        }
        const std::unique_lock lock{mutex_};
        const Entry* const entry = promote(hash);
        return entry != nullptr ? entry->code : nullptr;
    }

    /// What the database has. @return it, or what was here before.
    [[nodiscard]] Code offer(const Hash& hash, Bytes&& code) {
        const std::unique_lock lock{mutex_};
        if (const Entry* const entry = promote(hash)) return entry->code;
        return insert(hash, {std::make_shared<const Bytes>(std::move(code)), 0}).code;
    }

    /// Block `number` has deployed it.
    void write(std::span<const CodeChange> codes, std::uint64_t number) {
        if (codes.empty()) return;
        const std::unique_lock lock{mutex_};
        for (const CodeChange& code : codes) {
            if (Entry* const entry = promote(code.hash))
                entry->written_by = number;
            else
                insert(code.hash, {std::make_shared<const Bytes>(code.code), number});
        }
    }

    /// The database has the state after block `number`.
    void set_persisted(std::uint64_t number) noexcept {
        persisted_.store(number, std::memory_order_release);
    }

    /// Held here, pinned or not.
    [[nodiscard]] std::size_t size_bytes() const {
        const std::shared_lock lock{mutex_};
        return young_.bytes + old_.bytes;
    }

private:
    /// About what one code takes beside its bytes.
    static constexpr std::size_t kEntryBytes = 192;

    struct Entry {
        Code code;
        std::uint64_t written_by = 0;  // block; 0: as the database has it

        [[nodiscard]] std::size_t size_bytes() const noexcept { return code->size() + kEntryBytes; }
    };
    struct Generation {
        FlatMap<Hash, Entry, HashHasher> map;
        std::size_t bytes = 0;

        Entry& put(const Hash& hash, const Entry& entry) {
            bytes += entry.size_bytes();
            return map[hash] = entry;
        }
    };

    // Under the exclusive lock.

    /// Moves it to the young generation. Null: not there.
    Entry* promote(const Hash& hash) {
        if (Entry* const entry = young_.map.find(hash)) return entry;
        const Entry* const entry = old_.map.find(hash);
        if (entry == nullptr) return nullptr;
        const Entry moved = *entry;
        old_.bytes -= moved.size_bytes();
        old_.map.erase(hash);
        return &insert(hash, moved);
    }
    Entry& insert(const Hash& hash, const Entry& entry) {
        if (young_.bytes + entry.size_bytes() > young_bytes_) turn();
        return young_.put(hash, entry);
    }
    /// The young generation becomes the old one, which is dropped but for what is pinned.
    void turn() {
        const std::uint64_t persisted = persisted_.load(std::memory_order_acquire);
        Generation next;
        old_.map.for_each([&](const Hash& hash, const Entry& entry) {
            if (entry.written_by > persisted) next.put(hash, entry);
        });
        // With more pinned than fits, nothing would be gained by turning at every insertion.
        if (next.bytes >= young_bytes_) {
            young_.map.reserve(young_.map.size() + next.map.size());
            next.map.for_each(
                [&](const Hash& hash, const Entry& entry) { young_.put(hash, entry); });
            old_ = {};
        } else {
            old_ = std::exchange(young_, std::move(next));
        }
    }

    const std::size_t young_bytes_;
    std::atomic<std::uint64_t> persisted_ = 0;
    mutable std::shared_mutex mutex_;
    // Under the mutex.
    Generation young_;
    Generation old_;
};

}  // namespace heddle::ledger
