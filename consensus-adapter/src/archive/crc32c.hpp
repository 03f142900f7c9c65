// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// CRC-32C (Castagnoli), as snappy's framing format masks it.
#pragma once

#include <cstdint>

#include <types/bytes.hpp>

namespace heddle::consensus_adapter {

[[nodiscard]] std::uint32_t crc32c(BytesView bytes) noexcept;

/// Rotated and offset, so that a checksum over data that holds checksums stays useful.
[[nodiscard]] inline std::uint32_t mask_crc(std::uint32_t crc) noexcept {
    return (crc >> 15 | crc << 17) + 0xa282ead8u;
}

}  // namespace heddle::consensus_adapter
