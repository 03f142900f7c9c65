// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Where a node's merging begins, and what it keeps so that it need not begin at the beginning.
#include <utility>

#include <fmt/format.h>

#include <types/counted.hpp>

#include "lanes/lane_engine.hpp"
#include "lanes/merge_checkpoint.hpp"
#include "logging/log.hpp"

namespace heddle::node::lanes {

namespace homes = consensus_adapter::lanes;

/// The newest checkpoint that belongs to this chain; where there is none, height 1 of each log.
void LaneEngine::restore() {
    for (const std::string& path : checkpoint_paths(options_.folder)) {
        auto read = read_checkpoint(path);
        std::optional<std::string> reason;
        if (!read.has_value())
            reason = read.error();
        else if (read->has_value())
            reason = restore_from(**read);
        else
            continue;
        if (!reason.has_value()) {
            logger(Component::consensus)
                .info("merging goes on after block {}, by {}", merged_.last_block(), path);
            break;
        }
        logger(Component::consensus).warn("{}: not used: {}", path, *reason);
    }
    cut_ = checkpoint_cut_ = feed_.cut();
    status_.merged_number = cut_.heights[options_.leading];
}

/// @return why it cannot be used; nullopt: it is.
std::optional<std::string> LaneEngine::restore_from(const MergeCheckpoint& checkpoint) {
    if (checkpoint.lane_count != options_.lanes.size() || checkpoint.leading != options_.leading)
        return fmt::format("it is of {} led by {}", counted(checkpoint.lane_count, "lane"),
                           checkpoint.leading);
    const auto header = chain_.kept_header(checkpoint.block);
    if (!header.has_value() || !header->has_value())
        return fmt::format("its block {} is not in this chain", checkpoint.block);
    if ((*header)->hash != checkpoint.block_hash)
        return fmt::format("its block {} is {}, and that of this chain {}", checkpoint.block,
                           to_string(checkpoint.block_hash), to_string((*header)->hash));
    auto feed = homes::LaneFeed::restore(feed_rules(options_.lanes.size(), options_.leading),
                                         checkpoint.feed);
    if (!feed.has_value()) return "what waits cannot be read; it is of another version";
    feed_ = *std::move(feed);
    merged_digests_ = checkpoint.log_digests;
    merged_.go_on_after(checkpoint.block, checkpoint.order);
    return std::nullopt;
}

/// After the merged block that the state is that of.
void LaneEngine::keep_checkpoint(OrderState state) {
    const auto header = chain_.kept_header(merged_.last_block());
    if (!header.has_value() || !header->has_value()) return;
    MergeCheckpoint checkpoint;
    checkpoint.lane_count = static_cast<std::uint8_t>(options_.lanes.size());
    checkpoint.leading = options_.leading;
    checkpoint.block = merged_.last_block();
    checkpoint.block_hash = (*header)->hash;
    checkpoint.order = merged_.order();
    checkpoint.log_digests = std::move(state.log_digests);
    checkpoint.said = merged_.said();
    checkpoint.feed = std::move(state.feed);
    // Merging old blocks again, or far behind what is here, there is no state of them.
    if (state.is_for_joining && checkpoint.block == chain_.kept_head().header.number)
        joining_->begin(checkpoint);
    // A node without one merges more at its next start, and no less right.
    if (const auto kept = write_checkpoint(options_.folder, checkpoint); !kept.has_value()) {
        logger(Component::consensus).warn("{}", kept.error());
        return;
    }
    give_up_logs(std::exchange(checkpoint_cut_, std::move(state.cut)));
}

/// Blocks that no checkpoint needs any more; rarely, for what is kept is written anew.
void LaneEngine::give_up_logs(const homes::Cut& before) {
    const std::uint64_t retained = options_.retain_blocks;
    if (retained == 0) return;
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
        const std::uint64_t needless = before.heights[i];
        const std::uint64_t given_up = lanes_[i].store->given_up();
        if (needless > given_up && needless - given_up > 2 * retained)
            lanes_[i].subscription->give_up_to(needless - retained);
    }
}

}  // namespace heddle::node::lanes
