// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What members of a replicated chain make of promises that are asked for wrongly.
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "members.hpp"

namespace heddle::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(RefusedPromises, leave_the_primary_as_it_was) {
    Members members{2, "sync", 1};
    members.start_all();
    const auto ask_for = [&](std::string_view epoch) {
        return members.call("a", "heddle_promise",
                            R"([{"epoch":")" + std::string{epoch} +
                                R"(","candidate":"b","member":"b","members":["a","b"],)" +
                                R"("acks":"0x1"}])");
    };

    EXPECT_THAT(ask_for("0x2"), HasSubstr("that epoch is another member's"));
    EXPECT_THAT(ask_for("0xffffffffffffffff"), HasSubstr("no promotions can have led"));

    EXPECT_EQ(members.report("a")->condition, "good") << members.logs();
    EXPECT_EQ(members.promote("b").exit_code, 0) << "the next epoch is there to be promised";
}

// Three of four members have to promise, and only two are there.
TEST(RefusedPromises, are_those_of_a_member_that_stands_at_two_addresses) {
    Members members{4, "sync", 1};
    const auto entry = [&](const std::string& name, const std::string& at) {
        return "\"" + name + "=ws://127.0.0.1:" + std::to_string(members.port(at)) + "\"";
    };
    members.start("a");
    members.start("c");
    members.start("b", {"replication.members=[" + entry("a", "a") + "," + entry("b", "b") + "," +
                        entry("c", "c") + "," + entry("d", "c") + "]"});
    for (const char* name : {"b", "c"})
        ASSERT_TRUE(members.is_soon(name, "backup", "good")) << members.logs();
    ASSERT_NE(members.common_hash(1), "");
    members.kill("a");

    const auto refused = members.promote("b");

    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(refused.error, AllOf(HasSubstr("2 of 4 members have promised, and 3 are needed"),
                                     HasSubstr("is member c, not d")));
}

// `c` was not there when `b` was promoted, and has their addresses the wrong way round. It took the
// epoch of `b` for one of `a`, and `b`, which an epoch has to itself, was fenced by it.
TEST(RefusedLeaders, are_those_at_the_address_of_another_one) {
    Members members{3, "sync", 1};
    const auto entry = [&](const std::string& name, const std::string& at) {
        return "\"" + name + "=ws://127.0.0.1:" + std::to_string(members.port(at)) + "\"";
    };
    members.start("a");
    members.start("b");
    ASSERT_TRUE(members.is_soon("b", "backup", "good")) << members.logs();
    ASSERT_EQ(members.promote("b").exit_code, 0);
    ASSERT_TRUE(members.is_soon("a", "backup", "good")) << members.logs();

    members.start("c", {"replication.members=[" + entry("a", "b") + "," + entry("b", "a") + "," +
                        entry("c", "c") + "]"});

    EXPECT_TRUE(members.is_logged("is member b, not a")) << members.logs();
    members.kill("c");
    members.start("c");
    EXPECT_TRUE(members.is_soon("c", "backup", "good")) << members.logs();
    EXPECT_TRUE(members.is_soon("b", "primary", "good")) << members.logs();
}

}  // namespace
}  // namespace heddle::test
