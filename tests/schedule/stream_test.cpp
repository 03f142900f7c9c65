// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The stream as a whole, under schedules drawn by seed: the parallel executor with its dispatcher,
// workers, committer and finisher, and the one that executes blocks from their access lists, both
// compiled a second time on atomics, locks and threads that the explorer decides over. What comes
// of each schedule is compared with what the serial executor has made of the same blocks.
#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <executor/executor.hpp>
#include <types/block_access_list.hpp>

#include "../executor/fakes.hpp"
#include "aria/aria_scheduler.hpp"
#include "checks.hpp"
#include "dag/dag_scheduler.hpp"
#include "early/early_scheduler.hpp"
#include "explored_chains.hpp"
#include "explored_stream.hpp"
#include "explorer.hpp"
#include "optimistic/optimistic_scheduler.hpp"
#include "parallel_executor.hpp"
#include "values/listed_executor.hpp"

namespace heddle::executor {
namespace {

using heddle::test::announced_seed;
using heddle::test::Case;
using heddle::test::expect;
using heddle::test::expect_holds;
using heddle::test::explore_randomly;

/// A sink of a state of its own that may reject a block.
class ChainSink final : public BlockSink {
public:
    ChainSink(test::FakeState& state, std::optional<std::size_t> rejected)
        : inner_(state), rejected_(rejected) {}

    std::expected<Hash, BlockError> commit(FinishedBlock block) override {
        inner_.rejects = rejected_ == inner_.blocks.size();
        return inner_.commit(std::move(block));
    }
    void foresee(const Hash& parent, const StateDiff& diff) override {
        inner_.foresee(parent, diff);
    }
    Hash state_root_with(const StateDiff& diff) override { return inner_.state_root_with(diff); }
    [[nodiscard]] const std::vector<FinishedBlock>& blocks() const { return inner_.blocks; }
    [[nodiscard]] const test::FakeSink& inner() const { return inner_; }

private:
    test::FakeSink inner_;
    const std::optional<std::size_t> rejected_;
};

/// What is added up over all schedules.
struct Totals {
    ParallelStats stats;
    std::set<std::size_t> accepted;  // numbers of blocks
    std::uint64_t foreseen = 0;      // blocks of which the sink was told ahead what they change
    std::uint64_t rightly = 0;       // of these, by what they changed then
    std::uint64_t runs = 0;
};

/// The chain through the executor: one thread submits, the others are the executor's own.
class StreamCase final : public Case {
public:
    StreamCase(const TestChain& chain, Totals& totals, bool is_stopped = false)
        : chain_(chain),
          totals_(totals),
          is_stopped_(is_stopped),
          state_(copy_of(chain.before)),
          sink_(state_, chain.rejected) {
        Options options;
        options.parallel.workers = kWorkers;
        options.parallel.may_outnumber_processors = true;
        options.parallel.pipeline = 1;
        options.parallel.window_transactions = 8;
        options.parallel.kept_bytes = 0;
        options.parallel.run_chains_inline = false;
        options.parallel.orders_by_all_sets = true;
        // Turns that whoever stops it lets pass: a chain takes some hundred of each thread.
        patience_ = 11 * totals.runs++ % 1'000;
        if (chain.is_listed)
            executor_ = std::make_unique<ListedExecutor>(options);
        else
            executor_ = std::make_unique<ParallelExecutor>(options, policy_of(chain));
        executor_->start({chain_.config, state_, hashes_, sink_},
                         make_chain_head(chain_.genesis, Uint256{}));
    }
    /// After a failure threads are left in the middle of it: what they use has to stay.
    ~StreamCase() override { static_cast<void>(executor_.release()); }

