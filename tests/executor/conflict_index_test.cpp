// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "late/conflict_index.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::executor {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// What a task waits for, by position: completions as they are, commits below zero.
class ConflictIndexTest : public testing::Test {
protected:
    struct Use {
        std::uint32_t object;
        AccessMode mode;
    };
    std::vector<std::int64_t> waits(const std::vector<Use>& uses) {
        Task task;
        task.position = next_++;
        for (const Use& use : uses)
            task.requests.push_back({.number = use.object, .mode = use.mode});
        std::vector<std::int64_t> result;
        for (const GraphWait& wait : index_.order(task, watermark_)) {
            const auto position = static_cast<std::int64_t>(wait.position);
            result.push_back(wait.event == DagNode::Event::commit ? -position : position);
        }
        std::ranges::sort(result);
        return result;
    }
    std::vector<std::int64_t> waits(std::uint32_t object, AccessMode mode) {
        return waits({{object, mode}});
    }

    ConflictIndex index_{1'024};
    std::uint64_t next_ = 1;
    std::uint64_t watermark_ = 1;
};

TEST_F(ConflictIndexTest, who_writes_waits_for_all_that_read_before) {
    EXPECT_THAT(waits(7, AccessMode::write), IsEmpty());  // 1
    EXPECT_THAT(waits(7, AccessMode::read), ElementsAre(1));
    EXPECT_THAT(waits(7, AccessMode::read), ElementsAre(1));  // 3: not for the other reader
    EXPECT_THAT(waits(7, AccessMode::write), ElementsAre(2, 3)) << "which imply the first";
    EXPECT_THAT(waits(7, AccessMode::write), ElementsAre(4));
    EXPECT_THAT(waits(7, AccessMode::read), ElementsAre(5));
}

TEST_F(ConflictIndexTest, nobody_waits_for_other_objects) {
    EXPECT_THAT(waits(1, AccessMode::write), IsEmpty());
    EXPECT_THAT(waits(2, AccessMode::write), IsEmpty());
    EXPECT_THAT(waits({{1, AccessMode::read}, {2, AccessMode::read}}), ElementsAre(1, 2));
}

TEST_F(ConflictIndexTest, who_moves_waits_for_nobody_and_is_waited_for_until_its_commit) {
    EXPECT_THAT(waits(3, AccessMode::write), IsEmpty());
    EXPECT_THAT(waits(3, AccessMode::add), IsEmpty());
    EXPECT_THAT(waits(3, AccessMode::debit), IsEmpty());
    EXPECT_THAT(waits(3, AccessMode::read), ElementsAre(-3)) << "which implies those before";
}

TEST_F(ConflictIndexTest, an_object_may_be_named_twice) {
    EXPECT_THAT(waits({{4, AccessMode::read}, {4, AccessMode::write}, {4, AccessMode::read}}),
                IsEmpty());
    EXPECT_THAT(waits(4, AccessMode::write), ElementsAre(1));
    EXPECT_THAT(waits({{6, AccessMode::add}, {6, AccessMode::read}}), IsEmpty());
}

TEST_F(ConflictIndexTest, what_is_committed_is_not_waited_for) {
    EXPECT_THAT(waits(5, AccessMode::read), IsEmpty());
    EXPECT_THAT(waits(5, AccessMode::read), IsEmpty());
    watermark_ = 2;
    EXPECT_THAT(waits(5, AccessMode::write), ElementsAre(2));
}

}  // namespace
}  // namespace heddle::executor
