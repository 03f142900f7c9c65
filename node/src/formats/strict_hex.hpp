// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Values in JSON, as strict as geth is about how parameters of JSON-RPC are written. Text of other
// dialects (genesis files, fixtures) is read by JsonView itself, which is generous.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <types/address.hpp>
#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/uint256.hpp>

#include "formats/json.hpp"

namespace heddle::node {

// Errors of all of these: InputError with one sentence, which does not name the place.

/// A number: `0x` and digits without leading zeros. An empty text is zero, as for geth: some
/// wallets and pages write so what was not filled in.
[[nodiscard]] std::uint64_t to_uint64(const JsonView& value);
/// The same up to 256 bits.
[[nodiscard]] Uint256 to_uint256(const JsonView& value);
/// The same of a block's number, which no empty text names.
[[nodiscard]] std::uint64_t to_block_number(const JsonView& value);
/// `0x` and an even number of digits; none in an empty text.
[[nodiscard]] Bytes to_bytes(const JsonView& value);
/// `0x` and exactly as many digits as it takes.
[[nodiscard]] Hash to_hash32(const JsonView& value);
[[nodiscard]] Address to_address(const JsonView& value);
[[nodiscard]] Address to_address(std::string_view text);
/// @param name  What it is, for the error: "a blob".
[[nodiscard]] Bytes to_fixed_bytes(const JsonView& value, std::size_t size, std::string_view name);
[[nodiscard]] bool to_bool(const JsonView& value);

/// Whether the text begins with `0x` or `0X`.
[[nodiscard]] bool has_hex_prefix(std::string_view text) noexcept;
/// What a digit stands for; nullopt: it is none.
[[nodiscard]] std::optional<std::uint8_t> hex_digit(char c) noexcept;

}  // namespace heddle::node
