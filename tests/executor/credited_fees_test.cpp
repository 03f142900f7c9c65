// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Fees that are left out of what transactions change, and credited when these are committed.
#include <gtest/gtest.h>

#include "fakes.hpp"
#include "state/committed_state.hpp"

namespace heddle::executor {
namespace {

const Address kAlice = address_from_low64(0xa);
const Address kBob = address_from_low64(0xb);
const Address kCarol = address_from_low64(0xc);  // does not exist

class CreditedFees : public testing::Test {
protected:
    test::FakeState base_;
    VersionedState state_;
    CommittedState committed_{state_};
    BlockChanges block_;

    void SetUp() override {
        base_.set_balance(kAlice, Uint256{1'000});
        base_.set_balance(kBob, Uint256{100});
        state_.attach(base_);
        block_.serial = 1;
        block_.first_stamp = make_stamp(1, 0);
    }

    void commit_account(std::uint64_t position, const Address& address, const Account& account) {
        AccountChange change;
        change.address = address;
        change.account = account;
        committed_.begin(block_, make_stamp_in_order(position));
        committed_.apply(StateDiff{{change}, {}});
    }
    [[nodiscard]] Account account(const Address& address) const {
        return committed_.account(address).value_or(Account{});
    }
};

TEST_F(CreditedFees, fee_brings_its_beneficiary_to_life) {
    committed_.begin(block_, make_stamp(2, 0));
    committed_.credit_fee(state_.account(kCarol), Uint256{5}, Revision::spurious_dragon);
    EXPECT_EQ(account(kCarol).balance, Uint256{5});
    const Stamp life = state_.account(kCarol).stamps.code;
    EXPECT_EQ(life, make_stamp(2, 0));

    committed_.begin(block_, make_stamp(3, 0));
    committed_.credit_fee(state_.account(kCarol), Uint256{5}, Revision::spurious_dragon);
    const StateDiff diff = committed_.diff();
    ASSERT_EQ(diff.accounts.size(), 1u);
    EXPECT_EQ(diff.accounts[0].account->balance, Uint256{10});
    EXPECT_EQ(state_.account(kCarol).stamps.code, life) << "growing richer is nobody's business";
}

TEST_F(CreditedFees, fees_of_two_beneficiaries_in_turn_go_to_each) {
    committed_.begin(block_, make_stamp_in_order(1));
    committed_.credit_fee(state_.account(kBob), Uint256{5}, Revision::spurious_dragon);
    committed_.credit_fee(state_.account(kAlice), Uint256{7}, Revision::spurious_dragon);
    committed_.settle_fees();
    EXPECT_EQ(account(kBob).balance, Uint256{105});
    EXPECT_EQ(account(kAlice).balance, Uint256{1'007});
}

TEST_F(CreditedFees, fee_of_nothing_creates_before_eip_161_only) {
    committed_.begin(block_, make_stamp(2, 0));
    committed_.credit_fee(state_.account(kCarol), Uint256{}, Revision::spurious_dragon);
    EXPECT_EQ(committed_.account(kCarol), std::nullopt);
    committed_.credit_fee(state_.account(kCarol), Uint256{}, Revision::frontier);
    EXPECT_TRUE(committed_.account(kCarol).has_value());
    // An empty account is cleared when it is touched.
    committed_.credit_fee(state_.account(kCarol), Uint256{}, Revision::spurious_dragon);
    EXPECT_EQ(committed_.account(kCarol), std::nullopt);
}

/// Sums of 256 bits begin anew, and what comes to nothing is an empty account.
TEST_F(CreditedFees, fees_that_come_to_nothing_end_their_beneficiary_from_eip_161_on) {
    const Uint256 rest = Uint256{} - Uint256{100};
    committed_.begin(block_, make_stamp(2, 0));
    committed_.credit_fee(state_.account(kBob), rest - Uint256{1}, Revision::spurious_dragon);
    committed_.credit_fee(state_.account(kBob), Uint256{1}, Revision::spurious_dragon);
    EXPECT_EQ(committed_.account(kBob), std::nullopt);
    EXPECT_EQ(state_.account(kBob).stamps.code, make_stamp(2, 0));

    committed_.begin(block_, make_stamp(3, 0));
    commit_account(3, kBob, Account{0, Uint256{100}, kEmptyCodeHash});
    committed_.begin(block_, make_stamp(4, 0));
    committed_.credit_fee(state_.account(kBob), rest, Revision::frontier);
    ASSERT_TRUE(committed_.account(kBob).has_value());
    EXPECT_TRUE(account(kBob).is_empty());
    EXPECT_EQ(state_.account(kBob).stamps.code, make_stamp(4, 0));
}

}  // namespace
}  // namespace heddle::executor
