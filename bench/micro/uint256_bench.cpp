// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <random>

#include <benchmark/benchmark.h>

#include <types/modulus.hpp>
#include <types/uint256.hpp>

namespace heddle {
namespace {

constexpr std::size_t kCount = 256;
using Operands = std::array<Uint256, kCount>;

// Random numbers of exactly `words` words.
Operands random_operands(unsigned words, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    Operands operands;
    for (Uint256& operand : operands) {
        for (unsigned i = 0; i < words; ++i)
            operand.words[i] = random();
        operand.words[words - 1] |= std::uint64_t{1} << 62;
    }
    return operands;
}

template <typename Operation>
void run(benchmark::State& state, const Operands& a, const Operands& b, Operation operation) {
    std::size_t i = 0;
    for (auto _ : state) {
        const Uint256 result = operation(a[i], b[i]);
        benchmark::DoNotOptimize(result);
        i = (i + 1) % kCount;
    }
}

void add(benchmark::State& state) {
    run(state, random_operands(4, 1), random_operands(4, 2),
        [](const Uint256& a, const Uint256& b) { return a + b; });
}
BENCHMARK(add);

void subtract(benchmark::State& state) {
    run(state, random_operands(4, 1), random_operands(4, 2),
        [](const Uint256& a, const Uint256& b) { return a - b; });
}
BENCHMARK(subtract);

void multiply(benchmark::State& state) {
    run(state, random_operands(4, 1), random_operands(4, 2),
        [](const Uint256& a, const Uint256& b) { return a * b; });
}
BENCHMARK(multiply);

void less(benchmark::State& state) {
    run(state, random_operands(4, 1), random_operands(4, 2),
        [](const Uint256& a, const Uint256& b) { return Uint256{a < b ? 1u : 0u}; });
}
BENCHMARK(less);

void shift_left(benchmark::State& state) {
    run(state, random_operands(4, 1), random_operands(4, 2),
        [](const Uint256& a, const Uint256& b) { return a << (b.low64() & 255); });
}
BENCHMARK(shift_left);

void shift_right(benchmark::State& state) {
    run(state, random_operands(4, 1), random_operands(4, 2),
        [](const Uint256& a, const Uint256& b) { return a >> (b.low64() & 255); });
}
BENCHMARK(shift_right);

// Widths in words: dividend, divisor.
void divide(benchmark::State& state) {
    run(state, random_operands(static_cast<unsigned>(state.range(0)), 1),
        random_operands(static_cast<unsigned>(state.range(1)), 2),
        [](const Uint256& a, const Uint256& b) { return a / b; });
}
BENCHMARK(divide)
    ->Args({1, 1})
    ->Args({2, 1})
    ->Args({3, 1})
    ->Args({4, 1})
    ->Args({2, 2})
    ->Args({3, 2})
    ->Args({4, 2})
    ->Args({3, 3})
    ->Args({4, 3})
    ->Args({4, 4});

void divide_by_power_of_two(benchmark::State& state) {
    Operands divisors = random_operands(4, 2);
    for (Uint256& divisor : divisors)
        divisor = Uint256{1} << (divisor.low64() & 255);
    run(state, random_operands(4, 1), divisors,
        [](const Uint256& a, const Uint256& b) { return a / b; });
}
BENCHMARK(divide_by_power_of_two);

void add_modulo(benchmark::State& state) {
    const Uint256 modulus = random_operands(4, 3)[0];
    run(state, random_operands(4, 1), random_operands(4, 2),
        [&](const Uint256& a, const Uint256& b) { return addmod(a, b, modulus); });
}
BENCHMARK(add_modulo);

// Width of the modulus in words.
void multiply_modulo(benchmark::State& state) {
    const Uint256 modulus = random_operands(static_cast<unsigned>(state.range(0)), 3)[0];
    run(state, random_operands(4, 1), random_operands(4, 2),
        [&](const Uint256& a, const Uint256& b) { return mulmod(a, b, modulus); });
}
BENCHMARK(multiply_modulo)->DenseRange(1, 4);

// Operands below the modulus, here that of the bn254 curve: field arithmetic in Solidity.
void multiply_in_field(benchmark::State& state) {
    const Uint256 modulus{0x3c208c16d87cfd47, 0x97816a916871ca8d, 0xb85045b68181585d,
                          0x30644e72e131a029};
    Operands a = random_operands(4, 1);
    Operands b = random_operands(4, 2);
    for (std::size_t i = 0; i < kCount; ++i) {
        a[i] = a[i] % modulus;
        b[i] = b[i] % modulus;
    }
    run(state, a, b, [&](const Uint256& x, const Uint256& y) { return mulmod(x, y, modulus); });
}
BENCHMARK(multiply_in_field);

// The same with the reciprocal of the modulus at hand.
void multiply_in_known_field(benchmark::State& state) {
    const Modulus modulus(
        Uint256{0x3c208c16d87cfd47, 0x97816a916871ca8d, 0xb85045b68181585d, 0x30644e72e131a029});
    Operands a = random_operands(4, 1);
    Operands b = random_operands(4, 2);
    for (std::size_t i = 0; i < kCount; ++i) {
        a[i] = a[i] % modulus.value();
        b[i] = b[i] % modulus.value();
    }
    run(state, a, b, [&](const Uint256& x, const Uint256& y) { return modulus.multiply(x, y); });
}
BENCHMARK(multiply_in_known_field);

void make_modulus(benchmark::State& state) {
    run(state, random_operands(4, 1), random_operands(4, 2),
        [](const Uint256& a, const Uint256&) { return Modulus(a).value(); });
}
BENCHMARK(make_modulus);

// MULMOD by 2^256 - 1, as full-width multiplication in Solidity does it.
void multiply_modulo_max(benchmark::State& state) {
    run(state, random_operands(4, 1), random_operands(4, 2),
        [](const Uint256& a, const Uint256& b) { return mulmod(a, b, Uint256::max()); });
}
BENCHMARK(multiply_modulo_max);

void power_of_ten(benchmark::State& state) {
    Operands exponents = random_operands(1, 2);
    for (Uint256& exponent : exponents)
        exponent = Uint256{exponent.low64() % 19};
    run(state, Operands{}, exponents,
        [](const Uint256&, const Uint256& b) { return exp(Uint256{10}, b); });
}
BENCHMARK(power_of_ten);

void to_decimal_text(benchmark::State& state) {
    const Operands values = random_operands(4, 1);
    std::size_t i = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(to_decimal(values[i]));
        i = (i + 1) % kCount;
    }
}
BENCHMARK(to_decimal_text);

}  // namespace
}  // namespace heddle
