// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Two reports of `heddle bench` against each other: what got slower, what faster, and what cannot
// be told from noise.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "benchmark/result.hpp"

namespace heddle::node::benchmark {

enum class Verdict : std::uint8_t { slower, faster, same };

/// One contender on one subject under one load, in both reports.
struct Comparison {
    std::string subject;
    std::string cell;
    double before = 0;     // what is compared: milliseconds, a ratio, microseconds
    double after = 0;      // the same; more is slower
    double change = 0;     // share: after / before - 1
    double threshold = 0;  // share: smaller changes are noise
    Verdict verdict = Verdict::same;
};

struct ComparisonResult {
    std::vector<Comparison> comparisons;
    std::vector<std::string> only_before;  // cells that the other report lacks
    std::vector<std::string> only_after;
    [[nodiscard]] bool has_slower() const noexcept;
};

struct CompareOptions {
    std::string before;  // names of the files, for errors
    std::string after;
    /// Compares times over the first contender's of the same report, which a machine's speed does
    /// not change, in place of times.
    bool is_relative = false;
};

/// A change counts where it is beyond all of: 1 %, what the twins of either report differ by, and
/// three standard errors of the difference of the medians. Under open loops the 99th percentile of
/// transactions' latencies is compared, for which the last says nothing; there a change has to be
/// beyond 10 %.
/// Errors: InputError where subjects of one name are not the same blocks, where nothing is in both,
/// or where times are compared that were not measured on the same kind of machine in the same way.
[[nodiscard]] ComparisonResult compare(const BenchReport& before, const BenchReport& after,
                                       const CompareOptions& options);

/// A table and a sentence.
[[nodiscard]] std::string to_text(const ComparisonResult& result);

}  // namespace heddle::node::benchmark
