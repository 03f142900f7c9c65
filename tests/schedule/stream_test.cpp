// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The stream as a whole, under schedules drawn by seed: the parallel executor with its dispatcher,
// workers, committer and finisher, and the one that executes blocks from their access lists, both
// compiled a second time on atomics, locks and threads that the explorer decides over. What comes
// of each schedule is compared with what the serial executor has made of the same blocks.
#include <algorithm>
#include <set>

#include <executor/executor.hpp>
#include <types/block_access_list.hpp>

#include "dag/dag_scheduler.hpp"
#include "explored_chains.hpp"
#include "optimistic/optimistic_scheduler.hpp"
#include "stream_case.hpp"

namespace heddle::executor {
namespace {

Bytes word(std::uint64_t value) {
    const Hash hash = to_hash(Uint256{value});
    return {hash.bytes.begin(), hash.bytes.end()};
}

/// Undeclared: who reads too early is overtaken.
TEST(Stream, is_the_serial_one_where_attempts_are_overtaken) {
    ChainMaker maker;
    for (int i = 0; i < 4; ++i)
        maker.call(kCounter);
    maker.next_block();
    for (int i = 0; i < 2; ++i)
        maker.call(kCounter);

    const Totals totals = run(maker.make());

    EXPECT_GT(totals.stats.repaired, kSchedules / 10) << "otherwise nothing is shown";
}

TEST(Stream, repairs_nothing_where_sets_are_exact) {
    ChainMaker maker;
    const Address alice = address_from_low64(0xa11ce);
    const Address bob = address_from_low64(0xb0b);
    maker.call(kCounter).pay(alice, bob, Uint256{5}).call(kCounter).pay(bob, kMiner, Uint256{7});
    maker.next_block();
    maker.pay(kMiner, alice, Uint256{1}).call(kCounter).pay(alice, kMiner, Uint256{2});
    TestChain chain = maker.make();
    chain.is_declared = true;

    const Totals totals = run(chain);

    EXPECT_EQ(totals.stats.repaired, 0u);
    EXPECT_EQ(totals.stats.unattempted, 0u);
    EXPECT_GT(totals.stats.executed, 6 * kSchedules) << "nearly all are attempted";
}

/// Money and fees move between a sender, a beneficiary and whoever is created.
TEST(Stream, is_the_serial_one_where_balances_are_added_up) {
    ChainMaker maker;
    const Address alice = address_from_low64(0xa11ce);
    maker.pay(alice, kMiner, Uint256{100}).pay(kMiner, alice, Uint256{3}).call(kCounter);
    maker.next_block();
    // PUSH1 0 PUSH1 0 RETURN: an account without code.
    maker.create({0x60, 0x00, 0x60, 0x00, 0xf3}).pay(alice, kMiner, Uint256{1}).create({0xfe});

    static_cast<void>(run(maker.make()));
}

/// Each is cheap after the one before, and burns millions of gas on any older value.
TEST(Stream, wastes_no_more_than_is_allowed_where_attempts_burn_their_gas) {
    ChainMaker maker;
    for (std::uint64_t i = 0; i < 6; ++i)
        maker.call(kBurner, word(i), 3'000'000);
    const TestChain chain = maker.make();

    const Totals totals = run(chain);

    EXPECT_GT(totals.stats.stopped, kSchedules / 10) << "otherwise nothing is shown";
}

/// Threads of every model meet for what touches both counters, and for what is created.
/// The submitter waits for memory that all blocks but its own have: for each of them, or, where two
/// fit beside each other, in the middle of the third.
TEST(Stream, gets_on_where_blocks_have_no_room_beside_each_other) {
    ChainMaker maker;
    for (int i = 0; i < 3; ++i) {
        if (i != 0) maker.next_block();
        maker.call(kCounter).call(kCounter);
    }
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{2'500}}) {
        for (const unsigned pipeline : {1U, 2U}) {
            TestChain chain = maker.make();
            chain.unfinished_bytes = bytes;
            chain.pipeline = pipeline;
            const Totals totals = run(chain);
            EXPECT_GT(totals.stats.window_full, kSchedules / 10) << "otherwise nothing is shown";
        }
    }
}

TEST(Stream, is_the_serial_one_where_classes_are_mapped_to_threads) {
    ChainMaker maker;
    const Address alice = address_from_low64(0xa11ce);
    const Address bob = address_from_low64(0xb0b);
    maker.call(kCounter).pay(alice, bob, Uint256{5}).call(kBurner, word(0)).call(kCounter);
    maker.next_block();
    maker.create({0xfe}).call(kCounter).pay(alice, bob, Uint256{2}).call(kBurner, word(1));
    TestChain chain = maker.make();
    chain.is_declared = true;

    for (const char* settings :
         {"stealing=none,waiting=barrier", "stealing=none", "stealing=conservative",
          "stealing=moderate", "stealing=aggressive", "stealing=optimistic,shards=2"}) {
        chain.early = settings;
        const Totals totals = run(chain, false, kSchedules / 4);
        EXPECT_EQ(totals.stats.repaired, 0u) << settings;
        EXPECT_GT(totals.stats.meetings, 0u) << settings << ": otherwise nothing is shown";
    }
}

TEST(Stream, ends_with_the_block_that_the_sink_rejects) {
    ChainMaker maker;
    maker.call(kCounter).call(kCounter).next_block();
    maker.call(kCounter).call(kCounter).next_block();
    maker.call(kCounter).call(kCounter);
    TestChain chain = maker.make();
    chain.rejected = 1;

    const Totals totals = run(chain);

    EXPECT_EQ(totals.accepted, std::set<std::size_t>{1});
}

TEST(Stream, stopped_anywhere_has_accepted_whole_blocks_only) {
    ChainMaker maker;
    maker.call(kCounter).call(kCounter).next_block();
    maker.call(kCounter).call(kCounter).next_block();
    maker.call(kCounter);

    const Totals totals = run(maker.make(), true);

    EXPECT_GE(totals.accepted.size(), 3u) << "it was not stopped in different places";
}

/// Attempts are taken back from the committer, and who reads what they have written waits.
TEST(OptimisticStream, is_the_serial_one_where_attempts_are_taken_back) {
    ChainMaker maker;
    for (int i = 0; i < 5; ++i)
        maker.call(kCounter);
    maker.next_block().call(kCounter).create({0x60, 0x00, 0x60, 0x00, 0xf3}).call(kCounter);
    TestChain chain = maker.make();
    chain.policy = make_optimistic_scheduler;

    const Totals totals = run(chain);

    EXPECT_GT(totals.stats.taken_back, kSchedules / 10) << "otherwise nothing is shown";
    EXPECT_GT(totals.stats.suspended, kSchedules / 100) << "otherwise nothing is shown";
}

TEST(OptimisticStream, wastes_no_more_than_is_allowed_where_attempts_burn_their_gas) {
    ChainMaker maker;
    for (std::uint64_t i = 0; i < 6; ++i)
        maker.call(kBurner, word(i), 3'000'000);
    TestChain chain = maker.make();
    chain.policy = make_optimistic_scheduler;

    const Totals totals = run(chain);

    EXPECT_GT(totals.stats.stopped, kSchedules / 10) << "otherwise nothing is shown";
}

TEST(OptimisticStream, stopped_anywhere_has_accepted_whole_blocks_only) {
    ChainMaker maker;
    maker.call(kCounter).call(kCounter).call(kCounter).next_block();
    maker.call(kCounter).call(kCounter).next_block();
    maker.call(kCounter);
    TestChain chain = maker.make();
    chain.policy = make_optimistic_scheduler;

    const Totals totals = run(chain, true);

    EXPECT_GE(totals.accepted.size(), 3u) << "it was not stopped in different places";
}

constexpr const char* kBatches[] = {"batch=2", "batch=3", "batch=64", "deterministic=off"};

/// What loses in its batch is attempted again in the DAG, beside what runs in order in between.
TEST(AriaStream, is_the_serial_one_where_batches_lose_members) {
    ChainMaker maker;
    const Address alice = address_from_low64(0xa11ce);
    maker.call(kCounter).call(kCounter).pay(alice, kMiner, Uint256{5}).call(kCounter);
    maker.create({0x60, 0x00, 0x60, 0x00, 0xf3}).call(kCounter).next_block();
    maker.pay(alice, kMiner, Uint256{7}).call(kCounter).create({0xfe}).call(kCounter);
    TestChain chain = maker.make();

    for (const char* settings : kBatches) {
        chain.aria = settings;
        const Totals totals = run(chain, false, kSchedules / 2);
        EXPECT_GT(totals.stats.batches, kSchedules / 2) << settings;
        EXPECT_GT(totals.stats.aborted, kSchedules / 20) << settings << ": nothing is shown";
    }
}

TEST(AriaStream, gets_on_where_blocks_have_no_room_beside_each_other) {
    ChainMaker maker;
    maker.call(kCounter).call(kCounter);
    maker.next_block();
    maker.call(kCounter).call(kCounter);
    TestChain chain = maker.make();
    chain.aria = "batch=2";
    chain.unfinished_bytes = 1;
    static_cast<void>(run(chain));
}

TEST(AriaStream, wastes_no_more_than_is_allowed_where_attempts_burn_their_gas) {
    ChainMaker maker;
    for (std::uint64_t i = 0; i < 6; ++i)
        maker.call(kBurner, word(i), 3'000'000);
    TestChain chain = maker.make();
    chain.aria = "batch=3";

    const Totals totals = run(chain, false, kSchedules / 2);

    EXPECT_GT(totals.stats.stopped, kSchedules / 20) << "otherwise nothing is shown";
}

TEST(AriaStream, stopped_anywhere_has_accepted_whole_blocks_only) {
    ChainMaker maker;
    maker.call(kCounter).call(kCounter).call(kCounter).next_block();
    maker.call(kCounter).call(kCounter).next_block();
    maker.call(kCounter);
    TestChain chain = maker.make();
    chain.aria = "batch=2";

    const Totals totals = run(chain, true);

    EXPECT_GE(totals.accepted.size(), 3u) << "it was not stopped in different places";
}

TEST(ListedStream, is_the_serial_one_and_needs_no_second_execution) {
    const TestChain chain = listed_chain();

    const Totals totals = run(chain);

    EXPECT_EQ(totals.stats.listed_blocks, 3 * kSchedules);
    EXPECT_EQ(totals.stats.refuted_lists, 0u);
    EXPECT_EQ(totals.stats.wasted_gas, 0u);
    // The first block has none before it, and a worker comes to it in time in some schedules.
    EXPECT_GE(totals.foreseen, kSchedules / 20);
    EXPECT_EQ(totals.rightly, totals.foreseen);
}

/// The second block's list lies, those beside it are true.
TEST(ListedStream, is_the_serial_one_where_a_list_lies) {
    TestChain chain = listed_chain();
    BlockAccessList list = *decode_block_access_list(chain.blocks[1].access_list);
    const auto counter = std::ranges::find(list.accounts, kCounter, &ListedAccount::address);
    ASSERT_NE(counter, list.accounts.end());
    counter->storage_changes[0].changes[0].value += Uint256{1};
    chain.blocks[1].access_list.clear();
    encode_block_access_list(list, chain.blocks[1].access_list);

    const Totals totals = run(chain);

    EXPECT_EQ(totals.stats.listed_blocks, 2 * kSchedules);
    EXPECT_EQ(totals.stats.refuted_lists, kSchedules);
}

TEST(ListedStream, stopped_anywhere_has_accepted_whole_blocks_only) {
    const Totals totals = run(listed_chain(), true);

    EXPECT_GE(totals.accepted.size(), 3u) << "it was not stopped in different places";
}

}  // namespace
}  // namespace heddle::executor
