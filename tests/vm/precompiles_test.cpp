// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <types/bytes.hpp>
#include <vm/precompile.hpp>

namespace heddle::vm {
namespace {

constexpr std::int64_t kPlentyOfGas = 100'000'000;
constexpr std::int64_t kMaximumGas = std::numeric_limits<std::int64_t>::max();

constexpr std::array kRevisions{
    Revision::frontier,        Revision::homestead, Revision::tangerine_whistle,
    Revision::spurious_dragon, Revision::byzantium, Revision::constantinople,
    Revision::petersburg,      Revision::istanbul,  Revision::berlin,
    Revision::london,          Revision::paris,     Revision::shanghai,
    Revision::cancun,          Revision::prague,    Revision::osaka,
    Revision::amsterdam};
static_assert(kRevisions.size() == kRevisionCount);

/// Output text of a run: `failed` or the hexadecimal output.
struct Run {
    std::string output;
    std::int64_t gas_used = 0;
};

Run run(std::uint32_t index, std::string_view input, Revision revision = Revision::osaka,
        std::int64_t gas = kPlentyOfGas) {
    Bytes output{1, 2, 3};
    const auto result = run_precompile(index, revision, from_hex(input).value(), gas, output);
    if (!result.ok) {
        EXPECT_EQ(result.gas_left, 0);
        EXPECT_TRUE(output.empty());
        return {.output = "failed", .gas_used = gas};
    }
    return {.output = to_hex(output), .gas_used = gas - result.gas_left};
}

std::string zeroes(std::size_t bytes) {
    return std::string(2 * bytes, '0');
}

/// A big-endian number of `bytes` bytes.
std::string number(std::uint64_t value, std::size_t bytes = 32) {
    static constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text(2 * bytes, '0');
    for (std::size_t i = text.size(); i-- > 0 && value != 0; value >>= 4)
        text[i] = kDigits[value & 15];
    return text;
}

std::string concat(std::initializer_list<std::string_view> parts) {
    std::string whole;
    for (const std::string_view part : parts)
        whole += part;
    return whole;
}

std::string lengths(std::uint64_t base, std::uint64_t exponent, std::uint64_t modulus) {
    return number(base) + number(exponent) + number(modulus);
}

// --- Addresses -----------------------------------------------------------------------------------

TEST(Precompiles, each_revision_has_the_rows_up_to_it) {
    for (const Revision revision : kRevisions) {
        std::vector<Address> expected;
        for (const Precompile& precompile : kPrecompiles) {
            const Address address = address_from_low64(precompile.index);
            const bool is_there = revision >= precompile.since;
            if (is_there) expected.push_back(address);
            EXPECT_EQ(precompile_index(address, revision), is_there ? precompile.index : 0u)
                << precompile.name;
        }
        const auto active = active_precompiles(revision);
        EXPECT_EQ(std::vector(active.begin(), active.end()), expected) << to_string(revision);
    }
}

TEST(Precompile, active_addresses_are_exactly_those_with_an_index) {
    for (const Revision revision : kRevisions) {
        std::vector<Address> expected;
        for (std::uint64_t low = 0; low < 0x10000; ++low) {
            const Address address = address_from_low64(low);
            const std::uint32_t index = precompile_index(address, revision);
            if (index != 0) {
                EXPECT_EQ(index, low);
                expected.push_back(address);
            }
        }
        const auto active = active_precompiles(revision);
        EXPECT_EQ(std::vector<Address>(active.begin(), active.end()), expected);
    }
}

TEST(Precompile, each_revision_has_its_number_of_contracts) {
    EXPECT_EQ(active_precompiles(Revision::frontier).size(), 4);
    EXPECT_EQ(active_precompiles(Revision::byzantium).size(), 8);
    EXPECT_EQ(active_precompiles(Revision::istanbul).size(), 9);
    EXPECT_EQ(active_precompiles(Revision::shanghai).size(), 9);
    EXPECT_EQ(active_precompiles(Revision::cancun).size(), 10);
    EXPECT_EQ(active_precompiles(Revision::prague).size(), 17);
    EXPECT_EQ(active_precompiles(Revision::osaka).size(), 18);
}

TEST(Precompile, an_address_with_any_high_byte_set_is_an_ordinary_one) {
    for (std::size_t i = 0; i < 18; ++i) {
        Address address = address_from_low64(1);
        address.bytes[i] = 1;
        EXPECT_EQ(precompile_index(address, Revision::osaka), 0) << "byte " << i;
    }
}

// --- Gas -----------------------------------------------------------------------------------------

TEST(Precompile, one_unit_of_gas_too_little_burns_all) {
    for (const Address& address : active_precompiles(Revision::osaka)) {
        const std::uint32_t index = precompile_index(address, Revision::osaka);
        if (index == 9) continue;  // Free with zero rounds.
        EXPECT_EQ(run(index, "", Revision::osaka, 0).output, "failed") << index;
    }
    EXPECT_EQ(run(1, "", Revision::osaka, 2999).output, "failed");
    EXPECT_EQ(run(1, "", Revision::osaka, 3000).gas_used, 3000);
}

TEST(Precompile, hashes_and_identity_cost_by_started_word) {
    EXPECT_EQ(run(2, "").gas_used, 60);
    EXPECT_EQ(run(2, zeroes(1)).gas_used, 72);
    EXPECT_EQ(run(2, zeroes(32)).gas_used, 72);
    EXPECT_EQ(run(2, zeroes(33)).gas_used, 84);
    EXPECT_EQ(run(3, "").gas_used, 600);
    EXPECT_EQ(run(3, zeroes(33)).gas_used, 840);
    EXPECT_EQ(run(4, "").gas_used, 15);
    EXPECT_EQ(run(4, zeroes(33)).gas_used, 21);
}

TEST(Precompile, curve_prices_fell_in_istanbul) {
    EXPECT_EQ(run(6, "", Revision::byzantium).gas_used, 500);
    EXPECT_EQ(run(6, "", Revision::istanbul).gas_used, 150);
    EXPECT_EQ(run(7, "", Revision::petersburg).gas_used, 40000);
    EXPECT_EQ(run(7, "", Revision::istanbul).gas_used, 6000);
    EXPECT_EQ(run(8, zeroes(384), Revision::byzantium).gas_used, 260000);
    EXPECT_EQ(run(8, zeroes(384), Revision::istanbul).gas_used, 113000);
}

TEST(Precompile, multi_scalar_prices_follow_the_discount_tables) {
    EXPECT_EQ(run(0x0c, zeroes(160)).gas_used, 12000);
    EXPECT_EQ(run(0x0c, zeroes(160uz * 2)).gas_used, 22776);
    EXPECT_EQ(run(0x0c, zeroes(160uz * 128)).gas_used, 128 * 12 * 519);
    EXPECT_EQ(run(0x0c, zeroes(160uz * 200)).gas_used, 200 * 12 * 519);
    EXPECT_EQ(run(0x0e, zeroes(288)).gas_used, 22500);
    EXPECT_EQ(run(0x0e, zeroes(288uz * 3)).gas_used, 3 * 22500 * 923 / 1000);
    EXPECT_EQ(run(0x0e, zeroes(288uz * 129)).gas_used, 129 * 22500 * 524 / 1000);
    EXPECT_EQ(run(0x0f, zeroes(384uz * 2)).gas_used, 37700 + 2 * 32600);
}

TEST(Precompile, output_replaces_what_the_buffer_held) {
    Bytes output(500, 0xff);
    const Bytes input{7, 8};
    const auto result = run_precompile(4, Revision::osaka, input, 100, output);
    EXPECT_TRUE(result.ok);
    EXPECT_EQ(output, input);
    EXPECT_GE(output.capacity(), 500);
}

// --- Signatures and hashes -----------------------------------------------------------------------

// From go-ethereum's ecRecover vectors.
constexpr std::string_view kSignedHash =
    "18c547e4f7b0f325ad1e56f57e26c745b09a3e503d86e00e5255ff7f715d3d1c";
constexpr std::string_view kR = "73b1693892219d736caba55bdb67216e485557ea6b6af75f37096c9aa6a5a75f";
constexpr std::string_view kS = "eeb940b1d03b21e36b0e47e79769f095fe2ab855bd91e3a38756b7d75a9c4549";
constexpr std::string_view kOrder =
    "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";

std::string signature(std::string_view v, std::string_view r, std::string_view s) {
    return std::string{kSignedHash}.append(v).append(r).append(s);
}

TEST(Ecrecover, recovers_the_signer_and_ignores_what_follows) {
    const std::string input = signature(number(28), kR, kS);
    const std::string signer = "0x000000000000000000000000a94f5374fce5edbc8e2a8697c15331677e6ebf0b";
    EXPECT_EQ(run(1, input).output, signer);
    EXPECT_EQ(run(1, input + "ff").output, signer);
    EXPECT_EQ(run(1, input).gas_used, 3000);
}

TEST(Ecrecover, an_impossible_signature_gives_nothing_but_does_not_fail) {
    const std::string high_v = "01" + number(27).substr(2);
    for (const std::string& input :
         {std::string{}, signature(number(26), kR, kS), signature(number(29), kR, kS),
          signature(number(0), kR, kS), signature(number(1), kR, kS), signature(high_v, kR, kS),
          signature(number(28), number(0), kS), signature(number(28), kR, number(0)),
          signature(number(28), kOrder, kS), signature(number(28), kR, kOrder)}) {
        EXPECT_EQ(run(1, input).output, "0x") << input;
        EXPECT_EQ(run(1, input).gas_used, 3000);
    }
}

TEST(Hashes, give_known_digests) {
    EXPECT_EQ(run(2, "").output,
              "0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(run(2, "616263").output,
              "0xba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(run(3, "").output,
              "0x0000000000000000000000009c1185a5c5e9fc54612808977ee8f548b2258d31");
    EXPECT_EQ(run(3, "616263").output,
              "0x0000000000000000000000008eb208f7e05d987a9b044a8e98c6b087f15a0bfc");
    EXPECT_EQ(run(4, "").output, "0x");
    EXPECT_EQ(run(4, "0102").output, "0x0102");
}

TEST(P256Verify, whatever_is_wrong_gives_nothing_and_costs_the_same) {
    const std::string order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551";
    const std::string modulus = "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff";
    const std::string one = number(1);
    const std::string zero = number(0);
    for (const std::string& input :
         {std::string{}, zeroes(159), zeroes(160), zeroes(161), concat({one, zero, one, one, one}),
          concat({one, one, zero, one, one}), concat({one, order, one, one, one}),
          concat({one, one, order, one, one}), concat({one, one, one, modulus, one}),
          concat({one, one, one, one, modulus}), concat({one, one, one, one, one}),
          concat({one, one, one, zero, zero})}) {
        EXPECT_EQ(run(kP256VerifyIndex, input).output, "0x") << input;
        EXPECT_EQ(run(kP256VerifyIndex, input).gas_used, 6900);
    }
}

// --- Modular exponentiation ----------------------------------------------------------------------

TEST(Modexp, degenerate_moduli_give_zeroes_of_their_length) {
    EXPECT_EQ(run(5, lengths(1, 1, 0) + "0302").output, "0x");
    EXPECT_EQ(run(5, lengths(1, 1, 2) + "0302" + "0000").output, "0x0000");
    EXPECT_EQ(run(5, lengths(1, 1, 2) + "0302" + "0001").output, "0x0000");
    EXPECT_EQ(run(5, lengths(0, 0, 1) + "00").output, "0x00");
    EXPECT_EQ(run(5, lengths(0, 0, 1) + "01").output, "0x00");
}

TEST(Modexp, empty_numbers_are_zero) {
    EXPECT_EQ(run(5, lengths(0, 0, 1) + "07").output, "0x01");
    EXPECT_EQ(run(5, lengths(0, 1, 1) + "00" + "07").output, "0x01");
    EXPECT_EQ(run(5, lengths(0, 1, 1) + "05" + "07").output, "0x00");
    EXPECT_EQ(run(5, lengths(1, 0, 1) + "05" + "07").output, "0x01");
    EXPECT_EQ(run(5, "").output, "0x");
}

TEST(Modexp, even_moduli_work) {
    EXPECT_EQ(run(5, lengths(1, 1, 1) + "03" + "05" + "0a").output, "0x03");
    EXPECT_EQ(run(5, lengths(1, 1, 1) + "03" + "05" + "80").output, "0x73");
    EXPECT_EQ(run(5, lengths(1, 1, 32) + "02" + "ff" + "80" + zeroes(31)).output,
              "0x" + zeroes(32));
}

TEST(Modexp, bytes_that_are_missing_are_zeroes) {
    // 3 ** (5 << 8) mod 0x0100 and a modulus of which only the first byte is there.
    EXPECT_EQ(run(5, lengths(1, 2, 2) + "03" + "0500" + "01").output,
              run(5, lengths(1, 2, 2) + "03" + "0500" + "0100").output);
    EXPECT_EQ(run(5, lengths(1, 2, 1) + "03" + "05").output, "0x00");
    EXPECT_EQ(run(5, lengths(40, 1, 1)).output, "0x00");
    EXPECT_EQ(run(5, number(1)).output, "0x");
}

TEST(Modexp, lengths_beyond_any_gas_are_out_of_gas) {
    const std::string huge(64, 'f');
    for (const Revision revision : {Revision::byzantium, Revision::berlin, Revision::osaka}) {
        EXPECT_EQ(run(5, huge + number(1) + number(1), revision, kMaximumGas).output, "failed");
        EXPECT_EQ(run(5, number(1) + huge + number(1), revision, kMaximumGas).output, "failed");
        EXPECT_EQ(run(5, number(1) + number(1) + huge, revision, kMaximumGas).output, "failed");
        EXPECT_EQ(run(5, huge + huge + huge, revision, kMaximumGas).output, "failed");
        EXPECT_EQ(run(5, lengths(~0ULL, ~0ULL, ~0ULL), revision, kMaximumGas).output, "failed");
        EXPECT_EQ(run(5, lengths(1ULL << 33, 0, 1), revision, kMaximumGas).output, "failed");
    }
}

TEST(Modexp, an_exponent_of_any_length_is_free_without_base_and_modulus) {
    const std::string input = number(0) + std::string(64, 'f') + number(0);
    EXPECT_EQ(run(5, input, Revision::byzantium).output, "0x");
    EXPECT_EQ(run(5, input, Revision::byzantium).gas_used, 0);
    EXPECT_EQ(run(5, input, Revision::berlin).gas_used, 200);
    EXPECT_EQ(run(5, input, Revision::osaka).output, "failed");
}

TEST(Modexp, osaka_limits_every_length_to_1024) {
    EXPECT_EQ(run(5, lengths(1024, 1024, 1024), Revision::osaka, kMaximumGas).output,
              "0x" + zeroes(1024));
    EXPECT_EQ(run(5, lengths(1025, 0, 0)).output, "failed");
    EXPECT_EQ(run(5, lengths(0, 1025, 0)).output, "failed");
    EXPECT_EQ(run(5, lengths(0, 0, 1025)).output, "failed");
    EXPECT_EQ(run(5, lengths(0, 1025, 0), Revision::prague).output, "0x");
}

TEST(Modexp, byzantium_price_changes_shape_at_64_and_1024_bytes) {
    const auto gas = [](std::uint64_t length) {
        return run(5, lengths(length, 0, length), Revision::byzantium).gas_used;
    };
    EXPECT_EQ(gas(64), 64 * 64 / 20);
    EXPECT_EQ(gas(65), (65 * 65 / 4 + 96 * 65 - 3072) / 20);
    EXPECT_EQ(gas(1024), (1024 * 1024 / 4 + 96 * 1024 - 3072) / 20);
    EXPECT_EQ(gas(1025), (1025 * 1025 / 16 + 480 * 1025 - 199680) / 20);
}

TEST(Modexp, price_counts_exponent_bits_and_bytes_beyond_32) {
    const auto gas = [](std::string_view exponent, Revision revision) {
        const std::size_t size = exponent.size() / 2;
        return run(5, lengths(32, size, 32) + zeroes(32).append(exponent), revision).gas_used;
    };
    const std::string full(64, 'f');
    EXPECT_EQ(gas(full, Revision::byzantium), 32 * 32 * 255 / 20);
    EXPECT_EQ(gas(full, Revision::berlin), 4 * 4 * 255 / 3);
    EXPECT_EQ(gas(full, Revision::osaka), 16 * 255);
    EXPECT_EQ(gas(full + "00", Revision::berlin), 4 * 4 * (255 + 8) / 3);
    EXPECT_EQ(gas(full + "00", Revision::osaka), 16 * (255 + 16));
    EXPECT_EQ(gas(zeroes(32) + "ff", Revision::osaka), 500);
    EXPECT_EQ(gas(zeroes(32) + std::string(100, 'f'), Revision::osaka), 16 * 16 * 50);
    EXPECT_EQ(gas("01", Revision::berlin), 200);
    // What the input does not have of the exponent is zeros behind what it has.
    const auto short_input = lengths(32, 32, 32) + zeroes(32) + "01";
    EXPECT_EQ(run(5, short_input, Revision::osaka).gas_used, 16 * 8 * 31);
}

}  // namespace
}  // namespace heddle::vm
