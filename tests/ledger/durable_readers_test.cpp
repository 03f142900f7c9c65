// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Readers beside a thread that commits: what they see belongs together. For ThreadSanitizer too.

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include <ledger/durable_ledger.hpp>

#include "readers.hpp"
#include "temporary_folder.hpp"
#include "twin_chain.hpp"

namespace heddle::ledger {
namespace {

using test::must_create;
using test::must_open;
using test::options_for;

constexpr std::uint64_t kBlocks = 250;
constexpr Address kAlice = address_from_low64(0xa11ce);
constexpr Address kBob = address_from_low64(0xb0b);

Bytes code_of(std::uint64_t number) {
    return {0x60, static_cast<std::uint8_t>(number), static_cast<std::uint8_t>(number >> 8)};
}

/// Block `number` sets Alice's nonce, balance, slots and code to its number, and creates or
/// destroys Bob; another account is new, so that every table grows.
FinishedBlock numbered_block(const DurableLedger& ledger, std::uint64_t number) {
    FinishedBlock block;
    block.block.header.number = number;
    block.block.header.parent_hash = ledger.head().hash;
    block.block.header.timestamp = number;
    block.check_state_root = false;
    const Hash code = keccak256(code_of(number));
    AccountChange alice{kAlice, Account{number, number, code}, false, {}};
    for (std::uint64_t slot = 0; slot < 5; ++slot)
        alice.storage.push_back({slot, number});
    AccountChange bob{kBob, std::nullopt, true, {}};
    if (number % 2 == 0) bob = {kBob, Account{number, 0}, false, {{number, number}, {1, number}}};
    block.diff.accounts.push_back(alice);
    block.diff.accounts.push_back(bob);
    block.diff.accounts.push_back(
        {address_from_low64(1000 + number), Account{number, 1}, false, {{number, 1}}});
    block.diff.codes.push_back({code, code_of(number)});
    return block;
}

/// Whether this is the state after block `number` and no other.
bool is_state_after(const StateView& state, std::uint64_t number) {
    const auto alice = state.account(kAlice);
    if (number == 0) return !alice.has_value();
    if (!alice.has_value() || alice->nonce != number || alice->balance != Uint256(number))
        return false;
    for (std::uint64_t slot = 0; slot < 5; ++slot)
        if (state.storage(kAlice, slot) != Uint256(number)) return false;
    if (!equal(state.code(alice->code_hash), code_of(number))) return false;
    const bool has_bob = number % 2 == 0;
    if (state.account(kBob).has_value() != has_bob || state.has_storage(kBob) != has_bob)
        return false;
    if (state.storage(kBob, 1) != Uint256(has_bob ? number : 0)) return false;
    // What the block two before wrote for Bob is gone.
    if (number >= 2 && !state.storage(kBob, number - 2).is_zero()) return false;
    return state.account(address_from_low64(1000 + number)).has_value() &&
           !state.account(address_from_low64(1001 + number)).has_value();
}

class DurableReadersTest : public testing::Test {
protected:
    void commit_all() {
        for (std::uint64_t number = 1; number <= kBlocks; ++number) {
            const auto root = ledger_->commit(numbered_block(*ledger_, number));
            ASSERT_TRUE(root.has_value()) << to_string(root.error());
            if (number % 50 == 0) {
                ASSERT_TRUE(ledger_->wait_durable(number).has_value());
            }
        }
    }

