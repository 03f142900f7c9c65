// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <gtest/gtest.h>

#include <types/expected.hpp>
#include <vm/block_execution.hpp>
#include <vm/system_contracts.hpp>

#include "chain_fixture.hpp"

namespace heddle::vm {
namespace {

// STOP; PUSH0 PUSH0 REVERT; and code that returns the two bytes beef.
const Bytes kStop{0x00};
const Bytes kRevert{0x5f, 0x5f, 0xfd};
const Bytes kReturnBeef{0x61, 0xbe, 0xef, 0x5f, 0x52, 0x60, 0x02, 0x60, 0x1e, 0xf3};

class Requests : public testing::Test {
protected:
    ChainConfig config_ = test::config_at(Revision::prague);
    BlockEnv env_ = make_block_env(test::parent_at(Revision::prague), config_, true);
    test::MapState state_;
    test::NoBlockHashes block_hashes_;
    Evm evm_;
    std::vector<Receipt> receipts_;

    void SetUp() override {
        state_.deploy(kWithdrawalRequestAddress, kStop);
        state_.deploy(kConsolidationRequestAddress, kStop);
    }
    std::expected<std::vector<Bytes>, BlockError> collect() {
        const BlockHeader header;
        BlockExecution execution;
        HEDDLE_CHECK(execution.begin(
            {.header = header, .env = env_, .config = config_, .block_hashes = block_hashes_},
            state_, evm_));
        for (const Receipt& receipt : receipts_) {
            Outcome outcome;
            outcome.receipt = receipt;
            execution.accept(outcome);
        }
        HEDDLE_CHECK(execution.end({}, evm_));
        return execution.take_result().requests;
    }
    void add_log(Log log) { receipts_.emplace_back().logs.push_back(std::move(log)); }
};

/// The event of the deposit contract with fields of one repeated byte each.
Log deposit_log() {
    Log log;
    log.address = address_from_low64(0xdeb051);
    log.topics = {
        *hash_from_hex("0x649bbc62d0e31342afea4e5cd82d4049e7e1ee912fc0889aa790803be39038c5")};
    log.data.resize(576);
    const std::size_t offsets[] = {160, 256, 320, 384, 512};
    const std::size_t sizes[] = {48, 32, 8, 96, 8};
    for (std::size_t i = 0; i < 5; ++i) {
        store_be(Uint256{offsets[i]}, log.data.data() + 32 * i);
        store_be(Uint256{sizes[i]}, log.data.data() + offsets[i]);
        std::fill_n(log.data.begin() + static_cast<std::ptrdiff_t>(offsets[i]) + 32, sizes[i],
                    static_cast<std::uint8_t>(i + 1));
    }
    return log;
}

TEST_F(Requests, leave_out_what_is_empty) {
    const auto requests = collect();

    ASSERT_TRUE(requests.has_value());
    EXPECT_TRUE(requests->empty());
    EXPECT_EQ(requests_hash(*requests), kEmptyRequestsHash);
}

TEST_F(Requests, come_in_order_of_type) {
    state_.deploy(kWithdrawalRequestAddress, kReturnBeef);
    state_.deploy(kConsolidationRequestAddress, kReturnBeef);
    add_log(deposit_log());

    const auto requests = collect();

    ASSERT_TRUE(requests.has_value());
    ASSERT_EQ(requests->size(), 3u);
    EXPECT_EQ(requests->at(0).size(), 1u + 192u);
    EXPECT_EQ(requests->at(0)[0], 0);
    EXPECT_EQ(requests->at(0)[1], 1);
    EXPECT_EQ(requests->at(0)[192], 5);
    EXPECT_EQ(requests->at(1), (Bytes{1, 0xbe, 0xef}));
    EXPECT_EQ(requests->at(2), (Bytes{2, 0xbe, 0xef}));
}

// EIP-8282.
TEST_F(Requests, of_builders_come_last_from_amsterdam_on) {
    config_ = test::config_at(Revision::amsterdam);
    env_ = make_block_env(test::parent_at(Revision::amsterdam), config_, true);
    state_.deploy(kConsolidationRequestAddress, kReturnBeef);
    EXPECT_EQ(collect().error().code, BlockErrorCode::system_contract_missing);
    state_.deploy(kBuilderDepositAddress, kReturnBeef);
    EXPECT_EQ(collect().error().code, BlockErrorCode::system_contract_missing);
    state_.deploy(kBuilderExitAddress, kReturnBeef);

    const auto requests = collect();

    ASSERT_TRUE(requests.has_value());
    EXPECT_EQ(*requests, (std::vector<Bytes>{{2, 0xbe, 0xef}, {3, 0xbe, 0xef}, {4, 0xbe, 0xef}}));
    state_.deploy(kBuilderExitAddress, kRevert);
    EXPECT_EQ(collect().error().code, BlockErrorCode::system_call_failed);
}

TEST_F(Requests, take_deposits_from_the_events_of_the_deposit_contract_only) {
    Log other_contract = deposit_log();
    other_contract.address = address_from_low64(1);
    Log other_event = deposit_log();
    other_event.topics = {Hash{}};
    Log anonymous = deposit_log();
    anonymous.topics = {};
    add_log(other_contract);
    add_log(other_event);
    add_log(anonymous);

    const auto requests = collect();

    ASSERT_TRUE(requests.has_value());
    EXPECT_TRUE(requests->empty());
}

TEST_F(Requests, reject_deposits_laid_out_otherwise) {
    for (const std::size_t byte : {31u, 63u, 95u, 127u, 159u, 191u, 287u, 351u, 415u, 543u, 0u}) {
        Log log = deposit_log();
        log.data[byte] ^= 1;
        receipts_.clear();
        add_log(log);
        const auto requests = collect();
        ASSERT_FALSE(requests.has_value()) << byte;
        EXPECT_EQ(requests.error().code, BlockErrorCode::invalid_deposit_layout);
    }
    Log log = deposit_log();
    log.data.push_back(0);
    receipts_.clear();
    add_log(log);
    EXPECT_FALSE(collect().has_value());
}

TEST_F(Requests, need_their_contracts) {
    state_.accounts.erase(kConsolidationRequestAddress);

    const auto requests = collect();

    ASSERT_FALSE(requests.has_value());
    EXPECT_EQ(requests.error().code, BlockErrorCode::system_contract_missing);
}

TEST_F(Requests, need_their_contracts_to_succeed) {
    state_.deploy(kWithdrawalRequestAddress, kRevert);

    const auto requests = collect();

    ASSERT_FALSE(requests.has_value());
    EXPECT_EQ(requests.error().code, BlockErrorCode::system_call_failed);
}

}  // namespace
}  // namespace heddle::vm
