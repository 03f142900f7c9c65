// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A chain application on a chain with a counter and a burner of gas, and the steps of an engine.
#pragma once

#include <array>
#include <utility>

#include <gtest/gtest.h>

#include <executor/ordered_block.hpp>
#include <types/signing.hpp>

#include "building/chain_application.hpp"
#include "chain/dev_chain.hpp"
#include "rpc_node.hpp"

namespace heddle::node {
using consensus_adapter::BlockPlan;
using consensus_adapter::OrderedBlock;
using consensus_adapter::Proposal;
using consensus_adapter::Unexecutable;

inline constexpr std::uint64_t kGwei = 1'000'000'000;

inline Transaction transfer(std::size_t from, std::uint64_t nonce, std::size_t to,
                            std::uint64_t value = 1) {
    Transaction tx;
    tx.type = TransactionType::dynamic_fee;
    tx.chain_id = 1337;
    tx.nonce = nonce;
    tx.max_fee_per_gas = Uint256{10 * kGwei};
    tx.max_priority_fee_per_gas = Uint256{kGwei};
    tx.gas_limit = 21'000;
    tx.to = dev_accounts()[to].address;
    tx.value = Uint256{value};
    EXPECT_TRUE(sign_transaction(tx, dev_accounts()[from].secret));
    return tx;
}

/// PUSH0 SLOAD PUSH1 1 ADD PUSH0 SSTORE: every call counts in slot 0.
inline constexpr std::array<std::uint8_t, 7> kCounter{0x5f, 0x54, 0x60, 0x01, 0x01, 0x5f, 0x55};
inline const Address kCounterAddress = address_from_low64(0xc0);

inline Transaction count(std::size_t from, std::uint64_t nonce) {
    Transaction tx = transfer(from, nonce, 0, 0);
    tx.to = kCounterAddress;
    tx.gas_limit = 60'000;
    EXPECT_TRUE(sign_transaction(tx, dev_accounts()[from].secret));
    return tx;
}

/// JUMPDEST PUSH0 JUMP: runs until the gas is gone.
inline constexpr std::array<std::uint8_t, 3> kBurner{0x5b, 0x5f, 0x56};
inline const Address kBurnerAddress = address_from_low64(0xb0);

inline Transaction burn(std::size_t from, std::uint64_t nonce) {
    Transaction tx = transfer(from, nonce, 0, 0);
    tx.to = kBurnerAddress;
    tx.gas_limit = 16'000'000;
    EXPECT_TRUE(sign_transaction(tx, dev_accounts()[from].secret));
    return tx;
}

inline Genesis genesis_with_contracts(Revision revision = workload::kDefaultRevision) {
    Genesis genesis = dev_genesis(revision);
    genesis.header.gas_limit = 60'000'000;
    genesis.alloc.push_back({kCounterAddress, 1, {}, {kCounter.begin(), kCounter.end()}, {}});
    genesis.alloc.push_back({kBurnerAddress, 1, {}, {kBurner.begin(), kBurner.end()}, {}});
    return genesis;
}

/// The same, with Amsterdam's rules only from `delay` seconds after the genesis block on.
inline Genesis genesis_before_amsterdam(std::uint64_t delay) {
    Genesis genesis = genesis_with_contracts(Revision::amsterdam);
    genesis.config.amsterdam_time = genesis.header.timestamp + delay;
    genesis.header.block_access_list_hash.reset();
    genesis.header.slot_number.reset();
    return genesis;
}

/// Pays to an account that nobody has paid to, with all the gas that this takes (EIP-8037).
inline Transaction found(std::size_t from, std::uint64_t nonce, std::uint64_t whom) {
    Transaction tx = transfer(from, nonce, 0);
    tx.to = address_from_low64(0xf0'0000 + whom);
    tx.gas_limit = 21'000 + 183'600;
    EXPECT_TRUE(sign_transaction(tx, dev_accounts()[from].secret));
    return tx;
}

class ChainApplicationTest : public testing::Test {
protected:
    explicit ChainApplicationTest(Genesis genesis = genesis_with_contracts())
        : genesis_(std::move(genesis)) {}

    BlockPlan plan() {
        BlockPlan result;
        result.timestamp = chain_.head().header.timestamp + 1;
        result.gas_limit = chain_.head().header.gas_limit;
        result.beneficiary = address_from_low64(0xfee);
        return result;
    }
    void pool(const Transaction& tx) {
        Bytes encoded;
        encode_transaction(tx, encoded);
        const auto added = node_.mempool().add(encoded, Origin::local);
        ASSERT_TRUE(added.has_value()) << added.error().message;
    }
    static OrderedBlock block_of(const BlockPlan& plan, Proposal proposal) {
        OrderedBlock block;
        block.start.mode = executor::BlockMode::propose;
        block.start.header.timestamp = plan.timestamp;
        block.start.header.beneficiary = plan.beneficiary;
        block.start.header.gas_limit = plan.gas_limit;
        block.transactions = std::move(proposal.transactions);
        block.object_sets = std::move(proposal.object_sets);
        if (!proposal.access_list.empty()) {
            block.start.mode = executor::BlockMode::decided;
            block.start.access_list = std::move(proposal.access_list);
        }
        return block;
    }
    auto finalize(OrderedBlock block, Unexecutable unexecutable = Unexecutable::refused) {
        return application_.finalize(std::move(block), unexecutable);
    }
    /// Prepares, finalizes and commits a block of what the pool holds.
    Hash make_block() {
        const BlockPlan wanted = plan();
        auto proposal = application_.prepare(wanted);
        EXPECT_TRUE(proposal.has_value());
        const auto finalized = finalize(block_of(wanted, *std::move(proposal)));
        EXPECT_TRUE(finalized.has_value());
        const auto committed = application_.commit();
        EXPECT_TRUE(committed.has_value());
        EXPECT_EQ(committed->hash, finalized->hash);
        return committed->hash;
    }
    std::uint64_t counter() const {
        const auto state = chain_.state_at(chain_.head().header.number);
        return (*state)->storage(kCounterAddress, Uint256{}).low64();
    }

    const Genesis genesis_;
    test::RpcNode node_{genesis_};
    Chain& chain_ = node_.chain();
    ChainApplication application_{chain_, node_.mempool(), {}};
};

}  // namespace heddle::node
