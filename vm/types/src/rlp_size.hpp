// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// How many bytes encodings take (YP App. B), for lists whose prefix is written before their items:
// then nothing has to be moved to make room for it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include <types/bytes.hpp>

namespace heddle::rlp {

/// Of a list with a payload of so many bytes, prefix included; and of a string of so many, but for
/// a single byte that stands for itself.
[[nodiscard]] constexpr std::size_t size_with_prefix(std::size_t payload_size) noexcept {
    if (payload_size <= 55) return 1 + payload_size;
    return 1 + (static_cast<std::size_t>(std::bit_width(payload_size)) + 7) / 8 + payload_size;
}
[[nodiscard]] constexpr std::size_t size_of(BytesView string) noexcept {
    return string.size() == 1 && string[0] < 0x80 ? 1 : size_with_prefix(string.size());
}
[[nodiscard]] constexpr std::size_t size_of(std::uint64_t value) noexcept {
    if (value < 0x80) return 1;
    return 1 + (static_cast<std::size_t>(std::bit_width(value)) + 7) / 8;
}

}  // namespace heddle::rlp
