// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks of lanes, each behind its length in two bytes: one that decodes encodes to the same bytes,
// and so do its entries; merging them ends, orders no transaction twice, and keeps no more contents
// than transactions that wait.
#include <set>

#include <consensus_adapter/lanes/directory.hpp>
#include <consensus_adapter/lanes/lane_feed.hpp>

#include "targets.hpp"

namespace heddle::fuzz {

namespace {

using namespace consensus_adapter::lanes;

constexpr std::size_t kLanes = 3;

void check_items(const LaneBlock& block) {
    for (const Bytes& item : block.items) {
        const auto entry = decode_entry(item, block.lane, kLanes);
        if (!entry.has_value()) {
            require(!to_string(entry.error()).empty(), "a fault without words");
            continue;
        }
        Bytes out;
        encode_entry(*entry, out);
        require(equal(out, item), "an entry changed");
        require(entry->digest == digest_of(entry->placement), "an entry's digest");
        require(lanes_of(entry->placement).has(block.lane), "an entry in a lane of others");
    }
}

void merge(LaneFeed& feed, HomeDirectory& directory, std::set<Hash>& ordered) {
    while (const auto merged = feed.next()) {
        for (const OrderedEntry& entry : merged->order) {
            require(ordered.insert(entry.digest).second, "a transaction is ordered twice");
            if (const auto settled = settle(directory, entry.placement); !settled.has_value())
                require(!to_string(settled.error()).empty(), "a wrong home without words");
        }
        require(feed.waiting_contents() <= feed.merger().memory().waiting,
                "a content of nothing that waits");
    }
}

FeedRules small_rules() {
    FeedRules rules;
    rules.merge.lane_count = rules.cut.lane_count = kLanes;
    rules.merge.max_age_cuts = 2;
    rules.merge.max_held_cuts = 3;
    rules.merge.max_waiting = 100;
    return rules;
}

/// What was saved is saved again as it was.
void check_saved(const LaneFeed& feed) {
    Bytes saved;
    feed.save(saved);
    const auto restored = LaneFeed::restore(small_rules(), saved);
    require(restored.has_value(), "a feed that does not come back");
    Bytes again;
    restored->save(again);
    // Contents come in any order; blocks that are not merged are not in it.
    require(again.size() == saved.size() && restored->waiting_contents() == feed.waiting_contents(),
            "a feed that came back as another");
}

}  // namespace

/// A feed that another node gave to one that joins.
void lane_feed(BytesView input) {
    auto feed = LaneFeed::restore(small_rules(), input);
    if (!feed.has_value()) return;
    check_saved(*feed);
    // Empty blocks of every lane, as far as it wants them.
    for (int i = 0; i < 20; ++i) {
        const auto wanted = feed->missing();
        if (!wanted.has_value()) break;
        LaneBlock block;
        block.lane = wanted->lane;
        block.height = wanted->height;
        (void)feed->offer(block);
        while (const auto merged = feed->next())
            require(merged->order.size() <= 100, "more than has waited");
    }
}

void lanes(BytesView input) {
    LaneFeed feed(small_rules());
    RangeDirectory directory(make_even_ranges(kLanes));
    std::set<Hash> ordered;
    while (input.size() >= 2) {
        const std::size_t size =
            std::min<std::size_t>(input[0] + 256u * input[1], input.size() - 2);
        const BytesView bytes = input.subspan(2, size);
        input = input.subspan(2 + size);
        auto block = decode_lane_block(bytes);
        if (!block.has_value()) {
            require(!to_string(block.error()).empty(), "a fault without words");
            continue;
        }
        Bytes out;
        encode_lane_block(*block, out);
        require(equal(out, bytes), "a block of a lane changed");
        check_items(*block);
        static_cast<void>(feed.offer(*std::move(block)));
        merge(feed, directory, ordered);
    }
    check_saved(feed);
}

}  // namespace heddle::fuzz
