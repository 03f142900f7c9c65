// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The chain that a command is given: its genesis, and its blocks from files.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <consensus_adapter/block_source.hpp>
#include <consensus_adapter/prefetching_source.hpp>
#include <consensus_adapter/resumed_source.hpp>
#include <consensus_adapter/sidecar.hpp>
#include <types/chain_config.hpp>
#include <types/genesis.hpp>
#include <types/hash.hpp>

namespace heddle::node {

class Command;

/// A chain that is known by name.
struct KnownChain {
    const char* name;
    const ChainConfig& (*config)();
    Hash genesis_hash;
};
/// nullptr for an unknown name.
[[nodiscard]] const KnownChain* find_chain(const std::string& name) noexcept;

struct ChainInput {
    std::string genesis;             // file
    std::string chain;               // "mainnet", "sepolia" or empty
    std::vector<std::string> files;  // chain files
    std::string sets;                // sidecar; empty: none
    friend bool operator==(const ChainInput&, const ChainInput&) = default;
};
/// Adds --genesis and --chain.
void add_chain_options(Command command, ChainInput& input);

/// @param command  In the text of errors.
/// Errors: InputError where no genesis file is given.
void require_genesis(const ChainInput& input, std::string_view command);
/// Holds the whole allocation: for ledgers in memory. create_chain_ledger() is for others.
/// Errors: as require_genesis(); InputError for a file that is malformed.
[[nodiscard]] Genesis load_chain_genesis(const ChainInput& input, std::string_view command);
/// Computes the state root, which takes time with a large allocation.
[[nodiscard]] Hash compute_genesis_hash(const Genesis& genesis);
/// Errors: InputError where the allocation is not that of the chain asked for.
void check_genesis_hash(const ChainInput& input, const Hash& hash);

/// The blocks above those that `resume` says are there, with the sets that are declared for them,
/// read ahead.
/// @param ahead_bytes  What is read ahead takes at most in memory; one block may be more.
/// Errors: InputError.
[[nodiscard]] std::unique_ptr<consensus_adapter::BlockSource> open_chain(
    const ChainInput& input, const Hash& genesis_hash,
    std::shared_ptr<consensus_adapter::DeclaredCounts> counts = nullptr,
    consensus_adapter::ResumeOptions resume = {},
    std::size_t ahead_bytes = consensus_adapter::PrefetchOptions{}.max_bytes);

/// Looks at the files before anything is made for them: each opens and is of a kind that
/// open_chain() reads, and so is the sidecar.
/// Errors: InputError.
void check_chain_files(const ChainInput& input);

/// What is wrong and, where a sidecar is, what to do.
[[nodiscard]] std::string describe(const consensus_adapter::SourceError& error);

}  // namespace heddle::node
