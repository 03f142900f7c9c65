// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <ledger/durable_ledger.hpp>
#include <ledger/state_root.hpp>
#include <ledger/verify.hpp>

#include "storage/schema.hpp"
#include "temporary_folder.hpp"
#include "tools_chain.hpp"
#include "trie/trie_proof.hpp"
#include "twin_chain.hpp"

namespace heddle::ledger {
namespace {

using test::expect_stands_at;
using test::must_commit;
using test::must_create;
using test::must_open;
using test::options_for;
using test::Random;
using test::TwinChain;

/// The account's leaf, as the proof must show it.
std::optional<Bytes> leaf_of(const AccountProof& proof) {
    if (!proof.account.has_value()) return std::nullopt;
    Bytes leaf;
    schema::encode_account_leaf({*proof.account, proof.storage_root}, leaf);
    return leaf;
}

StateDiff one_change(AccountChange change) {
    StateDiff diff;
    diff.accounts.push_back(std::move(change));
    return diff;
}

class DurableProofsTest : public testing::Test {
protected:
    void grow(DurableLedger& ledger, int blocks) {
        for (int i = 0; i < blocks; ++i)
            must_commit(ledger, twin_->grow(random_));
    }

    /// Everything about one account is proved by the root of block `number`.
    void expect_proved(DurableLedger& ledger, std::uint64_t number, const Address& address) {
        const MemoryState& expected = twin_->state(number);
        const StateTrie trie(expected);
        const auto proof = ledger.prove(number, address, {0, 1, 2, 3, 4, 5, 6});
        ASSERT_TRUE(proof.has_value()) << to_string(proof.error());
        ASSERT_EQ(proof->account, expected.account(address));
        ASSERT_EQ(proof->storage_root, trie.storage_root(address));
        const auto proved = verify_proof(trie.root(), schema::hash_of(address), proof->nodes);
        ASSERT_TRUE(proved.has_value()) << to_string(proved.error());
        ASSERT_EQ(*proved, leaf_of(*proof));
        ASSERT_EQ(proof->slots.size(), 7u);
        for (const AccountProof::Slot& slot : proof->slots) {
            ASSERT_EQ(slot.value, expected.storage(address, slot.slot));
            const auto value =
                verify_proof(proof->storage_root, schema::hash_of_slot(slot.slot), slot.nodes);
            ASSERT_TRUE(value.has_value()) << to_string(value.error());
            Bytes leaf;
            rlp::encode_uint256(slot.value, leaf);
            ASSERT_EQ(*value, slot.value.is_zero() ? std::nullopt : std::optional{leaf});
        }
    }

    /// What the tries made for a question say is what those of the ledger say, which are moved.
    static void expect_same(DurableLedger& ledger, std::uint64_t number, const Address& address,
                            PastTries& tries) {
        const std::vector<Uint256> slots{0, 1, 2, 3, 4, 5, 6, 777};
        const auto moved = ledger.prove(number, address, slots);
        const auto made = tries.prove(address, slots);
        ASSERT_TRUE(moved.has_value()) << to_string(moved.error());
        ASSERT_TRUE(made.has_value()) << to_string(made.error());
        ASSERT_EQ(made->account, moved->account);
        ASSERT_EQ(made->storage_root, moved->storage_root);
        ASSERT_EQ(made->nodes, moved->nodes);
        ASSERT_EQ(made->slots.size(), slots.size());
        std::vector<TrieKey> keys{{std::nullopt, schema::hash_of(address)}};
        for (std::size_t i = 0; i < slots.size(); ++i) {
            ASSERT_EQ(made->slots[i].value, moved->slots[i].value) << "slot " << i;
            ASSERT_EQ(made->slots[i].nodes, moved->slots[i].nodes) << "slot " << i;
            keys.push_back({address, schema::hash_of_slot(slots[i])});
        }
        ASSERT_EQ(tries.nodes(keys).value(), ledger.trie_nodes(number, keys).value());
    }

    static std::unique_ptr<PastTries> must_make(const DurableLedger& ledger, std::uint64_t number) {
        auto tries = ledger.tries_at(number, {});
        if (!tries.has_value()) throw std::runtime_error(to_string(tries.error()));
        return *std::move(tries);
    }

