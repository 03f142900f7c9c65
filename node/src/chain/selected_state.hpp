// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A block that somebody has chosen, and the state after it.
#pragma once

#include <memory>

#include <ledger/durable_ledger.hpp>

namespace heddle::node {

/// A block that is there.
struct SelectedBlock {
    ledger::StoredHeader header;
    /// It was asked for as "pending": the state after the head, and what the pool adds to it.
    bool is_pending = false;
};

struct SelectedState {
    SelectedBlock block;
    std::shared_ptr<const ledger::PastState> state;  // with others that ask for the same block
};

}  // namespace heddle::node
