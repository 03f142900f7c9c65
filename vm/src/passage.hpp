// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A passage of decoded code in one piece of memory: its instructions, the stubs of its links, and
// the constants wider than 64 bits that its instructions point to.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>

#include <types/uint256.hpp>

#include "instruction.hpp"

namespace heddle::vm {

/// Immutable once made, but for the operands of its links, which are published.
/// Ownership: a SharedPile of its code.
class Passage {
public:
    /// @param stubs  How many instructions to leave room for behind those given.
    [[nodiscard]] static Passage* make(std::span<const Instruction> instructions, std::size_t stubs,
                                       std::span<const Uint256> constants) noexcept {
        const std::size_t count = instructions.size() + stubs;
        const std::size_t size =
            sizeof(Passage) + count * sizeof(Instruction) + constants.size() * sizeof(Uint256);
        auto* const passage = new (::operator new(size)) Passage;
        passage->size_bytes_ = static_cast<std::uint32_t>(size);
        passage->constants_offset_ = static_cast<std::uint32_t>(count);
        std::ranges::uninitialized_copy(instructions,
                                        std::span(passage->instructions(), instructions.size()));
        std::uninitialized_default_construct_n(passage->instructions() + instructions.size(),
                                               stubs);
        std::ranges::uninitialized_copy(constants,
                                        std::span(passage->constants(), constants.size()));
        return passage;
    }
    static void destroy(Passage* passage) noexcept { ::operator delete(passage); }

    [[nodiscard]] Instruction* instructions() noexcept {
        return reinterpret_cast<Instruction*>(this + 1);
    }
    [[nodiscard]] Uint256* constants() noexcept {
        return reinterpret_cast<Uint256*>(instructions() + constants_offset_);
    }

    [[nodiscard]] std::size_t size_bytes() const noexcept { return size_bytes_; }

    Passage* older = nullptr;  // for SharedPile

private:
    Passage() = default;

    std::uint32_t constants_offset_ = 0;  // in instructions
    std::uint32_t size_bytes_ = 0;
};
static_assert(sizeof(Passage) % alignof(Instruction) == 0);

}  // namespace heddle::vm
