// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "jump_destinations.hpp"

#include <algorithm>
#include <bit>

#ifdef __SSE2__
#include <immintrin.h>
#endif

#include <vm/opcode.hpp>

namespace heddle::vm {
namespace {

constexpr std::size_t kStretch = kCodeStretch;
constexpr std::size_t kMostData = 32;  // of PUSH32
constexpr std::size_t kChunk = 16;     // bytes that are looked at in one step

/// Bits `first` and above; none for 64.
constexpr std::uint64_t bits_from(std::size_t first) noexcept {
    return first < 64 ? ~std::uint64_t{0} << first : 0;
}

/// Bytes behind this one until the next opcode, this one taken for an opcode.
constexpr std::size_t data_bytes(std::uint8_t opcode) noexcept {
    return opcode >= OP_PUSH1 && opcode <= OP_PUSH32 ? opcode - OP_PUSH1 + 1u : 0;
}

/// A bit for each byte of a chunk or stretch, the first one lowest. All bytes are looked at as if
/// they were opcodes.
struct Marks {
    std::uint64_t pushes = 0;  // PUSH1 to PUSH32
    std::uint64_t destinations = 0;
};
/// The same, with bytes that would be data if some byte before that looks like a PUSH were one.
struct Covers {
    std::uint64_t covered = 0;
    std::uint64_t destinations = 0;
    std::size_t reach = 0;  // how many bytes behind are covered
};

#ifdef __SSE2__

// As a signed byte, what is above 0x5f is 0x60 to 0x7f.
static_assert(OP_PUSH1 == 0x60 && OP_PUSH32 == 0x7f);

__m128i load(const std::uint8_t* code) noexcept {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(code));
}
std::uint64_t bits(__m128i found) noexcept {
    return static_cast<unsigned>(_mm_movemask_epi8(found));
}
__m128i pushes(__m128i bytes) noexcept {
    return _mm_cmpgt_epi8(bytes, _mm_set1_epi8(OP_PUSH1 - 1));
}
__m128i destinations(__m128i bytes) noexcept {
    return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(OP_JUMPDEST));
}

Marks mark_chunk(const std::uint8_t* code) noexcept {
    const __m128i bytes = load(code);
    return {bits(pushes(bytes)), bits(destinations(bytes))};
}

/// @param reach  How many bytes from here on are covered from before.
Covers cover_chunk(const std::uint8_t* code, std::size_t reach) noexcept {
    const __m128i bytes = load(code);
    const __m128i place = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    // PUSHn, which has the value 0x5f + n, covers at i what is before i + n + 1.
    const __m128i end = _mm_add_epi8(bytes, _mm_sub_epi8(place, _mm_set1_epi8(OP_PUSH1 - 2)));
    // The furthest end of a byte and those before it, in four doubling steps.
    __m128i ends = _mm_and_si128(end, pushes(bytes));
    ends = _mm_max_epu8(ends, _mm_slli_si128(ends, 1));
    ends = _mm_max_epu8(ends, _mm_slli_si128(ends, 2));
    ends = _mm_max_epu8(ends, _mm_slli_si128(ends, 4));
    ends = _mm_max_epu8(ends, _mm_slli_si128(ends, 8));
    const __m128i before =
        _mm_max_epu8(_mm_slli_si128(ends, 1), _mm_set1_epi8(static_cast<char>(reach)));
    const auto own = static_cast<std::size_t>(_mm_extract_epi16(ends, 7)) >> 8;
    const std::size_t furthest = std::max(own, reach);
    return {.covered = bits(_mm_cmpgt_epi8(before, place)),
            .destinations = bits(destinations(bytes)),
            .reach = furthest > kChunk ? furthest - kChunk : 0};
}

#else

Marks mark_chunk(const std::uint8_t* code) noexcept {
    Marks marks;
    for (std::size_t i = 0; i < kChunk; ++i) {
        marks.pushes |= std::uint64_t{data_bytes(code[i]) != 0} << i;
        marks.destinations |= std::uint64_t{code[i] == OP_JUMPDEST} << i;
    }
    return marks;
}

