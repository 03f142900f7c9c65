// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "program/say.hpp"

#include <cstddef>
#include <cstdio>

namespace heddle::node {
namespace {

/// Bytes of the control character that `text` begins with; 0: it begins with something else.
std::size_t control_size(std::string_view text) noexcept {
    const auto first = static_cast<unsigned char>(text[0]);
    if ((first < 0x20 && first != '\n' && first != '\t') || first == 0x7f) return 1;
    if (first != 0xc2 || text.size() == 1) return 0;
    const auto second = static_cast<unsigned char>(text[1]);
    return second >= 0x80 && second < 0xa0 ? 2 : 0;
}

bool is_printable(std::string_view text) noexcept {
    for (; !text.empty(); text.remove_prefix(1))
        if (control_size(text) != 0) return false;
    return true;
}

}  // namespace

std::string printable(std::string_view text) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string result;
    result.reserve(text.size());
    while (!text.empty()) {
        const std::size_t size = control_size(text);
        if (size == 0) {
            result += text[0];
            text.remove_prefix(1);
            continue;
        }
        const auto code = static_cast<unsigned char>(text[size - 1]);
        result += {'\\', 'x', kDigits[code >> 4], kDigits[code & 0xf]};
        text.remove_prefix(size);
    }
    return result;
}

void say_as_is(std::string_view text) noexcept {
    (void)std::fwrite(text.data(), 1, text.size(), stderr);
}

void say_printable(std::string_view text) noexcept {
    if (is_printable(text)) return say_as_is(text);
    say_as_is(printable(text));
}

}  // namespace heddle::node
