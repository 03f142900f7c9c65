// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <benchmark/benchmark.h>

#include <types/block.hpp>
#include <types/sender_recovery.hpp>
#include <types/signing.hpp>

namespace heddle {
namespace {

Transaction token_transfer(std::uint64_t nonce) {
    Transaction tx;
    tx.type = TransactionType::dynamic_fee;
    tx.chain_id = 1;
    tx.nonce = nonce;
    tx.max_fee_per_gas = Uint256{30'000'000'000};
    tx.max_priority_fee_per_gas = Uint256{1'000'000'000};
    tx.gas_limit = 100'000;
    tx.to = address_from_low64(0x1234567890abcdef);
    tx.data.assign(68, 0x11);
    if (!sign_transaction(tx, to_hash(Uint256{nonce + 1}))) std::abort();
    return tx;
}

// As many ERC-20 transfers as fill a mainnet block of today, without their receipts.
Block example_block() {
    Block block;
    for (std::uint64_t i = 0; i < 200; ++i)
        block.transactions.push_back(token_transfer(i));
    return block;
}

void decode_block_of_200(benchmark::State& state) {
    Bytes bytes;
    encode_block(example_block(), bytes);
    for (auto _ : state)
        benchmark::DoNotOptimize(decode_block(bytes));
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes.size()));
}
BENCHMARK(decode_block_of_200);

void encode_block_of_200(benchmark::State& state) {
    const Block block = example_block();
    Bytes bytes;
    for (auto _ : state) {
        bytes.clear();
        encode_block(block, bytes);
        benchmark::DoNotOptimize(bytes.data());
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes.size()));
}
BENCHMARK(encode_block_of_200);

void hash_header(benchmark::State& state) {
    const BlockHeader header;
    for (auto _ : state)
        benchmark::DoNotOptimize(header_hash(header));
}
BENCHMARK(hash_header);

void hash_transaction(benchmark::State& state) {
    const Transaction tx = token_transfer(1);
    for (auto _ : state)
        benchmark::DoNotOptimize(transaction_hash(tx));
}
BENCHMARK(hash_transaction);

void recover_sender_of(benchmark::State& state) {
    const Transaction tx = token_transfer(1);
    for (auto _ : state)
        benchmark::DoNotOptimize(recover_sender(tx));
}
BENCHMARK(recover_sender_of);

/// Several at once; the time is that of one.
void recover_senders_of(benchmark::State& state) {
    const auto count = static_cast<std::size_t>(state.range(0));
    std::vector<Transaction> transactions;
    std::vector<Transaction*> all;
    for (std::size_t i = 0; i < count; ++i)
        transactions.push_back(token_transfer(i));
    for (Transaction& tx : transactions)
        all.push_back(&tx);
    for (auto _ : state)
        recover_senders(all);
    state.counters["each"] = benchmark::Counter(
        static_cast<double>(count),
        benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(recover_senders_of)->Arg(1)->Arg(3)->Arg(8)->Arg(16)->Arg(32)->Arg(64)->Arg(256);

}  // namespace
}  // namespace heddle
