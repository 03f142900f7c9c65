// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "transition_fixture.hpp"

namespace heddle::vm::test {
namespace {

class MemoryInstructions : public TransitionTest {
protected:
    /// Gas of `words` words of memory (YP App. H.1).
    static std::uint64_t memory_gas(std::uint64_t words) { return 3 * words + words * words / 512; }
};

TEST_F(MemoryInstructions, memory_is_zero_until_written_and_grows_by_words) {
    EXPECT_EQ(eval(push(100) + OP_MLOAD), 0u);
    EXPECT_EQ(eval(push(0) + OP_MLOAD + OP_POP + OP_MSIZE), 32u);
    EXPECT_EQ(eval(push(1) + OP_MLOAD + OP_POP + OP_MSIZE), 64u);
    EXPECT_EQ(eval(push(7) + push(31) + OP_MSTORE8 + OP_MSIZE), 32u);
}

TEST_F(MemoryInstructions, stores_are_big_endian_and_may_be_unaligned) {
    EXPECT_EQ(eval(push(0x1122) + push(1) + OP_MSTORE + push(0) + OP_MLOAD), 0x11u);
    EXPECT_EQ(eval(push(0x1122) + push(31) + OP_MSTORE8 + push(0) + OP_MLOAD), 0x22u);
}

TEST_F(MemoryInstructions, expansion_is_paid_once_with_its_quadratic_part) {
    const auto touch = [](std::uint64_t word) { return push_sized(4, word * 32) + OP_MLOAD; };
    EXPECT_EQ(gas_of(touch(0)), 6 + memory_gas(1));
    EXPECT_EQ(gas_of(touch(999)), 6 + memory_gas(1'000));
    EXPECT_EQ(gas_of(touch(999) + touch(999) + touch(3)), 18 + memory_gas(1'000));
}

TEST_F(MemoryInstructions, absurd_offsets_run_out_of_gas_without_allocating) {
    tx.gas_limit = 16'000'000;
    for (const Uint256& offset : {Uint256{1} << 31, Uint256{1} << 32, (Uint256{1} << 64) - 1u,
                                  (Uint256{1} << 64) - 32u, Uint256{1} << 64, Uint256::max()}) {
        for (const Bytecode& code :
             {push(offset) + OP_MLOAD, push(1) + push(offset) + OP_MSTORE,
              push(1) + push(offset) + OP_MSTORE8, push(1) + push(offset) + OP_KECCAK256,
              push(offset) + push(0) + OP_KECCAK256, return_range(offset, 1),
              return_range(0, offset), push(1) + push(offset) + OP_LOG0,
              push(offset) + push(0) + push(0) + OP_CALLDATACOPY,
              push(1) + push(offset) + push(0) + OP_MCOPY,
              push(1) + push(0) + push(offset) + OP_MCOPY,
              push(offset) + push(0) + push(0) + OP_CREATE}) {
            run(code);
            EXPECT_EQ(gas_used(), tx.gas_limit);
            EXPECT_TRUE(is_exceptional_halt(exact_status()));
        }
    }
}

TEST_F(MemoryInstructions, size_zero_needs_no_memory_whatever_the_offset) {
    const Bytecode far = push(Uint256::max());
    EXPECT_EQ(eval(push(0) + far + OP_KECCAK256), to_word(kEmptyCodeHash));
    EXPECT_EQ(eval(push(0) + far + far + OP_CALLDATACOPY + OP_MSIZE), 0u);
    EXPECT_EQ(eval(push(0) + far + far + OP_CODECOPY + OP_MSIZE), 0u);
    EXPECT_EQ(eval(push(0) + far + far + OP_MCOPY + OP_MSIZE), 0u);
    EXPECT_EQ(run(return_range(Uint256::max(), 0)).status, Status::success);
}

TEST_F(MemoryInstructions, mcopy_moves_overlapping_ranges) {
    const Bytecode fill = mstore(0, push(Uint256{1, 2, 3, 4}));
    EXPECT_EQ(eval(fill + push(24) + push(0) + push(8) + OP_MCOPY + push(0) + OP_MLOAD),
              (Uint256{2, 3, 4, 4}));
    EXPECT_EQ(eval(fill + push(24) + push(8) + push(0) + OP_MCOPY + push(0) + OP_MLOAD),
              (Uint256{1, 1, 2, 3}));
    EXPECT_EQ(eval(push(1) + push(64) + push(0) + OP_MCOPY + OP_MSIZE), 96u);

    use(Revision::shanghai);
    EXPECT_EQ(run(push(0) + push(0) + push(0) + OP_MCOPY).status, Status::invalid_instruction);
}

TEST_F(MemoryInstructions, logs_carry_topics_in_order_and_cost_by_byte) {
    const Bytecode data = mstore(0, push(0xdd));
    const Outcome& outcome =
        run(data + push(3) + push(2) + push(1) + push(32) + push(0) + numbered(OP_LOG0, 3));

    ASSERT_EQ(outcome.receipt.logs.size(), 1u);
    const Log& log = outcome.receipt.logs[0];
    EXPECT_EQ(log.address, kTarget);
    EXPECT_EQ(log.topics, (LogTopics{to_hash(1), to_hash(2), to_hash(3)}));
    EXPECT_EQ(load_be(log.data.data()), 0xddu);
    EXPECT_EQ(gas_used(), kTransferGas + 12 + 15 + 4 * 375ULL + 8 * 32ULL);
    EXPECT_EQ(outcome.receipt.bloom, logs_bloom(outcome.receipt.logs));
}

TEST_F(MemoryInstructions, dup_and_swap_reach_sixteen_down) {
    Bytecode fill;
    for (unsigned i = 17; i >= 1; --i)
        fill += push(i);
    for (unsigned n = 1; n <= 16; ++n) {
        EXPECT_EQ(eval(fill + numbered(OP_DUP1, n)), n);
        EXPECT_EQ(eval(fill + numbered(OP_SWAP1, n)), n + 1);
        // Fused with a push before it.
        EXPECT_EQ(eval(fill + push(99) + numbered(OP_DUP1, n)), n == 1 ? 99 : n - 1);
        EXPECT_EQ(eval(fill + push(99) + numbered(OP_SWAP1, n)), n);
    }
}

TEST_F(MemoryInstructions, deep_items_are_duplicated_swapped_and_exchanged) {  // EIP-8024
    use(Revision::amsterdam);
    Bytecode fill;
    for (unsigned i = 236; i >= 1; --i)
        fill += push(i);
    for (const unsigned byte : {0u, 1u, 90u, 128u, 200u, 255u}) {
        const auto immediate = static_cast<std::uint8_t>(byte);
        const unsigned n = (byte + 145) % 256;
        EXPECT_EQ(eval(fill + OP_DUPN + raw({immediate})), n);
        EXPECT_EQ(eval(fill + OP_SWAPN + raw({immediate})), n + 1);
        // The top where item n + 1 was, and what is above it again on top of that.
        EXPECT_EQ(eval(fill + OP_SWAPN + raw({immediate}) + (n * Bytecode{OP_POP})), 1u);
    }
    EXPECT_EQ(eval(fill + OP_EXCHANGE + raw({0x8e}) + OP_POP), 3u);
    EXPECT_EQ(eval(fill + OP_EXCHANGE + raw({0x8e}) + OP_POP + OP_POP), 2u);
}

TEST_F(MemoryInstructions, deep_items_must_be_there) {
    use(Revision::amsterdam);
    const auto status = [&](unsigned height, const Bytecode& code) {
        Bytecode fill;
        for (unsigned i = 0; i < height; ++i)
            fill += push(1);
        run(fill + code);
        return exact_status();
    };
    EXPECT_EQ(status(17, OP_DUPN + raw({0x80})), Status::success);
    EXPECT_EQ(status(16, OP_DUPN + raw({0x80})), Status::stack_underflow);
    EXPECT_EQ(status(18, OP_SWAPN + raw({0x80})), Status::success);
    EXPECT_EQ(status(17, OP_SWAPN + raw({0x80})), Status::stack_underflow);
    EXPECT_EQ(status(3, OP_EXCHANGE + raw({0x8e})), Status::success);
    EXPECT_EQ(status(2, OP_EXCHANGE + raw({0x8e})), Status::stack_underflow);
    EXPECT_EQ(status(1'024, OP_DUPN + raw({0x80})), Status::stack_overflow);
    EXPECT_EQ(status(200, OP_DUPN), Status::success);  // a zero byte is behind the code
    EXPECT_EQ(gas_used(), 15'000u + 200 * 3 + 3);
}

TEST_F(MemoryInstructions, a_byte_that_means_something_else_halts_but_stays_a_destination) {
    use(Revision::amsterdam);
    const Bytecode fill = 40 * Bytecode{OP_ADDRESS};
    for (const Opcode opcode : {OP_DUPN, OP_SWAPN, OP_EXCHANGE}) {
        EXPECT_EQ(run(fill + opcode + raw({0x5b})).status, Status::invalid_instruction);
        EXPECT_EQ(gas_used(), tx.gas_limit);
        EXPECT_EQ(run(fill + opcode + raw({0x7f})).status, Status::invalid_instruction);
        // JUMP over the opcode to the byte behind it.
        EXPECT_EQ(run(push(4) + OP_JUMP + opcode + raw({0x5b})).status, Status::success);
    }
    EXPECT_EQ(run(fill + OP_EXCHANGE + raw({0x52})).status, Status::invalid_instruction);
    use(Revision::osaka);
    EXPECT_EQ(run(fill + OP_DUPN + raw({0x80})).status, Status::invalid_instruction);
}

TEST_F(MemoryInstructions, revert_returns_its_data_and_the_gas_left) {
    const Outcome& outcome = run(mstore(0, push(0xbad)) + revert_range(0, 32));

    EXPECT_EQ(outcome.status, Status::revert);
    EXPECT_EQ(load_be(outcome.output.data()), 0xbadu);
    EXPECT_EQ(gas_used(), kTransferGas + 6 + 3 + 3 + 6);

    use(Revision::spurious_dragon);
    EXPECT_EQ(run(revert_range(0, 0)).status, Status::invalid_instruction);
}

}  // namespace
}  // namespace heddle::vm::test
