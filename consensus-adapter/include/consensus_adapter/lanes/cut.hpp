// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Up to where logs go into each merged block. One lane, the leading one, says so in its blocks, so
// that it follows from the logs alone; here is what it says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
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

/// One of the validators of a lane that are watched, and what it says.
struct Witness {
    LaneNumber lane = 0;
    std::size_t number = 0;  // of those of the lane
};

/// What the leading lane's proposer has seen of the others, and says of it.
///
/// A height is believed that more than a third of the lane's witnesses say: of three or four, two
/// of them, so that one that lies, or is behind, changes nothing. One or two are believed whatever
/// one of them says.
///
/// Thread safety: none. Time is what the caller says.
class CutMaker {
public:
    /// @param silence_ms  After which a lane that nothing came of is named as silent.
    /// @param witnesses   How many each lane has; one where nothing is said.
    CutMaker(const CutRules& rules, std::uint64_t silence_ms, std::uint64_t now_ms,
             std::span<const std::size_t> witnesses = {});

    /// A witness says that this block of its lane is final, and all before it. One that takes back
    /// what it has said is believed when it has done so for the time of silence.
    void saw(Witness witness, std::uint64_t height, std::uint64_t now_ms);
    void saw(LaneNumber lane, std::uint64_t height, std::uint64_t now_ms) {
        saw(Witness{lane}, height, now_ms);
    }
    /// Whether a witness says what has not become true within the time of silence.
    [[nodiscard]] bool is_doubted(Witness witness, std::uint64_t now_ms) const;
    [[nodiscard]] Cut next(std::uint64_t now_ms) const;
    /// Lanes of which something has been seen in the last half of that time: whoever calls one of
    /// them silent has not looked, or lies. The other half is for what others have seen earlier.
    [[nodiscard]] LaneSet speaking(std::uint64_t now_ms) const;

private:
    struct Said {
        std::uint64_t height = 0;
        std::optional<std::uint64_t> less_since_ms;  // it says less than that
        std::uint64_t claimed = 0;     // of what it has said, that which was not believed at once,
        std::uint64_t claimed_ms = 0;  // and since when
    };
    [[nodiscard]] static std::uint64_t believed(const std::vector<Said>& said);

    const CutRules rules_;
    const std::uint64_t silence_ms_;
    std::vector<std::vector<Said>> said_;  // of each lane, by its witnesses
    std::vector<std::uint64_t> heights_;   // that are believed
    std::vector<std::uint64_t> seen_ms_;   // when the last one came
};

}  // namespace heddle::consensus_adapter::lanes
