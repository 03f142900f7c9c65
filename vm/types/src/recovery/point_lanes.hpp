// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Points of secp256k1, y^2 = x^3 + 7, eight at once, and rows of tables from which each lane takes
// one of its own.
//
// Exceptional cases are not looked for: where two points are added that are equal or opposite, or
// one is infinite, the sum has z = 0 and so has whatever is computed from it. Whoever uses a result
// looks at that once, at the end.
#pragma once

#ifdef __x86_64__

#include <cstddef>
#include <cstdint>

#include "recovery/field_lanes.hpp"

namespace heddle::recovery {

/// (x, y), or where a common z is told beside it (x / z^2, y / z^3).
struct AffineLanes {
    FieldLanes x;
    FieldLanes y;
};

/// Jacobian: (x / z^2, y / z^3).
struct PointLanes {
    FieldLanes x;
    FieldLanes y;
    FieldLanes z;
};

/// 2 * p; 3 products and 4 squares.
[[HEDDLE_LANES_TARGET]] inline PointLanes twice(const PointLanes& p) noexcept {
    const FieldLanes a = square(p.x);
    const FieldLanes b = square(p.y);
    const FieldLanes c = square(b);
    const FieldLanes quarter = multiply(p.x, b);  // of s = 4 * x * y^2
    const FieldLanes m = reduce(raw_add(raw_shift<1>(a), a));
    PointLanes sum;
    sum.x = reduce(raw_subtract<16>(square(m), raw_shift<3>(quarter)));
    const FieldLanes d = reduce(raw_subtract<2>(raw_shift<2>(quarter), sum.x));
    sum.y = reduce(raw_subtract<16>(multiply(m, d), raw_shift<3>(c)));
    sum.z = reduce(raw_shift<1>(multiply(p.y, p.z)));
    return sum;
}

/// Both differences of a sum: what z is multiplied by, and the slope's numerator.
struct Differences {
    FieldLanes h;
    FieldLanes r;
};

/// p + the point whose differences to it these are.
HEDDLE_LANES PointLanes add_by(const PointLanes& p, const Differences& by) noexcept {
    const FieldLanes hh = square(by.h);
    const FieldLanes hhh = multiply(hh, by.h);
    const FieldLanes v = multiply(p.x, hh);
    PointLanes sum;
    sum.x = reduce(raw_subtract<4>(square(by.r), raw_add(hhh, raw_shift<1>(v))));
    const FieldLanes d = subtract(v, sum.x);
    sum.y = subtract(multiply(by.r, d), multiply(p.y, hhh));
    sum.z = multiply(p.z, by.h);
    return sum;
}

/// Of q from p, brought to the same denominators.
/// @param z  That of p, where q is affine on the curve of p; times `common`, where q is affine on
///           secp256k1 itself and p is on the curve isomorphic to it by that factor.
HEDDLE_LANES Differences differences(const PointLanes& p, const AffineLanes& q,
                                     const FieldLanes& z) noexcept {
    const FieldLanes zz = square(z);
    Differences by;
    by.h = subtract(multiply(q.x, zz), p.x);
    by.r = subtract(multiply(q.y, multiply(zz, z)), p.y);
    return by;
}

/// p + q; 8 products and 3 squares.
[[HEDDLE_LANES_TARGET]] inline PointLanes add(const PointLanes& p, const AffineLanes& q) noexcept {
    return add_by(p, differences(p, q, p.z));
}

/// p + q, where p stands for (x / (z * common)^2, y / (z * common)^3) and so does the sum, and q is
/// affine on secp256k1 itself; one product more.
[[HEDDLE_LANES_TARGET]] inline PointLanes add(const PointLanes& p, const AffineLanes& q,
                                              const FieldLanes& common) noexcept {
    return add_by(p, differences(p, q, multiply(p.z, common)));
}

// --- Tables --------------------------------------------------------------------------------------

/// A point with coordinates below 2^256, as it lies in a table: a cache line.
struct alignas(64) TableRow {
    std::uint64_t x[4];
    std::uint64_t y[4];
};

/// The 8 x 8 matrix of 64-bit words with rows and columns exchanged.
HEDDLE_LANES void transpose(Lane (&m)[8]) noexcept {
    Lane pairs[8];
    for (std::size_t i = 0; i < 8; i += 2) {
        pairs[i] = _mm512_unpacklo_epi64(m[i], m[i + 1]);
        pairs[i + 1] = _mm512_unpackhi_epi64(m[i], m[i + 1]);
    }
    Lane fours[8];
    for (std::size_t i = 0; i < 8; i += 4)
        for (std::size_t j = 0; j < 2; ++j) {
            fours[i + j] = _mm512_shuffle_i64x2(pairs[i + j], pairs[i + j + 2], 0x88);
            fours[i + j + 2] = _mm512_shuffle_i64x2(pairs[i + j], pairs[i + j + 2], 0xdd);
        }
    for (std::size_t j = 0; j < 4; ++j) {
        m[j] = _mm512_shuffle_i64x2(fours[j], fours[j + 4], 0x88);
        m[j + 4] = _mm512_shuffle_i64x2(fours[j], fours[j + 4], 0xdd);
    }
}

/// A row of each lane's own.
[[HEDDLE_LANES_TARGET]] inline AffineLanes load_rows(
    const TableRow* const (&rows)[kLanes]) noexcept {
    Lane words[8];
    for (std::size_t lane = 0; lane < kLanes; ++lane)
        words[lane] = _mm512_load_si512(rows[lane]);
    transpose(words);
    return {from_words({{words[0], words[1], words[2], words[3]}}),
            from_words({{words[4], words[5], words[6], words[7]}})};
}

[[HEDDLE_LANES_TARGET]] inline void store_rows(const AffineLanes& points,
                                               TableRow (&rows)[kLanes]) noexcept {
    const WordLanes x = to_words(points.x);
    const WordLanes y = to_words(points.y);
    Lane words[8] = {x.words[0], x.words[1], x.words[2], x.words[3],
                     y.words[0], y.words[1], y.words[2], y.words[3]};
    transpose(words);
    for (std::size_t lane = 0; lane < kLanes; ++lane)
        _mm512_store_si512(&rows[lane], words[lane]);
}

/// -p in the lanes of `lanes`, in the others p.
HEDDLE_LANES AffineLanes negate(const AffineLanes& p, __mmask8 lanes) noexcept {
    FieldLanes zero;
    for (Lane& limb : zero.limbs)
        limb = _mm512_setzero_si512();
    return {p.x, select(lanes, p.y, subtract(zero, p.y))};
}

}  // namespace heddle::recovery

#endif  // __x86_64__
