// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Against a map, and counting what a window full of versions costs.
#include "state/version_list.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace heddle::executor {
namespace {

/// Counts how often versions are copied or moved.
struct Version {
    Stamp stamp = 0;
    std::uint64_t value = 0;
    static inline std::size_t moves = 0;

    Version() = default;
    Version(Stamp its_stamp, std::uint64_t its_value) : stamp(its_stamp), value(its_value) {}
    Version(const Version& other) noexcept : stamp(other.stamp), value(other.value) { ++moves; }
    Version& operator=(const Version& other) noexcept {
        stamp = other.stamp;
        value = other.value;
        ++moves;
        return *this;
    }
};
using List = VersionList<Version>;

/// As many as the window has places.
constexpr std::uint64_t kWindow = 16'384;
/// One piece and what goes with it.
constexpr std::size_t kMovesPerCall = 3 * List::kPiece;

TEST(VersionList, gives_the_newest_before_a_limit) {
    List list;
    EXPECT_EQ(list.newest_before(100), nullptr);
    for (const Stamp stamp : {6u, 2u, 4u})
        list.insert({stamp, 10 * stamp});

    EXPECT_EQ(list.newest_before(2), nullptr);
    EXPECT_EQ(list.newest_before(3)->value, 20u);
    EXPECT_EQ(list.newest_before(4)->value, 20u);
    EXPECT_EQ(list.newest_before(5)->value, 40u);
    EXPECT_EQ(list.newest_before(7)->value, 60u);
    list.erase(2);
    EXPECT_EQ(list.newest_before(3), nullptr);
    EXPECT_EQ(list.newest_before(5)->value, 40u);
    list.erase(3);  // is not there
    list.erase(6);
    EXPECT_EQ(list.newest_before(9)->value, 40u);
    list.erase(4);
    EXPECT_TRUE(list.is_empty());
}

TEST(VersionList, does_what_a_map_does) {
    const std::uint64_t seed = std::random_device{}();
    SCOPED_TRACE(seed);
    std::mt19937_64 random{seed};
    for (const Stamp range : {4u, 40u, 400u, 4'000u}) {
        List list;
        std::map<Stamp, std::uint64_t> expected;
        for (std::uint64_t step = 0; step < 20'000; ++step) {
            const Stamp stamp = 1 + random() % range;
            const bool grows = step / 5'000 % 2 == 0;
            if (random() % 4 < (grows ? 3u : 1u)) {
                if (expected.try_emplace(stamp, step).second) list.insert({stamp, step});
            } else {
                const Stamp erased =
                    random() % 2 == 0 && !expected.empty() ? expected.begin()->first : stamp;
                expected.erase(erased);
                list.erase(erased);
            }
            const Stamp limit = random() % (range + 2);
            const auto after = expected.lower_bound(limit);
            const Version* const found = list.newest_before(limit);
            if (after == expected.begin()) {
                ASSERT_EQ(found, nullptr);
            } else {
                ASSERT_NE(found, nullptr);
                ASSERT_EQ(found->stamp, std::prev(after)->first);
                ASSERT_EQ(found->value, std::prev(after)->second);
            }
            ASSERT_EQ(list.is_empty(), expected.empty());
        }
        list.clear();
        EXPECT_TRUE(list.is_empty());
    }
}

/// Publishes in this order and commits in stream order. @return moves at most of one call, and all.
std::pair<std::size_t, std::size_t> count_moves(const std::vector<Stamp>& published) {
    List list;
    Version::moves = 0;
    std::size_t most = 0;
    auto note = [&, before = std::size_t{0}]() mutable {
        most = std::max(most, Version::moves - before);
        before = Version::moves;
    };
    for (const Stamp stamp : published) {
        list.insert({stamp, stamp});
        note();
    }
    for (Stamp stamp = 1; stamp <= published.size(); ++stamp) {
        list.erase(stamp);
        note();
    }
    EXPECT_TRUE(list.is_empty());
    return {most, Version::moves};
}

/// There are as many lists as cells, and each may have been hot once.
TEST(VersionList, keeps_next_to_nothing_when_its_versions_are_gone) {
    for (const Stamp count : {2u, 8u, 9u, 64u, 1'000u}) {
        List list;
        for (Stamp stamp = 1; stamp <= count; ++stamp)
            list.insert({stamp, 1});
        EXPECT_GE(list.capacity(), count - 1);
        for (Stamp stamp = 1; stamp <= count; ++stamp)
            list.erase(stamp);
        EXPECT_LE(list.capacity(), 8u) << count;
    }
}

TEST(VersionList, a_window_behind_a_straggler_costs_a_few_moves_each) {
    std::vector<Stamp> published;
    for (Stamp stamp = 1; stamp <= kWindow; ++stamp)
        published.push_back(stamp);

    const auto [most, all] = count_moves(published);

    EXPECT_LE(most, kMovesPerCall);
    EXPECT_LE(all, 8 * kWindow);
}

TEST(VersionList, a_window_that_comes_in_the_worst_order_costs_a_piece_each) {
    std::vector<Stamp> backwards;
    for (Stamp stamp = kWindow; stamp != 0; --stamp)
        backwards.push_back(stamp);
    std::vector<Stamp> halves;  // the later half first
    for (Stamp stamp = 1; stamp <= kWindow; ++stamp)
        halves.push_back((stamp + kWindow / 2 - 1) % kWindow + 1);
    std::vector<Stamp> inside = backwards;
    const std::uint64_t seed = std::random_device{}();
    SCOPED_TRACE(seed);
    std::shuffle(inside.begin(), inside.end(), std::mt19937_64{seed});

    for (const std::vector<Stamp>& published : {backwards, halves, inside}) {
        const auto [most, all] = count_moves(published);
        EXPECT_LE(most, kMovesPerCall);
        EXPECT_LE(all, kWindow * List::kPiece);
    }
}

}  // namespace
}  // namespace heddle::executor
