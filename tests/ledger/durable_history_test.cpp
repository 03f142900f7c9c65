// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <memory>

#include <gtest/gtest.h>

#include <ledger/durable_ledger.hpp>
#include <ledger/snapshot.hpp>

#include "storage/database.hpp"
#include "storage/schema.hpp"
#include "temporary_folder.hpp"
#include "twin_chain.hpp"

namespace heddle::ledger {
namespace {

using test::expect_same_state;
using test::expect_same_walk;
using test::must_commit;
using test::must_create;
using test::must_open;
using test::options_for;
using test::Random;
using test::TwinChain;

class DurableHistoryTest : public testing::Test {
protected:
    /// The states of all blocks that are there are right, and no others are there.
    void expect_history(const DurableLedger& ledger) const {
        const std::uint64_t first = ledger.first_state();
        for (std::uint64_t number = 0; number <= twin_.head(); ++number) {
            const auto past = ledger.state_at(number);
            if (number < first) {
                ASSERT_FALSE(past.has_value());
                EXPECT_EQ(past.error().code, LedgerErrorCode::unavailable);
                continue;
            }
            // Dropped since the first one was asked for.
            if (!past.has_value() && ledger.first_state() > number) continue;
            ASSERT_TRUE(past.has_value()) << to_string(past.error());
            SCOPED_TRACE("block " + std::to_string(number));
            expect_same_state(**past, twin_.state(number));
            if (HasFatalFailure()) return;
        }
    }

