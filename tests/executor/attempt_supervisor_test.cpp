// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// When an attempt ends that is under way. Who has the committer's role is the test's to say: with
// threads, the moment in which the turn has come and another one still has the role is a rare one.
#include "stream/attempt_supervisor.hpp"

#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include <vm/transition.hpp>
#include <vm/validate.hpp>

#include "fakes.hpp"
#include "stream/block_finisher.hpp"
#include "stream/speculation.hpp"
#include "stream/window.hpp"
#include "thrice_called.hpp"

namespace heddle::executor {
namespace {

constexpr std::int64_t kStop = vm::Supervisor::kStop;
constexpr std::uint64_t kPosition = 2;
/// Where the supervisor has looked at everything it looks at.
constexpr std::int64_t kMuchGas = 64'000;

class FakeJudge final : public StandingJudge {
public:
    Standing standing = Standing::unknown;
    unsigned looks = 0;
    /// So many questions whether somebody commits are answered by yes.
    unsigned is_busy_for = 0;
    std::function<void(unsigned)> on_busy;  // with the number of the question

    Standing look_at(Worker&, Task&, Attempt&) override {
        ++looks;
        return standing;
    }
    [[nodiscard]] bool is_busy() const noexcept override {
        ++questions_;
        if (on_busy) on_busy(questions_);
        return questions_ <= is_busy_for;
    }

private:
    mutable unsigned questions_ = 0;
};

/// An attempt at the second position, which has read an account that the first one may write.
class AttemptSupervisorTest : public testing::Test {
protected:
    const Address sender_address_ = address_from_low64(0xa);
    const Address other_address_ = address_from_low64(0xb);
    test::FakeState base_;
    VersionedState state_;
    InFlightHashes hashes_;
    LeafHasher leaves_{nullptr};
    const Options options_;
    BlockFinisher finisher_{options_, hashes_, leaves_};
    Window window_{8};
    Speculation speculation_{1};
    FakeJudge judge_;
    Worker worker_{0, vm::EvmOptions{}};
    Transaction tx_;
    Task task_;
    Attempt attempt_;
    static Task& at_its_position(Task& task) {
        task.position = kPosition;
        return task;
    }
    AttemptSupervisor supervisor_{
        {window_, finisher_, judge_, speculation_}, worker_, at_its_position(task_), attempt_};

