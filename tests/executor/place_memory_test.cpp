// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "stream/place_memory.hpp"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace heddle::executor {
namespace {

using Place = std::vector<std::uint64_t>;

std::size_t bytes_of(const std::vector<Place>& places) {
    std::size_t bytes = 0;
    for (const Place& place : places)
        bytes += place.capacity() * sizeof(std::uint64_t);
    return bytes;
}

void fill(PlaceMemory& memory, Place& place, std::size_t count) {
    memory.clear(place);
    place.resize(count);
    memory.note(place);
}

TEST(PlaceMemory, a_place_keeps_what_it_has_while_all_have_little) {
    PlaceMemory memory;
    std::vector<Place> places(100);
    for (Place& place : places)
        fill(memory, place, 1'000);
    for (Place& place : places) {
        const std::uint64_t* const before = place.data();
        fill(memory, place, 900);
        EXPECT_EQ(place.data(), before);
    }
    EXPECT_EQ(memory.kept_bytes(), bytes_of(places));
}

// Thousands of places that each needed a hundred entries once kept them for ever.
TEST(PlaceMemory, what_all_places_keep_together_is_bounded) {
    PlaceMemory memory;
    std::vector<Place> places(16'384);
    for (Place& place : places)
        fill(memory, place, 120);
    ASSERT_GT(bytes_of(places), PlaceMemory::kMostBytes);

    for (Place& place : places)
        fill(memory, place, 2);

    EXPECT_LE(bytes_of(places), PlaceMemory::kMostBytes);
    EXPECT_EQ(memory.kept_bytes(), bytes_of(places));
}

}  // namespace
}  // namespace heddle::executor
