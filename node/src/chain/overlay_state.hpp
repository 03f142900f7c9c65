// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A world under construction on top of a committed one: takes diffs as transactions finish and
// gives them all back as one. For making and tracing blocks; executing chains is the executor's
// business.
#pragma once

#include <unordered_map>

#include <types/state_diff.hpp>
#include <types/state_view.hpp>

#include <vm/mutable_state.hpp>

namespace heddle::node {

/// Thread safety: none. `base` must outlive it and stay as it is until take_diff().
class OverlayState final : public vm::MutableState {
public:
    explicit OverlayState(const StateView& base) : base_(base) {}

    [[nodiscard]] std::optional<Account> account(const Address& address) const noexcept override;
    [[nodiscard]] Uint256 storage(const Address& address,
                                  const Uint256& slot) const noexcept override;
    /// Exact but for one case that no fork can reach: every slot of an account without code and
    /// nonce was cleared one by one.
    [[nodiscard]] bool has_storage(const Address& address) const noexcept override;
    [[nodiscard]] BytesView code(const Hash& code_hash) const noexcept override;

    void apply(const StateDiff& diff) override;

    /// Everything applied since the last call, ascending by address and slot; leaves the overlay
    /// empty.
    [[nodiscard]] StateDiff take_diff();

private:
    struct Entry {
        std::optional<Account> account;
        bool is_storage_cleared = false;
        std::unordered_map<Uint256, Uint256, Uint256Hasher> slots;
    };

    const StateView& base_;
    std::unordered_map<Address, Entry, AddressHasher> entries_;
    std::unordered_map<Hash, Bytes, HashHasher> codes_;
};

}  // namespace heddle::node
