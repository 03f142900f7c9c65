// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

// Tries that threads share: states that grow from nothing and shrink to nothing in blocks large
// enough to be divided, against the plain tries; and what the sharing rests on.

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include <ledger/memory_state.hpp>
#include <ledger/state_root.hpp>

#include "random.hpp"
#include "trie/record_arena.hpp"
#include "trie/resident_state_trie.hpp"
#include "trie_test_store.hpp"

namespace heddle::ledger {
namespace {

constexpr std::array<unsigned, 4> kThreads{1, 2, 3, 8};
constexpr std::uint64_t kAccounts = 3'000;
const Address kHot = address_from_low64(1'000'000);

/// A block that changes many accounts and slots of one hot contract. `keep` of 8 are written, the
/// others removed.
StateDiff make_block(test::Random& random, std::size_t keep, bool removes_hot) {
    StateDiff diff;
    const std::uint64_t step = 1 + random.below(3);
    for (std::uint64_t i = 1; i <= kAccounts; i += step) {
        AccountChange& change = diff.accounts.emplace_back();
        change.address = address_from_low64(i);
        if (random.below(8) >= keep) continue;
        change.account = random.account();
        for (std::uint64_t slot = random.below(3); slot > 0; --slot)
            change.storage.push_back({slot, random.below(8) < keep ? random.word() : Uint256{}});
        std::ranges::sort(change.storage, {}, &StorageChange::slot);
    }
    AccountChange& hot = diff.accounts.emplace_back();
    hot.address = kHot;
    if (removes_hot) return diff;
    hot.account = random.account();
    for (std::uint64_t slot = random.below(4); slot < 6'000; slot += step)
        hot.storage.push_back({slot, random.below(8) < keep ? random.word() : Uint256{}});
    return diff;
}

/// One number of threads, with a store of its own.
struct Twin {
    test::MapTrieStore store;
    StateTrieOptions options;
    std::unique_ptr<ResidentStateTrie> trie;

    explicit Twin(unsigned threads)
        : options{threads, {.stored_leaf_counts = {4, 4}}},
          trie(std::make_unique<ResidentStateTrie>(store, kEmptyTrieRoot, options)) {}

    void apply(const StateDiff& diff, const Hash& root) {
        const auto applied = trie->apply(diff);
        ASSERT_TRUE(applied.has_value()) << to_string(applied.error());
        ASSERT_EQ(*applied, root) << options.thread_count << " threads";
        store.apply(diff, trie->storage_roots());
    }
};

TEST(SharedTries, any_number_of_threads_makes_the_plain_roots_and_the_same_store) {
    test::Random random(71);
    MemoryState state;
    StateTrie plain;
    std::vector<std::unique_ptr<Twin>> twins;
    for (const unsigned threads : kThreads)
        twins.push_back(std::make_unique<Twin>(threads));
    // Up from nothing, down to nearly nothing, up again.
    for (const std::size_t keep : {8U, 6U, 7U, 1U, 0U, 2U, 8U, 5U}) {
        const StateDiff diff = make_block(random, keep, keep == 2);
        const StateDiff inverse = state.inverse(diff);
        const Hash before = plain.root();
        const Hash after = plain.apply(diff);
        state.apply(diff);
        const bool is_rejected_first = random.one_in(2);
        const bool is_evicted = random.one_in(2);
        for (const auto& twin : twins) {
            ASSERT_NO_FATAL_FAILURE(twin->apply(diff, after));
            if (is_rejected_first) {
                ASSERT_NO_FATAL_FAILURE(twin->apply(inverse, before));
                ASSERT_NO_FATAL_FAILURE(twin->apply(diff, after));
            }
            twin->trie->collect_changes(twin->store);
            ASSERT_EQ(twin->store.nodes, twins[0]->store.nodes);
            if (is_evicted) twin->trie->evict(twin->trie->memory_bytes() / 2);
        }
    }
    StateDiff nothing;
    for (std::uint64_t i = 1; i <= kAccounts; ++i)
        nothing.accounts.push_back({address_from_low64(i), std::nullopt, false, {}});
    nothing.accounts.push_back({kHot, std::nullopt, false, {}});
    for (const auto& twin : twins) {
        ASSERT_NO_FATAL_FAILURE(twin->apply(nothing, kEmptyTrieRoot));
        twin->trie->collect_changes(twin->store);
        EXPECT_TRUE(twin->store.nodes.empty());
        EXPECT_EQ(twin->trie->memory_bytes(), 0U) << "what vanished takes no memory";
    }
}

TEST(SharedTries, memory_of_tries_that_are_evicted_and_loaded_again_is_used_again) {
    test::MapTrieStore store;
    ResidentStateTrie trie(store, kEmptyTrieRoot, {.thread_count = 3, .trie = {}});
    std::size_t reserved = 0;
    for (std::uint64_t round = 0; round < 40; ++round) {
        StateDiff diff;
        for (std::uint64_t i = 1; i <= 20'000; i += 1 + round % 3)
            diff.accounts.push_back(
                {address_from_low64(i), Account{.nonce = round + 1, .balance = 0}, false, {}});
        ASSERT_TRUE(trie.apply(diff).has_value());
        store.apply(diff, trie.storage_roots());
        trie.collect_changes(store);
        // An empty diff: none of the nodes is of the last one, and all go.
        ASSERT_TRUE(trie.apply({}).has_value());
        trie.evict(0);
        if (round == 5) reserved = trie.reserved_bytes();
    }
    EXPECT_LE(trie.reserved_bytes(), reserved + (std::size_t{4} << 20));
}

TEST(SharedTries, updates_are_sorted_the_same_however_many_and_however_alike) {
    test::Random random(72);
    WorkerCrew crew(3);
    std::vector<TrieUpdate> space;
    for (const std::size_t count : {0U, 1U, 900U, 1'024U, 5'000U}) {
        for (const bool is_alike : {false, true}) {
            std::vector<TrieUpdate> updates(count);
            for (TrieUpdate& update : updates) {
                std::ranges::copy(random.bytes(32), update.key.bytes.begin());
                if (is_alike) std::fill_n(update.key.bytes.begin(), 9, std::uint8_t{7});
            }
            std::vector<TrieUpdate> expected = updates;
            std::ranges::sort(expected, {}, &TrieUpdate::key);
            sort_by_key(updates, count % 2 == 0 ? &crew : nullptr, space);
            EXPECT_TRUE(
                std::ranges::equal(updates, expected, {}, &TrieUpdate::key, &TrieUpdate::key));
        }
    }
}

TEST(RecordArena, lanes_hand_out_every_record_once_and_what_one_frees_others_get) {
    RecordArena whole;
    std::vector<std::unique_ptr<RecordArena>> lanes;
    for (int i = 0; i < 3; ++i)
        lanes.push_back(std::make_unique<RecordArena>(&whole));
    WorkerCrew crew(3);
    constexpr std::size_t kRecords = 30'000;
    constexpr std::size_t kSize = 48;
    std::vector<std::uint32_t> records(kRecords);
    std::size_t reserved = 0;
    for (int round = 0; round < 30; ++round) {
        crew.for_each_on_workers(kRecords / 100, [&](std::size_t i, unsigned worker) {
            for (std::size_t record = 100 * i; record < 100 * (i + 1); ++record) {
                records[record] = lanes[worker]->allocate(kSize);
                std::fill_n(lanes[worker]->at(records[record]), kSize, std::byte{0x55});
            }
        });
        for (const auto& lane : lanes)
            lane->give_back();
        EXPECT_EQ(whole.live_bytes(), kRecords * kSize);
        std::vector<std::uint32_t> sorted = records;
        std::ranges::sort(sorted);
        ASSERT_EQ(std::ranges::adjacent_find(sorted), sorted.end());
        if (round == 3) reserved = whole.reserved_bytes();

        // By the whole one, or by lanes in another order.
        if (round % 2 == 0) {
            for (const std::uint32_t record : records)
                whole.release(record, kSize);
        } else {
            crew.for_each_on_workers(kRecords / 100, [&](std::size_t i, unsigned worker) {
                for (std::size_t record = 100 * i; record < 100 * (i + 1); ++record)
                    lanes[worker]->release(records[kRecords - 1 - record], kSize);
            });
            for (const auto& lane : lanes)
                lane->give_back();
        }
        EXPECT_EQ(whole.live_bytes(), 0U);
    }
    EXPECT_LE(whole.reserved_bytes(), reserved + (std::size_t{2} << 20));
}

TEST(WorkerCrew, every_call_is_made_once_and_a_worker_makes_one_at_a_time) {
    for (const unsigned threads : {1U, 2U, 8U}) {
        WorkerCrew crew(threads);
        ASSERT_EQ(crew.thread_count(), threads);
        std::vector<std::size_t> in_worker(threads);  // unsynchronised, on purpose
        for (std::size_t loop = 0; loop < 500; ++loop) {
            const std::size_t count = loop % 20;
            std::vector<std::atomic<int>> calls(count);
            std::ranges::fill(in_worker, 0);
            crew.for_each_on_workers(count, [&](std::size_t i, unsigned worker) {
                ++calls[i];
                ++in_worker[worker];
            });
            std::size_t sum = 0;
            for (const std::size_t calls_of_worker : in_worker)
                sum += calls_of_worker;
            ASSERT_EQ(sum, count);
            for (const std::atomic<int>& called : calls)
                ASSERT_EQ(called, 1);
        }
    }
}

}  // namespace
}  // namespace heddle::ledger
