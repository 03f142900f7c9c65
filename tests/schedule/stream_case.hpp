// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A chain through an executor under one schedule: what comes of it is compared with what the serial
// executor has made of the same blocks.
#pragma once

#include <cstdint>
#include <expected>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <executor/executor.hpp>
#include <executor/schedulers.hpp>
#include <types/assert.hpp>

#include "../executor/fakes.hpp"
#include "aria/aria_scheduler.hpp"
#include "checks.hpp"
#include "early/early_scheduler.hpp"
#include "explored_chains.hpp"
#include "explored_stream.hpp"
#include "explorer.hpp"
#include "parallel_executor.hpp"
#include "values/listed_executor.hpp"

namespace heddle::executor {

using heddle::test::announced_seed;
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
    std::set<std::size_t> accepted;       // numbers of blocks
    std::set<std::size_t> stopped_after;  // the same, of those that began again
    std::uint64_t foreseen = 0;     // blocks of which the sink was told ahead what they change
    std::uint64_t rightly = 0;      // of these, by what they changed then
    std::uint64_t slots_ahead = 0;  // that somebody has begun to read ahead
    std::uint64_t runs = 0;
};

/// The chain through the executor: one thread submits, the others are the executor's own.
class StreamCase final : public heddle::test::Case {
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
        options.parallel.pipeline = chain.pipeline;
        options.parallel.window_transactions = 8;
        if (chain.unfinished_bytes != 0) options.parallel.unfinished_bytes = chain.unfinished_bytes;
        options.parallel.kept_bytes = 0;
        options.parallel.run_chains_inline = chain.is_light;
        state_.is_in_store = !chain.is_light;
        options.parallel.orders_by_all_sets = true;
        // Turns that whoever stops it lets pass: a chain takes some hundred of each thread.
        patience_ = 11 * totals.runs++ % 1'000;
        if (!chain.scheduler.empty())
            executor_ = make_executor(chain.scheduler, options);
        else if (chain.is_listed)
            executor_ = std::make_unique<ListedExecutor>(options);
        else
            executor_ = std::make_unique<ParallelExecutor>(options, policy_of(chain));
        // Who runs lists is made for the first block with one, and its threads have to be known.
        if (chain.has_gaps) {
            start(chain_.genesis);
            HEDDLE_ASSERT(executor_->begin_block(start_of(chain.blocks.front())).has_value());
        }
        start(chain_.genesis);
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
        submit_all();
        if (is_stopped_) has_stopped_.wait(false);
        if (is_stopped_ && chain_.begins_again) begin_again();
        totals_.accepted.insert(sink_.blocks().size());
        totals_.foreseen += sink_.inner().times_foreseen;
        totals_.rightly += sink_.inner().times_right;
        for (const ObjectId& object : state_.expected)
            totals_.slots_ahead += object.kind == ObjectKind::storage ? 1U : 0U;
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
    /// What is not accepted yet.
    void submit_all() {
        for (std::size_t i = sink_.blocks().size(); i < chain_.blocks.size(); ++i)
            if (!submit(chain_.blocks[i])) break;
        summary_ = executor_->drain();
    }
    /// Stopped anywhere, it goes on with the next stream.
    void begin_again() {
        totals_.stopped_after.insert(sink_.blocks().size());
        const std::vector<FinishedBlock>& blocks = sink_.blocks();
        start(blocks.empty() ? chain_.genesis : blocks.back().block.header);
        submit_all();
        expect(sink_.blocks().size() == chain_.blocks.size(), "the next stream is not complete");
    }
    void start(const BlockHeader& head) {
        executor_->start({chain_.config, state_, hashes_, sink_}, make_chain_head(head, Uint256{}));
    }
    [[nodiscard]] BlockStart start_of(const FinishedBlock& finished) const {
        BlockStart start;
        start.header = finished.block.header;
        start.withdrawals = finished.block.withdrawals;
        start.transaction_count = finished.block.transactions.size();
        start.are_senders_known = chain_.is_light;
        const bool has_list = !chain_.has_gaps || finished.block.header.number % 2 == 1;
        if (chain_.is_listed && has_list) start.access_list = finished.access_list;
        return start;
    }
    [[nodiscard]] bool submit(const FinishedBlock& finished) {
        if (!executor_->begin_block(start_of(finished)).has_value()) return false;
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

inline constexpr std::uint64_t kSchedules = 1'000;

[[nodiscard]] inline Totals run(const TestChain& chain, bool is_stopped = false,
                                std::uint64_t schedules = kSchedules) {
    Totals totals;
    const auto make = [&] { return std::make_unique<StreamCase>(chain, totals, is_stopped); };
    expect_holds(explore_randomly(make, announced_seed(), schedules));
    return totals;
}

/// Counters, payments and a creation, in three blocks. The second one is long enough for the
/// longest of its transactions to be set apart.
[[nodiscard]] inline TestChain listed_chain() {
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

}  // namespace heddle::executor
