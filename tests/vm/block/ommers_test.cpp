// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <gtest/gtest.h>

#include "chain_fixture.hpp"

namespace heddle::vm {
namespace {

/// Eight blocks; the next block's ancestors, its parent first.
class Ommers : public testing::Test {
protected:
    const ChainConfig config_ = test::config_at(Revision::istanbul);
    std::vector<Ancestor> ancestors_;
    BlockHeader block_;

    void SetUp() override {
        BlockHeader header = test::parent_at(Revision::istanbul);
        for (int i = 0; i < 8; ++i) {
            ancestors_.insert(ancestors_.begin(), {header, header_hash(header), {}});
            header = test::child_of(header, config_, false);
        }
        block_ = header;
    }

    /// A block beside the chain whose parent is `generation` blocks before block_; 1: its parent.
    BlockHeader ommer_on(std::size_t generation) const {
        BlockHeader ommer = test::child_of(ancestors_.at(generation - 1).header, config_, false);
        ommer.extra_data = {0x0b};
        return ommer;
    }

    bool is_valid(const std::vector<BlockHeader>& ommers) const {
        const auto result = validate_ommers(block_, ommers, ancestors_, config_);
        EXPECT_TRUE(result.has_value() || result.error().code == BlockErrorCode::invalid_ommers);
        return result.has_value();
    }
};

TEST_F(Ommers, may_hang_on_the_second_to_the_seventh_generation) {
    EXPECT_FALSE(is_valid({ommer_on(1)}));
    for (std::size_t generation = 2; generation <= 7; ++generation)
        EXPECT_TRUE(is_valid({ommer_on(generation)})) << generation;
    EXPECT_FALSE(is_valid({ommer_on(8)}));
}

TEST_F(Ommers, are_two_at_most_and_distinct) {
    EXPECT_TRUE(is_valid({ommer_on(2), ommer_on(3)}));
    EXPECT_FALSE(is_valid({ommer_on(2), ommer_on(2)}));
    EXPECT_FALSE(is_valid({ommer_on(2), ommer_on(3), ommer_on(4)}));
}

TEST_F(Ommers, are_no_ancestors) {
    EXPECT_FALSE(is_valid({ancestors_[0].header}));
    EXPECT_FALSE(is_valid({ancestors_[3].header}));
}

TEST_F(Ommers, are_included_once) {
    const BlockHeader ommer = ommer_on(4);
    ancestors_[1].ommers.push_back(header_hash(ommer));

    EXPECT_FALSE(is_valid({ommer}));
}

TEST_F(Ommers, are_valid_children_of_their_own_parent) {
    BlockHeader ommer = ommer_on(3);
    ommer.difficulty += Uint256{1};

    EXPECT_FALSE(is_valid({ommer}));
}

}  // namespace
}  // namespace heddle::vm
