// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/assert.hpp>

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(AssertDeathTest, broken_condition_aborts_with_its_text_and_place) {
    EXPECT_DEATH(HEDDLE_ASSERT(1 + 1 == 3), "heddle: fatal: 1 \\+ 1 == 3 .*assert_test.cpp");
}

TEST(Assert, condition_that_holds_is_evaluated_once) {
    int count = 0;
    HEDDLE_ASSERT(++count == 1);  // NOLINT(bugprone-assert-side-effect): what is tested
    EXPECT_EQ(count, 1);
}

}  // namespace
}  // namespace heddle
