// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "lanes/payer_book.hpp"

#include <cstdint>
#include <map>
#include <vector>

#include <gtest/gtest.h>

namespace heddle::node::lanes {
namespace {

using std::chrono::milliseconds;

class PayerBookTest : public testing::Test {
protected:
    /// Gas at its most and one wei.
    static constexpr std::uint64_t kCost = 100'001;

    [[nodiscard]] static Transaction from(std::uint64_t account, std::uint64_t nonce) {
        Transaction tx;
        tx.type = TransactionType::dynamic_fee;
        tx.nonce = nonce;
        tx.gas_limit = 100'000;
        tx.max_fee_per_gas = Uint256{std::uint64_t{1}};
        tx.value = Uint256{std::uint64_t{1}};
        tx.r = Uint256{nonce + 1};  // who has signed once more has another one
        tx.sender = address_from_low64(account);
        return tx;
    }
    void fund(std::uint64_t account, std::uint64_t nonce, std::uint64_t transactions) {
        head_[address_from_low64(account)] = {nonce, Uint256{transactions * kCost}};
    }
    [[nodiscard]] PayerBook book(PayerBounds bounds = {}) {
        return PayerBook{[this](std::span<const Address> them) { return look_up(them); },
                         [this] { return now_; }, bounds};
    }
    /// Which of them may wait.
    [[nodiscard]] static std::vector<bool> let_in(PayerBook& book,
                                                  const std::vector<Transaction>& them) {
        std::vector<bool> result;
        for (const auto& reason : book.refusals(them))
            result.push_back(!reason.has_value());
        return result;
    }
    [[nodiscard]] static bool lets_in(PayerBook& book, const Transaction& tx) {
        return let_in(book, {tx}).front();
    }

    milliseconds now_{10'000};
    bool is_answering_ = true;
    std::size_t questions_ = 0;  // each of some accounts
    std::size_t asked_ = 0;      // accounts

private:
    std::optional<std::vector<AccountState>> look_up(std::span<const Address> them) {
        if (!is_answering_) return std::nullopt;
        ++questions_;
        asked_ += them.size();
        std::vector<AccountState> result;
        for (const Address& address : them)
            result.push_back(head_[address]);
        return result;
    }
    std::map<Address, AccountState> head_;
};

TEST_F(PayerBookTest, lets_in_who_can_pay_and_asks_once_for_all_that_come_together) {
    fund(1, 3, 2);
    PayerBook book = this->book();
    EXPECT_EQ(let_in(book, {from(1, 3), from(2, 0), from(1, 4)}),
              (std::vector<bool>{true, false, true}));
    EXPECT_EQ(questions_, 1u);
    EXPECT_EQ(asked_, 2u);
}

TEST_F(PayerBookTest, refuses_nonces_that_were_used) {
    fund(1, 3, 9);
    PayerBook book = this->book();
    EXPECT_EQ(let_in(book, {from(1, 2), from(1, 3), from(1, 7)}),
              (std::vector<bool>{false, true, true}));
}

/// However often somebody asks for them: what was let in is not in the balance yet.
TEST_F(PayerBookTest, a_balance_counts_once_in_a_period) {
    fund(1, 0, 2);
    PayerBook book = this->book();
    EXPECT_EQ(let_in(book, {from(1, 0), from(1, 1), from(1, 2)}),
              (std::vector<bool>{true, true, false}));
    now_ += PayerBounds{}.again;
    EXPECT_FALSE(lets_in(book, from(1, 2)));
    fund(1, 0, 3);
    now_ += PayerBounds{}.again;
    EXPECT_TRUE(lets_in(book, from(1, 2))) << "it has got more";
    fund(1, 3, 1);
    now_ += PayerBounds{}.period;
    EXPECT_TRUE(lets_in(book, from(1, 3)));
    EXPECT_FALSE(lets_in(book, from(1, 4)));
}

TEST_F(PayerBookTest, who_is_refused_is_asked_about_again_after_a_moment) {
    PayerBook book = this->book();
    EXPECT_FALSE(lets_in(book, from(1, 0)));
    fund(1, 0, 1);
    EXPECT_FALSE(lets_in(book, from(1, 0)));
    EXPECT_EQ(questions_, 1u);
    now_ += PayerBounds{}.again;
    EXPECT_TRUE(lets_in(book, from(1, 0)));
    EXPECT_EQ(questions_, 2u);
}

/// Trigger: one signed transaction is placed under many numbers, by whoever has seen it. It takes
/// nothing of what its sender has beside it.
TEST_F(PayerBookTest, a_transaction_counts_once_and_is_let_in_a_few_times) {
    fund(1, 0, 2);
    PayerBook book = this->book();
    std::uint64_t count = 0;
    for (int i = 0; i < 100; ++i)
        count += lets_in(book, from(1, 0)) ? 1 : 0;
    EXPECT_EQ(count, PayerBounds{}.most_of_one);
    EXPECT_TRUE(lets_in(book, from(1, 1)));
    Transaction other = from(1, 0);
    other.r = Uint256{std::uint64_t{99}};
    EXPECT_FALSE(lets_in(book, other)) << "of one nonce each counts that is signed";
    now_ += PayerBounds{}.period;
    EXPECT_TRUE(lets_in(book, from(1, 0)));
}

TEST_F(PayerBookTest, costs_that_nobody_can_own_are_refused) {
    fund(1, 0, 1'000);
    Transaction dear = from(1, 0);
    dear.max_fee_per_gas = ~Uint256{};
    PayerBook book = this->book();
    EXPECT_FALSE(lets_in(book, dear));
}

TEST_F(PayerBookTest, lets_everybody_in_where_nobody_says) {
    PayerBook book = this->book();
    EXPECT_FALSE(lets_in(book, from(1, 0)));
    is_answering_ = false;
    now_ += PayerBounds{}.again;
    EXPECT_TRUE(lets_in(book, from(1, 0)));
    EXPECT_TRUE(lets_in(book, from(2, 0)));
    is_answering_ = true;
    EXPECT_FALSE(lets_in(book, from(1, 0)));
}

/// What accounts without ether cost a validator: nothing waits, each is a question for each
/// `again`, and what is remembered of them is bounded and gone after a period.
TEST_F(PayerBookTest, accounts_without_ether_cost_one_question_each_and_bounded_memory) {
    PayerBounds bounds;
    bounds.most_accounts = 100;
    PayerBook book = this->book(bounds);
    for (std::uint64_t round = 0; round < 10; ++round)
        for (std::uint64_t account = 1; account <= 50; ++account)
            EXPECT_FALSE(lets_in(book, from(account, round)));
    EXPECT_EQ(asked_, 50u);
    for (std::uint64_t account = 51; account <= 1'000; ++account) {
        EXPECT_FALSE(lets_in(book, from(account, 0)));
        EXPECT_LE(book.known(), 100u);
    }
    EXPECT_EQ(asked_, 1'000u);
    now_ += bounds.period;
    EXPECT_FALSE(lets_in(book, from(1, 0)));
    EXPECT_EQ(book.known(), 1u);
}

}  // namespace
}  // namespace heddle::node::lanes
