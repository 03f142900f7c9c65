// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "state_test_maker.hpp"

#include <gtest/gtest.h>

#include "program.hpp"

namespace heddle::test {
namespace {

TEST(StateTestMaker, follows_from_the_seed) {
    EXPECT_EQ(make_state_test(3).json, make_state_test(3).json);
    EXPECT_NE(make_state_test(3).json, make_state_test(4).json);
    EXPECT_GE(make_state_test(3).cases, 100u);
}

// A judge that accepts anything judges nothing.
TEST(StateTestMaker, wrong_roots_are_noticed) {
    const TemporaryFolder folder;
    std::string json = "{" + make_state_test(5).json + "}";
    const auto place = json.find("\"hash\":\"0x") + 10;
    json[place] = json[place] == '0' ? '1' : '0';
    const auto result = run_program({"statetest", folder.write("wrong.json", json)});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_NE(result.out.find(", 1 failed"), std::string::npos) << result.out;
}

}  // namespace
}  // namespace heddle::test
