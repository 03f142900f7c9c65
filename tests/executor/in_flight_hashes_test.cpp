// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "stream/in_flight_hashes.hpp"

#include <gtest/gtest.h>

#include "fakes.hpp"

namespace heddle::executor {
namespace {

const Hash kHash = to_hash(Uint256{1'000'007});

TEST(InFlightHashes, knows_accepted_blocks_from_the_other_side) {
    const test::FakeBlockHashes accepted;
    InFlightHashes hashes;
    hashes.attach(accepted);
    EXPECT_EQ(hashes.block_hash(7), accepted.block_hash(7));
}

TEST(InFlightHashes, knows_blocks_in_flight_itself) {
    const test::FakeBlockHashes accepted;
    InFlightHashes hashes;
    hashes.attach(accepted);
    hashes.add(7, kHash);
    EXPECT_EQ(hashes.block_hash(7), kHash);
    EXPECT_EQ(hashes.block_hash(6), accepted.block_hash(6));
}

TEST(InFlightHashes, asks_the_other_side_once_a_block_is_accepted) {
    const test::FakeBlockHashes accepted;
    InFlightHashes hashes;
    hashes.attach(accepted);
    hashes.add(7, kHash);
    hashes.remove(7);
    EXPECT_EQ(hashes.block_hash(7), accepted.block_hash(7));
}

TEST(InFlightHashes, forgets_everything_on_attach) {
    const test::FakeBlockHashes accepted;
    InFlightHashes hashes;
    hashes.attach(accepted);
    hashes.add(7, kHash);
    hashes.attach(accepted);
    EXPECT_EQ(hashes.block_hash(7), accepted.block_hash(7));
}

}  // namespace
}  // namespace heddle::executor
