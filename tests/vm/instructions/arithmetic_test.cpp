// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <ranges>
#include <vector>

#include "transition_fixture.hpp"

namespace heddle::vm::test {
namespace {

const Uint256 kMax = Uint256::max();
const Uint256 kMinSigned = Uint256{1} << 255;

class Arithmetic : public TransitionTest {
protected:
    /// `a op b`: a is the top of the stack.
    Uint256 binary(Opcode opcode, const Uint256& a, const Uint256& b) {
        const Uint256 fused = eval(push(b) + push(a) + opcode);
        // The same with operands that the decoder does not know.
        const Uint256 plain = eval(push(a) + push(b) + OP_NOT + OP_NOT + numbered(OP_SWAP1, 1) +
                                   OP_NOT + OP_NOT + opcode);
        EXPECT_EQ(fused, plain);
        return fused;
    }
    Uint256 unary(Opcode opcode, const Uint256& a) { return eval(push(a) + opcode); }
    Uint256 ternary(Opcode opcode, const Uint256& a, const Uint256& b, const Uint256& c) {
        return eval(push(c) + push(b) + push(a) + opcode);
    }
};

TEST_F(Arithmetic, addition_subtraction_and_multiplication_wrap) {
    EXPECT_EQ(binary(OP_ADD, kMax, 2), 1u);
    EXPECT_EQ(binary(OP_SUB, 1, 2), kMax);
    EXPECT_EQ(binary(OP_MUL, kMinSigned, 2), 0u);
    EXPECT_EQ(binary(OP_MUL, kMax, kMax), 1u);
}

TEST_F(Arithmetic, division_by_zero_gives_zero) {
    for (const Opcode opcode : {OP_DIV, OP_SDIV, OP_MOD, OP_SMOD})
        EXPECT_EQ(binary(opcode, 7, 0), 0u);
    EXPECT_EQ(ternary(OP_ADDMOD, 7, 8, 0), 0u);
    EXPECT_EQ(ternary(OP_MULMOD, 7, 8, 0), 0u);
}

TEST_F(Arithmetic, signed_division_truncates_and_wraps_at_the_minimum) {
    EXPECT_EQ(binary(OP_SDIV, kMinSigned, kMax), kMinSigned);
    EXPECT_EQ(binary(OP_SDIV, Uint256{} - 7u, 2), Uint256{} - 3u);
    EXPECT_EQ(binary(OP_SMOD, Uint256{} - 7u, 2), kMax);
    EXPECT_EQ(binary(OP_SMOD, 7, Uint256{} - 2u), 1u);
    EXPECT_EQ(binary(OP_SMOD, kMinSigned, kMax), 0u);
}

TEST_F(Arithmetic, modular_operations_have_512_bits_inside) {
    EXPECT_EQ(ternary(OP_ADDMOD, kMax, kMax, 7), (kMax % 7u + kMax % 7u) % 7u);
    EXPECT_EQ(ternary(OP_MULMOD, kMax, kMax, 12), 9u);  // from YP App. H.2: (2^256 - 1)^2 mod 12
}

TEST_F(Arithmetic, exponentiation_wraps_and_charges_for_each_byte_of_the_exponent) {
    EXPECT_EQ(binary(OP_EXP, 0, 0), 1u);
    EXPECT_EQ(binary(OP_EXP, 2, 256), 0u);
    EXPECT_EQ(binary(OP_EXP, 3, kMax), eval(push(kMax) + push(3) + OP_EXP));

    const auto cost = [&](const Uint256& exponent) {
        return gas_of(push_sized(32, exponent) + push(2) + OP_EXP) - 6;
    };
    EXPECT_EQ(cost(0), 10u);
    EXPECT_EQ(cost(255), 60u);
    EXPECT_EQ(cost(256), 110u);
    EXPECT_EQ(cost(kMax), 10u + 32 * 50);
    use(Revision::tangerine_whistle);  // before EIP-160
    EXPECT_EQ(cost(256), 30u);
}

TEST_F(Arithmetic, sign_extension_leaves_wide_indices_alone) {
    EXPECT_EQ(binary(OP_SIGNEXTEND, 0, 0xff), kMax);
    EXPECT_EQ(binary(OP_SIGNEXTEND, 0, 0x17f), 0x7fu);
    EXPECT_EQ(binary(OP_SIGNEXTEND, 30, Uint256{0x80} << 240), Uint256{0xff80} << 240);
    EXPECT_EQ(binary(OP_SIGNEXTEND, 31, kMinSigned), kMinSigned);
    EXPECT_EQ(binary(OP_SIGNEXTEND, kMax, 0xff), 0xffu);
    EXPECT_EQ(binary(OP_SIGNEXTEND, Uint256{1} << 64, 0xff), 0xffu);
}

TEST_F(Arithmetic, comparisons_know_signs) {
    EXPECT_EQ(binary(OP_LT, 1, kMax), 1u);
    EXPECT_EQ(binary(OP_GT, 1, kMax), 0u);
    EXPECT_EQ(binary(OP_SLT, 1, kMax), 0u);
    EXPECT_EQ(binary(OP_SGT, 1, kMax), 1u);
    EXPECT_EQ(binary(OP_SLT, kMinSigned, kMax), 1u);
    EXPECT_EQ(binary(OP_EQ, kMax, kMax), 1u);
    EXPECT_EQ(unary(OP_ISZERO, Uint256{1} << 200), 0u);
    EXPECT_EQ(unary(OP_ISZERO, 0), 1u);
}

TEST_F(Arithmetic, comparisons_are_decided_by_the_highest_words_that_differ) {
    const auto is_less = [](const Uint256& a, const Uint256& b) {
        return std::ranges::lexicographical_compare(std::views::reverse(a.words),
                                                    std::views::reverse(b.words));
    };
    constexpr std::uint64_t kWords[] = {1, ~std::uint64_t{0}};
    constexpr std::uint64_t kTops[] = {0, std::uint64_t{1} << 63, ~std::uint64_t{0}};
    std::vector<Uint256> values;
    for (const std::uint64_t top : kTops)
        for (const std::uint64_t high : kWords)
            for (const std::uint64_t middle : kWords)
                for (const std::uint64_t low : kWords)
                    values.push_back({low, middle, high, top});
    for (const Uint256& a : values)
        for (const Uint256& b : values) {
            pre.codes.clear();  // of programs that were run: what is there is copied each time
            // Adding 2^255 brings the order of two's complements to that of numbers.
            const Uint256 raised_a = a ^ kMinSigned, raised_b = b ^ kMinSigned;
            ASSERT_EQ(binary(OP_LT, a, b) != 0u, is_less(a, b));
            ASSERT_EQ(binary(OP_GT, a, b) != 0u, is_less(b, a));
            ASSERT_EQ(binary(OP_SLT, a, b) != 0u, is_less(raised_a, raised_b));
            ASSERT_EQ(binary(OP_SGT, a, b) != 0u, is_less(raised_b, raised_a));
            ASSERT_EQ(binary(OP_EQ, a, b) != 0u, std::ranges::equal(a.words, b.words));
        }
}

TEST_F(Arithmetic, bits_are_combined_word_by_word) {
    const Uint256 a{1, 2, 3, 4};
    const Uint256 b{5, 6, 7, 8};
    EXPECT_EQ(binary(OP_AND, a, b), (Uint256{1, 2, 3, 0}));
    EXPECT_EQ(binary(OP_OR, a, b), (Uint256{5, 6, 7, 12}));
    EXPECT_EQ(binary(OP_XOR, a, b), (Uint256{4, 4, 4, 12}));
    EXPECT_EQ(unary(OP_NOT, 0), kMax);
}

TEST_F(Arithmetic, bytes_are_numbered_from_the_most_significant) {
    EXPECT_EQ(binary(OP_BYTE, 31, 0xab), 0xabu);
    EXPECT_EQ(binary(OP_BYTE, 0, Uint256{0xcd} << 248), 0xcdu);
    EXPECT_EQ(binary(OP_BYTE, 32, kMax), 0u);
    EXPECT_EQ(binary(OP_BYTE, kMax, kMax), 0u);
}

TEST_F(Arithmetic, shifts_of_256_and_more_leave_nothing_but_the_sign) {
    EXPECT_EQ(binary(OP_SHL, 255, 1), kMinSigned);
    EXPECT_EQ(binary(OP_SHR, 255, kMinSigned), 1u);
    EXPECT_EQ(binary(OP_SAR, 255, kMinSigned), kMax);
    for (const Uint256& amount : {Uint256{256}, Uint256{1} << 64, kMax}) {
        EXPECT_EQ(binary(OP_SHL, amount, kMax), 0u);
        EXPECT_EQ(binary(OP_SHR, amount, kMax), 0u);
        EXPECT_EQ(binary(OP_SAR, amount, kMinSigned), kMax);
        EXPECT_EQ(binary(OP_SAR, amount, 5), 0u);
    }
}

TEST_F(Arithmetic, leading_zeros_are_counted_from_osaka_on) {
    EXPECT_EQ(unary(OP_CLZ, 0), 256u);
    EXPECT_EQ(unary(OP_CLZ, 1), 255u);
    EXPECT_EQ(unary(OP_CLZ, kMax), 0u);
    EXPECT_EQ(gas_of(push(1) + OP_CLZ), 8u);

    use(Revision::prague);
    EXPECT_EQ(run(push(1) + OP_CLZ).status, Status::invalid_instruction);
}

}  // namespace
}  // namespace heddle::vm::test
