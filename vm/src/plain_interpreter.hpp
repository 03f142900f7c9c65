// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The plain interpreter: one byte at a time, every check at every instruction. The oracle of the
// fast one, and the one that can be watched.
#pragma once

#include <vm/tracer.hpp>

#include "frame.hpp"

namespace heddle::vm {

/// Runs `frame` from `frame.pc` until it ends or asks for a call. `tracer` may be null.
void run_plain(Frame& frame, Tracer* tracer) noexcept;

}  // namespace heddle::vm
