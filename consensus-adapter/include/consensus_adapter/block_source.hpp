// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Where order comes from that is decided already. The contract asked of every source: final blocks
// in one total order, each delivered once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include <consensus_adapter/ordered_block.hpp>

namespace heddle::consensus_adapter {

/// Of a file as such.
enum class FileFault : std::uint8_t {
    cannot_open,   // missing, not readable, or not a regular file
    read_failed,   // the system's answer to a read
    write_failed,  // the system's answer to a write
    truncated,     // the file ends inside an item
    too_large,     // an item beyond the limit
};
[[nodiscard]] std::string_view to_string(FileFault fault) noexcept;

/// Of what a file of blocks holds.
enum class ContentFault : std::uint8_t {
    unknown_format,         // neither an RLP chain file nor era1 nor ere
    malformed_block,        // bytes that do not decode
    too_many_transactions,  // more than the block's gas limit can pay for
    wrong_access_list,      // of another block, damaged or missing
};
[[nodiscard]] std::string_view to_string(ContentFault fault) noexcept;

/// Of an era1 or ere file's own promises.
enum class EraFault : std::uint8_t {
    malformed_entry,  // an entry that is unknown, out of place or of a wrong size
    bad_compression,  // a snappy frame that does not decode
    bad_checksum,     // a snappy frame whose CRC-32C differs
    wrong_number,     // block numbers of the file do not count up by one
    total_difficulty_mismatch,
    accumulator_mismatch,  // the accumulator is not that of the file's headers
    receipts_mismatch,     // stored receipts do not have the header's receipts root
};
[[nodiscard]] std::string_view to_string(EraFault fault) noexcept;

/// Of a sidecar of object sets.
enum class SidecarFault : std::uint8_t {
    not_a_sidecar,    // the file is none
    unknown_version,  // of another version
    malformed_sets,   // a record that is damaged or does not fit its block
};
[[nodiscard]] std::string_view to_string(SidecarFault fault) noexcept;

/// Of the recorded log of a lane.
enum class LaneLogFault : std::uint8_t {
    not_a_lane_log,   // the file is none
    unknown_version,  // of another version
    malformed_block,  // a record that is damaged, or no block of a lane
    wrong_place,      // a block of another lane or height, or a log of another set of lanes
};
[[nodiscard]] std::string_view to_string(LaneLogFault fault) noexcept;

/// Of a stream of blocks and the chain that it is for.
enum class StreamFault : std::uint8_t {
    wrong_genesis,   // block 0 is not the chain's
    wrong_chain,     // a block that is there already is another one
    gap,             // a file begins later than with the block after the chain's last
    read_elsewhere,  // blocks do not come from files: `reason` says what failed
};
[[nodiscard]] std::string_view to_string(StreamFault fault) noexcept;

/// What failed: a fault of one topic.
class SourceErrorCode {
public:
    using Fault =
        std::variant<FileFault, ContentFault, EraFault, SidecarFault, LaneLogFault, StreamFault>;

    template <typename T>
        requires std::is_constructible_v<Fault, T>
    constexpr SourceErrorCode(T fault) noexcept  // NOLINT(google-explicit-constructor): it is one
        : fault_(fault) {}

    template <typename T>
    [[nodiscard]] constexpr bool is_of() const noexcept {
        return std::holds_alternative<T>(fault_);
    }
    friend bool operator==(const SourceErrorCode&, const SourceErrorCode&) = default;
    friend std::string_view to_string(const SourceErrorCode& code) noexcept;

private:
    Fault fault_;
};
[[nodiscard]] std::string_view to_string(const SourceErrorCode& code) noexcept;

/// Why a source cannot go on.
struct SourceError {
    SourceErrorCode code = FileFault::read_failed;
    std::string file;
    std::uint64_t offset = 0;             // in bytes, of the item at fault
    std::optional<std::uint64_t> number;  // of the block, where it is known
    std::string reason;                   // what was found; may be empty
};
/// One sentence: file, offset, block, reason.
[[nodiscard]] std::string to_string(const SourceError& error);

struct SourceProgress {
    std::uint64_t bytes_done = 0;   // behind the block that next() gave last
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
