// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "state/versioned_state.hpp"

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "fakes.hpp"

namespace heddle::executor {
namespace {

const Address kAlice = address_from_low64(0xa);
const Address kBob = address_from_low64(0xb);
const Bytes kCode{1, 2, 3};

Stamp at(std::uint64_t position) {
    return make_stamp(position, 0);
}

AccountVersion balance_version(std::uint64_t position, std::uint64_t balance) {
    AccountVersion version;
    version.stamp = at(position);
    version.sets_balance = true;
    version.exists = true;
    version.balance = Uint256{balance};
    return version;
}
AccountVersion clearing(std::uint64_t position) {
    AccountVersion version;
    version.stamp = at(position);
    version.clears_storage = true;
    return version;
}

class VersionedStateTest : public testing::Test {
protected:
    test::FakeState base_;
    VersionedState state_;

    void SetUp() override {
        base_.set_balance(kAlice, Uint256{100});
        base_.set_slot(kAlice, 1, 11);
        state_.attach(base_);
    }
    std::uint64_t balance(std::uint64_t position) {
        return state_.read(state_.account(kAlice), at(position)).account->balance.words[0];
    }
    SlotReading slot(std::uint64_t position) {
        return state_.read(state_.slot(state_.account(kAlice), Uint256{1}), at(position));
    }
};

TEST_F(VersionedStateTest, shows_the_base_where_nothing_was_published) {
    EXPECT_EQ(balance(5), 100u);
    EXPECT_EQ(state_.read(state_.account(kBob), at(5)).account, std::nullopt);
    EXPECT_EQ(slot(5).value, Uint256{11});
    EXPECT_EQ(slot(5).stamp, 0u);
}

TEST_F(VersionedStateTest, shows_the_newest_value_before_the_own_position) {
    AccountCell& alice = state_.account(kAlice);
    // Published out of order.
    for (const std::uint64_t position : {6u, 2u, 4u})
        VersionedState::publish(alice, balance_version(position, position));

    EXPECT_EQ(balance(2), 100u);
    EXPECT_EQ(balance(3), 2u);
    EXPECT_EQ(balance(4), 2u);
    EXPECT_EQ(balance(6), 4u);
    EXPECT_EQ(balance(7), 6u);
    EXPECT_EQ(state_.read(alice, at(7)).stamps.balance, at(6));
    EXPECT_EQ(state_.read(alice, at(7)).stamps.nonce, 0u);
}

TEST_F(VersionedStateTest, fields_come_from_different_versions) {
    AccountCell& alice = state_.account(kAlice);
    AccountVersion nonce;
    nonce.stamp = at(2);
    nonce.sets_nonce = true;
    nonce.nonce = 9;
    VersionedState::publish(alice, nonce);
    VersionedState::publish(alice, balance_version(3, 7));

    const AccountReading reading = state_.read(alice, at(4));

    EXPECT_EQ(reading.account->nonce, 9u);
    EXPECT_EQ(reading.account->balance, Uint256{7});
    EXPECT_EQ(reading.stamps.nonce, at(2));
    EXPECT_EQ(reading.stamps.balance, at(3));
}

TEST_F(VersionedStateTest, slots_go_by_position_too) {
    SlotCell& cell = state_.slot(state_.account(kAlice), Uint256{1});
    VersionedState::publish(cell, {at(4), Uint256{44}});
    VersionedState::publish(cell, {at(2), Uint256{22}});

    EXPECT_EQ(slot(2).value, Uint256{11});
    EXPECT_EQ(slot(3).value, Uint256{22});
    EXPECT_EQ(slot(5).value, Uint256{44});
    EXPECT_EQ(slot(5).stamp, at(4));
}

TEST_F(VersionedStateTest, clearing_hides_older_slots_but_not_newer_ones) {
    AccountCell& alice = state_.account(kAlice);
    VersionedState::publish(state_.slot(alice, Uint256{1}), {at(5), Uint256{55}});
    VersionedState::publish(alice, clearing(3));

    EXPECT_EQ(slot(3).value, Uint256{11});
    EXPECT_TRUE(slot(4).value.is_zero());
    EXPECT_EQ(slot(4).stamp, at(3));
    EXPECT_EQ(slot(6).value, Uint256{55});
    EXPECT_EQ(slot(6).stamp, at(5));
}

TEST_F(VersionedStateTest, clearing_hides_what_was_written_before_it) {
    AccountCell& alice = state_.account(kAlice);
    VersionedState::publish(state_.slot(alice, Uint256{1}), {at(2), Uint256{22}});
    VersionedState::publish(alice, clearing(3));

    EXPECT_EQ(slot(3).value, Uint256{22});
    EXPECT_TRUE(slot(4).value.is_zero());
}

TEST_F(VersionedStateTest, what_is_withdrawn_was_never_there) {
    AccountCell& alice = state_.account(kAlice);
    SlotCell& cell = state_.slot(alice, Uint256{1});
    VersionedState::publish(alice, balance_version(2, 2));
    VersionedState::publish(alice, balance_version(3, 3));
    VersionedState::publish(alice, clearing(4));
    VersionedState::publish(cell, {at(2), Uint256{22}});

    for (const std::uint64_t position : {2u, 4u}) {
        VersionedState::withdraw(alice, at(position));
        VersionedState::withdraw(cell, at(position));
    }

    EXPECT_EQ(balance(3), 100u);
    EXPECT_EQ(balance(4), 3u);
    EXPECT_EQ(slot(5).value, Uint256{11});
    VersionedState::withdraw(alice, at(3));
    EXPECT_EQ(balance(4), 100u);
}

/// Whoever reads a slot looks at the account too where that may have cleared it.
TEST_F(VersionedStateTest, a_clearing_that_was_withdrawn_makes_no_reader_look_for_it) {
    AccountCell& alice = state_.account(kAlice);
    VersionedState::publish(alice, clearing(3));
    VersionedState::publish(alice, clearing(5));
    VersionedState::withdraw(alice, at(3));
    EXPECT_TRUE(alice.has_clearing);
    EXPECT_EQ(slot(6).stamp, at(5));

    VersionedState::withdraw(alice, at(5));
    EXPECT_FALSE(alice.has_clearing);
    EXPECT_EQ(slot(6).value, Uint256{11});

    VersionedState::publish(alice, clearing(7));
    EXPECT_TRUE(alice.has_clearing);
    EXPECT_EQ(slot(8).value, Uint256{});
}

TEST_F(VersionedStateTest, a_clearing_that_was_committed_is_looked_for_when_another_is_withdrawn) {
    AccountCell& alice = state_.account(kAlice);
    alice.stamps.storage = at(2);
    alice.has_clearing = true;
    VersionedState::publish(alice, clearing(3));
    VersionedState::withdraw(alice, at(3));

    EXPECT_TRUE(alice.has_clearing);
    EXPECT_EQ(slot(6).stamp, at(2));
}

TEST(StampOrder, goes_by_position_then_attempt_then_what_runs_in_order) {
    EXPECT_LT(make_stamp(5, 0), make_stamp(5, 1));
    EXPECT_LT(make_stamp(5, kMaxAttempts - 1), make_stamp_in_order(5));
    EXPECT_LT(make_stamp(5, kLastAttempt), make_stamp(6, 0));
    EXPECT_EQ(attempt_of(make_stamp(5, 3)), 3u);
    EXPECT_GE(kLastAttempt - attempt_of(make_stamp_in_order(5)), 32u);  // changes of one position
}

TEST_F(VersionedStateTest, the_next_attempt_takes_the_place_of_the_one_withdrawn) {
    SlotCell& cell = state_.slot(state_.account(kAlice), Uint256{1});
    VersionedState::publish(cell, {make_stamp(3, 0), Uint256{30}});
    VersionedState::withdraw(cell, make_stamp(3, 0));
    VersionedState::publish(cell, {make_stamp(3, 1), Uint256{31}});

    EXPECT_EQ(slot(4).value, Uint256{31});
    EXPECT_EQ(slot(4).stamp, make_stamp(3, 1));
    EXPECT_EQ(slot(3).value, Uint256{11});  // nothing of its own position
}

TEST_F(VersionedStateTest, published_code_is_there_for_all) {
    const Hash hash = keccak256(kCode);
    state_.publish_code(hash, kCode);
    EXPECT_TRUE(equal(state_.code(hash), kCode));
    EXPECT_TRUE(state_.commit_code(hash, kCode, true));
    EXPECT_FALSE(state_.commit_code(hash, kCode, false)) << "said once";
}

TEST_F(VersionedStateTest, withdrawn_code_is_freed_when_nobody_can_ask_for_it) {
    const Hash hash = keccak256(kCode);
    for (int i = 0; i < 3; ++i)
        state_.publish_code(hash, kCode);
    EXPECT_GE(state_.code_bytes(), kCode.size());
    state_.withdraw_code(hash, 10);
    state_.withdraw_code(hash, 30);
    state_.free_withdrawn_code(20);
    EXPECT_TRUE(equal(state_.code(hash), kCode)) << "one has it still published";

    state_.withdraw_code(hash, 11);  // that has looked first and comes last
    state_.free_withdrawn_code(29);
    EXPECT_TRUE(equal(state_.code(hash), kCode)) << "29 may have seen the account";

    state_.free_withdrawn_code(30);
    EXPECT_EQ(state_.code_bytes(), 0u);
}

TEST_F(VersionedStateTest, withdrawn_code_stays_where_it_is_published_again_or_committed) {
    const Hash hash = keccak256(kCode);
    state_.publish_code(hash, kCode);
    state_.withdraw_code(hash, 10);
    state_.publish_code(hash, kCode);
    state_.free_withdrawn_code(10);
    EXPECT_TRUE(equal(state_.code(hash), kCode));
    state_.withdraw_code(hash, 12);
    state_.publish_code(hash, kCode);
    state_.withdraw_code(hash, 15);
    state_.free_withdrawn_code(12);
    EXPECT_TRUE(equal(state_.code(hash), kCode)) << "withdrawn again, later";
    state_.publish_code(hash, kCode);

    state_.withdraw_code(hash, 20);
    EXPECT_TRUE(state_.commit_code(hash, kCode, false));  // it is run in order
    state_.free_withdrawn_code(20);
    EXPECT_TRUE(equal(state_.code(hash), kCode));
}

TEST_F(VersionedStateTest, code_of_many_withdrawn_attempts_does_not_pile_up) {
    std::size_t most = 0;
    for (std::uint64_t position = 1; position <= 1'000; ++position) {
        const Bytes code(24'576, static_cast<std::uint8_t>(position));
        Bytes own = code;
        own[0] = static_cast<std::uint8_t>(position >> 8);
        const Hash hash = keccak256(own);
        state_.publish_code(hash, own);
        state_.withdraw_code(hash, position + 16);  // so many are in flight
        state_.free_withdrawn_code(position);
        most = std::max(most, state_.code_bytes());
    }
    EXPECT_LE(most, 17 * (24'576u + 200));
}

TEST_F(VersionedStateTest, committed_code_that_the_base_has_is_not_kept_for_ever) {
    for (std::uint64_t i = 0; i < 3'000; ++i) {
        Bytes code(24'576);
        code[0] = static_cast<std::uint8_t>(i);
        code[1] = static_cast<std::uint8_t>(i >> 8);
        const Hash hash = keccak256(code);
        static_cast<void>(state_.commit_code(hash, code, false));
        base_.codes[hash] = code;
        if (state_.wants_trim(0)) state_.trim();
        ASSERT_TRUE(equal(state_.code(hash), code));
    }
    EXPECT_LE(state_.code_bytes(), (std::size_t{64} << 20) + 24'776);
}

/// One account may have been delegated any number of times, each time to another one.
TEST_F(VersionedStateTest, delegations_count_as_what_they_take_and_not_as_their_bytes) {
    constexpr std::uint64_t kDelegations = 10'000;
    for (std::uint64_t i = 0; i < kDelegations; ++i) {
        Bytes code{0xef, 0x01, 0x00};
        const Address target = address_from_low64(i);
        code.insert(code.end(), target.bytes.begin(), target.bytes.end());
        static_cast<void>(state_.commit_code(keccak256(code), code, false));
    }
    EXPECT_GE(state_.code_bytes(), kDelegations * 128);
}

TEST_F(VersionedStateTest, code_of_the_base_shows_through) {
    base_.deploy(kBob, kCode);
    EXPECT_TRUE(equal(state_.code(keccak256(kCode)), kCode));
    EXPECT_TRUE(state_.code(kEmptyCodeHash).empty());
}

TEST_F(VersionedStateTest, forgets_everything_on_attach) {
    VersionedState::publish(state_.account(kAlice), balance_version(2, 2));
    VersionedState::publish(state_.account(kAlice), clearing(2));
    test::FakeState other;
    other.set_balance(kAlice, Uint256{5});
    other.set_slot(kAlice, 1, 6);
    state_.attach(other);
    EXPECT_EQ(balance(9), 5u);
    EXPECT_EQ(slot(9).value, Uint256{6});
}

TEST_F(VersionedStateTest, trimming_keeps_what_was_committed_and_takes_out_the_rest) {
    AccountCell& alice = state_.account(kAlice);
    SlotCell& committed = state_.slot(alice, Uint256{1});
    state_.keep(committed);
    for (std::uint64_t i = 0; i < 1'000; ++i)  // accessed by attempts that were withdrawn
        static_cast<void>(state_.slot(state_.account(address_from_low64(i + 100)), Uint256{i}));

    state_.trim();

    EXPECT_EQ(state_.cell_count(), 2u);
    EXPECT_EQ(&state_.account(kAlice), &alice) << "the slot's account";
    EXPECT_EQ(&state_.slot(alice, Uint256{1}), &committed);
}

TEST_F(VersionedStateTest, cells_that_nothing_committed_has_accessed_call_for_trimming) {
    constexpr std::uint64_t kMany = 200'000;
    AccountCell& alice = state_.account(kAlice);
    state_.keep(alice);
    for (std::uint64_t i = 0; i < kMany; ++i)
        static_cast<void>(state_.slot(alice, Uint256{i}));
    EXPECT_TRUE(state_.wants_trim(0));
    EXPECT_FALSE(state_.wants_trim(kMany)) << "all of them may still be committed";
    const std::size_t memory = state_.cell_bytes();

    state_.trim();

    EXPECT_FALSE(state_.wants_trim(0));
    for (std::uint64_t i = 0; i < kMany; ++i)
        static_cast<void>(state_.slot(alice, Uint256{kMany + i}));
    // Other keys may need one more table here and there.
    EXPECT_LE(state_.cell_bytes(), memory + memory / 3) << "their memory is used again";
    for (std::uint64_t i = 0; i < kMany; ++i)
        state_.keep(state_.slot(alice, Uint256{kMany + i}));
    EXPECT_FALSE(state_.wants_trim(0)) << "these were paid for";
}

/// Cells that stay keep their place, so memory between them could not be given back.
TEST(VersionedState, memory_of_a_block_that_made_many_cells_stale_is_given_back) {
    test::FakeState base;
    const KeptState kept = {
        .accounts = 4'096, .slots = 8'192, .stale = 1'024, .code_bytes = 1 << 20};
    VersionedState state(kept);
    state.attach(base);
    AccountCell& alice = state.account(kAlice);
    const auto make_slots = [&](std::uint64_t first, std::uint64_t count) {
        for (std::uint64_t i = first; i < first + count; ++i)
            static_cast<void>(state.slot(alice, Uint256{i}));
    };
    for (std::uint64_t i = 0; i < 6'000; ++i)
        state.keep(state.slot(alice, Uint256{i}));
    make_slots(1'000'000, 2'000);
    ASSERT_TRUE(state.wants_trim(0));
    EXPECT_FALSE(state.trim()) << "that much may stay";
    EXPECT_EQ(state.cell_count(), 6'001u);
    const std::size_t memory = state.cell_bytes();

    make_slots(2'000'000, 200'000);
    ASSERT_GT(state.cell_bytes(), 10 * memory);
    ASSERT_TRUE(state.wants_trim(0));
    EXPECT_TRUE(state.trim());

    EXPECT_LE(state.cell_bytes(), 2 * memory);
    EXPECT_EQ(state.cell_count(), 0u);
}

/// Counts what it is asked for, by any thread.
class CountingState final : public StateView {
public:
    mutable std::atomic<unsigned> accounts{0};
    mutable std::atomic<unsigned> slots{0};

    std::optional<Account> account(const Address&) const noexcept override {
        ++accounts;
        Account account;
        account.balance = Uint256{42};
        return account;
    }
    Uint256 storage(const Address&, const Uint256&) const noexcept override {
        ++slots;
        return Uint256{7};
    }
    bool has_storage(const Address&) const noexcept override { return true; }
    BytesView code(const Hash&) const noexcept override { return {}; }
};

TEST(VersionedState, asks_the_base_at_most_once_for_each_thread) {
    constexpr std::uint64_t kAccounts = 200;
    const CountingState base;
    VersionedState state;
    state.attach(base);
    std::atomic<bool> is_right{true};
    std::vector<std::thread> threads;
    threads.reserve(4);
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            for (std::uint64_t number = 0; number < kAccounts; ++number) {
                AccountCell& cell = state.account(address_from_low64(number));
                if (state.read(cell, at(1)).account->balance != Uint256{42}) is_right = false;
                if (state.read(state.slot(cell, Uint256{1}), at(1)).value != Uint256{7})
                    is_right = false;
            }
        });
    for (std::thread& thread : threads)
        thread.join();

    EXPECT_TRUE(is_right);
    // Two that want the same at once may both ask.
    EXPECT_LE(base.accounts, 4 * kAccounts);
    EXPECT_LE(base.slots, 4 * kAccounts);
    EXPECT_GE(base.slots, kAccounts);
}

/// Does something else with a cell whenever it is asked for its value.
class BusyState final : public StateView {
public:
    VersionedState* state = nullptr;

    std::optional<Account> account(const Address& address) const noexcept override {
        AccountCell& cell = state->account(address);
        VersionedState::publish(cell, balance_version(3, 5));
        return Account{};
    }
    Uint256 storage(const Address& address, const Uint256& slot) const noexcept override {
        SlotCell& cell = state->slot(state->account(address), slot);
        VersionedState::publish(cell, {at(3), Uint256{5}});
        return Uint256{1};
    }
    bool has_storage(const Address&) const noexcept override { return false; }
    BytesView code(const Hash&) const noexcept override { return {}; }
};

TEST(VersionedState, nobody_is_kept_out_of_a_cell_while_the_base_is_read) {
    BusyState base;
    VersionedState state;
    base.state = &state;
    state.attach(base);
    AccountCell& alice = state.account(kAlice);

    // Would wait for itself if reading held the cell's lock.
    EXPECT_EQ(state.read(alice, at(2)).account->balance, Uint256{});
    EXPECT_EQ(state.read(alice, at(4)).account->balance, Uint256{5});
    EXPECT_EQ(state.read(state.slot(alice, Uint256{1}), at(4)).value, Uint256{5});
}

TEST_F(VersionedStateTest, a_balance_that_was_not_read_is_not_fetched) {
    AccountCell& alice = state_.account(kAlice);
    EXPECT_EQ(state_.known_balance(alice), std::nullopt);
    EXPECT_EQ(base_.reads, 0u);
    state_.ensure_loaded(alice);
    EXPECT_EQ(state_.known_balance(alice), Uint256{100});
}

TEST_F(VersionedStateTest, a_window_full_of_versions_gives_each_reader_its_own) {
    // One for each place of the window, all before the reader.
    SlotCell& cell = state_.slot(state_.account(kAlice), Uint256{1});
    AccountCell& alice = state_.account(kAlice);
    for (std::uint64_t position = 1; position <= 16'384; ++position) {
        VersionedState::publish(cell, {at(position), Uint256{position}});
        VersionedState::publish(alice, balance_version(position, position));
    }
    for (std::uint64_t position = 1; position <= 16'384; ++position) {
        ASSERT_EQ(slot(position + 1).value, Uint256{position});
        ASSERT_EQ(balance(position + 1), position);
    }
    for (std::uint64_t position = 1; position <= 16'384; ++position) {
        VersionedState::withdraw(cell, at(position));
        VersionedState::withdraw(alice, at(position));
    }
    EXPECT_EQ(slot(20'000).value, Uint256{11});
    EXPECT_EQ(balance(20'000), 100u);
}

TEST_F(VersionedStateTest, neighbouring_addresses_do_not_share_buckets) {
    for (std::uint64_t i = 0; i < 4'096; ++i)
        static_cast<void>(state_.account(address_from_low64(0x1000'0000 + i)));

    // They take half of the first table's words. Of its 512 buckets a few have no room for all.
    EXPECT_LE(state_.longest_path(), 32u);
}

TEST_F(VersionedStateTest, neighbouring_slots_do_not_share_buckets) {
    AccountCell& alice = state_.account(kAlice);
    for (std::uint64_t i = 0; i < 4'000; ++i)
        static_cast<void>(state_.slot(alice, Uint256{i}));

    EXPECT_LE(state_.longest_path(), 32u);
}

TEST_F(VersionedStateTest, one_slot_of_many_accounts_does_not_fill_a_bucket) {
    for (std::uint64_t i = 0; i < 4'000; ++i)
        static_cast<void>(state_.slot(state_.account(address_from_low64(i)), Uint256{1}));

    EXPECT_LE(state_.longest_path(), 32u);
}

}  // namespace
}  // namespace heddle::executor
