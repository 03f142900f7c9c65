// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Accounts and slots on their way from the order in which they are given to that of the tables:
// each is a record that sorts to its place.
//
//   2   size of all that follows, little-endian
//   32  KEC(address) of the account
//   1   0: a slot, 1: an account, which thereby stands behind its slots
//   32  KEC(slot), of a slot only
//       what `slots` has of it, or `accounts`, with the root of no storage
//
// No key is the beginning of another, so records compare by their bytes.
#pragma once

#include <algorithm>
#include <cstring>

#include <types/bytes.hpp>
#include <types/hash.hpp>

namespace heddle::ledger {

inline constexpr std::size_t kRecordSizeBytes = 2;
inline constexpr std::size_t kAccountKeyBytes = sizeof(Hash) + 1;
inline constexpr std::size_t kSlotKeyBytes = 2 * sizeof(Hash) + 1;
/// A slot takes 65 bytes and two words, an account 33, an address, flags, nonce and balance, and
/// two hashes.
inline constexpr std::size_t kMaxRecordBytes = kSlotKeyBytes + std::size_t{2} * 33 + 64;

/// A record without its size. Good as long as the bytes are.
class StateRecord {
public:
    StateRecord() = default;
    explicit StateRecord(BytesView bytes) noexcept : bytes_(bytes) {}

    [[nodiscard]] BytesView bytes() const noexcept { return bytes_; }
    [[nodiscard]] bool is_account() const noexcept { return bytes_[sizeof(Hash)] != 0; }
    [[nodiscard]] BytesView key() const noexcept {
        return bytes_.first(is_account() ? kAccountKeyBytes : kSlotKeyBytes);
    }
    [[nodiscard]] BytesView payload() const noexcept { return bytes_.subspan(key().size()); }
    [[nodiscard]] Hash account_hash() const noexcept { return hash_at(0); }
    /// Of a slot.
    [[nodiscard]] Hash slot_hash() const noexcept { return hash_at(kAccountKeyBytes); }
    /// The first four bits of account_hash().
    [[nodiscard]] std::size_t part() const noexcept { return bytes_[0] >> 4; }

    /// Negative, zero or positive, as this one's key is below, at or above the other's.
    [[nodiscard]] int compare(const StateRecord& other) const noexcept {
        const BytesView mine = key();
        const BytesView theirs = other.key();
        return std::memcmp(mine.data(), theirs.data(), std::min(mine.size(), theirs.size()));
    }

private:
    [[nodiscard]] Hash hash_at(std::size_t offset) const noexcept {
        Hash hash;
        std::memcpy(hash.bytes.data(), bytes_.data() + offset, sizeof hash.bytes);
        return hash;
    }

    BytesView bytes_;
};

}  // namespace heddle::ledger
