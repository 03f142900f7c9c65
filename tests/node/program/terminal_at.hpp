// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a command prints on a terminal.
#pragma once

#include <string>
#include <string_view>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace heddle::node::test {

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

    /// What it has been sent since the last call, as soon as that ends with `end`: the system hands
    /// on in pieces what was written at once. What has come after ten seconds where it never does.
    [[nodiscard]] std::string text(std::string_view end) const {
        std::string all;
        pollfd asked{.fd = master_, .events = POLLIN, .revents = 0};
        while (!all.ends_with(end) && ::poll(&asked, 1, 10'000) == 1) {
            char bytes[256];
            const ssize_t size = ::read(master_, bytes, sizeof(bytes));
            if (size <= 0) break;
            all.append(bytes, static_cast<std::size_t>(size));
        }
        return all;
    }

    /// Whether there is something.
    [[nodiscard]] bool has_text() const {
        pollfd asked{.fd = master_, .events = POLLIN, .revents = 0};
        return ::poll(&asked, 1, 0) == 1;
    }

private:
    const int stream_;
    const int kept_;
    const int master_;
};

}  // namespace heddle::node::test
