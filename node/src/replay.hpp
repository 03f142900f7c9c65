// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The replay command: executes chain history and verifies everything that headers claim.
#pragma once

#include <string>

#include "chain_input.hpp"
#include "error.hpp"
#include "executor_flags.hpp"

namespace heddle::node {

struct ReplayOptions {
    /// With `witness`, the files are blocks that carry their pre-state, and folders of them.
    ChainInput input;
    ExecutorFlags executor;
    std::string record_sets;  // sidecar to write; empty: none
    bool plain_interpreter = false;
    bool witness = false;
    unsigned repeat = 1;           // witness only
    bool recover_senders = false;  // witness only
};

/// Replays chain files from genesis.
[[nodiscard]] ExitCode replay_chain(const ReplayOptions& options);
/// Executes blocks that carry their own pre-state (witness.cpp).
[[nodiscard]] ExitCode replay_witness(const ReplayOptions& options);

}  // namespace heddle::node
