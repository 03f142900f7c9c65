// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <benchmark/benchmark.h>

#include <types/hash.hpp>

namespace heddle {
namespace {

// Sizes that matter: 20 (addresses), 32 (slots of the secure trie), 64 (mappings), 85 (CREATE2),
// 532 (a full branch node), 24,576 (the largest code).
void keccak256_of(benchmark::State& state) {
    const auto size = static_cast<std::size_t>(state.range(0));
    Bytes data(size + 1, 0x5a);
    for (auto _ : state) {
        const Hash hash = keccak256({data.data(), size});
        benchmark::DoNotOptimize(hash);
        // Each hash depends on the one before, as a chain of mappings does.
        data[0] = hash.bytes[0];
    }
    state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * state.range(0));
}
BENCHMARK(keccak256_of)->Arg(0)->Arg(20)->Arg(32)->Arg(64)->Arg(85)->Arg(135)->Arg(532)->Arg(24576);

}  // namespace
}  // namespace heddle
