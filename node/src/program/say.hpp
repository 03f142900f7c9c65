// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What is said to people: errors, notes and how far work has come, on standard error. Results are
// none of it. Where standard error is full, closed or read by nobody, what is said is lost and
// nothing else: whoever works goes on, and ends as it would have.
#pragma once

#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace heddle::node {

/// The same text without control characters: they are written as `\x1b`, but for line feeds and
/// tabulators; those from U+0080 to U+009F (two bytes of UTF-8) as well. A name in somebody's
/// genesis file must not move the cursor of who reads that it is wrong.
/// Errors: none. Thread safety: pure.
[[nodiscard]] std::string printable(std::string_view text);

/// The text as it is. Errors: none. Thread safety: any; one call is one piece.
void say_as_is(std::string_view text) noexcept;
/// The same, printable. Needs no memory of the heap where it is, which may be the trouble.
void say_printable(std::string_view text) noexcept;

/// Errors: none. Thread safety: any; one call is one piece.
template <typename... Args>
void say(fmt::format_string<Args...> format, Args&&... args) {
    fmt::memory_buffer text;  // short texts need no memory of the heap
    fmt::format_to(std::back_inserter(text), format, std::forward<Args>(args)...);
    say_printable({text.data(), text.size()});
}

}  // namespace heddle::node
