// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "crc32c.hpp"

#include <array>

namespace heddle::consensus_adapter {

namespace {

constexpr std::uint32_t kPolynomial = 0x82f63b78;  // reflected

// Eight tables: table[k][b] is the effect of byte b followed by k zero bytes.
using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr Tables make_tables() {
    Tables tables{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t crc = byte;
        for (int bit = 0; bit < 8; ++bit)
            crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
        tables[0][byte] = crc;
    }
    for (std::uint32_t byte = 0; byte < 256; ++byte)
        for (std::size_t k = 1; k < 8; ++k)
            tables[k][byte] = (tables[k - 1][byte] >> 8) ^ tables[0][tables[k - 1][byte] & 0xff];
    return tables;
}

constexpr Tables kTables = make_tables();

}  // namespace

std::uint32_t crc32c(BytesView bytes) noexcept {
    std::uint32_t crc = 0xffffffff;
    while (bytes.size() >= 8) {
        std::uint32_t next = 0;
        for (std::size_t i = 0; i < 8; ++i) {
            const std::uint8_t low = i < 4 ? static_cast<std::uint8_t>(crc >> (8 * i)) : 0;
            next ^= kTables[7 - i][bytes[i] ^ low];
        }
        crc = next;
        bytes = bytes.subspan(8);
    }
    for (const std::uint8_t byte : bytes)
        crc = (crc >> 8) ^ kTables[0][(crc ^ byte) & 0xff];
    return ~crc;
}

}  // namespace heddle::consensus_adapter
