// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "program/terminal.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "program/terminal_at.hpp"

namespace heddle::node {
namespace {

using test::TerminalAt;

TEST(CutToRow, leaves_the_last_column_and_whole_characters) {
    EXPECT_EQ(cut_to_row("blocks", 0), "blocks");
    EXPECT_EQ(cut_to_row("blocks", 1), "");
    EXPECT_EQ(cut_to_row("blocks", 6), "block");
    EXPECT_EQ(cut_to_row("blocks", 7), "blocks");
    EXPECT_EQ(cut_to_row("\u00b5s\u2026", 3), "\u00b5s");
    EXPECT_EQ(cut_to_row("\u00b5s\u2026", 4), "\u00b5s\u2026");
    EXPECT_EQ(cut_to_row("", 3), "");
}

// Before, what did not fit went on in the next row, and was never rewritten.
TEST(RewrittenLine, stays_in_its_row_of_a_terminal) {
    const TerminalAt terminal(STDERR_FILENO, 10);
    RewrittenLine line;
    ASSERT_TRUE(line.is_terminal());
    line.show("block 12345678");
    EXPECT_EQ(terminal.text("\033[K"), "\rblock 123\033[K");
    line.clear();
    EXPECT_EQ(terminal.text("\033[K"), "\r\033[K");
}

// Before, a row of a help went on at the first column of the next one, in the middle of a word.
TEST(FoldedHelp, goes_on_below_what_is_said) {
    const std::string help =
        "Exit codes: 0 success; 1 a block is wrong; 2 bad usage\n\n"
        "  --dev     A chain for tests, gone at its end\n"
        "  --chain TEXT:{mainnet,sepolia}\n"
        "            Use the configuration of this one\n"
        "  heddle node --datadir data --genesis genesis.json\n";
    EXPECT_EQ(folded_help(help, 0), help);
    EXPECT_EQ(folded_help(help, 80), help);
    EXPECT_EQ(folded_help(help, 34),
              "Exit codes: 0 success; 1 a block\nis wrong; 2 bad usage\n\n"
              "  --dev     A chain for tests,\n            gone at its end\n"
              "  --chain TEXT:{mainnet,sepolia}\n"
              "            Use the configuration\n            of this one\n"
              "  heddle node --datadir data --genesis genesis.json\n");
}

TEST(FoldedHelp, keeps_words_and_rows_without_room_whole) {
    EXPECT_EQ(folded_help("serial,auto,values,dag,early,late b c", 20),
              "serial,auto,values,dag,early,late\nb c");
    EXPECT_EQ(folded_help("  --dev     A chain for tests", 20), "  --dev     A chain for tests");
}

TEST(FoldedHelp, knows_the_columns_of_a_terminal) {
    std::fflush(stdout);
    const TerminalAt terminal(STDOUT_FILENO, 72);
    EXPECT_EQ(output_columns(), 72u);
}

TEST(MayColour, where_there_is_a_terminal_and_nobody_minds) {
    std::fflush(stdout);
    const TerminalAt terminal(STDOUT_FILENO, 80);
    ASSERT_EQ(::unsetenv("NO_COLOR"), 0);
    EXPECT_TRUE(may_colour());
    ASSERT_EQ(::setenv("NO_COLOR", "", 1), 0);
    EXPECT_TRUE(may_colour());
    ASSERT_EQ(::setenv("NO_COLOR", "1", 1), 0);
    EXPECT_FALSE(may_colour());
    ASSERT_EQ(::unsetenv("NO_COLOR"), 0);
}

}  // namespace
}  // namespace heddle::node
