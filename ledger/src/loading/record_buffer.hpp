// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Records in memory, hashed and sorted together once there are enough of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <types/account.hpp>
#include <types/address.hpp>
#include <types/hash.hpp>
#include <types/uint256.hpp>

#include "loading/state_record.hpp"
#include "trie/worker_crew.hpp"

namespace heddle::ledger {

/// By the first four bits of the account's hash.
inline constexpr std::size_t kStateParts = 16;

/// Protocol: add_slot() and add_account(), then sort(), then entries() until clear().
/// Thread safety: one thread at a time; once it is sorted, any number of readers.
class RecordBuffer {
public:
    void add_slot(const Hash& account, const Uint256& slot, const Uint256& value);
    void add_account(const Address& address, const Account& account);

    [[nodiscard]] bool empty() const noexcept { return records_ == 0; }
    /// What the records take, and what sorting them will.
    [[nodiscard]] std::size_t memory_bytes() const noexcept;

    /// Hashes addresses and slots, and sorts, on the crew's threads.
    void sort(WorkerCrew& crew);
    void clear();
    /// Record `index` of a part, in order.
    [[nodiscard]] std::size_t part_size(std::size_t part) const noexcept {
        return bounds_[part + 1] - bounds_[part];
    }
    [[nodiscard]] StateRecord record(std::size_t part, std::size_t index) const noexcept;

private:
    struct Block {
        std::unique_ptr<std::uint8_t[]> bytes;
        std::uint32_t used = 0;
        std::array<std::uint32_t, kStateParts> counts{};  // of records, by part; once hashed
    };
    /// Sorts without looking at the record, but where two begin with the same 16 bytes of hashes.
    struct Entry {
        std::uint64_t account = 0;  // the first bytes of its hash
        std::uint64_t slot = 0;     // those of the slot's hash; all ones: an account
        std::uint32_t block = 0;
        std::uint32_t offset = 0;  // of the record without its size
    };

    [[nodiscard]] std::uint8_t* append(std::size_t size);
    static void hash_block(Block& block);
    void list_block(std::size_t index, std::array<std::size_t, kStateParts> next);
    [[nodiscard]] StateRecord record_at(const Entry& entry) const noexcept;

    std::vector<Block> blocks_;
    std::size_t records_ = 0;
    Bytes payload_;  // kept for its memory
    std::vector<Entry> entries_;
    std::array<std::size_t, kStateParts + 1> bounds_{};  // of the parts among entries_
};

}  // namespace heddle::ledger
