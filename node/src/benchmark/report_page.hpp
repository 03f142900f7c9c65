// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A benchmark report for readers: a page in one file that opens without a network, and a table for
// a terminal.
#pragma once

#include <string>

#include "benchmark/result.hpp"

namespace heddle::node::benchmark {

/// HTML that is well-formed XML but for its first line; nothing in it points outside.
[[nodiscard]] std::string to_html(const BenchReport& report);

/// Of one subject, for a terminal.
[[nodiscard]] std::string to_table(const SubjectResult& subject);

}  // namespace heddle::node::benchmark
