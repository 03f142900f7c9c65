// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/expected.hpp>

#include <memory>

#include <gtest/gtest.h>

namespace heddle {
namespace {

enum class Failure { odd };

std::expected<int, Failure> half(int value) {
    if (value % 2 != 0) return std::unexpected(Failure::odd);
    return value / 2;
}

std::expected<int, Failure> quarter(int value) {
    HEDDLE_TRY(const int halved, half(value));
    HEDDLE_CHECK(half(halved));
    return halved / 2;
}

std::expected<std::unique_ptr<int>, Failure> boxed(int value) {
    HEDDLE_TRY(const int halved, half(value));
    return std::make_unique<int>(halved);
}

std::expected<int, Failure> unboxed(int value) {
    HEDDLE_TRY(auto box, boxed(value));
    return *box;
}

TEST(Expected, first_error_returns_from_the_function) {
    EXPECT_EQ(quarter(8), 2);
    EXPECT_EQ(quarter(7), std::unexpected(Failure::odd));
    EXPECT_EQ(quarter(6), std::unexpected(Failure::odd));
}

TEST(Expected, values_that_only_move_pass) {
    EXPECT_EQ(unboxed(4), 2);
    EXPECT_EQ(unboxed(5), std::unexpected(Failure::odd));
}

}  // namespace
}  // namespace heddle
