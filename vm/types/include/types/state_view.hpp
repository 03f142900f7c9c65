// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Reading the world. One of the two interfaces by which executor and ledger know each other.
#pragma once

#include <optional>
#include <span>

#include <types/account.hpp>
#include <types/address.hpp>
#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/uint256.hpp>

namespace heddle {

class ObjectSet;
struct ObjectId;

/// Read-only world state σ (YP 4.1) as it stands at one place of the serial order.
///
/// Thread safety: implementations say so; every implementation allows concurrent reads as long as
/// nobody applies changes at the same time.
/// Errors: none. An implementation that cannot read its storage calls fatal(): a failed read must
/// never become a wrong state root.
class StateView {
public:
    virtual ~StateView() = default;

    /// nullopt: the account does not exist.
    [[nodiscard]] virtual std::optional<Account> account(const Address& address) const noexcept = 0;

    /// Zero for a slot never written and for an account that does not exist.
    [[nodiscard]] virtual Uint256 storage(const Address& address,
                                          const Uint256& slot) const noexcept = 0;

    /// Whether any slot of the account is non-zero (EIP-7610).
    [[nodiscard]] virtual bool has_storage(const Address& address) const noexcept = 0;

    /// Code by its hash. What is returned stays valid until the calling thread asks for code again,
    /// of whatever state: code may be many, and is not kept for whoever has once asked. Empty for
    /// kEmptyCodeHash; an unknown hash is fatal().
    [[nodiscard]] virtual BytesView code(const Hash& code_hash) const noexcept = 0;

    /// These objects will be read soon: one that has to fetch them from somewhere may begin,
    /// without keeping the caller. Only a hint; the default does nothing.
    virtual void prefetch(const ObjectSet& objects) const noexcept { (void)objects; }

    /// These objects will be read within some microseconds: one that has them in memory may ask for
    /// their cache lines, which come while the caller does something else. Only a hint, which takes
    /// a part of what reading takes; the default does nothing.
    /// @return whether it is worth while to ask for others.
    virtual bool expect(std::span<const ObjectId> objects) const noexcept {
        (void)objects;
        return false;
    }

    /// Whether all of these can be read without waiting, as far as is known at once. Whoever would
    /// have to put together many objects for prefetch() asks for a few of them first.
    [[nodiscard]] virtual bool are_at_hand(std::span<const ObjectId> objects) const noexcept {
        (void)objects;
        return true;
    }

    /// Whether nothing that is read, whatever it is, is waited for.
    [[nodiscard]] virtual bool is_in_memory() const noexcept { return false; }
};

/// Hashes of earlier blocks (BLOCKHASH, YP 9.4.2). `number` is below the current block's number and
/// at most 256 below it.
class BlockHashes {
public:
    virtual ~BlockHashes() = default;
    [[nodiscard]] virtual Hash block_hash(std::uint64_t number) const noexcept = 0;
};

}  // namespace heddle
