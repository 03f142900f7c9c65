// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a report says of all its subjects together: a table, and where they are one workload with
// one setting varied, curves over that setting, as the papers have them.
#pragma once

#include <string>

#include "benchmark/result.hpp"

namespace heddle::node::benchmark {

/// HTML; empty for a single subject.
[[nodiscard]] std::string overview(const BenchReport& report);

}  // namespace heddle::node::benchmark
