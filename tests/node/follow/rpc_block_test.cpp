// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks rebuilt from JSON: equal to those that the JSON was made of, for every type of transaction
// and every fork, and never silently another.
#include "follow/rpc_block.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <consensus_adapter/archive.hpp>
#include <consensus_adapter/block_source.hpp>

#include "fixtures.hpp"
#include "formats/json_writer.hpp"
#include "program/error.hpp"
#include "rpc/queries/codec.hpp"

namespace heddle::node::follow {
namespace {

using heddle::test::fixture_archive;
using heddle::test::missing_fixture_message;
using testing::HasSubstr;

std::string json_of(Block& block) {
    for (Transaction& tx : block.transactions)
        if (!tx.sender.has_value()) tx.sender = recover_sender(tx);
    std::string text;
    JsonWriter out{text, JsonWriter::Style::compact};
    rpc::write_block(block, header_hash(block.header), true, 0, out);
    return text;
}

/// The block as JSON, and back.
Block rebuilt(Block& block) {
    JsonParser parser;
    RebuiltBlock result = rebuild_block(parser.parse(json_of(block), "block"));
    EXPECT_EQ(result.ommers.size(), block.ommers.size());
    for (std::size_t i = 0; i < block.ommers.size(); ++i) {
        std::string text;
        JsonWriter out{text, JsonWriter::Style::compact};
        rpc::write_ommer(block.ommers[i], out);
        JsonParser of_ommer;
        result.block.ommers.push_back(
            rebuild_ommer(of_ommer.parse(text, "ommer"), result.ommers[i]));
    }
    return result.block;
}

Bytes encode(const Block& block) {
    Bytes bytes;
    encode_block(block, bytes);
    return bytes;
}

class RebuiltChains : public testing::TestWithParam<std::string> {};

TEST_P(RebuiltChains, have_the_same_bytes) {
    const std::string archive = GetParam().substr(0, GetParam().find('/'));
    const auto folder = fixture_archive(archive);
    if (!folder.has_value()) GTEST_SKIP() << missing_fixture_message(archive);
    const auto source =
        consensus_adapter::make_archive_source({(*folder / GetParam() / "chain.rlp").native()}, {});
    std::size_t blocks = 0;
    std::array<std::size_t, 5> types{};
    ASSERT_TRUE(source.has_value());
    while (auto ordered = (*source)->next()) {
        Block block{ordered->start.header, std::move(ordered->transactions), ordered->start.ommers,
                    ordered->start.withdrawals};
        const Bytes bytes = encode(block);
        for (const Transaction& tx : block.transactions)
            ++types[static_cast<std::size_t>(tx.type)];
        ASSERT_EQ(encode(rebuilt(block)), bytes) << "block " << block.header.number;
        ++blocks;
    }
    EXPECT_GT(blocks, 50u);
    EXPECT_THAT(types, testing::Each(testing::Gt(0u))) << "every type of transaction was there";
}
INSTANTIATE_TEST_SUITE_P(Fixtures, RebuiltChains,
                         testing::Values("rpc-tests/.", "chains/hivechain-300"),
                         [](const auto& info) {
                             return info.param.starts_with("rpc") ? "fifty_four_blocks" : "hive";
                         });

Block sample() {
    Block block;
    block.header.number = 5;
    block.header.base_fee_per_gas = Uint256{7};
    block.header.withdrawals_root = kEmptyTrieRoot;
    block.withdrawals = {{.index = 1, .validator_index = 2, .address = {}, .amount = 3}};
    BlockHeader ommer;
    ommer.number = 4;
    block.ommers = {ommer};
    Transaction& tx = block.transactions.emplace_back();
    tx.chain_id = 1;
    tx.gas_limit = 21'000;
    tx.to = address_from_low64(9);
    tx.r = Uint256{1};
    tx.s = Uint256{1};
    tx.sender = address_from_low64(1);
    return block;
}

TEST(RebuiltBlock, has_withdrawals_and_ommers) {
    Block block = sample();
    EXPECT_EQ(encode(rebuilt(block)), encode(block));
}

/// Whatever is changed on the way, each in turn: it is found here, or it is none of the block's.
TEST(RebuiltBlock, is_refused_where_anything_was_changed) {
    Block block = sample();
    const std::string text = json_of(block);
    const Bytes bytes = encode(block);
    std::size_t refused = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        std::string changed = text;
        changed[i] = changed[i] == '1' ? '2' : '1';
        if (changed == text) continue;
        try {
            JsonParser parser;
            RebuiltBlock result = rebuild_block(parser.parse(changed, "block"));
            result.block.ommers = block.ommers;
            // Ommers and withdrawals are compared with the header by the executor.
            result.block.withdrawals = block.withdrawals;
            ASSERT_EQ(encode(result.block), bytes) << text.substr(i > 40 ? i - 40 : 0, 80);
        } catch (const InputError&) {
            ++refused;
        }
    }
    EXPECT_GT(refused, text.size() / 2);
}

TEST(RebuiltBlock, names_a_transaction_of_a_type_that_it_does_not_know) {
    Block block = sample();
    std::string text = json_of(block);
    const auto at = text.find(R"("type":"0x0")");
    ASSERT_NE(at, std::string::npos);
    text.replace(at, 12, R"("type":"0x7e")");
    JsonParser parser;
    try {
        (void)rebuild_block(parser.parse(text, "block"));
        FAIL();
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), HasSubstr("$.transactions[0].type"));
    }
}

TEST(RebuiltBlock, takes_no_other_ommer) {
    BlockHeader ommer;
    std::string text;
    JsonWriter out{text, JsonWriter::Style::compact};
    rpc::write_ommer(ommer, out);
    JsonParser parser;
    EXPECT_THROW((void)rebuild_ommer(parser.parse(text, "ommer"), Hash{}), InputError);
}

}  // namespace
}  // namespace heddle::node::follow
