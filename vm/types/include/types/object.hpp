// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Objects, the unit of conflict between transactions, and declared object sets.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include <types/address.hpp>
#include <types/uint256.hpp>

namespace heddle {

/// What an object covers: finer than an account, so that unrelated work never waits.
enum class ObjectKind : std::uint8_t {
    balance,
    nonce,
    code,         // code, existence and incarnation
    storage,      // one slot
    storage_all,  // intent object: shared by every slot access, exclusive for creation and
                  // destruction
};

struct ObjectId {
    Address address;
    ObjectKind kind = ObjectKind::balance;
    Uint256 slot;  // kind storage only; zero otherwise

    friend bool operator==(const ObjectId&, const ObjectId&) = default;
    /// By address, then kind, then slot.
    friend std::strong_ordering operator<=>(const ObjectId& a, const ObjectId& b) noexcept;
};

/// Read-Read, Add-Add and Add-Debit are compatible, and Debit-Debit where the balance is known to
/// cover both; everything else is ordered by stream position.
enum class AccessMode : std::uint8_t {
    read,
    add,    // commutative credit
    debit,  // checked commutative debit with a known upper bound
    write,  // read-modify-write
};
/// The weakest mode that allows what both allow, for a transaction that does both.
[[nodiscard]] AccessMode merge(AccessMode a, AccessMode b) noexcept;

struct Access {
    ObjectId object;
    AccessMode mode = AccessMode::read;
    friend bool operator==(const Access&, const Access&) = default;
};

/// Invariants: sorted by object; each object once, with the merged mode.
class ObjectSet {
public:
    ObjectSet() = default;
    /// Sorts and merges.
    explicit ObjectSet(std::vector<Access> accesses);

    [[nodiscard]] std::span<const Access> accesses() const noexcept { return accesses_; }
    [[nodiscard]] const Access* find(const ObjectId& object) const noexcept;
    friend bool operator==(const ObjectSet&, const ObjectSet&) = default;

private:
    std::vector<Access> accesses_;
};

}  // namespace heddle
