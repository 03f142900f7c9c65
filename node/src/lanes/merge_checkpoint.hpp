// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Where merging stands, in a file, so that a start merges only what came after, and a node can
// begin with the state and the checkpoint of another one.
//
// | field    | size | what                                                                  |
// |----------|------|-----------------------------------------------------------------------|
// | magic    | 8    | 89 48 44 4d 45 52 47 45 (0x89 "HDMERGE")                              |
// | version  | 4    | 2                                                                     |
// | lanes    | 1    | of the chain                                                          |
// | leading  | 1    |                                                                       |
// | block    | 8    | of the chain, after which merging goes on                             |
// | hash     | 32   | of that block                                                         |
// | order    | 32   | digest of the order up to there, as in its extra data                 |
// | digests  | 32   | for each lane: of its log up to where it is merged                    |
// | said     | 4+   | size, and what the order's digest is of: in it the cut (MergedChain)  |
// | feed     |      | as LaneFeed::save() gives it                                          |
// | checksum | 32   | KEC of all before                                                     |
//
// Integers are little-endian. Two such files are kept: the one before is good where the power
// failed before the chain was on the disk as far as the last one says. Version 1 has no `said`:
// such a file is good for a start, and shows nobody else where the cut is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include <consensus_adapter/lanes/lane.hpp>
#include <consensus_adapter/lanes/lane_feed.hpp>
#include <types/bytes.hpp>
#include <types/hash.hpp>

namespace heddle::node::lanes {

struct MergeCheckpoint {
    std::uint8_t lane_count = 1;
    consensus_adapter::lanes::LaneNumber leading = 0;
    std::uint64_t block = 0;
    Hash block_hash;
    Hash order;
    std::vector<Hash> log_digests;  // by lane
    Bytes said;                     // `order` is the KEC of it; empty: it is not known
    Bytes feed;
    friend bool operator==(const MergeCheckpoint&, const MergeCheckpoint&) = default;
};

/// What a file of it has at most: what may wait (1,048,576 transactions, accesses and 64 bytes to
/// execute each), what is remembered, and room.
inline constexpr std::size_t kMostCheckpointBytes = std::size_t{2} << 30;

/// What a node merges by.
[[nodiscard]] inline consensus_adapter::lanes::FeedRules feed_rules(
    std::size_t lane_count, consensus_adapter::lanes::LaneNumber leading) {
    consensus_adapter::lanes::FeedRules rules;
    rules.merge.lane_count = rules.cut.lane_count = lane_count;
    rules.cut.leading = leading;
    return rules;
}

[[nodiscard]] Bytes encode_checkpoint(const MergeCheckpoint& checkpoint);
/// nullopt: these bytes are none.
[[nodiscard]] std::optional<MergeCheckpoint> decode_checkpoint(BytesView bytes);

/// The names of the files in a folder, the newest first.
[[nodiscard]] std::vector<std::string> checkpoint_paths(const std::string& folder);
/// Keeps it on the disk, and the one before beside it. Errors: one sentence; those that were there
/// are there.
[[nodiscard]] std::expected<void, std::string> write_checkpoint(const std::string& folder,
                                                                const MergeCheckpoint& checkpoint);
/// nullopt: there is no such file. Errors: why it is not good, one sentence.
[[nodiscard]] std::expected<std::optional<MergeCheckpoint>, std::string> read_checkpoint(
    const std::string& path);

}  // namespace heddle::node::lanes
