// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Assertions that stay on in release builds, for broken invariants (programming errors) only;
// errors of the outside world are values (expected.hpp).
#pragma once

namespace heddle {

/// Prints the message and its location to standard error and aborts the process.
/// For a lost environment (a state read that failed) or a broken invariant: going on could commit
/// a wrong state root.
[[noreturn]] void fatal(const char* message, const char* file, int line) noexcept;

}  // namespace heddle

/// Always on. Aborts with the condition and its location.
#define HEDDLE_ASSERT(condition) \
    ((condition) ? static_cast<void>(0) : ::heddle::fatal(#condition, __FILE__, __LINE__))

/// Debug builds only: for checks that are too dear for the hot path.
#ifdef NDEBUG
#define HEDDLE_DASSERT(condition) static_cast<void>(sizeof(!(condition)))
#else
#define HEDDLE_DASSERT(condition) HEDDLE_ASSERT(condition)
#endif
