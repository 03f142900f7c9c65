// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A policy decides what is attempted when, never what comes out: one that decides at random gives
// what the serial executor gives.
#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "adversarial_chain.hpp"
#include "harness.hpp"
#include "parallel_executor.hpp"
#include "scheduler.hpp"
#include "stream/window.hpp"

namespace heddle::test {
namespace {

using executor::Placement;
using executor::ReadyBundle;
using executor::ReadyItem;
using executor::Repair;
using executor::SchedulerContext;
using executor::Task;

/// Orders nothing: what is not run in stream order is ready at once, and taken in any order. What
/// is overtaken is attempted again as often as not.
class RandomScheduler final : public executor::Scheduler {
public:
    explicit RandomScheduler(const SchedulerContext& context)
        : window_(context.window),
          parking_(context.parking),
          random_(context.options.delay_seed + 1) {}

    [[nodiscard]] Placement arrive(Task& /*task*/, std::uint64_t /*watermark*/) override {
        return draw(8) == 0 ? Placement::in_order : Placement::ahead;
    }
    void release(Task& task) override { add(task.position); }

    [[nodiscard]] ReadyBundle take(unsigned /*worker*/, std::span<ReadyItem> items) override {
        const std::lock_guard guard(lock_);
        const std::size_t most = std::min<std::size_t>(1 + random_.below(4), items.size());
        ReadyBundle taken;
        for (; taken.count < most && !ready_.empty(); ++taken.count)
            items[taken.count].position = pick();
        return taken;
    }
    [[nodiscard]] std::size_t backlog() const noexcept override { return size_.load(); }
    [[nodiscard]] bool has_ready() const noexcept override { return size_.load() != 0; }
    void make_ready(unsigned /*worker*/, Task& task) override {
        again_.fetch_add(1);
        add(task.position);
    }

    [[nodiscard]] Task* attempted(unsigned /*worker*/, Task& /*task*/, bool may_continue) override {
        const std::lock_guard guard(lock_);
        if (!may_continue || ready_.empty() || random_.below(2) == 0) return nullptr;
        return &window_.at(pick());
    }
    [[nodiscard]] Repair overtaken(const Task& /*task*/) override {
        return draw(2) == 0 ? Repair::in_order : Repair::again;
    }
    [[nodiscard]] bool is_commit_awaited(const Task& /*task*/) override { return draw(2) == 0; }
    void committed(unsigned /*worker*/, Task& /*task*/) override {}

    void add_counts(executor::ParallelStats& stats) const override {
        stats.waited += again_.load();  // nothing else waits here
    }

private:
    std::uint32_t draw(std::uint32_t bound) {
        const std::lock_guard guard(lock_);
        return random_.below(bound);
    }
    void add(std::uint64_t position) {
        {
            const std::lock_guard guard(lock_);
            ready_.push_back(position);
            size_.store(ready_.size());
        }
        parking_.notify_any();
    }
    /// Under the lock.
    std::uint64_t pick() {
        std::swap(ready_[random_.below(static_cast<std::uint32_t>(ready_.size()))], ready_.back());
        const std::uint64_t position = ready_.back();
        ready_.pop_back();
        size_.store(ready_.size());
        return position;
    }

    executor::Window& window_;
    executor::WorkerParking& parking_;
    std::mutex lock_;
    workload::Random random_;
    std::vector<std::uint64_t> ready_;
    std::atomic<std::size_t> size_{0};
    std::atomic<std::uint64_t> again_{0};
};

std::unique_ptr<executor::Executor> make_random_executor(const std::string& /*scheduler*/,
                                                         executor::Options options) {
    return std::make_unique<executor::ParallelExecutor>(
        std::move(options),
        executor::PolicyChoice{
            [](const SchedulerContext& context) -> std::unique_ptr<executor::Scheduler> {
                return std::make_unique<RandomScheduler>(context);
            }});
}

TEST(Determinism, a_policy_that_decides_at_random_changes_nothing) {
    RunPlan plan;
    plan.scheduler = executor::kSerialScheduler;
    Runner serial{plan};
    executor::ParallelStats sum;
    for (std::uint64_t turn = 0; turn < 60; ++turn) {
        AdversarialPlan chain_plan;
        chain_plan.seed = 3'000'000 + turn;
        chain_plan.blocks = 4;
        chain_plan.max_transactions = turn % 2 == 0 ? 20 : 60;
        const AdversarialChain chain = make_adversarial_chain(chain_plan);
        workload::Random random{turn};
        RunPlan run = draw_run_plan(turn, random);
        run.parallel.delay_seed = 1 + turn;

        const RunRecord expected = serial.run(chain, nullptr);
        const RunRecord record = Runner{run, make_random_executor}.run(chain, nullptr);

        const std::string text = difference(expected, record);
        ASSERT_TRUE(text.empty()) << "seed " << chain_plan.seed << ", turn " << turn << ": "
                                  << to_string(run) << "\n"
                                  << text;
        sum.waited += record.summary.stats.parallel.waited;
        sum.repaired += record.summary.stats.parallel.repaired;
    }
    fmt::print("{} attempted again, {} repaired in order\n", sum.waited, sum.repaired);
    EXPECT_GT(sum.waited, 100U);
    EXPECT_GT(sum.repaired, 100U);
}

}  // namespace
}  // namespace heddle::test
