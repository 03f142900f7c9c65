// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "state/committed_state.hpp"

#include <algorithm>
#include <functional>
#include <random>

#include <gtest/gtest.h>

#include <vm/moved_balance.hpp>

#include "announced_seed.hpp"
#include "fakes.hpp"
#include "state/block_state.hpp"

namespace heddle::executor {
namespace {

using vm::AccountAccess;
using vm::FieldAccess;

const Address kAlice = address_from_low64(0xa);  // the sender
const Address kBob = address_from_low64(0xb);
const Bytes kCode{1, 2, 3};

constexpr std::uint64_t kPosition = 5;  // of the attempt

/// A transaction of Alice's that was executed ahead of its turn, made by hand.
struct Execution {
    Transaction tx;
    Uint256 upfront_cost{10};
    Attempt attempt;

    [[nodiscard]] AccountAccess& access(std::size_t index) {
        return attempt.outcome.accesses.accounts[index];
    }
};

class CommittedStateTest : public testing::Test {
protected:
    test::FakeState base_;
    VersionedState state_;
    CommittedState committed_{state_};
    BlockChanges block_;

    void SetUp() override {
        base_.set_balance(kAlice, Uint256{1'000});
        base_.accounts[kAlice].nonce = 3;
        base_.set_balance(kBob, Uint256{100});
        base_.set_slot(kBob, 1, 11);
        state_.attach(base_);
        block_.serial = 1;
        block_.first_stamp = make_stamp(1, 0);
    }

    /// What a task that runs in stream order has done.
    void commit(std::uint64_t position, const StateDiff& diff) {
        committed_.begin(block_, make_stamp_in_order(position));
        committed_.apply(diff);
    }
    void commit_account(std::uint64_t position, const Address& address, const Account& account) {
        AccountChange change;
        change.address = address;
        change.account = account;
        commit(position, {{change}, {}});
    }
    [[nodiscard]] Account account(const Address& address) const {
        return committed_.account(address).value_or(Account{});
    }

    /// Reads the account, at index accounts.size().
    std::uint32_t read_account(Execution& execution, const Address& address) {
        Attempt& attempt = execution.attempt;
        AccountCell& cell = state_.account(address);
        const AccountReading reading = state_.read(cell, make_stamp(kPosition, 0));
        attempt.accounts.push_back({&cell, reading.stamps});
        AccountAccess& access = attempt.outcome.accesses.accounts.emplace_back();
        access.address = address;
        access.seen_balance = reading.account.value_or(Account{}).balance;
        return static_cast<std::uint32_t>(attempt.accounts.size() - 1);
    }
    std::uint32_t read_slot(Execution& execution, std::uint32_t account, const Uint256& slot) {
        Attempt& attempt = execution.attempt;
        SlotCell& cell = state_.slot(*attempt.accounts[account].cell, slot);
        attempt.slots.push_back({&cell, state_.read(cell, make_stamp(kPosition, 0)).stamp});
        attempt.outcome.accesses.slots.push_back({slot, account, false});
        return static_cast<std::uint32_t>(attempt.slots.size() - 1);
    }
    AccountChange& change(Execution& execution, std::uint32_t index,
                          const std::optional<Account>& account) {
        execution.attempt.outcome.accesses.changed_accounts.push_back(index);
        AccountChange& change = execution.attempt.outcome.diff.accounts.emplace_back();
        change.address = execution.access(index).address;
        change.account = account;
        return change;
    }
    /// Alice at index 0, whose balance is debited and whose nonce goes up.
    void start(Execution& execution) {
        execution.tx.sender = kAlice;
        execution.tx.nonce = 3;
        read_account(execution, kAlice);
        execution.access(0).balance = FieldAccess::debit;
        execution.access(0).nonce = FieldAccess::write;
    }
    /// The same on the state as it was at first, in another block.
    void start_anew(Execution& execution) {
        state_.attach(base_);
        committed_.forget();
        ++block_.serial;
        block_.accounts.clear();
        start(execution);
        static_cast<void>(committed_.account(kAlice));  // known to the committer
    }
    void apply(Execution& execution) {
        committed_.begin(block_, make_stamp(kPosition, 0));
        committed_.apply(execution.attempt);
    }
    [[nodiscard]] bool is_valid(const Execution& execution) {
        return committed_.is_valid(execution.attempt, {execution.tx, execution.upfront_cost});
    }
    void publish_it(Execution& execution) {
        publish(state_, execution.attempt, make_stamp(kPosition, 0));
    }
    /// Whether a reader of Bob's still holds after `before` was committed ahead of it.
    bool holds(const std::function<void(AccountAccess&)>& how, const StateDiff& before) {
        Execution execution;
        start_anew(execution);
        AccountAccess& bob = execution.access(read_account(execution, kBob));
        bob.code = FieldAccess::none;
        how(bob);
        EXPECT_TRUE(committed_.is_current(execution.attempt, execution.tx));
        commit(kPosition - 1, before);
        is_current_ = committed_.is_current(execution.attempt, execution.tx);
        return is_valid(execution);
    }
    bool is_current_ = true;  // of what holds() was asked last
};

StateDiff diff_of(const AccountChange& change) {
    return {{change}, {}};
}

/// Bob with one field changed.
StateDiff bob_with(const std::function<void(AccountChange&)>& modify) {
    AccountChange change;
    change.address = kBob;
    change.account.emplace();
    change.account->balance = Uint256{100};
    modify(change);
    return diff_of(change);
}

TEST_F(CommittedStateTest, attempt_holds_where_nothing_changed) {
    Execution execution;
    start(execution);
    AccountAccess& bob = execution.access(read_account(execution, kBob));
    bob.balance = bob.nonce = bob.code = bob.storage_all = FieldAccess::write;
    read_slot(execution, 1, Uint256{1});
    EXPECT_TRUE(is_valid(execution));
}

TEST_F(CommittedStateTest, who_read_a_field_depends_on_that_field_alone) {
    using Modify = std::function<void(AccountChange&)>;
    const std::vector<Modify> changes{
        [](AccountChange& change) { change.account->balance = Uint256{99}; },
        [](AccountChange& change) { change.account->nonce = 1; },
        [](AccountChange& change) { change.account->code_hash = keccak256(kCode); },
        [](AccountChange& change) { change.storage_cleared = true; }};
    const std::vector<FieldAccess AccountAccess::*> fields{
        &AccountAccess::balance, &AccountAccess::nonce, &AccountAccess::code,
        &AccountAccess::storage_all};

    for (std::size_t field = 0; field < fields.size(); ++field)
        for (std::size_t changed = 0; changed < changes.size(); ++changed)
            for (const FieldAccess access : {FieldAccess::read, FieldAccess::write})
                EXPECT_EQ(holds([&](AccountAccess& bob) { bob.*fields[field] = access; },
                                bob_with(changes[changed])),
                          field != changed)
                    << "field " << field << ", changed " << changed;
    EXPECT_FALSE(is_current_) << "it may come to use what has changed";
}

TEST_F(CommittedStateTest, who_moves_a_balance_depends_on_cover_only) {
    const auto debit = [](AccountAccess& bob) {
        bob.balance = FieldAccess::debit;
        bob.required_balance = Uint256{50};
    };
    const auto add = [](AccountAccess& bob) { bob.balance = FieldAccess::add; };
    const auto balance = [](const Uint256& value) {
        return bob_with([=](AccountChange& change) { change.account->balance = value; });
    };
    EXPECT_TRUE(holds(debit, balance(50)));
    EXPECT_FALSE(holds(debit, balance(49)));
    EXPECT_TRUE(holds(add, balance(0)));
    // And on sums that have room.
    EXPECT_TRUE(holds(add, balance(vm::kMostMovedBalance - Uint256{1})));
    EXPECT_FALSE(holds(add, balance(vm::kMostMovedBalance)));
}

TEST_F(CommittedStateTest, everything_read_of_a_destroyed_account_is_stale) {
    AccountChange gone;
    gone.address = kBob;
    for (FieldAccess AccountAccess::* field : {&AccountAccess::balance, &AccountAccess::nonce,
                                               &AccountAccess::code, &AccountAccess::storage_all})
        EXPECT_FALSE(
            holds([&](AccountAccess& bob) { bob.*field = FieldAccess::read; }, diff_of(gone)));
}

// An empty account that exists counts as dead (EIP-161), and that is part of `code`: a first wei
// from a withdrawal, a reward, a system call or a transaction that ran in order is seen by whoever
// asked whether the account is there. The other way round before Spurious Dragon.
TEST_F(CommittedStateTest, life_and_death_of_an_account_that_stays_are_changes_of_its_code) {
    const auto asks = [](AccountAccess& bob) { bob.code = FieldAccess::read; };
    const auto moves = [](AccountAccess& bob) { bob.balance = FieldAccess::add; };
    const auto bob = [](std::uint64_t nonce, std::uint64_t balance) {
        return bob_with([=](AccountChange& change) {
            change.account->nonce = nonce;
            change.account->balance = Uint256{balance};
        });
    };
    base_.accounts[kBob] = Account{};
    EXPECT_FALSE(holds(asks, bob(0, 1)));
    EXPECT_FALSE(holds(asks, bob(1, 0)));
    EXPECT_TRUE(holds(asks, bob(0, 0)));
    EXPECT_TRUE(holds(moves, bob(0, 1)));
    base_.set_balance(kBob, Uint256{100});
    EXPECT_FALSE(holds(asks, bob(0, 0)));
    EXPECT_TRUE(holds(asks, bob(0, 101))) << "growing richer is nobody's business";
}

TEST_F(CommittedStateTest, slot_read_depends_on_the_slot_and_on_clearings) {
    const auto slot_holds = [&](const StateDiff& before) {
        Execution execution;
        start_anew(execution);
        read_account(execution, kBob);
        execution.access(1).code = FieldAccess::none;
        read_slot(execution, 1, Uint256{1});
        commit(kPosition - 1, before);
        return is_valid(execution);
    };
    EXPECT_FALSE(slot_holds(bob_with(
        [](AccountChange& change) { change.storage.push_back({Uint256{1}, Uint256{12}}); })));
    EXPECT_TRUE(slot_holds(bob_with(
        [](AccountChange& change) { change.storage.push_back({Uint256{2}, Uint256{12}}); })));
    EXPECT_FALSE(
        slot_holds(bob_with([](AccountChange& change) { change.storage_cleared = true; })));
}

/// As at the end of a block: what was read in between is nobody's value.
TEST_F(CommittedStateTest, who_read_between_two_changes_of_one_task_is_stale) {
    const auto both = [](std::uint64_t value) {
        return bob_with([value](AccountChange& change) {
            change.account->balance = Uint256{value};
            change.storage.push_back({Uint256{1}, Uint256{value}});
        });
    };
    commit(kPosition - 1, both(12));
    Execution of_balance;
    start(of_balance);
    of_balance.access(read_account(of_balance, kBob)).balance = FieldAccess::read;
    Execution of_slot;
    start(of_slot);
    read_slot(of_slot, read_account(of_slot, kBob), Uint256{1});
    EXPECT_TRUE(is_valid(of_balance) && is_valid(of_slot));

    committed_.apply(both(13));

    EXPECT_FALSE(is_valid(of_balance));
    EXPECT_FALSE(is_valid(of_slot));
}

TEST_F(CommittedStateTest, sender_must_have_its_nonce_and_the_upfront_cost) {
    const auto sender_holds = [&](std::uint64_t nonce, std::uint64_t balance) {
        Execution execution;
        start_anew(execution);
        commit_account(kPosition - 1, kAlice, {nonce, Uint256{balance}, kEmptyCodeHash});
        return is_valid(execution);
    };
    EXPECT_TRUE(sender_holds(3, 10));
    EXPECT_FALSE(sender_holds(2, 10));
    EXPECT_FALSE(sender_holds(4, 10));
    EXPECT_FALSE(sender_holds(3, 9));
}

TEST_F(CommittedStateTest, deltas_are_added_to_what_is_there_now) {
    Execution execution;
    start(execution);
    const std::uint32_t bob = read_account(execution, kBob);
    execution.access(bob).balance = FieldAccess::add;
    Account alice{4, Uint256{990}, kEmptyCodeHash};
    change(execution, 0, alice);
    change(execution, bob, Account{0, Uint256{107}, kEmptyCodeHash});
    publish_it(execution);
    Account richer = account(kBob);
    richer.balance = Uint256{200};
    commit_account(kPosition - 1, kBob, richer);
    commit_account(kPosition - 1, kAlice, {3, Uint256{500}, kEmptyCodeHash});

    ASSERT_TRUE(is_valid(execution));
    apply(execution);

    EXPECT_EQ(account(kBob).balance, Uint256{207});
    EXPECT_EQ(account(kAlice).balance, Uint256{490});
    EXPECT_EQ(account(kAlice).nonce, 4u);
    // Who has read one of them before has seen another one.
    for (const Address& changed : {kBob, kAlice})
        EXPECT_EQ(state_.account(changed).stamps.balance, make_stamp(kPosition, 0));
}

TEST_F(CommittedStateTest, deltas_are_not_published_and_writes_are) {
    Execution execution;
    start(execution);
    const std::uint32_t bob = read_account(execution, kBob);
    execution.access(bob).balance = FieldAccess::add;
    change(execution, 0, Account{4, Uint256{990}, kEmptyCodeHash});
    change(execution, bob, Account{0, Uint256{107}, kEmptyCodeHash});
    publish_it(execution);

    const Stamp later = make_stamp(kPosition + 1, 0);
    EXPECT_EQ(state_.read(state_.account(kBob), later).account->balance, Uint256{100});
    EXPECT_EQ(state_.read(state_.account(kAlice), later).account->nonce, 4u);
    EXPECT_EQ(state_.read(state_.account(kAlice), later).account->balance, Uint256{1'000});
}

TEST_F(CommittedStateTest, what_was_published_is_read_the_same_after_its_commit) {
    Execution execution;
    start(execution);
    const std::uint32_t bob = read_account(execution, kBob);
    AccountAccess& access = execution.access(bob);
    access.balance = access.nonce = access.code = FieldAccess::write;
    const std::uint32_t slot = read_slot(execution, bob, Uint256{1});
    Account after{1, Uint256{7}, keccak256(kCode)};
    change(execution, bob, after).storage.push_back({Uint256{1}, Uint256{12}});
    execution.attempt.outcome.accesses.changed_slots.push_back(slot);
    execution.attempt.outcome.diff.codes.push_back({after.code_hash, kCode});
    publish_it(execution);
    const Stamp later = make_stamp(kPosition + 1, 0);
    AccountCell& cell = state_.account(kBob);
    SlotCell& slot_cell = state_.slot(cell, Uint256{1});
    const AccountReading before = state_.read(cell, later);
    const SlotReading slot_before = state_.read(slot_cell, later);

    apply(execution);

    const AccountReading now = state_.read(cell, later);
    EXPECT_EQ(before.account, after);
    EXPECT_EQ(now.account, after);
    EXPECT_EQ(now.stamps.balance, before.stamps.balance);
    EXPECT_EQ(now.stamps.nonce, before.stamps.nonce);
    EXPECT_EQ(now.stamps.code, before.stamps.code);
    EXPECT_EQ(slot_before.value, Uint256{12});
    EXPECT_EQ(state_.read(slot_cell, later).value, Uint256{12});
    EXPECT_EQ(state_.read(slot_cell, later).stamp, slot_before.stamp);
    EXPECT_TRUE(equal(committed_.code(after.code_hash), kCode));
}

TEST_F(CommittedStateTest, what_was_withdrawn_is_gone) {
    Execution execution;
    start(execution);
    const std::uint32_t bob = read_account(execution, kBob);
    execution.access(bob).balance = FieldAccess::write;
    const std::uint32_t slot = read_slot(execution, bob, Uint256{1});
    change(execution, bob, Account{0, Uint256{7}, kEmptyCodeHash})
        .storage.push_back({Uint256{1}, Uint256{12}});
    execution.attempt.outcome.accesses.changed_slots.push_back(slot);
    publish_it(execution);

    committed_.withdraw(execution.attempt, make_stamp(kPosition, 0), kPosition + 1);

    const Stamp later = make_stamp(kPosition + 1, 0);
    AccountCell& cell = state_.account(kBob);
    EXPECT_EQ(state_.read(cell, later).account->balance, Uint256{100});
    EXPECT_EQ(state_.read(state_.slot(cell, Uint256{1}), later).value, Uint256{11});
}

TEST_F(CommittedStateTest, destroyed_account_comes_back_without_its_storage) {
    AccountChange gone;
    gone.address = kBob;
    commit(2, diff_of(gone));
    EXPECT_EQ(committed_.account(kBob), std::nullopt);
    EXPECT_FALSE(committed_.has_storage(kBob));

    AccountChange reborn;
    reborn.address = kBob;
    reborn.account.emplace();
    reborn.storage.push_back({Uint256{2}, Uint256{5}});
    commit(3, diff_of(reborn));

    EXPECT_TRUE(committed_.storage(kBob, Uint256{1}).is_zero());
    EXPECT_EQ(committed_.storage(kBob, Uint256{2}), Uint256{5});
    EXPECT_TRUE(committed_.has_storage(kBob));
    const StateDiff diff = committed_.diff();
    ASSERT_EQ(diff.accounts.size(), 1u);
    EXPECT_TRUE(diff.accounts[0].storage_cleared);
    EXPECT_EQ(diff.accounts[0].storage, reborn.storage);
}

TEST_F(CommittedStateTest, attempt_that_destroys_leaves_nothing) {
    Execution execution;
    start(execution);
    const std::uint32_t bob = read_account(execution, kBob);
    AccountAccess& access = execution.access(bob);
    access.balance = access.nonce = access.code = access.storage_all = FieldAccess::write;
    change(execution, bob, std::nullopt);
    publish_it(execution);
    const Stamp later = make_stamp(kPosition + 1, 0);
    EXPECT_EQ(state_.read(state_.account(kBob), later).account, std::nullopt);

    apply(execution);

    EXPECT_EQ(committed_.account(kBob), std::nullopt);
    EXPECT_TRUE(committed_.storage(kBob, Uint256{1}).is_zero());
}

TEST_F(CommittedStateTest, who_read_the_beneficiarys_balance_before_a_fee_is_stale) {
    Execution execution;
    start(execution);
    execution.access(read_account(execution, kBob)).balance = FieldAccess::read;
    committed_.begin(block_, make_stamp(kPosition - 1, 0));
    committed_.credit_fee(state_.account(kBob), Uint256{5}, Revision::spurious_dragon);
    committed_.begin(block_, make_stamp(kPosition, 0));
    EXPECT_FALSE(is_valid(execution));
}

TEST_F(CommittedStateTest, fees_and_deltas_add_up) {
    Execution execution;
    start(execution);
    const std::uint32_t bob = read_account(execution, kBob);
    execution.access(bob).balance = FieldAccess::add;
    change(execution, bob, Account{0, Uint256{107}, kEmptyCodeHash});
    publish_it(execution);
    committed_.begin(block_, make_stamp(kPosition - 1, 0));
    committed_.credit_fee(state_.account(kBob), Uint256{5}, Revision::spurious_dragon);
    apply(execution);
    committed_.credit_fee(state_.account(kBob), Uint256{6}, Revision::spurious_dragon);

    const StateDiff diff = committed_.diff();

    ASSERT_EQ(diff.accounts.size(), 1u);
    EXPECT_EQ(diff.accounts[0].account->balance, Uint256{118});
}

/// In ascending order, and without what means the same either way.
StateDiff normalized(StateDiff diff) {
    for (AccountChange& change : diff.accounts) {
        if (!change.account.has_value()) change.storage_cleared = true;
        std::ranges::sort(change.storage, std::ranges::less{}, &StorageChange::slot);
    }
    std::ranges::sort(diff.accounts, std::ranges::less{}, &AccountChange::address);
    std::ranges::sort(diff.codes, std::ranges::less{}, &CodeChange::hash);
    return diff;
}

TEST_F(CommittedStateTest, diff_equals_the_serial_executors) {
    std::mt19937 random{static_cast<unsigned>(heddle::test::announced_seed())};
    const auto below = [&](unsigned limit) { return random() % limit; };
    BlockState serial;
    serial.attach(base_);
    std::uint64_t position = 2;

    for (int block = 0; block < 200; ++block) {
        block_.serial = static_cast<std::uint64_t>(block) + 1;
        block_.first_stamp = make_stamp(position, 0);
        block_.accounts.clear();
        block_.codes.clear();
        for (unsigned step = 0; step < 8; ++step, ++position) {
            AccountChange change;
            change.address = address_from_low64(0xa + below(4));
            if (below(6) != 0) {
                change.account.emplace();
                change.account->balance = Uint256{below(100)};
                change.storage_cleared = below(6) == 0;
                for (std::uint64_t slot = 0; slot < 4; ++slot)
                    if (below(2) == 0) change.storage.push_back({Uint256{slot}, Uint256{below(3)}});
            }
            commit(position, diff_of(change));
            serial.apply(diff_of(change));
        }
        const StateDiff diff = committed_.diff();
        ASSERT_EQ(normalized(diff), normalized(serial.diff())) << "block " << block;
        base_.apply(diff);
        serial.accept();
        for (std::uint64_t place = 0; place < 16; ++place) {
            const Address address = address_from_low64(0xa + place / 4);
            const Uint256 value = base_.storage(address, place % 4);
            ASSERT_EQ(committed_.storage(address, place % 4), value) << "block " << block;
            SlotCell& cell = state_.slot(state_.account(address), place % 4);
            ASSERT_EQ(state_.read(cell, make_stamp(position, 0)).value, value);
        }
    }
}

}  // namespace
}  // namespace heddle::executor
