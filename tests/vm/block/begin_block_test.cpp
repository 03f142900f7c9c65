// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vm/block_execution.hpp>
#include <vm/system_contracts.hpp>

#include "chain_fixture.hpp"

namespace heddle::vm {
namespace {

// Stores the first word of the call data in slot 0; reverts.
const Bytes kStoreInput{0x5f, 0x35, 0x5f, 0x55};
const Bytes kRevert{0x5f, 0x5f, 0xfd};

class BeginBlock : public testing::Test {
protected:
    test::MapState state_;
    test::NoBlockHashes block_hashes_;
    Evm evm_;
    BlockExecution execution_;

    void begin(const BlockHeader& header, const ChainConfig& config, bool is_merged) {
        const BlockEnv env = make_block_env(header, config, is_merged);
        EXPECT_TRUE(
            execution_
                .begin(
                    {.header = header, .env = env, .config = config, .block_hashes = block_hashes_},
                    state_, evm_)
                .has_value());
    }
};

TEST_F(BeginBlock, hands_parent_hash_and_beacon_root_to_their_contracts) {
    state_.deploy(kBeaconRootsAddress, kStoreInput);
    state_.deploy(kHistoryStorageAddress, kStoreInput);
    BlockHeader header = test::parent_at(Revision::prague);
    header.parent_hash = Hash{{0x01}};
    header.parent_beacon_block_root = Hash{{0x02}};

    begin(header, test::config_at(Revision::prague), true);

    EXPECT_EQ(state_.storage(kHistoryStorageAddress, {}), to_word(header.parent_hash));
    EXPECT_EQ(state_.storage(kBeaconRootsAddress, {}), to_word(*header.parent_beacon_block_root));
}

TEST_F(BeginBlock, goes_on_where_contracts_are_missing_or_fail) {
    state_.deploy(kBeaconRootsAddress, kRevert);
    const auto accounts = state_.accounts;

    begin(test::parent_at(Revision::prague), test::config_at(Revision::prague), true);

    EXPECT_EQ(state_.accounts, accounts);
}

TEST_F(BeginBlock, calls_nobody_before_the_forks_that_ask_for_it) {
    state_.deploy(kBeaconRootsAddress, kStoreInput);
    state_.deploy(kHistoryStorageAddress, kStoreInput);
    BlockHeader header = test::parent_at(Revision::cancun);
    header.parent_hash = Hash{{0x01}};
    header.parent_beacon_block_root = Hash{{0x02}};

    begin(header, test::config_at(Revision::shanghai), true);
    EXPECT_TRUE(state_.slots.empty());

    begin(header, test::config_at(Revision::cancun), true);
    EXPECT_EQ(state_.slots.size(), 1u);
}

TEST_F(BeginBlock, moves_the_daos_ether_at_its_fork) {
    // The DAO itself, the first of the list (EIP-779).
    const Address dao = *address_from_hex("0xbb9bc244d798123fde783fcc1c72d3bb8c189413");
    const Address first = *address_from_hex("0xd4fe7bc31cedb7bfb8a345f31e668033056b2728");
    const Address refund = *address_from_hex("0xbf4ed7b27f1d666546e30d74d50d173d20bca754");
    state_.accounts[dao].balance = Uint256{5};
    state_.accounts[first].balance = Uint256{7};
    state_.accounts[refund].balance = Uint256{1};
    ChainConfig config = test::config_at(Revision::homestead);
    config.dao_fork_block = 100;
    BlockHeader header = test::parent_at(Revision::homestead);

    begin(header, config, false);
    EXPECT_EQ(state_.accounts.at(dao).balance, Uint256{5});

    config.dao_fork_support = true;
    begin(header, config, false);
    EXPECT_TRUE(state_.accounts.at(dao).balance.is_zero());
    EXPECT_TRUE(state_.accounts.at(first).balance.is_zero());
    EXPECT_EQ(state_.accounts.at(refund).balance, Uint256{13});
    EXPECT_EQ(state_.accounts.size(), 117u);
}

// A chain may take all forks up to this one with one block.
TEST_F(BeginBlock, leaves_none_of_the_daos_accounts_where_empty_ones_are_cleared) {  // EIP-161
    const Address dao = *address_from_hex("0xbb9bc244d798123fde783fcc1c72d3bb8c189413");
    const Address refund = *address_from_hex("0xbf4ed7b27f1d666546e30d74d50d173d20bca754");
    const Address idle = *address_from_hex("0xd4fe7bc31cedb7bfb8a345f31e668033056b2728");
    state_.accounts[dao].balance = Uint256{5};
    state_.accounts[idle];  // empty since before, and nobody touches it
    ChainConfig config = test::config_at(Revision::spurious_dragon);
    config.dao_fork_block = 100;
    config.dao_fork_support = true;

    begin(test::parent_at(Revision::spurious_dragon), config, false);
    EXPECT_EQ(state_.accounts.size(), 2u);
    EXPECT_TRUE(state_.accounts.contains(idle));
    ASSERT_TRUE(state_.accounts.contains(refund));
    EXPECT_EQ(state_.accounts.at(refund).balance, Uint256{5});
}

}  // namespace
}  // namespace heddle::vm
