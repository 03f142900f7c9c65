// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Text of others, of which nobody knows that it is UTF-8: names of files, what contracts say.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace heddle::node {

/// The text without the byte-order mark that some editors put before UTF-8.
[[nodiscard]] constexpr std::string_view without_byte_order_mark(std::string_view text) noexcept {
    constexpr std::string_view kMark = "\xEF\xBB\xBF";
    return text.substr(text.starts_with(kMark) ? kMark.size() : 0);
}

/// Length of the UTF-8 sequence at the start of `text`, which is not empty; 0: it is none.
[[nodiscard]] std::size_t utf8_length(std::string_view text) noexcept;

/// The text with what is no UTF-8 replaced by U+FFFD, so that it may stand in JSON.
[[nodiscard]] std::string to_utf8(std::string_view text);

}  // namespace heddle::node
