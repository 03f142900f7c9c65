// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Streams as stream_test.cpp explores them, by what is done with them: more threads dispatch, one
// graph is shared by all, executors hand the stream to each other, another stream follows one that
// was stopped.
#include <set>

#include <gtest/gtest.h>

#include "explored_chains.hpp"
#include "optimistic/optimistic_scheduler.hpp"
#include "stream_case.hpp"

namespace heddle::executor {
namespace {

/// Counters that overtake each other, payments, and what is created, in three blocks.
ChainMaker mixture() {
    ChainMaker maker;
    const Address alice = address_from_low64(0xa11ce);
    maker.call(kCounter).pay(alice, kMiner, Uint256{5}).call(kCounter).next_block();
    maker.call(kCounter).create({0x60, 0x00, 0x60, 0x00, 0xf3}).pay(alice, kMiner, Uint256{2});
    maker.next_block().pay(kMiner, alice, Uint256{1}).call(kCounter);
    return maker;
}

/// The last transaction of a block leaves a balance, its end another one: whoever comes next and
/// has seen the first is overtaken by the second.
TEST(EndingStream, is_the_serial_one_where_withdrawals_follow_what_was_published) {
    ChainMaker maker;
    maker.withdraw(kSpender, 7).call(kSpender).next_block();
    maker.call(kSpender).next_block().call(kSpender);
    TestChain chain = maker.make();
    for (const char* scheduler : {"dag", "optimistic"}) {
        chain.scheduler = scheduler;
        const Totals totals = run(chain);
        EXPECT_GT(totals.stats.repaired, kSchedules / 100) << "otherwise nothing is shown";
    }
}

TEST(PipelinedStream, is_the_serial_one) {
    TestChain chain = mixture().make();
    for (const unsigned threads : {2U, 3U, 4U}) {
        chain.pipeline = threads;
        const Totals totals = run(chain, false, kSchedules / 2);
        EXPECT_GT(totals.stats.repaired, 0u) << threads << ": otherwise nothing is shown";
    }
}

/// Who is ordered before its objects are found waits for nobody.
TEST(PipelinedStream, repairs_nothing_where_sets_are_exact) {
    TestChain chain = mixture().make();
    chain.is_declared = true;
    for (const unsigned threads : {2U, 3U, 4U}) {
        chain.pipeline = threads;
        const Totals totals = run(chain, false, kSchedules / 2);
        EXPECT_EQ(totals.stats.repaired, 0u) << threads;
    }
}

TEST(PipelinedStream, stopped_anywhere_goes_on_with_the_next_stream) {
    TestChain chain = mixture().make();
    chain.begins_again = true;
    for (const unsigned threads : {2U, 4U}) {
        chain.pipeline = threads;
        const Totals totals = run(chain, true, kSchedules / 2);
        EXPECT_GE(totals.stopped_after.size(), 3u) << "it was not stopped in different places";
    }
}

TEST(PipelinedStream, ends_with_the_block_that_the_sink_rejects) {
    TestChain chain = mixture().make();
    chain.rejected = 1;
    chain.pipeline = 3;

    const Totals totals = run(chain, false, kSchedules / 2);

    EXPECT_EQ(totals.accepted, std::set<std::size_t>{1});
}

/// What runs in one thread after the other waits for those that read before, too.
TEST(LateStream, is_the_serial_one) {
    TestChain chain = mixture().make();
    for (const char* scheduler : {"late:lock=free", "late:lock=coarse"}) {
        chain.scheduler = scheduler;
        for (const bool is_declared : {false, true}) {
            chain.is_declared = is_declared;
            const Totals totals = run(chain, false, kSchedules / 2);
            EXPECT_GT(totals.stats.executed, kSchedules) << scheduler;
        }
    }
}

TEST(LateStream, stopped_anywhere_goes_on_with_the_next_stream) {
    TestChain chain = mixture().make();
    chain.begins_again = true;
    for (const char* scheduler : {"late:lock=free", "late:lock=coarse"}) {
        chain.scheduler = scheduler;
        const Totals totals = run(chain, true, kSchedules / 2);
        EXPECT_GE(totals.stopped_after.size(), 3u) << "it was not stopped in different places";
    }
}

TEST(StoppedStream, of_every_policy_is_followed_by_the_next) {
    TestChain chain = mixture().make();
    chain.begins_again = true;
    for (const char* scheduler : {"dag", "optimistic", "aria:batch=2", "early:stealing=moderate"}) {
        chain.scheduler = scheduler;
        const Totals totals = run(chain, true, kSchedules / 2);
        EXPECT_GE(totals.stopped_after.size(), 3u) << scheduler;
    }
}

/// With every block another executor has the stream.
TEST(MixedStream, is_the_serial_one_where_lists_come_and_go) {
    TestChain chain = listed_chain();
    chain.scheduler = "values";
    chain.has_gaps = true;

    const Totals totals = run(chain);

    EXPECT_EQ(totals.stats.listed_blocks, 2 * kSchedules);
}

TEST(MixedStream, stopped_anywhere_goes_on_with_the_next_stream) {
    TestChain chain = listed_chain();
    chain.scheduler = "values";
    chain.has_gaps = true;
    chain.begins_again = true;

    const Totals totals = run(chain, true);

    EXPECT_GE(totals.stopped_after.size(), 3u) << "it was not stopped in different places";
}

}  // namespace
}  // namespace heddle::executor
