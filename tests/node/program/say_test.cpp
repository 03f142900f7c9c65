// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "program/say.hpp"

#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "program/terminal_at.hpp"

namespace heddle::node {
namespace {

TEST(Printable, text_stays_as_it_is_with_its_lines_and_columns) {
    for (const char* const text : {"", "a block", "two\n\tlines\n", "\u00b5s \u2026 \u00e9"})
        EXPECT_EQ(printable(text), text);
}

TEST(Printable, control_characters_are_written) {
    EXPECT_EQ(printable("a\x1b[31mb\r\x7f"), "a\\x1b[31mb\\x0d\\x7f");
    EXPECT_EQ(printable(std::string{"a\0b", 3}), "a\\x00b");
    EXPECT_EQ(printable("\u009b31m"), "\\x9b31m") << "the same sequence in UTF-8";
    EXPECT_EQ(printable("\xc2"), "\xc2") << "half a character is none";
}

// A key of a genesis file, which is named where it is wrong.
TEST(Say, what_a_file_names_does_not_reach_the_terminal_as_control_characters) {
    const test::TerminalAt terminal(STDERR_FILENO, 80);
    say("heddle: alloc: {} is no address", "\x1b]0;owned\x07");
    EXPECT_EQ(terminal.text("address"), "heddle: alloc: \\x1b]0;owned\\x07 is no address");
}

}  // namespace
}  // namespace heddle::node
