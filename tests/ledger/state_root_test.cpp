// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <ledger/state_root.hpp>

#include "random.hpp"

namespace heddle::ledger {
namespace {

constexpr Address kAlice = address_from_low64(0xa11ce);

TEST(StateRoot, empty_state_has_the_empty_root) {
    EXPECT_EQ(compute_state_root(MemoryState()), kEmptyTrieRoot);
    EXPECT_EQ(StateTrie().root(), kEmptyTrieRoot);
}

TEST(StateRoot, empty_account_counts_if_the_diff_says_it_exists) {
    StateTrie trie;
    StateDiff diff;
    diff.accounts.push_back({kAlice, Account{}, false, {}});

    EXPECT_NE(trie.apply(diff), kEmptyTrieRoot);
    diff.accounts[0].account = std::nullopt;
    EXPECT_EQ(trie.apply(diff), kEmptyTrieRoot);
}

TEST(StateTrie, follows_random_diffs) {
    test::Random random(5);
    for (int chain = 0; chain < 20; ++chain) {
        MemoryState state;
        StateTrie trie;
        for (int block = 0; block < 50; ++block) {
            const StateDiff diff = random.diff(20, 6);
            state.apply(diff);

            const Hash root = trie.apply(diff);

            ASSERT_EQ(root, compute_state_root(state)) << "chain " << chain << " block " << block;
            ASSERT_EQ(trie.root(), root);
        }
        EXPECT_EQ(StateTrie(state).root(), trie.root());
    }
}

TEST(StateTrie, inverse_diff_leads_back_to_the_root_before) {
    test::Random random(6);
    MemoryState state;
    StateTrie trie;
    for (int block = 0; block < 300; ++block) {
        const StateDiff diff = random.diff(20, 6);
        const Hash before = trie.root();

        trie.apply(diff);
        ASSERT_EQ(trie.apply(state.inverse(diff)), before) << "block " << block;

        trie.apply(diff);
        state.apply(diff);
    }
}

TEST(StateTrie, storage_root_is_empty_once_the_last_slot_is_gone) {
    StateTrie trie;
    StateDiff diff;
    diff.accounts.push_back({kAlice, Account{}, false, {{1, 2}}});
    trie.apply(diff);
    EXPECT_NE(trie.storage_root(kAlice), kEmptyTrieRoot);

    diff.accounts[0].storage = {{1, {}}};
    trie.apply(diff);

    EXPECT_EQ(trie.storage_root(kAlice), kEmptyTrieRoot);
    EXPECT_EQ(trie.storage_root(address_from_low64(1)), kEmptyTrieRoot);
}

}  // namespace
}  // namespace heddle::ledger
