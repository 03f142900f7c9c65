// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The field of secp256k1 (SEC 2, 2.4.1), eight elements at once: one in each 64-bit lane of AVX-512
// registers, multiplied by the 52-bit instructions of AVX-512 IFMA.
//
// For public values only: whoever measures time or memory may learn them.
//
// An element is five limbs of 52 bits, least significant first, of an integer that is congruent to
// it modulo p = 2^256 - 2^32 - 977. The instructions look at the low 52 bits of a limb only, so
// what is multiplied must be in *weak* form: limbs 0 to 3 below 2^52, limb 4 below 2^48 + 2^7, the
// integer below 2^256 + 2^215. Every function gives that form and takes it, except where it says
// *raw*: sums of limbs that reduce() brings back. Bounds of raw limbs stand where they are made.
#pragma once

#ifdef __x86_64__

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include <types/uint256.hpp>

/// What works on lanes is compiled for processors that have them, and inlined: a call would move
/// every limb through memory.
#define HEDDLE_LANES_TARGET gnu::target("avx512f,avx512ifma")
#define HEDDLE_LANES [[HEDDLE_LANES_TARGET, gnu::always_inline]] inline

namespace heddle::recovery {

inline constexpr std::size_t kLanes = 8;
inline constexpr std::size_t kLimbs = 5;

inline constexpr Uint256 kFieldPrime{0xfffffffefffffc2f, ~0ull, ~0ull, ~0ull};
/// What 2^256 is modulo p.
inline constexpr std::uint64_t kFold = 0x1000003d1;

inline constexpr std::uint64_t kMask52 = (std::uint64_t{1} << 52) - 1;
inline constexpr std::uint64_t kMask48 = (std::uint64_t{1} << 48) - 1;
/// p itself, by limbs.
inline constexpr std::uint64_t kPrimeLimbs[kLimbs] = {0xffffefffffc2f, kMask52, kMask52, kMask52,
                                                      kMask48};

using Lane = __m512i;

HEDDLE_LANES Lane broadcast(std::uint64_t value) noexcept {
    return _mm512_set1_epi64(static_cast<long long>(value));
}

struct FieldLanes {
    Lane limbs[kLimbs];
};

/// Raw limbs below 2^62 to weak form.
/// What lies above 2^256, below 2^14, is folded into limb 0, and carries go up once. What they
/// bring to limb 4 is below 2^10, and below 2^7 for limbs below 2^59.
HEDDLE_LANES FieldLanes reduce(const FieldLanes& raw) noexcept {
    const Lane mask = broadcast(kMask52);
    FieldLanes out;
    const Lane above = _mm512_srli_epi64(raw.limbs[4], 48);
    Lane limb = _mm512_madd52lo_epu64(raw.limbs[0], above, broadcast(kFold));
    for (std::size_t i = 0; i < 4; ++i) {
        out.limbs[i] = _mm512_and_si512(limb, mask);
        const Lane next =
            i < 3 ? raw.limbs[i + 1] : _mm512_and_si512(raw.limbs[4], broadcast(kMask48));
        limb = _mm512_add_epi64(next, _mm512_srli_epi64(limb, 52));
    }
    out.limbs[4] = limb;
    return out;
}

// --- Raw sums ------------------------------------------------------------------------------------

HEDDLE_LANES FieldLanes raw_add(const FieldLanes& a, const FieldLanes& b) noexcept {
    FieldLanes out;
    for (std::size_t i = 0; i < kLimbs; ++i)
        out.limbs[i] = _mm512_add_epi64(a.limbs[i], b.limbs[i]);
    return out;
}

/// a * 2^kShift.
template <int kShift>
HEDDLE_LANES FieldLanes raw_shift(const FieldLanes& a) noexcept {
    FieldLanes out;
    for (std::size_t i = 0; i < kLimbs; ++i)
        out.limbs[i] = _mm512_slli_epi64(a.limbs[i], kShift);
    return out;
}

/// a - b, where b is the sum of at most kTimes - 1 weak elements: kTimes * p is added, whose limbs
/// are no smaller than those of b.
template <std::uint64_t kTimes>
HEDDLE_LANES FieldLanes raw_subtract(const FieldLanes& a, const FieldLanes& b) noexcept {
    static_assert(kTimes >= 2 && kTimes <= 32);
    FieldLanes out;
    for (std::size_t i = 0; i < kLimbs; ++i) {
        const Lane added = _mm512_add_epi64(a.limbs[i], broadcast(kTimes * kPrimeLimbs[i]));
        out.limbs[i] = _mm512_sub_epi64(added, b.limbs[i]);
    }
    return out;
}

HEDDLE_LANES FieldLanes subtract(const FieldLanes& a, const FieldLanes& b) noexcept {
    return reduce(raw_subtract<2>(a, b));
}

// --- Products ------------------------------------------------------------------------------------

/// The ten columns of a product of weak elements, each below 2^57, to weak form.
///
/// The product is below 2^513, so its upper half, columns 5 to 9 with their carries, is five limbs
/// below 2^52, the last one below 2^46. It is folded with 2^260 = 2^4 * kFold (37 bits); what that
/// pushes above column 4 is below 2^31 and folded once more, with what column 4 has above 2^48.
HEDDLE_LANES FieldLanes reduce_product(Lane (&column)[2 * kLimbs]) noexcept {
    for (std::size_t i = kLimbs; i + 1 < 2 * kLimbs; ++i)
        column[i + 1] = _mm512_add_epi64(column[i + 1], _mm512_srli_epi64(column[i], 52));
    const Lane fold = broadcast(kFold << 4);
    Lane above = _mm512_setzero_si512();
    for (std::size_t i = 0; i < kLimbs; ++i)
        column[i] = _mm512_madd52lo_epu64(column[i], column[kLimbs + i], fold);
    for (std::size_t i = 0; i + 1 < kLimbs; ++i)
        column[i + 1] = _mm512_madd52hi_epu64(column[i + 1], column[kLimbs + i], fold);
    above = _mm512_madd52hi_epu64(above, column[2 * kLimbs - 1], fold);
    above = _mm512_add_epi64(_mm512_slli_epi64(above, 4), _mm512_srli_epi64(column[4], 48));
    const Lane mask = broadcast(kMask52);
    FieldLanes out;
    Lane limb = _mm512_madd52lo_epu64(column[0], above, broadcast(kFold));
    column[1] = _mm512_madd52hi_epu64(column[1], above, broadcast(kFold));
    column[4] = _mm512_and_si512(column[4], broadcast(kMask48));
    for (std::size_t i = 0; i < 4; ++i) {
        out.limbs[i] = _mm512_and_si512(limb, mask);
        limb = _mm512_add_epi64(column[i + 1], _mm512_srli_epi64(limb, 52));
    }
    out.limbs[4] = limb;
    return out;
}

HEDDLE_LANES FieldLanes multiply(const FieldLanes& a, const FieldLanes& b) noexcept {
    Lane column[2 * kLimbs];
    for (Lane& sum : column)
        sum = _mm512_setzero_si512();
    for (std::size_t i = 0; i < kLimbs; ++i) {
        for (std::size_t j = 0; j < kLimbs; ++j)
            column[i + j] = _mm512_madd52lo_epu64(column[i + j], a.limbs[i], b.limbs[j]);
        for (std::size_t j = 0; j < kLimbs; ++j)
            column[i + j + 1] = _mm512_madd52hi_epu64(column[i + j + 1], a.limbs[i], b.limbs[j]);
    }
    return reduce_product(column);
}

/// a * a, where products of different limbs are made once and doubled.
HEDDLE_LANES FieldLanes square(const FieldLanes& a) noexcept {
    Lane column[2 * kLimbs];
    for (Lane& sum : column)
        sum = _mm512_setzero_si512();
    for (std::size_t i = 0; i + 1 < kLimbs; ++i) {
        for (std::size_t j = i + 1; j < kLimbs; ++j)
            column[i + j] = _mm512_madd52lo_epu64(column[i + j], a.limbs[i], a.limbs[j]);
        for (std::size_t j = i + 1; j < kLimbs; ++j)
            column[i + j + 1] = _mm512_madd52hi_epu64(column[i + j + 1], a.limbs[i], a.limbs[j]);
    }
    for (std::size_t i = 1; i + 1 < 2 * kLimbs; ++i)
        column[i] = _mm512_slli_epi64(column[i], 1);
    for (std::size_t i = 0; i < kLimbs; ++i) {
        column[2 * i] = _mm512_madd52lo_epu64(column[2 * i], a.limbs[i], a.limbs[i]);
        column[2 * i + 1] = _mm512_madd52hi_epu64(column[2 * i + 1], a.limbs[i], a.limbs[i]);
    }
    return reduce_product(column);
}

// --- Integers below 2^256, as four words of 64 bits ----------------------------------------------

struct WordLanes {
    Lane words[4];
};

HEDDLE_LANES FieldLanes from_words(const WordLanes& in) noexcept {
    const Lane mask = broadcast(kMask52);
    const Lane* const w = in.words;
    FieldLanes out;
    out.limbs[0] = _mm512_and_si512(w[0], mask);
    out.limbs[1] = _mm512_and_si512(
        _mm512_or_si512(_mm512_srli_epi64(w[0], 52), _mm512_slli_epi64(w[1], 12)), mask);
    out.limbs[2] = _mm512_and_si512(
        _mm512_or_si512(_mm512_srli_epi64(w[1], 40), _mm512_slli_epi64(w[2], 24)), mask);
    out.limbs[3] = _mm512_and_si512(
        _mm512_or_si512(_mm512_srli_epi64(w[2], 28), _mm512_slli_epi64(w[3], 36)), mask);
    out.limbs[4] = _mm512_srli_epi64(w[3], 16);
    return out;
}

/// Below 2^256, though not always below p: what a weak element has above is folded once more, and
/// an integer that had something above is small after that.
HEDDLE_LANES WordLanes to_words(const FieldLanes& weak) noexcept {
    const FieldLanes in = reduce(weak);
    const Lane* const l = in.limbs;
    WordLanes out;
    out.words[0] = _mm512_or_si512(l[0], _mm512_slli_epi64(l[1], 52));
    out.words[1] = _mm512_or_si512(_mm512_srli_epi64(l[1], 12), _mm512_slli_epi64(l[2], 40));
    out.words[2] = _mm512_or_si512(_mm512_srli_epi64(l[2], 24), _mm512_slli_epi64(l[3], 28));
    out.words[3] = _mm512_or_si512(_mm512_srli_epi64(l[3], 36), _mm512_slli_epi64(l[4], 16));
    return out;
}

/// Canonical: below p.
[[HEDDLE_LANES_TARGET]] inline void store(const FieldLanes& in, Uint256 (&out)[kLanes]) noexcept {
    const WordLanes words = to_words(in);
    alignas(64) std::uint64_t columns[4][kLanes];
    for (std::size_t i = 0; i < 4; ++i)
        _mm512_store_si512(columns[i], words.words[i]);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const Uint256 value{columns[0][lane], columns[1][lane], columns[2][lane], columns[3][lane]};
        out[lane] = value < kFieldPrime ? value : value - kFieldPrime;
    }
}

