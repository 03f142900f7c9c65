// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The processors that the process may use: fewer than the machine has where somebody has given it
// some of them only (taskset, the cpuset of a container).
#pragma once

namespace heddle::executor {

/// As many as the process was given when this was first asked, or a thread first bound; at least
/// one. Thread safety: any.
[[nodiscard]] unsigned processor_count() noexcept;

}  // namespace heddle::executor
