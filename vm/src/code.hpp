// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Code made ready to run: its bytes, where it may jump, and what of it is decoded. Any number of
// workers share it and decode as they go.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include <types/address.hpp>
#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/publication.hpp>
#include <types/revision.hpp>
#include <types/shared_arena.hpp>
#include <types/uint256.hpp>

#include "gas_schedule.hpp"
#include "instruction.hpp"
#include "jump_destinations.hpp"

namespace heddle::vm {

class NativeCode;

/// Bytes before the address in a delegation's code (EIP-7702).
inline constexpr std::uint8_t kDelegationPrefix[3] = {0xef, 0x01, 0x00};
inline constexpr std::size_t kDelegationSize = 23;

/// The delegation target if `code` is an EIP-7702 designator. Before Prague nothing is: until
/// London such code could be deployed, and it runs as what it is.
[[nodiscard]] std::optional<Address> delegation_target(BytesView code, Revision revision) noexcept;

/// A passage is what is decoded together: code from a jump destination, or from where another
/// passage ends, up to where control goes elsewhere, or kPassageOpcodes on. Passages do not overlap
/// but for rows of JUMPDEST, so that all of them together are as long as the code.
inline constexpr std::size_t kPassageOpcodes = 128;

/// Code and those of its passages that somebody has entered. Decoding at first entry makes its cost
/// follow what is executed, which is a tenth of the bytes of most contracts: before a passage is
/// decoded the gas for coming there has been paid, and at most kPassageOpcodes opcodes are decoded
/// that nobody pays for. Jump destinations are found in the same way, by stretches.
/// Thread safety: any number of threads at a time. Bytes are immutable; passages are published, see
/// Publication. The destinations of a stretch go from kNotLookedAt to what follows from the bytes.
/// Complexity: a passage is decoded once, or once for each thread that comes there meanwhile; what
/// comes second takes memory as long as the code does.
class Code {
public:
    /// Copies `bytes`.
    /// @param schedule  Outlives it.
    /// @param native    Runs in place of the bytes, and outlives it; null: the bytes run.
    Code(BytesView bytes, const GasSchedule& schedule, const NativeCode* native = nullptr);
    Code(const Code&) = delete;
    Code& operator=(const Code&) = delete;
    ~Code() = default;

    [[nodiscard]] BytesView bytes() const noexcept { return {padded_.get(), size_}; }
    /// The bytes with at least 33 zero bytes (STOP) behind them: reading a PUSH operand that the
    /// code cuts short needs no check.
    [[nodiscard]] const std::uint8_t* padded() const noexcept { return padded_.get(); }
    [[nodiscard]] const NativeCode* native() const noexcept { return native_; }
    [[nodiscard]] bool is_jump_destination(std::uint64_t pc) const noexcept {
        return pc < size_ && (destinations(pc / kStretch) >> (pc % kStretch) & 1) != 0;
    }
    /// How many jump destinations stand in a row at the jump destination `pc`, as far as one looks:
    /// not beyond the next multiple of kStretch.
    [[nodiscard]] std::size_t destinations_in_a_row(std::uint64_t pc) const noexcept;

    /// How often the stretch of `pc` has been entered, as enter() has counted: at most
    /// RoughCount::kMost times.
    [[nodiscard]] unsigned entries(std::uint64_t pc) const noexcept {
        return entries_[pc / kStretch].get();
    }
    /// Notes that control enters at `pc`, which is in the code or at its end.
    void enter(std::uint64_t pc) const noexcept { entries_[pc / kStretch].add_one(); }

    /// Where execution begins; decoded now if need be.
    [[nodiscard]] const Instruction* entry() const noexcept;
    /// The block at a jump destination, decoded now if need be. Null when `pc` is none.
    [[nodiscard]] const Instruction* block_at(std::uint64_t pc) const noexcept;
    /// The same where it is decoded already, without looking further: null otherwise.
    [[nodiscard]] const Instruction* decoded_block(const Uint256& pc) const noexcept {
        if (!pc.fits_uint64() || pc.low64() >= size_) return nullptr;
        const Stretch& stretch = stretches_[pc.low64() / kStretch];
        const Landing* landings = stretch.landings.get();
        if (landings == nullptr) return nullptr;
        // Whoever made the landings had found the destinations.
        const std::uint64_t known = stretch.destinations.get();
        const std::size_t place = pc.low64() % kStretch;
        if ((known >> place & 1) == 0) return nullptr;
        return landings[landing_at(known, place)].get();
    }
    /// Where a link of this code leads, decoded now if need be.
    [[nodiscard]] const Instruction* follow(const Instruction& link) const noexcept;

    /// Memory that it takes, in bytes; grows as it is decoded.
    [[nodiscard]] std::size_t size_in_memory() const noexcept;

private:
    static constexpr std::size_t kStretch = kCodeStretch;
    /// Also the value of a stretch that is nothing but destinations, see destinations().
    static constexpr std::uint64_t kNotLookedAt = ~std::uint64_t{0};

    /// The block at a jump destination; null where nobody has been yet.
    using Landing = Publication<const Instruction>;
    struct Stretch {
        SharedWord destinations{kNotLookedAt};   // one bit a byte of code
        Publication<Landing> landings{nullptr};  // an array, one for each destination
    };
    /// Index of the landing at this place in a stretch with these destinations.
    [[nodiscard]] static std::size_t landing_at(std::uint64_t destinations,
                                                std::size_t place) noexcept {
        return static_cast<std::size_t>(
            std::popcount(destinations & ((std::uint64_t{1} << place) - 1)));
    }

    /// The jump destinations of a stretch, found now if need be.
    [[nodiscard]] std::uint64_t destinations(std::size_t stretch) const noexcept {
        const std::uint64_t known = stretches_[stretch].destinations.get();
        return known != kNotLookedAt ? known : find_destinations(stretch);
    }
    [[nodiscard]] std::uint64_t find_destinations(std::size_t stretch) const noexcept;
    [[nodiscard]] const Instruction* find_or_decode(Publication<const Instruction>& place,
                                                    const Instruction* absent,
                                                    std::uint64_t pc) const noexcept;

    // Immutable after construction.
    std::size_t size_;
    std::unique_ptr<std::uint8_t[]> padded_;
    const GasSchedule& schedule_;
    const NativeCode* native_;
    // Shared: places that are published, and what they point to.
    std::unique_ptr<Stretch[]> stretches_;
    mutable Publication<const Instruction> entry_{nullptr};
    mutable SharedArena decoded_;  // passages and landings
    mutable SharedWord has_all_destinations_{0};
    std::unique_ptr<RoughCount[]> entries_;  // by stretch
};

}  // namespace heddle::vm
