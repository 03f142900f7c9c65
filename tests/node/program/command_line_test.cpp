// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "program/command_line.hpp"

#include <cstdint>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::node {
namespace {

using testing::HasSubstr;

/// A program with an option of each kind of number.
class CommandLineNumbers : public testing::Test {
protected:
    CommandLineNumbers() {
        line_.program().add_option("--count", count_, "Counts");
        line_.program().add_option("--change", change_, "Goes up and down");
        line_.program().add_option("--share", share_, "Divides").in_range(0.0, 1e6);
    }

    /// What is said of it; empty: nothing.
    [[nodiscard]] std::string complaint(const std::string& option, const std::string& value) {
        try {
            EXPECT_TRUE(line_.parse({option, value}));
            return {};
        } catch (const UsageError& error) {
            return error.what();
        }
    }

    std::uint64_t count_ = 0;
    long long change_ = 0;
    double share_ = 0;
    CommandLine line_{"Counts", "counter"};
};

TEST_F(CommandLineNumbers, are_decimal) {
    EXPECT_EQ(complaint("--count", "18446744073709551615"), "");
    EXPECT_EQ(count_, 18446744073709551615U);
    EXPECT_EQ(complaint("--change", "-7"), "");
    EXPECT_EQ(change_, -7);
    for (const char* const real : {"2.5", "25e-1", ".25e+1", "2.50"}) {
        EXPECT_EQ(complaint("--share", real), "");
        EXPECT_EQ(share_, 2.5) << real;
    }
}

// CLI11 takes each of these for a number.
TEST_F(CommandLineNumbers, are_refused_in_other_spellings) {
    for (const char* const value : {"+5", " 5", "\t5", "5x"})
        EXPECT_EQ(complaint("--count", value), std::string{"--count: is no number: "} + value);
    for (const char* const value : {"+5", " 5", "-5x"})
        EXPECT_EQ(complaint("--change", value), std::string{"--change: is no number: "} + value);
    for (const char* const value : {"0x1p3", "+5", " 5", "nan"})
        EXPECT_EQ(complaint("--share", value), std::string{"--share: is no number: "} + value);
    EXPECT_THAT(complaint("--change", "0x5"), HasSubstr("must be decimal: 0x5"));
    EXPECT_THAT(complaint("--change", "-010"), HasSubstr("must not begin with 0: 010"));
    EXPECT_THAT(complaint("--count", "0x10"), HasSubstr("must be decimal: 0x10"));
    EXPECT_THAT(complaint("--count", "-1"), HasSubstr("must not be negative: -1"));
    EXPECT_EQ(complaint("--share", "-1"), "--share: must be a number from 0 to 1000000: -1");
}

TEST(CommandLineChoices, are_named_in_the_order_of_the_help) {
    enum class Speed : std::uint8_t { slow, fast };
    std::string color;
    auto speed = Speed::slow;
    CommandLine line{"Paints", "painter"};
    line.program().add_option("--color", color, "What it looks like").one_of({"red", "blue"});
    line.program().add_choice<Speed>("--speed", speed, "How long it takes",
                                     {{"slow", Speed::slow}, {"fast", Speed::fast}},
                                     {.names = "{slow,fast}"});
    const auto complaint = [&](const std::string& option) {
        try {
            EXPECT_FALSE(line.parse({option, "green"}));
        } catch (const UsageError& error) {
            return std::string{error.what()};
        }
        return std::string{};
    };

    EXPECT_EQ(complaint("--color"), "--color: 'green' is none of red, blue");
    EXPECT_EQ(complaint("--speed"), "--speed: 'green' is none of slow, fast");
    ASSERT_TRUE(line.parse({"--color", "blue", "--speed", "fast"}));
    EXPECT_EQ(color, "blue");
    EXPECT_EQ(speed, Speed::fast);
    for (const OptionOutline& option : line.outline().options)
        if (option.names.front() == "--color")
            EXPECT_THAT(option.choices, testing::ElementsAre("red", "blue"));
}

}  // namespace
}  // namespace heddle::node
