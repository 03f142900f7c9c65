// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The only way order enters the system. The contract asked of every source: final blocks in one
// total order, each delivered once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <consensus_adapter/ordered_block.hpp>

namespace heddle::consensus_adapter {

enum class SourceErrorCode : std::uint8_t {
    cannot_open,      // missing, not readable, or not a regular file
    read_failed,      // the system's answer to a read
    unknown_format,   // neither an RLP chain file nor era1
    truncated,        // the file ends inside an item
    too_large,        // an item beyond the limit
    malformed_block,  // bytes that do not decode
    malformed_entry,  // an era1 entry that is unknown, out of place or of a wrong size
    bad_compression,  // a snappy frame that does not decode
    bad_checksum,     // a snappy frame whose CRC-32C differs
    wrong_genesis,    // block 0 is not the chain's
    wrong_number,     // block numbers of the file do not count up by one
    total_difficulty_mismatch,
    accumulator_mismatch,  // the era1 accumulator is not that of the file's headers
    receipts_mismatch,     // stored receipts do not have the header's receipts root
    not_a_sidecar,         // a sidecar is expected, and the file is none
    unknown_version,       // a sidecar of another version
    malformed_sets,        // a sidecar's record that is damaged or does not fit its block
    wrong_chain,           // a block that is there already is another one
    read_elsewhere,        // blocks do not come from files: `reason` says what failed
    write_failed,          // the system's answer to a write (of a sidecar)
};
[[nodiscard]] std::string_view to_string(SourceErrorCode code) noexcept;

/// Why a source cannot go on.
struct SourceError {
    SourceErrorCode code = SourceErrorCode::read_failed;
    std::string file;
    std::uint64_t offset = 0;             // in bytes, of the item at fault
    std::optional<std::uint64_t> number;  // of the block, where it is known
    std::string reason;                   // what was found; may be empty
};
/// One sentence: file, offset, block, reason.
[[nodiscard]] std::string to_string(const SourceError& error);

struct SourceProgress {
    std::uint64_t bytes_done = 0;
    std::uint64_t bytes_total = 0;  // 0: unknown
    std::uint64_t recovery_ns = 0;  // processor time for recovering senders, all threads together
};

/// Thread safety: one caller at a time; progress() from any thread.
class BlockSource {
public:
    virtual ~BlockSource() = default;

    /// Waits for the next block. nullopt: no more come; error() tells whether that is the end or a
    /// failure, and every later call gives nullopt too.
    [[nodiscard]] virtual std::optional<OrderedBlock> next() = 0;
    /// Set once next() has stopped because of a failure.
    [[nodiscard]] virtual const std::optional<SourceError>& error() const noexcept = 0;
    [[nodiscard]] virtual SourceProgress progress() const noexcept { return {}; }
};

}  // namespace heddle::consensus_adapter
