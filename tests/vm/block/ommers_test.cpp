// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <utility>
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

// Of a block without ancestors, whose reward depends on how old they are.
TEST_F(Ommers, have_by_themselves_a_hash_a_number_and_an_age) {
    Block block;
    block.header = block_;
    block.header.transactions_root = kEmptyTrieRoot;
    const auto code = [&](std::vector<BlockHeader> ommers) {
        block.ommers = std::move(ommers);
        block.header.ommers_hash = ommers_hash(block.ommers);
        const auto result = validate_body_roots(block, config_, false);
        return result.has_value() ? std::nullopt : std::optional{result.error().code};
    };

    EXPECT_EQ(code({ommer_on(2), ommer_on(7)}), std::nullopt);
    EXPECT_EQ(code({ommer_on(1)}), BlockErrorCode::invalid_ommers);
    EXPECT_EQ(code({ommer_on(8)}), BlockErrorCode::invalid_ommers);
    BlockHeader later = ommer_on(2);
    later.number = block_.number + 9;
    EXPECT_EQ(code({later}), BlockErrorCode::invalid_ommers);
    EXPECT_EQ(code({ommer_on(2), ommer_on(2)}), BlockErrorCode::invalid_ommers);
    EXPECT_EQ(code({ommer_on(2), ommer_on(3), ommer_on(4)}), BlockErrorCode::invalid_ommers);
    block.ommers.pop_back();
    const auto result = validate_body_roots(block, config_, false);
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().code, BlockErrorCode::invalid_ommers_hash);
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
