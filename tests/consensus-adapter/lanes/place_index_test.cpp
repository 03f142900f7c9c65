// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The index of places against a plain list of the same hashes.
#include "lanes/place_index.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <workload/random.hpp>

namespace heddle::consensus_adapter::lanes {
namespace {

std::uint32_t find(const PlaceIndex& index, const std::vector<std::uint64_t>& hashes,
                   std::uint32_t wanted) {
    return index.find(hashes[wanted], [&](std::uint32_t i) { return i == wanted; });
}

TEST(PlaceIndex, finds_all_that_was_put_in_however_much_it_has_grown) {
    workload::Random random(1);
    PlaceIndex index;
    std::vector<std::uint64_t> hashes;
    for (std::uint32_t i = 0; i < 50'000; ++i) {
        // Every third has the hash of an earlier one, and every fifth begins at the last places.
        std::uint64_t hash = std::uint64_t{random.below(0xffff'ffff)} << 32;
        hash |= random.below(1 << 30);
        if (i % 3 == 2) hash = hashes[random.below(i)];
        if (i % 5 == 4) hash |= 0xffff;
        hashes.push_back(hash);
        index.insert(hash);
        if ((i & (i + 1)) == 0)
            for (std::uint32_t before = 0; before <= i; ++before)
                ASSERT_EQ(find(index, hashes, before), before);
    }
    EXPECT_EQ(index.size(), hashes.size());
    for (std::uint32_t i = 0; i < hashes.size(); ++i)
        ASSERT_EQ(find(index, hashes, i), i);
    EXPECT_EQ(index.find(hashes[0], [](std::uint32_t) { return false; }), PlaceIndex::kAbsent);
    EXPECT_EQ(index.candidate(std::uint64_t{1} << 31), PlaceIndex::kAbsent);
}

TEST(PlaceIndex, has_what_it_is_made_anew_of_and_nothing_else) {
    PlaceIndex index;
    for (std::uint64_t i = 0; i < 10'000; ++i)
        index.insert(i);

    for (const std::size_t room : {std::size_t{20'000}, std::size_t{0}}) {
        index.rebuild_for(100, room, [](std::uint32_t i) { return 9'900 + i; });

        EXPECT_EQ(index.size(), 100u);
        for (std::uint64_t i = 0; i < 10'000; ++i) {
            const auto expected =
                i < 9'900 ? PlaceIndex::kAbsent : static_cast<std::uint32_t>(i - 9'900);
            ASSERT_EQ(index.candidate(i), expected);
        }
        // As many more find room as before.
        for (std::uint64_t i = 0; i < 9'900; ++i)
            index.insert(20'000 + i);
        EXPECT_EQ(index.candidate(29'899), 9'999u);
    }
}

}  // namespace
}  // namespace heddle::consensus_adapter::lanes
