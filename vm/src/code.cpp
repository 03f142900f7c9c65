// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "code.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <span>

#include "code_decoder.hpp"

namespace heddle::vm {
namespace {

/// A whole stretch may be read at the end of the code, see find_jump_destinations().
constexpr std::size_t kPadding = kCodeStretch;

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

Code::Code(BytesView bytes, const GasSchedule& schedule, const NativeCode* native)
    : size_(bytes.size()),
      padded_(std::make_unique_for_overwrite<std::uint8_t[]>(bytes.size() + kPadding)),
      schedule_(schedule),
      native_(native),
      stretches_(std::make_unique<Stretch[]>(bytes.size() / kStretch + 1)),
      entries_(std::make_unique<RoughCount[]>(bytes.size() / kStretch + 1)) {
    if (!bytes.empty()) std::memcpy(padded_.get(), bytes.data(), bytes.size());
    std::memset(padded_.get() + bytes.size(), 0, kPadding);
}

/// Calling a contract that nobody has called lately costs the same whatever its size, and a jump
/// the same wherever it leads. So what is not told by the bytes near a stretch is found for the
/// whole code, once.
std::uint64_t Code::find_destinations(std::size_t stretch) const noexcept {
    if (has_all_destinations_.get() == 0) {
        const auto alone = find_jump_destinations_alone(padded_.get(), stretch);
        if (alone && *alone != kNotLookedAt) {
            stretches_[stretch].destinations.set(*alone);
            return *alone;
        }
        std::array<std::uint64_t, 64> found;
        const std::size_t all = (size_ + kStretch - 1) / kStretch;
        for (std::size_t first = 0, next = 0; first < all; first += found.size()) {
            const std::span part(found.data(), std::min(found.size(), all - first));
            find_jump_destinations(padded_.get() + first * kStretch, next, part);
            for (std::size_t i = 0; i < part.size(); ++i)
                stretches_[first + i].destinations.set(part[i]);
        }
        has_all_destinations_.set(1);
    }
    return stretches_[stretch].destinations.get();
}

std::size_t Code::destinations_in_a_row(std::uint64_t pc) const noexcept {
    const std::uint64_t from_here = destinations(pc / kStretch) >> (pc % kStretch);
    return static_cast<std::size_t>(std::countr_one(from_here));
}

const Instruction* Code::find_or_decode(Publication<const Instruction>& place,
                                        const Instruction* absent,
                                        std::uint64_t pc) const noexcept {
    const auto decode = [&]() -> const Instruction* {
        return CodeDecoder(*this, schedule_, decoded_).decode(pc)->instructions();
    };
    return place.get_or_make(absent, decode, [](const Instruction*) {});
}

const Instruction* Code::entry() const noexcept {
    return find_or_decode(entry_, nullptr, 0);
}

const Instruction* Code::block_at(std::uint64_t pc) const noexcept {
    if (!is_jump_destination(pc)) return nullptr;
    const std::uint64_t all = destinations(pc / kStretch);
    const auto count = static_cast<std::size_t>(std::popcount(all));
    const auto make = [&] {
        auto* const places = static_cast<Landing*>(decoded_.take(count * sizeof(Landing)));
        std::uninitialized_value_construct_n(places, count);
        return places;
    };
    Landing* const landings =
        stretches_[pc / kStretch].landings.get_or_make(nullptr, make, [](Landing*) {});
    return find_or_decode(landings[landing_at(all, pc % kStretch)], nullptr, pc);
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
           (size_ / kStretch + 1) * (sizeof(Stretch) + sizeof(RoughCount)) + decoded_.size_bytes();
}

}  // namespace heddle::vm
