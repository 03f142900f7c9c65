// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "code.hpp"

#include <algorithm>
#include <cstring>

#include "code_decoder.hpp"

namespace heddle::vm {
namespace {

constexpr std::size_t kPadding = 33;

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

Code::Code(BytesView bytes, const GasSchedule& schedule, bool decode)
    : size_(bytes.size()), padded_(bytes.size() + kPadding), destinations_(bytes.size() / 64 + 1) {
    if (!bytes.empty()) std::memcpy(padded_.data(), bytes.data(), bytes.size());
    find_jump_destinations();
    if (decode) CodeDecoder(*this, schedule).run();
}

void Code::find_jump_destinations() {
    for (std::size_t pc = 0; pc < size_; ++pc) {
        const std::uint8_t opcode = padded_[pc];
        if (opcode == OP_JUMPDEST)
            destinations_[pc / 64] |= std::uint64_t{1} << (pc % 64);
        else if (opcode >= OP_PUSH1 && opcode <= OP_PUSH32)
            pc += opcode - OP_PUSH1 + 1u;
    }
}

std::size_t Code::size_in_memory() const noexcept {
    return sizeof(Code) + padded_.capacity() + destinations_.capacity() * sizeof(std::uint64_t) +
           instructions_.capacity() * sizeof(Instruction) +
           targets_.capacity() * sizeof(std::uint32_t) + constant_count_ * sizeof(Uint256);
}

}  // namespace heddle::vm
