// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "cometbft/block_contents.hpp"

#include <gtest/gtest.h>

#include "fake_chain.hpp"

namespace heddle::consensus_adapter::cometbft {
namespace {

BlockContents read(const std::vector<Bytes>& items, bool stop_at_fault = false) {
    const std::vector<BytesView> views{items.begin(), items.end()};
    return read_contents(views, stop_at_fault);
}

Bytes preamble(std::vector<ObjectSet> sets = {}) {
    return encode_preamble({.beneficiary = address_from_low64(9),
                            .gas_limit = kGenesisGasLimit,
                            .object_sets = std::move(sets)});
}

Bytes blob_transaction() {
    Transaction tx = make_transaction(0);
    tx.type = TransactionType::blob;
    tx.blob_versioned_hashes.resize(1);
    tx.blob_versioned_hashes[0].bytes[0] = 1;
    Hash secret;
    secret.bytes[31] = 1;
    EXPECT_TRUE(sign_transaction(tx, secret));
    return encoded(tx);
}

TEST(BlockContents, transactions_come_with_their_sets) {
    const BlockContents contents =
        read({preamble({make_set(1, 2), make_set(2, 3)}), encoded(make_transaction(0)),
              encoded(make_transaction(1))});
    ASSERT_TRUE(contents.preamble.has_value());
    EXPECT_EQ(contents.preamble->beneficiary, address_from_low64(9));
    EXPECT_EQ(contents.item_count, 3u);
    EXPECT_EQ(contents.items, (std::vector<std::size_t>{1, 2}));
    EXPECT_EQ(contents.proposal.transactions,
              without_senders({make_transaction(0), make_transaction(1)}));
    EXPECT_EQ(contents.proposal.object_sets,
              (std::vector<ObjectSet>{make_set(1, 2), make_set(2, 3)}));
    EXPECT_TRUE(contents.faults.empty());
    EXPECT_EQ(contents.help_error, "");
}

TEST(BlockContents, a_list_without_a_preamble_is_transactions_from_its_first_item_on) {
    const BlockContents contents = read({encoded(make_transaction(0))});
    EXPECT_FALSE(contents.preamble.has_value());
    EXPECT_EQ(contents.items, std::vector<std::size_t>{0});
    EXPECT_TRUE(contents.faults.empty());
    EXPECT_TRUE(read({}).faults.empty());
}

TEST(BlockContents, what_is_no_transaction_goes_with_its_set) {
    const BlockContents contents =
        read({preamble({make_set(1, 1), make_set(2, 1), make_set(3, 1), make_set(4, 1)}), Bytes{},
              encoded(make_transaction(0)), Bytes{0xc0, 1}, encoded(make_transaction(1))});
    EXPECT_EQ(contents.items, (std::vector<std::size_t>{2, 4}));
    EXPECT_EQ(contents.proposal.object_sets,
              (std::vector<ObjectSet>{make_set(2, 1), make_set(4, 1)}));
    ASSERT_EQ(contents.faults.size(), 2u);
    EXPECT_EQ(contents.faults[0].item, 1u);
    EXPECT_EQ(contents.faults[1].item, 3u);
    EXPECT_EQ(contents.faults[1].code, TransactionCode::malformed);
}

TEST(BlockContents, a_malformed_preamble_is_a_malformed_item) {
    const BlockContents contents = read({Bytes{0x80, 1, 2}, encoded(make_transaction(0))});
    EXPECT_FALSE(contents.preamble.has_value());
    EXPECT_EQ(contents.items, std::vector<std::size_t>{1});
    ASSERT_EQ(contents.faults.size(), 1u);
    EXPECT_EQ(contents.faults[0].item, 0u);
    EXPECT_EQ(contents.faults[0].reason, "the preamble has 3 bytes; the least is 30");
}

TEST(BlockContents, a_second_preamble_is_malformed) {
    const BlockContents contents = read({preamble(), preamble()});
    ASSERT_EQ(contents.faults.size(), 1u);
    EXPECT_EQ(contents.faults[0].item, 1u);
}

TEST(BlockContents, sets_of_another_number_are_dropped) {
    const BlockContents contents = read(
        {preamble({make_set(1, 1)}), encoded(make_transaction(0)), encoded(make_transaction(1))});
    EXPECT_TRUE(contents.proposal.object_sets.empty());
    EXPECT_EQ(contents.help_error, "the preamble has 1 object sets for 2 transactions");
    EXPECT_EQ(contents.proposal.transactions.size(), 2u);
}

TEST(BlockContents, sets_that_cannot_be_decoded_are_dropped) {
    Bytes first = preamble();
    first.push_back(0x77);
    const BlockContents contents = read({first, encoded(make_transaction(0))});
    ASSERT_TRUE(contents.preamble.has_value());
    EXPECT_EQ(contents.preamble->gas_limit, kGenesisGasLimit);
    EXPECT_NE(contents.help_error, "");
    EXPECT_TRUE(contents.faults.empty());
}

/// Of a proposer whose block has this access list.
Bytes preamble_with(const Bytes& list) {
    return encode_preamble({.gas_limit = kGenesisGasLimit, .object_sets = {}, .access_list = list});
}

TEST(BlockContents, an_access_list_is_taken_where_it_can_be_that_of_the_block) {
    const Bytes tx = encoded(make_transaction(0));
    const BlockContents good = read({preamble_with(make_list(2)), tx, tx});
    EXPECT_EQ(good.proposal.access_list, make_list(2));
    EXPECT_EQ(good.help_error, "");

    const BlockContents longer = read({preamble_with(make_list(3)), tx});
    EXPECT_TRUE(longer.proposal.access_list.empty());
    EXPECT_TRUE(longer.help_error.starts_with("the access list of the preamble: ")) << "index";
    const BlockContents garbage = read({preamble_with({0xc1, 0xc0}), tx});
    EXPECT_TRUE(garbage.proposal.access_list.empty());
    EXPECT_NE(garbage.help_error, "");
    EXPECT_EQ(garbage.proposal.transactions.size(), 1u) << "the block has to be executed";
    const BlockContents spoiled = read({preamble_with(make_list(2)), tx, Bytes{0x01}});
    EXPECT_TRUE(spoiled.proposal.access_list.empty());
    EXPECT_EQ(spoiled.help_error, "the access list of the preamble is that of another block");
}

TEST(BlockContents, an_access_list_has_no_more_items_than_gas_can_pay_for) {
    const Bytes tx = encoded(make_transaction(0));
    BlockPreamble poor{.gas_limit = 3'999, .object_sets = {}, .access_list = make_list(2)};
    EXPECT_NE(read({encode_preamble(poor), tx, tx}).help_error, "");
    poor.gas_limit = 4'000;
    EXPECT_EQ(read({encode_preamble(poor), tx, tx}).help_error, "");
}

TEST(BlockContents, who_sent_a_transaction_is_left_to_the_application) {
    const BlockContents contents = read({encoded(make_transaction(0))});
    EXPECT_TRUE(contents.faults.empty());
    EXPECT_EQ(contents.proposal.transactions.at(0).sender, std::nullopt);
}

TEST(BlockContents, blob_transactions_are_left_out) {
    const BlockContents contents = read({preamble(), blob_transaction()});
    ASSERT_EQ(contents.faults.size(), 1u);
    EXPECT_EQ(contents.faults[0].code, TransactionCode::not_executable);
}

TEST(BlockContents, long_lists_are_read_in_order) {
    std::vector<Bytes> items{preamble()};
    std::vector<std::size_t> transactions;
    std::vector<std::size_t> faults;
    for (std::size_t i = 1; i < 500; ++i) {
        if (i % 7 == 0) {
            items.push_back({0x01});
            faults.push_back(i);
        } else {
            items.push_back(encoded(make_transaction(i)));
            transactions.push_back(i);
        }
    }
    const BlockContents contents = read(items);
    EXPECT_EQ(contents.items, transactions);
    for (std::size_t i = 0; i < transactions.size(); ++i)
        EXPECT_EQ(contents.proposal.transactions[i].nonce, transactions[i]);
    ASSERT_EQ(contents.faults.size(), faults.size());
    for (std::size_t i = 0; i < faults.size(); ++i)
        EXPECT_EQ(contents.faults[i].item, faults[i]);
    EXPECT_FALSE(read(items, true).faults.empty());
}

}  // namespace
}  // namespace heddle::consensus_adapter::cometbft
