// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What is between the parts of the parallel executor. That its results are the serial ones is
// tests/determinism's.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sched.h>

#include <types/block_access_list.hpp>
#include <types/processors.hpp>

#include <executor/executor.hpp>
#include <executor/schedule_observer.hpp>
#include <executor/schedulers.hpp>

#include "parallel_executor_fixture.hpp"
#include "values/listed_executor.hpp"

namespace heddle::executor {
namespace {

TEST(WorkerCount, is_not_above_the_processors_unless_that_is_asked_for) {
    const unsigned processors = processor_count();
    ParallelOptions options;
    EXPECT_EQ(worker_count(options), processors < 8 ? processors : processors - 1)
        << "of many, the dispatcher has one";
    options.workers = 1;
    EXPECT_EQ(worker_count(options), 1u);
    options.workers = processors + 7;
    EXPECT_EQ(worker_count(options), processors);
    options.may_outnumber_processors = true;
    EXPECT_EQ(worker_count(options), processors + 7);
}

#if defined(__linux__)

/// As taskset and the cpusets of containers do. @return the exit code: how many workers there are.
[[noreturn]] void count_workers_on_one_processor() {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<unsigned>(sched_getcpu()), &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) std::_Exit(100);
    ParallelOptions options;
    options.workers = 2;
    std::_Exit(static_cast<int>(worker_count(options)));
}

// Two workers shared a processor where a process on a larger machine was given one of it: whoever
// burned gas ahead of its turn held the one that the transaction whose turn it was waited for.
TEST(WorkerCountDeathTest, is_not_above_the_processors_that_the_process_was_given) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");

    EXPECT_EXIT(count_workers_on_one_processor(), testing::ExitedWithCode(1), "");
}

#endif

TEST_F(ParallelExecutorTest, ends_of_blocks_do_not_use_up_the_window) {
    // A transfer accesses five objects, so a block of four is far from filling it.
    ParallelOptions parallel = workers(2);
    parallel.window_objects = 64;
    start(parallel);

    for (int i = 0; i < 200; ++i)
        ASSERT_TRUE(propose(4));

    const Summary summary = drained();
    EXPECT_EQ(summary.stats.transactions, 800u);
    EXPECT_EQ(summary.stats.parallel.window_full, 0u);
}

/// Every account of the stream is a new one.
TEST_F(ParallelExecutorTest, memory_is_bounded_by_what_is_kept_and_not_by_history) {
    constexpr std::size_t kTransfers = 400;
    ParallelOptions parallel = workers(2);
    parallel.kept_bytes = 0;  // the least, some thousands of cells
    start(parallel);
    pays_new_accounts_ = true;
    std::uint64_t most_bytes = 0;
    for (int i = 0; i < 20; ++i) {
        ASSERT_TRUE(propose(kTransfers));
        most_bytes = std::max(most_bytes, held_bytes());
    }
    for (int i = 0; i < 80; ++i) {
        ASSERT_TRUE(propose(kTransfers));
        ASSERT_LE(held_bytes(), most_bytes) << "block " << sink_.blocks.size();
        ASSERT_LE(executor_->memory().cells, 10 * kTransfers);
    }
    EXPECT_EQ(drained().stats.transactions, 100 * kTransfers);
}

