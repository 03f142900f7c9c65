// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <executor/schedulers.hpp>

#include <algorithm>
#include <set>

#include <executor/executor.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::executor {
namespace {

using ::testing::HasSubstr;

TEST(Schedulers, are_made_by_name) {
    for (const std::string& name : scheduler_names())
        EXPECT_NE(make_executor(name), nullptr) << name;
    EXPECT_EQ(make_executor("fastest"), nullptr);
    EXPECT_EQ(make_executor(""), nullptr);
}

TEST(Schedulers, say_what_is_wrong_with_a_choice) {
    EXPECT_TRUE(check_scheduler("serial").has_value());
    EXPECT_TRUE(check_scheduler("dag").has_value());
    EXPECT_THAT(check_scheduler("fastest").error(),
                HasSubstr("expected serial or auto or values or dag or early"));
    EXPECT_THAT(check_scheduler("").error(),
                HasSubstr("expected serial or auto or values or dag or early"));
    EXPECT_EQ(check_scheduler("dag:lock=free").error(), "dag: there is nothing to set");
}

TEST(Schedulers, have_names_of_their_own_and_words_for_them) {
    std::set<std::string_view> names;
    for (const SchedulerInfo& info : schedulers()) {
        EXPECT_TRUE(names.insert(info.name).second) << info.name;
        EXPECT_FALSE(info.description.empty()) << info.name;
    }
    EXPECT_EQ(names.size(), scheduler_names().size());
}

TEST(Schedulers, begin_with_the_oracle_and_have_the_default) {
    const std::vector<std::string> names = scheduler_names();
    EXPECT_EQ(names.at(0), kSerialScheduler);
    EXPECT_NE(std::ranges::find(names, kDefaultScheduler), names.end());
    EXPECT_FALSE(is_parallel(kSerialScheduler));
    EXPECT_TRUE(is_parallel(kDefaultScheduler));
}

}  // namespace
}  // namespace heddle::executor
