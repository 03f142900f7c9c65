// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a block's execution gives against what its header and its access list claim.
#include <vm/block_execution.hpp>

#include <optional>

#include <gtest/gtest.h>

#include <types/block_access_list.hpp>

namespace heddle::vm {
namespace {

const Address kSender = address_from_low64(0x5e);

class BlockCheck : public testing::Test {
protected:
    BlockResult result_;
    BlockHeader header_;
    const Hash root_{{0x33}};

    void SetUp() override {
        result_.revision = Revision::prague;
        result_.gas_used = 400;
        result_.blob_gas_used = 200;
        fill(header_, result_, root_);
    }
    [[nodiscard]] std::optional<BlockErrorCode> code_of(const BlockHeader& header) const {
        const auto checked = check(header, result_, root_);
        return checked.has_value() ? std::nullopt : std::optional{checked.error().code};
    }
};

TEST_F(BlockCheck, accepts_the_header_that_was_filled_in) {
    EXPECT_EQ(header_.gas_used, 400u);
    EXPECT_EQ(header_.blob_gas_used, 200u);
    EXPECT_EQ(header_.requests_hash, kEmptyRequestsHash);
    EXPECT_EQ(code_of(header_), std::nullopt);
}

TEST_F(BlockCheck, names_the_claim_that_differs) {
    BlockHeader wrong = header_;
    wrong.gas_used = 1;
    EXPECT_EQ(code_of(wrong), BlockErrorCode::invalid_gas_used);
    wrong = header_;
    wrong.receipts_root = Hash{};
    EXPECT_EQ(code_of(wrong), BlockErrorCode::invalid_receipts_root);
    wrong = header_;
    wrong.logs_bloom.add_hash(Hash{{0x01}});
    EXPECT_EQ(code_of(wrong), BlockErrorCode::invalid_logs_bloom);
    wrong = header_;
    wrong.requests_hash = Hash{};
    EXPECT_EQ(code_of(wrong), BlockErrorCode::invalid_requests);
}

TEST_F(BlockCheck, compares_the_access_list_from_amsterdam_on) {
    result_.revision = Revision::amsterdam;
    result_.access_list = MadeAccessList{.encoded = {0xc0}, .hash = kEmptyListHash};
    EXPECT_EQ(code_of(header_), BlockErrorCode::invalid_access_list);

    fill(header_, result_, root_);
    EXPECT_EQ(header_.block_access_list_hash, kEmptyListHash);
    EXPECT_EQ(code_of(header_), std::nullopt);

    header_.block_access_list_hash = Hash{};
    EXPECT_EQ(code_of(header_), BlockErrorCode::invalid_access_list);
}

TEST_F(BlockCheck, says_where_a_list_that_came_with_the_block_is_another) {
    result_.revision = Revision::amsterdam;
    BlockAccessList computed;
    computed.accounts.emplace_back().address = kSender;
    Bytes encoded;
    encode_block_access_list(computed, encoded);
    result_.access_list = MadeAccessList{.encoded = encoded, .hash = keccak256(encoded)};
    fill(header_, result_, root_);
    header_.block_access_list_hash = kEmptyListHash;
    const Bytes claimed{0xc0};

    const auto checked = check(header_, result_, root_, claimed);

    ASSERT_FALSE(checked.has_value());
    EXPECT_EQ(checked.error().detail,
              "account " + to_string(kSender) + ": claimed absent, computed listed");
}

TEST_F(BlockCheck, finds_the_very_list_that_was_made_without_a_look_into_it) {
    result_.access_list = MadeAccessList{.encoded = {0xc0}, .hash = kEmptyListHash};
    EXPECT_FALSE(has_made(header_, result_, Bytes{0xc0})) << "the header claims none";
    header_.block_access_list_hash = kEmptyListHash;
    EXPECT_TRUE(has_made(header_, result_, Bytes{0xc0}));
    EXPECT_FALSE(has_made(header_, result_, Bytes{0xc1}));
    header_.block_access_list_hash = Hash{};
    EXPECT_FALSE(has_made(header_, result_, Bytes{0xc0}));
    header_.block_access_list_hash = kEmptyListHash;
    result_.access_list.reset();
    EXPECT_FALSE(has_made(header_, result_, Bytes{0xc0}));
}

TEST(ClaimedAccessList, has_to_be_the_headers_and_in_good_form) {
    BlockHeader header;
    header.gas_limit = 30'000'000;
    const auto code_of = [&](const Bytes& list) -> std::optional<BlockErrorCode> {
        header.block_access_list_hash = keccak256(list);
        const auto checked = check_claimed_list(header, list, 1);
        return checked.has_value() ? std::nullopt : std::optional{checked.error().code};
    };
    BlockAccessList list;
    list.accounts.emplace_back().address = kSender;
    list.accounts[0].nonce_changes = {{3, 1}};
    Bytes late;
    encode_block_access_list(list, late);
    list.accounts[0].nonce_changes[0].index = 2;
    Bytes good;
    encode_block_access_list(list, good);

    EXPECT_EQ(code_of(good), std::nullopt);
    EXPECT_EQ(code_of(late), BlockErrorCode::invalid_access_list);
    EXPECT_EQ(code_of({0xc1}), BlockErrorCode::invalid_access_list);
    header.gas_limit = 1'999;
    EXPECT_EQ(code_of(good), BlockErrorCode::access_list_too_large);
    EXPECT_EQ(check_claimed_list(header, Bytes{0xc0}, 1).error().code,
              BlockErrorCode::invalid_access_list);
}

TEST(ClaimedAccessList, that_no_header_claims_may_have_what_a_block_can_access_at_most) {
    BlockHeader header;
    header.gas_limit = 200 * 500;
    const auto is_taken = [&](std::uint64_t accounts) {
        BlockAccessList list;
        for (std::uint64_t i = 0; i < accounts; ++i)
            list.accounts.emplace_back().address = address_from_low64(i + 1);
        Bytes encoded;
        encode_block_access_list(list, encoded);
        return check_claimed_list(header, encoded, 1).has_value();
    };

    EXPECT_TRUE(is_taken(1'500));
    EXPECT_FALSE(is_taken(1'501));
}

TEST_F(BlockCheck, leaves_the_receipts_root_alone_where_it_cannot_be_known) {
    header_.receipts_root = Hash{};

    EXPECT_TRUE(check(header_, result_, std::nullopt).has_value());
}

TEST_F(BlockCheck, knows_no_requests_before_prague) {
    result_.revision = Revision::cancun;
    header_.requests_hash.reset();

    EXPECT_EQ(code_of(header_), std::nullopt);
}

}  // namespace
}  // namespace heddle::vm
