// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A passage of decoded code in one piece of memory: its instructions, the stubs of its links, and
// the constants wider than 64 bits that its instructions point to.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <span>

#include <types/shared_arena.hpp>
#include <types/uint256.hpp>

#include "instruction.hpp"

namespace heddle::vm {

/// Immutable once made, but for the operands of its links, which are published.
/// Ownership: the arena of its code.
class alignas(SharedArena::kAlignment) Passage {
public:
    /// @param stubs  How many instructions to leave room for behind those given.
    [[nodiscard]] static Passage* make(SharedArena& arena,
                                       std::span<const Instruction> instructions, std::size_t stubs,
                                       std::span<const Uint256> constants) noexcept {
        const std::size_t count = instructions.size() + stubs;
        auto* const passage = new (arena.take(sizeof(Passage) + count * sizeof(Instruction) +
                                              constants.size() * sizeof(Uint256))) Passage;
        passage->constants_offset_ = count;
        std::ranges::uninitialized_copy(instructions,
                                        std::span(passage->instructions(), instructions.size()));
        std::uninitialized_default_construct_n(passage->instructions() + instructions.size(),
                                               stubs);
        std::ranges::uninitialized_copy(constants,
                                        std::span(passage->constants(), constants.size()));
        return passage;
    }

    [[nodiscard]] Instruction* instructions() noexcept {
        return reinterpret_cast<Instruction*>(this + 1);
    }
    [[nodiscard]] Uint256* constants() noexcept {
        return reinterpret_cast<Uint256*>(instructions() + constants_offset_);
    }

private:
    Passage() = default;

    std::size_t constants_offset_ = 0;  // in instructions
};
static_assert(sizeof(Passage) % alignof(Instruction) == 0);
static_assert(SharedArena::kAlignment % alignof(Passage) == 0);

}  // namespace heddle::vm
