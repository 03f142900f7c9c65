// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The world while a block runs.
#pragma once

#include <types/state_diff.hpp>
#include <types/state_view.hpp>

namespace heddle::vm {

/// State under construction: a view that takes the diffs of what has run so far. What a block has
/// changed altogether is asked of whoever owns the state.
class MutableState : public StateView {
public:
    virtual void apply(const StateDiff& diff) = 0;
};

}  // namespace heddle::vm
