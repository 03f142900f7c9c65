// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Workers and dispatchers where there are too few threads.
#include <cstdlib>
#include <functional>
#include <memory>
#include <system_error>
#include <vector>

#include <gtest/gtest.h>

#include "few_threads.hpp"
#include "stream/dispatch_pipeline.hpp"
#include "workers/worker_pool.hpp"

namespace heddle::executor {
namespace {

/// Ends this process: with 7 where `start_too_many` says what is missing in a process that has room
/// for a few stacks more.
void end_where_stacks_are_few(const std::function<void()>& start_too_many) {
    test::have_few_threads();
    try {
        start_too_many();
    } catch (const std::system_error&) {
        std::exit(7);
    }
    std::exit(1);
}

class ScarceThreads : public testing::Test {
protected:
    void SetUp() override {
        if (!test::can_have_few_threads()) GTEST_SKIP() << "sanitizers lay out terabytes";
    }
};

class NoWork final : public Work {
public:
    bool run_once(unsigned /*worker*/) override { return false; }
    [[nodiscard]] bool has_work(unsigned /*worker*/) const noexcept override { return false; }
};

class NoStages final : public DispatchWork {
public:
    void run_stages(StageRange /*stages*/, PositionRange /*positions*/) override {}
};

// Both ended the process by the threads that they had got.
TEST_F(ScarceThreads, a_pool_that_gets_too_few_says_so_and_leaves_none) {
    const auto start_too_many = [] {
        constexpr unsigned kCount = 1'000;
        NoWork work;
        WorkerParking parking;
        const WorkerPool pool{kCount, false, parking, work};
    };
    EXPECT_EXIT(end_where_stacks_are_few(start_too_many), testing::ExitedWithCode(7), "");
}

TEST_F(ScarceThreads, a_dispatcher_that_gets_too_few_says_so_and_leaves_none) {
    const auto start_too_many = [] {
        NoStages work;
        std::vector<std::unique_ptr<DispatchPipeline>> pipelines;
        for (int i = 0; i < 1'000; ++i)
            pipelines.push_back(std::make_unique<DispatchPipeline>(4, 1, work));
    };
    EXPECT_EXIT(end_where_stacks_are_few(start_too_many), testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace heddle::executor
