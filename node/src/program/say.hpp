// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What is said to people: errors, notes and how far work has come, on standard error. Results are
// none of it. Where standard error is full, closed or read by nobody, what is said is lost and
// nothing else: whoever works goes on, and ends as it would have.
#pragma once

#include <cstdio>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace heddle::node {

/// Errors: none. Thread safety: any; one call is one piece.
template <typename... Args>
void say(fmt::format_string<Args...> format, Args&&... args) {
    fmt::memory_buffer text;  // short texts need no memory of the heap, which may be the trouble
    fmt::format_to(std::back_inserter(text), format, std::forward<Args>(args)...);
    (void)std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace heddle::node
