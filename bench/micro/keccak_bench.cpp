// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <vector>

#include <benchmark/benchmark.h>

#include <types/hash.hpp>
#include <types/keccak_batch.hpp>

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

/// The messages of a batch: of one size, or of all sizes between 100 and 1,000 bytes as receipts.
void hash_batch(benchmark::State& state, KeccakPath path, std::size_t size) {
    if (!is_supported(path)) return state.SkipWithError("not on this machine");
    constexpr std::size_t kMessages = 64;
    std::vector<Bytes> messages;
    for (std::size_t i = 0; i < kMessages; ++i)
        messages.emplace_back(size != 0 ? size : 100 + i * 337 % 900, std::uint8_t{0x5a});
    KeccakBatch batch(path);
    std::array<Hash, kMessages> hashes;
    for (auto _ : state) {
        for (const Bytes& message : messages)
            batch.add(message);
        batch.run(hashes);
        benchmark::DoNotOptimize(hashes);
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) *
                            static_cast<std::int64_t>(kMessages));
}
void keccak256_64_messages_one_by_one(benchmark::State& state) {
    hash_batch(state, KeccakPath::scalar, static_cast<std::size_t>(state.range(0)));
}
void keccak256_64_messages_avx2(benchmark::State& state) {
    hash_batch(state, KeccakPath::avx2, static_cast<std::size_t>(state.range(0)));
}
void keccak256_64_messages_avx512(benchmark::State& state) {
    hash_batch(state, KeccakPath::avx512, static_cast<std::size_t>(state.range(0)));
}
BENCHMARK(keccak256_64_messages_one_by_one)->Arg(32)->Arg(532)->Arg(0);
BENCHMARK(keccak256_64_messages_avx2)->Arg(32)->Arg(532)->Arg(0);
BENCHMARK(keccak256_64_messages_avx512)->Arg(32)->Arg(532)->Arg(0);

}  // namespace
}  // namespace heddle
