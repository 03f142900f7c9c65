// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <consensus_adapter/lanes/cut.hpp>

#include <algorithm>
#include <functional>

#include <types/assert.hpp>

namespace heddle::consensus_adapter::lanes {

namespace {

LaneSet all_lanes(std::size_t count) {
    return LaneSet{~std::uint64_t{0} >> (kMaxLanes - count)};
}

}  // namespace

Cut first_cut(const CutRules& rules) {
    HEDDLE_ASSERT(rules.lane_count >= 1 && rules.lane_count <= kMaxLanes);
    HEDDLE_ASSERT(rules.leading < rules.lane_count && rules.max_blocks != 0);
    return {std::vector<std::uint64_t>(rules.lane_count, 0), {}};
}

Cut next_cut(const CutRules& rules, const Cut& before, const LaneBlock& leading) {
    Cut result = before;
    result.silent = {};
    if (leading.cut.has_value() && leading.cut->heights.size() == rules.lane_count) {
        for (std::size_t lane = 0; lane < rules.lane_count; ++lane) {
            const std::uint64_t allowed = rules.max_blocks > ~before.heights[lane]
                                              ? ~std::uint64_t{0}
                                              : before.heights[lane] + rules.max_blocks;
            result.heights[lane] =
                std::clamp(leading.cut->heights[lane], before.heights[lane], allowed);
        }
        const LaneSet beyond = LaneSet{~all_lanes(rules.lane_count).bits()};
        LaneSet own;
        own.add(rules.leading);
        result.silent = leading.cut->silent.without(beyond).without(own);
    }
    result.heights[rules.leading] = leading.height;
    return result;
}

CutMaker::CutMaker(const CutRules& rules, std::uint64_t silence_ms, std::uint64_t now_ms,
                   std::span<const std::size_t> witnesses)
    : rules_(rules),
      silence_ms_(silence_ms),
      heights_(first_cut(rules).heights),
      seen_ms_(rules.lane_count, now_ms) {
    for (std::size_t lane = 0; lane < rules.lane_count; ++lane)
        said_.emplace_back(lane < witnesses.size() ? std::max<std::size_t>(witnesses[lane], 1) : 1);
}

/// Of more than a third one at least does not lie.
std::uint64_t CutMaker::believed(const std::vector<Said>& said) {
    std::vector<std::uint64_t> heights;
    heights.reserve(said.size());
    for (const Said& one : said)
        heights.push_back(one.height);
    std::ranges::sort(heights, std::greater{});
    return heights[heights.size() / 3];
}

void CutMaker::saw(Witness witness, std::uint64_t height, std::uint64_t now_ms) {
    if (witness.lane >= rules_.lane_count || witness.number >= said_[witness.lane].size()) return;
    std::vector<Said>& said = said_[witness.lane];
    Said& own = said[witness.number];
    if (height < own.height) {
        if (!own.less_since_ms.has_value()) own.less_since_ms = now_ms;
        if (now_ms - std::min(now_ms, *own.less_since_ms) < silence_ms_) return;
    }
    own.height = height;
    own.less_since_ms.reset();
    const std::uint64_t now_believed = believed(said);
    if (now_believed > heights_[witness.lane]) seen_ms_[witness.lane] = now_ms;
    heights_[witness.lane] = now_believed;
    for (Said& one : said)
        if (one.claimed <= now_believed || one.height < one.claimed) {
            one.claimed = one.height;
            one.claimed_ms = now_ms;
        }
}

bool CutMaker::is_doubted(Witness witness, std::uint64_t now_ms) const {
    if (witness.lane >= rules_.lane_count || witness.number >= said_[witness.lane].size())
        return false;
    const Said& said = said_[witness.lane][witness.number];
    return said.claimed > heights_[witness.lane] &&
           now_ms - std::min(now_ms, said.claimed_ms) >= silence_ms_;
}

Cut CutMaker::next(std::uint64_t now_ms) const {
    Cut cut{heights_, {}};
    for (std::size_t lane = 0; lane < rules_.lane_count; ++lane)
        if (lane != rules_.leading && now_ms > seen_ms_[lane] &&
            now_ms - seen_ms_[lane] >= silence_ms_)
            cut.silent.add(static_cast<LaneNumber>(lane));
    return cut;
}

LaneSet CutMaker::speaking(std::uint64_t now_ms) const {
    LaneSet lanes;
    for (std::size_t lane = 0; lane < rules_.lane_count; ++lane) {
        const bool is_recent = now_ms < seen_ms_[lane] || now_ms - seen_ms_[lane] < silence_ms_ / 2;
        if (lane != rules_.leading && heights_[lane] != 0 && is_recent)
            lanes.add(static_cast<LaneNumber>(lane));
    }
    return lanes;
}

}  // namespace heddle::consensus_adapter::lanes
