// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "program/standard_streams.hpp"

#include <csignal>
#include <cstdlib>
#include <initializer_list>

#include <fcntl.h>
#include <unistd.h>

namespace heddle::node {

void hold_standard_streams() noexcept {
    // open() takes the lowest descriptor that is free.
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(stream, F_GETFD) != -1) continue;
        // The other way round: what cannot be read or written is not to look as if it could.
        const int mode = stream == STDIN_FILENO ? O_WRONLY : O_RDONLY;
        if (::open("/dev/null", mode) != stream) std::abort();  // NOLINT: nobody can be told
    }
}

void ignore_closed_pipes() noexcept {
    (void)std::signal(SIGPIPE, SIG_IGN);
}

void heed_closed_pipes() noexcept {
    (void)std::signal(SIGPIPE, SIG_DFL);
}

}  // namespace heddle::node
