// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The sidecar's bytes, as consensus_adapter/sidecar.hpp describes them, for writer and reader.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <types/bytes.hpp>

namespace heddle::consensus_adapter {

inline constexpr std::array<std::uint8_t, 8> kSidecarMagic = {0x89, 'H', 'D', 'L',
                                                              'S',  'E', 'T', 'S'};
inline constexpr std::size_t kSidecarHeadBytes = 12;
/// Of a record: number, hash, size.
inline constexpr std::size_t kRecordHeadBytes = 44;
inline constexpr std::size_t kChecksumBytes = 4;

template <typename Integer>
void append_le(Integer value, Bytes& out) {
    for (std::size_t i = 0; i < sizeof value; ++i)
        out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

template <typename Integer>
[[nodiscard]] Integer load_le(const std::uint8_t* bytes) noexcept {
    Integer value = 0;
    for (std::size_t i = sizeof value; i-- > 0;)
        value = static_cast<Integer>(value << 8 | bytes[i]);
    return value;
}

}  // namespace heddle::consensus_adapter
