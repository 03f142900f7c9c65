// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Programs that get somewhere: operands are there, jumps mostly lead to a JUMPDEST, offsets are
// small, calls go to accounts that exist. And now and then none of that.
#pragma once

#include <cstddef>
#include <vector>

#include <types/address.hpp>

#include "byte_source.hpp"
#include "bytecode.hpp"

namespace heddle::fuzz {

/// Contracts of the generated world, and one account without code.
inline constexpr Address kAccounts[] = {address_from_low64(0xa11), address_from_low64(0xa12),
                                        address_from_low64(0xa13), address_from_low64(0xa14),
                                        address_from_low64(0xa15)};

class ProgramGenerator {
public:
    explicit ProgramGenerator(ByteSource& source) noexcept : source_(source) {}

    /// At most `max_fragments` pieces of code, fewer when the source is used up.
    [[nodiscard]] Bytes generate(unsigned max_fragments);

private:
    using Bytecode = vm::test::Bytecode;

    void fragment();
    void emit(const Bytecode& code);
    void push(const Uint256& value);
    /// Sees to it, mostly, that `count` operands are on the stack.
    void need(int count);

    void push_value();
    void compute();
    void rearrange();
    void reach_deep();
    void use_memory();
    void jump();
    void count_down();
    void use_storage();
    void ask_environment();
    void call();
    void create();
    void log();
    void end();

    [[nodiscard]] Uint256 offset() noexcept;
    [[nodiscard]] Uint256 size() noexcept;
    void push_address();
    void push_label();
    void patch_labels();

    ByteSource& source_;
    Bytes code_;
    int height_ = 0;
    std::vector<std::size_t> destinations_;
    struct Label {
        std::size_t position;  // of the PUSH2's operand
        unsigned choice;
    };
    std::vector<Label> labels_;
};

}  // namespace heddle::fuzz
