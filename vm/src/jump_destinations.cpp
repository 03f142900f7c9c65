// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "jump_destinations.hpp"

#include <algorithm>
#include <array>
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

/// Walks through stretches one behind the other.
using Walk = void(const std::uint8_t* code, std::size_t& next, std::span<std::uint64_t> found);

void walk_by_pushes(const std::uint8_t* code, std::size_t& next, std::span<std::uint64_t> found) {
    for (std::uint64_t& destinations : found) {
        destinations = find_jump_destinations(code, next);
        code += kStretch;
    }
}

#ifdef __x86_64__

// Two chunks at once, in the halves of a vector. For each byte of a chunk, taken for an opcode, the
// place of the opcode 1, 2, 4, 8 and 16 further on is found by looking up places in places, before
// it is known where the chunk is entered. Only the entry is handed on from chunk to chunk, so what
// waits is short. A byte then is an opcode if leaps from the entry, large ones first and none
// beyond the byte, end on it.
//
// Places are written with kPlace added, which gives those behind the chunk the highest bit. For
// these PSHUFB looks nothing up and gives zero.
constexpr char kPlace = 0x70;
constexpr std::size_t kLeaps = 4;  // of 1, 2, 4 and 8 opcodes

[[gnu::target("avx2"), gnu::always_inline]] inline std::uint64_t bits(__m256i found) noexcept {
    return static_cast<unsigned>(_mm256_movemask_epi8(found));
}

struct ChunkPair {
    __m256i leaps[kLeaps];
    /// The first opcode that is not in the chunk, counted from its end.
    __m256i exit;
};

[[gnu::target("avx2"), gnu::always_inline]] inline ChunkPair leaps_of(__m256i bytes,
                                                                      __m256i places) noexcept {
    const __m256i no_push = _mm256_set1_epi8(OP_PUSH1 - 1);
    const __m256i data = _mm256_subs_epu8(_mm256_max_epi8(bytes, no_push), no_push);
    ChunkPair pair;
    __m256i leap = _mm256_add_epi8(_mm256_add_epi8(places, _mm256_set1_epi8(1)), data);
    for (__m256i& kept : pair.leaps) {
        kept = leap;
        // Places grow with each opcode; where the chunk has been left, zero is looked up.
        leap = _mm256_max_epu8(_mm256_shuffle_epi8(leap, leap), leap);
    }
    // 16 opcodes leave any chunk.
    pair.exit = _mm256_and_si256(leap, _mm256_set1_epi8(0x7f));
    return pair;
}

/// From where a chunk is entered, counted from its first byte, to where the next one is, in all
/// bytes of a vector.
/// @param place  The entry as a place.
[[gnu::target("avx2"), gnu::always_inline]] inline __m128i next_entry(__m128i exits, __m128i entry,
                                                                      __m128i place) noexcept {
    return _mm_or_si128(_mm_shuffle_epi8(exits, place),
                        _mm_subs_epu8(entry, _mm_set1_epi8(kChunk)));
}

/// The jump destinations of two chunks; `entry` goes from the first one to the one behind both.
[[gnu::target("avx2"), gnu::always_inline]] inline std::uint64_t chunk_pair_destinations(
    __m256i bytes, __m128i& entry) noexcept {
    const __m256i places =
        _mm256_add_epi8(_mm256_broadcastsi128_si256(
                            _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)),
                        _mm256_set1_epi8(kPlace));
    const ChunkPair pair = leaps_of(bytes, places);
    const __m128i to_place = _mm_set1_epi8(kPlace);
    const __m128i first = _mm_adds_epu8(entry, to_place);
    entry = next_entry(_mm256_castsi256_si128(pair.exit), entry, first);
    const __m128i second = _mm_adds_epu8(entry, to_place);
    entry = next_entry(_mm256_extracti128_si256(pair.exit, 1), entry, second);

    const __m256i entries = _mm256_inserti128_si256(_mm256_castsi128_si256(first), second, 1);
    __m256i reached = entries;
    for (std::size_t k = kLeaps; k-- > 0;) {
        const __m256i further = _mm256_shuffle_epi8(pair.leaps[k], reached);
        // As signed bytes, those behind the chunk are the smallest.
        const __m256i too_far = _mm256_cmpgt_epi8(further, places);
        reached = _mm256_max_epi8(reached, _mm256_andnot_si256(too_far, further));
    }
    const __m256i is_opcode = _mm256_cmpeq_epi8(reached, places);
    const __m256i is_destination = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(OP_JUMPDEST));
    const __m256i found = _mm256_and_si256(is_opcode, is_destination);
    // Nothing in a chunk that is entered behind it.
    return bits(_mm256_andnot_si256(entries, found));
}

std::size_t lowest_byte(__m128i bytes) noexcept {
    return static_cast<std::size_t>(_mm_cvtsi128_si32(bytes) & 0xff);
}

[[gnu::target("avx2")]] void walk_by_leaps(const std::uint8_t* code, std::size_t& next,
                                           std::span<std::uint64_t> found) {
    __m128i entry = _mm_set1_epi8(static_cast<char>(next));
    for (std::uint64_t& destinations : found) {
        const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(code));
        const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(code) + 1);
        const __m256i is_push =
            _mm256_cmpgt_epi8(_mm256_max_epi8(low, high), _mm256_set1_epi8(OP_PUSH1 - 1));
        if (_mm256_testz_si256(is_push, is_push)) {
            const __m256i sought = _mm256_set1_epi8(OP_JUMPDEST);
            const std::uint64_t all =
                bits(_mm256_cmpeq_epi8(low, sought)) | bits(_mm256_cmpeq_epi8(high, sought)) << 32;
            destinations = all & bits_from(lowest_byte(entry));
            entry = _mm_subs_epu8(entry, _mm_set1_epi8(kStretch));
        } else {
            destinations = chunk_pair_destinations(low, entry);
            destinations |= chunk_pair_destinations(high, entry) << 32;
        }
        code += kStretch;
    }
    next = lowest_byte(entry);
}

Walk* choose_walk() noexcept {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") != 0 ? walk_by_leaps : walk_by_pushes;
}

#else

Walk* choose_walk() noexcept {
    return walk_by_pushes;
}

#endif

}  // namespace

std::optional<std::uint64_t> find_jump_destinations_alone(const std::uint8_t* code,
                                                          std::size_t stretch) {
    const Covers covers = cover_stretch(code, stretch);
    const std::uint64_t sure = covers.destinations & ~covers.covered;
    const std::uint64_t open = covers.destinations & covers.covered;
    if (open == 0) return sure;
    // The last one before all that is open.
    const auto first_open = static_cast<std::size_t>(std::countr_zero(open));
    auto opcode = last_sure_opcode(covers.covered | bits_from(first_open), stretch);
    if (!opcode) opcode = sure_opcode_before(code, stretch);
    if (!opcode) return std::nullopt;
    const std::size_t start = *opcode / kStretch;
    std::size_t next = *opcode % kStretch;
    std::array<std::uint64_t, kStretchesLookedBack + 1> found;
    const std::span walked(found.data(), stretch - start + 1);
    find_jump_destinations(code + start * kStretch, next, walked);
    return sure | walked.back();
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

void find_jump_destinations(const std::uint8_t* code, std::size_t& next,
                            std::span<std::uint64_t> found) {
    static Walk* const walk = choose_walk();
    walk(code, next, found);
}

}  // namespace heddle::vm
