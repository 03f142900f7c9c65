// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What an execution read and how it wrote: recorded exactly by the host, field by field, so that
// whoever ran it can tell what it depends on, and which of its balance moves commute.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <types/address.hpp>
#include <types/object.hpp>
#include <types/uint256.hpp>

namespace heddle::vm {

/// How a field was accessed. A failed call's accesses count like any other.
enum class FieldAccess : std::uint8_t {
    none,
    read,
    add,    // only credited; nothing depends on the amount that was there
    debit,  // only moved, and every check of cover came out "covered"
    write,  // read and changed; what came back to what it was is only read
};

/// One account that the execution has asked its view for.
struct AccountAccess {
    Address address;
    FieldAccess balance = FieldAccess::none;
    FieldAccess nonce = FieldAccess::none;
    /// Code, existence and incarnation, and whether it is dead (EIP-161). Written also where an
    /// empty account gets a balance, which then counts as written too: both come out of nothing.
    /// `none` only for a beneficiary that got its fee and no more, even if that brought it to life.
    FieldAccess code = FieldAccess::read;
    /// Read: a slot was accessed, or it was asked whether there is any. Write: created or
    /// destroyed.
    FieldAccess storage_all = FieldAccess::none;
    /// Wei that the view gave. Without meaning to the execution unless `balance` is read or write.
    Uint256 seen_balance;
    /// Least balance at the start, in wei, with which every check of cover would have come out as
    /// it did. Zero where none was made.
    Uint256 required_balance;
    /// Which values are others after the execution than before it, however they came about. A fee
    /// that was deferred (Outcome::deferred_fee) is left out.
    bool changes_balance = false;
    bool changes_nonce = false;
    bool changes_code = false;
    friend bool operator==(const AccountAccess&, const AccountAccess&) = default;
};

/// One slot that the execution has asked its view for.
struct SlotAccess {
    Uint256 slot;
    std::uint32_t account = 0;  // index in AccessRecord::accounts
    bool is_written = false;    // and did not come back to what it was
    friend bool operator==(const SlotAccess&, const SlotAccess&) = default;
};

/// What a block access list lists (EIP-7928): from Amsterdam on nothing is in the record but what
/// the rules call an access, reverted or not, for the view is asked for nothing that has not been
/// paid for as far as its price can be known without it. Listed are all of `accounts`, those
/// without any change too, and who gets a deferred fee, who is in no record; all of `slots` and
/// `fresh_slots`, as changed where `is_written` and else as read. New values are in the diff. A
/// self-destructed contract writes no slots.
///
/// Invariants: (1) accounts[i] is the i-th account that the view was asked for, slots[i] the i-th
/// slot; (2) changed_accounts is parallel to the diff's accounts, changed_slots to their storage,
/// one account after the other.
struct AccessRecord {
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};

    std::vector<AccountAccess> accounts;
    std::vector<SlotAccess> slots;
    std::vector<std::uint32_t> changed_accounts;  // index in `accounts`
    /// Index in `slots`; kNone: of a contract that the execution created, whose slots are zero
    /// without asking.
    std::vector<std::uint32_t> changed_slots;
    /// Slots of contracts that the execution created, accessed without asking the view, in the
    /// order in which they came up. From Amsterdam on.
    std::vector<SlotAccess> fresh_slots;

    void clear() noexcept;
    /// The same as an object set.
    /// @param beneficiary  Where a fee was deferred (Outcome::deferred_fee): Add to its balance.
    [[nodiscard]] ObjectSet object_set(const std::optional<Address>& beneficiary = {}) const;
    friend bool operator==(const AccessRecord&, const AccessRecord&) = default;
};

}  // namespace heddle::vm
