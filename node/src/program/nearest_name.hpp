// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What somebody may have meant who typed a name that there is not.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace heddle::node {

/// The one of `names` that `typed` begins, or that differs from it by few letters: a third of what
/// was typed, one at least. Empty where none does.
[[nodiscard]] std::string nearest_name(std::string_view typed, std::span<const std::string> names);

/// The one of `options` that somebody may have meant who typed `typed`: with one dash too few, with
/// other marks between its words, with more words in front, as another program calls it, or with a
/// slip. Empty where there is none.
///
/// @param typed      With its dashes; one dash and one letter is like nothing else.
/// @param options    With their dashes, as `--rpc-port`.
[[nodiscard]] std::string nearest_option(std::string_view typed,
                                         std::span<const std::string> options);

/// `text`, and whether `nearest` was meant, unless that is empty.
[[nodiscard]] std::string with_guess(std::string text, std::string_view nearest);

}  // namespace heddle::node
