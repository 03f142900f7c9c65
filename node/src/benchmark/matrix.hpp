// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs contenders on subjects in turn: A B C, then C B A, and so on, so that a machine whose speed
// drifts favours none of them.
#pragma once

#include <functional>
#include <string_view>

#include "benchmark/plan.hpp"
#include "benchmark/result.hpp"
#include "benchmark/subject.hpp"

namespace heddle::node::benchmark {

struct MatrixSettings {
    std::uint64_t repetitions = 25;
    std::uint64_t seed = 1;  // of arrivals
    bool is_cold = false;    // every run by a fresh executor
    bool is_pinned = true;
    bool has_model = true;
};

/// @param what           Is being run now.
/// @param fraction_done  From 0 to 1.
using MatrixProgress = std::function<void(std::string_view what, double fraction_done)>;

/// All contenders, the first of them twice, on one subject: a closed loop, then each load.
/// @param progress  Called before each run; may be empty.
/// Errors: InputError.
[[nodiscard]] SubjectResult run_matrix(const Subject& subject, const Plan& plan,
                                       const MatrixSettings& settings,
                                       const MatrixProgress& progress);

}  // namespace heddle::node::benchmark
