// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/block.hpp>

#include <gtest/gtest.h>

#include <types/signing.hpp>

namespace heddle {
namespace {

// Block 0 of Ethereum mainnet.
BlockHeader mainnet_genesis() {
    BlockHeader header;
    header.state_root =
        *hash_from_hex("d7f8974fb5ac78d9ac099b9ad5018bedc2ce0a72dad1827a1709da30580f0544");
    header.difficulty = Uint256{0x400000000};
    header.gas_limit = 5'000;
    header.extra_data =
        *from_hex("0x11bbe8db4e347b4e8c937c1c8370e4b5ed33adb3db69cbdb7a38e1e50b1b82fa");
    header.nonce[7] = 0x42;
    return header;
}

// Headers as they looked from each fork that added fields.
std::vector<BlockHeader> headers_of_all_forks() {
    std::vector<BlockHeader> headers;
    BlockHeader header = mainnet_genesis();
    header.number = 15'537'394;
    header.timestamp = 1'663'224'179;
    headers.push_back(header);
    header.base_fee_per_gas = Uint256{7};
    headers.push_back(header);
    header.withdrawals_root = kEmptyTrieRoot;
    headers.push_back(header);
    header.blob_gas_used = 131'072;
    header.excess_blob_gas = 0;
    header.parent_beacon_block_root = to_hash(Uint256{5});
    headers.push_back(header);
    header.requests_hash = kEmptyRequestsHash;
    headers.push_back(header);
    header.block_access_list_hash = kEmptyListHash;
    header.slot_number = 1'000;
    headers.push_back(header);
    return headers;
}

Bytes encoded(const BlockHeader& header) {
    Bytes out;
    encode_header(header, out);
    return out;
}

Bytes encoded(const Block& block) {
    Bytes out;
    encode_block(block, out);
    return out;
}

Transaction signed_example(TransactionType type) {
    Transaction tx;
    tx.type = type;
    tx.chain_id = 1;
    tx.gas_limit = 21'000;
    tx.to = address_from_low64(7);
    EXPECT_TRUE(sign_transaction(tx, to_hash(Uint256{1})));
    tx.sender.reset();
    return tx;
}

Block example_block() {
    Block block;
    block.header = headers_of_all_forks().back();
    for (std::uint8_t type = 0; type <= 4; ++type)
        block.transactions.push_back(signed_example(static_cast<TransactionType>(type)));
    block.ommers = headers_of_all_forks();
    block.withdrawals = {{1, 2, address_from_low64(3), 4}, {5, 6, address_from_low64(7), 0}};
    return block;
}

TEST(BlockHeader, hash_of_mainnet_genesis) {
    EXPECT_EQ(to_string(header_hash(mainnet_genesis())),
              "0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3");
}

TEST(BlockHeader, headers_of_all_forks_round_trip) {
    for (const BlockHeader& header : headers_of_all_forks())
        EXPECT_EQ(decode_header(encoded(header)), header);
}

TEST(BlockHeader, numbers_of_fields_of_no_fork_are_refused) {
    for (const BlockHeader& header : headers_of_all_forks()) {
        const Bytes bytes = encoded(header);
        rlp::Reader outer(bytes);
        rlp::Reader fields = *outer.read_list();
        std::vector<BytesView> items;
        while (!fields.at_end())
            items.push_back(*fields.read_raw());
        for (std::size_t count = 0; count <= items.size(); ++count) {
            Bytes cut;
            for (std::size_t i = 0; i < count; ++i)
                cut.insert(cut.end(), items[i].begin(), items[i].end());
            rlp::wrap_list(0, cut);
            const bool is_known = count >= 15 && count != 18 && count != 19 && count != 22;
            EXPECT_EQ(decode_header(cut).has_value(), is_known) << count;
        }
    }
    Bytes longest = encoded(headers_of_all_forks().back());
    longest.erase(longest.begin(), longest.begin() + 3);
    longest.push_back(0x80);
    rlp::wrap_list(0, longest);
    const auto header = decode_header(longest);
    ASSERT_FALSE(header.has_value());
    EXPECT_EQ(header.error().code, rlp::ErrorCode::trailing_bytes);
}

TEST(BlockHeader, every_cut_is_refused) {
    const Bytes bytes = encoded(headers_of_all_forks().back());
    for (std::size_t size = 0; size < bytes.size(); ++size)
        ASSERT_FALSE(decode_header({bytes.data(), size}).has_value()) << size;
}

TEST(Block, all_parts_round_trip) {
    const Block block = example_block();

    EXPECT_EQ(decode_block(encoded(block)), block);
}

TEST(Block, missing_withdrawals_differ_from_none) {
    Block block = example_block();
    block.withdrawals = std::vector<Withdrawal>{};
    EXPECT_EQ(decode_block(encoded(block)), block);
    block.withdrawals.reset();
    EXPECT_EQ(decode_block(encoded(block)), block);
}

TEST(Block, every_cut_and_every_addition_is_refused) {
    Bytes bytes = encoded(example_block());
    for (std::size_t size = 0; size < bytes.size(); ++size)
        ASSERT_FALSE(decode_block({bytes.data(), size}).has_value()) << size;
    bytes.push_back(0);
    EXPECT_FALSE(decode_block(bytes).has_value());
}

TEST(Block, error_names_the_transaction_and_its_place) {
    Block block;
    block.header = mainnet_genesis();
    block.transactions = {signed_example(TransactionType::legacy),
                          signed_example(TransactionType::dynamic_fee)};
    block.transactions[1].r = Uint256{};

    const auto decoded = decode_block(encoded(block));

    ASSERT_FALSE(decoded.has_value());
    EXPECT_EQ(decoded.error().part, BlockDecodeError::Part::transaction);
    EXPECT_EQ(decoded.error().index, 1u);
    EXPECT_EQ(decoded.error().transaction, TransactionDecodeError::invalid_signature);
    Bytes first;
    encode_transaction_item(block.transactions[0], first);
    // Three bytes of the block's prefix, the header, two of the prefix of the transactions.
    EXPECT_EQ(decoded.error().offset, 3 + encoded(block.header).size() + 2 + first.size());
    EXPECT_EQ(
        to_string(decoded.error()),
        "transaction 1 at byte " + std::to_string(decoded.error().offset) + ": invalid signature");
}

TEST(Block, error_in_the_header_says_so) {
    Bytes bytes = encoded(example_block());
    bytes[3 + 3] = 0xa1;  // behind both prefixes: the size of parent_hash

    const auto decoded = decode_block(bytes);

    ASSERT_FALSE(decoded.has_value());
    EXPECT_EQ(decoded.error().part, BlockDecodeError::Part::header);
    EXPECT_EQ(decoded.error().offset, 6u);
    EXPECT_EQ(to_string(decoded.error()), "header at byte 6: string of a wrong size");
}

// Every number as long as it can be, and `count` of whatever there may be several of.
Block widest_block(std::size_t count) {
    constexpr std::uint64_t kWide = ~std::uint64_t{0};
    const Uint256 wide = ~Uint256{0};
    BlockHeader header = headers_of_all_forks().back();
    header.difficulty = wide;
    header.number = header.gas_limit = header.gas_used = header.timestamp = kWide;
    header.base_fee_per_gas = wide;
    header.blob_gas_used = header.excess_blob_gas = header.slot_number = kWide;
    header.extra_data = Bytes(70'000, 0xff);
    Transaction tx{.type = TransactionType::blob,
                   .chain_id = kWide,
                   .nonce = kWide,
                   .max_fee_per_gas = wide,
                   .max_priority_fee_per_gas = wide,
                   .gas_limit = kWide,
                   .to = address_from_low64(1),
                   .value = wide,
                   .data = Bytes(70'000, 0xff),
                   .access_list = {count, AccessListEntry{{}, std::vector<Hash>(count)}},
                   .max_fee_per_blob_gas = wide,
                   .blob_versioned_hashes = std::vector<Hash>(count),
                   .authorization_list = {},
                   .y_parity = 1,
                   .r = wide,
                   .s = wide,
                   .sender = {},
                   .hash = {}};
    Block block{.header = header,
                .transactions = {count, tx},
                .ommers = {count, header},
                .withdrawals = {}};
    tx.type = TransactionType::set_code;
    tx.authorization_list = {count, Authorization{wide, {}, kWide, wide, wide, wide}};
    block.transactions.insert(block.transactions.end(), count, tx);
    tx.type = TransactionType::legacy;
    block.transactions.insert(block.transactions.end(), count, tx);
    block.withdrawals.emplace(count, Withdrawal{kWide, kWide, {}, kWide});
    return block;
}

TEST(Block, its_bound_of_size_holds_where_every_number_is_at_its_longest) {
    for (const std::size_t count : {0U, 1U, 2U, 40U}) {
        const Block block = widest_block(count);
        EXPECT_GE(encoded_size_bound(block), encoded(block).size()) << count;
    }
}

TEST(Block, its_bound_of_size_is_near_where_bytes_are_what_is_large) {
    Block block;
    for (const std::size_t length : {100'000U, 3'000'000U}) {
        block.transactions.emplace_back().data.assign(length, 0xff);
        EXPECT_LE(encoded_size_bound(block), encoded(block).size() + 2'000);
    }
}

TEST(Block, ommers_hash_is_that_of_their_list) {
    EXPECT_EQ(ommers_hash({}), kEmptyListHash);
    Bytes list = encoded(mainnet_genesis());
    rlp::wrap_list(0, list);
    EXPECT_EQ(ommers_hash({mainnet_genesis()}), keccak256(list));
}

}  // namespace
}  // namespace heddle