    test::TemporaryFolder folder_;
    const std::string directory_ = folder_ / "data";
    Random random_{11};
    TwinChain twin_;
};

/// What lies before its bytes was taken for the hash.
TEST_F(DurableHistoryTest, key_that_is_no_hash_is_damage_to_whoever_walks_over_a_state) {
    auto ledger = must_create(options_for(directory_));
    ASSERT_TRUE(ledger->close().has_value());
    ledger.reset();
    {
        const auto database = Database::open({.directory = directory_ + "/ledger"});
        ASSERT_TRUE(database.has_value());
        Bytes account;
        schema::encode_account_entry(address_from_low64(1), {}, account);
        WriteBatch batch = (*database)->batch();
        batch.put(Table::accounts, Bytes{1, 2, 3}, account);
        ASSERT_TRUE((*database)->write(batch, true).has_value());
    }
    ledger = must_open(options_for(directory_));
    const auto state = ledger->state_at(0);
    ASSERT_TRUE(state.has_value());

    const auto visited = (*state)->visit_accounts({}, [](const VisitedAccount&) { return true; });

    ASSERT_FALSE(visited.has_value());
    EXPECT_EQ(visited.error().code, LedgerErrorCode::corrupt);
    EXPECT_NE(visited.error().detail.find("010203"), std::string::npos) << visited.error().detail;
}

/// The walk came to it again and again.
TEST_F(DurableHistoryTest, entry_of_the_last_block_number_there_is_does_not_hold_up_a_walk) {
    constexpr std::size_t kMost = 100;
    auto ledger = must_create(options_for(directory_));
    for (int i = 0; i < 4; ++i)
        must_commit(*ledger, twin_.grow(random_));
    ASSERT_TRUE(ledger->close().has_value());
    ledger.reset();
    {
        const auto database = Database::open({.directory = directory_ + "/ledger"});
        ASSERT_TRUE(database.has_value());
        const Hash key = schema::hash_of(address_from_low64(99));
        Bytes absent;
        schema::encode_past_account(std::nullopt, absent);
        WriteBatch batch = (*database)->batch();
        batch.put(Table::history, schema::history_key(key.view(), UINT64_MAX), absent);
        ASSERT_TRUE((*database)->write(batch, true).has_value());
    }
    ledger = must_open(options_for(directory_));
    const auto state = ledger->state_at(1);
    ASSERT_TRUE(state.has_value());

    std::size_t count = 0;
    const auto visited =
        (*state)->visit_accounts({}, [&](const VisitedAccount&) { return ++count < kMost; });

    ASSERT_TRUE(visited.has_value()) << to_string(visited.error());
    EXPECT_LT(count, kMost);
}

TEST_F(DurableHistoryTest, state_after_every_block_is_there) {
    auto ledger = must_create(options_for(directory_));
    for (int i = 0; i < 60; ++i) {
        must_commit(*ledger, twin_.grow(random_));
        if (i % 7 == 0) expect_history(*ledger);
        if (HasFatalFailure()) return;
    }
    expect_history(*ledger);
    EXPECT_EQ(ledger->first_state(), 0u);
    ledger.reset();
    ledger = must_open(options_for(directory_));
    expect_history(*ledger);
}

/// However many blocks have changed it: one look into the history, one at the value of today. The
/// state itself reads two marks, once.
TEST_F(DurableHistoryTest, a_value_at_any_height_takes_two_reads) {
    constexpr std::uint64_t kReadsOfState = 2;
    constexpr std::uint64_t kReadsOfValue = 2;
    constexpr int kRounds = 2'000;
    auto ledger = must_create(options_for(directory_));
    for (int i = 0; i < 300; ++i)
        must_commit(*ledger, twin_.grow(random_));
    // Closed, so that the tables are those of the head and nobody else reads.
    ledger.reset();
    ledger = must_open(options_for(directory_));
    std::uint64_t all = 0;
    const auto count = [&](const auto& read) {
        const std::uint64_t before = ledger->stats().database_reads;
        read();
        const std::uint64_t reads = ledger->stats().database_reads - before;
        all += reads;
        return reads;
    };

    for (int i = 0; i < kRounds; ++i) {
        const std::uint64_t number = random_.below(twin_.head() + 1);
        const MemoryState& expected = twin_.state(number);
        // The last one is never there.
        const Address address = address_from_low64(random_.below(TwinChain::kAddresses + 2));
        const Uint256 slot = random_.below(TwinChain::kSlots + 1);
        std::unique_ptr<PastState> past;
        ASSERT_LE(count([&] { past = ledger->state_at(number).value(); }), kReadsOfState);
        ASSERT_LE(count([&] { ASSERT_EQ(past->account(address), expected.account(address)); }),
                  kReadsOfValue);
        ASSERT_LE(count([&] {
                      ASSERT_EQ(past->storage(address, slot), expected.storage(address, slot));
                  }),
                  kReadsOfValue);
    }

    // What is counted is what is done: no answer comes from elsewhere.
    EXPECT_GE(all, std::uint64_t{4} * kRounds);
}

TEST_F(DurableHistoryTest, every_state_can_be_walked_in_the_order_of_its_tries) {
    auto options = options_for(directory_);
    options.history_blocks = 40;
    auto ledger = must_create(options);
    const auto expect_walks = [&] {
        for (std::uint64_t number = ledger->first_state(); number <= twin_.head(); ++number) {
            const auto past = ledger->state_at(number);
            if (!past.has_value()) continue;  // dropped since
            SCOPED_TRACE("block " + std::to_string(number));
            expect_same_walk(**past, twin_.state(number), {});
            expect_same_walk(**past, twin_.state(number), keccak256(random_.bytes(8)));
            if (HasFatalFailure()) return;
        }
    };
    for (int i = 0; i < 60; ++i) {
        must_commit(*ledger, twin_.grow(random_));
        if (i % 11 == 0) expect_walks();
        if (HasFatalFailure()) return;
    }
    ledger.reset();
    ledger = must_open(options);
    expect_walks();
}

TEST_F(DurableHistoryTest, a_walk_ends_where_its_visitor_wants) {
    const auto ledger = must_create(options_for(directory_));
    for (int i = 0; i < 20; ++i)
        must_commit(*ledger, twin_.grow(random_));
    const auto past = ledger->state_at(10);
    ASSERT_TRUE(past.has_value());
    int visits = 0;
    EXPECT_TRUE((*past)
                    ->visit_accounts({}, [&](const VisitedAccount&) { return ++visits < 2; })
                    .has_value());
    EXPECT_EQ(visits, 2);
}

TEST_F(DurableHistoryTest, state_above_the_head_is_unavailable) {
    const auto ledger = must_create(options_for(directory_));
    const auto above = ledger->state_at(1);
    ASSERT_FALSE(above.has_value());
    EXPECT_EQ(above.error().code, LedgerErrorCode::unavailable);
}

TEST_F(DurableHistoryTest, past_state_stays_while_the_head_moves) {
    auto options = options_for(directory_);
    options.history_blocks = 8;
    const auto ledger = must_create(options);
    std::vector<std::pair<std::uint64_t, std::unique_ptr<PastState>>> held;
    for (std::uint64_t number = 1; number <= 60; ++number) {
        must_commit(*ledger, twin_.grow(random_));
        if (number % 5 != 0) continue;
        const std::uint64_t past = std::max(ledger->first_state(), number - random_.below(8));
        auto state = ledger->state_at(past);
        if (!state.has_value()) {
            // Pruned since it was asked.
            EXPECT_EQ(state.error().code, LedgerErrorCode::unavailable);
            continue;
        }
        held.emplace_back(past, *std::move(state));
    }
    for (const auto& [number, state] : held)
        expect_same_state(*state, twin_.state(number));
}

TEST_F(DurableHistoryTest, past_state_moves_up_to_the_head_of_its_time) {
    const auto ledger = must_create(options_for(directory_));
    for (int i = 0; i < 30; ++i)
        must_commit(*ledger, twin_.grow(random_));
    auto state = ledger->state_at(3);
    ASSERT_TRUE(state.has_value());
    for (int i = 0; i < 10; ++i)
        must_commit(*ledger, twin_.grow(random_));
    for (const std::uint64_t number : {3u, 4u, 17u, 29u, 30u, 12u, 3u}) {
        (*state)->move_to(number);
        expect_same_state(**state, twin_.state(number));
        if (HasFatalFailure()) return;
    }
}

TEST_F(DurableHistoryTest, old_history_is_dropped_and_never_too_much) {
    auto options = options_for(directory_);
    options.history_blocks = 10;
    auto ledger = must_create(options);
    for (std::uint64_t number = 1; number <= 80; ++number) {
        must_commit(*ledger, twin_.grow(random_));
        EXPECT_LE(ledger->first_state(), number > 10 ? number - 10 : 0);
        if (number % 9 == 0) expect_history(*ledger);
        if (HasFatalFailure()) return;
    }
    ASSERT_TRUE(ledger->close().has_value());
    ledger.reset();
    ledger = must_open(options);
    EXPECT_EQ(ledger->first_state(), 70u);
    expect_history(*ledger);
}

TEST_F(DurableHistoryTest, without_history_there_is_the_heads_state_alone) {
    auto options = options_for(directory_);
    options.history_blocks = 0;
    auto ledger = must_create(options);
    for (std::uint64_t number = 1; number <= 50; ++number) {
        must_commit(*ledger, twin_.grow(random_));
        if (number % 3 == 0) expect_history(*ledger);
        if (HasFatalFailure()) return;
    }
    ASSERT_TRUE(ledger->close().has_value());
    ledger.reset();
    ledger = must_open(options);
    EXPECT_EQ(ledger->first_state(), 50u);
    expect_history(*ledger);
}

TEST_F(DurableHistoryTest, states_that_are_held_are_kept_however_few_are_asked_for) {
    for (const std::uint64_t history_blocks : {std::uint64_t{0}, std::uint64_t{3}}) {
        auto options = options_for(directory_);
        options.history_blocks = history_blocks;
        auto ledger = history_blocks == 0 ? must_create(options) : must_open(options);
        const std::uint64_t begin = ledger->head().header.number;
        for (std::uint64_t i = 1; i <= 60; ++i) {
            ledger->hold_states_from(begin + i - i % 10);
            must_commit(*ledger, twin_.grow(random_));
            EXPECT_LE(ledger->first_state(), begin + i - i % 10) << history_blocks;
            expect_history(*ledger);
            if (HasFailure()) return;
        }
        EXPECT_GT(ledger->first_state(), begin) << "nothing is dropped";
    }
}

TEST_F(DurableHistoryTest, no_state_is_kept_below_those_that_are_held) {
    auto options = options_for(directory_);
    options.history_blocks = 0;
    const auto ledger = must_create(options);
    ledger->hold_states_from(20);
    for (int i = 0; i < 60; ++i)
        must_commit(*ledger, twin_.grow(random_));
    ASSERT_TRUE(ledger->begin_snapshot().has_value());  // with a checkpoint, which drops them

    EXPECT_EQ(ledger->first_state(), 20U);
    expect_history(*ledger);
}

TEST_F(DurableHistoryTest, how_much_is_kept_may_change_at_every_opening) {
    auto options = options_for(directory_);
    auto ledger = must_create(options);
    for (const std::uint64_t history_blocks : {kArchive, std::uint64_t{3}, std::uint64_t{0},
                                               std::uint64_t{20}, std::uint64_t{0}, kArchive}) {
        ledger.reset();
        options.history_blocks = history_blocks;
        ledger = must_open(options);
        for (int i = 0; i < 30; ++i)
            must_commit(*ledger, twin_.grow(random_));
        expect_history(*ledger);
        if (HasFatalFailure()) return;
    }
}

/// A long chain opened with less to keep: the backlog shrinks with every checkpoint.
TEST_F(DurableHistoryTest, backlog_of_history_is_dropped_little_by_little) {
    auto options = options_for(directory_);
    auto ledger = must_create(options);
    for (int i = 0; i < 100; ++i)
        must_commit(*ledger, twin_.grow(random_));
    ledger.reset();
    options.history_blocks = 5;
    options.checkpoint_blocks = 2;
    ledger = must_open(options);
    std::uint64_t first = 0;
    for (int i = 0; i < 60; ++i) {
        must_commit(*ledger, twin_.grow(random_));
        ASSERT_TRUE(ledger->wait_durable(twin_.head()).has_value());
        EXPECT_GE(ledger->first_state(), first);
        first = ledger->first_state();
        if (i % 10 == 0) expect_history(*ledger);
        if (HasFatalFailure()) return;
    }
    ASSERT_TRUE(ledger->close().has_value());
    ledger.reset();
    EXPECT_EQ(must_open(options)->first_state(), 155u);
}

TEST_F(DurableHistoryTest, dropped_history_leaves_nothing_behind) {
    auto options = options_for(directory_);
    options.history_blocks = 6;
    auto ledger = must_create(options);
    for (int i = 0; i < 40; ++i)
        must_commit(*ledger, twin_.grow(random_));
    ASSERT_TRUE(ledger->close().has_value());
    ledger.reset();

    const auto database = Database::open({.directory = directory_ + "/ledger"});
    ASSERT_TRUE(database.has_value());
    std::size_t values = 0;
    Cursor history = (*database)->cursor(Table::history);
    for (history.seek({}); history.valid(); history.next(), ++values) {
        const auto number = schema::decode_number_key(history.key().last(8));
        ASSERT_TRUE(number.has_value());
        EXPECT_GT(*number, 34u);
    }
    std::size_t expected = 0;
    for (std::uint64_t number = 0; number <= 40; ++number) {
        const auto bytes = (*database)->get(Table::changes, schema::number_key(number));
        ASSERT_TRUE(bytes.has_value());
        ASSERT_EQ(bytes->has_value(), number > 34) << number;
        if (!bytes->has_value()) continue;
        const auto changes = schema::decode_changes(**bytes);
        ASSERT_TRUE(changes.has_value());
        for (const AccountUpdate& update : changes->accounts)
            expected += 1 + update.slots.size();
    }
    EXPECT_EQ(values, expected);
}

TEST_F(DurableHistoryTest, difference_names_what_a_diff_changes_otherwise) {
    const auto ledger = must_create(options_for(directory_));
    for (int i = 0; i < 20; ++i)
        must_commit(*ledger, twin_.grow(random_));
    const Address stranger = address_from_low64(99);
    for (std::uint64_t number = 1; number <= 20; ++number) {
        const MemoryState& before = twin_.state(number - 1);
        const StateDiff& diff = twin_.block(number).diff;
        EXPECT_EQ(ledger->difference(number, diff, before).value(), std::nullopt);

        StateDiff more = diff;
        more.accounts.push_back({stranger, Account{1, 1}, false, {}});
        const auto named = ledger->difference(number, more, before).value();
        ASSERT_TRUE(named.has_value());
        EXPECT_NE(named->find(to_string(stranger)), std::string::npos) << *named;

        StateDiff slot = diff;
        for (AccountChange& change : slot.accounts)
            if (change.account.has_value()) {
                change.storage.push_back({1234, 5});
                const auto found = ledger->difference(number, slot, before).value();
                ASSERT_TRUE(found.has_value());
                EXPECT_NE(found->find(to_string(change.address)), std::string::npos) << *found;
                break;
            }
    }
    const auto unknown = ledger->difference(21, {}, twin_.state(20));
    ASSERT_FALSE(unknown.has_value());
    EXPECT_EQ(unknown.error().code, LedgerErrorCode::unavailable);
}

}  // namespace
}  // namespace heddle::ledger
