// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether an attempt still holds, asked ahead of its turn: by whoever alone has it, while
// transactions before it are in flight. The answer only saves work; what counts is what the
// committer finds (CommittedState::overtaken_by()).
#pragma once

#include <types/transaction.hpp>

#include "state/attempt.hpp"
#include "state/estimates.hpp"
#include "state/versioned_state.hpp"

namespace heddle::executor {

/// An account of which something that the attempt depends on now has another value before its place
/// than it saw, or one that is going to be replaced. Null: there is none. Moved balances are not
/// looked at: deltas show at commit only.
///
/// Thread safety: any, as long as nobody changes `attempt`.
/// Complexity: one look into a cell for each account and slot that it has read.
[[nodiscard]] AccountCell* overtaken_ahead(const VersionedState& state, const Attempt& attempt,
                                           const Transaction& tx, Stamp limit,
                                           const Estimates& estimates) noexcept;

/// Whether all that `now` has published was published by `before` too, place by place: who has read
/// none of these places before need not look again. A false no costs looks only.
/// Complexity: linear in what they changed.
[[nodiscard]] bool writes_same_places(const Attempt& before, const Attempt& now) noexcept;

}  // namespace heddle::executor
