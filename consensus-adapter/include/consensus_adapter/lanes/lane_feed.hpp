// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks of lanes, in whatever order they come, into merged blocks: the part of a node that merges.
// Where they come from and what becomes of merged blocks is not its business.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <types/hash.hpp>

#include <consensus_adapter/lanes/cut.hpp>
#include <consensus_adapter/lanes/lane.hpp>
#include <consensus_adapter/lanes/merger.hpp>
#include <consensus_adapter/lanes/placement.hpp>

namespace heddle::consensus_adapter::lanes {

struct FeedRules {
    MergeRules merge;
    CutRules cut;
    /// Of each lane, beyond what is merged; blocks further ahead, or that would be more bytes, have
    /// to be offered again. Not a part of what nodes agree on.
    std::uint64_t max_blocks_ahead = 1024;
    std::size_t max_bytes_ahead = std::size_t{64} << 20;
};

/// Two final blocks of one height: more than a third of the lane's validators has signed both.
struct Equivocation {
    LaneNumber lane = 0;
    std::uint64_t height = 0;
    Hash first;  // KEC of the encoded block
    Hash second;
    friend bool operator==(const Equivocation&, const Equivocation&) = default;
};
/// One sentence.
[[nodiscard]] std::string to_string(const Equivocation& evidence);

enum class Offered : std::uint8_t {
    taken,
    known,    // it is there, or merged
    too_far,  // more is held than may be: to be offered again once something is merged
    no_lane,  // of a lane that there is not
};

struct OrderedEntry {
    Placement placement;
    Hash digest;
    Bytes payload;  // empty for a move
};

/// An item of a lane that is no entry.
struct RefusedItem {
    LaneNumber lane = 0;
    std::uint64_t height = 0;
    std::size_t index = 0;
    EntryFault fault = EntryFault::malformed;
    friend bool operator==(const RefusedItem&, const RefusedItem&) = default;
};

/// A transaction that some of its lanes have an entry of, with what the others lack.
struct HalfPlaced {
    Hash digest;
    LaneSet missing;
    Bytes entry;    // encoded, as every lane of it takes it
    Bytes payload;  // of it: what is to be executed
};

/// The same on every node that has the same logs.
struct MergedBlock {
    std::uint64_t number = 0;   // the height of the leading lane
    std::uint64_t time_ms = 0;  // of its block
    Cut cut;
    std::vector<OrderedEntry> order;
    std::vector<RejectedTransaction> rejected;
    std::vector<RefusedItem> refused;
    std::uint64_t ignored_entries = 0;
    std::uint64_t components = 0;
    std::uint64_t largest_component = 0;
    bool is_clearing = false;
};
/// What its transactions take, in bytes, without what allocators add.
[[nodiscard]] std::size_t memory_of(const MergedBlock& merged) noexcept;

/// A block of a lane with all that is known of it without any other: its hash, its entries decoded
/// and checked, or refused. Most of what a block costs a node before it is executed.
///
/// Thread safety: none; different ones on different threads.
class PreparedBlock {
public:
    /// Pure: whoever receives the block can do it, beside the thread that merges.
    /// @param lane_count  Of the chain.
    PreparedBlock(const LaneBlock& block, std::size_t lane_count);
    /// The same, of a block whose encoding is at hand.
    /// @param encoded  As encode_lane_block() gives it; anything else is a programming error.
    PreparedBlock(const LaneBlock& block, BytesView encoded, std::size_t lane_count);
    ~PreparedBlock();
    PreparedBlock(PreparedBlock&&) noexcept;
    PreparedBlock& operator=(PreparedBlock&&) noexcept;
    PreparedBlock(const PreparedBlock&) = delete;
    PreparedBlock& operator=(const PreparedBlock&) = delete;

    [[nodiscard]] LaneNumber lane() const noexcept;
    [[nodiscard]] std::uint64_t height() const noexcept;
    /// KEC of the encoded block.
    [[nodiscard]] const Hash& hash() const noexcept;
    /// Encoded.
    [[nodiscard]] std::size_t bytes() const noexcept;

private:
    friend class LaneFeed;
    struct Contents;
    std::unique_ptr<Contents> contents_;
};

/// A merged block is made of the leading lane's next block and the blocks of the others up to the
/// cut that it names: what comes out does not depend on when what came in.
///
/// Two blocks of one height end it, for other nodes may have merged the other one.
///
/// Thread safety: none. No clock.
class LaneFeed {
public:
    explicit LaneFeed(const FeedRules& rules);
    ~LaneFeed();
    LaneFeed(LaneFeed&&) noexcept;
    LaneFeed& operator=(LaneFeed&&) noexcept;
    LaneFeed(const LaneFeed&) = delete;
    LaneFeed& operator=(const LaneFeed&) = delete;

    /// Takes a final block of a lane, in any order; the one that is missing() is always taken.
    /// Errors: the evidence, now and for ever after.
    [[nodiscard]] std::expected<Offered, Equivocation> offer(PreparedBlock block);
    [[nodiscard]] std::expected<Offered, Equivocation> offer(const LaneBlock& block);

    /// nullopt: a block is missing(), or it has ended.
    [[nodiscard]] std::optional<MergedBlock> next();

    struct Missing {
        LaneNumber lane = 0;
        std::uint64_t height = 0;
        friend bool operator==(const Missing&, const Missing&) = default;
    };
    /// The first block that next() waits for; nullopt: next() waits for none.
    [[nodiscard]] std::optional<Missing> missing() const;
    [[nodiscard]] const std::optional<Equivocation>& evidence() const noexcept;

    /// Of blocks that are not merged.
    [[nodiscard]] std::size_t held_bytes() const noexcept;
    /// Entries with what is to be executed that wait for others.
    [[nodiscard]] std::size_t waiting_contents() const noexcept;
    /// Those that `wants` whose first entry came `age` cuts before the last one, in the order of
    /// arrival, as far as an entry has come that brings what is to be executed. After next().
    /// @param most_bytes  Of entries and payloads; what does not fit is left out.
    [[nodiscard]] std::vector<HalfPlaced> half_placed(
        std::uint64_t age, std::size_t most_bytes,
        const std::function<bool(const Hash& digest)>& wants) const;
    [[nodiscard]] const Merger& merger() const noexcept;
    /// Up to where logs are merged.
    [[nodiscard]] const Cut& cut() const noexcept;

    /// All that later merged blocks depend on, but for blocks that are not merged: those have to be
    /// offered again.
    void save(Bytes& out) const;
    /// One that goes on as the saved one would. nullopt: the bytes are those of none, or of one
    /// under other rules.
    [[nodiscard]] static std::optional<LaneFeed> restore(const FeedRules& rules, BytesView bytes);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace heddle::consensus_adapter::lanes
