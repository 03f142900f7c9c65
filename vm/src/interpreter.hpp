// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The fast interpreter (YP 9.4: Ξ): decoded instructions, gas and stack checked once a basic block,
// threaded dispatch.
#pragma once

#include "frame.hpp"

namespace heddle::vm {

/// Runs `frame` from `frame.ip` until it ends or asks for a call.
void run_fast(Frame& frame) noexcept;

}  // namespace heddle::vm
