// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a header claims of its body and receipts: each claim is wrong once, where all others are
// right.
#include "tools/block_check.hpp"

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <types/block.hpp>
#include <types/ordered_root.hpp>
#include <types/receipt.hpp>
#include <types/transaction.hpp>

#include "storage/schema.hpp"

namespace heddle::ledger {
namespace {

template <typename Items, typename Encode>
Hash root_of(const Items& items, Encode encode) {
    std::vector<Bytes> values;
    for (const auto& item : items)
        encode(item, values.emplace_back());
    return ordered_root(values);
}

/// A block of two transactions, the second of which logs, with one withdrawal.
class StoredBlockCheckTest : public testing::Test {
protected:
    static constexpr std::uint64_t kGas = 21'000;

    StoredBlockCheckTest() {
        block_.transactions.resize(2);
        for (Transaction& tx : block_.transactions)
            tx.r = tx.s = 1;
        block_.withdrawals.emplace().push_back({1, 2, address_from_low64(3), 4});
        receipts_.resize(2);
        for (std::size_t i = 0; i < receipts_.size(); ++i) {
            receipts_[i].gas_used = kGas;
            receipts_[i].cumulative_gas_used = kGas * (i + 1);
        }
        receipts_[1].logs.push_back({address_from_low64(7), {}, {}});
        receipts_[1].bloom = logs_bloom(receipts_[1].logs);
        header_.transactions_root = root_of(block_.transactions, encode_transaction);
        header_.withdrawals_root = root_of(*block_.withdrawals, encode_withdrawal);
        header_.receipts_root = root_of(receipts_, encode_receipt);
        header_.logs_bloom = receipts_[1].bloom;
        header_.gas_used = 2 * kGas;
        header_.base_fee_per_gas = 7;
    }

    [[nodiscard]] std::optional<std::string> problem() const {
        Bytes body;
        encode_body(block_, body);
        Bytes receipts;
        schema::encode_receipts(receipts_, receipts);
        return check_stored_block(header_, body, receipts).problem;
    }
    void expect_found(const std::string& text) const {
        EXPECT_NE(problem().value_or("nothing").find(text), std::string::npos)
            << problem().value_or("nothing") << " instead of: " << text;
    }

    BlockHeader header_;
    Block block_;
    std::vector<Receipt> receipts_;
};

TEST_F(StoredBlockCheckTest, a_block_that_keeps_its_claims_has_no_problem) {
    EXPECT_EQ(problem(), std::nullopt);
}

TEST_F(StoredBlockCheckTest, a_bloom_without_what_is_logged_is_found) {
    header_.logs_bloom = {};

    expect_found("the bloom of the receipts is not that of the header");
}

TEST_F(StoredBlockCheckTest, a_bloom_with_more_than_is_logged_is_found) {
    header_.logs_bloom.bytes[0] |= 0x80;

    expect_found("the bloom of the receipts is not that of the header");
}

TEST_F(StoredBlockCheckTest, gas_is_what_the_receipts_add_up_to_neither_more_nor_less) {
    for (const std::uint64_t claimed : {2 * kGas - 1, 2 * kGas + 1, std::uint64_t{0}}) {
        header_.gas_used = claimed;

        expect_found("gas 42000, but the header says " + std::to_string(claimed));
    }
}

/// EIP-8037: the block's gas is no sum of the receipts'.
TEST_F(StoredBlockCheckTest, gas_of_blocks_with_an_access_list_is_not_held_against_the_receipts) {
    header_.gas_used = 2 * kGas + 1;
    header_.blob_gas_used = header_.excess_blob_gas = 0;
    header_.parent_beacon_block_root = header_.requests_hash = Hash{};
    header_.block_access_list_hash = Hash{};
    header_.slot_number = 1;

    EXPECT_EQ(problem(), std::nullopt);
}

TEST_F(StoredBlockCheckTest, other_withdrawals_than_claimed_are_found) {
    ++block_.withdrawals->front().amount;

    expect_found("withdrawals root");
}

TEST_F(StoredBlockCheckTest, withdrawals_are_there_where_the_header_says_so_and_only_there) {
    header_.withdrawals_root.reset();
    expect_found("do not agree on whether there are any");

    header_.withdrawals_root = kEmptyTrieRoot;
    block_.withdrawals.reset();
    expect_found("do not agree on whether there are any");
}

TEST_F(StoredBlockCheckTest, other_ommers_than_claimed_are_found) {
    header_.ommers_hash = Hash{};

    expect_found("ommers hash");
}

TEST_F(StoredBlockCheckTest, other_transactions_and_receipts_than_claimed_are_found) {
    ++receipts_[0].logs.emplace_back().address.bytes[0];
    expect_found("receipts root");
    receipts_.pop_back();
    expect_found("1 receipts for 2 transactions");
    block_.transactions.pop_back();
    expect_found("transactions root");
}

}  // namespace
}  // namespace heddle::ledger
