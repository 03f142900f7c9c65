// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <vm/access_list_recorder.hpp>

#include <algorithm>

#include <gtest/gtest.h>

#include <types/block_access_list.hpp>

#include "chain_fixture.hpp"

namespace heddle::vm {
namespace {

const Address kA = address_from_low64(0xa);
const Address kB = address_from_low64(0xb);
const Bytes kCode{0x60, 0x00};

/// Steps made by hand on a state that follows them.
class AccessListRecorderTest : public testing::Test {
protected:
    test::MapState state_;
    AccessListRecorder recorder_;

    void SetUp() override {
        state_.accounts[kA] = {.nonce = 1, .balance = Uint256{100}, .code_hash = kEmptyCodeHash};
        recorder_.begin();
    }

    /// What one step does with one account.
    struct Touch {
        Address address;
        std::vector<Uint256> slots{};  // accessed, if only read
        std::optional<AccountChange> change{};
    };

    /// A step of a system call or the like.
    void system_step(std::uint32_t index, const std::vector<Touch>& touches) {
        Step step = make_step(touches);
        recorder_.record(
            {.index = index, .accesses = step.accesses, .diff = step.diff, .before = &state_});
        state_.apply(step.diff);
    }
    /// A transaction, told of when its changes are applied already.
    void transaction(std::uint32_t index, const std::vector<Touch>& touches,
                     std::optional<DeferredFee> fee = std::nullopt) {
        Step step = make_step(touches);
        state_.apply(step.diff);
        if (fee.has_value()) state_.accounts[fee->recipient].balance += fee->amount;
        recorder_.record({.index = index,
                          .is_transaction = true,
                          .accesses = step.accesses,
                          .diff = step.diff,
                          .deferred_fee = fee});
    }
    /// `address` as it is, with what `change` makes of it.
    template <typename Change>
    [[nodiscard]] Touch changed(const Address& address, Change&& change) const {
        Touch touch{.address = address};
        AccountChange& made = touch.change.emplace();
        made.address = address;
        made.account = state_.account(address).value_or(Account{});
        change(made);
        for (const StorageChange& written : made.storage)
            touch.slots.push_back(written.slot);
        return touch;
    }
    [[nodiscard]] Touch stores(const Address& address, std::uint64_t slot,
                               std::uint64_t value) const {
        return changed(address, [&](AccountChange& change) {
            change.storage = {{Uint256{slot}, Uint256{value}}};
        });
    }
    [[nodiscard]] Touch has_balance(const Address& address, std::uint64_t balance) const {
        return changed(address,
                       [&](AccountChange& change) { change.account->balance = Uint256{balance}; });
    }
    [[nodiscard]] BlockAccessList finish() {
        const BytesView encoded = recorder_.finish(state_);
        const auto list = decode_block_access_list(encoded);
        EXPECT_TRUE(list.has_value());
        if (!list.has_value()) return {};
        EXPECT_EQ(recorder_.item_count(), item_count(*list));
        Bytes again;
        encode_block_access_list(*list, again);
        EXPECT_EQ(to_hex(encoded), to_hex(again));
        return *list;
    }

private:
    struct Step {
        AccessRecord accesses;
        StateDiff diff;
    };
    [[nodiscard]] Step make_step(const std::vector<Touch>& touches) const {
        Step step;
        for (const Touch& touch : touches) {
            const Account before = state_.account(touch.address).value_or(Account{});
            const auto place = static_cast<std::uint32_t>(step.accesses.accounts.size());
            AccountAccess& access = step.accesses.accounts.emplace_back();
            access.address = touch.address;
            access.seen_balance = before.balance;
            const std::size_t first_slot = step.accesses.slots.size();
            for (const Uint256& slot : touch.slots)
                step.accesses.slots.push_back({slot, place, false});
            if (!touch.change.has_value()) continue;
            const Account after = touch.change->account.value_or(Account{});
            access.changes_nonce = before.nonce != after.nonce;
            access.changes_code = before.code_hash != after.code_hash;
            step.accesses.changed_accounts.push_back(place);
            for (const StorageChange& written : touch.change->storage) {
                const auto slot = std::ranges::find(touch.slots, written.slot);
                EXPECT_NE(slot, touch.slots.end());
                const auto number = static_cast<std::size_t>(slot - touch.slots.begin());
                step.accesses.changed_slots.push_back(
                    static_cast<std::uint32_t>(first_slot + number));
            }
            step.diff.accounts.push_back(*touch.change);
        }
        return step;
    }
};

TEST_F(AccessListRecorderTest, lists_in_order_what_was_only_accessed) {
    transaction(1, {{.address = kB, .slots = {Uint256{7}, Uint256{3}}}, {.address = kA}});

    const BlockAccessList list = finish();

    ASSERT_EQ(list.accounts.size(), 2u);
    EXPECT_EQ(list.accounts[0], (ListedAccount{.address = kA}));
    EXPECT_EQ(list.accounts[1],
              (ListedAccount{.address = kB, .storage_reads = {Uint256{3}, Uint256{7}}}));
}

// Above a number they are divided by their first byte before they are sorted.
TEST_F(AccessListRecorderTest, lists_any_number_in_order) {
    for (const std::size_t count : {63u, 64u, 65u, 1'000u})
        for (const bool begin_alike : {false, true}) {
            SCOPED_TRACE(count);
            std::vector<Touch> touches;
            for (std::size_t i = 0; i < count; ++i) {
                Hash hash = keccak256(to_hash(Uint256{i}).view());
                if (begin_alike) std::ranges::fill_n(hash.bytes.begin(), 20, std::uint8_t{0xff});
                Touch& touch = touches.emplace_back();
                std::ranges::copy_n(hash.bytes.begin() + (begin_alike ? 12 : 0), 20,
                                    touch.address.bytes.begin());
                if (i != 0) continue;
                for (std::size_t slot = 0; slot < count; ++slot)
                    touch.slots.push_back(to_word(hash) ^
                                          to_word(keccak256(to_hash(Uint256{slot}).view())));
            }
            recorder_.begin();
            transaction(1, touches);

            const BlockAccessList list = finish();

            ASSERT_EQ(list.accounts.size(), count);
            EXPECT_TRUE(std::ranges::is_sorted(list.accounts, {}, &ListedAccount::address));
            const auto most = std::ranges::max(list.accounts, {}, [](const auto& account) {
                return account.storage_reads.size();
            });
            EXPECT_EQ(most.storage_reads.size(), count);
            EXPECT_TRUE(std::ranges::is_sorted(most.storage_reads));
        }
}

// Of contracts that a transaction creates, the view is not asked for slots.
TEST_F(AccessListRecorderTest, lists_fresh_slots_as_others) {
    AccessRecord accesses;
    accesses.accounts.emplace_back().address = kB;
    accesses.slots.push_back({Uint256{9}, 0, false});
    accesses.fresh_slots.push_back({Uint256{2}, 0, false});

    recorder_.record({.index = 1, .is_transaction = true, .accesses = accesses, .diff = {}});

    EXPECT_EQ(finish().accounts[0].storage_reads, (std::vector{Uint256{2}, Uint256{9}}));
}

TEST_F(AccessListRecorderTest, counts_what_a_transaction_would_add) {
    AccessRecord accesses;
    accesses.accounts.emplace_back().address = kB;
    accesses.slots.push_back({Uint256{9}, 0, false});
    accesses.fresh_slots.push_back({Uint256{2}, 0, false});
    EXPECT_EQ(recorder_.count_new(accesses), 3u);

    recorder_.record({.index = 1, .is_transaction = true, .accesses = accesses, .diff = {}});
    EXPECT_EQ(recorder_.count_new(accesses), 0u);
    accesses.fresh_slots.push_back({Uint256{3}, 0, false});
    EXPECT_EQ(recorder_.count_new(accesses), 1u);
}

TEST_F(AccessListRecorderTest, lists_what_each_transaction_leaves) {
    transaction(1, {stores(kA, 1, 5)});
    transaction(2, {stores(kA, 1, 6), has_balance(kB, 3)});
    transaction(3, {has_balance(kB, 9)});

    const BlockAccessList list = finish();

    ASSERT_EQ(list.accounts.size(), 2u);
    EXPECT_EQ(list.accounts[0].storage_changes,
              (std::vector<ListedSlot>{{Uint256{1}, {{1, Uint256{5}}, {2, Uint256{6}}}}}));
    EXPECT_TRUE(list.accounts[0].storage_reads.empty());
    EXPECT_EQ(list.accounts[1].balance_changes,
              (std::vector<ListedChange<Uint256>>{{2, Uint256{3}}, {3, Uint256{9}}}));
}

TEST_F(AccessListRecorderTest, a_slot_changed_at_one_index_is_no_read_of_another) {
    transaction(1, {{.address = kA, .slots = {Uint256{1}}}});
    transaction(2, {stores(kA, 1, 5)});
    transaction(3, {{.address = kA, .slots = {Uint256{1}}}});

    const BlockAccessList list = finish();

    ASSERT_EQ(list.accounts.size(), 1u);
    EXPECT_EQ(list.accounts[0].storage_changes.size(), 1u);
    EXPECT_TRUE(list.accounts[0].storage_reads.empty());
}

// What comes back between transactions has changed twice.
TEST_F(AccessListRecorderTest, a_value_that_comes_back_in_another_transaction_is_listed) {
    transaction(1, {has_balance(kA, 90), stores(kB, 1, 5)});
    transaction(2, {has_balance(kA, 100), stores(kB, 1, 0)});

    const BlockAccessList list = finish();

    EXPECT_EQ(list.accounts[0].balance_changes.size(), 2u);
    EXPECT_EQ(list.accounts[1].storage_changes[0].changes.size(), 2u);
}

TEST_F(AccessListRecorderTest, a_slot_that_becomes_zero_is_changed) {
    state_.slots[{kB, to_hash(Uint256{1})}] = Uint256{4};
    transaction(1, {stores(kB, 1, 0)});

    const BlockAccessList list = finish();

    ASSERT_EQ(list.accounts.size(), 1u);
    EXPECT_TRUE(list.accounts[0].storage_reads.empty());
    EXPECT_EQ(list.accounts[0].storage_changes,
              (std::vector<ListedSlot>{{Uint256{1}, {{1, Uint256{}}}}}));
}

TEST_F(AccessListRecorderTest, nets_the_steps_of_one_index) {
    state_.slots[{kB, to_hash(Uint256{1})}] = Uint256{4};
    system_step(3, {stores(kB, 1, 5), has_balance(kA, 90)});
    system_step(3, {stores(kB, 2, 8)});
    system_step(3, {stores(kB, 1, 4), has_balance(kA, 100)});

    const BlockAccessList list = finish();

    ASSERT_EQ(list.accounts.size(), 2u);
    EXPECT_EQ(list.accounts[0], (ListedAccount{.address = kA}));
    EXPECT_EQ(list.accounts[1].storage_reads, std::vector{Uint256{1}});
    EXPECT_EQ(list.accounts[1].storage_changes,
              (std::vector<ListedSlot>{{Uint256{2}, {{3, Uint256{8}}}}}));
}

// What another index has changed is listed: where that is says nothing of this index.
TEST_F(AccessListRecorderTest, steps_that_undo_each_other_are_no_change_beside_another_one) {
    const auto with_nonce = [&](std::uint64_t nonce) {
        return changed(kA, [&](AccountChange& change) { change.account->nonce = nonce; });
    };
    transaction(1, {with_nonce(2), stores(kB, 1, 5)});
    system_step(2, {with_nonce(3), stores(kB, 1, 6)});
    system_step(2, {with_nonce(2), stores(kB, 1, 5)});

    const BlockAccessList list = finish();

    ASSERT_EQ(list.accounts.size(), 2u);
    EXPECT_EQ(list.accounts[0].nonce_changes, (std::vector<ListedChange<std::uint64_t>>{{1, 2}}));
    EXPECT_EQ(list.accounts[1].storage_changes,
              (std::vector<ListedSlot>{{Uint256{1}, {{1, Uint256{5}}}}}));
}

TEST_F(AccessListRecorderTest, the_last_step_of_an_index_decides_the_value) {
    const auto with_nonce = [&](std::uint64_t nonce) {
        return changed(kA, [&](AccountChange& change) { change.account->nonce = nonce; });
    };
    system_step(0, {with_nonce(2), stores(kB, 1, 5), has_balance(address_from_low64(0xc), 1)});
    system_step(0, {with_nonce(3), stores(kB, 1, 6), has_balance(address_from_low64(0xc), 2)});

    const BlockAccessList list = finish();

    ASSERT_EQ(list.accounts.size(), 3u);
    EXPECT_EQ(list.accounts[0].nonce_changes, (std::vector<ListedChange<std::uint64_t>>{{0, 3}}));
    EXPECT_EQ(list.accounts[1].storage_changes,
              (std::vector<ListedSlot>{{Uint256{1}, {{0, Uint256{6}}}}}));
    EXPECT_EQ(list.accounts[2].balance_changes,
              (std::vector<ListedChange<Uint256>>{{0, Uint256{2}}}));
}

TEST_F(AccessListRecorderTest, what_a_transaction_changes_after_a_system_call_counts_by_itself) {
    system_step(0, {stores(kB, 1, 5)});
    transaction(1, {stores(kB, 1, 0)});
    system_step(2, {stores(kB, 1, 5)});

    const BlockAccessList list = finish();

    EXPECT_EQ(
        list.accounts[0].storage_changes[0].changes,
        (std::vector<ListedChange<Uint256>>{{0, Uint256{5}}, {1, Uint256{0}}, {2, Uint256{5}}}));
}

TEST_F(AccessListRecorderTest, lists_code_that_is_set_and_code_that_is_cleared) {
    const auto with_code = [&](const Bytes& code) {
        return changed(kB, [&](AccountChange& change) {
            change.account->code_hash = code.empty() ? kEmptyCodeHash : keccak256(code);
            change.account->nonce += 1;
        });
    };
    state_.codes[keccak256(kCode)] = kCode;
    transaction(1, {with_code(kCode)});
    transaction(2, {with_code({})});

    const BlockAccessList list = finish();

    ASSERT_EQ(list.accounts.size(), 1u);
    EXPECT_EQ(list.accounts[0].code_changes,
              (std::vector<ListedChange<Bytes>>{{1, kCode}, {2, Bytes{}}}));
    EXPECT_EQ(list.accounts[0].nonce_changes,
              (std::vector<ListedChange<std::uint64_t>>{{1, 1}, {2, 2}}));
}

TEST_F(AccessListRecorderTest, an_account_that_goes_leaves_nothing_behind) {
    Touch gone{.address = kA, .slots = {Uint256{1}}};
    gone.change.emplace();
    gone.change->address = kA;
    gone.change->storage_cleared = true;
    transaction(1, {gone});

    const BlockAccessList list = finish();

    ASSERT_EQ(list.accounts.size(), 1u);
    EXPECT_EQ(list.accounts[0].storage_reads, std::vector{Uint256{1}});
    EXPECT_EQ(list.accounts[0].balance_changes,
              (std::vector<ListedChange<Uint256>>{{1, Uint256{}}}));
    EXPECT_EQ(list.accounts[0].nonce_changes, (std::vector<ListedChange<std::uint64_t>>{{1, 0}}));
    EXPECT_TRUE(list.accounts[0].code_changes.empty());
}

TEST_F(AccessListRecorderTest, counts_fees_that_are_paid_later) {
    transaction(1, {}, DeferredFee{kB, Uint256{10}});
    transaction(2, {}, DeferredFee{kB, Uint256{5}});

    const BlockAccessList list = finish();

    ASSERT_EQ(list.accounts.size(), 1u);
    EXPECT_EQ(list.accounts[0].balance_changes,
              (std::vector<ListedChange<Uint256>>{{1, Uint256{10}}, {2, Uint256{15}}}));
}

TEST_F(AccessListRecorderTest, lists_who_gets_a_fee_of_nothing) {
    transaction(1, {}, DeferredFee{kB, Uint256{}});

    EXPECT_EQ(finish().accounts, std::vector{ListedAccount{.address = kB}});
}

TEST_F(AccessListRecorderTest, a_fee_that_comes_back_is_no_change) {
    transaction(1, {has_balance(kA, 90)}, DeferredFee{kA, Uint256{10}});

    EXPECT_EQ(finish().accounts, std::vector{ListedAccount{.address = kA}});
}

// A transaction that ran ahead of its turn saw 100 where 130 was: it is what it added that counts.
TEST_F(AccessListRecorderTest, balances_follow_from_moves_and_not_from_what_was_seen) {
    transaction(1, {has_balance(kA, 130)});
    AccessRecord accesses;
    AccountAccess& access = accesses.accounts.emplace_back();
    access.address = kA;
    access.balance = FieldAccess::add;
    access.seen_balance = Uint256{100};
    accesses.changed_accounts = {0};
    StateDiff diff;
    AccountChange& moved = diff.accounts.emplace_back();
    moved.address = kA;
    moved.account = state_.accounts[kA];
    moved.account->balance = Uint256{107};
    state_.accounts[kA].balance = Uint256{137};

    recorder_.record({.index = 2, .is_transaction = true, .accesses = accesses, .diff = diff});

    EXPECT_EQ(finish().accounts[0].balance_changes,
              (std::vector<ListedChange<Uint256>>{{1, Uint256{130}}, {2, Uint256{137}}}));
}

TEST_F(AccessListRecorderTest, begins_anew) {
    transaction(1, {stores(kA, 1, 5), has_balance(kB, 5)});
    (void)finish();

    recorder_.begin();
    EXPECT_EQ(finish(), BlockAccessList{});
    transaction(1, {stores(kA, 1, 6)});
    EXPECT_EQ(finish().accounts.size(), 1u);
}

}  // namespace
}  // namespace heddle::vm
