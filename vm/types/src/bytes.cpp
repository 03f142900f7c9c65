// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/bytes.hpp>

#include <cstring>

namespace heddle {

namespace {

// 0 to 15, or 255 for a character that is no hexadecimal digit.
constexpr std::uint8_t nibble(char c) noexcept {
    if (c >= '0' && c <= '9') return static_cast<std::uint8_t>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<std::uint8_t>(c - 'a' + 10);
    if (c >= 'A' && c <= 'F') return static_cast<std::uint8_t>(c - 'A' + 10);
    return 255;
}

constexpr std::string_view without_prefix(std::string_view text) noexcept {
    return text.starts_with("0x") || text.starts_with("0X") ? text.substr(2) : text;
}

bool decode_digits(std::string_view digits, std::uint8_t* out) noexcept {
    for (std::size_t i = 0; i < digits.size() / 2; ++i) {
        const std::uint8_t high = nibble(digits[2 * i]);
        const std::uint8_t low = nibble(digits[2 * i + 1]);
        if ((high | low) > 15) return false;
        out[i] = static_cast<std::uint8_t>(high << 4 | low);
    }
    return true;
}

}  // namespace

std::string to_hex(BytesView bytes) {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    text.resize(2 + 2 * bytes.size());
    text[0] = '0';
    text[1] = 'x';
    std::size_t position = 2;
    for (const std::uint8_t byte : bytes) {
        text[position++] = kDigits[byte >> 4];
        text[position++] = kDigits[byte & 15];
    }
    return text;
}

std::optional<Bytes> from_hex(std::string_view text) {
    const std::string_view digits = without_prefix(text);
    if (digits.size() % 2 != 0) return std::nullopt;
    Bytes bytes(digits.size() / 2);
    if (!decode_digits(digits, bytes.data())) return std::nullopt;
    return bytes;
}

bool decode_hex(std::string_view text, std::span<std::uint8_t> out) noexcept {
    const std::string_view digits = without_prefix(text);
    return digits.size() == 2 * out.size() && decode_digits(digits, out.data());
}

bool equal(BytesView a, BytesView b) noexcept {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

}  // namespace heddle
