// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// State tests from seeds: programs of every instruction, one transaction in a few variants, every
// fork. What must come of each case is what the fast interpreter makes of it; others judge that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <types/fork.hpp>

namespace heddle::test {

struct StateTest {
    /// Members of a fixture file, without the braces around them.
    std::string json;
    std::size_t cases = 0;
    std::size_t rejected = 0;  // cases whose transaction is not valid
    /// In what the two interpreters differ, and where; empty: in nothing.
    std::string difference;
};

/// @param only  The fork that it has cases of; nullptr: all that state tests know.
/// Thread safety: pure.
[[nodiscard]] StateTest make_state_test(std::uint64_t seed, const Fork* only = nullptr);

}  // namespace heddle::test
