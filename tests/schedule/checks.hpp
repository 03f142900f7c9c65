// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the tests of schedules share: the seed of random ones, and what is expected of explorations.
#pragma once

#include <iostream>
#include <string>

#include <gtest/gtest.h>

#include "announced_seed.hpp"
#include "explorer.hpp"

namespace heddle::test {

inline void expect_holds(const Exploration& exploration) {
    EXPECT_FALSE(exploration.failure.has_value()) << exploration;
    if (!exploration.failure.has_value()) std::cout << exploration << '\n';
}

/// @param what  How the failure begins.
inline void expect_found(const Exploration& exploration, const std::string& what) {
    ASSERT_TRUE(exploration.failure.has_value()) << exploration;
    EXPECT_TRUE(exploration.failure->what.starts_with(what)) << exploration;
}

}  // namespace heddle::test
