// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "mempool/mempool.hpp"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_chain.hpp"

namespace heddle::node {
namespace {

using test::account_of;
using test::encoded;
using test::kEther;
using test::kGwei;
using test::secret_of;
using test::transfer;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class MempoolTest : public testing::Test {
protected:
    std::expected<Hash, AdmissionError> add(const Transaction& tx, Origin origin = Origin::remote) {
        return pool_.add(encoded(tx), origin);
    }
    std::string error_of(const Transaction& tx, Origin origin = Origin::remote) {
        return message_of(add(tx, origin));
    }
    static std::string message_of(const std::expected<Hash, AdmissionError>& added) {
        return added.has_value() ? "admitted" : added.error().message;
    }
    /// Changes something of a good transaction and signs it again.
    template <typename Change>
    static Transaction altered(Change change) {
        Transaction tx = transfer({});
        change(tx);
        HEDDLE_ASSERT(sign_transaction(tx, secret_of(1)));
        return tx;
    }
    SharedBlock commit(test::TestChain::Plan plan) {
        SharedBlock block = chain_.commit(std::move(plan));
        pool_.on_head(*block);
        return block;
    }

    test::TestChain chain_;
    Mempool pool_{MempoolOptions{}, chain_.chain()};
};

TEST_F(MempoolTest, an_admitted_transaction_is_found_with_its_sender) {
    const Transaction tx = transfer({.from = 3});
    const auto hash = add(tx);
    ASSERT_TRUE(hash.has_value());
    EXPECT_EQ(*hash, transaction_hash(tx));
    const SharedTransaction found = pool_.find(*hash);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->tx, tx);
    EXPECT_EQ(pool_.next_nonce(account_of(3)), 1u);
    EXPECT_EQ(pool_.next_nonce(account_of(4)), 0u);
    EXPECT_EQ(pool_.counters().admitted, 1u);
}

TEST_F(MempoolTest, what_was_signed_here_is_taken_as_everything_else_with_the_sender_it_has) {
    const Transaction tx = transfer({.from = 3});
    const auto hash = pool_.add_signed(encoded(tx), account_of(3), Origin::local);
    ASSERT_TRUE(hash.has_value());
    EXPECT_EQ(pool_.find(*hash)->tx, tx);
    EXPECT_FALSE(pool_.find(*hash)->is_sender_given);
    EXPECT_EQ(message_of(pool_.add_signed(encoded(tx), account_of(3), Origin::local)),
              "already known");
    EXPECT_EQ(message_of(pool_.add_signed(Bytes{0xc0}, account_of(3), Origin::local)),
              message_of(pool_.add(Bytes{0xc0}, Origin::local)));
}

TEST_F(MempoolTest, many_at_once_are_treated_as_one_by_one) {
    std::vector<Bytes> all;
    for (std::uint64_t nonce = 0; nonce < 70; ++nonce)
        all.push_back(encoded(transfer({.from = 1 + nonce % 3, .nonce = nonce / 3})));
    all[7] = all[2];        // known when its turn comes
    all[11] = Bytes{0xc0};  // no transaction
    Transaction unsigned_tx = transfer({.from = 2});
    unsigned_tx.r = Uint256{5};  // no point of the curve has this x
    all[30] = encoded(unsigned_tx);
    all[40] = encoded(transfer({.from = 3, .value = kEther * Uint256{1'000'000'000}}));
    const std::vector<BytesView> views(all.begin(), all.end());
    const auto at_once = pool_.add_all(views, Origin::remote);

    Mempool other{MempoolOptions{}, chain_.chain()};
    ASSERT_EQ(at_once.size(), all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto alone = other.add(all[i], Origin::remote);
        ASSERT_EQ(message_of(at_once[i]), message_of(alone)) << i;
        if (alone.has_value()) EXPECT_EQ(*at_once[i], *alone) << i;
    }
    EXPECT_EQ(message_of(at_once[7]), "already known");
    EXPECT_EQ(message_of(at_once[30]), "invalid sender: recovery failed");
    EXPECT_EQ(pool_.status().pending, other.status().pending);
    EXPECT_EQ(pool_.counters().admitted, other.counters().admitted);
    EXPECT_EQ(pool_.counters().rejected, other.counters().rejected);
    EXPECT_TRUE(pool_.add_all({}, Origin::remote).empty());
}

TEST_F(MempoolTest, what_is_known_is_refused) {
    ASSERT_TRUE(add(transfer({})).has_value());
    EXPECT_EQ(error_of(transfer({})), "already known");
    EXPECT_EQ(pool_.counters().rejected[static_cast<std::size_t>(AdmissionCode::already_known)],
              1u);
}

TEST_F(MempoolTest, bytes_that_are_no_transaction_are_refused) {
    EXPECT_EQ(message_of(pool_.add({}, Origin::local)), "typed transaction too short");
    EXPECT_THAT(message_of(pool_.add(Bytes{0xc0}, Origin::local)),
                HasSubstr("malformed transaction"));
    EXPECT_EQ(message_of(pool_.add(Bytes{0x05, 0xc0}, Origin::local)),
              "transaction type not supported");
    Bytes cut = encoded(transfer({}));
    for (std::size_t size = 0; size < cut.size(); ++size)
        EXPECT_NE(message_of(pool_.add(BytesView{cut}.first(size), Origin::local)), "admitted");
}

TEST_F(MempoolTest, the_rules_of_the_next_block_hold) {
    EXPECT_EQ(error_of(altered([](Transaction& tx) { tx.chain_id = 5; })),
              "invalid sender: invalid chain id for signer: have 5 want 1337");
    EXPECT_EQ(error_of(altered([](Transaction& tx) { tx.gas_limit = 20'999; })),
              "intrinsic gas too low: gas 20999, minimum needed 21000");
    EXPECT_EQ(error_of(altered([](Transaction& tx) { tx.gas_limit = 16'777'217; })),
              "transaction gas limit too high (cap: 16777216, tx: 16777217)");
    EXPECT_EQ(error_of(altered([](Transaction& tx) {
                  tx.data.assign(100, 1);
                  tx.gas_limit = 24'000;
              })),
              "insufficient gas for floor data gas cost: gas 24000, minimum needed 25000");
    EXPECT_EQ(error_of(altered([](Transaction& tx) {
                  tx.to.reset();
                  tx.data.assign(49'153, 0);
                  tx.gas_limit = 5'000'000;
              })),
              "max initcode size exceeded: code size 49153 limit 49152");
    EXPECT_THAT(error_of(altered([](Transaction& tx) {
                    tx.max_priority_fee_per_gas = tx.max_fee_per_gas + Uint256{1};
                })),
                HasSubstr("max priority fee per gas higher than max fee per gas"));
    EXPECT_EQ(error_of(altered([](Transaction& tx) { tx.nonce = ~std::uint64_t{0}; })),
              "nonce has max value");
    EXPECT_EQ(error_of(altered([](Transaction& tx) { tx.data.assign(140'000, 0); })),
              "oversized data: transaction size 140117, limit 131072");
    EXPECT_EQ(error_of(altered([](Transaction& tx) { tx.type = TransactionType::set_code; })),
              "set code tx must have at least one authorization tuple");
    EXPECT_EQ(pool_.status().pending, 0u);
}

TEST_F(MempoolTest, gas_above_the_blocks_is_refused) {
    commit({.gas_limit = 10'000'000});
    EXPECT_EQ(error_of(altered([](Transaction& tx) { tx.gas_limit = 10'000'001; })),
              "exceeds block gas limit");
}

TEST_F(MempoolTest, types_of_later_forks_are_refused) {
    test::TestChain chain{Revision::cancun};
    Mempool pool{{}, chain.chain()};
    const Transaction tx = altered([](Transaction& it) {
        it.type = TransactionType::set_code;
        it.gas_limit = 100'000;
        it.authorization_list.resize(1);
    });
    EXPECT_THAT(message_of(pool.add(encoded(tx), Origin::local)),
                HasSubstr("transaction type not supported: type 4 rejected"));
}

TEST_F(MempoolTest, what_came_here_first_needs_a_chain_id_unless_told_otherwise) {
    const Transaction tx = altered([](Transaction& it) {
        it.type = TransactionType::legacy;
        it.chain_id.reset();
        it.max_priority_fee_per_gas = it.max_fee_per_gas;
    });
    for (const Origin origin : {Origin::local, Origin::submitted})
        EXPECT_EQ(error_of(tx, origin),
                  "only replay-protected (EIP-155) transactions allowed over RPC");
    MempoolOptions options;
    options.allow_unprotected = true;
    Mempool pool{options, chain_.chain()};
    EXPECT_TRUE(pool.add(encoded(tx), Origin::submitted).has_value());
}

TEST_F(MempoolTest, all_but_local_ones_must_pay_the_least_tip) {
    MempoolOptions options;
    options.min_priority_fee = 2 * kGwei;
    Mempool pool{options, chain_.chain()};
    for (const Origin origin : {Origin::submitted, Origin::remote})
        EXPECT_EQ(message_of(pool.add(encoded(transfer({})), origin)),
                  "transaction gas price below minimum: gas tip cap 1000000000, minimum needed "
                  "2000000000");
    EXPECT_TRUE(pool.add(encoded(transfer({})), Origin::local).has_value());

    const auto refusal = [&](const std::function<void(Transaction&)>& change) {
        return message_of(pool.add(encoded(altered(change)), Origin::submitted));
    };
    EXPECT_THAT(refusal([](Transaction& tx) { tx.gas_limit = 20'000; }),
                HasSubstr("intrinsic gas too low"));
    EXPECT_THAT(refusal([](Transaction& tx) { tx.chain_id = 5; }), HasSubstr("invalid chain id"));
}

TEST_F(MempoolTest, a_fee_beyond_reason_is_refused_here) {
    MempoolOptions options;
    options.max_fee = kEther;
    Mempool pool{options, chain_.chain()};
    const Transaction tx = transfer({.fee_cap = Uint256{100'000} * Uint256{kGwei}});
    for (const Origin origin : {Origin::local, Origin::submitted})
        EXPECT_EQ(message_of(pool.add(encoded(tx), origin)),
                  "tx fee (2.10 ether) exceeds the configured cap (1.00 ether)");
}

TEST_F(MempoolTest, who_cannot_pay_is_refused_with_the_sums) {
    EXPECT_EQ(error_of(transfer({.value = Uint256{10} * Uint256{kEther}})),
              "insufficient funds for gas * price + value: balance 10000000000000000000, "
              "tx cost 10000210000000000000, overshot 210000000000000");
}

TEST_F(MempoolTest, contracts_cannot_send_but_delegated_accounts_can) {
    StateDiff diff;
    Bytes delegation{0xef, 0x01, 0x00};
    delegation.resize(23);
    test::TestChain::set_account(diff, account_of(1), 0, kEther, {0x60, 0x00});
    test::TestChain::set_account(diff, account_of(2), 0, kEther, delegation);
    commit({.diff = diff});
    EXPECT_THAT(error_of(transfer({.from = 1})), HasSubstr("sender not an eoa"));
    EXPECT_EQ(error_of(transfer({.from = 2})), "admitted");
}

TEST(MempoolBeforePrague, code_like_a_delegation_makes_a_contract) {
    test::TestChain chain{Revision::cancun};
    Mempool pool{MempoolOptions{}, chain.chain()};
    StateDiff diff;
    Bytes delegation{0xef, 0x01, 0x00};
    delegation.resize(23);
    test::TestChain::set_account(diff, account_of(2), 0, kEther, delegation);
    pool.on_head(*chain.commit({.diff = diff}));
    const auto added = pool.add(encoded(transfer({.from = 2})), Origin::remote);
    ASSERT_FALSE(added.has_value());
    EXPECT_EQ(added.error().code, AdmissionCode::sender_not_eoa);
}

TEST_F(MempoolTest, a_block_takes_its_transactions_out_and_promotes_those_behind) {
    const Transaction first = transfer({.nonce = 0});
    ASSERT_TRUE(add(first).has_value());
    const auto second = add(transfer({.nonce = 1}));
    ASSERT_TRUE(second.has_value());
    StateDiff diff;
    test::TestChain::set_account(diff, account_of(1), 1, kEther);
    commit({.transactions = {first}, .diff = diff});
    EXPECT_EQ(pool_.find(transaction_hash(first)), nullptr);
    EXPECT_NE(pool_.find(*second), nullptr);
    EXPECT_EQ(pool_.next_nonce(account_of(1)), 2u);
    EXPECT_EQ(pool_.counters().included, 1u);
    EXPECT_EQ(pool_.counters().dropped, 0u);
}

TEST_F(MempoolTest, another_transaction_of_the_same_nonce_in_a_block_drops_ours) {
    ASSERT_TRUE(add(transfer({.nonce = 0})).has_value());
    StateDiff diff;
    test::TestChain::set_account(diff, account_of(1), 1, kEther);
    commit({.transactions = {transfer({.nonce = 0, .value = 7})}, .diff = diff});
    EXPECT_EQ(pool_.status().pending, 0u);
    EXPECT_EQ(pool_.counters().dropped, 1u);
}

TEST_F(MempoolTest, a_higher_base_fee_takes_nothing_out) {
    const Transaction tx = transfer({.tip = 0, .fee_cap = kGwei});
    ASSERT_TRUE(add(tx).has_value());
    commit({.gas_used = 30'000'000});
    commit({.gas_used = 30'000'000});
    EXPECT_GT(chain_.chain().next_header(chain_.chain().head(), 1'000'000).base_fee_per_gas,
              Uint256{kGwei});
    EXPECT_NE(pool_.find(transaction_hash(tx)), nullptr);
}

TEST_F(MempoolTest, a_lower_gas_limit_drops_what_no_block_can_hold) {
    const Transaction big = transfer({.from = 1, .gas_limit = 12'000'000});
    const Transaction small = transfer({.from = 2});
    ASSERT_TRUE(add(big).has_value());
    ASSERT_TRUE(add(small).has_value());
    commit({.gas_limit = 10'000'000});
    EXPECT_EQ(pool_.find(transaction_hash(big)), nullptr);
    EXPECT_NE(pool_.find(transaction_hash(small)), nullptr);
}

TEST_F(MempoolTest, money_from_a_contract_is_noticed_when_it_is_needed) {
    ASSERT_TRUE(add(transfer({.nonce = 0})).has_value());
    StateDiff diff;
    test::TestChain::set_account(diff, account_of(1), 0, Uint256{100} * Uint256{kEther});
    commit({.diff = diff});  // by no transaction that names the account
    EXPECT_EQ(error_of(transfer({.nonce = 1, .value = Uint256{50} * Uint256{kEther}})), "admitted");
}

TEST_F(MempoolTest, arrivals_are_told_once_they_are_executable) {
    std::vector<std::uint64_t> nonces;
    const auto subscription = pool_.arrivals().subscribe(
        [&](const BecameExecutable& event) { nonces.push_back(event.transaction->tx.nonce); });
    ASSERT_TRUE(add(transfer({.nonce = 1})).has_value());
    EXPECT_THAT(nonces, IsEmpty());
    ASSERT_TRUE(add(transfer({.nonce = 0})).has_value());
    EXPECT_THAT(nonces, ElementsAre(0, 1));
}

TEST_F(MempoolTest, content_says_which_arrivals_it_has_seen) {
    std::vector<std::uint64_t> numbers;
    std::vector<std::uint64_t> seen;
    const auto subscription = pool_.arrivals().subscribe([&](const BecameExecutable& event) {
        numbers.push_back(event.number);
        seen.push_back(pool_.content().last_executable);
    });
    EXPECT_EQ(pool_.content().last_executable, 0u);
    const auto hash = add(transfer({.nonce = 0}));
    ASSERT_TRUE(add(transfer({.nonce = 2})).has_value());
    ASSERT_TRUE(add(transfer({.nonce = 1})).has_value());
    pool_.remove(*hash, "it failed");
    ASSERT_TRUE(add(transfer({.nonce = 0})).has_value());

    EXPECT_THAT(numbers, ElementsAre(1, 2, 3, 4, 5, 6))
        << "two of them twice, as they waited again";
    EXPECT_THAT(seen, ElementsAre(1, 3, 3, 6, 6, 6));
    EXPECT_EQ(pool_.content_of(account_of(2)).last_executable, 6u);
}

TEST_F(MempoolTest, content_comes_by_sender_and_nonce) {
    for (const std::uint64_t nonce : {1u, 0u, 3u}) {
        ASSERT_TRUE(add(transfer({.from = 2, .nonce = nonce})).has_value());
        ASSERT_TRUE(add(transfer({.from = 1, .nonce = nonce})).has_value());
    }
    const Mempool::Content content = pool_.content();
    ASSERT_EQ(content.pending.size(), 4u);
    ASSERT_EQ(content.queued.size(), 2u);
    for (std::size_t i = 1; i < content.pending.size(); ++i)
        EXPECT_LT(std::pair(*content.pending[i - 1]->tx.sender, content.pending[i - 1]->tx.nonce),
                  std::pair(*content.pending[i]->tx.sender, content.pending[i]->tx.nonce));
    EXPECT_EQ(pool_.content_of(account_of(2)).queued.size(), 1u);
}

TEST_F(MempoolTest, removing_one_that_failed_makes_the_rest_wait) {
    const auto hash = add(transfer({.nonce = 0}));
    ASSERT_TRUE(add(transfer({.nonce = 1})).has_value());
    pool_.remove(*hash, "it failed");
    EXPECT_EQ(pool_.status().pending, 0u);
    EXPECT_EQ(pool_.status().queued, 1u);
}

TEST_F(MempoolTest, many_threads_add_read_and_build_while_blocks_come) {
    constexpr std::uint64_t kThreads = 4;
    constexpr std::uint64_t kNonces = 30;
    std::vector<std::thread> threads;
    for (std::uint64_t thread = 0; thread < kThreads; ++thread)
        threads.emplace_back([&, thread] {
            for (std::uint64_t nonce = 0; nonce < kNonces; ++nonce) {
                const Transaction tx = transfer({.from = thread + 1, .nonce = nonce});
                EXPECT_EQ(error_of(tx, nonce % 2 == 0 ? Origin::local : Origin::remote),
                          "admitted");
            }
        });
    std::uint64_t mined = 0;
    while (mined < kThreads * kNonces) {
        const auto best = pool_.best(Uint256{}, Uint256{});
        test::TestChain::Plan plan;
        std::map<Address, std::uint64_t> nonces;
        for (int count = 0; count < 7; ++count) {
            const SharedTransaction next = best->next();
            if (!next) break;
            plan.transactions.push_back(next->tx);
            nonces[*next->tx.sender] = next->tx.nonce + 1;
        }
        mined += plan.transactions.size();
        for (const auto& [sender, nonce] : nonces)
            test::TestChain::set_account(plan.diff, sender, nonce, Uint256{10} * Uint256{kEther});
        commit(std::move(plan));
        EXPECT_LE(pool_.content().pending.size(), kThreads * kNonces);
        EXPECT_GE(pool_.next_nonce(account_of(1)), nonces[account_of(1)]);
    }
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(pool_.status().pending + pool_.status().queued, 0u);
    EXPECT_EQ(pool_.counters().included, kThreads * kNonces);
}

}  // namespace
}  // namespace heddle::node
