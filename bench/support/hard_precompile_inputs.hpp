// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Inputs of precompiled contracts, in hexadecimal digits: valid, and with nothing in them that
// would make the work easier.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <types/bytes.hpp>

#include <vm/precompile.hpp>

namespace heddle::bench {

inline constexpr std::int64_t kPlentyOfGas = 1'000'000'000;

inline std::string zeroes(std::size_t bytes) {
    return std::string(2 * bytes, '0');
}

inline std::string number(std::uint64_t value) {
    char text[65];
    std::snprintf(text, sizeof text, "%064llx", static_cast<unsigned long long>(value));
    return text;
}

/// Digits that look random and are the same everywhere.
inline std::string noise(std::size_t bytes, std::uint64_t seed) {
    std::string text;
    while (text.size() < 2 * bytes) {
        seed = seed * 6364136223846793005 + 1442695040888963407;
        char digits[9];
        std::snprintf(digits, sizeof digits, "%08x", static_cast<unsigned>(seed >> 32));
        text += digits;
    }
    return text.substr(0, 2 * bytes);
}

inline std::string call(std::uint32_t index, std::string_view input) {
    Bytes output;
    const auto bytes = from_hex(input);
    if (!bytes || !vm::run_precompile(index, Revision::osaka, *bytes, kPlentyOfGas, output).ok) {
        std::fprintf(stderr, "precompile %#x refused its benchmark input\n", index);
        std::exit(1);
    }
    return to_hex(output).substr(2);
}

inline const std::string kEcrecover =
    "18c547e4f7b0f325ad1e56f57e26c745b09a3e503d86e00e5255ff7f715d3d1c" + number(28) +
    "73b1693892219d736caba55bdb67216e485557ea6b6af75f37096c9aa6a5a75f"
    "eeb940b1d03b21e36b0e47e79769f095fe2ab855bd91e3a38756b7d75a9c4549";

inline const std::string kBnG2 =
    "198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2"
    "1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed"
    "090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b"
    "12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa";

// From go-ethereum's p256Verify and pointEvaluation vectors.
inline const std::string kP256 =
    "4cee90eb86eaa050036147a12d49004b6b9c72bd725d39d4785011fe190f0b4da73bd4903f0ce3b639bbbf6e8e80d1"
    "6931ff4bcf5993d58468e8fb19086e8cac36dbcd03009df8c59286b162af3bd7fcc0450c9aa81be5d10d312af6c66b"
    "1d604aebd3099c618202fcfe16ae7770b0c49ab5eadf74b754204a3bb6060e44eff37618b065f9832de4ca6ca971a7"
    "a1adc826d0f7c00181a5fb2ddf79ae00b4e10e";
inline const std::string kPointEvaluation =
    "01e798154708fe7789429634053cbf9f99b619f9f084048927333fce637f549b564c0a11a0f704f4fc3e8acfe0f824"
    "5f0ad1347b378fbf96e206da11a5d3630624d25032e67a7e6a4910df5834b8fe70e6bcfeeac0352434196bdf4b2485"
    "d5a18f59a8d2a1a625a17f3fea0fe5eb8c896db3764f3185481bc22f91b4aaffcca25f26936857bc3a7c2539ea8ec3"
    "a952b7873033e038326e87ed3e1276fd140253fa08e9fc25fb2d9a98527fc22a2c9612fbeafdad446cbc7bcdbdcd78"
    "0af2c16a";

/// A point of bn254's G1 whose coordinates are no small numbers.
inline std::string bn_point(std::uint64_t seed) {
    return call(7, number(1) + number(2) + noise(32, seed));
}

inline std::string bls_g1(std::uint64_t seed) {
    return call(0x10, zeroes(17) + noise(47, seed));
}

inline std::string bls_g2(std::uint64_t seed) {
    return call(0x11, zeroes(17) + noise(47, seed) + zeroes(17) + noise(47, seed + 1));
}

inline std::string modexp(std::size_t size, std::string_view exponent) {
    std::string modulus = noise(size, 3);
    modulus.front() = 'f';
    modulus.back() = '1';
    return number(size) + number(exponent.size() / 2) + number(size) + noise(size, 1) +
           std::string{exponent} + modulus;
}

inline std::string repeat_pairs(std::int64_t count, auto make) {
    std::string text;
    for (std::int64_t i = 0; i < count; ++i)
        text += make(static_cast<std::uint64_t>(i) + 1);
    return text;
}

}  // namespace heddle::bench