TEST_F(ParallelExecutorTest, memory_of_a_large_block_is_given_back_when_the_stream_pauses) {
    ParallelOptions parallel = workers(2);
    parallel.kept_bytes = 0;
    start(parallel);
    ASSERT_TRUE(propose(20));
    const MemoryUse before = (static_cast<void>(drained()), executor_->memory());
    EXPECT_GT(before.record_bytes, 0u);

    pays_new_accounts_ = true;
    ASSERT_TRUE(propose(30'000));
    static_cast<void>(drained());

    EXPECT_EQ(executor_->memory().record_bytes, before.record_bytes);
    EXPECT_LE(executor_->memory().cell_bytes, 4 * before.cell_bytes);
    ASSERT_TRUE(propose(20));
    EXPECT_EQ(drained().stats.transactions, 30'040u);
}

TEST_F(ParallelExecutorTest, memory_of_one_stream_is_given_back_when_the_next_one_starts) {
    ParallelOptions parallel = workers(2);
    parallel.kept_bytes = 0;
    start(parallel);
    pays_new_accounts_ = true;
    ASSERT_TRUE(propose(30'000));
    executor_->stop();
    static_cast<void>(executor_->drain());
    const std::uint64_t large = executor_->memory().record_bytes;

    executor_->start({config_, state_, hashes_, sink_}, make_chain_head(genesis_, Uint256{}));
    ASSERT_TRUE(propose(20));
    static_cast<void>(drained());
    EXPECT_LT(executor_->memory().record_bytes, large);
}

TEST_F(ParallelExecutorTest, has_what_an_access_list_names_read_ahead) {
    start_from_lists();
    // Not what the block does, which is found out later.
    BlockAccessList list;
    list.accounts.push_back({.address = kMiner, .storage_reads = {Uint256{7}}});
    const auto run_block = [&] {
        BlockStart block;
        block.mode = BlockMode::decided;
        block.header.timestamp = timestamp_ += 12;
        block.header.gas_limit = kGasLimit;
        encode_block_access_list(list, block.access_list);
        ASSERT_TRUE(executor_->begin_block(std::move(block)).has_value());
        executor_->end_block();
    };
    EXPECT_EQ(executor_->memory().list_bytes, 0u);
    run_block();
    EXPECT_EQ(drained().stats.parallel.refuted_lists, 1u);
    EXPECT_GT(executor_->memory().list_bytes, 0u);
    // Nothing is put together for a state that would wait for nothing.
    state_.is_at_hand = true;
    run_block();
    EXPECT_EQ(drained().stats.parallel.refuted_lists, 2u);

    ASSERT_EQ(state_.prefetched.size(), 1u);
    const ObjectSet& objects = state_.prefetched.front();
    EXPECT_EQ(objects.accesses().size(), 2u);
    EXPECT_NE(objects.find({kMiner, ObjectKind::balance, {}}), nullptr);
    EXPECT_NE(objects.find({kMiner, ObjectKind::storage, Uint256{7}}), nullptr);
}

/// A list, even a wrong one, is no reason to read it where the block is over sooner; nor is anybody
/// woken for what the submitting thread does by the way.
TEST_F(ParallelExecutorTest,
       a_small_block_with_a_list_is_run_and_finished_by_the_submitting_thread) {
    Options options;
    options.parallel = workers(2);
    options.make_access_lists = true;
    std::vector<std::thread::id> finishers;
    options.on_block = [&](const BlockReport&) { finishers.push_back(std::this_thread::get_id()); };
    executor_ = make_executor(kDefaultScheduler, std::move(options));
    start_on(*executor_);
    state_.is_at_hand = true;
    BlockAccessList list;
    list.accounts.push_back({.address = kMiner, .storage_reads = {Uint256{7}}});
    const auto decide = [&](std::size_t transfers) {
        BlockStart block;
        block.mode = BlockMode::decided;
        block.header.timestamp = timestamp_ += 12;
        block.header.gas_limit = kGasLimit;
        block.header.beneficiary = kMiner;
        encode_block_access_list(list, block.access_list);
        ASSERT_TRUE(executor_->begin_block(std::move(block)).has_value());
        for (std::size_t i = 0; i < transfers; ++i)
            executor_->submit(transfer(i));
        executor_->end_block();
    };

    // The other worker may help until it falls asleep for the first time, whenever that is.
    std::size_t blocks = 0;
    for (int in_a_row = 0; in_a_row < 100;) {
        ASSERT_LT(blocks, 10'000u) << "somebody is woken for it";
        decide(10);
        ASSERT_EQ(finishers.size(), ++blocks) << "finished when it ends";
        in_a_row = finishers.back() == std::this_thread::get_id() ? in_a_row + 1 : 0;
    }
    Summary summary = drained();
    EXPECT_EQ(summary.stats.transactions, blocks * 10);
    EXPECT_EQ(summary.stats.parallel.refuted_lists, 0u) << "nobody has looked at it";
    EXPECT_EQ(summary.stats.parallel.executed, 0u) << "nothing ahead of its turn";
    EXPECT_EQ(executor_->memory().list_bytes, 0u);

    decide(200);
    EXPECT_EQ(drained().stats.parallel.refuted_lists, 1u) << "a large one is run from its list";
    decide(10);
    summary = drained();
    EXPECT_EQ(summary.stats.transactions, blocks * 10 + 210);
    EXPECT_EQ(summary.stats.parallel.refuted_lists, 1u);

    state_.is_at_hand = false;
    decide(10);
    EXPECT_EQ(drained().stats.parallel.refuted_lists, 2u) << "it says what to fetch";
}

TEST_F(ParallelExecutorTest, tells_how_long_code_was_executed) {
    const Address loop = address_from_low64(0x100b);
    state_.deploy(loop, {0x5b, 0x60, 0x00, 0x56});  // JUMPDEST PUSH1 0 JUMP
    std::vector<Transaction> transactions;
    for (std::size_t i = 0; i < 10; ++i) {
        transactions.push_back(transfer(i, 10'000'000));
        transactions.back().to = loop;
    }
    Options options;
    options.parallel = workers(2);
    std::uint64_t worked_ns = 0;
    options.on_block = [&](const BlockReport& report) { worked_ns = report.worked_ns; };
    executor_ = make_executor("dag", std::move(options));
    start_on(*executor_);
    const auto begin = std::chrono::steady_clock::now();
    BlockStart block;
    block.mode = BlockMode::propose;
    block.header.timestamp = timestamp_ += 12;
    block.header.gas_limit = kGasLimit;
    block.header.beneficiary = kMiner;
    ASSERT_TRUE(executor_->begin_block(std::move(block)).has_value());
    for (Transaction& tx : transactions)
        executor_->submit(std::move(tx));
    executor_->end_block();
    static_cast<void>(drained());
    const std::chrono::nanoseconds passed = std::chrono::steady_clock::now() - begin;
    EXPECT_GT(worked_ns, 0u);
    EXPECT_LE(worked_ns, static_cast<std::uint64_t>(passed.count()) * 5 / 2) << "by two workers";
}

/// Moving tries costs as much as what a list claims to be changed, which is found out to be wrong
/// only later.
TEST_F(ParallelExecutorTest, does_not_tell_the_sink_of_more_changes_than_a_block_can_pay_for) {
    start_from_lists();
    // Many accounts and nothing to fetch: a worker that has just read some of them is awake.
    state_.is_at_hand = true;
    constexpr std::uint64_t kAccounts = 64;
    const auto decide = [&](std::uint64_t changes) {
        BlockAccessList list;
        const std::uint64_t slots = changes - kAccounts;
        for (std::uint64_t i = 0; i < kAccounts; ++i) {
            ListedAccount& account = list.accounts.emplace_back();
            account.address = address_from_low64(0x10'0000 + i);
            for (std::uint64_t slot = i; slot < slots; slot += kAccounts)
                account.storage_changes.push_back({Uint256{slot}, {{1, Uint256{1}}}});
        }
        BlockStart block;
        block.mode = BlockMode::decided;
        block.header.timestamp = timestamp_ += 12;
        block.header.gas_limit = kGasLimit;
        encode_block_access_list(list, block.access_list);
        EXPECT_TRUE(executor_->begin_block(std::move(block)).has_value());
        executor_->submit(transfer(0, kGasLimit));  // which could have made them
        executor_->end_block();
        EXPECT_TRUE(executor_->drain().has_value());
    };
    const std::uint64_t most = kGasLimit / 4'000 + 256;  // with the accounts

    for (int i = 0; i < 3; ++i)
        decide(most + 1);
    EXPECT_EQ(sink_.times_foreseen, 0u);

    // A worker may come too late, for there is little else in these blocks.
    for (int i = 0; i < 200 && sink_.times_foreseen == 0; ++i)
        decide(most);
    EXPECT_GT(sink_.times_foreseen, 0u);
    EXPECT_EQ(sink_.times_right, 0u) << "nothing of it is true";
}

TEST_F(ParallelExecutorTest, a_small_block_from_its_list_changes_nothing_of_the_one_before) {
    Options options;
    options.parallel = workers(2);
    options.make_access_lists = true;
    executor_ = std::make_unique<ListedExecutor>(std::move(options));
    state_.is_at_hand = true;
    start_on(*executor_);
    for (std::size_t i = 0; i < 2; ++i) {
        BlockStart block;
        block.mode = BlockMode::decided;
        block.header.timestamp = timestamp_ += 12;
        block.header.gas_limit = kGasLimit;
        block.header.beneficiary = kMiner;
        encode_block_access_list({}, block.access_list);  // which is not looked at
        ASSERT_TRUE(executor_->begin_block(std::move(block)).has_value());
        executor_->submit(transfer(i));
        executor_->end_block();
    }
    EXPECT_EQ(drained().stats.parallel.refuted_lists, 0u);
    ASSERT_EQ(sink_.blocks.size(), 2u);
    for (const FinishedBlock& block : sink_.blocks)
        EXPECT_EQ(block.diff.accounts.size(), 3u) << "sender, recipient and miner";
}

TEST_F(ParallelExecutorTest, stop_holds_whoever_has_the_stream) {
    start(workers(2));
    ASSERT_TRUE(propose(2, 2));
    executor_->stop();
    EXPECT_FALSE(propose(2, 2));
    EXPECT_FALSE(propose(20)) << "it would have gone on in parallel";

    start(workers(2));
    executor_->stop();
    EXPECT_FALSE(propose(20)) << "nothing had begun";
}

TEST_F(ParallelExecutorTest, what_the_serial_executor_rejects_halts_the_stream) {
    start(workers(2));
    sink_.rejects = true;
    ASSERT_TRUE(propose(2, 2));
    EXPECT_FALSE(propose(20));
    const auto drained = executor_->drain();
    ASSERT_FALSE(drained.has_value());
    EXPECT_EQ(drained.error().code, BlockErrorCode::state_root_mismatch);
}

/// Keeps what it is told.
class FakeObserver final : public ScheduleObserver {
public:
    void on_block(std::uint64_t number) noexcept override { begun_.push_back(number); }
    [[nodiscard]] const std::vector<std::uint64_t>& begun() const { return begun_; }
    void on_event(const ScheduleEvent& event) noexcept override {
        const std::lock_guard guard(lock_);
        events_.push_back(event);
    }
    [[nodiscard]] const std::vector<ScheduleEvent>& events() const { return events_; }
    [[nodiscard]] std::size_t count(ScheduleEvent::Kind kind, std::uint32_t index) const {
        return static_cast<std::size_t>(std::ranges::count_if(events_, [&](const auto& event) {
            return event.kind == kind && event.index == index;
        }));
    }

private:
    std::vector<std::uint64_t> begun_;
    std::mutex lock_;
    std::vector<ScheduleEvent> events_;
};

TEST_F(ParallelExecutorTest, a_body_that_its_header_does_not_claim_is_refused) {
    test::FakeState rich = state_;
    const FinishedBlock made = light_block();
    for (const Transaction& tx : made.block.transactions)
        rich.set_balance(*tx.sender, kEther * kEther);
    ParallelOptions shared = workers(2);
    shared.run_chains_inline = false;
    const auto imported = [&](const auto& change) -> std::optional<BlockErrorCode> {
        state_ = rich;
        sink_.blocks.clear();
        start(shared);
        Block block = made.block;
        change(block);
        static_cast<void>(run(*executor_, make_ordered_block(block)));
        const auto summary = executor_->drain();
        return summary.has_value() ? std::nullopt : std::optional{summary.error().code};
    };
    using enum BlockErrorCode;

    EXPECT_EQ(imported([](Block&) {}), std::nullopt);
    EXPECT_EQ(imported([](Block& b) { b.header.transactions_root = {}; }),
              invalid_transactions_root);
    EXPECT_EQ(imported([](Block& b) { b.transactions.front().r = Uint256{7}; }),
              invalid_transactions_root)
        << "executing it gives the same";
    EXPECT_TRUE(sink_.blocks.empty());
}

TEST_F(ParallelExecutorTest, an_observer_is_told_how_every_transaction_ended) {
    using Kind = ScheduleEvent::Kind;
    constexpr std::uint32_t kTransfers = 40;
    for (const std::string& scheduler : scheduler_names()) {
        FakeObserver observer;
        Options options;
        options.parallel = workers(3);
        options.parallel.run_chains_inline = false;
        executor_ = make_observed_executor(scheduler, std::move(options), observer);
        ASSERT_EQ(executor_ != nullptr, is_parallel(scheduler)) << scheduler;
        if (executor_ == nullptr) continue;
        start_on(*executor_);
        ASSERT_TRUE(propose(kTransfers));
        static_cast<void>(drained());
        executor_.reset();

        for (std::uint32_t index = 0; index < kTransfers; ++index) {
            const std::size_t ends = observer.count(Kind::accepted, index) +
                                     observer.count(Kind::repaired, index) +
                                     observer.count(Kind::in_order, index);
            EXPECT_EQ(ends, 1u) << scheduler << ", " << index;
            EXPECT_GE(observer.count(Kind::attempted, index),
                      observer.count(Kind::accepted, index));
        }
        for (const ScheduleEvent& event : observer.events()) {
            EXPECT_LE(event.begin_ns, event.end_ns);
            EXPECT_LT(event.worker, 3u);
            EXPECT_EQ(event.block, 1u);
        }
    }
}

TEST_F(ParallelExecutorTest, whoever_executes_tells_an_observer_of_every_transaction) {
    using Kind = ScheduleEvent::Kind;
    constexpr std::uint32_t kTransfers = 40;
    for (const std::string& scheduler : scheduler_names()) {
        for (const unsigned count : {1U, 3U}) {
            FakeObserver observer;
            Options options;
            options.parallel = workers(count);
            executor_ = make_executor(scheduler, std::move(options), &observer);
            start_on(*executor_);
            ASSERT_TRUE(propose(kTransfers));
            static_cast<void>(drained());
            executor_.reset();

            EXPECT_EQ(observer.begun(), std::vector<std::uint64_t>{1}) << scheduler;
            for (std::uint32_t index = 0; index < kTransfers; ++index)
                EXPECT_EQ(observer.count(Kind::accepted, index) +
                              observer.count(Kind::repaired, index) +
                              observer.count(Kind::in_order, index),
                          1u)
                    << scheduler << ", " << index;
        }
    }
}

}  // namespace
}  // namespace heddle::executor
