// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "random_logs.hpp"

#include <algorithm>
#include <cstring>

#include <types/hash.hpp>

namespace heddle::consensus_adapter::lanes::test {

using workload::Random;

namespace {

/// An entry on its way into a log.
struct Timed {
    std::uint64_t time = 0;
    std::uint64_t tie = 0;
    MergeEntry entry;
    std::vector<LaneAccess> accesses;
};

std::vector<LaneAccess> any_accesses(const LogShape& shape, LaneNumber lane, Random& random) {
    std::vector<LaneAccess> result;
    const std::uint32_t wanted = random.below(std::min(4u, shape.objects_per_lane + 1));
    for (std::uint32_t i = 0; i < wanted; ++i) {
        const LaneAccess access{object_of(lane * 1000u + random.below(shape.objects_per_lane)),
                                random.below(100) < shape.exclusive_percent};
        if (std::ranges::find(result, access.object, &LaneAccess::object) == result.end())
            result.push_back(access);
    }
    return result;
}

LaneSet any_lanes(const LogShape& shape, Random& random) {
    LaneSet lanes;
    lanes.add(static_cast<LaneNumber>(random.below(std::uint32_t(shape.lanes))));
    if (random.below(100) >= shape.multi_home_percent) return lanes;
    const std::uint32_t more = 1 + random.below(std::uint32_t(shape.lanes));
    for (std::uint32_t i = 0; i < more; ++i)
        lanes.add(static_cast<LaneNumber>(random.below(std::uint32_t(shape.lanes))));
    return lanes;
}

}  // namespace

Hash digest_of(std::uint64_t number) {
    Hash hash;
    std::memcpy(hash.bytes.data(), &number, sizeof number);
    return hash;
}

ObjectId object_of(std::uint64_t number) {
    return {address_from_low64(number), ObjectKind::balance, {}};
}

LogShape any_shape(Random& random) {
    LogShape shape;
    const auto none_or_below = [&](std::uint32_t bound) {
        const std::uint32_t is_any = random.below(2);
        return is_any * random.below(bound);
    };
    shape.lanes = 1 + random.below(4);
    shape.transactions = 1 + random.below(40);
    shape.cuts = 1 + random.below(7);
    shape.objects_per_lane = 1 + random.below(6);
    shape.multi_home_percent = random.below(101);
    shape.exclusive_percent = 20 + random.below(81);
    shape.missing_percent = none_or_below(40);
    shape.duplicate_percent = none_or_below(30);
    shape.silent_percent = none_or_below(40);
    shape.without_content_percent = random.below(4) == 0 ? 10 : 0;
    shape.two_faced_percent = random.below(4) == 0 ? 20 : 0;
    shape.max_delay = random.below(40);
    return shape;
}

MergeRules any_rules(Random& random, std::size_t lane_count) {
    MergeRules rules;
    rules.lane_count = lane_count;
    rules.max_age_cuts = random.below(2) == 0 ? 12 : random.below(5);
    rules.max_held_cuts = random.below(2) == 0 ? 12 : random.below(5);
    rules.max_waiting = random.below(4) == 0 ? random.below(40) : 1000;
    rules.remembered = 1000;
    return rules;
}

LaneLogs make_logs(const LogShape& shape, Random& random) {
    std::vector<std::vector<Timed>> lanes(shape.lanes);
    const auto delay = [&] { return random.below(shape.max_delay + 1); };
    for (std::uint64_t number = 1; number <= shape.transactions; ++number) {
        Timed timed;
        // Counters are no order of arrival: whoever places chooses them.
        timed.entry.id = {random.below(8), static_cast<LaneNumber>(random.below(4))};
        timed.entry.lanes = any_lanes(shape, random);
        const bool is_multi_home = timed.entry.lanes.size() > 1;
        const bool is_two_faced = is_multi_home && random.below(100) < shape.two_faced_percent;
        const bool has_content = random.below(100) >= shape.without_content_percent;
        for (LaneNumber lane = 0; lane < LaneNumber(shape.lanes); ++lane) {
            if (!timed.entry.lanes.has(lane)) continue;
            if (is_multi_home && random.below(100) < shape.missing_percent) continue;
            timed.entry.digest = digest_of(is_two_faced ? number * 100 + lane : number * 100 + 99);
            timed.entry.content = has_content && random.below(2) == 0 ? number : 0;
            if (has_content && lane == timed.entry.lanes.first()) timed.entry.content = number;
            timed.accesses = any_accesses(shape, lane, random);
            timed.time = number + delay();
            timed.tie = random.next();
            lanes[lane].push_back(timed);
            if (random.below(100) >= shape.duplicate_percent) continue;
            timed.time += delay();
            timed.tie = random.next();
            lanes[lane].push_back(timed);
        }
    }
    for (auto& lane : lanes)
        std::ranges::sort(lane, [](const Timed& a, const Timed& b) {
            return a.time != b.time ? a.time < b.time : a.tie < b.tie;
        });
    LaneLogs logs;
    std::vector<std::size_t> taken(shape.lanes, 0);
    const std::uint64_t span = shape.transactions + std::uint64_t{2} * shape.max_delay + 1;
    for (std::size_t cut = 0; cut < shape.cuts; ++cut) {
        auto& blocks = logs.cuts.emplace_back(shape.lanes);
        LaneSet silent;
        for (LaneNumber lane = 0; lane < LaneNumber(shape.lanes); ++lane) {
            const bool is_last = cut + 1 == shape.cuts;
            const std::uint64_t until = is_last ? span : span * (cut + 1) / shape.cuts + delay();
            auto& at = taken[lane];
            for (; at < lanes[lane].size() && lanes[lane][at].time <= until; ++at)
                blocks[lane].add(lanes[lane][at].entry, lanes[lane][at].accesses);
            if (random.below(100) < shape.silent_percent) silent.add(lane);
        }
        logs.silent.push_back(silent);
    }
    return logs;
}

std::vector<MergedCut> merge_all(Merger& merger, const LaneLogs& logs) {
    std::vector<MergedCut> result;
    for (std::size_t cut = 0; cut < logs.cuts.size(); ++cut) {
        std::vector<std::vector<const MergeBlock*>> lanes;
        for (const MergeBlock& block : logs.cuts[cut])
            lanes.push_back({&block});
        result.push_back(merger.merge(lanes, logs.silent[cut]));
    }
    return result;
}

}  // namespace heddle::consensus_adapter::lanes::test
