// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Changes of accounts, slots and code that lie on top of some state: which one, whoever reads says.
#pragma once

#include <cstddef>
#include <expected>
#include <memory>
#include <optional>
#include <unordered_map>

#include <ledger/durable_ledger.hpp>
#include <types/state_diff.hpp>
#include <types/state_view.hpp>

namespace heddle::node {

/// Thread safety: reads concurrently while nobody applies anything.
class StateOverlay {
public:
    // As StateView has them, of what lies on top of `base`.
    [[nodiscard]] std::optional<Account> account(const StateView& base,
                                                 const Address& address) const noexcept;
    [[nodiscard]] Uint256 storage(const StateView& base, const Address& address,
                                  const Uint256& slot) const noexcept;
    /// Exact but for one case that no fork can reach: every slot of an account without code and
    /// nonce was cleared one by one.
    [[nodiscard]] bool has_storage(const StateView& base, const Address& address) const noexcept;
    /// nullptr: it is not here.
    [[nodiscard]] const Bytes* code(const Hash& code_hash) const noexcept;

    /// As PastState has it, of what lies on top of `base`.
    [[nodiscard]] std::expected<void, ledger::LedgerError> visit_slots(
        const ledger::PastState& base, const ledger::AccountKey& account, const Hash& from,
        const ledger::PastState::VisitSlot& visit) const;

    void apply(const StateDiff& diff);
    /// About how much memory it takes, from above. O(1).
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
    [[nodiscard]] bool empty() const noexcept { return entries_.empty() && codes_.empty(); }
    /// Everything applied, ascending by address and slot.
    [[nodiscard]] StateDiff diff() const;
    /// The same; leaves the overlay empty.
    [[nodiscard]] StateDiff take_diff();

private:
    struct Entry {
        std::optional<Account> account;
        bool is_storage_cleared = false;
        std::unordered_map<Uint256, Uint256, Uint256Hasher> slots;
    };

    std::unordered_map<Address, Entry, AddressHasher> entries_;
    std::unordered_map<Hash, Bytes, HashHasher> codes_;
    std::size_t bytes_ = 0;
};
/// Shared by the chain and states that were handed out.
using SharedOverlay = std::shared_ptr<const StateOverlay>;

}  // namespace heddle::node
