// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "formats/strict_hex.hpp"

#include <cstddef>
#include <span>

#include "program/error.hpp"

namespace heddle::node {
namespace {

std::string_view text_of(const JsonView& value) {
    if (!value.is_string()) fail_input("expected a hex string");
    return value.string();
}

/// What follows the prefix.
std::string_view digits_of(std::string_view text) {
    if (text.empty()) fail_input("empty hex string");
    if (!has_hex_prefix(text)) fail_input("hex string without 0x prefix");
    return text.substr(2);
}

/// @param most_digits  How many fit.
Uint256 number_of(std::string_view digits, std::size_t most_digits) {
    if (digits.empty()) fail_input("hex string \"0x\"");
    if (digits.size() > 1 && digits[0] == '0') fail_input("hex number with leading zero digits");
    if (digits.size() > most_digits) fail_input("hex number > {} bits", 4 * most_digits);
    Uint256 number;
    for (const char c : digits) {
        const auto digit = hex_digit(c);
        if (!digit.has_value()) fail_input("invalid hex string");
        number = number << 4 | Uint256{*digit};
    }
    return number;
}

void decode_fixed(std::string_view text, std::span<std::uint8_t> out, std::string_view what) {
    const std::string_view digits = digits_of(text);
    if (digits.size() % 2 != 0) fail_input("hex string of odd length");
    if (digits.size() != 2 * out.size())
        fail_input("hex string has length {}, want {} for {}", digits.size(), 2 * out.size(), what);
    if (!decode_hex(digits, out)) fail_input("invalid hex string");
}

}  // namespace

std::uint64_t to_uint64(const JsonView& value) {
    return text_of(value).empty() ? 0 : to_block_number(value);
}

Uint256 to_uint256(const JsonView& value) {
    const std::string_view text = text_of(value);
    return text.empty() ? Uint256{} : number_of(digits_of(text), 64);
}

std::uint64_t to_block_number(const JsonView& value) {
    return number_of(digits_of(text_of(value)), 16).low64();
}

Bytes to_bytes(const JsonView& value) {
    const std::string_view text = text_of(value);
    if (text.empty()) return {};  // as some wallets write that there is no data
    const std::string_view digits = digits_of(text);
    if (digits.size() % 2 != 0) fail_input("hex string of odd length");
    Bytes bytes(digits.size() / 2);
    if (!decode_hex(digits, bytes)) fail_input("invalid hex string");
    return bytes;
}

Hash to_hash32(const JsonView& value) {
    Hash hash;
    decode_fixed(text_of(value), hash.bytes, "a hash");
    return hash;
}

Bytes to_fixed_bytes(const JsonView& value, std::size_t size, std::string_view name) {
    Bytes bytes(size);
    decode_fixed(text_of(value), bytes, name);
    return bytes;
}

Address to_address(const JsonView& value) {
    return to_address(text_of(value));
}

Address to_address(std::string_view text) {
    Address address;
    decode_fixed(text, address.bytes, "an address");
    return address;
}

bool to_bool(const JsonView& value) {
    if (!value.is_boolean()) fail_input("expected true or false");
    return value.boolean();
}

bool has_hex_prefix(std::string_view text) noexcept {
    return text.size() >= 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

std::optional<std::uint8_t> hex_digit(char c) noexcept {
    if (c >= '0' && c <= '9') return static_cast<std::uint8_t>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<std::uint8_t>(c - 'a' + 10);
    if (c >= 'A' && c <= 'F') return static_cast<std::uint8_t>(c - 'A' + 10);
    return std::nullopt;
}

}  // namespace heddle::node
