// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// 256-bit hashes and Keccak-256 (YP: KEC).
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

struct Hash {
    std::array<std::uint8_t, 32> bytes{};

    friend constexpr auto operator<=>(const Hash&, const Hash&) = default;
    [[nodiscard]] constexpr bool is_zero() const noexcept { return *this == Hash{}; }
    [[nodiscard]] BytesView view() const noexcept { return bytes; }
};

/// Keccak-256 with the original padding (YP App. B), not NIST SHA3-256.
/// Thread safety: pure. The implementation is chosen for the CPU at start-up.
[[nodiscard]] Hash keccak256(BytesView data) noexcept;

/// Hash as a stack word, big-endian, and back.
[[nodiscard]] inline Uint256 to_word(const Hash& hash) noexcept {
    return load_be(hash.bytes.data());
}
[[nodiscard]] inline Hash to_hash(const Uint256& word) noexcept {
    Hash hash;
    store_be(word, hash.bytes.data());
    return hash;
}

/// `0x` and 64 lower-case digits.
[[nodiscard]] std::string to_string(const Hash& hash);
/// Exactly 64 digits, with or without `0x`.
[[nodiscard]] std::optional<Hash> hash_from_hex(std::string_view text) noexcept;

namespace detail {
consteval Hash hash_literal(std::string_view digits) {
    Hash hash;
    const auto nibble = [](char c) {
        return static_cast<std::uint8_t>(c <= '9' ? c - '0' : c - 'a' + 10);
    };
    for (std::size_t i = 0; i < 32; ++i)
        hash.bytes[i] =
            static_cast<std::uint8_t>(nibble(digits[2 * i]) << 4 | nibble(digits[2 * i + 1]));
    return hash;
}
}  // namespace detail

/// KEC(()): code hash of an account without code.
inline constexpr Hash kEmptyCodeHash =
    detail::hash_literal("c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470");
/// KEC(RLP(())): root of an empty trie.
inline constexpr Hash kEmptyTrieRoot =
    detail::hash_literal("56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421");
/// KEC(RLP([])): ommers hash of a block without ommers.
inline constexpr Hash kEmptyListHash =
    detail::hash_literal("1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347");
/// SHA-256 of nothing: requests hash of a block without requests (EIP-7685).
inline constexpr Hash kEmptyRequestsHash =
    detail::hash_literal("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");

[[nodiscard]] inline HashedWords hashed_words(const Hash& hash) noexcept {
    HashedWords result;
    static_assert(sizeof result.words == sizeof hash.bytes);
    std::memcpy(result.words.data(), hash.bytes.data(), sizeof hash.bytes);
    return result;
}

/// For hash tables only; never reaches a result. Keyed although hashes are uniform: whoever chooses
/// what is hashed can try until some bits are as wanted.
struct HashHasher {
    [[nodiscard]] std::size_t operator()(const Hash& hash) const noexcept {
        return keyed_hash(kHashKey, hashed_words(hash));
    }
};

}  // namespace heddle
