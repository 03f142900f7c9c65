// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "scheduler_settings.hpp"

#include <array>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace heddle::executor {
namespace {

constexpr std::array<std::string_view, 2> kWords = {"on", "off"};
constexpr std::array kInfos = {
    SettingInfo{.name = "lock", .description = "whether", .initial = "on", .words = kWords},
    SettingInfo{.name = "shards",
                .description = "how many",
                .initial = "on",
                .words = kWords,
                .least = 2,
                .most = 16},
    SettingInfo{.name = "file", .description = "which", .initial = "", .is_text = true},
};

std::string error_of(std::string_view text) {
    const auto settings = SchedulerSettings::parse(kInfos, text);
    return settings.has_value() ? "" : settings.error();
}

TEST(SchedulerSettings, are_the_initial_ones_where_nothing_is_set) {
    const auto settings = SchedulerSettings::parse(kInfos, "");
    ASSERT_TRUE(settings.has_value());
    EXPECT_EQ(settings->value("lock"), "on");
    EXPECT_EQ(settings->value("shards"), "on");
    EXPECT_EQ(settings->number("shards"), std::nullopt);
    EXPECT_EQ(settings->value("file"), "");
}

TEST(SchedulerSettings, take_words_numbers_and_texts) {
    const auto settings = SchedulerSettings::parse(kInfos, "shards=16,file=a=b.json,lock=off");
    ASSERT_TRUE(settings.has_value()) << settings.error();
    EXPECT_EQ(settings->value("lock"), "off");
    EXPECT_EQ(settings->number("shards"), 16u);
    EXPECT_EQ(settings->value("file"), "a=b.json");
}

TEST(SchedulerSettings, refuse_what_is_not_in_the_list_and_say_what_is) {
    EXPECT_EQ(error_of("colour=red"),
              "there is no setting \"colour\": expected lock or shards or file");
    EXPECT_EQ(error_of("lock=free"), "lock=\"free\": expected on or off");
    EXPECT_EQ(error_of("lock"), "lock=\"\": expected on or off");
    EXPECT_EQ(error_of("shards=1"), "shards=\"1\": expected on, off or a number from 2 to 16");
    EXPECT_EQ(error_of("shards=17"), "shards=\"17\": expected on, off or a number from 2 to 16");
    EXPECT_EQ(error_of("shards=-4"), "shards=\"-4\": expected on, off or a number from 2 to 16");
    EXPECT_EQ(error_of("shards=99999999999999999999"),
              "shards=\"99999999999999999999\": expected on, off or a number from 2 to 16");
    EXPECT_EQ(error_of("file="), "file=\"\": expected a text");
    EXPECT_EQ(error_of("lock=on,lock=off"), "lock is set twice");
    EXPECT_EQ(error_of("lock=on,"), "there is no setting \"\": expected lock or shards or file");
}

TEST(SchedulerSettings, of_what_has_none_are_refused) {
    const auto settings = SchedulerSettings::parse({}, "lock=on");
    ASSERT_FALSE(settings.has_value());
    EXPECT_EQ(settings.error(), "there is nothing to set");
}

}  // namespace
}  // namespace heddle::executor
