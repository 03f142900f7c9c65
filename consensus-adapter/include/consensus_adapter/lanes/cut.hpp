// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Up to where logs go into each merged block. One lane, the leading one, says so in its blocks, so
// that it follows from the logs alone; here is what it says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <consensus_adapter/lanes/lane.hpp>
#include <consensus_adapter/lanes/placement.hpp>

namespace heddle::consensus_adapter::lanes {

/// The same on every node of a chain.
struct CutRules {
    std::size_t lane_count = 1;
    LaneNumber leading = 0;
    /// Most blocks of one lane that a cut goes on by: so work of a merged block is bounded.
    std::uint64_t max_blocks = 64;
    /// The cut goes on by no block more when these have so many bytes, encoded: so what is held of
    /// a merged block is bounded, too. How many bytes one block has is its lane's business.
    std::uint64_t max_bytes = std::uint64_t{16} << 20;
};

/// The cut that holds after `before`, whatever the leading lane's block `height` says: no lane goes
/// back, none goes on by more blocks than the rules allow, a cut of another number of lanes moves
/// none. Bytes are another matter: only who has the blocks knows of them (LaneFeed).
[[nodiscard]] Cut next_cut(const CutRules& rules, const Cut& before, const LaneBlock& leading);
/// Before the first block.
[[nodiscard]] Cut first_cut(const CutRules& rules);

/// What the leading lane's proposer has seen of the others, and says of it.
///
/// Thread safety: none. Time is what the caller says.
class CutMaker {
public:
    /// @param silence_ms  After which a lane that nothing came of is named as silent.
    CutMaker(const CutRules& rules, std::uint64_t silence_ms, std::uint64_t now_ms);

    /// A final block of a lane has been seen, and all before it.
    void saw(LaneNumber lane, std::uint64_t height, std::uint64_t now_ms);
    [[nodiscard]] Cut next(std::uint64_t now_ms) const;
    /// Lanes of which something has been seen in the last half of that time: whoever calls one of
    /// them silent has not looked, or lies. The other half is for what others have seen earlier.
    [[nodiscard]] LaneSet speaking(std::uint64_t now_ms) const;

private:
    const CutRules rules_;
    const std::uint64_t silence_ms_;
    std::vector<std::uint64_t> heights_;
    std::vector<std::uint64_t> seen_ms_;  // when the last one came
};

}  // namespace heddle::consensus_adapter::lanes
