// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the random tests of this folder begin.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>

namespace heddle::consensus_adapter::follow {

/// HEDDLE_TEST_SEED, or any; printed, so that a failure can be seen again.
inline std::uint64_t test_seed() {
    const char* const given = std::getenv("HEDDLE_TEST_SEED");
    const std::uint64_t seed =
        given != nullptr ? std::strtoull(given, nullptr, 0) : std::random_device{}();
    std::cout << "HEDDLE_TEST_SEED=" << seed << '\n';
    return seed;
}

}  // namespace heddle::consensus_adapter::follow
