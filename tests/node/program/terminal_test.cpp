// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "program/terminal.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace heddle::node {
namespace {

/// A terminal in the place of one of this process's standard streams.
class TerminalAt {
public:
    TerminalAt(int stream, unsigned short columns)
        : stream_(stream), kept_(::dup(stream)), master_(::posix_openpt(O_RDWR | O_NOCTTY)) {
        EXPECT_EQ(::grantpt(master_), 0);
        EXPECT_EQ(::unlockpt(master_), 0);
        const int slave = ::open(::ptsname(master_), O_RDWR | O_NOCTTY);
        const winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
        EXPECT_EQ(::ioctl(slave, TIOCSWINSZ, &size), 0);
        EXPECT_EQ(::dup2(slave, stream_), stream_);
        ::close(slave);
    }
    ~TerminalAt() {
        ::dup2(kept_, stream_);
        ::close(kept_);
        ::close(master_);
    }
    TerminalAt(const TerminalAt&) = delete;
    TerminalAt& operator=(const TerminalAt&) = delete;

    /// What it has been sent since the last call; there has to be something.
    [[nodiscard]] std::string text() const {
        char bytes[256];
        const ssize_t size = ::read(master_, bytes, sizeof(bytes));
        return {bytes, size > 0 ? static_cast<std::size_t>(size) : 0};
    }

private:
    const int stream_;
    const int kept_;
    const int master_;
};

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
    EXPECT_EQ(terminal.text(), "\rblock 123\033[K");
    line.clear();
    EXPECT_EQ(terminal.text(), "\r\033[K");
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
