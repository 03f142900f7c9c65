// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The load as a whole: set-up from an account with funds, the measured part, the checks, and what
// is said of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "load/check.hpp"
#include "load/plan.hpp"
#include "load/statistics.hpp"
#include "load/submission.hpp"

namespace heddle::node::load {

struct LoadOptions {
    /// Where nodes of one chain answer; the first one is asked about it.
    std::vector<std::string> rpc = {"http://127.0.0.1:8545"};
    std::string kind = "transfers";
    std::uint64_t transactions = 20'000;
    double seconds = 0;  // 0: until all are sent
    std::uint32_t accounts = 1'000;
    std::size_t connections = 8;
    std::size_t batch = 50;
    std::size_t in_flight = 4'096;
    double rate = 0;  // per second; 0: as fast as answers come
    std::uint64_t seed = 1;
    std::string key;       // of an account with funds; empty: known ones of development chains
    std::string requests;  // file with requests to repeat instead
    bool as_json = false;
};

struct LoadReport {
    std::string client;  // what the node calls itself
    std::string kind;
    SubmissionResult submission;
    CheckResult check;
    double seconds = 0;      // first submission to last block
    double cpu_seconds = 0;  // of the load generator meanwhile
    Percentiles latency;     // submission to block, milliseconds
    Percentiles distance;    // between blocks, milliseconds
    std::uint64_t gas_used = 0;
    std::uint64_t blocks = 0;  // that hold transactions of the load
    [[nodiscard]] bool is_right() const noexcept {
        return check.problem_count == 0 && submission.rejected == 0;
    }
};

/// Sends transactions as `options` say, and checks what became of them.
/// Progress goes to standard error.
/// Errors: InputError: no connection, no funds, or the node fails a call that the set-up needs.
[[nodiscard]] LoadReport run_load(const LoadOptions& options);

/// For people, or for programs.
[[nodiscard]] std::string describe(const LoadReport& report, bool as_json);

}  // namespace heddle::node::load
