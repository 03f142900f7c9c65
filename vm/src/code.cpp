// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "code.hpp"

#include <algorithm>
#include <bit>
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

namespace {

/// What the search for jump destinations has to know of eight bytes of code.
struct Octet {
    bool has_push = false;
    std::uint64_t destinations = 0;  // a bit for each byte, the first one lowest
};

/// The highest bit of each byte that is zero.
constexpr std::uint64_t zero_bytes(std::uint64_t bytes) noexcept {
    constexpr std::uint64_t kLow = 0x7f7f'7f7f'7f7f'7f7f;
    return ~(((bytes & kLow) + kLow) | bytes | kLow);
}

Octet look_at(const std::uint8_t* code) noexcept {
    constexpr std::uint64_t kEach = 0x0101'0101'0101'0101;
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, code, sizeof bytes);
    if constexpr (std::endian::native == std::endian::big) bytes = __builtin_bswap64(bytes);
    // PUSH1 to PUSH32 are 0x60 to 0x7f.
    static_assert(OP_PUSH1 == 0x60 && OP_PUSH32 == 0x7f);
    const bool has_push = zero_bytes((bytes & kEach * 0xe0) ^ kEach * 0x60) != 0;
    // Multiplying puts bit 8 i of the word at bit 56 + i.
    const std::uint64_t marks = zero_bytes(bytes ^ kEach * OP_JUMPDEST) >> 7;
    return {has_push, marks * 0x0102'0408'1020'4080 >> 56};
}

}  // namespace

Code::Code(BytesView bytes, const GasSchedule& schedule, bool decode)
    : size_(bytes.size()), padded_(bytes.size() + kPadding), destinations_(bytes.size() / 64 + 1) {
    if (!bytes.empty()) std::memcpy(padded_.data(), bytes.data(), bytes.size());
    find_jump_destinations();
    if (decode) CodeDecoder(*this, schedule).run();
}

/// Calling a contract that nobody has called lately costs the same whatever its size, so this is
/// the most that a unit of gas can be made to do: eight bytes at once where none of them is a PUSH,
/// and one store for each 64 bytes.
void Code::find_jump_destinations() {
    std::size_t pc = 0;
    for (std::size_t start = 0; start < size_; start += 64) {
        const std::size_t end = std::min(start + 64, size_);
        std::uint64_t found = 0;
        while (pc < end) {
            if (pc + 8 <= end) {
                const Octet octet = look_at(padded_.data() + pc);
                if (!octet.has_push) {
                    found |= octet.destinations << (pc - start);
                    pc += 8;
                    continue;
                }
            }
            const std::uint8_t opcode = padded_[pc];
            found |= std::uint64_t{opcode == OP_JUMPDEST} << (pc - start);
            pc += opcode >= OP_PUSH1 && opcode <= OP_PUSH32 ? opcode - OP_PUSH1 + 2u : 1u;
        }
        destinations_[start / 64] = found;
    }
}

std::size_t Code::size_in_memory() const noexcept {
    return sizeof(Code) + padded_.capacity() + destinations_.capacity() * sizeof(std::uint64_t) +
           instructions_.capacity() * sizeof(Instruction) +
           targets_.capacity() * sizeof(std::uint32_t) + constant_count_ * sizeof(Uint256);
}

}  // namespace heddle::vm