    std::vector<Thread> threads() override {
        std::vector<Thread> threads{{"submitter", [this] { submit(); }}};
        for (auto& body : heddle::test::take_explored_threads())
            threads.push_back({"worker", std::move(body)});
        if (is_stopped_)
            threads.push_back({"stopper", [this] {
                                   for (std::uint64_t i = 0; i < patience_; ++i)
                                       static_cast<void>(has_stopped_.load());
                                   executor_->stop();
                                   has_stopped_.store(true);
                                   has_stopped_.notify_all();
                               }});
        return threads;
    }
    void at_end() override {
        expect(executor_ == nullptr, "the submitter has not come to its end");
        check_blocks();
    }
    [[nodiscard]] std::size_t most_operations() const override { return 200'000; }

private:
    static constexpr unsigned kWorkers = 3;
    static constexpr std::uint64_t kFirstBudget = 1'000'000;  // for each worker

    static PolicyChoice policy_of(const TestChain& chain) {
        if (chain.early.has_value())
            return {make_early_scheduler,
                    SchedulerSettings::parse(kEarlySettings, *chain.early).value()};
        if (chain.aria.has_value())
            return {make_aria_scheduler,
                    SchedulerSettings::parse(kAriaSettings, *chain.aria).value()};
        return PolicyChoice{chain.policy};
    }
    /// Its lock is not shared with others that are copies of the same.
    static test::FakeState copy_of(const test::FakeState& from) {
        test::FakeState state;
        state.accounts = from.accounts;
        state.slots = from.slots;
        state.codes = from.codes;
        return state;
    }

    void submit() {
        for (const FinishedBlock& finished : chain_.blocks)
            if (!submit(finished)) break;
        summary_ = executor_->drain();
        if (is_stopped_) has_stopped_.wait(false);
        totals_.accepted.insert(sink_.blocks().size());
        totals_.foreseen += sink_.inner().times_foreseen;
        totals_.rightly += sink_.inner().times_right;
        if (summary_.has_value()) {
            totals_.stats += summary_->stats.parallel;
            // See docs/execution-model.md, "What attempts may cost".
            const Stats& stats = summary_->stats;
            expect(chain_.is_listed || stats.parallel.wasted_gas <= 10'000 * stats.transactions +
                                                                        stats.gas_used +
                                                                        kWorkers * kFirstBudget,
                   "more is wasted than may be");
        }
        executor_.reset();
    }
    [[nodiscard]] bool submit(const FinishedBlock& finished) {
        BlockStart start;
        start.header = finished.block.header;
        start.withdrawals = finished.block.withdrawals;
        start.transaction_count = finished.block.transactions.size();
        if (chain_.is_listed) start.access_list = finished.access_list;
        if (!executor_->begin_block(std::move(start)).has_value()) return false;
        for (std::size_t i = 0; i < finished.block.transactions.size(); ++i) {
            if (chain_.is_declared)
                executor_->submit(finished.block.transactions[i], finished.object_sets[i]);
            else
                executor_->submit(finished.block.transactions[i], std::nullopt);
        }
        executor_->end_block();
        return true;
    }

    void expect_summary() const {
        if (!summary_.has_value()) std::cout << to_string(summary_.error()) << '\n';
        expect(summary_.has_value(), "an error of its own");
    }
    void check_blocks() const {
        if (!chain_.rejected.has_value()) expect_summary();
        const std::vector<FinishedBlock>& blocks = sink_.blocks();
        const std::size_t due = chain_.rejected.value_or(chain_.blocks.size());
        if (is_stopped_)
            expect(blocks.size() <= due, "more blocks than there are");
        else
            expect(blocks.size() == due, "another number of blocks was accepted");
        if (chain_.rejected.has_value() && !is_stopped_)
            expect(!summary_.has_value() &&
                       summary_.error().code == BlockErrorCode::state_root_mismatch &&
                       summary_.error().number == due + 1,
                   "another error than the sink's");
        test::FakeState expected = copy_of(chain_.before);
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            const FinishedBlock& serial = chain_.blocks[i];
            expect(blocks[i].block == serial.block, "another block than the serial executor's");
            expect(blocks[i].receipts == serial.receipts, "other receipts");
            expected.apply(serial.diff);
        }
        expect(state_.accounts == expected.accounts, "other accounts");
        expect(state_.slots == expected.slots, "other slots");
        expect(state_.codes == expected.codes, "other code");
    }

    const TestChain& chain_;
    Totals& totals_;
    const bool is_stopped_;
    test::FakeState state_;
    test::FakeBlockHashes hashes_;
    ChainSink sink_;
    std::unique_ptr<Executor> executor_;
    std::uint64_t patience_ = 0;
    heddle::test::ExploredAtomic<bool> has_stopped_{false};
    std::expected<Summary, BlockError> summary_;
};

constexpr std::uint64_t kSchedules = 1'000;

Totals run(const TestChain& chain, bool is_stopped = false, std::uint64_t schedules = kSchedules) {
    Totals totals;
    const auto make = [&] { return std::make_unique<StreamCase>(chain, totals, is_stopped); };
    expect_holds(explore_randomly(make, announced_seed(), schedules));
    return totals;
}

/// Counters, payments and a creation, in three blocks. The second one is long enough for the
/// longest of its transactions to be set apart.
TestChain listed_chain() {
    ChainMaker maker;
    const Address alice = address_from_low64(0xa11ce);
    maker.call(kCounter).pay(alice, kMiner, Uint256{5}).call(kCounter).next_block();
    maker.call(kCounter).create({0xfe}).pay(alice, kMiner, Uint256{7}).call(kCounter);
    maker.pay(kMiner, alice, Uint256{1}).call(kCounter).next_block();
    maker.call(kCounter).pay(alice, kMiner, Uint256{9});
    TestChain chain = maker.make();
    chain.is_listed = true;
    return chain;
}

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
