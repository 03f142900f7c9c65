// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/assert.hpp>

#include <cstdio>
#include <cstdlib>

namespace heddle {

void fatal(const char* message, const char* file, int line) noexcept {
    // stdio, not fmt: nothing here may allocate or throw.
    std::fprintf(stderr, "heddle: fatal: %s (%s:%d)\n", message, file, line);
    std::fflush(stderr);
    std::abort();
}

}  // namespace heddle
