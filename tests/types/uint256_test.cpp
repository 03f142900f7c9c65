// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/uint256.hpp>

#include <gmp.h>
#include <gtest/gtest.h>

#include "random.hpp"

namespace heddle {
namespace {

// A GMP integer with just enough arithmetic to serve as the oracle.
class Big {
public:
    Big() { mpz_init(value_); }
    explicit Big(const Uint256& value) : Big() {
        mpz_import(value_, 4, -1, sizeof(std::uint64_t), 0, 0, value.words);
    }
    Big(const Big& other) : Big() { mpz_set(value_, other.value_); }
    Big& operator=(const Big& other) {
        mpz_set(value_, other.value_);
        return *this;
    }
    ~Big() { mpz_clear(value_); }

    static Big two_to_the(unsigned long exponent) {
        Big result;
        mpz_ui_pow_ui(result.value_, 2, exponent);
        return result;
    }
    // The two's-complement reading of a word.
    static Big as_signed(const Uint256& value) {
        const Big big(value);
        return value.is_negative() ? big - two_to_the(256) : big;
    }

    friend Big operator+(const Big& a, const Big& b) { return apply(mpz_add, a, b); }
    friend Big operator-(const Big& a, const Big& b) { return apply(mpz_sub, a, b); }
    friend Big operator*(const Big& a, const Big& b) { return apply(mpz_mul, a, b); }
    // Truncating, and zero for a zero divisor, as the EVM has it.
    friend Big operator/(const Big& a, const Big& b) {
        return b.is_zero() ? Big() : apply(mpz_tdiv_q, a, b);
    }
    friend Big operator%(const Big& a, const Big& b) {
        return b.is_zero() ? Big() : apply(mpz_tdiv_r, a, b);
    }
    friend bool operator<(const Big& a, const Big& b) { return mpz_cmp(a.value_, b.value_) < 0; }

    bool is_zero() const { return mpz_sgn(value_) == 0; }
    bool is_beyond_256_bits() const { return mpz_sizeinbase(value_, 2) > 256; }
    Big shifted_left(unsigned long count) const { return *this * two_to_the(count); }
    // Rounds towards minus infinity, as an arithmetic shift does.
    Big shifted_right(unsigned long count) const {
        Big result;
        mpz_fdiv_q_2exp(result.value_, value_, count);
        return result;
    }
    Big power(const Big& exponent) const {
        Big result;
        mpz_powm(result.value_, value_, exponent.value_, two_to_the(256).value_);
        return result;
    }
    std::string decimal() const {
        std::string text(mpz_sizeinbase(value_, 10) + 2, '\0');
        mpz_get_str(text.data(), 10, value_);
        text.resize(std::char_traits<char>::length(text.data()));
        return text;
    }
    // Modulo 2^256.
    Uint256 word() const {
        Big wrapped;
        mpz_fdiv_r_2exp(wrapped.value_, value_, 256);
        Uint256 result;
        mpz_export(result.words, nullptr, -1, sizeof(std::uint64_t), 0, 0, wrapped.value_);
        return result;
    }

private:
    template <typename Function>
    static Big apply(Function function, const Big& a, const Big& b) {
        Big result;
        function(result.value_, a.value_, b.value_);
        return result;
    }

    mpz_t value_;
};

class Uint256Oracle : public testing::Test {
protected:
    static constexpr int kRounds = 50'000;

    Uint256Oracle() { RecordProperty("seed", std::to_string(test::test_seed())); }

