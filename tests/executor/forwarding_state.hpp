// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A state that shows another one, for tests that watch some of its reads.
#pragma once

#include <optional>

#include <types/state_view.hpp>

namespace heddle::executor::test {

/// Thread safety: as of the other one, which outlives it.
class ForwardingState : public StateView {
public:
    explicit ForwardingState(const StateView& state) : state_(state) {}

    [[nodiscard]] std::optional<Account> account(const Address& address) const noexcept override {
        return state_.account(address);
    }
    [[nodiscard]] Uint256 storage(const Address& address,
                                  const Uint256& slot) const noexcept override {
        return state_.storage(address, slot);
    }
    [[nodiscard]] bool has_storage(const Address& address) const noexcept override {
        return state_.has_storage(address);
    }
    [[nodiscard]] BytesView code(const Hash& code_hash) const noexcept override {
        return state_.code(code_hash);
    }

private:
    const StateView& state_;
};

}  // namespace heddle::executor::test
