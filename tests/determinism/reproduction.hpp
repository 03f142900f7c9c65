// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// One comparison of two runs, and making a chain that shows a difference smaller.
#pragma once

#include <string>

#include "harness.hpp"

namespace heddle::test {

/// Runs the chain of `plan` serially and as `run` says. Empty: no difference.
[[nodiscard]] std::string compare_with_serial(const AdversarialPlan& plan, const RunPlan& run);

/// The smallest chain found that still shows some difference, in words: its plan, the kinds of
/// transactions in it, the difference. Tries each smaller chain several times, for threads may be
/// lucky.
[[nodiscard]] std::string smallest_reproduction(AdversarialPlan plan, const RunPlan& run);

}  // namespace heddle::test
