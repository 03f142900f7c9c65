// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Contracts that a block calls itself.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include <types/address.hpp>
#include <types/hash.hpp>

namespace heddle::vm {

namespace detail {
consteval Address address_literal(std::string_view digits) {
    // A hash literal whose last 20 bytes are the address.
    std::array<char, 64> padded{};
    padded.fill('0');
    std::copy(digits.begin(), digits.end(), padded.begin() + 24);
    const Hash hash = heddle::detail::hash_literal({padded.data(), padded.size()});
    Address address;
    std::copy(hash.bytes.begin() + 12, hash.bytes.end(), address.bytes.begin());
    return address;
}
}  // namespace detail

/// EIP-4788.
inline constexpr Address kBeaconRootsAddress =
    detail::address_literal("000f3df6d732807ef1319fb7b8bb8522d0beac02");
/// EIP-2935.
inline constexpr Address kHistoryStorageAddress =
    detail::address_literal("0000f90827f1c53a10cb7a02335b175320002935");
/// EIP-7002.
inline constexpr Address kWithdrawalRequestAddress =
    detail::address_literal("00000961ef480eb55e80d19ad83579a64c007002");
/// EIP-7251.
inline constexpr Address kConsolidationRequestAddress =
    detail::address_literal("0000bbddc7ce488642fb579f8b00f3a590007251");

}  // namespace heddle::vm
