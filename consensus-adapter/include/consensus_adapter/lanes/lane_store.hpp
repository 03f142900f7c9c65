// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The log of a lane as it grows: a file in the form of lane_log.hpp that blocks are appended to and
// read from by height. What a crash left half written at its end is cut off when it is opened, and
// has to be asked for again. `heddle lanes merge` reads such a file as it is.
#pragma once

#include <cstddef>
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

/// Memory: 8 bytes a block. Thread safety: any; one caller appends.
class LaneStore {
public:
    enum class Keeping : bool {
        written,  // survives the end of this process
        durable,  // and the loss of power
    };

    /// Makes the file where there is none.
    /// Errors: cannot_open, also where another process has it; read_failed, write_failed;
    /// not_a_lane_log, unknown_version; wrong_place where it is another lane's or another chain's.
    [[nodiscard]] static std::expected<std::unique_ptr<LaneStore>, SourceError> open(
        const std::string& path, LaneLogHead head);
    ~LaneStore();
    LaneStore(const LaneStore&) = delete;
    LaneStore& operator=(const LaneStore&) = delete;
    LaneStore(LaneStore&&) = delete;
    LaneStore& operator=(LaneStore&&) = delete;

    /// The last height that is kept; 0: none.
    [[nodiscard]] std::uint64_t height() const;
    /// Of all blocks that are kept.
    [[nodiscard]] Hash digest() const;
    /// What the blocks above this height take in the file; none: 0.
    [[nodiscard]] std::uint64_t bytes_after(std::uint64_t height) const;
    /// What was cut off when it was opened.
    [[nodiscard]] std::uint64_t dropped_bytes() const noexcept;

    /// Appends the block of the next height, as encode_lane_block() gives it.
    /// Errors: write_failed, too_large; nothing has changed, and it may be tried again.
    [[nodiscard]] std::expected<void, SourceError> append(BytesView encoded_block, Keeping keeping);
    /// @param height  From 1 to height(); another one is a programming error.
    /// Errors: read_failed, malformed_block: the file has been damaged since it was opened.
    [[nodiscard]] std::expected<Bytes, SourceError> read(std::uint64_t height) const;

private:
    struct Impl;
    explicit LaneStore(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace heddle::consensus_adapter::lanes
