// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "formats/revert_reason.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <types/text_bytes.hpp>
#include <types/uint256.hpp>

#include "formats/utf8.hpp"

namespace heddle::node {
namespace {

constexpr std::array<std::uint8_t, 4> kErrorSelector{0x08, 0xc3, 0x79, 0xa0};
constexpr std::array<std::uint8_t, 4> kPanicSelector{0x4e, 0x48, 0x7b, 0x71};
constexpr std::size_t kWord = 32;

/// Solidity's Panic codes.
constexpr std::pair<std::uint64_t, std::string_view> kPanics[] = {
    {0x00, "generic panic"},
    {0x01, "assert(false)"},
    {0x11, "arithmetic underflow or overflow"},
    {0x12, "division or modulo by zero"},
    {0x21, "enum overflow"},
    {0x22, "invalid encoded storage byte array accessed"},
    {0x31, "out-of-bounds array access; popping on an empty array"},
    {0x32, "out-of-bounds access of an array or bytesN"},
    {0x41, "out of memory"},
    {0x51, "uninitialized function"},
};

/// The only argument, a string, as the ABI encodes it.
std::optional<std::string> decode_string(BytesView data) {
    if (data.size() < kWord) return std::nullopt;
    const Uint256 offset = load_be(data.data());
    if (offset > Uint256{data.size() - kWord}) return std::nullopt;
    const BytesView rest = data.subspan(offset.low64());
    const Uint256 length = load_be(rest.data());
    if (length > Uint256{rest.size() - kWord}) return std::nullopt;
    const BytesView text = rest.subspan(kWord, length.low64());
    return to_utf8(text_of(text));
}

std::optional<std::string> decode_panic(BytesView data) {
    if (data.size() < kWord) return std::nullopt;
    const Uint256 code = load_be(data.data());
    for (const auto& [known, text] : kPanics)
        if (code == Uint256{known}) return std::string(text);
    return fmt::format("unknown panic code: {}", to_hex(code));
}

}  // namespace

std::optional<std::string> revert_reason(BytesView data) {
    if (data.size() < kErrorSelector.size()) return std::nullopt;
    const BytesView selector = data.first(kErrorSelector.size());
    const BytesView arguments = data.subspan(kErrorSelector.size());
    if (std::ranges::equal(selector, kErrorSelector)) return decode_string(arguments);
    if (std::ranges::equal(selector, kPanicSelector)) return decode_panic(arguments);
    return std::nullopt;
}

}  // namespace heddle::node
