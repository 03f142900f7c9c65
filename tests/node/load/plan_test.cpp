// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "load/plan.hpp"

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include <types/bytes.hpp>

#include "formats/json.hpp"

namespace heddle::node::load {
namespace {

constexpr std::uint64_t kChainId = 4242;

PlanOptions options_of(Kind kind, std::uint64_t transactions) {
    PlanOptions options;
    options.kind = kind;
    options.transactions = transactions;
    options.chain_id = kChainId;
    options.fees = {Uint256{100}, Uint256{3}};
    options.contracts.token.bytes[0] = 1;
    options.contracts.store.bytes[0] = 2;
    options.contracts.factory.bytes[0] = 3;
    return options;
}

Transaction decode_call(const SignedTransaction& signed_tx) {
    JsonParser parser;
    const JsonView call = parser.parse(signed_tx.call, "call");
    const Bytes raw = call.at("params").element(0).bytes();
    const auto tx = decode_transaction(raw);
    EXPECT_TRUE(tx.has_value());
    EXPECT_EQ(transaction_hash(*tx), signed_tx.hash);
    return tx.value_or(Transaction{});
}

TEST(LoadPlan, every_call_is_a_transaction_of_its_account_with_the_next_nonce) {
    std::vector<Account> accounts = make_accounts(5, 4);
    accounts[2].nonce = 7;

    const auto plan = plan_transactions(options_of(Kind::mixed, 41), accounts);

    ASSERT_EQ(plan.size(), 41U);
    std::vector<std::uint64_t> nonces{0, 0, 7, 0};
    for (std::size_t i = 0; i < plan.size(); ++i) {
        const Transaction tx = decode_call(plan[i]);
        EXPECT_EQ(plan[i].sender, i % 4);
        EXPECT_EQ(recover_sender(tx), accounts[i % 4].key.address);
        EXPECT_EQ(tx.nonce, nonces[i % 4]++);
        EXPECT_EQ(tx.chain_id, kChainId);
    }
    for (std::size_t i = 0; i < 4; ++i)
        EXPECT_EQ(accounts[i].nonce, nonces[i]);
}

TEST(LoadPlan, what_the_accounts_shall_have_follows_from_the_transactions) {
    for (const Kind kind : {Kind::transfers, Kind::erc20, Kind::mixed}) {
        std::vector<Account> accounts = make_accounts(1, 10);
        std::map<Address, std::size_t> index_of;
        for (std::size_t i = 0; i < accounts.size(); ++i)
            index_of[accounts[i].key.address] = i;
        const PlanOptions options = options_of(kind, 300);

        const auto plan = plan_transactions(options, accounts);

        std::vector<Account> expected = make_accounts(1, 10);
        for (const SignedTransaction& planned : plan) {
            const Transaction tx = decode_call(planned);
            Account& sender = expected[planned.sender];
            sender.needs += tx.value + Uint256{tx.gas_limit} * tx.max_fee_per_gas;
            sender.balance -= tx.value;
            if (const auto found = index_of.find(*tx.to); found != index_of.end())
                expected[found->second].balance += tx.value;
            if (*tx.to != options.contracts.token) continue;
            // transfer(address,uint256): the selector, then two words.
            ASSERT_EQ(tx.data.size(), 68U);
            Address to;
            std::copy_n(tx.data.begin() + 16, 20, to.bytes.begin());
            const Uint256 amount = load_be(tx.data.data() + 36);
            EXPECT_LE(amount, Uint256{kMaxValue});
            sender.tokens -= amount;
            expected[index_of.at(to)].tokens += amount;
        }
        for (std::size_t i = 0; i < accounts.size(); ++i) {
            EXPECT_EQ(accounts[i].balance, expected[i].balance) << to_string(kind) << i;
            EXPECT_EQ(accounts[i].tokens, expected[i].tokens) << to_string(kind) << i;
            EXPECT_EQ(accounts[i].needs, expected[i].needs) << to_string(kind) << i;
        }
    }
}

TEST(LoadPlan, a_mixed_load_has_something_of_everything) {
    std::vector<Account> accounts = make_accounts(1, 10);
    const PlanOptions options = options_of(Kind::mixed, 1'000);

    const auto plan = plan_transactions(options, accounts);

    std::map<Address, int> by_recipient;
    std::map<TransactionType, int> by_type;
    for (const SignedTransaction& planned : plan) {
        const Transaction tx = decode_call(planned);
        ++by_recipient[*tx.to];
        ++by_type[tx.type];
    }
    EXPECT_GT(by_recipient[options.contracts.token], 350);
    EXPECT_GT(by_recipient[options.contracts.store], 40);
    EXPECT_GT(by_recipient[options.contracts.factory], 5);
    EXPECT_GT(by_type[TransactionType::legacy], 250);
    EXPECT_GT(by_type[TransactionType::dynamic_fee], 500);
}

TEST(LoadPlan, the_same_seed_gives_the_same_transactions) {
    std::vector<Account> first = make_accounts(9, 3);
    std::vector<Account> second = make_accounts(9, 3);
    std::vector<Account> other = make_accounts(10, 3);

    const auto a = plan_transactions(options_of(Kind::erc20, 30), first);
    const auto b = plan_transactions(options_of(Kind::erc20, 30), second);
    const auto c = plan_transactions(options_of(Kind::erc20, 30), other);

    for (std::size_t i = 0; i < a.size(); ++i) {
        EXPECT_EQ(a[i].call, b[i].call);
        EXPECT_NE(a[i].hash, c[i].hash);
    }
}

TEST(LoadPlan, kinds_have_names) {
    for (const Kind kind : {Kind::transfers, Kind::erc20, Kind::mixed})
        EXPECT_EQ(kind_from_string(to_string(kind)), kind);
    EXPECT_EQ(kind_from_string("swaps"), std::nullopt);
}

TEST(Treasurer, deploys_where_it_says_and_counts_its_nonces) {
    const std::vector<Account> accounts = make_accounts(1, 2);
    Treasurer treasurer{accounts[0].key, 5, kChainId, {Uint256{9}, Uint256{1}}};

    treasurer.pay(accounts[1].key.address, Uint256{77});
    const Address contract = treasurer.deploy("6001", Bytes{2, 3});

    ASSERT_EQ(treasurer.transactions().size(), 2U);
    const Transaction payment = decode_call(treasurer.transactions()[0]);
    EXPECT_EQ(payment.nonce, 5U);
    EXPECT_EQ(payment.value, Uint256{77});
    const Transaction creation = decode_call(treasurer.transactions()[1]);
    EXPECT_TRUE(creation.is_creation());
    EXPECT_EQ(creation.data, (Bytes{0x60, 0x01, 2, 3}));
    EXPECT_EQ(contract, create_address(accounts[0].key.address, 6));
}

}  // namespace
}  // namespace heddle::node::load
