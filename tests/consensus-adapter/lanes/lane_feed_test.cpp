// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <consensus_adapter/lanes/lane_feed.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <consensus_adapter/lanes/directory.hpp>
#include <types/assert.hpp>
#include <workload/random.hpp>

#include "announced_seed.hpp"

namespace heddle::consensus_adapter::lanes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using workload::Random;

FeedRules rules_of(std::size_t lane_count) {
    FeedRules rules;
    rules.merge.lane_count = lane_count;
    rules.cut.lane_count = lane_count;
    return rules;
}

/// About the balances of accounts, each at home in the lane that is its number modulo `lane_count`.
Entry make_entry(std::uint64_t number, std::size_t lane_count,
                 const std::set<std::uint64_t>& accounts) {
    HEDDLE_ASSERT(lane_count > 0);
    Entry entry;
    entry.payload = {static_cast<std::uint8_t>(number), static_cast<std::uint8_t>(number >> 8)};
    entry.placement.id = {number, 0};
    entry.placement.payload_hash = keccak256(entry.payload);
    for (const std::uint64_t account : accounts) {
        const Address address = address_from_low64(account);
        entry.placement.units.push_back(
            {{address, {}},
             static_cast<LaneNumber>(account % lane_count),
             0,
             false,
             {{{address, ObjectKind::balance, {}}, AccessMode::write}}});
    }
    return entry;
}

Bytes encode(const Entry& entry) {
    Bytes bytes;
    encode_entry(entry, bytes);
    return bytes;
}

