// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the policy takes for known: transactions that are not are waited for by all threads.
#include "early/early_scheduler.hpp"

#include <gtest/gtest.h>

#include <vm/validate.hpp>

#include "stream/block_run.hpp"
#include "stream/recall.hpp"
#include "stream/speculation.hpp"
#include "stream/window.hpp"

namespace heddle::executor {
namespace {

constexpr unsigned kWorkers = 4;
const Address kAlice = address_from_low64(0xa);
const Address kBob = address_from_low64(0xb);

/// The first transaction of a stream, of which no set is known.
class EarlySchedulerTest : public testing::TestWithParam<Revision> {
protected:
    const ParallelOptions options_;
    const SchedulerSettings settings_;
    Window window_{8};
    VersionedState state_;
    Speculation speculation_{kWorkers};
    AttemptPool attempts_;
    WorkerParking parking_;
    std::vector<std::unique_ptr<Worker>> workers_;
    Recall recall_{{window_, state_, speculation_, attempts_, workers_}};
    EarlyScheduler scheduler_{{options_, kWorkers, window_, state_, parking_, settings_, recall_},
                              EarlySettings{}};
    BlockRun block_;
    Transaction tx_;

    void SetUp() override {
        block_.env.revision = GetParam();
        tx_.sender = kAlice;
        tx_.to = kBob;
        tx_.value = 1;
        tx_.gas_limit = least_gas();
    }
    [[nodiscard]] std::uint64_t least_gas() const { return vm::intrinsic_gas(tx_, GetParam()).gas; }
    /// Whether all threads have to come together for it.
    bool is_met_for() {
        Task& task = window_.make(1);
        task.begin(TaskKind::transaction, 1, &block_);
        task.tx = &tx_;
        EXPECT_EQ(scheduler_.arrive(task, 1), Placement::ahead);
        scheduler_.release(task);
        ParallelStats stats;
        scheduler_.add_counts(stats);
        return stats.meetings != 0;
    }
};

TEST_P(EarlySchedulerTest, all_is_known_of_a_transfer_that_leaves_no_gas) {
    EXPECT_FALSE(is_met_for());
}

TEST_P(EarlySchedulerTest, of_one_that_leaves_gas_it_is_not) {
    ++tx_.gas_limit;
    EXPECT_TRUE(is_met_for());
}

TEST_P(EarlySchedulerTest, all_is_known_of_a_transfer_to_oneself) {
    tx_.to = kAlice;
    tx_.gas_limit = least_gas();
    EXPECT_FALSE(is_met_for());
}

TEST_P(EarlySchedulerTest, whose_code_is_set_is_not_known) {
    tx_.type = TransactionType::set_code;
    tx_.authorization_list.emplace_back();
    tx_.gas_limit = least_gas();
    EXPECT_TRUE(is_met_for());
}

INSTANTIATE_TEST_SUITE_P(Forks, EarlySchedulerTest,
                         testing::Values(Revision::london, Revision::prague, Revision::amsterdam),
                         [](const auto& info) { return std::string{to_string(info.param)}; });

}  // namespace
}  // namespace heddle::executor
