// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The embedded engine against an application that only counts.
#include <consensus_adapter/solo.hpp>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace heddle::consensus_adapter {
namespace {

using namespace std::chrono_literals;

/// Has as many transactions as it was given and remembers every block. Everything under one lock,
/// so that a test can wait for what it expects.
class FakeApplication final : public Application {
public:
    Committed committed() const override {
        const std::scoped_lock lock{mutex_};
        return committed_;
    }
    std::expected<Proposal, BlockError> prepare(const BlockPlan& plan) override {
        const std::scoped_lock lock{mutex_};
        plan_ = plan;
        Proposal proposal;
        const std::size_t count = std::min(waiting_, room_);
        proposal.transactions.resize(count);
        proposal.object_sets.resize(count);
        return proposal;
    }
    std::expected<void, ProposalError> process(const BlockPlan&, Proposal&) override { return {}; }
    std::expected<FinalizedBlock, BlockError> finalize(OrderedBlock block,
                                                       Unexecutable /*unexecutable*/) override {
        const std::scoped_lock lock{mutex_};
        if (failure_.has_value()) {
            BlockError error;
            error.code = *failure_;
            if (error.code != BlockErrorCode::storage_failed) failure_.reset();
            return std::unexpected(error);
        }
        finalized_ = block.transactions.size();
        start_ = std::move(block.start);
        FinalizedBlock finalized;
        finalized.header = start_->header;
        return finalized;
    }
    std::expected<BlockId, BlockError> commit() override {
        const std::scoped_lock lock{mutex_};
        EXPECT_TRUE(start_.has_value()) << "commit() without finalize()";
        waiting_ -= finalized_;
        committed_.head.number += 1;
        committed_.head.hash.bytes[0] = static_cast<std::uint8_t>(committed_.head.number);
        committed_.head_timestamp = start_->header.timestamp;
        committed_.head_gas_limit = start_->header.gas_limit;
        headers_.push_back(start_->header);
        sizes_.push_back(finalized_);
        sealers_.push_back(std::this_thread::get_id());
        start_.reset();
        changed_.notify_all();
        return committed_.head;
    }

    void add(std::size_t count) {
        const std::scoped_lock lock{mutex_};
        waiting_ += count;
    }
    void fail_next(BlockErrorCode code) {
        const std::scoped_lock lock{mutex_};
        failure_ = code;
    }
    void set_head(std::uint64_t timestamp, std::uint64_t gas_limit) {
        const std::scoped_lock lock{mutex_};
        committed_.head_timestamp = timestamp;
        committed_.head_gas_limit = gas_limit;
    }
    void allow_equal_timestamps() {
        const std::scoped_lock lock{mutex_};
        committed_.may_repeat_timestamp = true;
    }
    void set_room(std::size_t transactions) {
        const std::scoped_lock lock{mutex_};
        room_ = transactions;
    }
    void wait_for_blocks(std::size_t count) {
        std::unique_lock lock{mutex_};
        changed_.wait(lock, [&] { return sizes_.size() >= count; });
    }
    void wait_until_empty() {
        std::unique_lock lock{mutex_};
        changed_.wait(lock, [&] { return waiting_ == 0; });
    }
    std::vector<BlockHeader> headers() const {
        const std::scoped_lock lock{mutex_};
        return headers_;
    }
    std::vector<std::size_t> sizes() const {
        const std::scoped_lock lock{mutex_};
        return sizes_;
    }
    std::vector<std::thread::id> sealers() const {
        const std::scoped_lock lock{mutex_};
        return sealers_;
    }
    std::size_t waiting() const {
        const std::scoped_lock lock{mutex_};
        return waiting_;
    }
    BlockPlan last_plan() const {
        const std::scoped_lock lock{mutex_};
        return plan_;
    }

private:
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    Committed committed_{{0, {}}, 100, 30'000'000, 0};
    BlockPlan plan_;
    std::size_t waiting_ = 0;
    std::size_t room_ = 1'000'000;
    std::size_t finalized_ = 0;
    std::optional<executor::BlockStart> start_;
    std::optional<BlockErrorCode> failure_;
    std::vector<BlockHeader> headers_;
    std::vector<std::size_t> sizes_;
    std::vector<std::thread::id> sealers_;  // who committed each block
};

SoloOptions options(Sealing sealing, std::uint64_t now = 1'000) {
    SoloOptions result;
    result.sealing = sealing;
    result.clock = [now] { return now; };
    return result;
}

TEST(Solo, seals_what_arrives_on_demand_and_nothing_else) {
    FakeApplication application;
    Solo solo{application, options(Sealing::on_demand)};
    solo.transactions_arrived();  // a false alarm makes no block

    application.add(3);
    solo.transactions_arrived();
    application.wait_until_empty();
    solo.stop();

    EXPECT_EQ(application.sizes(), std::vector<std::size_t>{3});
}

TEST(Solo, loses_no_arrival_whenever_it_comes) {
    FakeApplication application;
    Solo solo{application, options(Sealing::on_demand)};
    constexpr int kThreads = 4;
    constexpr int kEach = 500;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < kThreads; ++i)
            threads.emplace_back([&] {
                for (int j = 0; j < kEach; ++j) {
                    application.add(1);
                    solo.transactions_arrived();
                }
            });
    }

    application.wait_until_empty();  // hangs where one was lost

    std::size_t total = 0;
    for (const std::size_t size : application.sizes())
        total += size;
    EXPECT_EQ(total, std::size_t{kThreads} * kEach);
}

