// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What is owed for attempts of transactions that are never committed, and what stays of those that
// are taken back.
#include "stream/committer.hpp"

#include <gtest/gtest.h>

#include "fakes.hpp"
#include "scheduler.hpp"
#include "stream/block_finisher.hpp"
#include "stream/block_run.hpp"
#include "stream/set_credit.hpp"
#include "stream/speculation.hpp"
#include "stream/window.hpp"

namespace heddle::executor {
namespace {

/// Has nothing to say but how an attempt is repaired.
class NoPolicy final : public Scheduler {
public:
    Repair repair = Repair::in_order;

    Placement arrive(Task&, std::uint64_t) override { return Placement::in_order; }
    void release(Task&) override {}
    ReadyBundle take(unsigned, std::span<ReadyItem>) override { return {}; }
    [[nodiscard]] std::size_t backlog() const noexcept override { return 0; }
    [[nodiscard]] bool has_ready() const noexcept override { return false; }
    void make_ready(unsigned, Task&) override {}
    Task* attempted(unsigned, Task&, bool) override { return nullptr; }
    Repair overtaken(const Task&) override { return repair; }
    bool is_commit_awaited(const Task&) override { return false; }
    void committed(unsigned, Task&) override {}
    void add_counts(ParallelStats&) const override {}
};

/// The first transaction of a stream, of which attempts were taken back, and an attempt ended.
class CommitterTest : public testing::Test {
protected:
    static constexpr std::int64_t kForfeited = 30'000;
    static constexpr std::int64_t kDrawn = 20'000;

    const Options options_;
    test::FakeState base_;
    VersionedState state_;
    InFlightHashes hashes_;
    AttemptPool attempts_;
    LeafHasher leaves_{nullptr};
    BlockFinisher finisher_{options_, hashes_, leaves_};
    Window window_{8};
    Speculation speculation_{1};
    SetCredit set_credit_;
    WorkerParking parking_;
    NoPolicy policy_;
    Worker worker_{0, vm::EvmOptions{}};
    Committer committer_{{.options = options_,
                          .window = window_,
                          .state = state_,
                          .hashes = hashes_,
                          .attempts = attempts_,
                          .leaves = leaves_,
                          .finisher = finisher_,
                          .scheduler = policy_,
                          .speculation = speculation_,
                          .set_credit = set_credit_,
                          .parking = parking_}};
    BlockRun block_;
    Transaction tx_;

    void SetUp() override {
        state_.attach(base_);
        Task& task = window_.make(1);
        task.begin(TaskKind::transaction, 1, &block_);
        task.tx = &tx_;
        ASSERT_TRUE(speculation_.budget().draw(kForfeited + kDrawn));
        task.forfeited_gas = kForfeited;
        task.drawn_gas = kDrawn;
        task.state.store(TaskState::unattempted);
        window_.set_dispatched(2, false);
    }
    void commit() {
        committer_.run(worker_);
        ASSERT_EQ(window_.committed(), 2u);
    }
};

/// Or whoever sends wrong blocks, one after the other, could have as much lost for each.
TEST_F(CommitterTest, all_attempts_of_what_follows_a_wrong_transaction_are_owed) {
    block_.execution_error.emplace();
    commit();
    EXPECT_EQ(speculation_.budget().owed(), kForfeited + kDrawn);
}

/// The attempt that was under way might have held.
TEST_F(CommitterTest, attempts_that_are_over_are_owed_where_the_stream_is_stopped) {
    finisher_.halt();
    commit();
    EXPECT_EQ(speculation_.budget().owed(), kForfeited);
    speculation_.reset();
    EXPECT_EQ(speculation_.budget().left(), speculation_.budget().limit() - kForfeited);
}

/// Whoever comes after it, up to the last one dispatched, may have found the code's hash in the
/// account that it was published for, and looks it up later.
TEST_F(CommitterTest, code_of_an_attempt_that_is_dropped_stays_for_those_that_may_know_of_it) {
    const Bytes code{0x60, 0x00};
    const Hash hash = keccak256(code);
    Task& task = window_.at(1);
    tx_.gas_limit = 21'000;  // for which the block has no room
    block_.env.revision = Revision::london;
    const ChainConfig config;
    CommittedState committed{state_};
    const vm::BlockContext context{.header = block_.block.header,
                                   .env = block_.env,
                                   .config = config,
                                   .block_hashes = hashes_};
    ASSERT_TRUE(block_.execution.begin(context, committed, worker_.evm).has_value());
    task.attempt = &worker_.take_attempt(attempts_);
    task.attempt->outcome.diff.codes.push_back({hash, code});
    state_.publish_code(hash, code);
    task.state.store(TaskState::attempted);
    window_.make(2).begin(TaskKind::transaction, 2, &block_);
    window_.set_dispatched(3, false);
    policy_.repair = Repair::again;

    committer_.run(worker_);

    ASSERT_EQ(task.state.load(), TaskState::waiting) << "it was not dropped";
    EXPECT_NE(state_.code_bytes(), 0u);
    state_.free_withdrawn_code(2);
    EXPECT_NE(state_.code_bytes(), 0u) << "the second one has not been committed";
    state_.free_withdrawn_code(3);
    EXPECT_EQ(state_.code_bytes(), 0u);
}

}  // namespace
}  // namespace heddle::executor