[[HEDDLE_LANES_TARGET]] inline FieldLanes load(const Uint256 (&in)[kLanes]) noexcept {
    alignas(64) std::uint64_t columns[4][kLanes];
    for (std::size_t lane = 0; lane < kLanes; ++lane)
        for (std::size_t i = 0; i < 4; ++i)
            columns[i][lane] = in[lane].words[i];
    WordLanes words;
    for (std::size_t i = 0; i < 4; ++i)
        words.words[i] = _mm512_load_si512(columns[i]);
    return from_words(words);
}

HEDDLE_LANES FieldLanes broadcast_field(const Uint256& value) noexcept {
    WordLanes words;
    for (std::size_t i = 0; i < 4; ++i)
        words.words[i] = broadcast(value.words[i]);
    return from_words(words);
}

/// In the lanes of `lanes` b, in the others a.
HEDDLE_LANES FieldLanes select(__mmask8 lanes, const FieldLanes& a, const FieldLanes& b) noexcept {
    FieldLanes out;
    for (std::size_t i = 0; i < kLimbs; ++i)
        out.limbs[i] = _mm512_mask_blend_epi64(lanes, a.limbs[i], b.limbs[i]);
    return out;
}

/// Lanes whose element is zero. A weak integer that is congruent to zero is 0 or p: 2p is above.
HEDDLE_LANES __mmask8 zero_lanes(const FieldLanes& a) noexcept {
    Lane bits = a.limbs[0];
    Lane others = _mm512_xor_si512(a.limbs[0], broadcast(kPrimeLimbs[0]));
    for (std::size_t i = 1; i < kLimbs; ++i) {
        bits = _mm512_or_si512(bits, a.limbs[i]);
        others = _mm512_or_si512(others, _mm512_xor_si512(a.limbs[i], broadcast(kPrimeLimbs[i])));
    }
    return static_cast<__mmask8>(_mm512_testn_epi64_mask(bits, bits) |
                                 _mm512_testn_epi64_mask(others, others));
}

