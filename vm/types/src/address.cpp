// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/address.hpp>

#include <types/hash.hpp>

namespace heddle {

std::string to_string(const Address& address) {
    return to_hex(address.bytes);
}

std::string to_checksum_string(const Address& address) {
    std::string text = to_hex(address.bytes);
    const auto* digits = reinterpret_cast<const std::uint8_t*>(text.data()) + 2;
    const Hash hash = keccak256({digits, 40});
    for (std::size_t i = 0; i < 40; ++i) {
        const unsigned nibble = (hash.bytes[i / 2] >> (i % 2 == 0 ? 4 : 0)) & 15u;
        char& c = text[i + 2];
        if (nibble >= 8 && c >= 'a') c = static_cast<char>(c - 'a' + 'A');
    }
    return text;
}

std::optional<Address> address_from_hex(std::string_view text) noexcept {
    Address address;
    if (!decode_hex(text, address.bytes)) return std::nullopt;
    return address;
}

namespace {

Address address_from_hash(const Hash& hash) noexcept {
    Address address;
    std::memcpy(address.bytes.data(), hash.bytes.data() + 12, 20);
    return address;
}

}  // namespace

Address create_address(const Address& sender, std::uint64_t nonce) noexcept {
    // RLP([sender, nonce]) by hand: at most 1 + 21 + 9 bytes, so it needs no allocation.
    std::uint8_t buffer[31];
    buffer[1] = 0x80 + 20;
    std::memcpy(buffer + 2, sender.bytes.data(), 20);
    std::size_t size = 22;
    if (nonce == 0) {
        buffer[size++] = 0x80;
    } else if (nonce < 0x80) {
        buffer[size++] = static_cast<std::uint8_t>(nonce);
    } else {
        const auto width = static_cast<unsigned>((std::bit_width(nonce) + 7) / 8);
        buffer[size++] = static_cast<std::uint8_t>(0x80 + width);
        for (unsigned i = width; i-- > 0;)
            buffer[size++] = static_cast<std::uint8_t>(nonce >> (8 * i));
    }
    buffer[0] = static_cast<std::uint8_t>(0xc0 + size - 1);
    return address_from_hash(keccak256({buffer, size}));
}

Address create2_address(const Address& sender, const Uint256& salt,
                        const Hash& init_code_hash) noexcept {
    std::uint8_t buffer[1 + 20 + 32 + 32];
    buffer[0] = 0xff;
    std::memcpy(buffer + 1, sender.bytes.data(), 20);
    store_be(salt, buffer + 21);
    std::memcpy(buffer + 53, init_code_hash.bytes.data(), 32);
    return address_from_hash(keccak256(buffer));
}

}  // namespace heddle
