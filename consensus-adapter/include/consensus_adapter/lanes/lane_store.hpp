// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The log of a lane as it grows: a file in the form of lane_log.hpp that blocks are appended to and
// read from by height. What a crash left half written at its end is cut off when it is opened, and
// has to be asked for again. `heddle lanes merge` reads such a file as it is, unless its oldest
// blocks were given up.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>

#include <types/bytes.hpp>
#include <types/hash.hpp>

#include <consensus_adapter/block_source.hpp>
#include <consensus_adapter/lanes/lane.hpp>
#include <consensus_adapter/lanes/lane_log.hpp>

namespace heddle::consensus_adapter::lanes {

/// Of a log that has one block more: KEC(before, KEC(block)). That of no blocks is zero. Lanes give
/// it to CometBFT as their AppHash.
[[nodiscard]] Hash next_digest(const Hash& before, BytesView encoded_block);
/// The same, of a block whose KEC is known.
[[nodiscard]] Hash next_digest(const Hash& before, const Hash& block);

/// Where a log begins that does not begin at height 1.
struct LaneLogStart {
    std::uint64_t height = 0;  // the last one before it
    Hash digest;               // of the log up to there
};

/// Memory: 8 bytes a block. Thread safety: any; one caller appends and gives up.
class LaneStore {
public:
    enum class Keeping : bool {
        written,  // survives the end of this process
        durable,  // and the loss of power
    };

    /// Makes the file where there is none. @param start  Of one that is made.
    /// Errors: cannot_open, also where another process has it; read_failed, write_failed;
    /// not_a_lane_log, unknown_version; malformed_block where its beginning is damaged; wrong_place
    /// where it is another lane's or another chain's.
    [[nodiscard]] static std::expected<std::unique_ptr<LaneStore>, SourceError> open(
        const std::string& path, LaneLogHead head, const LaneLogStart& start = {});
    ~LaneStore();
    LaneStore(const LaneStore&) = delete;
    LaneStore& operator=(const LaneStore&) = delete;
    LaneStore(LaneStore&&) = delete;
    LaneStore& operator=(LaneStore&&) = delete;

    /// The last height that there is; 0: none.
    [[nodiscard]] std::uint64_t height() const;
    /// The last height that is not kept any more; 0: all are.
    [[nodiscard]] std::uint64_t given_up() const;
    /// Of all blocks up to height().
    [[nodiscard]] Hash digest() const;
    /// What the blocks above this height take in the file, as far as they are kept; none: 0.
    [[nodiscard]] std::uint64_t bytes_after(std::uint64_t height) const;
    /// What was cut off when it was opened.
    [[nodiscard]] std::uint64_t dropped_bytes() const noexcept;

    /// Appends the block of the next height, as encode_lane_block() gives it.
    /// Errors: write_failed, too_large; nothing has changed, and it may be tried again.
    [[nodiscard]] std::expected<void, SourceError> append(BytesView encoded_block, Keeping keeping);
    /// Blocks up to this height, which is at most height(), are not kept any more. The file is
    /// written anew, so whoever does it rarely pays for each block about once.
    /// Errors: read_failed, write_failed, malformed_block; nothing has changed, but where
    /// given_up() says so: then only the name of the new file could not be forced to the disk,
    /// which the next durable append tries first.
    [[nodiscard]] std::expected<void, SourceError> give_up_to(std::uint64_t height);
    /// @param height  At most height(); beyond it is a programming error.
    /// Errors: wrong_place where it was given up; read_failed, malformed_block: the file has been
    /// damaged since it was opened.
    [[nodiscard]] std::expected<Bytes, SourceError> read(std::uint64_t height) const;

private:
    struct Impl;
    explicit LaneStore(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace heddle::consensus_adapter::lanes
