// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// How a process ends that gets no memory, or no thread: at once, with a line that says so. Work
// that has been begun is left as a crash would leave it, which everything on the disk survives;
// going on with half of a change in memory could give a wrong answer.
#pragma once

#include <exception>

namespace heddle::node {

/// Ends the process with ExitCode::no_memory. Needs no memory. Thread safety: any; the first of
/// several says it.
[[noreturn]] void end_for_scarcity() noexcept;

/// Whether this is what an exception says: std::bad_alloc, or a thread that was refused.
[[nodiscard]] bool is_scarcity(const std::exception& error) noexcept;

/// From now on all threads end the process so where operator new, or whatever asks
/// std::get_new_handler(), has no memory, where nobody handles an exception that says so, or where
/// a library aborts and there is no memory. Other exceptions that nobody handles are told, and
/// abort the process.
void end_where_resources_are_scarce() noexcept;

}  // namespace heddle::node
