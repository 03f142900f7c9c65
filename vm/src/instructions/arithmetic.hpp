// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Stop and arithmetic operations (YP App. H.2, 0s), comparison and bitwise logic (10s).
#pragma once

#include "common.hpp"

namespace heddle::vm::instructions {

HEDDLE_BODY bool stop(Frame& frame, Uint256*&, std::int64_t&) noexcept {
    frame.output_size = 0;
    return halt(frame, Status::success);
}
HEDDLE_BODY bool invalid(Frame& frame, Uint256*&, std::int64_t&) noexcept {
    return halt(frame, Status::invalid_instruction);
}

HEDDLE_BODY bool add(Frame&, Uint256*& sp, std::int64_t&) noexcept {
    sp[-2] = sp[-1] + sp[-2];
    --sp;
    return true;
}
HEDDLE_BODY bool mul(Frame&, Uint256*& sp, std::int64_t&) noexcept {
    sp[-2] = sp[-1] * sp[-2];
    --sp;
    return true;
}
HEDDLE_BODY bool sub(Frame&, Uint256*& sp, std::int64_t&) noexcept {
    sp[-2] = sp[-1] - sp[-2];
    --sp;
    return true;
}
HEDDLE_BODY bool div(Frame&, Uint256*& sp, std::int64_t&) noexcept {
    put(sp[-2], sp[-1] / sp[-2]);
    --sp;
    return true;
}
HEDDLE_BODY bool sdiv(Frame&, Uint256*& sp, std::int64_t&) noexcept {
    put(sp[-2], heddle::sdiv(sp[-1], sp[-2]));
    --sp;
    return true;
}
HEDDLE_BODY bool mod(Frame&, Uint256*& sp, std::int64_t&) noexcept {
    put(sp[-2], sp[-1] % sp[-2]);
    --sp;
    return true;
}
HEDDLE_BODY bool smod(Frame&, Uint256*& sp, std::int64_t&) noexcept {
    put(sp[-2], heddle::smod(sp[-1], sp[-2]));
    --sp;
    return true;
}
HEDDLE_BODY bool addmod(Frame&, Uint256*& sp, std::int64_t&) noexcept {
    put(sp[-3], heddle::addmod(sp[-1], sp[-2], sp[-3]));
    sp -= 2;
    return true;
}
HEDDLE_BODY bool mulmod(Frame& frame, Uint256*& sp, std::int64_t&) noexcept {
    put(sp[-3], frame.moduli->multiply(sp[-1], sp[-2], sp[-3]));
    sp -= 2;
    return true;
}
HEDDLE_BODY bool exp(Frame& frame, Uint256*& sp, std::int64_t& gas) noexcept {
    const auto bytes = static_cast<std::int64_t>(byte_width(sp[-2]));
    if (!charge(frame, gas, frame.schedule->exp_byte * bytes)) return false;
    put(sp[-2], heddle::exp(sp[-1], sp[-2]));
    --sp;
    return true;
}
HEDDLE_BODY bool signextend(Frame&, Uint256*& sp, std::int64_t&) noexcept {
    const Uint256& index = sp[-1];
    if (index.fits_uint64() && index.low64() < 31) {
        // The sign bit's word is extended to its top, the words above it become copies of the sign.
        Uint256& value = sp[-2];
        const std::uint64_t word = index.low64() / 8;
        const std::uint64_t shift = 56 - 8 * (index.low64() % 8);
        const auto extended = static_cast<std::int64_t>(value.words[word] << shift) >> shift;
        const auto sign = static_cast<std::uint64_t>(extended >> 63);
        value.words[word] = static_cast<std::uint64_t>(extended);
        for (std::uint64_t i = 1; i < 4; ++i)
            if (i > word) value.words[i] = sign;
    }
    --sp;
    return true;
}

/// Whether a < b where the top words are equal.
HEDDLE_BODY bool is_less_below_top(const Uint256& a, const Uint256& b) noexcept {
    if (a.words[2] != b.words[2]) [[unlikely]]
        return a.words[2] < b.words[2];
    const uint128 a_low = uint128{a.words[1]} << 64 | a.words[0];
    const uint128 b_low = uint128{b.words[1]} << 64 | b.words[0];
    return a_low < b_low;
}
/// Whether a < b. The words of the upper half decide where they differ, which are jumps and no
/// calculation: what a comparison gives has an upper half that is known to be zero, so that a
/// comparison with it need not wait for the other one, and neither do those that follow.
HEDDLE_BODY bool is_less(const Uint256& a, const Uint256& b) noexcept {
    if (a.words[3] != b.words[3]) [[unlikely]]
        return a.words[3] < b.words[3];
    return is_less_below_top(a, b);
}
/// The same of two's complements. Where the top words are equal so are the signs.
HEDDLE_BODY bool is_signed_less(const Uint256& a, const Uint256& b) noexcept {
    if (a.words[3] != b.words[3]) [[unlikely]]
        return static_cast<std::int64_t>(a.words[3]) < static_cast<std::int64_t>(b.words[3]);
    return is_less_below_top(a, b);
}

HEDDLE_BODY bool lt(Frame&, Uint256*& sp, std::int64_t&) noexcept {
    sp[-2] = Uint256{static_cast<std::uint64_t>(is_less(sp[-1], sp[-2]))};
    --sp;
    return true;
}
HEDDLE_BODY bool gt(Frame&, Uint256*& sp, std::int64_t&) noexcept {
    sp[-2] = Uint256{static_cast<std::uint64_t>(is_less(sp[-2], sp[-1]))};
    --sp;
    return true;
}
HEDDLE_BODY bool slt(Frame&, Uint256*& sp, std::int64_t&) noexcept {
    sp[-2] = Uint256{static_cast<std::uint64_t>(is_signed_less(sp[-1], sp[-2]))};
    --sp;
    return true;
}
HEDDLE_BODY bool sgt(Frame&, Uint256*& sp, std::int64_t&) noexcept {
    sp[-2] = Uint256{static_cast<std::uint64_t>(is_signed_less(sp[-2], sp[-1]))};
    --sp;
    return true;
}
HEDDLE_BODY bool eq(Frame&, Uint256*& sp, std::int64_t&) noexcept {
    sp[-2] = Uint256{static_cast<std::uint64_t>(sp[-1] == sp[-2])};
    --sp;
    return true;
}
HEDDLE_BODY bool iszero(Frame&, Uint256*& sp, std::int64_t&) noexcept {
    sp[-1] = Uint256{static_cast<std::uint64_t>(sp[-1].is_zero())};
    return true;
}
HEDDLE_BODY bool bit_and(Frame&, Uint256*& sp, std::int64_t&) noexcept {
    sp[-2] = sp[-1] & sp[-2];
    --sp;
    return true;
}
HEDDLE_BODY bool bit_or(Frame&, Uint256*& sp, std::int64_t&) noexcept {
    sp[-2] = sp[-1] | sp[-2];
    --sp;
    return true;
}
HEDDLE_BODY bool bit_xor(Frame&, Uint256*& sp, std::int64_t&) noexcept {
    sp[-2] = sp[-1] ^ sp[-2];
    --sp;
    return true;
}
HEDDLE_BODY bool bit_not(Frame&, Uint256*& sp, std::int64_t&) noexcept {
    sp[-1] = ~sp[-1];
    return true;
}
HEDDLE_BODY bool byte(Frame&, Uint256*& sp, std::int64_t&) noexcept {
    const Uint256& index = sp[-1];
    std::uint64_t value = 0;
    if (index.fits_uint64() && index.low64() < 32) {
        const std::uint64_t position = 31 - index.low64();  // from the least significant byte
        value = sp[-2].words[position / 8] >> (8 * (position % 8)) & 0xff;
    }
    sp[-2] = Uint256{value};
    --sp;
    return true;
}

/// Shift amounts beyond 64 bits act as any amount of 256 or more.
HEDDLE_BODY std::uint64_t shift_amount(const Uint256& amount) noexcept {
    return amount.fits_uint64() ? amount.low64() : 256;
}
HEDDLE_BODY bool shl(Frame&, Uint256*& sp, std::int64_t&) noexcept {
    sp[-2] = sp[-2] << shift_amount(sp[-1]);
    --sp;
    return true;
}
HEDDLE_BODY bool shr(Frame&, Uint256*& sp, std::int64_t&) noexcept {
    sp[-2] = sp[-2] >> shift_amount(sp[-1]);
    --sp;
    return true;
}
HEDDLE_BODY bool sar(Frame&, Uint256*& sp, std::int64_t&) noexcept {
    sp[-2] = arithmetic_shift_right(sp[-2], shift_amount(sp[-1]));
    --sp;
    return true;
}
/// EIP-7939.
HEDDLE_BODY bool clz(Frame&, Uint256*& sp, std::int64_t&) noexcept {
    sp[-1] = Uint256{256 - bit_width(sp[-1])};
    return true;
}

}  // namespace heddle::vm::instructions
