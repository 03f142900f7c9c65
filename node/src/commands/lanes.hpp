// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Recorded logs of lanes into one chain, for the commands that do so.
#pragma once

#include <cstdint>
#include <string>

#include <executor/schedulers.hpp>

#include "inputs/chain_input.hpp"
#include "inputs/ledger_flags.hpp"
#include "program/error.hpp"

namespace heddle::node {

struct LanesMergeOptions {
    std::string command = "lanes merge";  // in errors
    std::string work_option = "--work";   // by which a folder is named
    ChainInput input;                     // the files are the log of each lane, in any order
    std::string scheduler{executor::kDefaultScheduler};
    std::uint32_t workers = 0;  // 0: as many as there are processors
    std::string mover;          // address; empty: nobody moves what is not its own
    /// `datadir` is made, and there afterwards; empty: in a temporary folder.
    LedgerFlags ledger;
};

/// Merges the logs as far as they go, executes what comes of them, and prints how that went.
/// Errors: InputError for logs that are damaged or not those of one chain, a scheduler or an
/// address that is none, a folder that is there; StorageError.
[[nodiscard]] ExitCode merge_lane_logs(LanesMergeOptions options);

}  // namespace heddle::node
