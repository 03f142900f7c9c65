// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "keccak.hpp"

#include <types/hash.hpp>

#include "keccak/round_constants.hpp"

namespace heddle {

namespace {

constexpr std::size_t kLanes = detail::kStateWords;
constexpr std::size_t kRate = 136;  // bytes absorbed per permutation for 256 bits of output

using detail::kRotations;
using detail::kRoundConstants;

// A lane of the state is a general register, or the lower half of a vector register: AVX-512VL has
// 32 of those, so that the whole state fits, and it rotates in one and combines three lanes in one
// instruction. The upper half stays zero or is ignored.
using Scalar = std::uint64_t;
using Vector [[gnu::vector_size(16)]] = std::uint64_t;

template <typename Lane>
[[gnu::always_inline]] inline Lane make_lane(std::uint64_t value) noexcept {
    if constexpr (sizeof(Lane) == 8)
        return value;
    else
        return Lane{value, 0};
}

template <typename Lane>
[[gnu::always_inline]] inline Lane rotate(Lane lane, int count) noexcept {
    return count == 0 ? lane : lane << count | lane >> (64 - count);
}

// One round from `a` to `b`: theta, then rho, pi and chi row by row of the target, then iota.
template <typename Lane>
[[gnu::always_inline]] inline void round(const Lane (&a)[kLanes], Lane (&b)[kLanes],
                                         std::uint64_t constant) noexcept {
    Lane column[5];
#pragma GCC unroll 5
    for (std::size_t x = 0; x < 5; ++x)
        column[x] = (a[x] ^ a[x + 5] ^ a[x + 10]) ^ a[x + 15] ^ a[x + 20];
    Lane theta[5];
#pragma GCC unroll 5
    for (std::size_t x = 0; x < 5; ++x)
        theta[x] = column[(x + 4) % 5] ^ rotate(column[(x + 1) % 5], 1);
#pragma GCC unroll 5
    for (std::size_t y = 0; y < 5; ++y) {
        Lane row[5];
#pragma GCC unroll 5
        for (std::size_t x = 0; x < 5; ++x) {
            // pi: lane (x, y) of the target comes from column (x + 3y) mod 5, row x.
            const std::size_t source_x = (x + 3 * y) % 5;
            const std::size_t source = source_x + 5 * x;
            row[x] = rotate(a[source] ^ theta[source_x], kRotations[source]);
        }
#pragma GCC unroll 5
        for (std::size_t x = 0; x < 5; ++x)
            b[x + 5 * y] = row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5]);
        if (y == 0) b[0] ^= make_lane<Lane>(constant);
    }
}

template <typename Lane>
[[gnu::always_inline]] inline void permute(Lane (&state)[kLanes]) noexcept {
    Lane other[kLanes];
#pragma GCC unroll 1
    for (std::size_t i = 0; i < 24; i += 2) {
        round(state, other, kRoundConstants[i]);
        round(other, state, kRoundConstants[i + 1]);
    }
}

[[gnu::always_inline]] inline std::uint64_t load_word(const std::uint8_t* bytes) noexcept {
    std::uint64_t word;
    std::memcpy(&word, bytes, sizeof word);
    return word;
}

template <typename Lane>
[[gnu::always_inline]] inline void store_hash(const Lane (&state)[kLanes],
                                              std::uint8_t* out) noexcept {
    for (std::size_t i = 0; i < 4; ++i) {
        std::uint64_t word;
        if constexpr (sizeof(Lane) == 8)
            word = state[i];
        else
            word = state[i][0];
        std::memcpy(out + 8 * i, &word, sizeof word);
    }
}

// Slots and addresses of the trie are 32 bytes, keys of mappings 64: one block without a buffer.
template <typename Lane, std::size_t Size>
[[gnu::always_inline]] inline void hash_words(const std::uint8_t* data,
                                              std::uint8_t* out) noexcept {
    static_assert(Size % 8 == 0 && Size < kRate - 8);
    Lane state[kLanes] = {};
#pragma GCC unroll 16
    for (std::size_t i = 0; i < Size / 8; ++i)
        state[i] = make_lane<Lane>(load_word(data + 8 * i));
    state[Size / 8] = make_lane<Lane>(1);
    state[kRate / 8 - 1] = make_lane<Lane>(std::uint64_t{1} << 63);
    permute(state);
    store_hash(state, out);
}

template <typename Lane>
[[gnu::always_inline]] inline void absorb(Lane (&state)[kLanes],
                                          const std::uint8_t* block) noexcept {
#pragma GCC unroll 17
    for (std::size_t i = 0; i < kRate / 8; ++i)
        state[i] ^= make_lane<Lane>(load_word(block + 8 * i));
    permute(state);
}

template <typename Lane>
[[gnu::always_inline]] inline void hash_any(const std::uint8_t* data, std::size_t size,
                                            std::uint8_t* out) noexcept {
    if (size == 32) return hash_words<Lane, 32>(data, out);
    if (size == 64) return hash_words<Lane, 64>(data, out);
    Lane state[kLanes] = {};
    // Keccak's own padding: 0x01 after the message and 0x80 at the end of the last block.
    std::uint8_t last[kRate] = {};
    const std::size_t rest = size % kRate;
    if (rest != 0) std::memcpy(last, data + size - rest, rest);
    last[rest] = 0x01;
    last[kRate - 1] |= 0x80;
    for (std::size_t blocks = size / kRate;; --blocks, data += kRate) {
        absorb(state, blocks == 0 ? last : data);
        if (blocks == 0) break;
    }
    store_hash(state, out);
}

void hash_portable(const std::uint8_t* data, std::size_t size, std::uint8_t* out) noexcept {
    hash_any<Scalar>(data, size, out);
}

#if defined(__x86_64__)
[[gnu::target("bmi,bmi2")]] void hash_bmi(const std::uint8_t* data, std::size_t size,
                                          std::uint8_t* out) noexcept {
    hash_any<Scalar>(data, size, out);
}

[[gnu::target("avx512f,avx512vl,bmi,bmi2")]] void hash_avx512(const std::uint8_t* data,
                                                              std::size_t size,
                                                              std::uint8_t* out) noexcept {
    hash_any<Vector>(data, size, out);
}
#endif

}  // namespace

KeccakKernels keccak_kernels() noexcept {
    KeccakKernels kernels;
    kernels.portable = hash_portable;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2")) kernels.bmi = hash_bmi;
    if (kernels.bmi != nullptr && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512vl"))
        kernels.avx512 = hash_avx512;
#endif
    return kernels;
}

namespace {

KeccakKernel choose() noexcept {
    const KeccakKernels kernels = keccak_kernels();
    if (kernels.avx512 != nullptr) return kernels.avx512;
    return kernels.bmi != nullptr ? kernels.bmi : kernels.portable;
}

// Starts as the portable one, so that hashing works during static initialisation too.
constinit KeccakKernel kernel = hash_portable;
[[maybe_unused]] const bool kChosen = (kernel = choose(), true);

}  // namespace

Hash keccak256(BytesView data) noexcept {
    Hash hash;
    kernel(data.data(), data.size(), hash.bytes.data());
    return hash;
}

}  // namespace heddle
