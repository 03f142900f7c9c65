// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "keccak.hpp"

#include <types/hash.hpp>

#include "keccak/permutation.hpp"

namespace heddle {

namespace {

using detail::kRateWords;
using detail::kStateWords;
using detail::load_word;
using detail::make_word;
using detail::permute;

constexpr std::size_t kRate = 8 * kRateWords;  // in bytes

// A word of the state is a general register, or the lower half of a vector register: AVX-512VL has
// 32 of those, so that the whole state fits, and it rotates in one and combines three words in one
// instruction. The upper half stays zero or is ignored.
using Scalar = std::uint64_t;
using Vector [[gnu::vector_size(16)]] = std::uint64_t;

template <typename Word>
[[gnu::always_inline]] inline void store_hash(const Word (&state)[kStateWords],
                                              std::uint8_t* out) noexcept {
    for (std::size_t i = 0; i < 4; ++i) {
        std::uint64_t word;
        if constexpr (sizeof(Word) == 8)
            word = state[i];
        else
            word = state[i][0];
        std::memcpy(out + 8 * i, &word, sizeof word);
    }
}

// Slots and addresses of the trie are 32 bytes, keys of mappings 64: one block without a buffer.
template <typename Word, std::size_t Size>
[[gnu::always_inline]] inline void hash_words(const std::uint8_t* data,
                                              std::uint8_t* out) noexcept {
    static_assert(Size % 8 == 0 && Size < kRate - 8);
    Word state[kStateWords] = {};
#pragma GCC unroll 16
    for (std::size_t i = 0; i < Size / 8; ++i)
        state[i] = make_word<Word>(load_word(data + 8 * i));
    state[Size / 8] = make_word<Word>(1);
    state[kRateWords - 1] = make_word<Word>(std::uint64_t{1} << 63);
    permute(state);
    store_hash(state, out);
}

template <typename Word>
[[gnu::always_inline]] inline void absorb(Word (&state)[kStateWords],
                                          const std::uint8_t* block) noexcept {
#pragma GCC unroll 17
    for (std::size_t i = 0; i < kRateWords; ++i)
        state[i] ^= make_word<Word>(load_word(block + 8 * i));
    permute(state);
}

template <typename Word>
[[gnu::always_inline]] inline void hash_any(const std::uint8_t* data, std::size_t size,
                                            std::uint8_t* out) noexcept {
    if (size == 32) return hash_words<Word, 32>(data, out);
    if (size == 64) return hash_words<Word, 64>(data, out);
    Word state[kStateWords] = {};
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
