// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Byte strings and their hexadecimal text. Fixed-size values have their own types (address.hpp,
// hash.hpp, uint256.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

using Bytes = std::vector<std::uint8_t>;
using BytesView = std::span<const std::uint8_t>;

/// Lower-case hexadecimal text with the prefix `0x`.
[[nodiscard]] std::string to_hex(BytesView bytes);

/// Decodes hexadecimal text of an even number of digits, with or without `0x`, any case.
/// @return nullopt when a character is no digit or the number of digits is odd.
[[nodiscard]] std::optional<Bytes> from_hex(std::string_view text);

/// Decodes exactly `out.size()` bytes; same syntax as from_hex(). On failure `out` is unspecified.
[[nodiscard]] bool decode_hex(std::string_view text, std::span<std::uint8_t> out) noexcept;

[[nodiscard]] bool equal(BytesView a, BytesView b) noexcept;

}  // namespace heddle
