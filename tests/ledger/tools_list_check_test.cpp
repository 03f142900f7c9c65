// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/list_check.hpp"

#include <gtest/gtest.h>

namespace heddle::ledger {
namespace {

/// A block that pays one account, calls a contract, and ends another.
class ListCheckTest : public testing::Test {
protected:
    static constexpr std::uint64_t kPaid = 1;
    static constexpr std::uint64_t kCalled = 2;
    static constexpr std::uint64_t kEnded = 3;

    void SetUp() override {
        AccountUpdate& paid = changes_.accounts.emplace_back();
        paid.address = address_from_low64(kPaid);
        paid.after = AccountRecord{{.nonce = 0, .balance = 7}};
        list_.accounts.push_back({.address = paid.address, .balance_changes = {{1, 4}, {2, 7}}});

        AccountUpdate& called = changes_.accounts.emplace_back();
        called.address = address_from_low64(kCalled);
        called.before = called.after = AccountRecord{{.nonce = 1, .balance = 9}};
        called.after->account.code_hash = keccak256(code_);
        called.slots = {{.slot = 5, .before = 0, .after = 6}, {.slot = 8, .before = 1, .after = 0}};
        list_.accounts.push_back({.address = called.address,
                                  .storage_changes = {{5, {{1, 6}}}, {8, {{1, 3}, {2, 0}}}},
                                  .code_changes = {{2, code_}}});

        AccountUpdate& ended = changes_.accounts.emplace_back();
        ended.address = address_from_low64(kEnded);
        ended.before = AccountRecord{{.nonce = 1, .balance = 2}};
        ended.before->account.code_hash = keccak256(code_);
        ended.slots = {{.slot = 1, .before = 1, .after = 0}};
        list_.accounts.push_back({.address = ended.address,
                                  .balance_changes = {{3, 0}},
                                  .nonce_changes = {{3, 0}},
                                  .code_changes = {{3, {}}}});
        // Afterwards as before: the changes do not name it.
        list_.accounts.push_back(
            {.address = address_from_low64(9), .balance_changes = {{1, 5}, {2, 6}}});
    }

    void expect_problem(const std::string& text) const {
        const auto problem = check_changes(list_, changes_);
        ASSERT_TRUE(problem.has_value()) << text;
        EXPECT_NE(problem->find(text), std::string::npos) << *problem;
    }

    const Bytes code_ = {0x60, 0x00};
    BlockChanges changes_;
    BlockAccessList list_;
};

TEST_F(ListCheckTest, a_list_that_leads_to_what_is_stored_is_good) {
    EXPECT_EQ(check_changes(list_, changes_), std::nullopt);
    EXPECT_EQ(check_changes({}, {}), std::nullopt);
}

TEST_F(ListCheckTest, steps_in_between_are_not_known) {
    list_.accounts[0].balance_changes[0].value = 1'000;
    list_.accounts[3].balance_changes.clear();
    EXPECT_EQ(check_changes(list_, changes_), std::nullopt);
}

TEST_F(ListCheckTest, an_account_that_the_block_changes_must_be_listed) {
    list_.accounts.erase(list_.accounts.begin());
    expect_problem("does not have 0x0000000000000000000000000000000000000001");
}

TEST_F(ListCheckTest, every_field_must_end_as_it_is_stored) {
    const BlockAccessList good = list_;
    list_.accounts[0].balance_changes.pop_back();
    expect_problem("another balance of");
    list_ = good;
    list_.accounts[1].nonce_changes = {{1, 2}};
    expect_problem("another nonce of");
    list_ = good;
    list_.accounts[1].code_changes[0].value.push_back(0);
    expect_problem("another code of");
    list_ = good;
    list_.accounts[2].code_changes.clear();
    expect_problem("another code of 0x0000000000000000000000000000000000000003");
}

TEST_F(ListCheckTest, every_slot_must_end_as_it_is_stored) {
    const BlockAccessList good = list_;
    list_.accounts[1].storage_changes[0].changes[0].value = 7;
    expect_problem("another slot 0x5 of");
    list_ = good;
    list_.accounts[1].storage_changes.pop_back();
    expect_problem("another slot 0x8 of");
}

}  // namespace
}  // namespace heddle::ledger
