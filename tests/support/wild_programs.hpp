// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Programs that do whatever contracts can to their world: calls of every kind to whoever there is,
// precompiled contracts with inputs that get somewhere, creations that are called, destroyed or
// made again, offsets at the edges, gas that is just enough. What they find out they log or store.
// Unlike fuzz::ProgramGenerator's, which exercise an interpreter, they are about the host.
#pragma once

#include <cstdint>
#include <span>

#include <types/address.hpp>
#include <types/bytes.hpp>
#include <types/revision.hpp>
#include <workload/random.hpp>

#include "bytecode.hpp"

namespace heddle::test {

class WildPrograms {
public:
    /// @param accounts  Whom programs name; must outlive it.
    /// @param revision  Whose instructions they use.
    WildPrograms(workload::Random& random, std::span<const Address> accounts,
                 Revision revision) noexcept
        : random_(random), accounts_(accounts), revision_(revision) {}

    /// Up to `statements` of them.
    [[nodiscard]] Bytes program(std::uint32_t statements);
    /// What a creation runs; often leaves a program.
    [[nodiscard]] Bytes init_code();

private:
    using Bytecode = vm::test::Bytecode;

    [[nodiscard]] Bytecode statement();
    [[nodiscard]] Bytecode call();
    [[nodiscard]] Bytecode call_precompile();
    [[nodiscard]] Bytecode call_itself();
    [[nodiscard]] Bytecode repeat();
    [[nodiscard]] Bytecode reach_deep();
    [[nodiscard]] Bytecode create();
    [[nodiscard]] Bytecode use_created();
    [[nodiscard]] Bytecode use_storage();
    [[nodiscard]] Bytecode use_memory();
    [[nodiscard]] Bytecode ask_account();
    [[nodiscard]] Bytecode ask_block();
    [[nodiscard]] Bytecode end();
    [[nodiscard]] Bytecode destroy();
    /// What becomes of the value on the stack.
    [[nodiscard]] Bytecode keep();
    [[nodiscard]] Bytecode observe();
    [[nodiscard]] Bytecode address();
    [[nodiscard]] Bytecode gas();
    [[nodiscard]] Uint256 value();
    [[nodiscard]] Uint256 offset();
    [[nodiscard]] Uint256 size();
    [[nodiscard]] vm::Opcode draw_call();
    [[nodiscard]] std::uint64_t slot() { return random_.below(4); }
    [[nodiscard]] bool one_in(std::uint32_t n) { return random_.below(n) == 0; }

    workload::Random& random_;
    std::span<const Address> accounts_;
    Revision revision_;
    std::uint32_t depth_ = 0;    // of creations within creations
    bool is_repeating_ = false;  // loops are not nested
};

}  // namespace heddle::test
