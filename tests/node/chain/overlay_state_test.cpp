// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The overlay reads as if its diffs had been applied to the base, and gives them back as one.
#include "chain/overlay_state.hpp"

#include <gtest/gtest.h>

#include <ledger/memory_state.hpp>
#include <types/hash.hpp>

namespace heddle::node {
namespace {

const Address kAlice = address_from_low64(0xa11ce);
const Address kBob = address_from_low64(0xb0b);

class OverlayStateTest : public testing::Test {
protected:
    OverlayStateTest() {
        base_.set_account(kAlice, {1, Uint256{100}, kEmptyCodeHash});
        base_.set_storage(kAlice, 1, 11);
        base_.set_storage(kAlice, 2, 22);
    }

    static AccountChange change(const Address& address, const Account& account) {
        return {address, account, false, {}};
    }

    ledger::MemoryState base_;
    OverlayState overlay_{base_};
};

TEST_F(OverlayStateTest, reads_fall_through_to_the_base) {
    EXPECT_EQ(overlay_.account(kAlice)->balance, Uint256{100});
    EXPECT_EQ(overlay_.storage(kAlice, 2), Uint256{22});
    EXPECT_TRUE(overlay_.has_storage(kAlice));
    EXPECT_FALSE(overlay_.account(kBob).has_value());
}

TEST_F(OverlayStateTest, changes_hide_the_base_slot_by_slot) {
    AccountChange alice = change(kAlice, {2, Uint256{50}, kEmptyCodeHash});
    alice.storage = {{1, 0}};

    overlay_.apply({{alice}, {}});

    EXPECT_EQ(overlay_.account(kAlice)->nonce, 2u);
    EXPECT_EQ(overlay_.storage(kAlice, 1), Uint256{});
    EXPECT_EQ(overlay_.storage(kAlice, 2), Uint256{22});
    EXPECT_EQ(base_.storage(kAlice, 1), Uint256{11});
}

TEST_F(OverlayStateTest, a_destroyed_account_loses_its_storage_even_when_it_comes_back) {
    AccountChange gone{kAlice, std::nullopt, false, {}};
    overlay_.apply({{gone}, {}});
    EXPECT_FALSE(overlay_.account(kAlice).has_value());
    EXPECT_FALSE(overlay_.has_storage(kAlice));

    overlay_.apply({{change(kAlice, {0, Uint256{7}, kEmptyCodeHash})}, {}});

    EXPECT_EQ(overlay_.account(kAlice)->balance, Uint256{7});
    EXPECT_EQ(overlay_.storage(kAlice, 2), Uint256{});
    const StateDiff diff = overlay_.take_diff();
    ASSERT_EQ(diff.accounts.size(), 1u);
    EXPECT_TRUE(diff.accounts[0].storage_cleared);
}

TEST_F(OverlayStateTest, new_code_can_be_read_by_its_hash) {
    const Bytes code{0x60, 0x00};
    overlay_.apply({{}, {{keccak256(code), code}}});

    EXPECT_TRUE(equal(overlay_.code(keccak256(code)), code));
}

TEST_F(OverlayStateTest, the_diff_taken_makes_the_base_equal_and_leaves_nothing) {
    AccountChange alice = change(kAlice, {2, Uint256{50}, kEmptyCodeHash});
    alice.storage = {{2, 0}, {3, 33}};
    overlay_.apply({{change(kBob, {0, Uint256{1}, kEmptyCodeHash})}, {}});
    overlay_.apply({{alice}, {}});

    const StateDiff diff = overlay_.take_diff();
    base_.apply(diff);

    ASSERT_EQ(diff.accounts.size(), 2u);
    EXPECT_LT(diff.accounts[0].address, diff.accounts[1].address);
    EXPECT_EQ(base_.account(kAlice)->nonce, 2u);
    EXPECT_EQ(base_.storage(kAlice, 2), Uint256{});
    EXPECT_EQ(base_.storage(kAlice, 3), Uint256{33});
    EXPECT_EQ(base_.account(kBob)->balance, Uint256{1});
    EXPECT_TRUE(overlay_.take_diff().empty());
}

}  // namespace
}  // namespace heddle::node
