// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Benchmark reports as files: JSON to be read again, CSV for spreadsheets.
#pragma once

#include <string>

#include "benchmark/result.hpp"
#include "formats/json.hpp"

namespace heddle::node::benchmark {

/// Ends with a line break.
[[nodiscard]] std::string to_json(const BenchReport& report);
/// @param json  What to_json() has written; other programs may have added members.
/// Errors: InputError with the file and the place of what is missing or wrong.
[[nodiscard]] BenchReport report_from_json(const JsonView& json);

/// A row a cell: what was run, how, medians, percentiles.
[[nodiscard]] std::string to_csv(const BenchReport& report);

}  // namespace heddle::node::benchmark
