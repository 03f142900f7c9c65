// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Transactions that delegate accounts (EIP-7702) on their way into the mempool: what is found out
// about their many signatures, and when.
#include <chrono>
#include <ctime>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <types/signing.hpp>

#include "authority.hpp"
#include "mempool/mempool.hpp"
#include "test_chain.hpp"

namespace heddle::node {
namespace {

using testing::HasSubstr;

/// Of the first account, with so many authorizations of the second.
Transaction delegating(std::uint64_t count, std::uint64_t nonce, std::uint64_t ether) {
    Transaction tx = test::transfer({});
    tx.type = TransactionType::set_code;
    tx.nonce = nonce;
    tx.value = Uint256{ether} * Uint256{test::kEther};
    tx.gas_limit = 21'000 + 25'000 * count;
    tx.authorization_list.resize(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        tx.authorization_list[i].nonce = i;
        HEDDLE_ASSERT(sign_authorization(tx.authorization_list[i], test::secret_of(2)));
    }
    HEDDLE_ASSERT(sign_transaction(tx, test::secret_of(1)));
    return tx;
}

template <typename Work>
std::chrono::nanoseconds time_of_thread(const Work& work) {
    const auto now = [] {
        timespec time{};
        ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec};
    };
    const auto begin = now();
    work();
    return now() - begin;
}

class DelegationsTest : public testing::Test {
protected:
    std::string add(const Transaction& tx) {
        const auto added = pool_.add(test::encoded(tx), Origin::remote);
        return added.has_value() ? "admitted" : added.error().message;
    }

    test::TestChain chain_;
    Mempool pool_{{}, chain_.chain()};
};

TEST_F(DelegationsTest, are_known_of_those_that_are_admitted) {
    EXPECT_EQ(add(delegating(1, 0, 0)), "admitted");
    EXPECT_EQ(add(test::transfer({.from = 2, .nonce = 1})),
              "gapped-nonce tx from delegated accounts");
}

// What an account had waiting when it was to be delegated is not what may come in afterwards.
TEST_F(DelegationsTest, do_not_cost_their_signers_what_waits_at_a_restart) {
    MempoolOptions options;
    options.journal = chain_.path("transactions");
    const Transaction all[] = {test::transfer({.from = 2, .nonce = 1}), delegating(1, 0, 0),
                               test::transfer({.from = 2, .nonce = 0})};
    {
        Mempool pool{options, chain_.chain()};
        for (const Transaction& tx : all) {
            const auto added = pool.add(test::encoded(tx), Origin::submitted);
            EXPECT_TRUE(added.has_value()) << added.error().message;
        }
        pool.save();
    }
    for (int restart = 0; restart < 2; ++restart) {
        const Mempool pool{options, chain_.chain()};
        for (const Transaction& tx : all)
            EXPECT_NE(pool.find(transaction_hash(tx)), nullptr) << restart;
    }
}

/// Anybody may send what somebody signed for another chain.
TEST_F(DelegationsTest, that_are_another_chains_hinder_nobody) {
    Transaction tx = delegating(1, 0, 0);
    tx.authorization_list[0].chain_id = Uint256{*tx.chain_id + 1};
    ASSERT_TRUE(sign_authorization(tx.authorization_list[0], test::secret_of(2)));
    ASSERT_TRUE(sign_transaction(tx, test::secret_of(1)));
    EXPECT_EQ(add(tx), "admitted");
    EXPECT_EQ(add(test::transfer({.from = 2, .nonce = 0})), "admitted");
    EXPECT_EQ(add(test::transfer({.from = 2, .nonce = 1})), "admitted");
}

TEST_F(DelegationsTest, are_paid_with_what_a_contract_has_sent_since) {
    EXPECT_EQ(add(test::transfer({.nonce = 0})), "admitted");
    StateDiff diff;
    test::TestChain::set_account(diff, test::account_of(1), 0,
                                 Uint256{100} * Uint256{test::kEther});
    pool_.on_head(*chain_.commit({.diff = diff}));  // by no transaction that names the account
    EXPECT_EQ(add(delegating(1, 1, 50)), "admitted");
}

/// What is refused without them takes as long as one signature and decoding.
TEST_F(DelegationsTest, of_who_cannot_pay_are_not_recovered) {
    const Transaction tx = delegating(500, 0, 10);
    std::string error;

    const auto refusing = time_of_thread([&] {
        for (int i = 0; i < 3; ++i)
            error = add(tx);
    });
    const auto recovering = time_of_thread([&] {
        for (const Authorization& authorization : tx.authorization_list)
            EXPECT_TRUE(test::authority_of(authorization).has_value());
    });

    EXPECT_THAT(error, HasSubstr("insufficient funds"));
    EXPECT_LT(refusing, recovering) << "three times against once";
}

}  // namespace
}  // namespace heddle::node
