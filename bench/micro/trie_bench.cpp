// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include <ledger/memory_state.hpp>
#include <ledger/state_root.hpp>
#include <types/ordered_root.hpp>

namespace heddle::ledger {
namespace {

/// Spread over the whole range as hashes of keys are, and the same in every run.
Address address_of(std::uint64_t index) {
    const Hash hash = keccak256(to_hash(index).view());
    Address address;
    std::copy_n(hash.bytes.begin(), 20, address.bytes.begin());
    return address;
}
Uint256 slot_of(std::uint64_t index) {
    return to_word(keccak256(to_hash(~index).view()));
}

/// `accounts` accounts; the first one has `slots` slots.
MemoryState make_state(std::uint64_t accounts, std::uint64_t slots) {
    MemoryState state;
    for (std::uint64_t i = 0; i < accounts; ++i)
        state.set_account(address_of(i), {.nonce = 1, .balance = i + 1});
    for (std::uint64_t i = 0; i < slots; ++i)
        state.set_storage(address_of(0), slot_of(i), slot_of(i));
    return state;
}

/// Sets balances of `accounts` random accounts of `account_count` and `slots` random slots of the
/// first account.
StateDiff make_diff(std::mt19937_64& random, std::uint64_t account_count, std::uint64_t accounts,
                    std::uint64_t slot_count, std::uint64_t slots) {
    StateDiff diff;
    std::vector<bool> taken(account_count);
    while (diff.accounts.size() < accounts) {
        const std::uint64_t index = 1 + random() % (account_count - 1);
        if (taken[index]) continue;
        taken[index] = true;
        diff.accounts.push_back(
            {address_of(index), Account{.nonce = 2, .balance = random()}, false, {}});
    }
    if (slots == 0) return diff;
    AccountChange& contract = diff.accounts.emplace_back();
    contract.address = address_of(0);
    contract.account = Account{.nonce = 1, .balance = 1};
    std::vector<bool> written(slot_count);
    while (contract.storage.size() < slots) {
        const std::uint64_t index = random() % slot_count;
        if (written[index]) continue;
        written[index] = true;
        contract.storage.push_back({slot_of(index), random()});
    }
    return diff;
}

/// Applies the diffs in turn, with values that are new every time: what is written as it was before
/// costs nothing.
void run_diffs(benchmark::State& bench, StateTrie& trie, std::vector<StateDiff> diffs) {
    std::size_t next = 0;
    for (auto _ : bench) {
        for (AccountChange& change : diffs[next].accounts) {
            ++change.account->nonce;
            for (StorageChange& write : change.storage)
                ++write.value.words[0];
        }
        benchmark::DoNotOptimize(trie.apply(diffs[next]));
        next = (next + 1) % diffs.size();
    }
}

/// A full block: 500 accounts and 1,000 slots of one contract change, in 110,000 leaves.
void state_trie_full_block(benchmark::State& bench) {
    StateTrie trie(make_state(55'000, 55'000));
    std::mt19937_64 random(1);
    std::vector<StateDiff> diffs;
    for (int i = 0; i < 16; ++i)
        diffs.push_back(make_diff(random, 55'000, 500, 55'000, 1'000));
    run_diffs(bench, trie, std::move(diffs));
}
BENCHMARK(state_trie_full_block)->Unit(benchmark::kMicrosecond);

/// An early mainnet block: 3 of the 8,893 accounts of the genesis block change.
void state_trie_early_block(benchmark::State& bench) {
    StateTrie trie(make_state(8'893, 0));
    std::mt19937_64 random(2);
    std::vector<StateDiff> diffs;
    for (int i = 0; i < 64; ++i)
        diffs.push_back(make_diff(random, 8'893, 3, 0, 0));
    run_diffs(bench, trie, std::move(diffs));
}
BENCHMARK(state_trie_early_block)->Unit(benchmark::kMicrosecond);

/// What a state test asks: the root of a handful of accounts, once.
void compute_root_of_small_state(benchmark::State& bench) {
    const MemoryState state = make_state(8, 8);
    for (auto _ : bench)
        benchmark::DoNotOptimize(compute_state_root(state));
}
BENCHMARK(compute_root_of_small_state)->Unit(benchmark::kMicrosecond);

/// The transactions root of a block: 200 encodings of 150 bytes.
void ordered_root_of_block(benchmark::State& bench) {
    std::vector<Bytes> values(200, Bytes(150, 0x5a));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i][0] = static_cast<std::uint8_t>(i);
    for (auto _ : bench)
        benchmark::DoNotOptimize(ordered_root(values));
}
BENCHMARK(ordered_root_of_block)->Unit(benchmark::kMicrosecond);

/// Hits in random order; the argument is the number of entries.
void read_account(benchmark::State& bench) {
    const auto count = static_cast<std::uint64_t>(bench.range(0));
    const MemoryState state = make_state(count, 0);
    std::vector<Address> order;
    for (std::uint64_t i = 0; i < count; ++i)
        order.push_back(address_of(i));
    std::ranges::shuffle(order, std::mt19937_64(3));
    std::size_t next = 0;
    for (auto _ : bench) {
        benchmark::DoNotOptimize(state.account(order[next]));
        if (++next == order.size()) next = 0;
    }
}
BENCHMARK(read_account)->Arg(1'000)->Arg(10'000)->Arg(100'000)->Arg(1'000'000);

void read_slot(benchmark::State& bench) {
    const auto count = static_cast<std::uint64_t>(bench.range(0));
    const MemoryState state = make_state(1'000, count);
    const Address contract = address_of(0);
    std::vector<Uint256> order;
    for (std::uint64_t i = 0; i < count; ++i)
        order.push_back(slot_of(i));
    std::ranges::shuffle(order, std::mt19937_64(4));
    std::size_t next = 0;
    for (auto _ : bench) {
        benchmark::DoNotOptimize(state.storage(contract, order[next]));
        if (++next == order.size()) next = 0;
    }
}
BENCHMARK(read_slot)->Arg(1'000)->Arg(10'000)->Arg(100'000)->Arg(1'000'000);

}  // namespace
}  // namespace heddle::ledger
