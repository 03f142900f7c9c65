// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What blocks would gain from cores that nobody need have: the costs of their transactions measured
// on one, what orders them from what they access, and list scheduling. What comes out is modelled.
#pragma once

#include "benchmark/result.hpp"
#include "benchmark/subject.hpp"

namespace heddle::node::benchmark {

/// Runs the subject four times on the calling thread, the first time to warm up. A transaction's
/// cost is the median of its validations and executions, without applying what it changed. Blocks
/// have a barrier between them.
/// Errors: InputError for a wrong block.
[[nodiscard]] Model model_subject(const Subject& subject);

}  // namespace heddle::node::benchmark
