// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "tracing/transaction_tracer.hpp"

namespace heddle::node {

const vm::OpcodeSet& no_steps() noexcept {
    static const vm::OpcodeSet none;
    return none;
}

}  // namespace heddle::node
