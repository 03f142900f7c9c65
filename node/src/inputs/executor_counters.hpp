// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the parallel executor counted, as text.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <executor/stats.hpp>

namespace heddle::node {

struct ExecutorCounter {
    const char* name;
    std::uint64_t executor::ParallelStats::* field;
    bool is_most = false;       // the most there was at a time, of all runs together
    const char* one = nullptr;  // what one of them is called, where that is not `name`
};
/// Every counter there is.
[[nodiscard]] std::span<const ExecutorCounter> executor_counters() noexcept;

/// `scheduler: 200 dispatched, 12 waited, …`: how many were dispatched, and each other counter that
/// is not zero. docs/cli.md explains the words.
[[nodiscard]] std::string to_text(const executor::ParallelStats& counters);

}  // namespace heddle::node
