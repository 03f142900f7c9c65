// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The state transition tool: takes a state, an environment and transactions, and gives the state
// after them with everything a block's header would say. Interface and files as geth's `evm t8n`,
// so that what drives that tool drives this one.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <ledger/memory_state.hpp>
#include <types/block.hpp>
#include <types/chain_config.hpp>
#include <types/receipt.hpp>
#include <types/transaction.hpp>
#include <vm/block_execution.hpp>

#include "tracing/json_tracer.hpp"

namespace heddle::node {

struct T8nOptions {
    // Each a file name, or "stdin".
    std::string input_alloc = "alloc.json";
    std::string input_env = "env.json";
    std::string input_txs = "txs.json";
    // Each a file name below output_dir, "stdout", "stderr", or empty for nowhere.
    std::string output_dir;
    std::string output_alloc = "alloc.json";
    std::string output_result = "result.json";
    std::string output_body;
    std::string fork = "GrayGlacier";
    std::uint64_t chain_id = 1;
    std::string reward = "0";  // wei; negative: none at all
    bool trace = false;
    JsonTracerOptions tracer;
};

/// One transaction as it came; `error` says why it cannot even be tried.
struct T8nTransaction {
    Transaction tx;
    std::string error;
};

struct T8nInput {
    ChainConfig config;
    ledger::MemoryState state;
    /// Complete but for what execution finds.
    BlockHeader header;
    bool is_merged = false;
    std::map<std::uint64_t, Hash> block_hashes;
    std::vector<vm::OmmerReward> ommers;
    std::vector<Withdrawal> withdrawals;
    std::vector<T8nTransaction> transactions;
    std::optional<Uint256> reward;  // wei; nullopt: none at all
};

/// Reads and completes the input (t8n_input.cpp).
/// Errors: InputError.
[[nodiscard]] T8nInput read_t8n_input(const T8nOptions& options);

struct RejectedTransaction {
    std::size_t index = 0;
    std::string error;
};

struct T8nResult {
    Hash state_root;
    std::vector<Transaction> included;
    std::vector<std::size_t> included_indexes;  // their places in the input
    vm::BlockResult block;
    std::vector<RejectedTransaction> rejected;
    Uint256 blob_base_fee;
};

/// Writes allocation, result and body where the options say (t8n_output.cpp).
/// Errors: InputError when a file cannot be written.
void write_t8n_output(const T8nOptions& options, const T8nInput& input, const T8nResult& result);

}  // namespace heddle::node
