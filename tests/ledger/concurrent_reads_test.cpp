// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <atomic>
#include <optional>
#include <utility>

#include <gtest/gtest.h>

#include <ledger/memory_ledger.hpp>

#include "random.hpp"
#include "readers.hpp"

namespace heddle::ledger {
namespace {

constexpr Address kAlice = address_from_low64(0xa11ce);
constexpr std::uint64_t kRounds = 300;

/// Round `number`: Alice's nonce, balance and slot 1 are the number; another account, its slot and
/// a code are new, so that every table grows now and then.
StateDiff round_diff(std::uint64_t number) {
    const Bytes code{0x60, static_cast<std::uint8_t>(number),
                     static_cast<std::uint8_t>(number >> 8)};
    const Hash hash = keccak256(code);
    StateDiff diff;
    diff.accounts.push_back({kAlice, Account{number, number, hash}, false, {{1, number + 1}}});
    diff.accounts.push_back({address_from_low64(number), Account{}, false, {{number, 1}}});
    diff.codes.push_back({hash, code});
    return diff;
}

/// What a reader must find whenever it looks.
bool is_one_round(const StateView& state) {
    const std::optional<Account> alice = state.account(kAlice);
    if (!alice.has_value() || alice->balance != Uint256{alice->nonce}) return false;
    const BytesView code = state.code(alice->code_hash);
    // Later reads may see later rounds, never earlier ones.
    return code.size() == 3 && code[1] == static_cast<std::uint8_t>(alice->nonce) &&
           state.storage(kAlice, 1) > alice->balance && state.has_storage(kAlice);
}

TEST(MemoryState, reads_while_diffs_are_applied_see_whole_diffs) {
    MemoryState state;
    state.apply(round_diff(0));
    test::Readers readers(3, [&state] { return is_one_round(state); });

    for (std::uint64_t number = 1; number <= kRounds; ++number)
        state.apply(round_diff(number));

    EXPECT_EQ(readers.stop(), 0u);
    EXPECT_EQ(state.account(kAlice)->nonce, kRounds);
}

TEST(MemoryState, code_stays_in_place_while_code_is_added) {
    MemoryState state;
    const Bytes code{0x60, 0x00};
    const Hash hash = keccak256(code);
    state.set_code(hash, code);
    const BytesView view = state.code(hash);
    test::Readers readers(
        2, [&] { return state.code(hash).data() == view.data() && equal(view, state.code(hash)); });

    for (std::uint64_t number = 1; number <= kRounds; ++number)
        state.apply(round_diff(number));

    EXPECT_EQ(readers.stop(), 0u);
}

TEST(MemoryState, copies_and_moves_have_locks_of_their_own) {
    MemoryState state;
    state.apply(round_diff(0));
    MemoryState copy = state;
    MemoryState moved = std::move(state);
    test::Readers readers(2, [&moved] { return is_one_round(moved); });

    for (std::uint64_t number = 1; number <= kRounds; ++number) {
        moved.apply(round_diff(number));
        copy.apply(round_diff(number));
    }

    EXPECT_EQ(readers.stop(), 0u);
    EXPECT_EQ(copy.account(kAlice), moved.account(kAlice));
    state = std::move(copy);
    EXPECT_EQ(state.account(kAlice)->nonce, kRounds);
}

TEST(MemoryLedger, state_and_block_hashes_can_be_read_while_blocks_are_committed) {
    MemoryLedger ledger;
    Genesis genesis;
    const CommittedBlock& first = ledger.initialize(genesis);
    FinishedBlock block;
    block.block.header.number = 1;
    block.block.header.parent_hash = first.hash;
    block.check_state_root = false;
    block.diff = round_diff(0);
    ASSERT_TRUE(ledger.commit(block).has_value());
    // The newest block that a reader may ask for. Release: its hash is there before the number is;
    // pairs with the readers' acquire.
    std::atomic<std::uint64_t> newest = 1;
    test::Readers readers(3, [&] {
        const std::uint64_t number = newest.load(std::memory_order_acquire);
        const Hash hash = ledger.block_hash(number);
        return !hash.is_zero() && hash == ledger.block_hash(number) && is_one_round(ledger.state());
    });

    // Fewer blocks than the ledger keeps, so that every number asked for stays there.
    for (std::uint64_t number = 2; number <= 250; ++number) {
        block.block.header.number = number;
        block.block.header.parent_hash = ledger.head().hash;
        block.diff = round_diff(number);
        ASSERT_TRUE(ledger.commit(block).has_value());
        newest.store(number, std::memory_order_release);
    }

    EXPECT_EQ(readers.stop(), 0u);
    EXPECT_EQ(ledger.state_root(), compute_state_root(ledger.state()));
}

}  // namespace
}  // namespace heddle::ledger
