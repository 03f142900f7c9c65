// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The committed world state in memory, flat: accounts, their slots, code by hash. It knows nothing
// of tries; state_root.hpp turns it into a root.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include <types/account.hpp>
#include <types/address.hpp>
#include <types/bytes.hpp>
#include <types/genesis.hpp>
#include <types/hash.hpp>
#include <types/state_diff.hpp>
#include <types/state_view.hpp>
#include <types/uint256.hpp>

namespace heddle::ledger {

/// Thread safety: the reads of StateView (account, storage, has_storage, code) may come from any
/// number of threads, also while one other thread changes the state by set_account, set_storage,
/// set_code, add or apply: a reader sees all of such a change or nothing of it. Everything else
/// (copies, moves, inverse, counts, visits) excludes changes at the same time; the thread that
/// changes the state may do it, while others read.
/// Invariants: 1. no slot with value zero is held; 2. code, once there, is never moved or removed.
/// A moved-from object may only be assigned to or destroyed.
class MemoryState final : public StateView {
public:
    MemoryState();
    MemoryState(const MemoryState& other);
    MemoryState(MemoryState&&) noexcept;
    MemoryState& operator=(const MemoryState& other);
    MemoryState& operator=(MemoryState&&) noexcept;
    ~MemoryState() override;

    [[nodiscard]] std::optional<Account> account(const Address& address) const noexcept override;
    [[nodiscard]] Uint256 storage(const Address& address,
                                  const Uint256& slot) const noexcept override;
    /// O(1).
    [[nodiscard]] bool has_storage(const Address& address) const noexcept override;
    [[nodiscard]] BytesView code(const Hash& code_hash) const noexcept override;
    bool expect(std::span<const ObjectId> objects) const noexcept override;
    [[nodiscard]] bool is_in_memory() const noexcept override { return true; }

    /// Creates the account or replaces its fields; its storage stays.
    void set_account(const Address& address, const Account& account);
    /// Zero removes the slot. An account that does not exist is created empty.
    void set_storage(const Address& address, const Uint256& slot, const Uint256& value);
    /// `hash` is KEC(code); not checked, because callers have it.
    void set_code(const Hash& hash, BytesView code);
    /// Sets the account, its code and its slots.
    void add(const GenesisAccount& account);

    /// Applies the changes in the order that state_diff.hpp documents.
    void apply(const StateDiff& diff);
    /// The diff that leads back: apply(diff), then apply(inverse), changes nothing. Taken before
    /// `diff` is applied. Code is not taken back: it is content-addressed and does no harm.
    [[nodiscard]] StateDiff inverse(const StateDiff& diff) const;

    [[nodiscard]] std::size_t account_count() const noexcept;
    /// Number of non-zero slots; zero for an account that does not exist.
    [[nodiscard]] std::size_t storage_count(const Address& address) const noexcept;

    using AccountVisitor = std::function<void(const Address&, const Account&)>;
    using SlotVisitor = std::function<void(const Uint256& slot, const Uint256& value)>;
    /// Ascending by address; sorts first, so not for hot paths.
    void for_each_account(const AccountVisitor& visit) const;
    /// Ascending by slot; sorts first, so not for hot paths.
    void for_each_slot(const Address& address, const SlotVisitor& visit) const;

private:
    struct Tables;
    std::unique_ptr<Tables> tables_;
};

}  // namespace heddle::ledger
