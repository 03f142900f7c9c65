// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The state transition tool: takes a state, an environment and transactions, and gives the state
// after them with everything a block's header would say. Interface and files as geth's `evm t8n`,
// so that what drives that tool drives this one.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <ledger/memory_state.hpp>
#include <types/block.hpp>
#include <types/chain_config.hpp>
#include <types/transaction.hpp>
#include <vm/block_execution.hpp>

#include "program/error.hpp"
#include "tracing/json_tracer.hpp"

namespace heddle::node {

/// How geth's `evm t8n` ends, by what is wrong: what drives that tool looks at the exit code.
enum class T8nFailure : std::uint8_t {
    execution = 2,           // the block cannot be executed to its end
    configuration = 3,       // a fork that does not exist, or an environment without what it needs
    missing_block_hash = 4,  // asked for, and not in the environment
    json = 10,               // input that cannot be understood
    files = 11,              // what cannot be read or written
};

class T8nError : public InputError {
public:
    T8nError(T8nFailure failure, const std::string& text) : InputError(text), failure_(failure) {}
    [[nodiscard]] ExitCode exit_code() const noexcept { return static_cast<ExitCode>(failure_); }

private:
    T8nFailure failure_;
};

/// Does `action`; bad input that it finds counts as `failure`, unless it says itself as what.
template <typename Action>
decltype(auto) failing_as(T8nFailure failure, Action&& action) {
    try {
        return std::forward<Action>(action)();
    } catch (const T8nError&) {
        throw;
    } catch (const InputError& error) {
        throw T8nError(failure, error.what());
    }
}

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
    // In place of `trace`: a tracer of debug_traceTransaction, and its options as JSON; or empty.
    std::string tracer_name;
    std::string tracer_config;
    /// A file name below output_dir, or empty: instructions are not counted.
    std::string opcode_count;
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
    /// Whether the environment has block hashes at all, none perhaps.
    bool has_block_hashes = false;
    std::vector<vm::OmmerReward> ommers;
    std::vector<Withdrawal> withdrawals;
    std::vector<T8nTransaction> transactions;
    std::optional<Uint256> reward;  // wei; nullopt: none at all
    /// Whether who gets no reward comes to its end all the same where it is empty (EIP-161).
    bool touches_beneficiary = false;
    // Said again in the result, also before the forks that have them.
    std::optional<Uint256> base_fee;
    std::optional<Hash> withdrawals_root;
};

/// Reads and completes the input (t8n_input.cpp).
/// Errors: T8nError, InputError for an option's value.
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
    std::array<std::uint64_t, 256> opcode_counts{};  // of system calls as well
};

/// Writes allocation, result and body where the options say (t8n_output.cpp).
/// Errors: T8nError when a file cannot be written.
void write_t8n_output(const T8nOptions& options, const T8nInput& input, const T8nResult& result);

}  // namespace heddle::node
