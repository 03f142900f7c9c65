// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The hash of all tables whose keys an outsider may choose: addresses, slots, hashes. It depends on
// a key that every process draws for itself, so nobody outside can make keys that meet in one
// bucket. Nothing that is stored, sent or compared between processes may depend on it, and no
// order of iteration either.
#pragma once

#include <array>
#include <cstdint>

namespace heddle {

/// Which of the hash functions is used: uniform words, which nobody outside knows.
struct alignas(64) HashKey {
    std::array<std::uint64_t, 8> words{};
};

/// A key from the system's generator. Without one the process ends: there is nothing safe to go on
/// with.
[[nodiscard]] HashKey make_hash_key() noexcept;

/// This process's key. Drawn before objects of any other file are made, immutable afterwards.
extern const HashKey kHashKey;

/// What is hashed: four words, and a number for what they belong to, such as an account.
struct HashedWords {
    std::array<std::uint64_t, 4> words{};
    std::uint64_t number = 0;
};

/// Of two different inputs, 128 bits are equal with a probability of 2^-64 over the keys, whatever
/// the inputs are (NH of UMAC, "UMAC: fast and secure message authentication", 1999, §4). They are
/// folded to 64 by another keyed multiplication, so that two inputs that are known to share a
/// bucket say nothing of others at the same distance. All bits may be used for a table.
[[nodiscard]] inline std::uint64_t keyed_hash(const HashKey& key,
                                              const HashedWords& input) noexcept {
    __extension__ using uint128 = unsigned __int128;
    const std::array<std::uint64_t, 8>& k = key.words;
    const std::array<std::uint64_t, 4>& w = input.words;
    const uint128 sum = uint128{w[0] + k[0]} * (w[1] + k[1]) +
                        uint128{w[2] + k[2]} * (w[3] + k[3]) + uint128{input.number} * k[4];
    const uint128 folded = uint128{static_cast<std::uint64_t>(sum) ^ k[5]} *
                           (static_cast<std::uint64_t>(sum >> 64) ^ k[6]);
    return static_cast<std::uint64_t>(folded) ^ static_cast<std::uint64_t>(folded >> 64);
}

}  // namespace heddle
