// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What must hold of a data directory after any fault: it opens by itself at a block that is right
// and not older than promised, and goes on from there to the right end.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "faulted_ledger.hpp"

namespace heddle::test {

/// What is under test: a chain, and how it is replayed.
struct Scenario {
    const TestChain* chain = nullptr;
    std::vector<std::string> options;  // of `replay`
    bool is_made = false;              // by `init`, before the first fault

    [[nodiscard]] static Scenario choose(Dice& dice);
    /// A directory as the first fault finds it.
    [[nodiscard]] FaultedLedger prepare() const;
    /// How often each operation occurs in an undisturbed replay; measured once.
    [[nodiscard]] const OperationCounts& counts() const;
};

/// Verifies, goes on to the end of the chain, verifies again. Fails the running test where
/// something is wrong, or where the ledger stands before block `promised`.
void check_recovery(FaultedLedger& ledger, std::uint64_t promised);

/// Runs `one_case(seed)` for HEDDLE_TEST_SEED and those after it, `variable` many times or
/// `otherwise` where the environment does not say. It returns its history, which is printed with
/// the seed where it failed. Stops after three failed cases.
void for_each_seed(const char* variable, std::uint64_t otherwise,
                   const std::function<std::string(std::uint64_t seed)>& one_case);

}  // namespace heddle::test
