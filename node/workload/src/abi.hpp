// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Call data and storage slots as Solidity lays them out.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>

#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/uint256.hpp>

namespace heddle::workload {

inline void append_word(const Uint256& word, Bytes& out) {
    out.resize(out.size() + 32);
    store_be(word, out.data() + out.size() - 32);
}

/// Selector and static arguments.
[[nodiscard]] inline Bytes encode_call(std::uint32_t selector,
                                       std::initializer_list<Uint256> arguments) {
    Bytes data;
    data.reserve(4 + 32 * arguments.size());
    for (int shift = 24; shift >= 0; shift -= 8)
        data.push_back(static_cast<std::uint8_t>(selector >> shift));
    for (const Uint256& argument : arguments)
        append_word(argument, data);
    return data;
}

/// Slot of `mapping[key]` for a mapping at `slot`.
[[nodiscard]] inline Uint256 mapping_slot(const Uint256& key, const Uint256& slot) {
    std::array<std::uint8_t, 64> preimage{};
    store_be(key, preimage.data());
    store_be(slot, preimage.data() + 32);
    return to_word(keccak256(preimage));
}

}  // namespace heddle::workload
