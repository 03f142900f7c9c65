// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a benchmark executes: blocks on states in memory, with everything that may be known of them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <executor/executor.hpp>
#include <executor/ordered_block.hpp>
#include <ledger/memory_state.hpp>
#include <types/chain_config.hpp>
#include <types/hash.hpp>

#include "benchmark/chains.hpp"
#include "benchmark/native_cache.hpp"
#include "formats/witness_file.hpp"
#include "inputs/chain_input.hpp"

namespace heddle::node::benchmark {

/// A block with its senders, and what a scheduler may be told of it.
struct KnownBlock {
    executor::BlockStart start;  // without its access list
    std::vector<Transaction> transactions;
    std::vector<ObjectSet> object_sets;  // as serial execution records them
    Bytes access_list;                   // RLP; empty before Byzantium
};

/// Blocks that follow each other.
struct Series {
    ChainConfig config;
    ledger::MemoryState state;  // before the first block
    std::map<std::uint64_t, Hash> hashes;
    executor::ChainHead head;  // that the first block follows; empty for blocks with own state
    std::vector<KnownBlock> blocks;
};

struct Subject {
    std::string name;
    std::string digest;  // follows from the blocks
    std::vector<Series> series;
    NativeContracts natives;  // that its blocks need

    [[nodiscard]] std::uint64_t transaction_count() const;
    [[nodiscard]] std::uint64_t gas_used() const;
    [[nodiscard]] std::vector<std::uint64_t> block_numbers() const;
    /// Whether all blocks follow each other, so that they can arrive one by one.
    [[nodiscard]] bool is_stream() const noexcept { return series.size() == 1; }
};

[[nodiscard]] Subject make_subject(Chain chain);

/// Executes the blocks with an executor that has been started, to their end.
/// Errors: InputError for the first wrong block, with the name.
void execute_blocks(const std::string& name, const std::vector<KnownBlock>& blocks,
                    executor::Executor& executor);

/// Fills in what the serial executor records of the blocks.
/// Errors: InputError for a wrong block, with the name.
void record_knowledge(const std::string& name, Series& series);
/// What the blocks of all series have that others do not: a few digits of a hash of their hashes.
[[nodiscard]] std::string digest_of(const std::vector<Series>& series);

/// Which blocks of files and data directories.
struct BlockRange {
    std::uint64_t first = 0;  // 0: the first there is
    std::uint64_t count = 100;
};
/// Files that carry their own pre-state, each a series of one block.
/// Errors: InputError, also for a block that is wrong.
[[nodiscard]] Subject load_witnesses(const std::vector<std::string>& files,
                                     const std::string& chain);
/// Chain files on their genesis; blocks before the range are executed once.
/// Errors: as above.
[[nodiscard]] Subject load_chain(const ChainInput& input, const BlockRange& range);
/// Stored blocks, on the part of the state that they read.
/// Errors: as above, and StorageError.
[[nodiscard]] Subject load_stored(const std::string& datadir, const BlockRange& range);

}  // namespace heddle::node::benchmark
