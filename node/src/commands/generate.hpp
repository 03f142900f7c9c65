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

}  // namespace heddle::node
