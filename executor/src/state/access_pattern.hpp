// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a call hashes and reads, as far as it follows from its sender and its arguments. Contracts
// keep a mapping's values in slots that are hashes: of the key, which is mostly the sender or an
// argument, and of the mapping's position, which is a constant (Solidity's storage layout). So
// where one call of a function has been seen, the slots of the next one can be told before it is
// executed, but for those that depend on what it finds. A wrong guess costs a few hashes and reads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <types/address.hpp>
#include <types/hash.hpp>
#include <types/transaction.hpp>
#include <types/uint256.hpp>

#include <vm/hash_notes.hpp>

namespace heddle::executor {

/// One slot, and what it holds.
struct SlotValue {
    Address address;
    Uint256 slot;
    Uint256 value;
};

/// Word `index` behind the selector of what a transaction hands over, big-endian. nullopt: it is
/// not there in full.
[[nodiscard]] std::optional<Uint256> argument_of(const Transaction& tx, std::size_t index) noexcept;

/// Where a word comes from.
struct WordSource {
    enum class Kind : std::uint8_t { literal, sender, argument, hash };
    Kind kind = Kind::literal;
    std::uint8_t index = 0;  // of the argument, or of one of the pattern's hashes
    Uint256 literal;

    friend bool operator==(const WordSource&, const WordSource&) = default;
};

/// Of one function of one contract. A value.
struct AccessPattern {
    /// Those of a swap by a router: an allowance and some balances. More are left to who executes.
    static constexpr std::size_t kMostHashes = 6;
    static constexpr std::size_t kMostSlots = 6;
    /// That are compared with what is hashed.
    static constexpr std::size_t kMostArguments = 12;
    /// Members of a structure lie behind the slot that is its hash, so far at most.
    static constexpr std::uint64_t kMostMembers = 1U << 12;

    /// An input of 64 bytes, that is not the same in each call.
    struct Pair {
        WordSource first;
        WordSource second;
        std::uint8_t depth = 0;  // 0: it needs no other hash. Else one more than what it needs.
        friend bool operator==(const Pair&, const Pair&) = default;
    };
    struct Slot {
        WordSource address;        // a literal or an argument
        std::uint8_t hash = 0;     // index
        std::uint16_t member = 0;  // so many slots behind the hash
        friend bool operator==(const Slot&, const Slot&) = default;
    };

    std::array<Pair, kMostHashes> pairs;
    std::array<Slot, kMostSlots> slots;
    std::uint8_t pair_count = 0;
    std::uint8_t slot_count = 0;

    [[nodiscard]] bool is_empty() const noexcept { return pair_count == 0; }
    friend bool operator==(const AccessPattern&, const AccessPattern&) = default;

    /// From one call that was executed.
    /// @param hashes  What it hashed, in order.
    /// @param read    The slots that it read; their values do not count.
    [[nodiscard]] static AccessPattern of(const Transaction& tx,
                                          std::span<const vm::KnownHash> hashes,
                                          std::span<const SlotValue> read);
};

}  // namespace heddle::executor
