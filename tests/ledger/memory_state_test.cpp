// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include <gtest/gtest.h>

#include <types/object.hpp>

#include <ledger/memory_state.hpp>

#include "random.hpp"

namespace heddle::ledger {
namespace {

constexpr Address kAlice = address_from_low64(0xa11ce);
constexpr Address kBob = address_from_low64(0xb0b);

Account with_nonce(std::uint64_t nonce) {
    return {.nonce = nonce, .balance = {}};
}

StateDiff one_change(AccountChange change) {
    StateDiff diff;
    diff.accounts.push_back(std::move(change));
    return diff;
}

/// Everything a state holds but code, in order.
std::vector<AccountChange> dump(const MemoryState& state) {
    std::vector<AccountChange> content;
    state.for_each_account([&](const Address& address, const Account& account) {
        AccountChange& entry = content.emplace_back();
        entry.address = address;
        entry.account = account;
        state.for_each_slot(address, [&](const Uint256& slot, const Uint256& value) {
            entry.storage.push_back({slot, value});
        });
    });
    return content;
}

TEST(MemoryState, unknown_account_reads_as_absent_and_zero) {
    const MemoryState state;

    EXPECT_EQ(state.account(kAlice), std::nullopt);
    EXPECT_EQ(state.storage(kAlice, 1), Uint256());
    EXPECT_FALSE(state.has_storage(kAlice));
    EXPECT_EQ(state.account_count(), 0u);
}

TEST(MemoryState, empty_account_exists) {
    MemoryState state;
    state.set_account(kAlice, {});

    EXPECT_EQ(state.account(kAlice), Account{});
    EXPECT_EQ(state.account_count(), 1u);
}

TEST(MemoryState, zero_removes_a_slot) {
    MemoryState state;
    state.set_storage(kAlice, 1, 7);
    state.set_storage(kAlice, 2, 8);
    EXPECT_EQ(state.storage_count(kAlice), 2u);

    state.set_storage(kAlice, 1, {});
    EXPECT_EQ(state.storage(kAlice, 1), Uint256());
    EXPECT_TRUE(state.has_storage(kAlice));
    state.apply(one_change({kAlice, Account{}, false, {{2, {}}}}));

    EXPECT_FALSE(state.has_storage(kAlice));
}

TEST(MemoryState, diff_clears_storage_before_it_writes_slots) {
    MemoryState state;
    state.set_account(kAlice, with_nonce(1));
    state.set_storage(kAlice, 1, 7);
    state.set_storage(kAlice, 2, 8);

    state.apply(one_change({kAlice, with_nonce(2), true, {{2, 9}, {3, {}}}}));

    EXPECT_EQ(state.account(kAlice)->nonce, 2u);
    EXPECT_EQ(state.storage(kAlice, 1), Uint256());
    EXPECT_EQ(state.storage(kAlice, 2), Uint256(9));
    EXPECT_EQ(state.storage_count(kAlice), 1u);
}

TEST(MemoryState, deleted_account_comes_back_without_its_storage) {
    MemoryState state;
    state.set_account(kAlice, with_nonce(1));
    state.set_storage(kAlice, 1, 7);

    state.apply(one_change({kAlice, std::nullopt, false, {}}));
    EXPECT_EQ(state.account(kAlice), std::nullopt);
    EXPECT_EQ(state.storage(kAlice, 1), Uint256());
    state.apply(one_change({kAlice, with_nonce(5), false, {}}));

    EXPECT_EQ(state.account(kAlice)->nonce, 5u);
    EXPECT_FALSE(state.has_storage(kAlice));
}

TEST(MemoryState, code_views_survive_growth) {
    MemoryState state;
    const Bytes code{0x60, 0x00};
    const Hash hash = keccak256(code);
    state.set_code(hash, code);
    const BytesView view = state.code(hash);
    StateDiff diff;
    for (std::uint8_t i = 0; i < 200; ++i)
        diff.codes.push_back({keccak256(Bytes{i}), Bytes{i}});
    diff.codes.push_back({hash, code});

    state.apply(diff);

    EXPECT_EQ(view.data(), state.code(hash).data());
    EXPECT_TRUE(equal(view, code));
    EXPECT_TRUE(state.code(kEmptyCodeHash).empty());
}

TEST(MemoryStateDeathTest, unknown_code_is_fatal) {
    const MemoryState state;
    EXPECT_DEATH(static_cast<void>(state.code(keccak256(Bytes{1}))), "");
}

TEST(MemoryState, genesis_account_brings_code_and_storage) {
    MemoryState state;
    const Bytes code{0x00};

    state.add(
        {.address = kBob, .nonce = 1, .balance = 2, .code = code, .storage = {{3, 4}, {5, 0}}});

    EXPECT_EQ(state.account(kBob),
              (Account{.nonce = 1, .balance = 2, .code_hash = keccak256(code)}));
    EXPECT_TRUE(equal(state.code(keccak256(code)), code));
    EXPECT_EQ(state.storage_count(kBob), 1u);
}

TEST(MemoryState, visits_accounts_and_slots_in_order) {
    test::Random random(3);
    MemoryState state;
    for (int i = 0; i < 200; ++i) {
        Address address;
        std::ranges::copy(random.bytes(20), address.bytes.begin());
        state.set_account(address, {});
        state.set_storage(kAlice, random.word(), 1);
    }

    std::vector<Address> addresses;
    state.for_each_account([&](const Address& a, const Account&) { addresses.push_back(a); });
    std::vector<Uint256> slots;
    state.for_each_slot(kAlice,
                        [&](const Uint256& slot, const Uint256&) { slots.push_back(slot); });

    EXPECT_EQ(addresses.size(), 201u);
    EXPECT_TRUE(std::ranges::is_sorted(addresses));
    EXPECT_EQ(slots.size(), 200u);
    EXPECT_TRUE(std::is_sorted(slots.begin(), slots.end()));
}

TEST(MemoryState, inverse_leads_back) {
    test::Random random(4);
    MemoryState state;
    for (int round = 0; round < 500; ++round) {
        const StateDiff diff = random.diff(12, 6);
        const auto before = dump(state);
        const StateDiff inverse = state.inverse(diff);
        state.apply(diff);
        MemoryState copy = state;

        copy.apply(inverse);

        ASSERT_EQ(dump(copy), before) << "round " << round;
    }
}

TEST(MemoryState, can_be_told_what_to_expect_once_it_is_large) {
    MemoryState state;
    state.set_storage(kAlice, 1, 7);
    const std::vector<ObjectId> wanted{{kAlice, ObjectKind::balance, {}},
                                       {kAlice, ObjectKind::storage, 1},
                                       {kAlice, ObjectKind::storage, 2},
                                       {kBob, ObjectKind::balance, {}},
                                       {kBob, ObjectKind::storage, 1}};
    EXPECT_FALSE(MemoryState{}.expect(wanted));
    EXPECT_FALSE(state.expect(wanted));
    for (std::uint64_t i = 0; i < 5'000; ++i)
        state.set_account(address_from_low64(0x1000 + i), {});

    EXPECT_TRUE(state.expect(wanted));

    EXPECT_EQ(state.storage(kAlice, 1), Uint256(7));
    EXPECT_EQ(state.account(kBob), std::nullopt);
}

TEST(MemoryState, copies_are_independent) {
    MemoryState state;
    state.set_storage(kAlice, 1, 7);
    const MemoryState copy = state;

    state.set_storage(kAlice, 1, 8);
    state.set_account(kBob, {});

    EXPECT_EQ(copy.storage(kAlice, 1), Uint256(7));
    EXPECT_EQ(copy.account(kBob), std::nullopt);
}

}  // namespace
}  // namespace heddle::ledger
