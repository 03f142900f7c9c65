// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The state after one of the source's blocks, for whoever wants to move along the chain.
#pragma once

#include <cstdint>
#include <mutex>
#include <utility>

#include <ledger/durable_ledger.hpp>

#include "chain/read_scope.hpp"
#include "forking/fork_source.hpp"

namespace heddle::node::forking {

/// Thread safety: as PastState.
class SourcePastState final : public ledger::PastState {
public:
    SourcePastState(const ForkSource& source, ForkSource::SharedState state)
        : source_(source), state_(std::move(state)) {}

    [[nodiscard]] std::optional<Account> account(const Address& address) const noexcept override {
        return now()->account(address);
    }
    [[nodiscard]] Uint256 storage(const Address& address,
                                  const Uint256& slot) const noexcept override {
        return now()->storage(address, slot);
    }
    [[nodiscard]] bool has_storage(const Address& address) const noexcept override {
        return now()->has_storage(address);
    }
    [[nodiscard]] BytesView code(const Hash& code_hash) const noexcept override {
        return now()->code(code_hash);
    }
    /// Not beyond the fork point: a state of the fork's own blocks is another one.
    void move_to(std::uint64_t number) noexcept override {
        if (number > source_.number())
            return ReadScope::fail("a state does not move from the source's blocks to the fork's");
        auto next = source_.shared_state(number);
        if (!next.has_value()) return ReadScope::fail(ledger::to_string(next.error()));
        const std::scoped_lock lock{mutex_};
        state_ = *std::move(next);
    }

private:
    [[nodiscard]] ForkSource::SharedState now() const {
        const std::scoped_lock lock{mutex_};
        return state_;
    }

    const ForkSource& source_;
    mutable std::mutex mutex_;
    ForkSource::SharedState state_;  // guarded by mutex_
};

}  // namespace heddle::node::forking
