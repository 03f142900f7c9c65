// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "state/block_state.hpp"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "fakes.hpp"

namespace heddle::executor {
namespace {

const Address kAlice = address_from_low64(0xa);
const Address kBob = address_from_low64(0xb);

AccountChange change_of(const Address& address, std::uint64_t balance,
                        std::vector<StorageChange> storage = {}) {
    AccountChange change;
    change.address = address;
    change.account.emplace();
    change.account->balance = Uint256{balance};
    change.storage = std::move(storage);
    return change;
}

class BlockStateTest : public testing::Test {
protected:
    test::FakeState committed_;
    BlockState state_;

    void SetUp() override {
        committed_.set_balance(kAlice, Uint256{100});
        committed_.set_slot(kAlice, 1, 11);
        committed_.set_slot(kAlice, 2, 22);
        state_.attach(committed_);
    }
};

TEST_F(BlockStateTest, shows_the_committed_state) {
    EXPECT_EQ(state_.account(kAlice)->balance, Uint256{100});
    EXPECT_EQ(state_.account(kBob), std::nullopt);
    EXPECT_EQ(state_.storage(kAlice, Uint256{1}), Uint256{11});
    EXPECT_TRUE(state_.storage(kBob, Uint256{1}).is_zero());
    EXPECT_TRUE(state_.has_storage(kAlice));
    EXPECT_FALSE(state_.has_storage(kBob));
    EXPECT_TRUE(state_.diff().empty());
}

TEST_F(BlockStateTest, reads_each_value_once) {
    for (int i = 0; i < 3; ++i) {
        static_cast<void>(state_.account(kAlice));
        static_cast<void>(state_.account(kBob));
        static_cast<void>(state_.storage(kAlice, Uint256{1}));
    }

    EXPECT_EQ(committed_.reads, 3u);
}

TEST_F(BlockStateTest, expecting_transactions_reads_and_changes_nothing) {
    static_cast<void>(state_.account(kAlice));
    std::vector<Transaction> block(6);
    block[4].sender = kAlice;
    block[5].to = kBob;
    for (std::size_t running = 0; running < block.size(); ++running)
        state_.expect_next(block, running);

    EXPECT_EQ(committed_.reads, 1u);
    EXPECT_TRUE(state_.diff().empty());
    EXPECT_EQ(state_.account(kAlice)->balance, Uint256{100});
    EXPECT_EQ(state_.account(kBob), std::nullopt);
}

/// Each from an account of its own.
std::vector<Transaction> transfers_to(const Address& recipient, std::size_t count) {
    std::vector<Transaction> block(count);
    for (std::size_t i = 0; i < count; ++i) {
        block[i].sender = address_from_low64(0x1000 + i);
        block[i].to = recipient;
    }
    return block;
}

TEST_F(BlockStateTest, has_accounts_expected_that_are_not_at_hand_each_once) {
    committed_.most_expected = 1'000;
    static_cast<void>(state_.account(kAlice));
    const std::vector<Transaction> block = transfers_to(kAlice, 40);
    for (std::size_t running = 0; running < block.size(); ++running) {
        state_.expect_next(block, running);
        EXPECT_GT(committed_.expected.size(), running);  // before it is executed
        static_cast<void>(state_.account(*block[running].sender));
    }

    ASSERT_EQ(committed_.expected.size(), block.size());
    for (std::size_t i = 0; i < block.size(); ++i)
        EXPECT_EQ(committed_.expected[i], (ObjectId{*block[i].sender, ObjectKind::balance, {}}));
}

TEST_F(BlockStateTest, asks_a_state_once_a_block_that_has_nothing_to_expect) {
    const std::vector<Transaction> block = transfers_to(kAlice, 12);
    for (const std::size_t blocks : {1U, 2U}) {
        for (std::size_t running = 0; running < block.size(); ++running)
            state_.expect_next(block, running);

        EXPECT_EQ(committed_.expected.size(), 2 * blocks);  // of the first transaction
        static_cast<void>(state_.account(address_from_low64(0x2000 + blocks)));
    }
}

TEST_F(BlockStateTest, has_nothing_expected_where_all_was_at_hand_until_now) {
    committed_.most_expected = 1'000;
    static_cast<void>(state_.account(kAlice));
    const std::vector<Transaction> block = transfers_to(kAlice, 60);
    for (std::size_t running = 0; running < block.size(); ++running)
        state_.expect_next(block, running);  // and nothing is read

    EXPECT_EQ(committed_.expected.size(), 20u);
}

TEST_F(BlockStateTest, shows_changes_over_the_committed_state) {
    state_.apply(
        {{change_of(kAlice, 7, {{Uint256{1}, Uint256{111}}, {Uint256{3}, Uint256{3}}})}, {}});

    EXPECT_EQ(state_.account(kAlice)->balance, Uint256{7});
    EXPECT_EQ(state_.storage(kAlice, Uint256{1}), Uint256{111});
    EXPECT_EQ(state_.storage(kAlice, Uint256{2}), Uint256{22});
    EXPECT_EQ(state_.storage(kAlice, Uint256{3}), Uint256{3});
}

TEST_F(BlockStateTest, merges_diffs_with_the_newest_values) {
    state_.apply({{change_of(kAlice, 7, {{Uint256{1}, Uint256{5}}})}, {}});
    state_.apply({{change_of(kBob, 1)}, {}});
    state_.apply({{change_of(kAlice, 8, {{Uint256{1}, Uint256{6}}, {Uint256{2}, {}}})}, {}});

    const StateDiff diff = state_.diff();

    ASSERT_EQ(diff.accounts.size(), 2u);
    EXPECT_EQ(diff.accounts[0].address, kAlice);
    EXPECT_EQ(diff.accounts[0].account->balance, Uint256{8});
    EXPECT_FALSE(diff.accounts[0].storage_cleared);
    auto storage = diff.accounts[0].storage;
    std::ranges::sort(storage, std::ranges::less{}, &StorageChange::slot);
    EXPECT_EQ(storage, (std::vector<StorageChange>{{Uint256{1}, Uint256{6}}, {Uint256{2}, {}}}));
}

TEST_F(BlockStateTest, hides_committed_slots_of_a_destroyed_account) {
    EXPECT_EQ(state_.storage(kAlice, Uint256{1}), Uint256{11});
    AccountChange gone;
    gone.address = kAlice;
    state_.apply({{gone}, {}});
    EXPECT_EQ(state_.account(kAlice), std::nullopt);
    EXPECT_TRUE(state_.storage(kAlice, Uint256{1}).is_zero());
    EXPECT_FALSE(state_.has_storage(kAlice));

    AccountChange reborn = change_of(kAlice, 1, {{Uint256{2}, Uint256{5}}});
    state_.apply({{reborn}, {}});
    EXPECT_TRUE(state_.storage(kAlice, Uint256{1}).is_zero());
    EXPECT_EQ(state_.storage(kAlice, Uint256{2}), Uint256{5});
    EXPECT_TRUE(state_.has_storage(kAlice));

    const StateDiff diff = state_.diff();
    ASSERT_EQ(diff.accounts.size(), 1u);
    EXPECT_TRUE(diff.accounts[0].storage_cleared);
    EXPECT_EQ(diff.accounts[0].storage, (std::vector<StorageChange>{{Uint256{2}, Uint256{5}}}));
}

TEST_F(BlockStateTest, shows_new_code_and_says_so_once) {
    const Bytes code{1, 2, 3};
    const Hash hash = keccak256(code);
    state_.apply({{}, {{hash, code}}});
    state_.apply({{}, {{hash, code}}});

    EXPECT_TRUE(equal(state_.code(hash), code));
    EXPECT_EQ(state_.diff().codes.size(), 1u);
}

TEST_F(BlockStateTest, starts_the_next_block_clean_after_accept) {
    state_.apply({{change_of(kAlice, 7, {{Uint256{1}, Uint256{5}}})}, {}});
    committed_.apply(state_.diff());
    state_.accept();
    EXPECT_TRUE(state_.diff().empty());
    EXPECT_EQ(state_.storage(kAlice, Uint256{1}), Uint256{5});

    state_.apply({{change_of(kAlice, 9, {{Uint256{2}, Uint256{6}}})}, {}});
    const StateDiff diff = state_.diff();
    ASSERT_EQ(diff.accounts.size(), 1u);
    EXPECT_EQ(diff.accounts[0].storage, (std::vector<StorageChange>{{Uint256{2}, Uint256{6}}}));
}

TEST_F(BlockStateTest, clears_storage_and_brings_code_in_their_block_only) {
    const Bytes code{1, 2, 3};
    AccountChange cleared = change_of(kAlice, 7, {{Uint256{1}, Uint256{5}}});
    cleared.storage_cleared = true;
    state_.apply({{cleared}, {{keccak256(code), code}}});
    EXPECT_TRUE(state_.diff().accounts[0].storage_cleared);
    committed_.apply(state_.diff());
    state_.accept();

    committed_.set_slot(kAlice, 2, 44);  // by somebody else
    state_.apply({{change_of(kAlice, 9)}, {}});
    const StateDiff diff = state_.diff();
    ASSERT_EQ(diff.accounts.size(), 1u);
    EXPECT_FALSE(diff.accounts[0].storage_cleared);
    EXPECT_TRUE(diff.codes.empty());
    EXPECT_EQ(state_.storage(kAlice, Uint256{1}), Uint256{5});
    EXPECT_EQ(state_.storage(kAlice, Uint256{2}), Uint256{44});
}

TEST_F(BlockStateTest, forgets_after_a_block_what_would_be_too_much_code) {
    EXPECT_EQ(state_.account(kAlice)->balance, Uint256{100});
    const std::size_t reads = committed_.reads;
    const auto use = [&](std::uint64_t codes) {
        StateDiff diff;
        for (std::uint64_t i = 0; i < codes; ++i)
            diff.codes.push_back({to_hash(Uint256{i}), Bytes(1'000'000, std::uint8_t{1})});
        state_.apply(diff);
        state_.accept();
        static_cast<void>(state_.account(kAlice));
        return committed_.reads;
    };
    EXPECT_EQ(use(10), reads);
    EXPECT_EQ(use(20), reads + 1) << "more than 16 MiB";
}

TEST_F(BlockStateTest, has_no_storage_where_all_of_it_is_zero) {
    state_.apply({{change_of(kBob, 1, {{Uint256{1}, Uint256{5}}})}, {}});
    EXPECT_TRUE(state_.has_storage(kBob));
    state_.apply({{change_of(kBob, 1, {{Uint256{1}, Uint256{}}})}, {}});
    EXPECT_FALSE(state_.has_storage(kBob));
}

TEST_F(BlockStateTest, follows_blocks_that_others_have_executed) {
    const auto follow = [&](const AccountChange& change) {
        committed_.apply({{change}, {}});
        state_.follow({{change}, {}});
    };
    for (const std::uint64_t slot : {1U, 2U})
        static_cast<void>(state_.storage(kAlice, Uint256{slot}));

    follow(change_of(kBob, 3));  // nobody has read it
    follow(change_of(kAlice, 7, {{Uint256{1}, Uint256{5}}, {Uint256{3}, Uint256{33}}}));
    EXPECT_EQ(state_.account(kBob)->balance, Uint256{3});
    EXPECT_EQ(state_.account(kAlice)->balance, Uint256{7});
    EXPECT_EQ(state_.storage(kAlice, Uint256{1}), Uint256{5});
    EXPECT_EQ(state_.storage(kAlice, Uint256{2}), Uint256{22});
    EXPECT_EQ(state_.storage(kAlice, Uint256{3}), Uint256{33});

    AccountChange cleared = change_of(kAlice, 8, {{Uint256{2}, Uint256{6}}});
    cleared.storage_cleared = true;
    follow(cleared);
    EXPECT_TRUE(state_.storage(kAlice, Uint256{1}).is_zero());
    EXPECT_EQ(state_.storage(kAlice, Uint256{2}), Uint256{6});

    AccountChange gone;
    gone.address = kAlice;
    follow(gone);
    EXPECT_EQ(state_.account(kAlice), std::nullopt);
    EXPECT_TRUE(state_.storage(kAlice, Uint256{2}).is_zero());
    EXPECT_TRUE(state_.diff().empty());
}

TEST_F(BlockStateTest, forgets_everything_on_attach) {
    state_.apply({{change_of(kAlice, 7)}, {}});
    test::FakeState other;
    state_.attach(other);

    EXPECT_EQ(state_.account(kAlice), std::nullopt);
    EXPECT_TRUE(state_.diff().empty());
}

TEST_F(BlockStateTest, gives_back_what_a_large_block_has_needed) {
    const auto use = [this](std::uint64_t slots) {
        StateDiff diff;
        diff.accounts.resize(1);
        diff.accounts.front().account.emplace();
        for (std::uint64_t slot = 0; slot < slots; ++slot)
            diff.accounts.front().storage.push_back({Uint256{slot}, Uint256{1}});
        state_.apply(diff);
        state_.accept();
        return state_.memory_bytes();
    };
    const std::size_t usual = use(100'000);
    EXPECT_LE(use(1'000'000), usual);
    EXPECT_EQ(state_.diff(), StateDiff{});
}

/// Random diffs over several blocks against the plain maps.
TEST_F(BlockStateTest, equals_a_plain_state_under_random_changes) {
    const auto seed = std::random_device{}();
    std::printf("seed %u\n", seed);
    std::mt19937 random{seed};
    const auto below = [&](unsigned limit) { return random() % limit; };
    test::FakeState plain = committed_;

    for (int step = 0; step < 5'000; ++step) {
        const Address address = address_from_low64(1 + below(8));
        AccountChange change;
        change.address = address;
        if (below(10) != 0) {
            change = change_of(address, below(100));
            change.storage_cleared = below(10) == 0;
            for (std::uint64_t slot = 0; slot < 4; ++slot)
                if (below(2) == 0) change.storage.push_back({Uint256{slot}, Uint256{below(3)}});
        }
        state_.apply({{change}, {}});
        plain.apply({{change}, {}});
        if (below(20) == 0) {
            committed_.apply(state_.diff());
            state_.accept();
        }
        const Address probe = address_from_low64(1 + below(8));
        ASSERT_EQ(state_.account(probe), plain.account(probe));
        const Uint256 slot{below(4)};
        ASSERT_EQ(state_.storage(probe, slot), plain.storage(probe, slot));
    }
    committed_.apply(state_.diff());
    EXPECT_EQ(committed_.accounts, plain.accounts);
    std::erase_if(committed_.slots, [](const auto& slot) { return slot.second.is_zero(); });
    std::erase_if(plain.slots, [](const auto& slot) { return slot.second.is_zero(); });
    EXPECT_EQ(committed_.slots, plain.slots);
}

}  // namespace
}  // namespace heddle::executor
