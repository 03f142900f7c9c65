// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The dispatcher's stages on several threads, under schedules drawn by seed: no stage comes to a
// task before the one before it is done with it, none is left out, and each takes what it is given.
#include "stream/dispatch_pipeline.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "checks.hpp"
#include "explored_stream.hpp"
#include "explorer.hpp"

namespace heddle::executor {
namespace {

using heddle::test::expect;

/// One thread enters tasks and ends the pipeline when all have passed; the others are its own.
class Passing final : public heddle::test::Case, public DispatchWork {
public:
    Passing(unsigned threads, std::size_t batch_size)
        : most_(batch_size),
          pipeline_(std::make_unique<DispatchPipeline>(threads, batch_size, *this)) {}
    /// After a failure threads are left in the middle of it: what they use has to stay.
    ~Passing() override { static_cast<void>(pipeline_.release()); }

    std::vector<Thread> threads() override {
        std::vector<Thread> threads{{"submitter", [this] { submit(); }}};
        for (auto& body : heddle::test::take_explored_threads())
            threads.push_back({"stage", std::move(body)});
        return threads;
    }
    void at_end() override { expect(pipeline_ == nullptr, "the pipeline has not ended"); }

private:
    static constexpr std::uint64_t kTasks = 4;

    void submit() {
        for (std::uint64_t position = 1; position <= kTasks; ++position)
            pipeline_->enter(position);
        for (std::uint64_t passed = passed_.load(); passed != kTasks; passed = passed_.load())
            passed_.wait(passed);
        pipeline_.reset();
    }
    void run_stages(StageRange stages, PositionRange positions) override {
        expect(positions.end - positions.begin <= most_, "more were handed over than a batch");
        for (unsigned stage = stages.begin; stage < stages.end; ++stage)
            for (std::uint64_t position = positions.begin; position < positions.end; ++position)
                run_stage(stage, position);
    }
    void run_stage(unsigned stage, std::uint64_t position) {
        expect(done_[position].load() == stage, "a stage does not follow the one before it");
        done_[position].store(stage + 1);
        if (stage + 1 != kDispatchStages) return;
        passed_.fetch_add(1);
        passed_.notify_all();
    }

    const std::uint64_t most_;
    std::array<StreamAtomics::Atomic<unsigned>, kTasks + 1> done_{};  // stages, by position
    StreamAtomics::Atomic<std::uint64_t> passed_{0};
    std::unique_ptr<DispatchPipeline> pipeline_;
};

TEST(DispatchPipeline, hands_over_what_is_done_and_only_that) {
    for (const unsigned threads : {2U, 3U, 4U}) {
        for (const std::size_t batch_size : {1U, 3U}) {
            const auto make = [&] { return std::make_unique<Passing>(threads, batch_size); };
            heddle::test::expect_holds(
                heddle::test::explore_randomly(make, heddle::test::announced_seed(), 1'000));
        }
    }
}

}  // namespace
}  // namespace heddle::executor
