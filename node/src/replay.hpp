// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The replay command: executes chain history and verifies everything that headers claim.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <types/chain_config.hpp>
#include <types/genesis.hpp>
#include <types/hash.hpp>

#include "error.hpp"

namespace heddle::node {

struct ReplayOptions {
    std::string genesis;             // file
    std::string chain;               // "mainnet", "sepolia" or empty
    std::vector<std::string> files;  // chain files, or witness blocks and folders of them
    bool plain_interpreter = false;
    bool witness = false;
    unsigned repeat = 1;           // witness only
    bool recover_senders = false;  // witness only
};

/// A chain that is known by name.
struct KnownChain {
    const char* name;
    const ChainConfig& (*config)();
    Hash genesis_hash;
};
/// nullptr for an unknown name.
[[nodiscard]] const KnownChain* find_chain(const std::string& name) noexcept;

/// Replays chain files from genesis.
[[nodiscard]] ExitCode replay_chain(const ReplayOptions& options);
/// Executes blocks that carry their own pre-state (witness.cpp).
[[nodiscard]] ExitCode replay_witness(const ReplayOptions& options);

}  // namespace heddle::node
