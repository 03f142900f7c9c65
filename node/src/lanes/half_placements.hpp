// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Completing what is half placed: a node that sees an entry in one lane hands it to the lanes that
// have none. Any node may, for the entry has all that each of its lanes asks for, the sender's
// signature included, and is ignored where it is already. So a half that was lost with a lane's
// memory, or whose sender is gone, holds up what comes after it for a few cuts instead of until it
// is rejected, and is executed.
//
// Who placed it does so when it has waited for 4 cuts, 8 and 12; others at 8, and only what can be
// paid for on their head: each account's next nonces, each once, as far as its balance covers all
// of them, and so many in a merged block. Whoever places halves that nobody can pay for makes no
// node do anything; whoever can pay for theirs makes nodes execute them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <consensus_adapter/lanes/lane_feed.hpp>
#include <types/state_view.hpp>

#include "lanes/open_placements.hpp"

namespace heddle::node::lanes {

/// Cuts since the first entry, below MergeRules::max_age_cuts.
inline constexpr std::array<std::uint64_t, 3> kCompletingAges = {4, 8, 12};
inline constexpr std::uint64_t kOthersAge = 8;
/// Of the entries that a node completes after a merged block, at each age.
inline constexpr std::size_t kMostCompletedBytes = std::size_t{1} << 20;

/// Of others, in a merged block.
struct CompletingBounds {
    std::size_t most = 64;
    std::size_t most_looked_at = 128;  // each is a signature
    std::uint64_t nonces_ahead = 16;   // from an account's next one on
};

struct HalfPlacements {
    std::vector<consensus_adapter::lanes::HalfPlaced> own;
    std::vector<consensus_adapter::lanes::HalfPlaced> others;
};
/// What is due after the last merged block of a feed.
[[nodiscard]] HalfPlacements half_placements_due(const consensus_adapter::lanes::LaneFeed& feed,
                                                 const OpenPlacements& open);

/// What a node hands to the lanes that miss it: its own, and of the others what can be paid for.
/// @param head  Where that is seen.
[[nodiscard]] std::vector<SentEntry> to_complete(HalfPlacements halves, const StateView& head,
                                                 const CompletingBounds& bounds = {});

}  // namespace heddle::node::lanes
