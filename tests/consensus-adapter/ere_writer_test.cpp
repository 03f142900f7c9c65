// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <consensus_adapter/ere_writer.hpp>
#include <types/ordered_root.hpp>

#include "era_samples.hpp"
#include "ere_file.hpp"
#include "sample_blocks.hpp"
#include "scratch_file.hpp"

namespace heddle::consensus_adapter {
namespace {

struct Chain {
    std::vector<Block> blocks;
    std::vector<std::vector<Receipt>> receipts;
    std::vector<Uint256> total_difficulties;
};

/// Blocks `first` to `last`, those from `merge` on without a difficulty.
Chain make_chain(std::uint64_t first, std::uint64_t last, std::uint64_t merge) {
    Chain chain;
    Uint256 total{first};
    for (std::uint64_t number = first; number <= last; ++number) {
        Block block = test::sample_block(number, number % 3);
        if (number >= merge) block.header.difficulty = {};
        total += block.header.difficulty;
        auto& receipts = chain.receipts.emplace_back(block.transactions.size());
        std::vector<Bytes> encoded;
        for (std::size_t i = 0; i < receipts.size(); ++i) {
            if (number < merge) receipts[i].post_state = to_hash(Uint256{number});
            receipts[i].success = i == 0;
            receipts[i].cumulative_gas_used = 21'000 * (i + 1);
            receipts[i].logs = {{address_from_low64(number), {}, Bytes(100'000, 7)}};
            receipts[i].bloom = logs_bloom(receipts[i].logs);
            encode_receipt(receipts[i], encoded.emplace_back());
        }
        block.header.receipts_root = ordered_root(encoded);
        chain.blocks.push_back(std::move(block));
        chain.total_difficulties.push_back(total);
    }
    return chain;
}

Bytes write(const Chain& chain) {
    Bytes file;
    EreWriter writer{[&](BytesView bytes) { file.insert(file.end(), bytes.begin(), bytes.end()); }};
    for (const Block& block : chain.blocks)
        writer.add_header(block.header);
    for (const Block& block : chain.blocks)
        writer.add_body(block);
    for (const auto& receipts : chain.receipts)
        writer.add_receipts(receipts);
    if (writer.has_difficulties())
        for (const Uint256& total : chain.total_difficulties)
            writer.add_total_difficulty(total);
    writer.finish();
    return file;
}

/// The reader compares receipts, difficulties, accumulator and index.
TEST(EreWriter, writes_what_is_read_again_before_over_and_after_the_merge) {
    for (const std::uint64_t merge : {0u, 8'195u, 9'999u}) {
        const Chain chain = make_chain(8'192, 8'198, merge);
        const test::ScratchFile scratch{write(chain)};
        const auto file = open_ere_file(*FileReader::open(scratch.path()), {});
        ASSERT_TRUE(file.has_value()) << to_string(file.error());
        const test::ReadResult result = test::read_all(**file);
        EXPECT_FALSE(result.error.has_value()) << to_string(*result.error);
        EXPECT_EQ(result.blocks, chain.blocks);
    }
}

// A genesis may have no difficulty although the blocks after it are mined.
TEST(EreWriter, counts_the_blocks_that_have_a_difficulty_wherever_they_stand) {
    Chain chain = make_chain(0, 3, 99);
    chain.blocks[0].header.difficulty = {};
    for (Uint256& total : chain.total_difficulties)
        total = total - Uint256{1};
    const test::ScratchFile scratch{write(chain)};
    const auto file = open_ere_file(*FileReader::open(scratch.path()), {});
    ASSERT_TRUE(file.has_value()) << to_string(file.error());
    const test::ReadResult result = test::read_all(**file);
    EXPECT_FALSE(result.error.has_value()) << to_string(*result.error);
    EXPECT_EQ(result.blocks, chain.blocks);
}

TEST(EreWriter, has_difficulties_only_where_a_block_is_from_before_the_merge) {
    const auto types_of = [](const Bytes& file) {
        std::vector<int> types;
        for (std::size_t at = 0; at < file.size();) {
            std::size_t size = 0;
            for (std::size_t i = 4; i > 0; --i)
                size = size << 8 | file[at + 1 + i];
            types.push_back(file[at] | file[at + 1] << 8);
            at += 8 + size;
        }
        return types;
    };
    EXPECT_EQ(types_of(write(make_chain(0, 1, 1))),
              (std::vector<int>{0x3265, 3, 3, 4, 4, 10, 10, 6, 6, 7, 0x3267}));
    EXPECT_EQ(types_of(write(make_chain(0, 1, 0))),
              (std::vector<int>{0x3265, 3, 3, 4, 4, 10, 10, 0x3267}));
}

}  // namespace
}  // namespace heddle::consensus_adapter
