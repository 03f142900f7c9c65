// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The replay command: executes chain history and verifies everything that headers claim.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "commands/replay_run.hpp"
#include "inputs/chain_input.hpp"
#include "inputs/executor_flags.hpp"
#include "inputs/ledger_flags.hpp"
#include "program/error.hpp"

namespace heddle::node {

struct ReplayOptions {
    /// With `witness`, the files are blocks that carry their pre-state, and folders of them.
    ChainInput input;
    ExecutorFlags executor;
    LedgerFlags ledger;
    std::string record_sets;   // sidecar to write; empty: none
    std::string access_lists;  // file to take them from; empty: none
    std::uint64_t from = 0;    // stored blocks only; 0: as early as possible
    std::uint64_t to = std::numeric_limits<std::uint64_t>::max();
    bool no_sets = false;         // data directory only
    bool store_lists = false;     // data directory and files only
    bool report_durable = false;  // data directory only
    bool plain_interpreter = false;
    bool witness = false;
    bool lanes = false;            // the files are logs of lanes
    unsigned repeat = 1;           // witness only
    bool recover_senders = false;  // witness only
};

/// Errors: InputError for an option that would not be heeded (replay_options.cpp).
void check_replay_options(const ReplayOptions& options);

/// Replays chain files from genesis, or from where the data directory stands; without files, the
/// blocks that are stored there.
[[nodiscard]] ExitCode replay_chain(const ReplayOptions& options);
/// Executes stored blocks again and compares what they change with what is stored
/// (replay_stored.cpp).
[[nodiscard]] ExitCode replay_stored(const ReplayOptions& options);
/// Executes blocks that carry their own pre-state (witness.cpp).
[[nodiscard]] ExitCode replay_witness(const ReplayOptions& options);

}  // namespace heddle::node
