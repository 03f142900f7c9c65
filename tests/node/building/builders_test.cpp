// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Who puts proposals together: what the builders take of the same pool, and what they leave in it.
#include <algorithm>
#include <array>
#include <vector>

#include <gtest/gtest.h>

#include <types/rlp.hpp>
#include <vm/blob_proof.hpp>
#include <workload/keys.hpp>

#include "blob_proofs.hpp"
#include "building/chain_application_fixture.hpp"
#include "mempool/blob_sidecar.hpp"

namespace heddle::node {
namespace {

class BuildersTest : public ChainApplicationTest {
protected:
    explicit BuildersTest(Genesis genesis = genesis_with_contracts())
        : ChainApplicationTest(std::move(genesis)) {}

    static ChainApplicationOptions options(Builder builder) {
        ChainApplicationOptions result;
        result.builder = builder;
        result.executor.parallel.workers = 2;
        return result;
    }
    Proposal prepare(ChainApplication& application, const BlockPlan& wanted) {
        auto proposal = application.prepare(wanted);
        EXPECT_TRUE(proposal.has_value());
        return *std::move(proposal);
    }
    static std::vector<Hash> sorted_hashes(const Proposal& proposal) {
        std::vector<Hash> hashes;
        for (const Transaction& tx : proposal.transactions)
            hashes.push_back(transaction_hash(tx));
        std::ranges::sort(hashes);
        return hashes;
    }

    ChainApplication serial_{chain_, node_.mempool(), options(Builder::serial)};
    ChainApplication aria_{chain_, node_.mempool(), options(Builder::aria)};
};

TEST_F(BuildersTest, take_the_same_of_a_pool_that_fits) {
    for (std::size_t sender = 0; sender < 5; ++sender)
        for (std::uint64_t nonce = 0; nonce < 6; ++nonce)
            pool(nonce % 2 == 0 ? count(sender, nonce) : transfer(sender, nonce, sender + 1));

    const Proposal serial = prepare(serial_, plan());
    const Proposal aria = prepare(aria_, plan());

    EXPECT_EQ(serial.transactions.size(), 30u);
    EXPECT_EQ(sorted_hashes(aria), sorted_hashes(serial));
    EXPECT_EQ(aria.object_sets.size(), 30u);
}

TEST_F(BuildersTest, agree_on_the_block_that_one_of_them_has_put_together) {
    for (std::size_t sender = 0; sender < 5; ++sender) {
        pool(count(sender, 0));
        pool(transfer(sender, 1, 7));
    }
    const BlockPlan wanted = plan();
    const OrderedBlock block = block_of(wanted, prepare(aria_, wanted));

    const auto executed = serial_.finalize(block, Unexecutable::refused);
    ASSERT_TRUE(executed.has_value());
    EXPECT_EQ(executed->executions, 1u);
    EXPECT_EQ(executed->wrongly_declared, 0u);
    const auto kept = aria_.finalize(block, Unexecutable::refused);

    ASSERT_TRUE(kept.has_value());
    EXPECT_EQ(kept->executions, 0u);
    EXPECT_EQ(kept->hash, executed->hash);
    EXPECT_EQ(kept->receipts, executed->receipts);
}

TEST_F(BuildersTest, leave_in_the_pool_what_does_not_fit) {
    for (std::size_t sender = 0; sender < 5; ++sender)
        pool(burn(sender, 0));  // sixteen of sixty million gas each

    EXPECT_EQ(prepare(serial_, plan()).transactions.size(), 3u);
    EXPECT_EQ(prepare(aria_, plan()).transactions.size(), 3u);
    EXPECT_EQ(node_.mempool().status().pending, 5u);
}

/// More senders than either builder passes over in a block that is nearly full.
constexpr std::uint64_t kCrowd = 60;

workload::Key key_of_crowd(std::uint64_t i) {
    return workload::derive_key(1, "crowd", i);
}

/// By rules under which one transaction may ask for all of a block's gas.
Genesis genesis_with_crowd() {
    Genesis genesis = genesis_with_contracts(Revision::prague);
    for (std::uint64_t i = 0; i < kCrowd; ++i)
        genesis.alloc.push_back({key_of_crowd(i).address, 0, dev_balance(), {}, {}});
    return genesis;
}

class CrowdedPoolTest : public BuildersTest {
protected:
    CrowdedPoolTest() : BuildersTest(genesis_with_crowd()) {}

