// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <map>

#include <gtest/gtest.h>

#include "random.hpp"
#include "trie/trie_builder.hpp"
#include "trie/trie_forest.hpp"
#include "trie_test_store.hpp"

namespace heddle::ledger {
namespace {

using Content = std::map<Hash, Bytes>;

Hash make_key(test::Random& random, bool is_close) {
    Hash key;
    if (!is_close) return keccak256(random.bytes(4));
    for (int i = 0; i < 4; ++i)
        key.bytes[random.one_in(3) ? random.below(32) : 28 + random.below(4)] =
            static_cast<std::uint8_t>(random.one_in(2) ? 0x01 : 0x10);
    return key;
}

TEST(TrieBuilder, root_and_stored_nodes_are_those_of_the_trie_that_changes) {
    test::Random random(41);
    for (int round = 0; round < 400; ++round) {
        const bool is_close = random.one_in(2);
        const std::uint32_t stored_leaf_count = random.one_in(2) ? 32 : 2;
        Content content;
        for (std::size_t i = random.below(random.one_in(10) ? 1'500 : 40); i > 0; --i)
            content[make_key(random, is_close)] = random.bytes(1 + random.below(40));

        test::MapTrieStore built;
        TrieBuilder builder(
            [&](NibblesView path, BytesView node) { built.put(kAccountTrie, path, node); },
            stored_leaf_count);
        for (const auto& [key, value] : content)
            ASSERT_TRUE(builder.add(key, value));
        EXPECT_EQ(builder.leaf_count(), content.size());
        const Hash root = builder.finish();

        TrieForest forest(nullptr, {.stored_leaf_counts = {stored_leaf_count, stored_leaf_count}});
        Tree tree;
        std::vector<TrieUpdate> updates;
        for (const auto& [key, value] : content)
            updates.push_back({key, value, nullptr});
        const TrieJob job{&tree, updates};
        ASSERT_TRUE(forest.update({&job, 1}).has_value());
        test::MapTrieStore collected;
        forest.collect(tree, collected);
        ASSERT_EQ(root, tree.root) << "round " << round;
        ASSERT_EQ(built.nodes, collected.nodes) << "round " << round;
    }
}

TEST(TrieBuilder, is_as_new_after_finish) {
    TrieBuilder builder([](NibblesView, BytesView) {});
    EXPECT_EQ(builder.finish(), kEmptyTrieRoot);
    Hash first;
    for (int i = 0; i < 2; ++i) {
        for (std::uint8_t n = 0; n < 3; ++n)
            ASSERT_TRUE(builder.add({{n}}, Bytes{1}));
        const Hash root = builder.finish();
        if (i == 0) first = root;
        EXPECT_EQ(root, first);
    }
}

TEST(TrieBuilder, refuses_keys_out_of_order) {
    TrieBuilder builder([](NibblesView, BytesView) {});
    ASSERT_TRUE(builder.add({{2}}, Bytes{1}));
    EXPECT_FALSE(builder.add({{2}}, Bytes{1}));
    EXPECT_FALSE(builder.add({{1}}, Bytes{1}));
    EXPECT_EQ(builder.leaf_count(), 1U);
}

}  // namespace
}  // namespace heddle::ledger
