// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

// Every precompiled contract on a typical input: time per call, and what that makes in Mgas/s at
// Osaka prices. A block of 36 Mgas made of nothing but the slowest one bounds validation time.

#include <cstdint>
#include <string>

#include <benchmark/benchmark.h>

#include <types/bytes.hpp>
#include <vm/precompile.hpp>

#include "hard_precompile_inputs.hpp"

namespace heddle::vm {
namespace {

using namespace heddle::bench;

void run(benchmark::State& state, std::uint32_t index, const std::string& text) {
    call(index, text);
    const Bytes input = from_hex(text).value_or(Bytes{});
    Bytes output;
    std::int64_t gas = 0;
    for (auto _ : state) {
        const auto result = run_precompile(index, Revision::osaka, input, kPlentyOfGas, output);
        gas += kPlentyOfGas - result.gas_left;
        benchmark::DoNotOptimize(output.data());
    }
    state.counters["Mgas/s"] =
        benchmark::Counter(static_cast<double>(gas) / 1e6, benchmark::Counter::kIsRate);
}

// --- Benchmarks ----------------------------------------------------------------------------------

void ecrecover(benchmark::State& state) {
    run(state, 1, kEcrecover);
}
void sha256(benchmark::State& state) {
    run(state, 2, noise(Bytes::size_type(state.range(0)), 1));
}
void ripemd160(benchmark::State& state) {
    run(state, 3, noise(Bytes::size_type(state.range(0)), 1));
}
void identity(benchmark::State& state) {
    run(state, 4, noise(Bytes::size_type(state.range(0)), 1));
}
void modexp_rsa_verify(benchmark::State& state) {
    run(state, 5, modexp(Bytes::size_type(state.range(0)), "010001"));
}
void modexp_full_exponent(benchmark::State& state) {
    const auto size = Bytes::size_type(state.range(0));
    run(state, 5, modexp(size, noise(size, 2)));
}
void bn254_add(benchmark::State& state) {
    run(state, 6, bn_point(1) + bn_point(2));
}
void bn254_mul(benchmark::State& state) {
    run(state, 7, bn_point(1) + noise(32, 9));
}
void bn254_pairing(benchmark::State& state) {
    run(state, 8, repeat_pairs(state.range(0), [](auto seed) { return bn_point(seed) + kBnG2; }));
}
void blake2f(benchmark::State& state) {
    char rounds[9];
    std::snprintf(rounds, sizeof rounds, "%08x", static_cast<unsigned>(state.range(0)));
    run(state, 9, std::string{rounds} + noise(208, 1) + "01");
}
void point_evaluation(benchmark::State& state) {
    run(state, 0x0a, kPointEvaluation);
}
void bls12_g1_add(benchmark::State& state) {
    run(state, 0x0b, bls_g1(1) + bls_g1(2));
}
void bls12_g1_msm(benchmark::State& state) {
    run(state, 0x0c,
        repeat_pairs(state.range(0), [](auto seed) { return bls_g1(seed) + noise(32, seed); }));
}
void bls12_g2_add(benchmark::State& state) {
    run(state, 0x0d, bls_g2(1) + bls_g2(2));
}
void bls12_g2_msm(benchmark::State& state) {
    run(state, 0x0e,
        repeat_pairs(state.range(0), [](auto seed) { return bls_g2(seed) + noise(32, seed); }));
}
void bls12_pairing(benchmark::State& state) {
    run(state, 0x0f,
        repeat_pairs(state.range(0), [](auto seed) { return bls_g1(seed) + bls_g2(seed); }));
}
void bls12_map_fp_to_g1(benchmark::State& state) {
    run(state, 0x10, zeroes(17) + noise(47, 1));
}
void bls12_map_fp2_to_g2(benchmark::State& state) {
    run(state, 0x11, zeroes(17) + noise(47, 1) + zeroes(17) + noise(47, 2));
}
void p256_verify(benchmark::State& state) {
    run(state, kP256VerifyIndex, kP256);
}

BENCHMARK(ecrecover);
BENCHMARK(sha256)->Arg(64)->Arg(1024);
BENCHMARK(ripemd160)->Arg(64)->Arg(1024);
BENCHMARK(identity)->Arg(64)->Arg(1024);
BENCHMARK(modexp_rsa_verify)->Arg(128)->Arg(256);
BENCHMARK(modexp_full_exponent)->Arg(32)->Arg(256)->Arg(1024);
BENCHMARK(bn254_add);
BENCHMARK(bn254_mul);
BENCHMARK(bn254_pairing)->Arg(1)->Arg(2)->Arg(4);
BENCHMARK(blake2f)->Arg(12)->Arg(1200);
BENCHMARK(point_evaluation);
BENCHMARK(bls12_g1_add);
BENCHMARK(bls12_g1_msm)->Arg(1)->Arg(2)->Arg(16)->Arg(32)->Arg(128);
BENCHMARK(bls12_g2_add);
BENCHMARK(bls12_g2_msm)->Arg(1)->Arg(2)->Arg(16)->Arg(32)->Arg(128);
BENCHMARK(bls12_pairing)->Arg(1)->Arg(2)->Arg(8);
BENCHMARK(bls12_map_fp_to_g1);
BENCHMARK(bls12_map_fp2_to_g2);
BENCHMARK(p256_verify);

}  // namespace
}  // namespace heddle::vm