TEST(Solo, goes_on_until_everything_is_in_a_block) {
    FakeApplication application;
    application.set_room(4);
    application.add(10);
    Solo solo{application, options(Sealing::on_demand)};

    solo.transactions_arrived();  // once
    application.wait_until_empty();
    solo.stop();

    EXPECT_EQ(application.sizes(), (std::vector<std::size_t>{4, 4, 2}));
}

TEST(Solo, tries_again_on_demand_after_a_block_that_could_not_be_made) {
    FakeApplication application;
    application.add(5);
    application.fail_next(BlockErrorCode::invalid_transaction);
    Solo solo{application, options(Sealing::on_demand)};

    solo.transactions_arrived();  // once
    application.wait_until_empty();
    solo.stop();

    EXPECT_EQ(application.sizes(), std::vector<std::size_t>{5});
}

TEST(Solo, seals_empty_blocks_at_intervals) {
    FakeApplication application;
    SoloOptions wanted = options(Sealing::interval);
    wanted.interval = 1ms;
    Solo solo{application, std::move(wanted)};

    application.wait_for_blocks(3);
    solo.stop();

    EXPECT_GE(application.sizes().size(), 3u);
}

TEST(Solo, seals_on_command_also_without_transactions_and_waits_for_it) {
    FakeApplication application;
    Solo solo{application, options(Sealing::on_command)};
    application.add(2);
    solo.transactions_arrived();

    const auto sealed = solo.seal();

    ASSERT_TRUE(sealed.has_value());
    EXPECT_EQ(sealed->number, 1u);
    EXPECT_EQ(application.sizes(), std::vector<std::size_t>{2});
    ASSERT_TRUE(solo.seal().has_value());
    EXPECT_EQ(application.sizes(), (std::vector<std::size_t>{2, 0}));
}

