// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What era1 and ere files hold of a block, and its parts put together and compared.
#pragma once

#include <expected>

#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/rlp.hpp>
#include <types/uint256.hpp>

#include <consensus_adapter/archive.hpp>

#include "accumulator.hpp"
#include "era_entries.hpp"
#include "gas_plausibility.hpp"
#include "history_file.hpp"

namespace heddle::consensus_adapter {

/// Header and body as they come, and the block that they are.
/// Thread safety: none. Buffers are reused from block to block.
class EraBlock {
public:
    /// The block whose header and body come next, each of its own reader, which may be the same.
    /// @param number  That it must have; nullopt: any.
    /// Errors: those of EntryReader; malformed_block, too_many_transactions, wrong_number.
    [[nodiscard]] std::expected<StoredBlock, SourceError> read(EntryReader& headers,
                                                               EntryReader& bodies,
                                                               const GasPlausibility& plausibility,
                                                               std::size_t max_bytes,
                                                               std::optional<std::uint64_t> number);
    /// KEC of the header that was read last.
    [[nodiscard]] Hash hash() const { return keccak256(header_); }

private:
    [[nodiscard]] std::expected<StoredBlock, SourceError> decode(
        const EntryReader& bodies, const GasPlausibility& plausibility);

    Bytes header_;
    Bytes body_;
    Bytes block_;
};

/// Total difficulties of a file's blocks, one after the other, and the accumulator over them.
class EraDifficulties {
public:
    /// Reads the next block's.
    /// Errors: those of EntryReader; total_difficulty_mismatch.
    [[nodiscard]] std::expected<void, SourceError> read(EntryReader& entries,
                                                        const BlockHeader& header);
    /// The accumulator is over the block read last, too. Of kMaxEraBlocks blocks at most.
    void count(const Hash& block_hash) { accumulator_.add(block_hash, total_); }
    /// Reads the file's accumulator.
    /// Errors: those of EntryReader; accumulator_mismatch.
    [[nodiscard]] std::expected<void, SourceError> read_accumulator(EntryReader& entries) const;

private:
    bool is_first_ = true;
    Uint256 total_;
    Accumulator accumulator_;
};

/// Root of receipts stored as a list in the form of the wire, as era1 files have them.
[[nodiscard]] rlp::Result<Hash> receipts_root(BytesView encoded);
/// Root of receipts stored as a list of [type, state or status, cumulative gas, logs], as ere files
/// have them: blooms follow from the logs.
[[nodiscard]] rlp::Result<Hash> slim_receipts_root(BytesView encoded);
/// Compares what one of the two has found with the header.
/// Errors: malformed_entry, receipts_mismatch.
[[nodiscard]] std::expected<void, SourceError> check_receipts(const rlp::Result<Hash>& root,
                                                              const BlockHeader& header,
                                                              const EntryReader& entries);

}  // namespace heddle::consensus_adapter
