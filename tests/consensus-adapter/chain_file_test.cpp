// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "chain_file.hpp"

#include <random>

#include <gtest/gtest.h>

#include "sample_blocks.hpp"
#include "scratch_file.hpp"

namespace heddle::consensus_adapter {
namespace {

struct ReadResult {
    std::vector<std::uint64_t> numbers;
    std::optional<SourceError> error;
};

ReadResult read_all(const Bytes& content, std::size_t max_block_bytes = 1 << 20) {
    const test::ScratchFile scratch{content};
    const auto file = open_chain_file(*FileReader::open(scratch.path()), max_block_bytes);
    ReadResult result;
    for (;;) {
        auto block = file->next({});
        if (!block.has_value()) {
            result.error = block.error();
            return result;
        }
        if (!block->has_value()) return result;
        result.numbers.push_back((*block)->block.header.number);
    }
}

TEST(ChainFile, gives_every_block_in_order) {
    const ReadResult result = read_all(test::sample_chain(1, 5));

    EXPECT_FALSE(result.error.has_value());
    EXPECT_EQ(result.numbers, (std::vector<std::uint64_t>{1, 2, 3, 4, 5}));
}

TEST(ChainFile, knows_offset_and_size_of_each_block) {
    const Bytes first = test::encode(test::sample_block(1, 2));
    Bytes content = first;
    encode_block(test::sample_block(2), content);
    const test::ScratchFile scratch{content};
    const auto file = open_chain_file(*FileReader::open(scratch.path()), 1 << 20);

    EXPECT_EQ(file->next({}).value()->encoded_size_bytes, first.size());
    const auto second = file->next({}).value();
    EXPECT_EQ(second->offset, first.size());
    EXPECT_EQ(second->encoded_size_bytes, content.size() - first.size());
    EXPECT_EQ(file->offset(), content.size());
}

TEST(ChainFile, says_where_it_is_cut_off) {
    Bytes content = test::sample_chain(1, 2);
    const std::size_t second = test::encode(test::sample_block(1, 1)).size();
    content.pop_back();

    const ReadResult result = read_all(content);

    ASSERT_TRUE(result.error.has_value());
    EXPECT_EQ(result.numbers.size(), 1u);
    EXPECT_EQ(result.error->code, FileFault::truncated);
    EXPECT_EQ(result.error->offset, second);
}

TEST(ChainFile, rejects_absurd_lengths_without_reading_on) {
    const ReadResult huge = read_all({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff});
    ASSERT_TRUE(huge.error.has_value());
    EXPECT_EQ(huge.error->code, FileFault::too_large);

    const ReadResult above = read_all(test::sample_chain(1, 1), 10);
    ASSERT_TRUE(above.error.has_value());
    EXPECT_EQ(above.error->code, FileFault::too_large);

    const ReadResult cut = read_all({0xf9, 0x01});
    ASSERT_TRUE(cut.error.has_value());
    EXPECT_EQ(cut.error->code, FileFault::truncated);
}

TEST(ChainFile, rejects_what_is_no_block) {
    Bytes content = test::sample_chain(1, 1);
    content.push_back(0x00);
    const ReadResult trailing = read_all(content);
    ASSERT_TRUE(trailing.error.has_value());
    EXPECT_EQ(trailing.error->code, ContentFault::malformed_block);

    const ReadResult empty_list = read_all({0xc0});
    ASSERT_TRUE(empty_list.error.has_value());
    EXPECT_EQ(empty_list.error->code, ContentFault::malformed_block);
}

TEST(ChainFile, blocks_before_damage_come_out_and_an_error_names_a_place_behind_them) {
    const Bytes content = test::sample_chain(1, 3);
    const std::vector<std::size_t> starts{0, test::sample_chain(1, 1).size(),
                                          test::sample_chain(1, 2).size()};
    std::mt19937 random{1};
    for (int i = 0; i < 1'000; ++i) {
        Bytes damaged = content;
        const std::size_t at = random() % damaged.size();
        damaged[at] = static_cast<std::uint8_t>(random());
        std::vector<std::uint64_t> intact;
        while (intact.size() < 2 && starts[intact.size() + 1] <= at)
            intact.push_back(intact.size() + 1);

        ReadResult result = read_all(damaged);

        ASSERT_GE(result.numbers.size(), intact.size()) << "byte " << at;
        if (result.error.has_value()) {
            EXPECT_GE(result.error->offset, starts[intact.size()]) << "byte " << at;
            EXPECT_LE(result.error->offset, content.size()) << "byte " << at;
        }
        result.numbers.resize(intact.size());
        EXPECT_EQ(result.numbers, intact) << "byte " << at;
    }
}

}  // namespace
}  // namespace heddle::consensus_adapter
