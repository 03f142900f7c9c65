// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What was going on when the program died: a failed assertion, a signal, or an end from outside
// because nothing moved.
#pragma once

#include <string_view>

namespace heddle::test {

/// As long as it lives, its text is written to standard error should the process die. One at a
/// time.
class CrashNote {
public:
    explicit CrashNote(std::string_view text);
    ~CrashNote();
    CrashNote(const CrashNote&) = delete;
    CrashNote& operator=(const CrashNote&) = delete;
};

}  // namespace heddle::test
