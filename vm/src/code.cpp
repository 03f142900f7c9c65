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

constexpr std::size_t kStretch = Code::kStretch;

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

Code::Code(BytesView bytes, const GasSchedule& schedule, const NativeCode* native)
    : size_(bytes.size()),
      padded_(std::make_unique_for_overwrite<std::uint8_t[]>(bytes.size() + kPadding)),
      schedule_(schedule),
      native_(native),
      stretches_(std::make_unique<Stretch[]>(bytes.size() / kStretch + 1)),
      entries_(std::make_unique<RoughCount[]>(bytes.size() / kStretch + 1)) {
    if (!bytes.empty()) std::memcpy(padded_.get(), bytes.data(), bytes.size());
    std::memset(padded_.get() + bytes.size(), 0, kPadding);
    find_jump_destinations();
}

Code::~Code() {
    for (std::size_t i = 0; i <= size_ / kStretch; ++i)
        delete[] stretches_[i].landings.value;
}

/// Calling a contract that nobody has called lately costs the same whatever its size, so this is
/// the most that a unit of gas can be made to do: 64 bytes at once, and a few steps for each PUSH.
void Code::find_jump_destinations() {
    std::size_t pc = 0;  // the next opcode
    for (std::size_t start = 0; start < size_; start += kStretch) {
        const std::uint8_t* const code = padded_.get() + start;
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
        stretches_[start / kStretch].destinations = marks.destinations & opcodes;
    }
}

std::size_t Code::destinations_in_a_row(std::uint64_t pc) const noexcept {
    const std::uint64_t from_here = stretches_[pc / kStretch].destinations >> (pc % kStretch);
    return static_cast<std::size_t>(std::countr_one(from_here));
}

const Instruction* Code::find_or_decode(Publication<const Instruction>& place,
                                        const Instruction* absent,
                                        std::uint64_t pc) const noexcept {
    Passage* decoded = nullptr;
    const auto decode = [&]() -> const Instruction* {
        decoded = CodeDecoder(*this, schedule_).decode(pc);
        return decoded->instructions();
    };
    const auto discard = [&](const Instruction*) {
        Passage::destroy(decoded);
        decoded = nullptr;
    };
    const Instruction* const block = place.get_or_make(absent, decode, discard);
    if (decoded != nullptr) {
        decoded_bytes_.add(decoded->size_bytes());
        passages_.add(decoded);
    }
    return block;
}

const Instruction* Code::entry() const noexcept {
    return find_or_decode(entry_, nullptr, 0);
}

const Instruction* Code::block_at(std::uint64_t pc) const noexcept {
    if (!is_jump_destination(pc)) return nullptr;
    Stretch& stretch = stretches_[pc / kStretch];
    const auto count = static_cast<std::size_t>(std::popcount(stretch.destinations));
    const auto make = [&] {
        decoded_bytes_.add(count * sizeof(Landing));
        return new Landing[count]();
    };
    const auto discard = [&](Landing* made) {
        decoded_bytes_.add(0 - count * sizeof(Landing));
        delete[] made;
    };
    Landing* const landings = stretch.landings.get_or_make(nullptr, make, discard);
    return find_or_decode(landings[stretch.landing_at(pc % kStretch)], nullptr, pc);
}

const Instruction* Code::follow(const Instruction& link) const noexcept {
    // All but the operand of a link is immutable; no instruction was made const.
    auto& target = const_cast<Instruction&>(link).target;
    const Instruction* const known = target.get();
    if (!known->is_stub()) return known;
    const std::uint64_t pc = known->undecoded_pc;
    if (!is_jump_destination(pc)) return find_or_decode(target, known, pc);
    const Instruction* const block = block_at(pc);
    return target.get_or_make(known, [&] { return block; }, [](const Instruction*) {});
}

std::size_t Code::size_in_memory() const noexcept {
    return sizeof(Code) + size_ + kPadding +
           (size_ / kStretch + 1) * (sizeof(Stretch) + sizeof(RoughCount)) + decoded_bytes_.get();
}

}  // namespace heddle::vm
