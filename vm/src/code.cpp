// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "code.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "code_decoder.hpp"

namespace heddle::vm {
namespace {

/// A whole stretch may be read at the end of the code, see find_jump_destinations().
constexpr std::size_t kPadding = 64;

}  // namespace

std::optional<Address> delegation_target(BytesView code, Revision revision) noexcept {
    if (revision < Revision::prague) return std::nullopt;
    if (code.size() != kDelegationSize ||
        !std::equal(std::begin(kDelegationPrefix), std::end(kDelegationPrefix), code.begin()))
        return std::nullopt;
    Address target;
    std::copy(code.begin() + sizeof kDelegationPrefix, code.end(), target.bytes.begin());
    return target;
}

namespace {

constexpr std::size_t kStretch = 64;  // bytes of code that are looked at together

/// What the search for jump destinations has to know of a stretch: a bit for each byte, the first
/// one lowest. Bytes of data are looked at as if they were opcodes.
struct Marks {
    std::uint64_t pushes = 0;  // PUSH1 to PUSH32
    std::uint64_t destinations = 0;
};
// As a signed byte, what is above 0x5f is 0x60 to 0x7f.
static_assert(OP_PUSH1 == 0x60 && OP_PUSH32 == 0x7f);

#ifdef __SSE2__

Marks look_at(const std::uint8_t* code) noexcept {
    const __m128i destination = _mm_set1_epi8(OP_JUMPDEST);
    const __m128i below_push = _mm_set1_epi8(OP_PUSH1 - 1);
    Marks marks;
    for (unsigned i = 0; i < kStretch; i += 16) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(code + i));
        const auto bits = [i](__m128i found) {
            return std::uint64_t{static_cast<unsigned>(_mm_movemask_epi8(found))} << i;
        };
        marks.pushes |= bits(_mm_cmpgt_epi8(bytes, below_push));
        marks.destinations |= bits(_mm_cmpeq_epi8(bytes, destination));
    }
    return marks;
}

#else

Marks look_at(const std::uint8_t* code) noexcept {
    Marks marks;
    for (unsigned i = 0; i < kStretch; ++i) {
        marks.pushes |= std::uint64_t{code[i] >= OP_PUSH1 && code[i] <= OP_PUSH32} << i;
        marks.destinations |= std::uint64_t{code[i] == OP_JUMPDEST} << i;
    }
    return marks;
}

#endif

/// Bits `first` and above; none for 64.
constexpr std::uint64_t bits_from(std::size_t first) noexcept {
    return first < 64 ? ~std::uint64_t{0} << first : 0;
}

}  // namespace

Code::Code(BytesView bytes, const GasSchedule& schedule, bool decode)
    : size_(bytes.size()), padded_(bytes.size() + kPadding), destinations_(bytes.size() / 64 + 1) {
    if (!bytes.empty()) std::memcpy(padded_.data(), bytes.data(), bytes.size());
    find_jump_destinations();
    if (decode) CodeDecoder(*this, schedule).run();
}

/// Calling a contract that nobody has called lately costs the same whatever its size, so this is
/// the most that a unit of gas can be made to do: 64 bytes at once, and a few steps for each PUSH.
void Code::find_jump_destinations() {
    std::size_t pc = 0;  // the next opcode
    for (std::size_t start = 0; start < size_; start += kStretch) {
        const std::uint8_t* const code = padded_.data() + start;
        const Marks marks = look_at(code);
        std::uint64_t opcodes = 0;  // bytes that are no data
        std::size_t at = pc - start;
        while (at < kStretch) {
            const std::uint64_t pushes = marks.pushes & bits_from(at);
            if (pushes == 0) {
                opcodes |= bits_from(at);
                at = kStretch;
                break;
            }
            const auto push = static_cast<std::size_t>(std::countr_zero(pushes));
            opcodes |= bits_from(at) & ~bits_from(push + 1);
            at = push + 1 + (code[push] - OP_PUSH1 + 1u);
        }
        pc = start + at;
        destinations_[start / kStretch] = marks.destinations & opcodes;
    }
}

std::size_t Code::size_in_memory() const noexcept {
    return sizeof(Code) + padded_.capacity() + destinations_.capacity() * sizeof(std::uint64_t) +
           instructions_.capacity() * sizeof(Instruction) +
           targets_.capacity() * sizeof(std::uint32_t) + constant_count_ * sizeof(Uint256);
}

}  // namespace heddle::vm
