// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The state that a block leaves, from the one before it and what it changes: for who looks at it
// when those who execute have gone on.
#pragma once

#include <cstdint>
#include <optional>

#include <types/hash_index.hpp>
#include <types/state_diff.hpp>
#include <types/state_view.hpp>

namespace heddle::executor {

/// Accounts and codes are found at once; a slot by going through those that change in its account.
/// Thread safety: none.
class StateAfter final : public StateView {
public:
    /// @param before  Both stay until the last question.
    /// @param diff    With each account and each code once.
    void attach(const StateView& before, const StateDiff& diff);

    [[nodiscard]] std::optional<Account> account(const Address& address) const noexcept override;
    [[nodiscard]] Uint256 storage(const Address& address,
                                  const Uint256& slot) const noexcept override;
    [[nodiscard]] bool has_storage(const Address& address) const noexcept override;
    [[nodiscard]] BytesView code(const Hash& code_hash) const noexcept override;

private:
    /// Null: it is as before.
    [[nodiscard]] const AccountChange* find(const Address& address) const noexcept;

    const StateView* before_ = nullptr;
    const StateDiff* diff_ = nullptr;
    HashIndex<> index_;  // of the diff's accounts
    HashIndex<>
        codes_;  // of its codes: a block may set thousands (EIP-7702), and each is asked for
};

}  // namespace heddle::executor
