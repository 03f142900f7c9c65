// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A world under construction on top of a committed one: takes diffs as transactions finish and
// gives them all back as one. For making and tracing blocks; executing chains is the executor's
// business.
#pragma once

#include <types/state_diff.hpp>
#include <types/state_view.hpp>

#include <vm/mutable_state.hpp>

#include "chain/state_overlay.hpp"

namespace heddle::node {

/// Thread safety: none. `base` must outlive it and stay as it is until take_diff().
class OverlayState final : public vm::MutableState {
public:
    explicit OverlayState(const StateView& base) : base_(base) {}

    [[nodiscard]] std::optional<Account> account(const Address& address) const noexcept override {
        return overlay_.account(base_, address);
    }
    [[nodiscard]] Uint256 storage(const Address& address,
                                  const Uint256& slot) const noexcept override {
        return overlay_.storage(base_, address, slot);
    }
    /// See StateOverlay::has_storage().
    [[nodiscard]] bool has_storage(const Address& address) const noexcept override {
        return overlay_.has_storage(base_, address);
    }
    [[nodiscard]] BytesView code(const Hash& code_hash) const noexcept override {
        const Bytes* const code = overlay_.code(code_hash);
        return code == nullptr ? base_.code(code_hash) : BytesView(*code);
    }

    void apply(const StateDiff& diff) override { overlay_.apply(diff); }

    /// Everything applied since the last take_diff().
    [[nodiscard]] StateDiff diff() const { return overlay_.diff(); }
    /// Everything applied since the last call, ascending by address and slot; leaves the overlay
    /// empty.
    [[nodiscard]] StateDiff take_diff() { return overlay_.take_diff(); }

private:
    const StateView& base_;
    StateOverlay overlay_;
};

}  // namespace heddle::node
