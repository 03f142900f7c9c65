// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Merged order against an oracle that looks at every pair, over logs out of seeds.
#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include <consensus_adapter/lanes/merger.hpp>
#include <workload/random.hpp>

#include "announced_seed.hpp"
#include "cut_material.hpp"
#include "merge_oracle.hpp"
#include "random_logs.hpp"

namespace heddle::consensus_adapter::lanes {
namespace {

using test::LaneLogs;
using test::MergeOracle;
using workload::Random;

std::uint64_t first_seed() {
    return heddle::test::announced_seed(20'261'123);
}

std::vector<Hash> digests(const std::vector<MergedTransaction>& order) {
    std::vector<Hash> result;
    result.reserve(order.size());
    for (const MergedTransaction& transaction : order)
        result.push_back(transaction.digest);
    return result;
}

/// Who was rejected is told in no particular order.
auto rejections(const MergedCut& cut) {
    std::vector<std::tuple<Hash, TransactionId, std::uint64_t, RejectionReason, std::uint64_t>>
        result;
    for (const RejectedTransaction& one : cut.rejected)
        result.emplace_back(one.digest, one.id, one.content, one.reason, one.missing.bits());
    std::ranges::sort(result);
    return result;
}

void expect_equal(const MergedCut& found, const MergedCut& wanted) {
    ASSERT_EQ(digests(found.order), digests(wanted.order));
    for (std::size_t i = 0; i < found.order.size(); ++i) {
        ASSERT_EQ(found.order[i].content, wanted.order[i].content);
        ASSERT_EQ(found.order[i].id, wanted.order[i].id);
    }
    ASSERT_EQ(rejections(found), rejections(wanted));
    ASSERT_EQ(found.ignored_entries, wanted.ignored_entries);
    ASSERT_EQ(found.components, wanted.components);
    ASSERT_EQ(found.component_members, wanted.component_members);
    ASSERT_EQ(found.largest_component, wanted.largest_component);
    ASSERT_EQ(found.is_clearing, wanted.is_clearing);
}

/// Conflicting accesses of one lane are in its order, unless they are in one component.
void expect_order_of_lanes(const MergeOracle& oracle, const std::vector<MergedCut>& cuts) {
    std::map<Hash, std::size_t> place;
    for (const MergedCut& cut : cuts)
        for (const MergedTransaction& transaction : cut.order)
            ASSERT_TRUE(place.emplace(transaction.digest, place.size()).second);
    const auto& all = oracle.transactions();
    const auto conflict = [](const auto& a, const auto& b) {
        return std::ranges::any_of(a.accesses, [&](const LaneAccess& access) {
            return std::ranges::any_of(b.accesses, [&](const LaneAccess& other) {
                return access.object == other.object && (access.is_exclusive || other.is_exclusive);
            });
        });
    };
    for (const auto& log : oracle.logs())
        for (std::size_t later = 0; later < log.size(); ++later)
            for (std::size_t earlier = 0; earlier < later; ++earlier) {
                const auto& first = all[log[earlier].transaction];
                const auto& second = all[log[later].transaction];
                if (!conflict(log[earlier], log[later])) continue;
                const auto first_at = place.find(first.entry.digest);
                const auto second_at = place.find(second.entry.digest);
                if (first_at == place.end() || second_at == place.end()) continue;
                if (first.component == second.component) continue;
                ASSERT_LT(first_at->second, second_at->second);
            }
}

/// Complete ones commit once nothing is incomplete, and incomplete ones never.
void expect_complete_commit(const MergeOracle& oracle, const std::vector<MergedCut>& cuts) {
    std::map<Hash, int> times;
    for (const MergedCut& cut : cuts)
        for (const MergedTransaction& transaction : cut.order)
            ++times[transaction.digest];
    for (const auto& transaction : oracle.transactions()) {
        const bool is_complete = transaction.seen == transaction.entry.lanes;
        const int count =
            times.contains(transaction.entry.digest) ? times.at(transaction.entry.digest) : 0;
        ASSERT_LE(count, 1);
        if (!is_complete) {
            ASSERT_EQ(count, 0);
        } else if (!transaction.is_rejected && transaction.content != 0) {
            ASSERT_EQ(count, 1);
        }
    }
}

void run_case(std::uint64_t seed) {
    Random random(seed);
    const test::LogShape shape = test::any_shape(random);
    const MergeRules rules = test::any_rules(random, shape.lanes);
    LaneLogs logs = test::make_logs(shape, random);
    // As long as something may wait, and one more.
    for (std::size_t i = 0; i <= rules.max_age_cuts; ++i) {
        logs.cuts.emplace_back(shape.lanes);
        logs.silent.emplace_back();
    }
    Merger merger(rules);
    MergeOracle oracle(rules);

    const std::vector<MergedCut> cuts = test::merge_all(merger, logs);

    for (std::size_t cut = 0; cut < cuts.size(); ++cut)
        ASSERT_NO_FATAL_FAILURE(
            expect_equal(cuts[cut], oracle.merge(logs.cuts[cut], logs.silent[cut])))
            << "cut " << cut;
    ASSERT_NO_FATAL_FAILURE(expect_order_of_lanes(oracle, cuts));
    ASSERT_NO_FATAL_FAILURE(expect_complete_commit(oracle, cuts));
    ASSERT_EQ(merger.memory().waiting, 0u);
    ASSERT_EQ(merger.memory().incomplete, 0u);
}

MergedCut merge_cut(Merger& merger, const LaneLogs& logs, std::size_t cut) {
    std::vector<std::vector<const MergeBlock*>> lanes;
    for (const MergeBlock& block : logs.cuts[cut])
        lanes.push_back({&block});
    return merger.merge(lanes, logs.silent[cut]);
}

Merger restored(const Merger& merger, const MergeRules& rules) {
    Bytes bytes;
    merger.save(bytes);
    auto result = Merger::restore(rules, bytes);
    if (!result.has_value()) throw std::runtime_error("a merger cannot read what it has saved");
    return *std::move(result);
}

TEST(MergerCheckpoint, goes_on_from_any_cut_as_if_nothing_had_been_saved) {
    constexpr std::uint64_t kCases = 10'000;
    const std::uint64_t first = first_seed();
    for (std::uint64_t seed = first; seed < first + kCases; ++seed) {
        SCOPED_TRACE("HEDDLE_TEST_SEED=" + std::to_string(seed));
        Random random(seed);
        const test::LogShape shape = test::any_shape(random);
        const MergeRules rules = test::any_rules(random, shape.lanes);
        const LaneLogs logs = test::make_logs(shape, random);
        Merger merger(rules);
        Merger other(rules);
        for (std::size_t cut = 0; cut < logs.cuts.size(); ++cut) {
            const MergedCut wanted = merge_cut(merger, logs, cut);
            ASSERT_NO_FATAL_FAILURE(expect_equal(merge_cut(other, logs, cut), wanted))
                << "cut " << cut;
            other = restored(other, rules);
            ASSERT_EQ(other.memory().waiting, merger.memory().waiting);
            ASSERT_EQ(other.memory().incomplete, merger.memory().incomplete);
            ASSERT_EQ(other.memory().known, merger.memory().known);
            ASSERT_LE(other.memory().records, merger.memory().records);
        }
    }
}

/// What is not refused is merged on: whatever it says, no more than another order comes of it.
/// Four lanes with more objects than one merger keeps before it forgets those that are decided. Of
/// the transactions a third has two homes, and an entry in eight comes up to three cuts late.
std::vector<test::CutMaterial> make_large_cuts(std::uint64_t seed) {
    constexpr std::size_t kCuts = 24;
    workload::Random random(seed);
    std::vector<test::CutMaterial> cuts(kCuts + 3, test::CutMaterial(4));
    std::uint64_t number = 0;
    for (std::size_t cut = 0; cut < kCuts; ++cut)
        for (int i = 0; i < 1'500; ++i) {
            const std::uint32_t first = random.below(4);
            const std::uint32_t second = random.below(3) == 0 ? random.below(4) : first;
            MergeEntry entry{{++number, 0}, test::digest_of(number), {}, number};
            for (const std::uint32_t lane : {first, second})
                entry.lanes.add(static_cast<LaneNumber>(lane));
            for (const std::uint32_t lane : {first, second}) {
                std::vector<LaneAccess> accesses;
                for (int access = 0; access < 8; ++access) {
                    const bool is_hot = random.below(8) == 0;
                    const std::uint64_t object = random.below(is_hot ? 400 : 30'000);
                    accesses.push_back({test::object_of(object), random.below(2) == 0});
                }
                const std::size_t late = random.below(8) == 0 ? random.below(4) : 0;
                cuts[cut + late].block(static_cast<LaneNumber>(lane)).add(entry, accesses);
                if (first == second) break;
            }
        }
    return cuts;
}

TEST(MergerCheckpoint, has_all_that_a_merger_of_many_objects_needs) {
    MergeRules rules;
    rules.lane_count = 4;
    Merger one(rules);
    Merger other(rules);
    std::size_t most_records = 0;
    std::size_t waited = 0;
    for (const test::CutMaterial& cut : make_large_cuts(1)) {
        // A restored one knows no object but those that something waits on.
        Bytes bytes;
        other.save(bytes);
        std::optional<Merger> restored = Merger::restore(rules, bytes);
        ASSERT_TRUE(restored.has_value());
        other = std::move(*restored);
        ASSERT_EQ(test::numbers(cut.merge_with(one)), test::numbers(cut.merge_with(other)));
        ASSERT_EQ(one.memory().waiting, other.memory().waiting);
        most_records = std::max(most_records, one.memory().records);
        waited += one.memory().waiting;
    }
    EXPECT_GT(most_records, 30'000u);
    EXPECT_GT(one.work().record_moves, 50'000u);
    EXPECT_GT(waited, 10'000u);
}

TEST(MergerCheckpoint, of_damaged_bytes_is_refused_or_harmless) {
    constexpr std::uint64_t kCases = 4'000;
    std::size_t refused = 0;
    const std::uint64_t first = first_seed();
    for (std::uint64_t seed = first; seed < first + kCases; ++seed) {
        SCOPED_TRACE("HEDDLE_TEST_SEED=" + std::to_string(seed));
        Random random(seed);
        const test::LogShape shape = test::any_shape(random);
        const MergeRules rules = test::any_rules(random, shape.lanes);
        const LaneLogs logs = test::make_logs(shape, random);
        Merger merger(rules);
        const std::size_t middle = logs.cuts.size() / 2;
        for (std::size_t cut = 0; cut < middle; ++cut)
            (void)merge_cut(merger, logs, cut);
        Bytes bytes;
        merger.save(bytes);
        const auto size = static_cast<std::uint32_t>(bytes.size());
        bytes[random.below(size)] ^= static_cast<std::uint8_t>(1 + random.below(255));
        if (random.below(4) == 0) bytes.resize(random.below(size));
        auto damaged = Merger::restore(rules, bytes);
        if (!damaged.has_value()) {
            ++refused;
            continue;
        }
        for (std::size_t cut = middle; cut < logs.cuts.size(); ++cut)
            (void)merge_cut(*damaged, logs, cut);
    }
    EXPECT_GT(refused, kCases / 4);
}

TEST(MergerCheckpoint, belongs_to_its_rules) {
    MergeRules rules;
    rules.lane_count = 2;
    Bytes bytes;
    Merger(rules).save(bytes);
    EXPECT_TRUE(Merger::restore(rules, bytes).has_value());
    rules.max_age_cuts += 1;
    EXPECT_FALSE(Merger::restore(rules, bytes).has_value());
}

class MergedLogs : public testing::TestWithParam<std::uint64_t> {};

TEST_P(MergedLogs, are_what_looking_at_every_pair_gives) {
    constexpr std::uint64_t kCases = 15'000;
    const std::uint64_t seed = first_seed() + GetParam() * kCases;
    for (std::uint64_t i = 0; i < kCases; ++i) {
        SCOPED_TRACE("HEDDLE_TEST_SEED=" + std::to_string(seed + i));
        ASSERT_NO_FATAL_FAILURE(run_case(seed + i));
    }
}

/// 120,000 cases; in parts, so that they run beside each other.
INSTANTIATE_TEST_SUITE_P(Seeds, MergedLogs, testing::Range<std::uint64_t>(0, 8));

}  // namespace
}  // namespace heddle::consensus_adapter::lanes