LaneBlock make_block(LaneNumber lane, std::uint64_t height, std::vector<Bytes> items = {}) {
    return {lane, height, height * 1'000, std::nullopt, std::move(items)};
}

LaneBlock make_leading(std::uint64_t height, std::vector<std::uint64_t> heights,
                       std::vector<Bytes> items = {}) {
    return {0, height, height * 1'000, Cut{std::move(heights), {}}, std::move(items)};
}

Offered offer(LaneFeed& feed, const LaneBlock& block) {
    const auto result = feed.offer(block);
    EXPECT_TRUE(result.has_value());
    return result.value_or(Offered::no_lane);
}

TEST(LaneFeed, waits_for_the_blocks_that_a_cut_names_and_says_which) {
    LaneFeed feed(rules_of(2));
    EXPECT_EQ(feed.missing(), (LaneFeed::Missing{0, 1}));
    EXPECT_EQ(offer(feed, make_leading(1, {0, 2})), Offered::taken);
    EXPECT_EQ(offer(feed, make_block(1, 2)), Offered::taken);
    EXPECT_EQ(feed.missing(), (LaneFeed::Missing{1, 1}));
    EXPECT_FALSE(feed.next().has_value());
    EXPECT_EQ(offer(feed, make_block(1, 1)), Offered::taken);
    EXPECT_EQ(feed.missing(), std::nullopt);

    const auto merged = feed.next();

    ASSERT_TRUE(merged.has_value());
    EXPECT_EQ(merged->number, 1u);
    EXPECT_EQ(merged->time_ms, 1'000u);
    EXPECT_THAT(merged->cut.heights, ElementsAre(1, 2));
    EXPECT_EQ(feed.missing(), (LaneFeed::Missing{0, 2}));
}

TEST(LaneFeed, gives_what_is_to_be_executed_in_merged_order) {
    LaneFeed feed(rules_of(2));
    const Entry both = make_entry(1, 2, {2, 3});
    const Entry after = make_entry(2, 2, {3});
    Entry half = both;
    half.payload.clear();  // the other lane has it
    offer(feed, make_block(1, 1, {encode(half), encode(after)}));
    offer(feed, make_leading(1, {0, 1}));
    ASSERT_TRUE(feed.next()->order.empty());
    EXPECT_EQ(feed.waiting_contents(), 1u);
    // As well by one that goes on from a checkpoint.
    Bytes saved;
    feed.save(saved);
    auto again = LaneFeed::restore(rules_of(2), saved);
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(again->cut(), feed.cut());
    EXPECT_EQ(again->missing(), feed.missing());
    offer(*again, make_leading(2, {0, 1}, {encode(both)}));
    EXPECT_EQ(again->next()->order.size(), 2u);
    EXPECT_FALSE(LaneFeed::restore(rules_of(3), saved).has_value());
    for (std::size_t size = 0; size < saved.size(); ++size)
        EXPECT_FALSE(LaneFeed::restore(rules_of(2), BytesView{saved}.first(size)).has_value());
    offer(feed, make_leading(2, {0, 1}, {encode(both)}));

    const auto merged = feed.next();

    ASSERT_TRUE(merged.has_value());
    ASSERT_EQ(merged->order.size(), 2u);
    EXPECT_EQ(merged->order[0].payload, both.payload);
    EXPECT_EQ(merged->order[0].placement, both.placement);
    EXPECT_EQ(merged->order[1].payload, after.payload);
    EXPECT_EQ(feed.waiting_contents(), 0u);
    EXPECT_EQ(feed.held_bytes(), 0u);
}

/// What nodes have to have alike of a merged block, as text.
std::string summary_of(const MergedBlock& merged) {
    std::string result = std::to_string(merged.number);
    for (const OrderedEntry& entry : merged.order) {
        Bytes said = entry.payload;
        encode_placement(entry.placement, said);
        result += " " + to_string(entry.digest) + to_string(keccak256(said));
    }
    for (const RejectedTransaction& rejected : merged.rejected)
        result += " -" + to_string(rejected.digest);
    for (const RefusedItem& refused : merged.refused)
        result += " !" + std::to_string(refused.lane) + "." + std::to_string(refused.height) + "." +
                  std::to_string(refused.index);
    return result + " " + std::to_string(merged.ignored_entries);
}

/// Entries of one to three accounts, some twice, some without one half, some no entries at all.
LaneBlock random_block(Random& random, LaneNumber lane, std::uint64_t height, std::size_t lanes) {
    LaneBlock block = make_block(lane, height);
    if (lane == 0) block.cut = Cut{std::vector<std::uint64_t>(lanes, height), {}};
    for (std::uint64_t i = random.below(6); i > 0; --i) {
        const std::uint64_t number = random.below(4 * static_cast<std::uint32_t>(height) + 4);
        std::set<std::uint64_t> accounts{lane + lanes * random.below(3)};
        if (number % 3 != 0) accounts.insert((number * 7) % 9);
        Bytes item = encode(make_entry(number, lanes, accounts));
        if (random.below(5) == 0)
            item.resize(random.below(static_cast<std::uint32_t>(item.size())));
        block.items.push_back(std::move(item));
    }
    return block;
}

TEST(LaneFeed, makes_the_same_of_blocks_that_other_threads_have_prepared) {
    static constexpr std::size_t kLaneCount = 3;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        Random random{seed};
        std::vector<LaneBlock> blocks;
        for (std::uint64_t height = 1; height <= 20; ++height)
            for (LaneNumber lane = 0; lane < kLaneCount; ++lane)
                blocks.push_back(random_block(random, lane, height, kLaneCount));
        LaneFeed feed(rules_of(kLaneCount));
        std::vector<std::string> expected;
        for (const LaneBlock& block : blocks) {
            offer(feed, block);
            while (const auto merged = feed.next())
                expected.push_back(summary_of(*merged));
        }
        ASSERT_EQ(expected.size(), 20u);

        std::vector<std::vector<PreparedBlock>> by_lane(kLaneCount);
        std::vector<std::jthread> threads;
        for (LaneNumber lane = 0; lane < kLaneCount; ++lane)
            threads.emplace_back([&blocks, &prepared = by_lane[lane], lane] {
                for (const LaneBlock& block : blocks) {
                    if (block.lane != lane) continue;
                    Bytes encoded;
                    encode_lane_block(block, encoded);
                    prepared.emplace_back(block, encoded, kLaneCount);
                }
            });
        threads.clear();
        LaneFeed other(rules_of(kLaneCount));
        std::vector<std::string> found;
        for (LaneNumber lane = kLaneCount; lane-- > 0;)
            for (PreparedBlock& block : by_lane[lane])
                ASSERT_EQ(other.offer(std::move(block)), Offered::taken);
        while (const auto merged = other.next())
            found.push_back(summary_of(*merged));
        EXPECT_EQ(found, expected) << "seed " << seed;
    }
}

TEST(LaneFeed, names_items_that_are_no_entries_and_goes_on) {
    LaneFeed feed(rules_of(2));
    const Entry good = make_entry(1, 2, {2});
    Entry misplaced = make_entry(2, 2, {3});
    offer(feed, make_leading(1, {0, 0}, {{1, 2, 3}, encode(good), encode(misplaced)}));

    const auto merged = feed.next();

    ASSERT_TRUE(merged.has_value());
    EXPECT_EQ(merged->order.size(), 1u);
    EXPECT_THAT(merged->refused, ElementsAre(RefusedItem{0, 1, 0, EntryFault::truncated},
                                             RefusedItem{0, 1, 2, EntryFault::not_of_this_lane}));
}

TEST(LaneFeed, forgets_contents_of_duplicates_and_of_rejected_transactions) {
    FeedRules rules = rules_of(2);
    rules.merge.max_age_cuts = 1;
    LaneFeed feed(rules);
    const Bytes half = encode(make_entry(1, 2, {2, 3}));
    offer(feed, make_leading(1, {0, 0}, {half, half, half}));
    EXPECT_EQ(feed.next()->ignored_entries, 2u);
    EXPECT_EQ(feed.waiting_contents(), 1u);
    offer(feed, make_leading(2, {0, 0}));

    EXPECT_EQ(feed.next()->rejected.size(), 1u);
    EXPECT_EQ(feed.waiting_contents(), 0u);
}

TEST(LaneFeed, bytes_that_wait_are_bounded_as_well) {
    FeedRules rules = rules_of(2);
    rules.merge.max_waiting = 1'000;
    LaneFeed feed(rules);
    Entry half = make_entry(1, 2, {2, 3});
    half.payload = Bytes(1'000 * kContentBytesPerWaiting, 1);
    half.placement.payload_hash = keccak256(half.payload);
    offer(feed, make_leading(1, {0, 0}, {encode(half)}));

    const auto merged = feed.next();

    ASSERT_TRUE(merged.has_value());
    EXPECT_TRUE(merged->is_clearing);
    EXPECT_EQ(merged->rejected.size(), 1u);
    EXPECT_EQ(feed.waiting_contents(), 0u);
}

TEST(LaneFeed, placements_that_wait_are_bounded_with_what_they_are_in_other_lanes) {
    FeedRules rules = rules_of(2);
    rules.merge.max_waiting = 10'000;
    rules.merge.max_age_cuts = 1'000;
    LaneFeed feed(rules);
    Bytes empty;
    feed.save(empty);
    // One object here, a thousand in the lane that gives no entry, and little to execute.
    std::set<std::uint64_t> accounts{2};
    for (std::uint64_t i = 0; i < 1'000; ++i)
        accounts.insert(2 * i + 1);
    std::size_t most = 0;
    bool has_cleared = false;
    for (std::uint64_t height = 1; height <= 40; ++height) {
        const Bytes half = encode(make_entry(height, 2, accounts));
        ASSERT_GT(half.size(), 30'000u);
        offer(feed, make_leading(height, {height - 1, 0}, {half}));
        const auto merged = feed.next();
        ASSERT_TRUE(merged.has_value());
        has_cleared |= merged->is_clearing;
        most = std::max(most, feed.waiting_contents());

        Bytes saved;
        feed.save(saved);
        // Beside the entries, each transaction has some numbers and hashes of its own.
        EXPECT_LE(saved.size(), empty.size() + rules.merge.max_waiting * kContentBytesPerWaiting +
                                    40 * std::size_t{512});
    }
    EXPECT_TRUE(has_cleared);
    EXPECT_GT(most, 1u) << "what is within the bound waits";
}

TEST(LaneFeed, the_same_block_again_is_known_before_and_after_it_is_merged) {
    LaneFeed feed(rules_of(1));
    EXPECT_EQ(offer(feed, make_leading(1, {0})), Offered::taken);
    EXPECT_EQ(offer(feed, make_leading(1, {0})), Offered::known);
    ASSERT_TRUE(feed.next().has_value());
    EXPECT_EQ(offer(feed, make_leading(1, {0})), Offered::known);
    EXPECT_EQ(offer(feed, make_block(3, 1)), Offered::no_lane);
    EXPECT_EQ(offer(feed, make_leading(0, {0})), Offered::no_lane);
}

/// Or memory would grow with the chain, for evidence that nobody waits for.
TEST(LaneFeed, blocks_of_long_ago_are_known_whatever_they_are) {
    constexpr std::uint64_t kMany = 1'100;
    LaneFeed feed(rules_of(1));
    for (std::uint64_t height = 1; height <= kMany; ++height) {
        ASSERT_EQ(offer(feed, make_leading(height, {0})), Offered::taken);
        ASSERT_TRUE(feed.next().has_value());
    }
    EXPECT_EQ(offer(feed, make_leading(1, {0}, {Bytes{1}})), Offered::known);
    EXPECT_EQ(feed.held_bytes(), 0u);
    EXPECT_FALSE(feed.offer(make_leading(kMany - 1, {0}, {Bytes{1}})).has_value());
}

TEST(LaneFeed, two_blocks_of_one_height_end_it_with_the_evidence) {
    for (const bool is_merged : {false, true}) {
        LaneFeed feed(rules_of(2));
        offer(feed, make_leading(1, {0, 1}));
        offer(feed, make_block(1, 1));
        if (is_merged) ASSERT_TRUE(feed.next().has_value());

        const auto second = feed.offer(make_block(1, 1, {{1}}));

        ASSERT_FALSE(second.has_value());
        EXPECT_EQ(second.error().lane, 1);
        EXPECT_EQ(second.error().height, 1u);
        EXPECT_NE(second.error().first, second.error().second);
        EXPECT_THAT(to_string(second.error()), HasSubstr("lane 1 has two blocks of height 1"));
        EXPECT_EQ(feed.evidence(), second.error());
        EXPECT_FALSE(feed.offer(make_leading(2, {0, 1})).has_value());
        EXPECT_FALSE(feed.next().has_value());
    }
}

TEST(LaneFeed, holds_no_more_than_it_may_but_always_takes_what_is_missing) {
    FeedRules rules = rules_of(2);
    rules.cut.max_blocks = 2;
    rules.max_blocks_ahead = 5;
    rules.max_bytes_ahead = 2'000;
    LaneFeed feed(rules);
    EXPECT_EQ(offer(feed, make_block(1, 6)), Offered::too_far);
    EXPECT_EQ(offer(feed, make_block(1, 5, {Bytes(1'900, 1)})), Offered::taken);
    EXPECT_EQ(offer(feed, make_block(1, 4, {Bytes(100, 1)})), Offered::too_far);
    // Nobody has said that it is wanted.
    EXPECT_EQ(offer(feed, make_block(1, 1, {Bytes(100, 1)})), Offered::too_far);
    EXPECT_LE(feed.held_bytes(), 2'000u);

    offer(feed, make_leading(1, {0, 2}));
    EXPECT_EQ(offer(feed, make_block(1, 2, {Bytes(100, 1)})), Offered::too_far);
    EXPECT_EQ(offer(feed, make_block(1, 1, {Bytes(100, 1)})), Offered::taken);
    EXPECT_EQ(offer(feed, make_block(1, 2, {Bytes(100, 1)})), Offered::taken);
    EXPECT_LE(feed.held_bytes(), 2'500u);
    ASSERT_TRUE(feed.next().has_value());

    EXPECT_EQ(offer(feed, make_block(1, 4)), Offered::taken);
}

/// A lane that has gone on while the leading one did not may have many large blocks.
TEST(LaneFeed, a_cut_goes_on_by_no_more_bytes_than_it_may) {
    constexpr std::size_t kLarge = 1'000;
    FeedRules rules = rules_of(2);
    rules.cut.max_bytes = 2'500;
    rules.max_bytes_ahead = 0;
    LaneFeed feed(rules);
    std::vector<std::uint64_t> heights;
    std::size_t most = 0;
    for (std::uint64_t number = 1; number <= 5; ++number) {
        offer(feed, make_leading(number, {number, 6}));
        while (const auto missing = feed.missing()) {
            // The fourth has more than all that a cut may have.
            const std::size_t size = missing->height == 4 ? 3 * kLarge : kLarge;
            ASSERT_EQ(offer(feed, make_block(1, missing->height, {Bytes(size, 1)})),
                      Offered::taken);
            most = std::max(most, feed.held_bytes());
        }
        const auto merged = feed.next();
        ASSERT_TRUE(merged.has_value());
        heights.push_back(merged->cut.heights[1]);
    }
    EXPECT_THAT(heights, ElementsAre(3, 4, 6, 6, 6));
    EXPECT_LE(most, 2'500 + kLarge) << "not all six";
}

/// Whole logs: entries late, missing, twice, broken; cuts that name what they like.
std::vector<LaneBlock> any_logs(Random& random, std::size_t lane_count) {
    const std::uint64_t heights = 3 + random.below(8);
    std::vector<std::vector<std::vector<Bytes>>> items(
        lane_count, std::vector<std::vector<Bytes>>(heights + 1));
    const std::uint32_t missing = random.below(2) * 15;
    for (std::uint64_t number = 1; number <= 30; ++number) {
        std::set<std::uint64_t> accounts;
        for (std::uint32_t i = 0; i <= random.below(3); ++i)
            accounts.insert(random.below(8));
        const Entry entry = make_entry(number, lane_count, accounts);
        const std::uint64_t base = 1 + random.below(static_cast<std::uint32_t>(heights));
        for (LaneNumber lane = 0; lane < LaneNumber(lane_count); ++lane) {
            if (!lanes_of(entry.placement).has(lane) || random.below(100) < missing) continue;
            const std::uint64_t height = std::min<std::uint64_t>(base + random.below(3), heights);
            items[lane][height].push_back(encode(entry));
            if (random.below(10) == 0) items[lane][height].push_back(encode(entry));
            if (random.below(20) == 0) items[lane][height].push_back({9, 9, 9});
        }
    }
    std::vector<LaneBlock> blocks;
    for (LaneNumber lane = 0; lane < LaneNumber(lane_count); ++lane)
        for (std::uint64_t height = 1; height <= heights; ++height) {
            LaneBlock& block = blocks.emplace_back(make_block(lane, height, items[lane][height]));
            if (lane != 0) continue;
            Cut& cut = block.cut.emplace();
            cut.heights.assign(lane_count, height == heights ? heights : 0);
            for (std::uint64_t& seen : cut.heights)
                seen = std::max(seen, height - std::min<std::uint64_t>(height, random.below(4)));
            cut.silent = LaneSet{random.below(10) == 0 ? random.below(8) : 0};
        }
    return blocks;
}

/// Blocks come shuffled and twice, merged whenever something can be.
std::vector<MergedBlock> merge_all(std::vector<LaneBlock> blocks, const FeedRules& rules,
                                   Random& random) {
    for (std::size_t i = blocks.size(); i > 1; --i)
        std::swap(blocks[i - 1], blocks[random.below(static_cast<std::uint32_t>(i))]);
    LaneFeed feed(rules);
    std::vector<MergedBlock> result;
    for (const LaneBlock& block : blocks) {
        offer(feed, block);
        if (random.below(3) == 0) EXPECT_EQ(offer(feed, block), Offered::known);
        if (random.below(2) == 0) continue;
        while (auto merged = feed.next())
            result.push_back(*std::move(merged));
    }
    while (auto merged = feed.next())
        result.push_back(*std::move(merged));
    return result;
}

void expect_same(const MergedBlock& a, const MergedBlock& b) {
    ASSERT_EQ(a.number, b.number);
    ASSERT_EQ(a.time_ms, b.time_ms);
    ASSERT_EQ(a.cut, b.cut);
    ASSERT_EQ(a.refused, b.refused);
    ASSERT_EQ(a.ignored_entries, b.ignored_entries);
    ASSERT_EQ(a.is_clearing, b.is_clearing);
    ASSERT_EQ(a.order.size(), b.order.size());
    for (std::size_t i = 0; i < a.order.size(); ++i) {
        ASSERT_EQ(a.order[i].digest, b.order[i].digest);
        ASSERT_EQ(a.order[i].payload, b.order[i].payload);
    }
    ASSERT_EQ(a.rejected.size(), b.rejected.size());
    for (std::size_t i = 0; i < a.rejected.size(); ++i) {
        ASSERT_EQ(a.rejected[i].digest, b.rejected[i].digest);
        ASSERT_EQ(a.rejected[i].reason, b.rejected[i].reason);
        ASSERT_EQ(a.rejected[i].missing, b.rejected[i].missing);
    }
}

TEST(LaneFeed, every_replica_gives_the_same_blocks_whatever_came_first) {
    std::size_t transactions = 0;
    const std::uint64_t begin = heddle::test::announced_seed(11'23);
    for (std::uint64_t seed = begin; seed < begin + 5'000; ++seed) {
        SCOPED_TRACE("HEDDLE_TEST_SEED=" + std::to_string(seed));
        Random random(seed);
        const std::size_t lane_count = 1 + random.below(4);
        FeedRules rules = rules_of(lane_count);
        rules.merge.max_age_cuts = 1 + random.below(4);
        rules.merge.max_held_cuts = 1 + random.below(4);
        const std::vector<LaneBlock> blocks = any_logs(random, lane_count);

        const std::vector<MergedBlock> first = merge_all(blocks, rules, random);
        const std::vector<MergedBlock> second = merge_all(blocks, rules, random);

        ASSERT_EQ(first.size(), second.size());
        for (std::size_t i = 0; i < first.size(); ++i)
            ASSERT_NO_FATAL_FAILURE(expect_same(first[i], second[i]));
        for (const MergedBlock& block : first)
            transactions += block.order.size();
        ASSERT_EQ(first.size(), blocks.size() / lane_count);
    }
    EXPECT_GT(transactions, 30'000u);
}

}  // namespace
}  // namespace heddle::consensus_adapter::lanes
