// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// How near two processors are to each other. Parallel execution hands cache lines from one to the
// other with each transaction: where they share no cache, or a virtual machine's were moved apart,
// that takes several times as long, and nothing else shows it.
#pragma once

namespace heddle::measure {

/// Nanoseconds that a value which one thread writes takes to reach another one that waits for it,
/// wherever the system has the two run: the mean of the fastest few hundred in a row, as others may
/// have the processors meanwhile. Takes some milliseconds. 0: there is one processor only. Thread
/// safety: any.
[[nodiscard]] double handover_ns();

}  // namespace heddle::measure
