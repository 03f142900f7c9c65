// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The caller's state as execution reads it: callbacks behind the interfaces of vm/types, with what
// went wrong kept for the end of the call.
#pragma once

#include <heddle.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string_view>

#include <types/state_diff.hpp>
#include <types/state_view.hpp>

#include "boundary.hpp"
#include "code_store.hpp"

namespace heddle::library {

/// The first callback that fails ends all of them: from then on reads give nothing, without asking,
/// and whatever is computed with that must be thrown away.
///
/// Thread safety: as the callbacks. Everything else is guarded.
class CallerState final : public StateView, public BlockHashes {
public:
    /// @param callbacks  Complete; its context outlives this.
    /// @param codes       Where code is looked for first; outlives this.
    /// @param on_failure  Called once, from the thread that failed. May be empty.
    CallerState(const heddle_state& callbacks, CodeStore& codes, std::function<void()> on_failure)
        : callbacks_(callbacks), codes_(codes), on_failure_(std::move(on_failure)) {}

    [[nodiscard]] std::optional<Account> account(const Address& address) const noexcept override;
    [[nodiscard]] Uint256 storage(const Address& address,
                                  const Uint256& slot) const noexcept override;
    [[nodiscard]] bool has_storage(const Address& address) const noexcept override;
    [[nodiscard]] BytesView code(const Hash& code_hash) const noexcept override;
    [[nodiscard]] Hash block_hash(std::uint64_t number) const noexcept override;

    [[nodiscard]] bool makes_roots() const noexcept { return callbacks_.state_root != nullptr; }
    /// Of the state with `diff` on top; nullopt where nobody makes roots, or that failed.
    [[nodiscard]] std::optional<Hash> state_root(const StateDiff& diff) const noexcept;

    [[nodiscard]] bool has_failed() const noexcept {
        return has_failed_.load(std::memory_order_acquire);  // pairs with fail()
    }
    /// After has_failed(), when nobody reads any more.
    [[nodiscard]] Failure failure() const;

private:
    /// @return whether all is well.
    [[nodiscard]] bool check(std::string_view callback, int result) const noexcept;
    void fail(Failure failure) const noexcept;
    [[nodiscard]] CodeStore::Code read_code(const Hash& code_hash) const noexcept;

    const heddle_state callbacks_;
    CodeStore& codes_;
    const std::function<void()> on_failure_;

    mutable std::atomic<bool> has_failed_ = false;
    mutable std::mutex mutex_;
    mutable std::optional<Failure> failure_;  // under the mutex
};

/// Errors: null, a size that is none, a callback that is needed and missing.
[[nodiscard]] Result<heddle_state> take_state(const heddle_state* state);

}  // namespace heddle::library