TEST(Solo, gives_each_block_a_later_time_than_its_parent) {
    FakeApplication application;
    application.set_head(2'000, 30'000'000);  // ahead of the clock
    Solo solo{application, options(Sealing::on_command, 1'000)};

    ASSERT_TRUE(solo.seal().has_value());
    ASSERT_TRUE(solo.seal(5'000).has_value());
    ASSERT_TRUE(solo.seal(4'000).has_value());

    const auto headers = application.headers();
    EXPECT_EQ(headers.at(0).timestamp, 2'001u);
    EXPECT_EQ(headers.at(1).timestamp, 5'000u);
    EXPECT_EQ(headers.at(2).timestamp, 5'001u);
}

TEST(Solo, does_not_run_ahead_of_the_clock_where_timestamps_may_repeat) {
    FakeApplication application;
    application.allow_equal_timestamps();
    std::atomic<std::uint64_t> now = 1'000;
    SoloOptions wanted = options(Sealing::on_command);
    wanted.clock = [&now] { return now.load(); };
    Solo solo{application, std::move(wanted)};

    for (int i = 0; i < 50; ++i)
        ASSERT_TRUE(solo.seal().has_value());
    EXPECT_EQ(application.headers().back().timestamp, 1'000u);
    now = 999;  // the machine's clock was set back
    ASSERT_TRUE(solo.seal().has_value());
    EXPECT_EQ(application.headers().back().timestamp, 1'000u);
    now = 1'001;
    ASSERT_TRUE(solo.seal().has_value());
    EXPECT_EQ(application.headers().back().timestamp, 1'001u);
}

TEST(Solo, stays_ahead_of_the_clock_as_it_was_told) {
    FakeApplication application;
    application.allow_equal_timestamps();
    std::atomic<std::uint64_t> now = 1'000;
    SoloOptions wanted = options(Sealing::on_command);
    wanted.clock = [&now] { return now.load(); };
    Solo solo{application, std::move(wanted)};

    ASSERT_TRUE(solo.seal(5'000).has_value());
    now = 1'007;
    ASSERT_TRUE(solo.seal().has_value());

    EXPECT_EQ(application.headers().at(0).timestamp, 5'000u);
    EXPECT_EQ(application.headers().at(1).timestamp, 5'007u);
}

TEST(Solo, moves_the_gas_limit_no_faster_than_the_rules_allow) {
    FakeApplication application;
    application.set_head(100, 30'000'000);
    SoloOptions wanted = options(Sealing::on_command);
    wanted.gas_limit = 60'000'000;
    Solo solo{application, std::move(wanted)};

    ASSERT_TRUE(solo.seal().has_value());

    EXPECT_EQ(application.headers().at(0).gas_limit, 30'000'000u + 30'000'000u / 1024 - 1);
}

TEST(Solo, randomness_follows_from_the_parent_alone) {
    FakeApplication first;
    FakeApplication second;
    for (FakeApplication* application : {&first, &second}) {
        Solo solo{*application, options(Sealing::on_command)};
        ASSERT_TRUE(solo.seal().has_value());
        ASSERT_TRUE(solo.seal().has_value());
    }

    // The Keccak-256 of the parent's hash (zero) and of the number 1.
    Bytes input(40, 0);
    input.back() = 1;
    EXPECT_EQ(first.headers().at(0).prev_randao, keccak256(input));
    EXPECT_EQ(first.headers().at(1).prev_randao, second.headers().at(1).prev_randao);
    EXPECT_NE(first.headers().at(0).prev_randao, first.headers().at(1).prev_randao);
}

TEST(Solo, goes_on_after_a_block_that_could_not_be_made) {
    FakeApplication application;
    std::atomic<int> failures = 0;
    SoloOptions wanted = options(Sealing::on_command);
    wanted.on_failure = [&](const BlockError&) { ++failures; };
    Solo solo{application, std::move(wanted)};
    application.fail_next(BlockErrorCode::invalid_transaction);

    const auto failed = solo.seal();
    const auto sealed = solo.seal();

    ASSERT_FALSE(failed.has_value());
    EXPECT_EQ(failed.error().code, BlockErrorCode::invalid_transaction);
    EXPECT_TRUE(sealed.has_value());
    EXPECT_EQ(failures, 1);
}

TEST(Solo, ends_when_the_storage_has_failed) {
    FakeApplication application;
    Solo solo{application, options(Sealing::on_command)};
    application.fail_next(BlockErrorCode::storage_failed);

    const auto failed = solo.seal();
    const auto after = solo.seal();

    ASSERT_FALSE(failed.has_value());
    EXPECT_EQ(failed.error().code, BlockErrorCode::storage_failed);
    ASSERT_FALSE(after.has_value());
    EXPECT_EQ(after.error().code, BlockErrorCode::execution_halted);
    EXPECT_TRUE(application.sizes().empty());
}

TEST(Solo, answers_everybody_who_waits_when_it_is_stopped) {
    for (int round = 0; round < 50; ++round) {
        FakeApplication application;
        Solo solo{application, options(Sealing::on_command)};
        std::atomic<int> answered = 0;
        {
            std::vector<std::jthread> threads;
            for (int i = 0; i < 3; ++i)
                threads.emplace_back([&] {
                    (void)solo.seal();
                    ++answered;
                });
            solo.stop();
        }
        EXPECT_EQ(answered, 3);
    }
}

TEST(Solo, seals_by_another_schedule_as_soon_as_it_has_one) {
    FakeApplication application;
    Solo solo{application, options(Sealing::on_command)};
    application.add(1);
    solo.transactions_arrived();
    EXPECT_FALSE(solo.schedule().on_arrival);

    // What has come before is sealed as well.
    solo.set_schedule({.on_arrival = true, .interval = {}});
    application.wait_until_empty();
    EXPECT_EQ(application.sizes(), std::vector<std::size_t>{1});
    solo.set_schedule({.on_arrival = true, .interval = 1ms});
    application.wait_for_blocks(4);
    solo.set_schedule({});
    (void)solo.seal();
    const std::size_t count = application.sizes().size();
    application.add(1);
    solo.transactions_arrived();
    std::this_thread::sleep_for(20ms);

    EXPECT_EQ(application.sizes().size(), count);
}

TEST(Solo, adjusts_what_it_plans_but_no_time_before_the_earliest) {
    FakeApplication application;
    SoloOptions wanted = options(Sealing::on_command);
    std::uint64_t time = 5'000;
    wanted.adjust = [&](const Committed& committed, BlockPlan& plan) {
        EXPECT_EQ(plan.timestamp, std::max<std::uint64_t>(1'000, committed.head_timestamp + 1));
        plan.timestamp = time;
        plan.base_fee_per_gas = 7;
    };
    Solo solo{application, std::move(wanted)};

    ASSERT_TRUE(solo.seal().has_value());
    time = 4'000;
    ASSERT_TRUE(solo.seal().has_value());
    solo.stop();

    EXPECT_EQ(application.headers()[0].timestamp, 5'000U);
    EXPECT_EQ(application.headers()[0].base_fee_per_gas, Uint256{7});
    EXPECT_EQ(application.headers()[1].timestamp, 5'001U);
}

TEST(Solo, does_work_between_blocks_until_it_has_ended) {
    FakeApplication application;
    Solo solo{application, options(Sealing::interval)};
    std::thread::id first;
    std::thread::id second;

    EXPECT_TRUE(solo.between_blocks([&] { first = std::this_thread::get_id(); }));
    EXPECT_TRUE(solo.between_blocks([&] { second = std::this_thread::get_id(); }));
    solo.stop();

    EXPECT_EQ(first, second);
    EXPECT_NE(first, std::this_thread::get_id());
    EXPECT_FALSE(solo.between_blocks([] { ADD_FAILURE() << "it has ended"; }));
}

TEST(Solo, whoever_settles_waits_for_blocks_that_come_by_themselves) {
    const auto later = [] { return std::chrono::steady_clock::now() + 60s; };
    FakeApplication application;
    Solo solo{application, options(Sealing::on_demand)};
    for (std::size_t i = 1; i <= 200; ++i) {
        application.add(1);
        solo.transactions_arrived();
        solo.settle([&] { return application.sizes().size() == i; }, later());
        ASSERT_EQ(application.sizes().size(), i);
    }
    // Nothing comes of it: it returns when there is nothing to look at.
    solo.transactions_arrived();
    solo.settle([] { return false; }, later());
    // A block that cannot be made is tried again for ever; the caller's patience ends.
    application.add(1);
    for (int i = 0; i < 100; ++i)
        application.fail_next(BlockErrorCode::execution_halted);
    solo.transactions_arrived();
    solo.settle([] { return false; }, std::chrono::steady_clock::now() + 20ms);
    // Where nothing is sealed by itself, nobody waits.
    solo.set_schedule({});
    application.add(1);
    solo.transactions_arrived();
    solo.settle([] { return false; }, later());
}

std::chrono::steady_clock::time_point in_a_minute() {
    return std::chrono::steady_clock::now() + 60s;
}

TEST(Solo, whoever_settles_in_a_scope_seals_what_it_brought_itself) {
    FakeApplication application;
    SoloOptions made = options(Sealing::on_demand);
    made.has_more = [&] { return application.waiting() != 0; };
    Solo solo{application, std::move(made)};
    solo.settle([] { return false; }, in_a_minute());  // the look with which it begins
    for (std::size_t i = 1; i <= 200; ++i) {
        const Solo::SettleScope scope{solo};
        application.add(1);
        solo.transactions_arrived();
        solo.settle([&] { return application.waiting() == 0; }, in_a_minute());
        ASSERT_EQ(application.sizes().size(), i);
    }
    const std::vector<std::thread::id> sealers = application.sealers();
    EXPECT_EQ(std::ranges::count(sealers, std::this_thread::get_id()), 200);
}

TEST(Solo, what_a_scope_leaves_behind_is_sealed_by_the_thread) {
    FakeApplication application;
    Solo solo{application, options(Sealing::on_demand)};
    {
        const Solo::SettleScope scope{solo};
        application.add(3);
        solo.transactions_arrived();
    }
    application.wait_until_empty();
    EXPECT_NE(application.sealers().front(), std::this_thread::get_id());
}

TEST(Solo, what_does_not_fit_into_the_block_of_a_scope_is_sealed_too) {
    FakeApplication application;
    application.set_room(2);
    SoloOptions made = options(Sealing::on_demand);
    made.has_more = [&] { return application.waiting() != 0; };
    Solo solo{application, std::move(made)};
    {
        const Solo::SettleScope scope{solo};
        application.add(5);
        solo.transactions_arrived();
        solo.settle([&] { return application.waiting() <= 3; }, in_a_minute());
    }
    application.wait_until_empty();
    EXPECT_EQ(application.sizes(), (std::vector<std::size_t>{2, 2, 1}));
}

TEST(Solo, a_scope_ends_sealing_where_the_storage_fails) {
    FakeApplication application;
    std::atomic<int> failures = 0;
    SoloOptions made = options(Sealing::on_demand);
    made.on_failure = [&](const BlockError&) { ++failures; };
    Solo solo{application, std::move(made)};
    application.fail_next(BlockErrorCode::storage_failed);
    {
        const Solo::SettleScope scope{solo};
        application.add(1);
        solo.transactions_arrived();
        solo.settle([] { return false; }, in_a_minute());
    }
    EXPECT_FALSE(solo.seal().has_value());
    EXPECT_EQ(failures, 1);
    EXPECT_TRUE(application.sizes().empty());
}

/// Callers that settle with a scope and without, commands, work between blocks and intervals at
/// once: no block is made twice, none is lost, and nobody waits for ever.
TEST(Solo, one_seals_at_a_time_whoever_wants_to) {
    constexpr std::size_t kCallers = 4;
    constexpr std::size_t kEach = 300;
    FakeApplication application;
    SoloOptions made = options(Sealing::on_demand);
    made.has_more = [&] { return application.waiting() != 0; };
    Solo solo{application, std::move(made)};
    solo.set_schedule({.on_arrival = true, .least_distance = 0ms, .interval = 1ms});
    std::atomic<int> inside = 0;
    {
        std::vector<std::jthread> callers;
        for (std::size_t caller = 0; caller < kCallers; ++caller)
            callers.emplace_back([&, caller] {
                for (std::size_t i = 0; i < kEach; ++i) {
                    std::optional<Solo::SettleScope> scope;
                    if (caller % 2 == 0) scope.emplace(solo);
                    application.add(1);
                    solo.transactions_arrived();
                    if (i % 16 == 3) EXPECT_TRUE(solo.seal().has_value());
                    if (i % 16 == 7)
                        EXPECT_TRUE(solo.between_blocks([&] {
                            EXPECT_EQ(++inside, 1);
                            --inside;
                        }));
                    solo.settle([&] { return application.waiting() == 0; }, in_a_minute());
                }
            });
    }
    application.wait_until_empty();
    const std::vector<std::size_t> sizes = application.sizes();
    EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}), kCallers * kEach);
}

TEST(Solo, stops_after_the_block_that_a_scope_is_making) {
    for (int i = 0; i < 100; ++i) {
        FakeApplication application;
        Solo solo{application, options(Sealing::on_demand)};
        std::jthread caller{[&] {
            const Solo::SettleScope scope{solo};
            application.add(1);
            solo.transactions_arrived();
            solo.settle([&] { return application.waiting() == 0; }, in_a_minute());
        }};
        std::this_thread::yield();
        solo.stop();
        const std::size_t blocks = application.sizes().size();
        caller.join();
        EXPECT_EQ(application.sizes().size(), blocks);
    }
}

}  // namespace
}  // namespace heddle::consensus_adapter