    test::TemporaryFolder folder_;
    std::unique_ptr<DurableLedger> ledger_ = must_create(options_for(folder_ / "data"));
    test::Readers readers_;
};

TEST_F(DurableReadersTest, state_of_any_block_is_that_of_the_whole_block) {
    for (unsigned i = 0; i < 3; ++i)
        readers_.add([this, i]() mutable {
            const std::uint64_t head = ledger_->head().header.number;
            i = i * 1664525 + 1013904223;
            const std::uint64_t number = head - (i >> 16) % (head + 1);
            const auto newest = ledger_->state_at(head);
            const auto past = ledger_->state_at(number);
            return newest.has_value() && past.has_value() && is_state_after(**newest, head) &&
                   is_state_after(**past, number);
        });
    commit_all();
    EXPECT_EQ(readers_.stop(), 0u);
}

TEST_F(DurableReadersTest, state_above_the_head_is_unavailable_until_the_block_is_committed) {
    for (int i = 0; i < 3; ++i)
        readers_.add([this] {
            const std::uint64_t next = ledger_->head().header.number + 1;
            const auto state = ledger_->state_at(next);
            if (!state.has_value()) return state.error().code == LedgerErrorCode::unavailable;
            return is_state_after(**state, next);
        });
    commit_all();
    EXPECT_EQ(readers_.stop(), 0u);
}

TEST_F(DurableReadersTest, single_values_of_the_moving_state_never_go_back) {
    for (int i = 0; i < 3; ++i)
        readers_.add([this, last = std::uint64_t{0}]() mutable {
            const std::uint64_t head = ledger_->head().header.number;
            const auto alice = ledger_->state().account(kAlice);
            const std::uint64_t nonce = alice.has_value() ? alice->nonce : 0;
            const std::uint64_t slot = ledger_->state().storage(kAlice, 3).low64();
            const bool is_right = nonce >= head && nonce >= last && slot >= head;
            last = nonce;
            if (!alice.has_value()) return is_right;
            return is_right && equal(ledger_->state().code(alice->code_hash), code_of(nonce));
        });
    commit_all();
    EXPECT_EQ(readers_.stop(), 0u);
}

TEST_F(DurableReadersTest, values_read_ahead_are_never_older_than_the_head) {
    std::vector<Access> accesses{{{kAlice, ObjectKind::nonce, {}}, AccessMode::read}};
    for (std::uint64_t slot = 0; slot < 5; ++slot)
        accesses.push_back({{kAlice, ObjectKind::storage, slot}, AccessMode::read});
    const ObjectSet objects(std::move(accesses));
    for (int i = 0; i < 3; ++i)
        readers_.add([this, &objects] {
            ledger_->state().prefetch(objects);
            const std::uint64_t head = ledger_->head().header.number;
            const auto alice = ledger_->state().account(kAlice);
            return (head == 0 || (alice.has_value() && alice->nonce >= head)) &&
                   ledger_->state().storage(kAlice, 4).low64() >= head;
        });
    commit_all();
    EXPECT_EQ(readers_.stop(), 0u);
}

TEST_F(DurableReadersTest, blocks_are_found_from_the_moment_they_are_committed) {
    for (int i = 0; i < 3; ++i)
        readers_.add([this] {
            const StoredHeader head = ledger_->head();
            const std::uint64_t number = head.header.number;
            const auto block = ledger_->block(number);
            const auto header = ledger_->header(number / 2);
            return block.has_value() && block->has_value() && (*block)->hash == head.hash &&
                   (*block)->block.header == head.header && header.has_value() &&
                   header->has_value() && (*header)->header.number == number / 2 &&
                   ledger_->block_hash(number) == head.hash &&
                   ledger_->block_number(head.hash).value() == number &&
                   ledger_->durable() <= ledger_->head().header.number &&
                   ledger_->ancestors(number).has_value();
        });
    commit_all();
    EXPECT_EQ(readers_.stop(), 0u);
}

TEST_F(DurableReadersTest, history_is_dropped_under_readers_without_a_wrong_answer) {
    ledger_.reset();
    auto options = options_for(folder_ / "data");
    options.history_blocks = 10;
    options.checkpoint_blocks = 2;
    ledger_ = must_open(options);
    for (int i = 0; i < 3; ++i)
        readers_.add([this] {
            const std::uint64_t first = ledger_->first_state();
            const auto state = ledger_->state_at(first);
            if (!state.has_value()) return state.error().code == LedgerErrorCode::unavailable;
            return is_state_after(**state, first);
        });
    commit_all();
    EXPECT_EQ(readers_.stop(), 0u);
}

TEST_F(DurableReadersTest, tries_of_any_kept_block_are_made_beside_the_thread_that_commits) {
    ledger_.reset();
    auto options = options_for(folder_ / "data");
    options.history_blocks = 40;
    options.checkpoint_blocks = 3;
    ledger_ = must_open(options);
    for (unsigned i = 0; i < 3; ++i)
        readers_.add([this, i]() mutable {
            const std::uint64_t head = ledger_->head().header.number;
            const std::uint64_t first = ledger_->first_state();
            i = i * 1664525 + 1013904223;
            const std::uint64_t number = head - (i >> 16) % (head - std::min(first, head) + 1);
            const auto header = ledger_->header(number);
            const auto tries = ledger_->tries_at(number, {});
            if (!tries.has_value())
                return tries.error().code == LedgerErrorCode::unavailable &&
                       number < ledger_->first_state();
            const std::vector<Uint256> slots{0, 3};
            const auto proof = (*tries)->prove(kAlice, slots);
            const auto root = (*tries)->root_with({});
            if (!header.has_value() || !proof.has_value() || !root.has_value()) return false;
            const Hash& expected = (**header).header.state_root;
            return *root == expected && keccak256(proof->nodes.front()) == expected &&
                   proof->slots[0].value == Uint256(number) &&
                   proof->slots[1].value == Uint256(number);
        });
    commit_all();
    EXPECT_EQ(readers_.stop(), 0u);
}

}  // namespace
}  // namespace heddle::ledger
