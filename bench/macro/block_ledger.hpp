// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The ledger on the disk that blocks are built on and finalized on, as a validator's: each block is
// forced to the disk.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <utility>

#include <ledger/durable_ledger.hpp>
#include <types/genesis.hpp>

#include "inputs/ledger_flags.hpp"

namespace heddle::bench {

[[nodiscard]] inline ledger::SyncPolicy sync_each_block() {
    ledger::SyncPolicy policy;
    policy.blocks = 1;
    return policy;
}

/// In an empty folder. Errors: those of create_ledger().
[[nodiscard]] inline std::unique_ptr<ledger::DurableLedger> make_block_ledger(
    const std::filesystem::path& folder, const Genesis& genesis) {
    ledger::DurableLedgerOptions options;
    options.directory = folder.string();
    options.sync = sync_each_block();
    options.memory_bytes = std::size_t{256} << 20;
    return node::create_ledger(std::move(options), genesis);
}

}  // namespace heddle::bench
