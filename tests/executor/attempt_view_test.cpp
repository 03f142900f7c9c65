// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "state/attempt_view.hpp"

#include <gtest/gtest.h>

#include "fakes.hpp"

namespace heddle::executor {
namespace {

const Address kAlice = address_from_low64(0xa);
const Address kBob = address_from_low64(0xb);

class AttemptViewTest : public testing::Test {
protected:
    test::FakeState base_;
    VersionedState state_;
    Transaction tx_;
    AttemptPlace place_{5, tx_};
    Attempt attempt_;
    AttemptView view_;

    void SetUp() override {
        base_.set_balance(kAlice, Uint256{100});
        base_.set_balance(kBob, Uint256{50});
        base_.set_slot(kBob, 1, 11);
        state_.attach(base_);
        tx_.sender = kAlice;
        tx_.nonce = 9;
    }
    void begin() { view_.begin(state_, attempt_, place_); }
    void publish_balance(const Address& address, std::uint64_t position, std::uint64_t balance) {
        AccountVersion version;
        version.stamp = make_stamp(position, 0);
        version.sets_balance = true;
        version.exists = true;
        version.balance = Uint256{balance};
        VersionedState::publish(state_.account(address), version);
    }
};

TEST_F(AttemptViewTest, takes_the_senders_nonce_from_the_transaction) {
    begin();
    EXPECT_EQ(view_.account(kAlice)->nonce, 9u);
    EXPECT_EQ(view_.account(kAlice)->balance, Uint256{100});
}

TEST_F(AttemptViewTest, sees_the_sender_as_it_was_at_the_beginning) {
    begin();
    publish_balance(kAlice, 4, 1);
    EXPECT_EQ(view_.account(kAlice)->balance, Uint256{100});
    EXPECT_EQ(attempt_.accounts.at(0).stamps.balance, 0u);
}

TEST_F(AttemptViewTest, sees_others_as_of_its_position_when_it_looks) {
    begin();
    publish_balance(kBob, 4, 4);
    publish_balance(kBob, 5, 5);
    publish_balance(kBob, 6, 6);
    EXPECT_EQ(view_.account(kBob)->balance, Uint256{4});
    EXPECT_EQ(attempt_.accounts.at(0).stamps.balance, make_stamp(4, 0));
}

TEST_F(AttemptViewTest, notes_every_read_in_order) {
    begin();
    static_cast<void>(view_.account(kBob));
    static_cast<void>(view_.storage(kBob, Uint256{1}));
    static_cast<void>(view_.account(kAlice));
    static_cast<void>(view_.storage(kBob, Uint256{2}));

    ASSERT_EQ(attempt_.accounts.size(), 2u);
    EXPECT_EQ(attempt_.accounts[0].cell, &state_.account(kBob));
    EXPECT_EQ(attempt_.accounts[1].cell, &state_.account(kAlice));
    ASSERT_EQ(attempt_.slots.size(), 2u);
    EXPECT_EQ(attempt_.slots[0].cell, &state_.slot(state_.account(kBob), Uint256{1}));
    EXPECT_EQ(attempt_.slots[1].cell, &state_.slot(state_.account(kBob), Uint256{2}));
}

TEST_F(AttemptViewTest, forgets_what_was_read_for_validation_on_restart) {
    begin();
    static_cast<void>(view_.account(kBob));
    static_cast<void>(view_.storage(kBob, Uint256{1}));
    view_.restart();
    EXPECT_TRUE(attempt_.accounts.empty());
    EXPECT_TRUE(attempt_.slots.empty());
}

TEST_F(AttemptViewTest, uses_the_cells_that_were_found_on_the_way) {
    place_.sender = &state_.account(kAlice);
    place_.recipient = &state_.account(kBob);
    begin();
    EXPECT_EQ(view_.account(kBob)->balance, Uint256{50});
    EXPECT_EQ(view_.account(kAlice)->balance, Uint256{100});
    EXPECT_EQ(attempt_.accounts.at(0).cell, place_.recipient);
    EXPECT_EQ(attempt_.accounts.at(1).cell, place_.sender);
}

TEST_F(AttemptViewTest, sees_no_storage_behind_a_clearing) {
    AccountVersion version;
    version.stamp = make_stamp(4, 0);
    version.clears_storage = true;
    begin();
    EXPECT_TRUE(view_.has_storage(kBob));
    EXPECT_FALSE(view_.has_storage(kAlice));
    VersionedState::publish(state_.account(kBob), version);
    EXPECT_FALSE(view_.has_storage(kBob));
    EXPECT_TRUE(view_.storage(kBob, Uint256{1}).is_zero());
}

/// All values of one position are going to be replaced.
class EstimatesOf final : public Estimates {
public:
    explicit EstimatesOf(std::uint64_t position) : position_(position) {}
    [[nodiscard]] bool is_estimate(Stamp stamp) const noexcept override {
        return position_of(stamp) == position_;
    }

private:
    const std::uint64_t position_;
};

TEST_F(AttemptViewTest, tells_of_the_first_value_that_is_going_to_be_replaced) {
    const EstimatesOf estimates{4};
    place_.estimates = &estimates;
    SlotCell& slot = state_.slot(state_.account(kBob), Uint256{1});
    begin();
    static_cast<void>(view_.storage(kBob, Uint256{1}));
    EXPECT_EQ(view_.awaited(), 0u);
    VersionedState::publish(slot, {make_stamp(4, 2), Uint256{12}});
    static_cast<void>(view_.storage(kBob, Uint256{1}));
    EXPECT_EQ(view_.awaited(), make_stamp(4, 2));
    view_.await_nothing();
    place_.first_in_flight = make_stamp(5, 0);
    begin();
    static_cast<void>(view_.storage(kBob, Uint256{1}));
    EXPECT_EQ(view_.awaited(), 0u) << "its position is committed";
}

TEST_F(AttemptViewTest, waits_for_a_balance_only_where_it_depends_on_it) {
    const EstimatesOf estimates{4};
    place_.estimates = &estimates;
    publish_balance(kBob, 4, 4);
    begin();
    static_cast<void>(view_.account(kBob));
    EXPECT_EQ(view_.awaited(), 0u) << "that is known at the end";
    attempt_.outcome.accesses.accounts.emplace_back();
    attempt_.outcome.accesses.accounts[0].balance = vm::FieldAccess::add;
    EXPECT_FALSE(view_.awaits_anything());
    attempt_.outcome.accesses.accounts[0].balance = vm::FieldAccess::read;
    EXPECT_TRUE(view_.awaits_anything());
    EXPECT_EQ(view_.awaited(), make_stamp(4, 0));
}

TEST_F(AttemptViewTest, waits_for_its_senders_balance_where_that_may_not_suffice) {
    const EstimatesOf estimates{4};
    place_.estimates = &estimates;
    publish_balance(kAlice, 4, 1);
    begin();
    view_.await_sender();
    EXPECT_EQ(view_.awaited(), make_stamp(4, 0));
}

TEST_F(AttemptViewTest, waits_for_code_whoever_has_it) {
    const EstimatesOf estimates{4};
    place_.estimates = &estimates;
    for (const Address& whose : {kAlice, kBob}) {
        AccountVersion version;
        version.stamp = make_stamp(4, whose == kAlice ? 1 : 2);
        version.sets_code = true;
        version.exists = true;
        version.code_hash = keccak256(Bytes{1});
        VersionedState::publish(state_.account(whose), version);
        view_.await_nothing();
        begin();
        EXPECT_EQ(view_.awaited(), 0u) << "it was not asked for";
        static_cast<void>(view_.account(whose));
        EXPECT_EQ(view_.awaited(), version.stamp) << to_string(whose);
    }
}

TEST_F(AttemptViewTest, waits_for_a_clearing_where_it_asks_for_storage) {
    const EstimatesOf estimates{4};
    place_.estimates = &estimates;
    AccountVersion version;
    version.stamp = make_stamp(4, 3);
    version.clears_storage = true;
    VersionedState::publish(state_.account(kBob), version);
    begin();
    static_cast<void>(view_.account(kBob));
    EXPECT_EQ(view_.awaited(), 0u);
    EXPECT_FALSE(view_.has_storage(kBob));
    EXPECT_EQ(view_.awaited(), version.stamp);
    view_.await_nothing();
    EXPECT_TRUE(view_.storage(kBob, Uint256{1}).is_zero());
    EXPECT_EQ(view_.awaited(), version.stamp);
}

TEST_F(AttemptViewTest, sees_an_unknown_sender_as_absent) {
    tx_.sender = address_from_low64(0xc);
    begin();
    EXPECT_EQ(view_.account(*tx_.sender), std::nullopt);
}

}  // namespace
}  // namespace heddle::executor
