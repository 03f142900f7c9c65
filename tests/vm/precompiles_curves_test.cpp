// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

// The curve precompiles and BLAKE2F: what the official vectors leave out, above all points that are
// on the curve but not in the subgroup, and scalars and coordinates at their limits.

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <types/bytes.hpp>
#include <vm/precompile.hpp>

namespace heddle::vm {
namespace {

using namespace std::string_literals;

std::string run(std::uint32_t index, std::string_view input) {
    Bytes output;
    const auto result =
        run_precompile(index, Revision::osaka, from_hex(input).value(), 100'000'000, output);
    return result.ok ? to_hex(output).substr(2) : "failed";
}

std::string zeroes(std::size_t bytes) {
    return std::string(2 * bytes, '0');
}

std::string word(std::uint8_t value) {
    const std::uint8_t bytes[1] = {value};
    return zeroes(31) + to_hex(bytes).substr(2);
}

/// 48 bytes in the 64-byte encoding of EIP-2537.
std::string fp(std::string_view digits) {
    return zeroes(16).append(digits);
}

// --- bn254 ---------------------------------------------------------------------------------------

// EIP-196 and EIP-197.
const std::string kBnModulus = "30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47";
const std::string kBnOrder = "30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001";
const std::string kBnMinusTwo = "30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd45";
const std::string kBnG1 = word(1) + word(2);
const std::string kBnMinusG1 = word(1) + kBnMinusTwo;
const std::string kBnG2 =
    "198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2"
    "1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed"
    "090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b"
    "12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa";
/// x = 1 on the twist; its order is not that of the subgroup.
const std::string kBnOutsideSubgroup =
    word(0) + word(1) +
    "0d1271953ed9ea0836846e70a1934187998c7f790cb4d7511b7f8da82de048a4"
    "2869111d5381f072f8e2728fdb825a51aadd70e52c9830e9ab4b871c0531f1bb";

TEST(Bn254, infinity_is_neutral_and_negation_cancels) {
    EXPECT_EQ(run(6, ""), zeroes(64));
    EXPECT_EQ(run(6, kBnG1), kBnG1);
    EXPECT_EQ(run(6, zeroes(64) + kBnG1), kBnG1);
    EXPECT_EQ(run(6, kBnG1 + kBnMinusG1), zeroes(64));
    EXPECT_EQ(run(6, kBnG1 + kBnG1 + "ff"), run(7, kBnG1 + word(2)));
    EXPECT_EQ(run(6, run(7, kBnG1 + word(2)) + kBnG1), run(7, kBnG1 + word(3)));
}

TEST(Bn254, a_scalar_counts_modulo_the_order_however_large) {
    EXPECT_EQ(run(7, kBnG1 + kBnOrder), zeroes(64));
    EXPECT_EQ(run(7, kBnG1 + word(0)), zeroes(64));
    EXPECT_EQ(run(7, kBnG1), zeroes(64));
    EXPECT_EQ(run(7, kBnG1 + word(1)), kBnG1);
    const std::string largest(64, 'f');
    // 2^256 - 1 = 5 * order + this.
    const std::string rest = "0e0a77c19a07df2f666ea36f7879462e36fc76959f60cd29ac96341c4ffffffa";
    EXPECT_EQ(run(7, kBnG1 + largest), run(7, kBnG1 + rest));
    EXPECT_EQ(run(7, zeroes(64) + largest), zeroes(64));
}

TEST(Bn254, a_long_chain_of_sums_stays_on_the_curve_and_agrees_with_multiples) {
    // Each sum inverts another field element, and the next one refuses it off the curve.
    std::string sum = kBnG1;
    for (std::uint64_t count = 2; count <= 5000; ++count) {
        sum = run(6, sum + kBnG1);
        ASSERT_NE(sum, "failed") << count;
        if (count % 500 == 0) {
            const std::uint8_t scalar[2] = {static_cast<std::uint8_t>(count >> 8),
                                            static_cast<std::uint8_t>(count)};
            EXPECT_EQ(sum, run(7, kBnG1 + zeroes(30) + to_hex(scalar).substr(2)));
        }
    }
}

TEST(Bn254, points_off_the_curve_and_unreduced_coordinates_are_refused) {
    EXPECT_EQ(run(6, word(1) + word(1)), "failed");
    EXPECT_EQ(run(6, kBnModulus + word(0)), "failed");
    EXPECT_EQ(run(6, word(0) + kBnModulus), "failed");
    EXPECT_EQ(run(6, kBnG1 + word(1) + word(1)), "failed");
    EXPECT_EQ(run(7, word(1) + word(1)), "failed");
    EXPECT_EQ(run(7, word(1) + word(1) + word(0)), "failed");
}

TEST(Bn254, pairing_of_nothing_or_infinity_is_one) {
    EXPECT_EQ(run(8, ""), word(1));
    EXPECT_EQ(run(8, zeroes(192)), word(1));
    EXPECT_EQ(run(8, kBnG1 + zeroes(128)), word(1));
    EXPECT_EQ(run(8, zeroes(64) + kBnG2), word(1));
}

TEST(Bn254, pairing_is_bilinear) {
    EXPECT_EQ(run(8, kBnG1 + kBnG2), word(0));
    EXPECT_EQ(run(8, kBnG1 + kBnG2 + kBnMinusG1 + kBnG2), word(1));
    const std::string five = run(7, kBnG1 + word(5));
    std::string sum = five + kBnG2;
    for (int i = 0; i < 5; ++i)
        sum += kBnMinusG1 + kBnG2;
    EXPECT_EQ(run(8, sum), word(1));
    EXPECT_EQ(run(8, sum + kBnG1 + kBnG2), word(0));
}

TEST(Bn254, pairing_refuses_partial_pairs_and_points_outside_the_subgroup) {
    EXPECT_EQ(run(8, kBnG1 + kBnG2 + "00"), "failed");
    EXPECT_EQ(run(8, zeroes(191)), "failed");
    EXPECT_EQ(run(8, kBnG1 + kBnOutsideSubgroup), "failed");
    // Checked even where the other point is infinity.
    EXPECT_EQ(run(8, zeroes(64) + kBnOutsideSubgroup), "failed");
    EXPECT_EQ(run(8, word(1) + word(1) + zeroes(128)), "failed");
}

// --- BLS12-381 -----------------------------------------------------------------------------------

// EIP-2537.
const std::string kBlsModulus =
    "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaa"
    "a"
    "b";
const std::string kBlsOrder = "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001";
const std::string kBlsG1X =
    "17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6"
    "b"
    "b";
const std::string kBlsG1Y =
    "08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7"
    "e"
    "1";
const std::string kBlsG1 = fp(kBlsG1X) + fp(kBlsG1Y);
const std::string kBlsG2 =
    fp("024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c12"
       "1bdb8") +
    fp("13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d0"
       "42b7e") +
    fp("0ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3baca289e1935486"
       "08b82801") +
    fp("0606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab3f370d275cec1da1aaa9075ff05"
       "f79be");
/// (0, 2) satisfies y^2 = x^3 + 4 but has order three.
const std::string kBlsOutsideSubgroup = zeroes(64) + zeroes(63) + "02";

TEST(Bls12, addition_has_no_subgroup_check_and_multiplication_has) {
    EXPECT_EQ(run(0x0b, kBlsOutsideSubgroup + zeroes(128)), kBlsOutsideSubgroup);
    EXPECT_EQ(run(0x0c, kBlsOutsideSubgroup + word(1)), "failed");
    EXPECT_EQ(run(0x0c, kBlsOutsideSubgroup + word(0)), "failed");
    EXPECT_EQ(run(0x0c, kBlsG1 + word(1) + kBlsOutsideSubgroup + word(1)), "failed");
    EXPECT_EQ(run(0x0f, kBlsOutsideSubgroup + kBlsG2), "failed");
    EXPECT_EQ(run(0x0f, kBlsOutsideSubgroup + zeroes(256)), "failed");
}

TEST(Bls12, doubling_by_addition_equals_multiplying_by_two) {
    EXPECT_EQ(run(0x0b, kBlsG1 + kBlsG1), run(0x0c, kBlsG1 + word(2)));
    EXPECT_EQ(run(0x0d, kBlsG2 + kBlsG2), run(0x0e, kBlsG2 + word(2)));
}

TEST(Bls12, scalars_count_modulo_the_order) {
    const std::string order_plus_one = kBlsOrder.substr(0, 62) + "02";
    EXPECT_EQ(run(0x0c, kBlsG1 + kBlsOrder), zeroes(128));
    EXPECT_EQ(run(0x0c, kBlsG1 + order_plus_one), kBlsG1);
    EXPECT_EQ(run(0x0e, kBlsG2 + kBlsOrder), zeroes(256));
    EXPECT_EQ(run(0x0e, kBlsG2 + order_plus_one), kBlsG2);
}

TEST(Bls12, sums_of_every_size_agree_with_one_multiplication) {
    // Crosses blst's table and bucket methods, with zero scalars and infinities among the terms.
    for (const int count : {2, 3, 8, 31, 32, 33, 70, 128}) {
        std::string g1_terms;
        std::string g2_terms;
        int total = 0;
        for (int i = 0; i < count; ++i) {
            const auto scalar = static_cast<std::uint8_t>(i % 4);
            const bool infinite = i % 5 == 3;
            g1_terms += (infinite ? zeroes(128) : kBlsG1) + word(scalar);
            g2_terms += (infinite ? zeroes(256) : kBlsG2) + word(scalar);
            total += infinite ? 0 : scalar;
        }
        const std::string factor = word(static_cast<std::uint8_t>(total));
        EXPECT_EQ(run(0x0c, g1_terms), run(0x0c, kBlsG1 + factor)) << count;
        EXPECT_EQ(run(0x0e, g2_terms), run(0x0e, kBlsG2 + factor)) << count;
    }
}

TEST(Bls12, a_sum_that_cancels_is_infinity) {
    const std::string minus_one = kBlsOrder.substr(0, 56) + "00000000";
    EXPECT_EQ(run(0x0c, kBlsG1 + word(1) + kBlsG1 + minus_one), zeroes(128));
    EXPECT_EQ(run(0x0c, kBlsG1 + word(0) + zeroes(128) + word(7)), zeroes(128));
}

TEST(Bls12, empty_and_partial_inputs_are_refused) {
    for (std::uint32_t index = 0x0b; index <= 0x11; ++index) {
        EXPECT_EQ(run(index, ""), "failed") << index;
        EXPECT_EQ(run(index, "00"), "failed") << index;
        EXPECT_EQ(run(index, zeroes(1000)), "failed") << index;
    }
}

TEST(Bls12, field_elements_must_be_reduced_and_padded_with_zeroes) {
    EXPECT_EQ(run(0x10, fp(kBlsModulus)), "failed");
    EXPECT_EQ(run(0x10, "01" + zeroes(63)), "failed");
    EXPECT_EQ(run(0x11, zeroes(64) + fp(kBlsModulus)), "failed");
    EXPECT_NE(run(0x10, zeroes(64)), "failed");
    EXPECT_NE(run(0x11, zeroes(128)), "failed");
    EXPECT_EQ(run(0x0b, fp(kBlsModulus) + zeroes(64 + 128)), "failed");
}

TEST(Bls12, mapped_points_are_in_the_subgroup) {
    EXPECT_EQ(run(0x0c, run(0x10, fp(kBlsG1X)) + kBlsOrder), zeroes(128));
    EXPECT_EQ(run(0x0e, run(0x11, fp(kBlsG1X) + fp(kBlsG1Y)) + kBlsOrder), zeroes(256));
}

TEST(Bls12, pairing_is_bilinear) {
    const std::string minus_one = kBlsOrder.substr(0, 56) + "00000000";
    const std::string minus_g1 = run(0x0c, kBlsG1 + minus_one);
    EXPECT_EQ(run(0x0f, kBlsG1 + kBlsG2), word(0));
    EXPECT_EQ(run(0x0f, kBlsG1 + kBlsG2 + minus_g1 + kBlsG2), word(1));
    EXPECT_EQ(run(0x0f, kBlsG1 + zeroes(256)), word(1));
    EXPECT_EQ(run(0x0f, zeroes(128) + kBlsG2), word(1));
    const std::string three_g1 = run(0x0c, kBlsG1 + word(3));
    const std::string three_g2 = run(0x0e, kBlsG2 + word(3));
    const std::string minus_three_g1 = run(0x0c, three_g1 + minus_one);
    EXPECT_EQ(run(0x0f, kBlsG1 + three_g2 + minus_three_g1 + kBlsG2), word(1));
}

// --- Point evaluation ----------------------------------------------------------------------------

// The versioned hash is computed by the SHA-256 contract, so that only the proof is given.
std::string point_evaluation(const std::string& z, const std::string& y,
                             const std::string& commitment, const std::string& proof) {
    const std::string hash = "01" + run(2, commitment).substr(2);
    return run(0x0a, hash + z + y + commitment + proof);
}

const std::string kPointInfinity = "c0" + zeroes(47);
/// The generator, compressed: the commitment to the constant polynomial 1.
const std::string kCommitmentToOne = "9" + kBlsG1X.substr(1);
const std::string kPointSuccess = zeroes(30) + "1000" + kBlsOrder;

TEST(PointEvaluation, constant_polynomials_have_their_value_everywhere) {
    EXPECT_EQ(point_evaluation(word(0), word(0), kPointInfinity, kPointInfinity), kPointSuccess);
    EXPECT_EQ(point_evaluation(word(9), word(0), kPointInfinity, kPointInfinity), kPointSuccess);
    EXPECT_EQ(point_evaluation(word(0), word(1), kCommitmentToOne, kPointInfinity), kPointSuccess);
    EXPECT_EQ(point_evaluation(word(7), word(1), kCommitmentToOne, kPointInfinity), kPointSuccess);
}

TEST(PointEvaluation, a_wrong_value_or_proof_is_refused) {
    EXPECT_EQ(point_evaluation(word(0), word(1), kPointInfinity, kPointInfinity), "failed");
    EXPECT_EQ(point_evaluation(word(0), word(2), kCommitmentToOne, kPointInfinity), "failed");
    EXPECT_EQ(point_evaluation(word(0), word(1), kCommitmentToOne, kCommitmentToOne), "failed");
    EXPECT_EQ(point_evaluation(word(0), word(0), kPointInfinity, kCommitmentToOne), "failed");
}

TEST(PointEvaluation, malformed_inputs_are_refused) {
    const std::string outside_subgroup = "80" + zeroes(47);
    EXPECT_EQ(point_evaluation(kBlsOrder, word(0), kPointInfinity, kPointInfinity), "failed");
    EXPECT_EQ(point_evaluation(word(0), kBlsOrder, kPointInfinity, kPointInfinity), "failed");
    EXPECT_EQ(point_evaluation(word(0), word(0), zeroes(48), kPointInfinity), "failed");
    EXPECT_EQ(point_evaluation(word(0), word(0), outside_subgroup, kPointInfinity), "failed");
    EXPECT_EQ(point_evaluation(word(0), word(0), kPointInfinity, outside_subgroup), "failed");
    const std::string hash = run(2, kPointInfinity);
    EXPECT_EQ(run(0x0a, hash + zeroes(64) + kPointInfinity + kPointInfinity), "failed");
    EXPECT_EQ(run(0x0a, "02" + hash.substr(2) + zeroes(64) + kPointInfinity + kPointInfinity),
              "failed");
    EXPECT_EQ(run(0x0a, ""), "failed");
    EXPECT_EQ(run(0x0a, zeroes(193)), "failed");
}

// --- BLAKE2F -------------------------------------------------------------------------------------

TEST(Blake2f, the_number_of_rounds_is_exact_beyond_the_table) {
    // From EIP-152, vector 5 (12 rounds of "abc"); zero rounds leave h xor v.
    const std::string rest =
        "48c9bdf267e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5d182e6ad7f520e511f6c3e2b8c"
        "6805"
        "9b6bbd41fbabd9831f79217e1319cde05b616263" +
        zeroes(125) + "0300000000000000" + "0000000000000000" + "01";
    EXPECT_EQ(
        run(9, "0000000c" + rest),
        "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d17d87c5392aab792dc252d5de"
        "4533cc9518d38aa8dbf1925ab92386edd4009923");
    std::vector<std::string> seen;
    for (std::uint8_t rounds = 0; rounds <= 25; ++rounds) {
        const std::uint8_t bytes[4] = {0, 0, 0, rounds};
        seen.push_back(run(9, to_hex(bytes).substr(2) + rest));
        for (std::size_t i = 0; i + 1 < seen.size(); ++i)
            EXPECT_NE(seen[i], seen.back()) << i;
    }
}

TEST(Blake2f, gas_is_the_number_of_rounds) {
    Bytes input(213);
    input[0] = 0xff;
    Bytes output;
    EXPECT_FALSE(run_precompile(9, Revision::osaka, input, 0xfeffffff, output).ok);
    input[0] = 0;
    input[3] = 200;
    const auto result = run_precompile(9, Revision::osaka, input, 200, output);
    EXPECT_TRUE(result.ok);
    EXPECT_EQ(result.gas_left, 0);
}

TEST(Blake2f, the_last_byte_says_whether_the_block_is_the_last_and_nothing_else) {
    Bytes input(213);
    Bytes output;
    for (const unsigned flag : {0u, 1u, 2u, 255u}) {
        input.back() = static_cast<std::uint8_t>(flag);
        EXPECT_EQ(run_precompile(9, Revision::osaka, input, 200, output).ok, flag <= 1) << flag;
    }
}

// --- Threads -------------------------------------------------------------------------------------

TEST(Precompile, threads_that_start_together_get_the_same_results) {
    // First uses race here on purpose: some contracts make constants on first use.
    const std::string hash = "01" + run(2, kPointInfinity).substr(2);
    const std::array<std::pair<std::uint32_t, std::string>, 3> calls{{
        {0x0a, hash + zeroes(64) + kPointInfinity + kPointInfinity},
        {kP256VerifyIndex, word(1) + word(1) + word(1) + word(1) + word(1)},
        {0x08, kBnG1 + kBnG2 + kBnMinusG1 + kBnG2},
    }};
    std::array<std::array<std::string, 3>, 4> results;
    {
        std::vector<std::jthread> threads;
        threads.reserve(results.size());
        for (auto& row : results) {
            threads.emplace_back([&row, &calls] {
                for (std::size_t i = 0; i < calls.size(); ++i)
                    row[i] = run(calls[i].first, calls[i].second);
            });
        }
    }
    for (const auto& row : results)
        EXPECT_EQ(row, (std::array<std::string, 3>{kPointSuccess, "", word(1)}));
}

}  // namespace
}  // namespace heddle::vm
