// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Where a random test begins.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <random>

namespace heddle::test {

/// HEDDLE_TEST_SEED; otherwise `usual`, or any. Printed before it is used, so that also what ends
/// the process can be seen again.
inline std::uint64_t announced_seed(std::optional<std::uint64_t> usual = std::nullopt) {
    const char* const given = std::getenv("HEDDLE_TEST_SEED");
    const std::uint64_t other = usual.has_value() ? *usual : std::random_device{}();
    const std::uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 0) : other;
    std::cout << "HEDDLE_TEST_SEED=" << seed << '\n' << std::flush;
    return seed;
}

}  // namespace heddle::test