/// @param reach  How many bytes from here on are covered from before.
Covers cover_chunk(const std::uint8_t* code, std::size_t reach) noexcept {
    Covers covers;
    for (std::size_t i = 0; i < kChunk; ++i) {
        covers.covered |= std::uint64_t{reach > i} << i;
        covers.destinations |= std::uint64_t{code[i] == OP_JUMPDEST} << i;
        if (const std::size_t data = data_bytes(code[i]); data != 0)
            reach = std::max(reach, i + data + 1);
    }
    covers.reach = reach > kChunk ? reach - kChunk : 0;
    return covers;
}

#endif

Marks mark_stretch(const std::uint8_t* code) noexcept {
    Marks marks;
    for (std::size_t i = 0; i < kStretch; i += kChunk) {
        const Marks chunk = mark_chunk(code + i);
        marks.pushes |= chunk.pushes << i;
        marks.destinations |= chunk.destinations << i;
    }
    return marks;
}

Covers cover_stretch(const std::uint8_t* code, std::size_t stretch) noexcept {
    const std::uint8_t* const first = code + stretch * kStretch;
    Covers covers;
    if (stretch != 0)
        for (const std::uint8_t* chunk = first - kMostData; chunk != first; chunk += kChunk)
            covers.reach = cover_chunk(chunk, covers.reach).reach;
    for (std::size_t i = 0; i < kStretch; i += kChunk) {
        const Covers chunk = cover_chunk(first + i, covers.reach);
        covers.covered |= chunk.covered << i;
        covers.destinations |= chunk.destinations << i;
        covers.reach = chunk.reach;
    }
    return covers;
}

/// The last byte of the stretch that begins an opcode however the code before it is read.
std::optional<std::size_t> last_sure_opcode(std::uint64_t covered, std::size_t stretch) noexcept {
    if (~covered == 0) return std::nullopt;
    return stretch * kStretch + kStretch - 1 - static_cast<std::size_t>(std::countl_zero(~covered));
}

/// The same of the stretches before this one.
std::optional<std::size_t> sure_opcode_before(const std::uint8_t* code,
                                              std::size_t stretch) noexcept {
    const std::size_t first = stretch - std::min(stretch, kStretchesLookedBack);
    while (stretch-- > first)
        if (const auto found = last_sure_opcode(cover_stretch(code, stretch).covered, stretch))
            return found;
    return std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> find_jump_destinations_alone(const std::uint8_t* code,
                                                          std::size_t stretch) {
    const Covers covers = cover_stretch(code, stretch);
    std::uint64_t found = covers.destinations & ~covers.covered;
    std::uint64_t open = covers.destinations & covers.covered;
    const std::size_t first = stretch * kStretch;
    std::optional<std::size_t> opcode;  // begins there, at or before what is open
    while (open != 0) {
        const auto place = static_cast<std::size_t>(std::countr_zero(open));
        const std::uint64_t behind = bits_from(place);
        opcode = std::max(opcode, last_sure_opcode(covers.covered | behind, stretch));
        if (!opcode) opcode = sure_opcode_before(code, stretch);
        if (!opcode) return std::nullopt;
        while (*opcode < first + place)
            *opcode += 1 + data_bytes(code[*opcode]);
        if (*opcode == first + place) found |= behind & (0 - behind);
        open &= bits_from(std::max(place + 1, *opcode - first));
    }
    return found;
}

std::uint64_t find_jump_destinations(const std::uint8_t* code, std::size_t& next) {
    const Marks marks = mark_stretch(code);
    std::uint64_t opcodes = 0;  // bytes that are no data
    std::size_t at = next;
    while (at < kStretch) {
        const std::uint64_t pushes = marks.pushes & bits_from(at);
        if (pushes == 0) {
            opcodes |= bits_from(at);
            at = kStretch;
            break;
        }
        const auto push = static_cast<std::size_t>(std::countr_zero(pushes));
        opcodes |= bits_from(at) & ~bits_from(push + 1);
        at = push + 1 + data_bytes(code[push]);
    }
    next = at - kStretch;
    return marks.destinations & opcodes;
}

}  // namespace heddle::vm