    /// What a diff on the state after block `number` leads to.
    [[nodiscard]] Hash expected_root(std::uint64_t number, const StateDiff& diff) const {
        StateTrie trie(twin_->state(number));
        return trie.apply(diff);
    }

    test::TemporaryFolder folder_;
    const std::string directory_ = folder_ / "data";
    Random random_{31};
    std::optional<TwinChain> twin_{std::in_place};
};

TEST_F(DurableProofsTest, every_value_and_every_absence_is_proved_by_the_heads_root) {
    auto ledger = must_create(options_for(directory_));
    for (int round = 0; round < 12; ++round) {
        grow(*ledger, 5);
        if (round % 4 == 3) {
            // Nothing of the tries is in memory yet.
            ledger.reset();
            ledger = must_open(options_for(directory_));
        }
        for (std::uint64_t i = 0; i <= TwinChain::kAddresses + 1; ++i) {
            expect_proved(*ledger, twin_->head(), address_from_low64(i));
            if (HasFatalFailure()) return;
        }
    }
}

TEST_F(DurableProofsTest, every_value_of_a_past_block_is_proved_by_its_root) {
    auto ledger = must_create(options_for(directory_));
    for (int round = 0; round < 12; ++round) {
        grow(*ledger, 5);
        if (round % 4 == 3) {
            // Nothing of the tries is in memory yet.
            ledger.reset();
            ledger = must_open(options_for(directory_));
        }
        for (std::uint64_t i = 0; i <= TwinChain::kAddresses + 1; ++i) {
            const std::uint64_t number = random_.below(twin_->head() + 1);
            expect_proved(*ledger, number, address_from_low64(i));
            if (HasFatalFailure()) return;
        }
        expect_stands_at(*ledger, *twin_, twin_->head());
    }
}

TEST_F(DurableProofsTest, root_of_a_past_block_with_changes_on_top) {
    auto ledger = must_create(options_for(directory_));
    for (int round = 0; round < 40; ++round) {
        grow(*ledger, 2);
        if (round % 10 == 9) {
            ledger.reset();
            ledger = must_open(options_for(directory_));
        }
        for (int i = 0; i < 3; ++i) {
            const std::uint64_t number = random_.below(twin_->head() + 1);
            const StateDiff diff = TwinChain::random_diff(random_);
            const auto root = ledger->state_root_with(number, diff);
            ASSERT_TRUE(root.has_value()) << to_string(root.error());
            ASSERT_EQ(*root, expected_root(number, diff)) << "block " << number;
        }
        expect_stands_at(*ledger, *twin_, twin_->head());
        if (HasFatalFailure()) return;
    }
}

/// Larger tries, with parts that are on the disk only: what the writer stores in the end is a whole
/// ledger.
TEST(DurableProofs, moving_back_leaves_a_ledger_without_faults) {
    constexpr std::uint64_t kLength = 60;
    Random random(32);
    const test::ToolsChain chain(random, kLength);
    const test::TemporaryFolder folder;
    const auto options = test::tools_options(folder / "data");
    auto ledger = DurableLedger::create(options, test::ToolsChain::genesis(), Bytes{7}).value();
    for (std::uint64_t head = 1; head <= kLength; ++head) {
        test::commit_through(*ledger, chain, head);
        const std::uint64_t number = random.below(head + 1);
        ASSERT_TRUE(ledger->prove(number, address_from_low64(2), {1}).has_value());
        const StateDiff diff = random.diff(test::ToolsChain::kAddresses, 5);
        ASSERT_TRUE(ledger->state_root_with(number, diff).has_value());
        if (!random.one_in(10)) continue;
        ASSERT_TRUE(ledger->close().has_value());
        ledger.reset();
        ledger = must_open(options);
    }
    ASSERT_TRUE(ledger->close().has_value());
    ledger.reset();

    const VerifyReport report = test::verify_ledger(options.directory);
    EXPECT_TRUE(report.is_good()) << report.problems.front();
    EXPECT_EQ(report.head, kLength);
}

/// Storage lost and made again between the block and the head.
TEST_F(DurableProofsTest, destroyed_accounts_have_their_storage_back_in_the_past) {
    constexpr Address kContract = address_from_low64(3);
    for (const std::uint64_t checkpoint_blocks : {1u, 3u, 100u}) {
        SCOPED_TRACE(checkpoint_blocks);
        twin_.emplace();
        auto options = options_for(folder_ / std::to_string(checkpoint_blocks));
        options.checkpoint_blocks = checkpoint_blocks;
        const auto ledger = must_create(options);
        AccountChange made{kContract, Account{1, 0}, false, {}};
        for (std::uint64_t slot = 0; slot < 200; ++slot)
            made.storage.push_back({slot, slot + 1});
        const AccountChange again{kContract, Account{2, 0}, true, {{1, 2}, {5, 9}, {777, 1}}};
        const AccountChange gone{kContract, std::nullopt, true, {}};
        const AccountChange bare{kContract, Account{3, 0}, false, {{6, 6}}};
        for (const AccountChange& change : {made, again, gone, made, gone, bare, gone, made, gone})
            must_commit(*ledger, twin_->grow(random_, one_change(change)));
        for (std::uint64_t number = 0; number <= twin_->head(); ++number) {
            const auto tries = must_make(*ledger, number);
            expect_proved(*ledger, number, kContract);
            expect_same(*ledger, number, kContract, *tries);
            for (const AccountChange& change : {made, again, gone, bare}) {
                const StateDiff diff = one_change(change);
                const Hash expected = expected_root(number, diff);
                ASSERT_EQ(ledger->state_root_with(number, diff).value(), expected);
                ASSERT_EQ(tries->root_with(diff).value(), expected);
            }
            expect_same(*ledger, number, kContract, *tries);
            if (HasFatalFailure()) return;
        }
        expect_stands_at(*ledger, *twin_, twin_->head());
    }
}

// --- Tries made for a question -------------------------------------------------------------------

TEST_F(DurableProofsTest, tries_made_for_a_question_say_the_same_as_those_moved_there) {
    // Tables that are close behind the head, and far.
    for (const std::uint64_t checkpoint_blocks : {1u, 7u, 1'000u}) {
        SCOPED_TRACE(checkpoint_blocks);
        twin_.emplace();
        auto options = options_for(folder_ / std::to_string(checkpoint_blocks));
        options.checkpoint_blocks = checkpoint_blocks;
        auto ledger = must_create(options);
        for (int round = 0; round < 12; ++round) {
            grow(*ledger, 5);
            if (round % 4 == 3) {
                ledger.reset();
                ledger = must_open(options);
                grow(*ledger, 2);  // the tables show the head that was closed
            }
            for (int i = 0; i < 5; ++i) {
                const std::uint64_t number = random_.below(twin_->head() + 1);
                const auto tries = must_make(*ledger, number);
                for (std::uint64_t address = 0; address <= TwinChain::kAddresses + 1; ++address) {
                    expect_same(*ledger, number, address_from_low64(address), *tries);
                    if (HasFatalFailure()) return;
                }
            }
        }
    }
}

TEST_F(DurableProofsTest, tries_made_for_a_question_give_roots_and_stay_where_they_are) {
    auto options = options_for(directory_);
    options.checkpoint_blocks = 7;
    const auto ledger = must_create(options);
    for (int round = 0; round < 20; ++round) {
        grow(*ledger, 3);
        const std::uint64_t number = random_.below(twin_->head() + 1);
        const auto tries = must_make(*ledger, number);
        for (int i = 0; i < 4; ++i) {
            const StateDiff diff = TwinChain::random_diff(random_);
            ASSERT_EQ(tries->root_with(diff).value(), expected_root(number, diff));
        }
        ASSERT_EQ(tries->root_with({}).value(), twin_->committed(number).header.state_root);
        expect_same(*ledger, number, address_from_low64(1 + random_.below(4)), *tries);
        if (HasFatalFailure()) return;
    }
}

/// The roots after each transaction of a block: whoever asks for them gives all changes so far. A
/// limit is looked at once for 1,024 leaves that are written.
TEST_F(DurableProofsTest, roots_with_more_and_more_changes_write_only_what_is_new) {
    constexpr Address kContract = address_from_low64(3);
    constexpr std::uint64_t kSteps = 40;
    constexpr std::uint64_t kSlots = 1'000;  // that each step adds
    const auto ledger = must_create(options_for(directory_));
    grow(*ledger, 3);
    std::size_t looks = 0;
    const auto tries = ledger->tries_at(2, [&] { return ++looks > 0; }).value();
    StateDiff diff;
    diff.accounts.push_back({kContract, Account{1, 0}, false, {}});
    looks = 0;
    for (std::uint64_t step = 0; step < kSteps; ++step) {
        for (std::uint64_t i = 0; i < kSlots; ++i)
            diff.accounts[0].storage.push_back({step * kSlots + i, i + 1});
        const auto root = tries->root_with(diff);
        ASSERT_TRUE(root.has_value()) << to_string(root.error());
        if (step % 10 == 9) EXPECT_EQ(*root, expected_root(2, diff));
    }
    EXPECT_LE(looks, 4 * kSteps);
    EXPECT_EQ(tries->root_with({}).value(), twin_->committed(2).header.state_root);
    expect_same(*ledger, 2, kContract, *tries);
}

/// The head moves, checkpoints are written and history is pruned while somebody asks.
TEST_F(DurableProofsTest, tries_made_for_a_question_stand_still_while_the_head_moves) {
    auto options = options_for(directory_);
    options.checkpoint_blocks = 4;
    options.history_blocks = 20;
    const auto ledger = must_create(options);
    grow(*ledger, 30);
    const std::uint64_t number = 22;
    const auto expected = ledger->prove(number, address_from_low64(2), {1, 2, 3});
    const auto tries = must_make(*ledger, number);
    grow(*ledger, 60);
    ASSERT_FALSE(ledger->tries_at(number, {}).has_value()) << "it is pruned by now";

    const std::vector<Uint256> slots{1, 2, 3};
    const auto proof = tries->prove(address_from_low64(2), slots);

    ASSERT_TRUE(proof.has_value()) << to_string(proof.error());
    EXPECT_EQ(proof->nodes, expected->nodes);
    EXPECT_EQ(proof->storage_root, expected->storage_root);
    EXPECT_EQ(tries->root_with({}).value(), twin_->committed(number).header.state_root);
}

TEST_F(DurableProofsTest, tries_of_every_kept_block_can_be_made) {
    const auto ledger = must_create(options_for(directory_));
    grow(*ledger, 3 * kProofBlocks);
    for (const std::uint64_t number : {0u, 1u, 50u, 200u}) {
        const auto tries = must_make(*ledger, number);
        EXPECT_EQ(tries->root_with({}).value(), twin_->committed(number).header.state_root);
    }
    const auto above = ledger->tries_at(twin_->head() + 1, {});
    ASSERT_FALSE(above.has_value());
    EXPECT_EQ(above.error().code, LedgerErrorCode::unavailable);
}

TEST_F(DurableProofsTest, whoever_is_told_to_stop_stops) {
    auto options = options_for(directory_);
    options.checkpoint_blocks = 1'000;
    const auto ledger = must_create(options);
    grow(*ledger, 40);
    std::size_t asked = 0;
    ASSERT_TRUE(ledger->tries_at(40, [&] { return ++asked > 0; }).has_value());
    EXPECT_GE(asked, 40u) << "once a block at least";
    for (const std::size_t most : {0u, 1u, 20u}) {
        std::size_t left = most;
        const auto tries = ledger->tries_at(40, [&] { return left-- != 0; });
        ASSERT_FALSE(tries.has_value());
        EXPECT_EQ(tries.error().code, LedgerErrorCode::unavailable);
    }
    expect_stands_at(*ledger, *twin_, twin_->head());
}

/// A block of so many new accounts, from `first` on.
StateDiff new_accounts(std::uint64_t first, std::uint64_t count) {
    StateDiff diff;
    for (std::uint64_t i = 0; i < count; ++i)
        diff.accounts.push_back({address_from_low64(first + i), Account{1, 1}, false, {}});
    return diff;
}

TEST_F(DurableProofsTest, memory_is_bounded_whatever_has_changed) {
    auto options = options_for(directory_);
    options.memory_bytes = std::size_t{64} << 20;  // an eighth is less than what they always have
    const auto ledger = must_create(options);
    // A table's entry of an account takes 200 bytes or so: 32 MiB are 160,000 of them at most.
    for (std::uint64_t i = 0; i < 20; ++i)
        must_commit(*ledger, twin_->grow(random_, new_accounts(1'000 + i * 20'000, 20'000)));

    EXPECT_TRUE(ledger->tries_at(19, {}).has_value());
    const auto tries = ledger->tries_at(1, {});

    ASSERT_FALSE(tries.has_value());
    EXPECT_EQ(tries.error().code, LedgerErrorCode::unavailable);
    EXPECT_NE(tries.error().detail.find("32 MiB"), std::string::npos) << tries.error().detail;
}

TEST_F(DurableProofsTest, near_is_where_few_values_have_changed) {
    const auto ledger = must_create(options_for(directory_));
    grow(*ledger, 5);
    EXPECT_TRUE(ledger->is_near(twin_->head()));
    EXPECT_TRUE(ledger->is_near(0));
    EXPECT_FALSE(ledger->is_near(twin_->head(), 100'000)) << "what the question brings counts";
    must_commit(*ledger, twin_->grow(random_, new_accounts(1'000, 3'000)));
    EXPECT_TRUE(ledger->is_near(twin_->head()));
    EXPECT_FALSE(ledger->is_near(twin_->head() - 1));
    grow(*ledger, 1);
    EXPECT_FALSE(ledger->is_near(twin_->head() - 2));
}

TEST_F(DurableProofsTest, what_is_too_far_is_not_near_without_a_look_at_the_blocks_between) {
    auto ledger = must_create(options_for(directory_));
    for (std::uint64_t i = 0; i < 2 * kProofBlocks; ++i)
        must_commit(*ledger, twin_->grow(random_, StateDiff{}));
    ASSERT_TRUE(ledger->close().has_value());
    ledger.reset();
    ledger = must_open(options_for(directory_));
    const std::uint64_t before = ledger->stats().database_reads;

    EXPECT_FALSE(ledger->is_near(0));
    EXPECT_EQ(ledger->stats().database_reads - before, 0u);
    EXPECT_TRUE(ledger->is_near(kProofBlocks));
    EXPECT_EQ(ledger->stats().database_reads - before, kProofBlocks);
}

TEST_F(DurableProofsTest, reach_as_far_as_promised_and_no_further) {
    const auto ledger = must_create(options_for(directory_));
    grow(*ledger, kProofBlocks + 1);
    expect_proved(*ledger, 1, address_from_low64(2));
    EXPECT_EQ(ledger->state_root_with(1, {}).value(), twin_->committed(1).header.state_root);
    for (const std::uint64_t number : {std::uint64_t{0}, twin_->head() + 1}) {
        const auto proof = ledger->prove(number, address_from_low64(2), {});
        ASSERT_FALSE(proof.has_value());
        EXPECT_EQ(proof.error().code, LedgerErrorCode::unavailable);
        const auto root = ledger->state_root_with(number, {});
        ASSERT_FALSE(root.has_value());
        EXPECT_EQ(root.error().code, LedgerErrorCode::unavailable);
    }
    expect_stands_at(*ledger, *twin_, twin_->head());
}

TEST_F(DurableProofsTest, pruned_blocks_are_not_proved) {
    auto options = options_for(directory_);
    options.history_blocks = 5;
    auto ledger = must_create(options);
    grow(*ledger, 40);
    ASSERT_TRUE(ledger->close().has_value());
    ledger.reset();
    ledger = must_open(options);
    ASSERT_EQ(ledger->first_state(), 35u);
    expect_proved(*ledger, 35, address_from_low64(2));
    const auto proof = ledger->prove(34, address_from_low64(2), {});
    ASSERT_FALSE(proof.has_value());
    EXPECT_EQ(proof.error().code, LedgerErrorCode::unavailable);
    expect_stands_at(*ledger, *twin_, 40);
}

}  // namespace
}  // namespace heddle::ledger
