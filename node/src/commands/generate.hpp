// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// `heddle generate`: valid chains from a seed, for benchmarks and tests. What is in the blocks
// comes from node/workload; making them valid is chain_maker.hpp's business.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include <types/hash.hpp>
#include <workload/options.hpp>

namespace heddle::node {

struct GenerateOptions {
    workload::Options workload;
    std::uint64_t blocks = 20;
    /// Transactions per block; used when gas_per_block is zero.
    std::uint32_t txs = 200;
    /// Blocks take transactions until they have used this much gas.
    std::uint64_t gas_per_block = 0;
    std::string out;         // folder for genesis.json and chain.rlp
    bool overwrite = false;  // whether the folder may hold something
    /// Of contracts that nobody calls; for generate_state().
    std::uint64_t idle_slots = 0;
};

struct GenerateSummary {
    std::uint64_t blocks = 0;
    std::uint64_t transactions = 0;
    std::uint64_t reverted = 0;  // included, but with status 0
    std::uint64_t gas_used = 0;
    std::uint64_t chain_bytes = 0;
    Hash head_hash;
    Hash state_root;
};

using GenerateProgress = std::function<void(const GenerateSummary&)>;

/// Writes `out/genesis.json` and `out/chain.rlp` (RLP blocks from number 1 on, one after another).
/// The same options give the same bytes everywhere. Memory: the world state and one block.
/// @param progress  Called after each block; may be empty.
/// Errors: InputError.
GenerateSummary generate_chain(const GenerateOptions& options, const GenerateProgress& progress);

/// Writes the state before the first block as a snapshot into `out`, which must not exist. Without
/// idle slots it is that of generate_chain() with the same options. Memory: within 1 GiB beside the
/// senders and contracts; on the disk, meanwhile, a data directory as well.
/// @return hash and state root of block 0.
/// Errors: InputError, StorageError.
GenerateSummary generate_state(const GenerateOptions& options);

/// Of every block. Blocks fill at most half of it, so that the base fee never rises (EIP-1559).
[[nodiscard]] std::uint64_t block_gas_limit(const GenerateOptions& options);

}  // namespace heddle::node
