// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Code made ready to run: its bytes, where it may jump, and its decoded instructions. Immutable
// once made, so that any number of workers may share it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <types/address.hpp>
#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/revision.hpp>
#include <types/uint256.hpp>

#include "gas_schedule.hpp"
#include "instruction.hpp"

namespace heddle::vm {

/// Bytes before the address in a delegation's code (EIP-7702).
inline constexpr std::uint8_t kDelegationPrefix[3] = {0xef, 0x01, 0x00};
inline constexpr std::size_t kDelegationSize = 23;

/// The delegation target if `code` is an EIP-7702 designator. Before Prague nothing is: until
/// London such code could be deployed, and it runs as what it is.
[[nodiscard]] std::optional<Address> delegation_target(BytesView code, Revision revision) noexcept;

/// Thread safety: immutable after construction.
class Code {
public:
    /// Analyses a copy of `bytes` under the revision's rules.
    /// @param decode  Whether to decode for the fast interpreter; the plain one needs jump
    ///                destinations only.
    Code(BytesView bytes, const GasSchedule& schedule, bool decode);
    Code(const Code&) = delete;
    Code& operator=(const Code&) = delete;

    [[nodiscard]] BytesView bytes() const noexcept { return {padded_.data(), size_}; }
    /// The bytes with at least 33 zero bytes (STOP) behind them: reading a PUSH operand that the
    /// code cuts short needs no check.
    [[nodiscard]] const std::uint8_t* padded() const noexcept { return padded_.data(); }
    [[nodiscard]] bool is_jump_destination(std::uint64_t pc) const noexcept {
        return pc < size_ && (destinations_[pc / 64] >> (pc % 64) & 1) != 0;
    }

    [[nodiscard]] bool is_decoded() const noexcept { return !instructions_.empty(); }
    [[nodiscard]] const Instruction* entry() const noexcept { return instructions_.data(); }
    /// The instruction at a jump destination; null when `pc` is none.
    [[nodiscard]] const Instruction* jump_target(const Uint256& pc) const noexcept {
        if (!pc.fits_uint64() || pc.low64() >= size_ || targets_[pc.low64()] == 0) return nullptr;
        return instructions_.data() + targets_[pc.low64()] - 1;
    }
    /// Memory that it takes, in bytes.
    [[nodiscard]] std::size_t size_in_memory() const noexcept;

private:
    friend class CodeDecoder;
    void find_jump_destinations();

    std::size_t size_;
    Bytes padded_;
    std::vector<std::uint64_t> destinations_;  // one bit a byte of code
    // Decoded form; empty unless asked for.
    std::vector<Instruction> instructions_;
    std::vector<std::uint32_t> targets_;    // by pc: index of the instruction, at destinations only
    std::unique_ptr<Uint256[]> constants_;  // operands wider than 64 bits
    std::size_t constant_count_ = 0;
};

}  // namespace heddle::vm