    void SetUp() override {
        state_.attach(base_);
        tx_.sender = sender_address_;
        window_.set_dispatched(kPosition + 1, false);
        worker_.view.begin(state_, attempt_, {kPosition, tx_});
        static_cast<void>(worker_.view.account(other_address_));
    }
    /// The position before this one is committed, by a thread that has the role.
    void its_turn_comes() { window_.set_committed(kPosition); }
    void overtake() {
        AccountVersion version;
        version.stamp = make_stamp(kPosition - 1, 0);
        version.sets_code = true;
        version.exists = true;
        VersionedState::publish(state_.account(other_address_), version);
    }
    /// Goes on as long as it may. @return the gas that it was allowed in all.
    std::int64_t use_gas_until_stopped() {
        std::int64_t used = 0;
        while (used < std::int64_t{1} << 40) {
            const std::int64_t allowed = supervisor_.on_gas(used + 1);
            if (allowed == kStop) break;
            EXPECT_GT(allowed, used);
            used = allowed;
        }
        return used;
    }
};

TEST_F(AttemptSupervisorTest, what_holds_when_its_turn_has_come_runs_unwatched) {
    its_turn_comes();
    judge_.standing = Standing::holds;
    ASSERT_GT(supervisor_.on_gas(kMuchGas), kMuchGas);
    EXPECT_EQ(task_.drawn_gas, 0) << "it is no attempt any more";
    judge_.standing = Standing::overtaken;
    overtake();
    EXPECT_GT(supervisor_.on_gas(2 * kMuchGas), 2 * kMuchGas) << "what it has read is final";
    EXPECT_EQ(judge_.looks, 1u);
    finisher_.halt();
    EXPECT_EQ(supervisor_.on_gas(4 * kMuchGas), kStop);
}

// Others waited until a long one was committed, as attempts ahead of it had drawn all there was.
TEST_F(AttemptSupervisorTest, what_is_certain_lends_to_others_what_it_uses) {
    Task other;
    other.position = kPosition + 1;
    const std::int64_t all = speculation_.budget().left();
    ASSERT_GT(supervisor_.on_gas(kMuchGas), kMuchGas);
    ASSERT_GT(task_.drawn_gas, 0);
    ASSERT_TRUE(speculation_.draw(other, all - task_.drawn_gas, window_));
    its_turn_comes();
    judge_.standing = Standing::holds;
    ASSERT_GT(supervisor_.on_gas(2 * kMuchGas), 2 * kMuchGas);
    EXPECT_TRUE(speculation_.draw(other, all, window_)) << "what it had drawn";
    constexpr std::int64_t kUsed = 10 * kMuchGas;
    ASSERT_GT(supervisor_.on_gas(kUsed), kUsed);
    EXPECT_FALSE(speculation_.draw(other, all + kUsed + 1, window_));
    EXPECT_TRUE(speculation_.draw(other, all + kUsed, window_)) << "what it has used";
    // It is committed, and what it has lent is called in: others wait until that is decided.
    speculation_.accepted(task_, attempt_);
    EXPECT_EQ(speculation_.budget().left(), -kUsed);
    speculation_.committed(task_, kUsed, 0);
    speculation_.lost(other, nullptr);
    EXPECT_EQ(speculation_.budget().owed(), all + kUsed);
}

TEST_F(AttemptSupervisorTest, others_know_what_is_attempted_until_that_ends) {
    AttemptsUnderWay& under_way = speculation_.under_way();
    EXPECT_TRUE(under_way.has(kPosition));
    EXPECT_FALSE(under_way.has(kPosition + 1));
    EXPECT_FALSE(speculation_.is_getting_on(window_)) << "it is not its turn";
    its_turn_comes();
    EXPECT_TRUE(speculation_.is_getting_on(window_));
    {
        const AttemptSupervisor other({window_, finisher_, judge_, speculation_}, worker_, task_,
                                      attempt_);
    }
    EXPECT_FALSE(under_way.has(kPosition)) << "a worker attempts one at a time";
    EXPECT_FALSE(speculation_.is_getting_on(window_));
}

// Each worker could hold 366 MB of code that one transaction had asked for.
TEST_F(AttemptSupervisorTest, what_keeps_much_code_is_run_at_its_turn) {
    const auto status_with = [&](std::size_t code_bytes) {
        const test::ThriceCalled called{base_, 230, code_bytes};
        state_.attach(base_);
        vm::EvmOptions options;
        options.code_cache = vm::make_code_cache(1);
        options.record_accesses = true;
        Worker worker{0, options};
        Attempt attempt;
        Task task;
        worker.view.begin(state_, attempt, {kPosition, called.tx});
        const auto valid =
            vm::validate(called.tx, worker.view, called.env, vm::BlockGas::whole(called.env));
        EXPECT_TRUE(valid.has_value());
        worker.view.restart();
        AttemptSupervisor supervisor({window_, finisher_, judge_, speculation_}, worker,
                                     at_its_position(task), attempt);
        worker.evm.supervise(&supervisor);
        vm::transition(worker.view, test::FakeBlockHashes{}, called.env, *valid, worker.evm,
                       attempt.outcome);
        speculation_.put_back(task);
        return attempt.outcome.status;
    };
    EXPECT_EQ(status_with(1'000), vm::Status::success) << "there is budget for it";
    EXPECT_EQ(status_with(65'536), vm::Status::stopped);

    its_turn_comes();
    judge_.standing = Standing::holds;
    EXPECT_EQ(status_with(65'536), vm::Status::success);
    judge_.standing = Standing::holds_so_far;
    EXPECT_EQ(status_with(65'536), vm::Status::success) << "nobody else is at its turn";
}

// A worker had waited for some dozens of microseconds while a transaction of 15 Mgas ran on another
// one, had given up its own, and every one after it. It did so too where the other one did not look
// for as long, as it was given new memory.
TEST_F(AttemptSupervisorTest, whoever_waits_for_budget_waits_for_what_is_next_and_attempted) {
    constexpr unsigned kLate = 10'000 * StreamAtomics::kPatience;  // looks: ten times its patience
    Task later;
    later.position = kPosition + 1;
    WaitingWorkers waiting{2};
    const auto waits = [&] {
        unsigned looks = 0;
        return wait_for_budget(
            window_, later, waiting, [&] { return ++looks > kLate; },
            [&] { return speculation_.is_getting_on(window_); });
    };
    EXPECT_FALSE(waits()) << "nobody attempts what is next";
    its_turn_comes();
    EXPECT_TRUE(waits());
}

// It had been shown an old nonce, used it after it had been found to hold, and burned 63/64 of its
// gas without having drawn any.
TEST_F(AttemptSupervisorTest, what_holds_only_so_far_draws_what_it_uses) {
    const std::int64_t budget = speculation_.budget().limit();
    its_turn_comes();
    judge_.standing = Standing::holds_so_far;
    const std::int64_t used = use_gas_until_stopped();
    EXPECT_LE(used, budget + budget / 4 + Speculation::kFreeGas) << "a quarter on credit";
    EXPECT_GT(used, budget);
    Task later;
    later.position = kPosition + 1;
    EXPECT_FALSE(speculation_.draw(later, 1, window_)) << "which comes back before anybody draws";
}

// One of 15 Mgas that waited for budget had ended when its turn came, with all that it had used.
TEST_F(AttemptSupervisorTest, what_waits_for_budget_when_its_turn_comes_goes_on) {
    judge_.standing = Standing::holds_so_far;
    Task other;
    other.position = kPosition + 1;
    ASSERT_TRUE(speculation_.draw(other, speculation_.budget().left(), window_));
    judge_.is_busy_for = 5'000;
    judge_.on_busy = [&](unsigned looks) {
        if (looks == 1'000) its_turn_comes();
        if (looks < 4'000) judge_.standing = Standing::unknown;
        if (looks == 4'000) judge_.standing = Standing::holds_so_far;
    };
    EXPECT_GT(supervisor_.on_gas(kMuchGas), kMuchGas);
    EXPECT_TRUE(speculation_.is_getting_on(window_));
    judge_.standing = Standing::holds;
    EXPECT_GT(supervisor_.on_gas(2 * kMuchGas), 2 * kMuchGas);
}

TEST_F(AttemptSupervisorTest, what_holds_only_so_far_is_judged_when_its_gas_has_doubled) {
    its_turn_comes();
    judge_.standing = Standing::holds_so_far;
    static_cast<void>(use_gas_until_stopped());
    EXPECT_LE(judge_.looks, 10u) << "each look compares all that was read";
    EXPECT_GE(judge_.looks, 6u);
}

TEST_F(AttemptSupervisorTest, what_does_not_hold_when_its_turn_has_come_ends) {
    its_turn_comes();
    judge_.standing = Standing::overtaken;
    EXPECT_EQ(supervisor_.on_gas(kMuchGas), kStop);
}

TEST_F(AttemptSupervisorTest, nobody_judges_it_before_its_turn) {
    judge_.standing = Standing::overtaken;
    EXPECT_GT(supervisor_.on_gas(kMuchGas), kMuchGas);
    EXPECT_EQ(judge_.looks, 0u);
}

// Its turn has come, and the thread that committed the position before still has the committer's
// role - it looks at itself as the one whom everybody waits for - it went on for nothing, to the
// end of its gas.

TEST_F(AttemptSupervisorTest, while_another_has_the_role_it_draws_what_it_uses) {
    its_turn_comes();
    const std::int64_t allowed = supervisor_.on_gas(kMuchGas);
    ASSERT_GT(allowed, kMuchGas);
    EXPECT_EQ(judge_.looks, 1u);
    EXPECT_EQ(task_.drawn_gas, allowed - Speculation::kFreeGas);
}

TEST_F(AttemptSupervisorTest, while_another_has_the_role_it_ends_where_the_budget_does) {
    const std::int64_t budget = speculation_.budget().limit();
    its_turn_comes();
    const std::int64_t used = use_gas_until_stopped();
    EXPECT_LE(used, budget + Speculation::kFreeGas);
    EXPECT_GT(used, budget / 2);
}

TEST_F(AttemptSupervisorTest, while_another_has_the_role_it_ends_when_it_is_overtaken) {
    its_turn_comes();
    ASSERT_GT(supervisor_.on_gas(kMuchGas), kMuchGas);
    overtake();
    EXPECT_EQ(supervisor_.on_gas(2 * kMuchGas), kStop);
    EXPECT_EQ(task_.overtaken_by, &state_.account(other_address_));
}

TEST_F(AttemptSupervisorTest, while_another_has_the_role_it_ends_when_it_has_met_unrest) {
    state_.account(other_address_).unrest.store(kMostUnrest);
    static_cast<void>(worker_.view.account(other_address_));
    its_turn_comes();
    EXPECT_EQ(supervisor_.on_gas(kMuchGas), kStop);
}

TEST_F(AttemptSupervisorTest, once_the_role_is_free_it_is_judged) {
    its_turn_comes();
    ASSERT_GT(supervisor_.on_gas(kMuchGas), kMuchGas);
    judge_.standing = Standing::holds;
    EXPECT_GT(supervisor_.on_gas(2 * kMuchGas), 2 * kMuchGas);
    EXPECT_EQ(judge_.looks, 2u);
}

TEST_F(AttemptSupervisorTest, a_halt_ends_it_whatever_it_is_worth) {
    its_turn_comes();
    judge_.standing = Standing::holds;
    finisher_.halt();
    EXPECT_EQ(supervisor_.on_gas(kMuchGas), kStop);
}

TEST_F(AttemptSupervisorTest, what_has_read_a_value_that_will_be_replaced_ends) {
    struct Before final : Estimates {
        [[nodiscard]] bool is_estimate(Stamp stamp) const noexcept override {
            return stamp == make_stamp(kPosition - 1, 0);
        }
    };
    const Before estimates;
    worker_.view.begin(state_, attempt_,
                       {.position = kPosition, .tx = tx_, .estimates = &estimates});
    EXPECT_GT(supervisor_.on_gas(kMuchGas), kMuchGas);
    overtake();
    static_cast<void>(worker_.view.account(other_address_));
    EXPECT_EQ(supervisor_.on_gas(kMuchGas), kStop);
}

// A further attempt had its first 10,000 gas for nothing once more, and what it drew for them.
TEST_F(AttemptSupervisorTest, of_further_attempts_all_gas_is_drawn) {
    task_.withdrawn = 1;
    const std::int64_t allowed = supervisor_.on_gas(kMuchGas);
    EXPECT_EQ(task_.drawn_gas, allowed);
}

// Attempts that hash, beside transactions that make contracts and destroy them: as much gas as
// these, fifty times as long, and within the budget.

TEST_F(AttemptSupervisorTest, time_is_drawn_where_it_is_worth_more_than_the_gas_used) {
    for (int i = 0; i < 64; ++i)
        speculation_.committed(task_, 1'000'000, 1'000);  // a thousand gas in a tick
    const std::int64_t begin = StreamAtomics::ticks();
    ASSERT_GT(supervisor_.on_gas(0), 0);
    while (StreamAtomics::ticks() < begin + 100'000) {
    }
    EXPECT_EQ(supervisor_.on_gas(5'000), kStop) << "a hundred million gas";
}

TEST_F(AttemptSupervisorTest, time_is_not_drawn_where_it_is_worth_less) {
    for (int i = 0; i < 64; ++i)
        speculation_.committed(task_, 0, 1'000'000'000'000);
    ASSERT_GT(supervisor_.on_gas(0), 0);
    const std::int64_t allowed = supervisor_.on_gas(20'000);
    EXPECT_EQ(task_.drawn_gas, allowed - Speculation::kFreeGas);
}

TEST_F(AttemptSupervisorTest, what_waits_for_budget_does_not_work_meanwhile) {
    constexpr std::int64_t kWait = 2'000'000;  // ticks
    Task other;
    other.position = kPosition + 1;
    ASSERT_TRUE(speculation_.draw(other, speculation_.budget().left(), window_));
    judge_.is_busy_for = std::numeric_limits<unsigned>::max();
    ASSERT_GT(supervisor_.on_gas(0), 0);
    const std::int64_t begin = StreamAtomics::ticks();
    judge_.on_busy = [&](unsigned) {
        if (StreamAtomics::ticks() > begin + kWait) judge_.is_busy_for = 0;
    };
    EXPECT_EQ(supervisor_.on_gas(kMuchGas), kStop);
    EXPECT_GE(supervisor_.ticks(), kWait);
    EXPECT_GE(supervisor_.worked_ticks(), 0);
    EXPECT_LT(supervisor_.worked_ticks(), supervisor_.ticks());
}

TEST_F(AttemptSupervisorTest, what_runs_unwatched_works_all_the_time) {
    constexpr std::int64_t kRun = 5'000'000;  // ticks
    its_turn_comes();
    judge_.standing = Standing::holds;
    ASSERT_GT(supervisor_.on_gas(0), 0);
    ASSERT_GT(supervisor_.on_gas(kMuchGas), kMuchGas);
    const std::int64_t begin = StreamAtomics::ticks();
    while (StreamAtomics::ticks() < begin + kRun) {
    }
    EXPECT_GE(supervisor_.worked_ticks(), kRun);
}

TEST_F(AttemptSupervisorTest, the_first_gas_is_free_and_unwatched) {
    its_turn_comes();
    judge_.standing = Standing::overtaken;
    EXPECT_GT(supervisor_.on_gas(0), 0);
    EXPECT_EQ(judge_.looks, 0u);
    EXPECT_EQ(task_.drawn_gas, 0);
}

// Workers that found no budget went on to the next transaction, and to the one after that, until
// nothing was left to be attempted and one thread ran everything in order.

TEST(AttemptDraws, beforehand_what_its_looks_will_draw) {
    const Task task;
    EXPECT_EQ(AttemptSupervisor::drawn_by(task, 0), 0) << "nobody looks";
    EXPECT_EQ(AttemptSupervisor::drawn_by(task, 5'000), 0) << "the first gas is free";
    EXPECT_EQ(AttemptSupervisor::drawn_by(task, 12'700), 16'000 - 10'000);
    EXPECT_EQ(AttemptSupervisor::drawn_by(task, 16'000), 16'000 - 10'000) << "no look before more";
    EXPECT_EQ(AttemptSupervisor::drawn_by(task, 17'000), 32'000 - 10'000);
    EXPECT_EQ(AttemptSupervisor::drawn_by(task, 55'000), 64'000 - 10'000);
    Task again;
    again.withdrawn = 1;
    EXPECT_EQ(AttemptSupervisor::drawn_by(again, 5'000), 8'000) << "of further attempts all";
}

constexpr auto kNobody = [] { return false; };

TEST(WaitingForBudget, goes_on_while_others_are_committed) {
    Window window{64};
    window.set_dispatched(60, false);
    Task task;
    task.position = 50;
    WaitingWorkers waiting{2};
    unsigned looks = 0;
    std::uint64_t committed = window.committed();
    const auto draw = [&] {
        if (++looks % 500 == 0) window.set_committed(++committed);
        return committed == 20;
    };
    EXPECT_TRUE(wait_for_budget(window, task, waiting, draw, kNobody));
    EXPECT_GT(looks, 5'000u);
}

TEST(WaitingForBudget, goes_on_while_somebody_commits_what_takes_long) {
    Window window{64};
    window.set_dispatched(60, false);
    Task task;
    task.position = 50;
    WaitingWorkers waiting{2};
    unsigned looks = 0;
    const auto draw = [&] { return ++looks == 10'000; };
    EXPECT_TRUE(wait_for_budget(window, task, waiting, draw, [] { return true; }));
}

TEST(WaitingForBudget, spins_first_and_lets_others_have_the_processor_then) {
    LookPause pause;
    for (unsigned looks = 0; looks < LookPause::kSpins; ++looks) {
        ASSERT_FALSE(pause.yields()) << looks;
        pause.take();
    }
    EXPECT_TRUE(pause.yields());
    pause.take();
    EXPECT_TRUE(pause.yields()) << "from then on";
}

TEST(WaitingForBudget, lets_one_go_when_every_worker_waits_and_the_others_wait_on) {
    WaitingWorkers waiting{2};
    WaitingWorkers::Stay first(waiting);
    EXPECT_FALSE(first.leave_if_all_wait()) << "one of two waits";
    {
        WaitingWorkers::Stay second(waiting);
        EXPECT_TRUE(second.leave_if_all_wait());
        EXPECT_FALSE(first.leave_if_all_wait()) << "the other one has left";
    }
    const WaitingWorkers::Stay third(waiting);
    EXPECT_TRUE(first.leave_if_all_wait()) << "who has left is not counted out twice";
}

TEST(WaitingForBudget, ends_when_the_turn_has_come) {
    Window window{64};
    window.set_dispatched(60, false);
    Task task;
    task.position = 50;
    window.set_committed(50);
    WaitingWorkers waiting{2};
    EXPECT_TRUE(wait_for_budget(window, task, waiting, kNobody, kNobody));
}

TEST(WaitingForBudget, ends_where_nothing_is_committed) {
    Window window{64};
    window.set_dispatched(60, false);
    Task task;
    task.position = 50;
    WaitingWorkers waiting{2};
    EXPECT_FALSE(wait_for_budget(window, task, waiting, kNobody, kNobody));
}

TEST(WaitingForBudget, ends_at_once_when_nobody_is_left_to_commit) {
    Window window{64};
    window.set_dispatched(60, false);
    Task task;
    task.position = 50;
    WaitingWorkers waiting{2};
    const WaitingWorkers::Stay other(waiting);
    unsigned looks = 0;
    const auto draw = [&] {
        ++looks;
        return false;
    };
    EXPECT_FALSE(wait_for_budget(window, task, waiting, draw, kNobody));
    EXPECT_EQ(looks, 1u);
}

}  // namespace
}  // namespace heddle::executor
