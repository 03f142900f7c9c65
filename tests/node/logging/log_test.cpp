// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "logging/log.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::node {
namespace {

using testing::HasSubstr;

std::string said_by_all_levels(const LogOptions& options) {
    testing::internal::CaptureStderr();
    configure_logging(options);
    spdlog::logger& log = logger(Component::rpc);
    log.info("one");
    log.warn("two");
    log.critical("three");
    return testing::internal::GetCapturedStderr();
}

TEST(Log, lines_name_level_and_component_in_full) {
    const std::string said = said_by_all_levels({});

    EXPECT_THAT(said, HasSubstr(" info     rpc       one\n"));
    EXPECT_THAT(said, HasSubstr(" warning  rpc       two\n"));
    EXPECT_THAT(said, HasSubstr(" critical rpc       three\n"));
}

TEST(Log, a_component_may_have_a_level_of_its_own) {
    EXPECT_EQ(said_by_all_levels({.level = "off", .levels = {}}), "");
    EXPECT_THAT(said_by_all_levels({.level = "off", .levels = {{"rpc", "critical"}}}),
                HasSubstr("three"));
}

}  // namespace
}  // namespace heddle::node
