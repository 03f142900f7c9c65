// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes an ere file, the archive of blocks before and after the merge that make_archive_source()
// and other clients read. All headers come first, then all bodies, and so on: whoever writes one
// goes through its blocks once for each kind of part, and holds one block at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include <types/block.hpp>
#include <types/bytes.hpp>
#include <types/receipt.hpp>
#include <types/uint256.hpp>

namespace heddle::consensus_adapter {

/// Most blocks of an ere file. Files of one chain begin at multiples of it.
inline constexpr std::size_t kEreBlocks = 8'192;

/// Protocol: add_header() for each block; then add_body() for each; then add_receipts() for each;
/// then, where has_difficulties(), add_total_difficulty() for each; finish().
///
/// Proofs that headers are in the beacon chain are left out, which is the profile `noproofs`.
/// Memory: one part of one block, and some 100 bytes for each block.
/// Thread safety: none.
class EreWriter {
public:
    /// Takes the file's bytes, front to back.
    using Sink = std::function<void(BytesView)>;

    explicit EreWriter(Sink sink);
    ~EreWriter();
    EreWriter(const EreWriter&) = delete;
    EreWriter& operator=(const EreWriter&) = delete;

    /// Of the block after the one before; at most kEreBlocks of them.
    void add_header(const BlockHeader& header);
    void add_body(const Block& block);
    void add_receipts(std::span<const Receipt> receipts);
    /// Whether any block is from before the merge: then all have total difficulties.
    [[nodiscard]] bool has_difficulties() const noexcept;
    /// Up to and including the block; from the merge on the last one's before it.
    void add_total_difficulty(const Uint256& total_difficulty);
    /// The accumulator, where there are difficulties, and the index.
    void finish();

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace heddle::consensus_adapter
