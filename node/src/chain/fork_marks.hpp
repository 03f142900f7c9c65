// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Which values of a forked chain are its own: those that one of its blocks has written, and since
// which block. Everything else is the source's.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include <types/address.hpp>
#include <types/hash.hpp>
#include <types/state_diff.hpp>
#include <types/uint256.hpp>

namespace heddle::node {

/// A value stays its own once it is: also one that is zero again, of which the ledger knows
/// nothing.
/// Thread safety: reads concurrently while nobody changes anything.
class ForkMarks {
public:
    /// Block `number` has made these changes. Blocks come in order.
    void note(std::uint64_t number, const StateDiff& diff);
    /// The blocks above `number` are gone.
    void drop_above(std::uint64_t number);

    // Of the state after block `number`:
    [[nodiscard]] bool has_account(const Address& address, std::uint64_t number) const noexcept;
    [[nodiscard]] bool has_slot(const Address& address, const Uint256& slot,
                                std::uint64_t number) const noexcept;
    /// Whether nothing of the account's storage is the source's any more.
    [[nodiscard]] bool is_cleared(const Address& address, std::uint64_t number) const noexcept;
    /// Whether the ledger may have this code. It stays there, as code does.
    [[nodiscard]] bool has_code(const Hash& hash) const noexcept { return codes_.contains(hash); }
    /// Counts up when blocks are taken back.
    [[nodiscard]] std::uint64_t rewinds() const noexcept { return rewinds_; }

private:
    struct Entry {
        std::uint64_t since = 0;
        std::optional<std::uint64_t> cleared_since;
        std::unordered_map<Uint256, std::uint64_t, Uint256Hasher> slots;
    };
    std::unordered_map<Address, Entry, AddressHasher> entries_;
    std::unordered_set<Hash, HashHasher> codes_;
    std::uint64_t rewinds_ = 0;
};

}  // namespace heddle::node
