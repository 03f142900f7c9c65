// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/hash.hpp>

#include <bit>

namespace heddle {

namespace {

constexpr std::size_t kLanes = 25;
constexpr std::size_t kRate = 136;  // bytes absorbed per permutation for 256 bits of output

constexpr std::uint64_t kRoundConstants[24] = {
    0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000,
    0x000000000000808b, 0x0000000080000001, 0x8000000080008081, 0x8000000000008009,
    0x000000000000008a, 0x0000000000000088, 0x0000000080008009, 0x000000008000000a,
    0x000000008000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003,
    0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
    0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
};

// Rotation offsets of rho, by lane x + 5y.
constexpr int kRotations[kLanes] = {0,  1,  62, 28, 27, 36, 44, 6,  55, 20, 3,  10, 43,
                                    25, 39, 41, 45, 15, 21, 8,  18, 2,  61, 56, 14};

// One round from `a` to `b`: theta, then rho, pi and chi row by row of the target, then iota.
[[gnu::always_inline]] inline void round(const std::uint64_t (&a)[kLanes],
                                         std::uint64_t (&b)[kLanes],
                                         std::uint64_t constant) noexcept {
    std::uint64_t column[5];
    for (std::size_t x = 0; x < 5; ++x)
        column[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
    std::uint64_t theta[5];
    for (std::size_t x = 0; x < 5; ++x)
        theta[x] = column[(x + 4) % 5] ^ std::rotl(column[(x + 1) % 5], 1);
#pragma GCC unroll 5
    for (std::size_t y = 0; y < 5; ++y) {
        std::uint64_t row[5];
#pragma GCC unroll 5
        for (std::size_t x = 0; x < 5; ++x) {
            // pi: lane (x, y) of the target comes from column (x + 3y) mod 5, row x.
            const std::size_t source_x = (x + 3 * y) % 5;
            const std::size_t source = source_x + 5 * x;
            row[x] = std::rotl(a[source] ^ theta[source_x], kRotations[source]);
        }
#pragma GCC unroll 5
        for (std::size_t x = 0; x < 5; ++x)
            b[x + 5 * y] = row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5]);
    }
    b[0] ^= constant;
}

[[gnu::always_inline]] inline void permute(std::uint64_t (&state)[kLanes]) noexcept {
    std::uint64_t other[kLanes];
    for (std::size_t i = 0; i < 24; i += 2) {
        round(state, other, kRoundConstants[i]);
        round(other, state, kRoundConstants[i + 1]);
    }
}

[[gnu::always_inline]] inline std::uint64_t load_lane(const std::uint8_t* bytes) noexcept {
    std::uint64_t lane;
    std::memcpy(&lane, bytes, sizeof lane);
    return lane;
}

[[gnu::always_inline]] inline void hash_any(const std::uint8_t* data, std::size_t size,
                                            std::uint8_t* out) noexcept {
    std::uint64_t state[kLanes] = {};
    for (; size >= kRate; data += kRate, size -= kRate) {
        for (std::size_t i = 0; i < kRate / 8; ++i)
            state[i] ^= load_lane(data + 8 * i);
        permute(state);
    }
    std::size_t lane = 0;
    for (; size >= 8; data += 8, size -= 8)
        state[lane++] ^= load_lane(data);
    // Keccak's own padding: 0x01 after the message and 0x80 at the end of the rate.
    std::uint64_t last = 0;
    if (size != 0) std::memcpy(&last, data, size);
    state[lane] ^= last ^ std::uint64_t{1} << (8 * size);
    state[kRate / 8 - 1] ^= std::uint64_t{1} << 63;
    permute(state);
    std::memcpy(out, state, 32);
}

using HashFunction = void (*)(const std::uint8_t*, std::size_t, std::uint8_t*) noexcept;

void hash_portable(const std::uint8_t* data, std::size_t size, std::uint8_t* out) noexcept {
    hash_any(data, size, out);
}

#if defined(__x86_64__)
[[gnu::target("bmi,bmi2")]] void hash_bmi(const std::uint8_t* data, std::size_t size,
                                          std::uint8_t* out) noexcept {
    hash_any(data, size, out);
}
#endif

HashFunction choose() noexcept {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2")) return hash_bmi;
#endif
    return hash_portable;
}

// Starts as the portable one, so that hashing works during static initialisation too.
constinit HashFunction hash_function = hash_portable;
[[maybe_unused]] const bool kChosen = (hash_function = choose(), true);

}  // namespace

Hash keccak256(BytesView data) noexcept {
    Hash hash;
    hash_function(data.data(), data.size(), hash.bytes.data());
    return hash;
}

}  // namespace heddle
