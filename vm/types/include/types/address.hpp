// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The 160-bit account identifier and the addresses that transactions and creations derive.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include <types/bytes.hpp>
#include <types/keyed_hash.hpp>
#include <types/uint256.hpp>

namespace heddle {

struct Hash;

struct Address {
    std::array<std::uint8_t, 20> bytes{};

    friend constexpr auto operator<=>(const Address&, const Address&) = default;
    [[nodiscard]] constexpr bool is_zero() const noexcept { return *this == Address{}; }
    [[nodiscard]] BytesView view() const noexcept { return bytes; }
};

/// `0x` and 40 lower-case digits.
[[nodiscard]] std::string to_string(const Address& address);

/// The mixed-case checksummed text (EIP-55).
[[nodiscard]] std::string to_checksum_string(const Address& address);

/// Exactly 40 digits, with or without `0x`; case is not checked.
[[nodiscard]] std::optional<Address> address_from_hex(std::string_view text) noexcept;

/// Address literal for constants: the low 64 bits of an otherwise zero address.
[[nodiscard]] constexpr Address address_from_low64(std::uint64_t low) noexcept {
    Address address;
    for (std::size_t i = 0; i < 8; ++i)
        address.bytes[19 - i] = static_cast<std::uint8_t>(low >> (8 * i));
    return address;
}

/// Low 160 bits of a stack word.
[[nodiscard]] inline Address address_from_word(const Uint256& word) noexcept {
    Address address;
    const auto high = __builtin_bswap32(static_cast<std::uint32_t>(word.words[2]));
    const std::uint64_t middle = __builtin_bswap64(word.words[1]);
    const std::uint64_t low = __builtin_bswap64(word.words[0]);
    std::memcpy(address.bytes.data(), &high, 4);
    std::memcpy(address.bytes.data() + 4, &middle, 8);
    std::memcpy(address.bytes.data() + 12, &low, 8);
    return address;
}
/// Address as a stack word, zero-extended.
[[nodiscard]] inline Uint256 to_word(const Address& address) noexcept {
    std::uint32_t high = 0;
    std::uint64_t middle = 0;
    std::uint64_t low = 0;
    std::memcpy(&high, address.bytes.data(), 4);
    std::memcpy(&middle, address.bytes.data() + 4, 8);
    std::memcpy(&low, address.bytes.data() + 12, 8);
    return {__builtin_bswap64(low), __builtin_bswap64(middle), __builtin_bswap32(high), 0};
}

/// Address of a contract created by CREATE or by a creation transaction (YP 7, eq. 88).
[[nodiscard]] Address create_address(const Address& sender, std::uint64_t nonce) noexcept;
/// Address of a contract created by CREATE2 (EIP-1014).
[[nodiscard]] Address create2_address(const Address& sender, const Uint256& salt,
                                      const Hash& init_code_hash) noexcept;

[[nodiscard]] inline HashedWords hashed_words(const Address& address) noexcept {
    HashedWords result;
    static_assert(sizeof address.bytes <= sizeof result.words);
    std::memcpy(result.words.data(), address.bytes.data(), sizeof address.bytes);
    return result;
}

/// For hash tables only; never reaches a result.
struct AddressHasher {
    [[nodiscard]] std::size_t operator()(const Address& address) const noexcept {
        return keyed_hash(kHashKey, hashed_words(address));
    }
};

}  // namespace heddle
