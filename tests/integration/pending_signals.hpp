// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Which signals a process has been sent and not been told of yet.
#pragma once

#include <string>
#include <string_view>

#include <sys/types.h>

#include "program.hpp"

namespace heddle::test {

/// Whether a signal that was sent to the process does not wait to be delivered any more.
inline bool is_delivered(pid_t process, int signal) {
    constexpr std::string_view kBefore = "\nShdPnd:";
    const std::string status = read_text("/proc/" + std::to_string(process) + "/status");
    const auto found = status.find(kBefore);
    if (found == std::string::npos) return true;
    const auto pending = std::stoull(status.substr(found + kBefore.size()), nullptr, 16);
    return (pending >> (signal - 1) & 1) == 0;
}

}  // namespace heddle::test
