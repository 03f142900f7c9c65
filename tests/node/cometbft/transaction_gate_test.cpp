// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "cometbft/transaction_gate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_chain.hpp"

namespace heddle::node {
namespace {

using test::encoded;
using test::kEther;
using test::secret_of;
using test::transfer;
using testing::ElementsAre;
using testing::IsEmpty;

class GossipGateTest : public testing::Test {
protected:
    static MempoolOptions without_blobs() {
        MempoolOptions options;
        options.allow_blobs = false;
        return options;
    }
    /// The code and the reason, or the gas limit.
    static std::string told(const std::expected<std::uint64_t, GossipGate::Refusal>& answer) {
        return answer.has_value()
                   ? std::to_string(*answer)
                   : std::to_string(answer.error().code) + ": " + answer.error().reason;
    }
    void add_local(const Transaction& tx) {
        ASSERT_TRUE(pool_.add(encoded(tx), Origin::local).has_value());
    }
    void include(const Transaction& tx) {
        StateDiff diff;
        test::TestChain::set_account(diff, *tx.sender, tx.nonce + 1, kEther);
        pool_.on_head(*chain_.commit({.transactions = {tx}, .diff = diff}));
    }

    test::TestChain chain_;
    Mempool pool_{without_blobs(), chain_.chain()};
    GossipGate gate_{pool_};
};

TEST_F(GossipGateTest, what_is_gossiped_comes_into_the_pool) {
    const Transaction tx = transfer({.gas_limit = 30'000});

    EXPECT_EQ(told(gate_.admit(encoded(tx))), "30000");

    const SharedTransaction pooled = pool_.find(transaction_hash(tx));
    ASSERT_NE(pooled, nullptr);
    EXPECT_EQ(pooled->origin, Origin::remote);
}

TEST_F(GossipGateTest, what_is_pending_already_is_welcome) {
    add_local(transfer({}));
    EXPECT_EQ(told(gate_.admit(encoded(transfer({})))), "21000");
    EXPECT_EQ(pool_.find(transaction_hash(transfer({})))->origin, Origin::local);
}

TEST_F(GossipGateTest, refusals_have_stable_codes) {
    EXPECT_EQ(told(gate_.admit(Bytes{0xc0})).substr(0, 3), "1: ");
    ASSERT_TRUE(gate_.admit(encoded(transfer({.value = Uint256{1}}))).has_value());
    EXPECT_EQ(told(gate_.admit(encoded(transfer({.value = Uint256{2}})))).substr(0, 3), "6: ");
    include(transfer({.from = 3}));
    EXPECT_EQ(told(gate_.admit(encoded(transfer({.from = 3})))).substr(0, 3), "3: ");
    EXPECT_EQ(refusal_code(AdmissionCode::unsupported_type), 12u);
    EXPECT_EQ(refusal_code(AdmissionCode::other), 19u);
}

TEST_F(GossipGateTest, what_has_left_the_pool_is_not_rechecked) {
    const Bytes bytes = encoded(transfer({}));
    EXPECT_EQ(told(gate_.recheck(bytes)), "100: not pending any more");
    ASSERT_TRUE(gate_.admit(bytes).has_value());
    EXPECT_EQ(told(gate_.recheck(bytes)), "21000");
    include(transfer({}));
    EXPECT_EQ(told(gate_.recheck(bytes)), "100: not pending any more");
    EXPECT_EQ(told(gate_.recheck({})), "100: not pending any more");
}

TEST_F(GossipGateTest, cometbft_forgets_what_is_to_be_handed_in_anew_and_takes_it_again) {
    std::vector<Hash> asked;
    GossipGate gate{pool_, [&](const Hash& hash) {
                        asked.push_back(hash);
                        return asked.size() == 2;
                    }};
    const Bytes bytes = encoded(transfer({}));
    add_local(transfer({}));
    EXPECT_EQ(told(gate.recheck(bytes)), "21000");
    EXPECT_EQ(told(gate.recheck(bytes)), "101: it is handed in anew");
    EXPECT_EQ(told(gate.admit(bytes)), "21000");
    EXPECT_THAT(asked, ElementsAre(transaction_hash(transfer({})), transaction_hash(transfer({}))));

    // Whoever gave this node others' transactions hands those in.
    const Bytes of_another = encoded(transfer({.from = 2}));
    ASSERT_TRUE(gate.admit(of_another).has_value());
    EXPECT_EQ(told(gate.recheck(of_another)), "21000");
    EXPECT_EQ(asked.size(), 2u);
}

TEST_F(GossipGateTest, all_types_are_rechecked_by_their_bytes) {
    for (const auto type : {TransactionType::legacy, TransactionType::access_list,
                            TransactionType::dynamic_fee, TransactionType::set_code}) {
        Transaction tx = transfer({.from = 10 + static_cast<std::uint64_t>(type)});
        tx.type = type;
        if (type == TransactionType::legacy || type == TransactionType::access_list)
            tx.max_priority_fee_per_gas = tx.max_fee_per_gas;
        if (type == TransactionType::set_code) {
            tx.authorization_list.emplace_back();
            tx.gas_limit = 100'000;
        }
        ASSERT_TRUE(sign_transaction(tx, secret_of(10 + static_cast<std::uint64_t>(type))));
        const std::string limit = std::to_string(tx.gas_limit);
        EXPECT_EQ(told(gate_.admit(encoded(tx))), limit);
        EXPECT_EQ(told(gate_.recheck(encoded(tx))), limit);
    }
}

TEST_F(GossipGateTest, blobs_are_refused_wherever_they_come_from) {
    Transaction tx = transfer({});
    tx.type = TransactionType::blob;
    tx.blob_versioned_hashes.emplace_back();
    tx.max_fee_per_blob_gas = Uint256{1};
    ASSERT_TRUE(sign_transaction(tx, secret_of(1)));
    constexpr const char* kSentence =
        "blob transactions are refused on this network: it keeps no blobs";

    EXPECT_EQ(told(gate_.admit(encoded(tx))), std::string{"12: "} + kSentence);
    const auto added = pool_.add(encoded(tx), Origin::local);
    ASSERT_FALSE(added.has_value());
    EXPECT_EQ(added.error().code, AdmissionCode::unsupported_type);
    EXPECT_EQ(added.error().message, kSentence);
}

TEST_F(GossipGateTest, local_transactions_are_given_out_once_in_order_of_arrival) {
    add_local(transfer({.from = 1}));
    EXPECT_THAT(gate_.take_outgoing(0, 0), ElementsAre(encoded(transfer({.from = 1}))));
    add_local(transfer({.from = 3}));
    add_local(transfer({.from = 2}));
    ASSERT_TRUE(gate_.admit(encoded(transfer({.from = 4}))).has_value());
    EXPECT_THAT(gate_.take_outgoing(0, 0),
                ElementsAre(encoded(transfer({.from = 3})), encoded(transfer({.from = 2}))));
    EXPECT_THAT(gate_.take_outgoing(0, 0), IsEmpty());
}

TEST_F(GossipGateTest, what_waits_for_an_earlier_nonce_is_given_out_behind_it) {
    add_local(transfer({.nonce = 1}));
    EXPECT_THAT(gate_.take_outgoing(0, 0), IsEmpty());
    add_local(transfer({.nonce = 0}));
    EXPECT_THAT(gate_.take_outgoing(0, 0),
                ElementsAre(encoded(transfer({.nonce = 0})), encoded(transfer({.nonce = 1}))));
}

TEST_F(GossipGateTest, limits_leave_the_rest_for_the_next_time) {
    for (std::uint64_t from = 1; from <= 3; ++from)
        add_local(transfer({.from = from}));
    const std::size_t size = encoded(transfer({.from = 1})).size();
    EXPECT_EQ(gate_.take_outgoing(size + 5, 0).size(), 1u);
    EXPECT_EQ(gate_.take_outgoing(0, 41'999).size(), 1u);
    include(transfer({.from = 3}));
    EXPECT_THAT(gate_.take_outgoing(0, 0), IsEmpty()) << "it is in a block";
}

TEST_F(GossipGateTest, what_is_beyond_the_limits_by_itself_holds_up_nobody) {
    add_local(transfer({.from = 1, .gas_limit = 90'000}));
    add_local(transfer({.from = 2}));
    EXPECT_THAT(gate_.take_outgoing(0, 50'000), ElementsAre(encoded(transfer({.from = 2}))));
    EXPECT_THAT(gate_.take_outgoing(0, 50'000), IsEmpty());
    EXPECT_EQ(gate_.take_outgoing(0, 100'000).size(), 1u);
}

}  // namespace
}  // namespace heddle::node