    // Calls check(a, b, c) with random words at many edges.
    template <typename Check>
    void for_random_words(Check check) {
        test::Random random(test::test_seed());
        for (int i = 0; i < kRounds && !HasFailure(); ++i) {
            const Uint256 a = random.edge_uint256();
            const Uint256 b = random.below(16) == 0 ? a : random.edge_uint256();
            const Uint256 c = random.edge_uint256();
            SCOPED_TRACE("a " + to_hex(a) + " b " + to_hex(b) + " c " + to_hex(c) + " seed " +
                         std::to_string(test::test_seed()));
            check(a, b, c);
        }
    }
};

TEST_F(Uint256Oracle, addition_subtraction_and_multiplication_wrap) {
    for_random_words([](const Uint256& a, const Uint256& b, const Uint256&) {
        EXPECT_EQ(a + b, (Big(a) + Big(b)).word());
        EXPECT_EQ(a - b, (Big(a) - Big(b)).word());
        EXPECT_EQ(a * b, (Big(a) * Big(b)).word());
        EXPECT_EQ(-a, (Big() - Big(a)).word());
    });
}

TEST_F(Uint256Oracle, overflow_is_reported) {
    for_random_words([](const Uint256& a, const Uint256& b, const Uint256&) {
        Uint256 result;
        EXPECT_EQ(add_overflow(a, b, result), (Big(a) + Big(b)).is_beyond_256_bits());
        EXPECT_EQ(result, a + b);
        EXPECT_EQ(mul_overflow(a, b, result), (Big(a) * Big(b)).is_beyond_256_bits());
        EXPECT_EQ(result, a * b);
    });
}

TEST_F(Uint256Oracle, division_truncates) {
    for_random_words([](const Uint256& a, const Uint256& b, const Uint256&) {
        EXPECT_EQ(a / b, (Big(a) / Big(b)).word());
        EXPECT_EQ(a % b, (Big(a) % Big(b)).word());
    });
}

TEST_F(Uint256Oracle, signed_division_truncates_towards_zero) {
    for_random_words([](const Uint256& a, const Uint256& b, const Uint256&) {
        EXPECT_EQ(sdiv(a, b), (Big::as_signed(a) / Big::as_signed(b)).word());
        EXPECT_EQ(smod(a, b), (Big::as_signed(a) % Big::as_signed(b)).word());
    });
}

TEST_F(Uint256Oracle, modular_operations_do_not_wrap_in_between) {
    for_random_words([](const Uint256& a, const Uint256& b, const Uint256& c) {
        EXPECT_EQ(addmod(a, b, c), ((Big(a) + Big(b)) % Big(c)).word());
        EXPECT_EQ(mulmod(a, b, c), ((Big(a) * Big(b)) % Big(c)).word());
    });
}

TEST_F(Uint256Oracle, comparisons_order_by_value) {
    for_random_words([](const Uint256& a, const Uint256& b, const Uint256&) {
        EXPECT_EQ(a < b, Big(a) < Big(b));
        EXPECT_EQ(a > b, Big(b) < Big(a));
        EXPECT_EQ(a <= b, !(Big(b) < Big(a)));
        EXPECT_EQ(a >= b, !(Big(a) < Big(b)));
    });
}

TEST_F(Uint256Oracle, shifts_drop_what_leaves_the_word) {
    for_random_words([](const Uint256& a, const Uint256& b, const Uint256&) {
        const std::uint64_t shift = b.low64() % 300;
        EXPECT_EQ(a << shift, Big(a).shifted_left(shift).word());
        EXPECT_EQ(a >> shift, Big(a).shifted_right(shift).word());
        EXPECT_EQ(arithmetic_shift_right(a, shift), Big::as_signed(a).shifted_right(shift).word());
    });
}

TEST_F(Uint256Oracle, powers_wrap) {
    for_random_words([](const Uint256& a, const Uint256& b, const Uint256& c) {
        const Uint256 exponent = c.is_negative() ? b : b >> 240;
        EXPECT_EQ(exp(a, exponent), Big(a).power(Big(exponent)).word());
    });
}

TEST_F(Uint256Oracle, decimal_text_round_trips) {
    for_random_words([](const Uint256& a, const Uint256&, const Uint256&) {
        EXPECT_EQ(to_decimal(a), Big(a).decimal());
        EXPECT_EQ(uint256_from_string(to_decimal(a)), a);
        EXPECT_EQ(uint256_from_string(to_hex(a)), a);
    });
}

TEST(Uint256, every_shift_distance_moves_one_bit) {
    for (unsigned i = 0; i < 256; ++i) {
        Uint256 bit;
        bit.words[i / 64] = std::uint64_t{1} << (i % 64);

        EXPECT_EQ(Uint256{1} << i, bit);
        EXPECT_EQ(bit >> i, Uint256{1});
        EXPECT_EQ(bit_width(bit), i + 1);
        EXPECT_EQ(byte_width(bit), i / 8 + 1);
        EXPECT_EQ(arithmetic_shift_right(Uint256{1} << 255, i), ~((Uint256{1} << (255 - i)) - 1));
    }
    EXPECT_EQ(bit_width(Uint256{}), 0u);
}

TEST(Uint256, shifts_beyond_the_word_leave_nothing_or_the_sign) {
    for (const std::uint64_t shift : {std::uint64_t{256}, std::uint64_t{257}, std::uint64_t{320},
                                      std::uint64_t{1} << 32, ~std::uint64_t{0}}) {
        EXPECT_EQ(Uint256::max() << shift, Uint256{});
        EXPECT_EQ(Uint256::max() >> shift, Uint256{});
        EXPECT_EQ(arithmetic_shift_right(Uint256::max(), shift), Uint256::max());
        EXPECT_EQ(arithmetic_shift_right(Uint256::max() >> 1, shift), Uint256{});
    }
}

TEST(Uint256, division_by_zero_is_zero) {
    EXPECT_EQ(Uint256{7} / Uint256{}, Uint256{});
    EXPECT_EQ(Uint256::max() % Uint256{}, Uint256{});
    EXPECT_EQ(sdiv(Uint256::max(), Uint256{}), Uint256{});
    EXPECT_EQ(smod(Uint256::max(), Uint256{}), Uint256{});
    EXPECT_EQ(addmod(Uint256::max(), Uint256::max(), Uint256{}), Uint256{});
    EXPECT_EQ(mulmod(Uint256::max(), Uint256::max(), Uint256{}), Uint256{});
}

TEST(Uint256, most_negative_by_minus_one_wraps) {
    const Uint256 most_negative = Uint256{1} << 255;

    EXPECT_EQ(sdiv(most_negative, Uint256::max()), most_negative);
    EXPECT_EQ(smod(most_negative, Uint256::max()), Uint256{});
}

TEST(Uint256, powers_of_zero_one_and_two) {
    EXPECT_EQ(exp(Uint256{}, Uint256{}), Uint256{1});
    EXPECT_EQ(exp(Uint256{}, Uint256{5}), Uint256{});
    EXPECT_EQ(exp(Uint256{1}, Uint256::max()), Uint256{1});
    EXPECT_EQ(exp(Uint256{2}, Uint256{255}), Uint256{1} << 255);
    EXPECT_EQ(exp(Uint256{2}, Uint256{256}), Uint256{});
    EXPECT_EQ(exp(Uint256{256}, Uint256{31}), Uint256{1} << 248);
    EXPECT_EQ(exp(Uint256{256}, Uint256{32}), Uint256{});
    EXPECT_EQ(exp(Uint256{2}, Uint256{0, 1, 0, 0}), Uint256{});
}

TEST(Uint256, works_in_constant_expressions) {
    static_assert(Uint256{1} < Uint256(0, 1, 0, 0));
    static_assert(Uint256{} - Uint256{1} == Uint256::max());
    static_assert((Uint256{3} << 200 >> 200) == Uint256{3});
    static_assert(arithmetic_shift_right(Uint256::max(), 300) == Uint256::max());
    static_assert(Uint256{5} * Uint256{7} == Uint256{35});
}

TEST(Uint256, big_endian_bytes_round_trip) {
    const Uint256 value{0x18191a1b1c1d1e1f, 0x1011121314151617, 0x08090a0b0c0d0e0f,
                        0x0001020304050607};
    std::uint8_t bytes[32];

    store_be(value, bytes);

    for (std::uint8_t i = 0; i < 32; ++i)
        EXPECT_EQ(bytes[i], i);
    EXPECT_EQ(load_be(bytes), value);
    EXPECT_EQ(load_be_partial({}), Uint256{});
    EXPECT_EQ(load_be_partial({bytes + 30, 2}), Uint256{0x1e1f});
    EXPECT_EQ(load_be_partial(bytes), value);
}

TEST(Uint256, text_is_the_shortest) {
    EXPECT_EQ(to_hex(Uint256{}), "0x0");
    EXPECT_EQ(to_hex(Uint256{0x0f}), "0xf");
    EXPECT_EQ(to_hex(Uint256::max()), "0x" + std::string(64, 'f'));
    EXPECT_EQ(to_decimal(Uint256{}), "0");
    EXPECT_EQ(to_decimal(Uint256{10'000'000'000'000'000'000u}), "10000000000000000000");
}

TEST(Uint256, text_that_is_no_number_is_refused) {
    EXPECT_EQ(uint256_from_string("0x" + std::string(63, '0') + "A"), Uint256{10});
    for (const std::string& text :
         {std::string{}, std::string{"0x"}, std::string{"0xg"}, std::string{"1f"},
          std::string{"-1"}, std::string{" 1"}, std::string{"1 "}, "0x" + std::string(65, '0'),
          std::string{"115792089237316195423570985008687907853269984665640564039457584007913129639"
                      "936"}})
        EXPECT_EQ(uint256_from_string(text), std::nullopt) << text;
}

}  // namespace
}  // namespace heddle
