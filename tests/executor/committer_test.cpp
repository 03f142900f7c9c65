// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What is owed for attempts of transactions that are never committed.
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

/// Has nothing to say.
class NoPolicy final : public Scheduler {
public:
    Placement arrive(Task&, std::uint64_t) override { return Placement::in_order; }
    void release(Task&) override {}
    ReadyBundle take(unsigned, std::span<ReadyItem>) override { return {}; }
    [[nodiscard]] std::size_t backlog() const noexcept override { return 0; }
    [[nodiscard]] bool has_ready() const noexcept override { return false; }
    void make_ready(unsigned, Task&) override {}
    Task* attempted(unsigned, Task&, bool) override { return nullptr; }
    Repair overtaken(const Task&) override { return Repair::in_order; }
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

}  // namespace
}  // namespace heddle::executor
