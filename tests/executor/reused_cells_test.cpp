// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Cells whose account or slot was forgotten are used again for another one. What is left in them of
// the one before would be taken for values, for places in lists, or for what was learned.
#include <gtest/gtest.h>

#include "fakes.hpp"
#include "state/versioned_state.hpp"

namespace heddle::executor {
namespace {

const Address kAlice = address_from_low64(0xa);
const Address kBob = address_from_low64(0xb);
constexpr std::uint64_t kBefore = 4;  // the position that has published something

Stamp at(std::uint64_t position) {
    return make_stamp(position, 0);
}

AccountVersion version_of_everything(std::uint64_t position) {
    AccountVersion version;
    version.stamp = at(position);
    version.sets_balance = version.sets_nonce = version.sets_code = true;
    version.clears_storage = version.exists = true;
    version.balance = Uint256{position};
    version.nonce = position;
    return version;
}

class ReusedCells : public testing::Test {
protected:
    ReusedCells() {
        base_.set_balance(kBob, Uint256{100});
        base_.set_slot(kBob, 2, 22);
        state_.attach(base_);
    }

    /// An account's cell of which nothing is as it is in a new one.
    AccountCell& used_account() {
        AccountCell& cell = state_.account(kAlice);
        SlotCell& slot = state_.slot(cell, Uint256{1});
        state_.ensure_loaded(cell);
        state_.keep(cell);
        VersionedState::publish(cell, version_of_everything(kBefore));
        cell.stamps = {at(3), at(3), at(3), at(3)};
        cell.unrest = kMostUnrest;
        cell.leads_to_unrest = true;
        cell.changed_in = 7;
        cell.changed_slots = cell.slots = &slot;
        return cell;
    }
    SlotCell& used_slot() {
        SlotCell& cell = state_.slot(state_.account(kAlice), Uint256{1});
        state_.ensure_loaded(cell);
        state_.keep(cell);
        VersionedState::publish(cell, {at(kBefore), Uint256{5}});
        cell.stamp = at(3);
        cell.was_listed = true;
        cell.changed_in = 7;
        cell.next_changed = cell.next_slot = &cell;
        return cell;
    }

    test::FakeState base_;
    VersionedState state_;
};

TEST_F(ReusedCells, have_the_values_of_their_own_account_only) {
    const AccountCell* const before = &used_account();
    state_.attach(base_);
    AccountCell& cell = state_.account(kBob);
    ASSERT_EQ(&cell, before);

    for (const bool has_newer : {false, true}) {
        const AccountReading reading = state_.read(cell, at(kBefore + 1));
        ASSERT_TRUE(reading.account.has_value());
        EXPECT_EQ(reading.account->balance, Uint256{100});
        EXPECT_EQ(reading.account->nonce, 0u);
        EXPECT_EQ(reading.stamps.balance, 0u);
        EXPECT_EQ(reading.stamps.nonce, 0u);
        EXPECT_EQ(reading.stamps.code, 0u);
        EXPECT_EQ(reading.stamps.storage, 0u);
        // With one that comes later, older ones would be looked for.
        if (!has_newer) VersionedState::publish(cell, version_of_everything(kBefore + 5));
    }
}

TEST_F(ReusedCells, are_not_as_restless_as_the_account_before) {
    (void)used_account();
    state_.attach(base_);
    const AccountCell& cell = state_.account(kBob);
    EXPECT_EQ(cell.unrest, 0u);
    EXPECT_FALSE(cell.leads_to_unrest);
}

TEST_F(ReusedCells, are_in_no_list_of_the_account_before) {
    (void)used_account();
    state_.attach(base_);
    const AccountCell& cell = state_.account(kBob);
    EXPECT_FALSE(cell.has_clearing);
    EXPECT_FALSE(cell.is_kept);
    EXPECT_EQ(cell.changed_in, 0u);
    EXPECT_EQ(cell.changed_slots, nullptr);
    EXPECT_EQ(cell.slots, nullptr);
}

TEST_F(ReusedCells, have_the_values_of_their_own_slot_only) {
    const SlotCell* const before = &used_slot();
    state_.attach(base_);
    SlotCell& cell = state_.slot(state_.account(kBob), Uint256{2});
    ASSERT_EQ(&cell, before);

    for (const bool has_newer : {false, true}) {
        const SlotReading reading = state_.read(cell, at(kBefore + 1));
        EXPECT_EQ(reading.value, Uint256{22});
        EXPECT_EQ(reading.stamp, 0u);
        if (!has_newer) VersionedState::publish(cell, {at(kBefore + 5), Uint256{6}});
    }
}

TEST_F(ReusedCells, are_in_no_list_of_the_slot_before) {
    (void)used_slot();
    state_.attach(base_);
    const SlotCell& cell = state_.slot(state_.account(kBob), Uint256{2});
    EXPECT_FALSE(cell.is_kept);
    EXPECT_FALSE(cell.was_listed);
    EXPECT_EQ(cell.changed_in, 0u);
    EXPECT_EQ(cell.next_changed, nullptr);
    EXPECT_EQ(cell.next_slot, nullptr);
}

}  // namespace
}  // namespace heddle::executor
