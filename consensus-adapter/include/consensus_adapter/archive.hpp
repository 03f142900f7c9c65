// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// History from files: RLP chain files (blocks one after another, as `geth export` writes them),
// era1 and ere files, told apart by content. Blocks are decoded here, not judged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <types/hash.hpp>

#include <consensus_adapter/block_source.hpp>

namespace heddle::consensus_adapter {

struct ArchiveOptions {
    /// Blocks below this number are decoded and dropped: genesis, or what the ledger already has.
    std::uint64_t first_number = 1;
    /// Hash that block 0 must have where a file contains it; nullopt: not compared.
    std::optional<Hash> genesis_hash;
    /// The last block of the chain that the files go on from: none of them may begin behind a gap.
    /// nullopt: not looked at.
    std::optional<std::uint64_t> head;
    /// Its gas limit, which says how much the next block's can be; nullopt: not known.
    std::optional<std::uint64_t> head_gas_limit;
    /// Largest block, compressed or not.
    std::size_t max_block_bytes = std::size_t{64} << 20;
    /// Largest list of receipts of one block, compressed or not (era1, ere).
    std::size_t max_receipts_bytes = std::size_t{256} << 20;
    /// era1, ere: whether the stored receipts are compared with the header's receipts root.
    bool verify_receipts = true;
};

/// Reads the files in the order given. Memory: one block, bounded by the options, whatever the size
/// of the files; its transactions, which take many times their bytes, are decoded only where the
/// gas limits of the headers up to it allow so many. Of a large block whose number or gas limit is
/// not that of the next one the header comes alone, for which whoever executes it rejects it:
/// BlockStart::transaction_count says how many transactions it has. era1 and ere: numbers, total
/// difficulties, receipts and the accumulator are verified, proofs are not.
/// Errors: a file that cannot be opened, is of no such format, or an ere file without its index,
///         before any block is read. What is wrong further inside is found when next() gets there.
[[nodiscard]] std::expected<std::unique_ptr<BlockSource>, SourceError> make_archive_source(
    std::vector<std::string> paths, ArchiveOptions options = {});

}  // namespace heddle::consensus_adapter
