// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The processors that the process may use: fewer than the machine has where somebody has given it
// some of them only (taskset, the cpuset of a container). What runs on them is not this file's
// business.
#pragma once

#include <optional>

namespace heddle {

/// As many as the process was given when one of these was first asked, whatever single threads have
/// been bound to since; at least one. Thread safety: any.
[[nodiscard]] unsigned processor_count() noexcept;

/// What the system calls the `number`-th of them, counted from 0 and around; none where it does not
/// say. Thread safety: any.
[[nodiscard]] std::optional<unsigned> processor_id(unsigned number) noexcept;

}  // namespace heddle