    /// Pays twice the tip of the others.
    static Transaction of_crowd() {
        Transaction tx = transfer(0, 0, 1);
        tx.max_priority_fee_per_gas = Uint256{2 * kGwei};
        return tx;
    }
    void pool_modest_ones() {
        for (std::size_t sender = 0; sender < 5; ++sender)
            pool(transfer(sender, 0, sender + 1));
    }
};

TEST_F(CrowdedPoolTest, fills_its_block_however_many_ask_for_more_gas_than_is_left) {
    for (std::uint64_t i = 0; i < kCrowd; ++i) {
        Transaction tx = of_crowd();
        tx.gas_limit = 60'000'000;
        workload::sign(tx, key_of_crowd(i));
        pool(tx);
    }
    pool_modest_ones();

    EXPECT_EQ(prepare(serial_, plan()).transactions.size(), 6u);
    EXPECT_EQ(prepare(aria_, plan()).transactions.size(), 6u);
}

TEST_F(CrowdedPoolTest, fills_its_block_however_many_blobs_find_no_room) {
    const Bytes blob(vm::kBlobBytes);
    const test::KzgPoint commitment = test::commit_to(blob);
    const test::KzgPoint proof = test::prove_blob(blob, commitment);
    Bytes sidecar;
    for (const BytesView item : {BytesView{blob}, BytesView{commitment}, BytesView{proof}}) {
        const std::size_t begin = sidecar.size();
        rlp::encode_string(item, sidecar);
        rlp::wrap_list(begin, sidecar);
    }
    for (std::uint64_t i = 0; i < kCrowd; ++i) {
        Transaction tx = of_crowd();
        tx.type = TransactionType::blob;
        tx.max_fee_per_blob_gas = Uint256{kGwei};
        tx.blob_versioned_hashes = {vm::blob_versioned_hash(commitment)};
        workload::sign(tx, key_of_crowd(i));
        Bytes canonical;
        encode_transaction(tx, canonical);
        const auto added =
            node_.mempool().add(join_network_form(canonical, sidecar), Origin::remote);
        ASSERT_TRUE(added.has_value()) << added.error().message;
    }
    pool_modest_ones();

    // Nine blobs in a block, from Prague on.
    EXPECT_EQ(prepare(serial_, plan()).transactions.size(), 9u + 5u);
    EXPECT_EQ(prepare(aria_, plan()).transactions.size(), 9u + 5u);
}

/// PUSH0 PUSH0 PUSH0 PUSH0 SELFBALANCE CALLER GAS CALL: whoever calls gets all there is.
constexpr std::array<std::uint8_t, 8> kGivesAll{0x5f, 0x5f, 0x5f, 0x5f, 0x47, 0x33, 0x5a, 0xf1};
const Address kGivesAllAddress = address_from_low64(0x9a);

/// With an account that has delegated to that (EIP-7702): others may take what it owns.
Genesis genesis_with_generous_account() {
    Genesis genesis = genesis_with_contracts(Revision::prague);
    genesis.alloc.push_back({kGivesAllAddress, 1, {}, {kGivesAll.begin(), kGivesAll.end()}, {}});
    for (GenesisAccount& account : genesis.alloc) {
        if (account.address != dev_accounts()[1].address) continue;
        account.code = {0xef, 0x01, 0x00};
        account.code.insert(account.code.end(), kGivesAllAddress.bytes.begin(),
                            kGivesAllAddress.bytes.end());
    }
    return genesis;
}

class DrainedSenderTest : public BuildersTest, public testing::WithParamInterface<Builder> {
protected:
    DrainedSenderTest() : BuildersTest(genesis_with_generous_account()) {
        Transaction drain = transfer(0, 0, 1, 0);
        drain.max_priority_fee_per_gas = Uint256{2 * kGwei};
        drain.gas_limit = 100'000;
        EXPECT_TRUE(sign_transaction(drain, dev_accounts()[0].secret));
        pool(drain);
        pool(drained_);
        EXPECT_EQ(node_.mempool().status().pending, 2u);
    }
    ChainApplication& proposer() { return GetParam() == Builder::serial ? serial_ : aria_; }
    bool is_pending() { return node_.mempool().find(transaction_hash(drained_)) != nullptr; }

    const Transaction drained_ = transfer(1, 0, 2);
};

TEST_P(DrainedSenderTest, loses_no_transaction_to_a_proposal_that_is_not_decided) {
    const Proposal proposal = prepare(proposer(), plan());
    ASSERT_EQ(proposal.transactions.size(), 1u);
    EXPECT_TRUE(is_pending());

    // Another validator's, with nothing in it.
    ASSERT_TRUE(proposer().finalize(block_of(plan(), {}), Unexecutable::left_out).has_value());
    ASSERT_TRUE(proposer().commit().has_value());

    EXPECT_TRUE(is_pending());
}

TEST_P(DrainedSenderTest, loses_it_once_the_proposal_is_decided) {
    const BlockPlan wanted = plan();
    const Proposal proposal = prepare(proposer(), wanted);

    ASSERT_TRUE(
        proposer().finalize(block_of(wanted, proposal), Unexecutable::left_out).has_value());
    EXPECT_FALSE(is_pending());
    ASSERT_TRUE(proposer().commit().has_value());

    EXPECT_EQ(node_.mempool().status().pending, 0u);
}

INSTANTIATE_TEST_SUITE_P(Builders, DrainedSenderTest,
                         testing::Values(Builder::serial, Builder::aria), [](const auto& info) {
                             return info.param == Builder::serial ? "serial" : "aria";
                         });

}  // namespace
}  // namespace heddle::node
