// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// How far long work has come, as a terminal shows it.
#include "program/progress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "program/terminal_at.hpp"

namespace heddle::node {
namespace {

using testing::ContainsRegex;

// Before, 80 columns had no room for the time that is left, and 40 for nothing but counts.
TEST(Progress, says_first_how_much_is_left) {
    const test::TerminalAt terminal(STDERR_FILENO, 40);
    Progress progress;
    while (!terminal.has_text())
        progress.update(2'804, {2'804, 280'400, 17'000'000'000}, 0.5);
    EXPECT_THAT(terminal.text("\033[K"), ContainsRegex("^\rblock 2804, 50 %, [0-9.]+ s left: "));
}

// Before, such a line began in the middle of the row that was being rewritten.
TEST(Progress, a_note_has_a_line_of_its_own) {
    const test::TerminalAt terminal(STDERR_FILENO, 80);
    Progress progress;
    while (!terminal.has_text())
        progress.update("reading", 0);
    // On a machine that is busy it may be there twice before it is seen.
    EXPECT_TRUE(terminal.text("\033[K").starts_with("\rreading\033[K"));
    progress.note("block 7: in order from here on");
    EXPECT_TRUE(terminal.text("\r\n").ends_with("\r\033[Kblock 7: in order from here on\r\n"));
    progress.note("block 9: ahead of their turn");
    EXPECT_EQ(terminal.text("\r\n"), "block 9: ahead of their turn\r\n");
}

}  // namespace
}  // namespace heddle::node
