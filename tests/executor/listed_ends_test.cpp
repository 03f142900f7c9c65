// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Accounts that are there and empty, and those whose storage goes. A list does not say so: what it
// leaves open is refused, for serial execution to decide.
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "fakes.hpp"
#include "values/listed_state.hpp"

namespace heddle::executor {
namespace {

const Address kCarol = address_from_low64(0xc);
const Bytes kCode{1, 2, 3};

Account account(std::uint64_t nonce, std::uint64_t balance, const Hash& code = kEmptyCodeHash) {
    return {.nonce = nonce, .balance = Uint256{balance}, .code_hash = code};
}

class ListedEnds : public testing::Test {
protected:
    /// The list of a block with three transactions, with Carol in it.
    void attach(ListedAccount carol) {
        carol.address = kCarol;
        Bytes encoded;
        encode_block_access_list({.accounts = {std::move(carol)}}, encoded);
        ASSERT_TRUE(state_.attach(encoded, base_, 3, 1'000'000));
    }
    /// The same where Carol ends with the second transaction, and the third one pays her.
    void attach_end(std::vector<ListedSlot> written) {
        base_.accounts[kCarol] = account(1, 0, keccak256(kCode));
        ListedAccount carol;
        carol.storage_changes = std::move(written);
        carol.balance_changes = {{3, Uint256{1}}};
        carol.nonce_changes = {{2, 0}};
        carol.code_changes = {{2, {}}};
        attach(std::move(carol));
    }
    /// Whether the list says of the second transaction that it leaves Carol so.
    [[nodiscard]] bool claims(const std::optional<Account>& now, bool storage_cleared) const {
        AccountChange change;
        change.address = kCarol;
        change.account = now;
        change.storage_cleared = storage_cleared;
        return state_.claims(2, StateDiff{.accounts = {change}, .codes = {}});
    }

    test::FakeState base_;
    ListedState state_;
};

TEST_F(ListedEnds, an_empty_account_that_goes_is_refused) {
    base_.accounts[kCarol] = account(0, 0);
    attach({});
    EXPECT_FALSE(claims(std::nullopt, false));
}

TEST_F(ListedEnds, a_fee_of_nothing_for_an_empty_account_is_refused) {
    const auto claims_fee = [&](std::uint64_t wei) {
        return state_.claims(2, {}, {}, {}, vm::DeferredFee{kCarol, Uint256{wei}});
    };
    attach({});
    EXPECT_TRUE(claims_fee(0));  // to nobody, who is not there afterwards
    base_.accounts[kCarol] = account(0, 0);
    attach({});
    EXPECT_FALSE(claims_fee(0));
}

TEST_F(ListedEnds, an_account_that_keeps_its_balance_has_not_ended) {
    base_.accounts[kCarol] = account(0, 5, keccak256(kCode));
    ListedAccount carol;
    carol.code_changes = {{2, {}}};
    attach(carol);
    EXPECT_FALSE(claims(account(0, 5), true));
}

TEST_F(ListedEnds, an_account_that_is_left_a_balance_has_not_ended) {
    base_.accounts[kCarol] = account(1, 0, keccak256(kCode));
    base_.set_slot(kCarol, 7, 77);
    ListedAccount carol;
    carol.storage_reads = {Uint256{7}};
    carol.balance_changes = {{2, Uint256{5}}};
    carol.nonce_changes = {{2, 0}};
    carol.code_changes = {{2, {}}};
    attach(std::move(carol));
    EXPECT_EQ(state_.storage(kCarol, Uint256{7}, 3), Uint256{77});
    EXPECT_FALSE(state_.diff().accounts[0].storage_cleared);
}

// Other storage than that of whom a creation finds at its address goes with an account only.
TEST_F(ListedEnds, storage_goes_without_an_end_where_there_is_none) {
    const auto clears = [&](const Account& before, const Account& after) {
        base_.accounts[kCarol] = before;
        ListedAccount carol;
        carol.balance_changes = {{2, after.balance}};
        if (before.nonce != after.nonce) carol.nonce_changes = {{2, after.nonce}};
        attach(std::move(carol));
        return claims(after, true);
    };
    EXPECT_TRUE(clears(account(0, 5), account(1, 6)));
    EXPECT_FALSE(clears(account(1, 5), account(0, 6))) << "a nonce";
    const Hash code = keccak256(kCode);
    EXPECT_FALSE(clears(account(0, 5, code), account(0, 6, code))) << "code";
    base_.set_slot(kCarol, 7, 77);
    EXPECT_FALSE(clears(account(0, 5), account(1, 6))) << "a slot";
}

TEST_F(ListedEnds, what_is_written_in_the_transaction_of_an_end_goes_too) {
    attach_end({{Uint256{7}, {{2, Uint256{9}}}}});

    EXPECT_EQ(state_.storage(kCarol, Uint256{7}, 3), Uint256{});
}

TEST_F(ListedEnds, what_was_written_before_an_end_is_not_in_the_state_of_who_comes_after) {
    attach_end({{Uint256{7}, {{1, Uint256{9}}}}});

    const StateDiff diff = state_.diff();

    ASSERT_EQ(diff.accounts.size(), 1u);
    EXPECT_EQ(diff.accounts[0].account, account(0, 1));
    EXPECT_TRUE(diff.accounts[0].storage_cleared);
    EXPECT_TRUE(diff.accounts[0].storage.empty());
    EXPECT_TRUE(diff.codes.empty()) << "no code is no code to be kept";
}

TEST_F(ListedEnds, of_several_codes_the_last_is_what_is_left) {
    const Bytes second{4, 5};
    ListedAccount carol;
    carol.nonce_changes = {{1, 1}, {3, 2}};
    carol.code_changes = {{1, kCode}, {3, second}};
    attach(std::move(carol));

    const StateDiff diff = state_.diff();

    ASSERT_EQ(diff.accounts.size(), 1u);
    EXPECT_EQ(diff.accounts[0].account, account(2, 0, keccak256(second)));
    EXPECT_EQ(diff.codes, (std::vector<CodeChange>{{keccak256(second), second}}));
}

}  // namespace
}  // namespace heddle::executor