// --- Powers --------------------------------------------------------------------------------------

/// a^(2^kTimes).
template <int kTimes>
[[HEDDLE_LANES_TARGET]] inline FieldLanes square_times(FieldLanes a) noexcept {
    for (int i = 0; i < kTimes; ++i)
        a = square(a);
    return a;
}

/// Powers a^(2^k - 1), from which both exponents below are put together: in binary each is blocks
/// of 223 and 22 ones, and a few bits.
struct Ladder {
    FieldLanes ones_2;
    FieldLanes ones_22;
    FieldLanes ones_223;
};

[[HEDDLE_LANES_TARGET]] inline Ladder climb(const FieldLanes& a) noexcept {
    Ladder ladder;
    ladder.ones_2 = multiply(square(a), a);
    const FieldLanes ones_3 = multiply(square(ladder.ones_2), a);
    const FieldLanes ones_6 = multiply(square_times<3>(ones_3), ones_3);
    const FieldLanes ones_9 = multiply(square_times<3>(ones_6), ones_3);
    const FieldLanes ones_11 = multiply(square_times<2>(ones_9), ladder.ones_2);
    ladder.ones_22 = multiply(square_times<11>(ones_11), ones_11);
    const FieldLanes ones_44 = multiply(square_times<22>(ladder.ones_22), ladder.ones_22);
    const FieldLanes ones_88 = multiply(square_times<44>(ones_44), ones_44);
    const FieldLanes ones_176 = multiply(square_times<88>(ones_88), ones_88);
    const FieldLanes ones_220 = multiply(square_times<44>(ones_176), ones_44);
    ladder.ones_223 = multiply(square_times<3>(ones_220), ones_3);
    return ladder;
}

/// A square root where there is one: a^((p + 1) / 4), for p is 3 modulo 4.
[[HEDDLE_LANES_TARGET]] inline FieldLanes square_root(const FieldLanes& a) noexcept {
    const Ladder ladder = climb(a);
    const FieldLanes upper = multiply(square_times<23>(ladder.ones_223), ladder.ones_22);
    return square_times<2>(multiply(square_times<6>(upper), ladder.ones_2));
}

/// a^(p - 2): the inverse, or zero for zero (Fermat).
[[HEDDLE_LANES_TARGET]] inline FieldLanes inverse(const FieldLanes& a) noexcept {
    const Ladder ladder = climb(a);
    const FieldLanes upper = multiply(square_times<23>(ladder.ones_223), ladder.ones_22);
    const FieldLanes middle = multiply(square_times<5>(upper), a);
    const FieldLanes lower = multiply(square_times<3>(middle), ladder.ones_2);
    return multiply(square_times<2>(lower), a);
}

}  // namespace heddle::recovery

#endif  // __x86_64__
