// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "random.hpp"
#include "trie/merkle_patricia_trie.hpp"
#include "trie/partial_trie.hpp"
#include "trie/trie_forest.hpp"
#include "trie_test_store.hpp"

namespace heddle::ledger {
namespace {

using Content = std::map<Hash, Bytes>;

/// Keys that share much: so that branches hang from long extensions, and nodes are embedded.
Hash make_key(test::Random& random, bool is_close) {
    if (!is_close) return keccak256(random.bytes(2));
    Hash key;
    for (int i = 0; i < 3; ++i)
        key.bytes[random.one_in(4) ? random.below(32) : 29 + random.below(3)] =
            static_cast<std::uint8_t>(random.one_in(2) ? 0x01 : 0x10);
    return key;
}

Content make_content(test::Random& random, bool is_close) {
    Content content;
    for (std::size_t i = random.below(random.one_in(4) ? 300 : 8); i > 0; --i)
        content[make_key(random, is_close)] = random.bytes(1 + random.below(36));
    return content;
}

/// The whole trie, which proves keys.
struct Subject {
    explicit Subject(const Content& content) {
        std::vector<TrieUpdate> updates;
        for (const auto& [key, value] : content)
            updates.push_back({key, value, nullptr});
        const TrieJob job{&tree, updates};
        EXPECT_TRUE(forest.update({&job, 1}).has_value());
    }
    void add_way(const Hash& key, NodeTable& nodes) {
        for (const Bytes& node : forest.prove(tree, key).value())
            nodes.emplace(keccak256(node), node);
    }

    TrieForest forest{nullptr};
    Tree tree;
};

Hash root_of(const Content& content) {
    MerklePatriciaTrie oracle;
    for (const auto& [key, value] : content)
        oracle.insert(key.view(), value);
    return oracle.root();
}

/// Values written, replaced by the same, taken away, and taken away where nothing was.
std::vector<TrieWrite> make_writes(test::Random& random, const Content& content, bool is_close) {
    std::map<Hash, Bytes> writes;
    for (const auto& [key, value] : content) {
        if (random.one_in(3)) writes[key] = {};
        if (random.one_in(8)) writes[key] = value;
        if (random.one_in(8)) writes[key] = random.bytes(1 + random.below(36));
    }
    for (std::size_t i = random.below(6); i > 0; --i)
        writes[make_key(random, is_close)] =
            random.one_in(2) ? Bytes{} : random.bytes(1 + random.below(36));
    std::vector<TrieWrite> sorted;
    for (auto& [key, value] : writes)
        sorted.push_back({key, std::move(value)});
    return sorted;
}

Content after(Content content, std::span<const TrieWrite> writes) {
    for (const TrieWrite& write : writes) {
        content.erase(write.key);
        if (!write.value.empty()) content.emplace(write.key, write.value);
    }
    return content;
}

TEST(PartialTrie, the_ways_to_what_is_written_and_one_round_of_gaps_give_the_root) {
    test::Random random(61);
    std::size_t with_gaps = 0;
    for (int round = 0; round < 2'000; ++round) {
        const bool is_close = random.one_in(2);
        const Content content = make_content(random, is_close);
        const auto writes = make_writes(random, content, is_close);
        Subject subject(content);
        NodeTable nodes;
        for (const TrieWrite& write : writes)
            subject.add_way(write.key, nodes);

        auto root = root_after(nodes, subject.tree.root, writes);
        if (!root.has_value()) {
            ++with_gaps;
            for (const TrieGap& gap : root.error()) {
                ASSERT_FALSE(gap.is_malformed);
                ASSERT_FALSE(nodes.contains(gap.hash));
                NibblePath path = gap.path;
                path.size = kKeyNibbles;
                Hash key;
                std::ranges::copy(from_nibbles(path.view()), key.bytes.begin());
                NodeTable way;
                subject.add_way(key, way);
                ASSERT_TRUE(way.contains(gap.hash));
                nodes.emplace(gap.hash, way.at(gap.hash));
            }
            root = root_after(nodes, subject.tree.root, writes);
        }

        ASSERT_TRUE(root.has_value()) << "round " << round;
        ASSERT_EQ(*root, root_of(after(content, writes))) << "round " << round;
    }
    EXPECT_GT(with_gaps, 100U);
}

TEST(PartialTrie, values_are_found_where_the_way_is_known_and_nowhere_else) {
    test::Random random(62);
    for (int round = 0; round < 200; ++round) {
        const bool is_close = random.one_in(2);
        const Content content = make_content(random, is_close);
        Subject subject(content);
        for (int i = 0; i < 20; ++i) {
            Hash key = make_key(random, is_close);
            if (const auto some = content.lower_bound(key); some != content.end())
                if (random.one_in(2)) key = some->first;
            NodeTable nodes;
            subject.add_way(key, nodes);

            const auto found = find_value(nodes, subject.tree.root, key);

            ASSERT_TRUE(found.has_value());
            const auto expected = content.find(key);
            ASSERT_EQ(found->has_value(), expected != content.end());
            if (found->has_value()) {
                ASSERT_EQ(**found, expected->second);
            }
            if (nodes.empty()) continue;
            auto lost = nodes.begin();
            std::advance(lost, random.below(nodes.size()));
            nodes.erase(lost);
            const auto missing = find_value(nodes, subject.tree.root, key);
            ASSERT_FALSE(missing.has_value());
            ASSERT_EQ(missing.error(), ProofError::node_missing);
        }
    }
}

TEST(PartialTrie, any_lost_node_is_a_gap_that_names_it) {
    test::Random random(63);
    for (int round = 0; round < 300; ++round) {
        const bool is_close = random.one_in(2);
        const Content content = make_content(random, is_close);
        const auto writes = make_writes(random, content, is_close);
        Subject subject(content);
        NodeTable nodes;
        for (const TrieWrite& write : writes)
            subject.add_way(write.key, nodes);
        if (nodes.empty()) continue;
        auto lost = nodes.begin();
        std::advance(lost, random.below(nodes.size()));
        const Hash hash = lost->first;
        nodes.erase(lost);

        const auto root = root_after(nodes, subject.tree.root, writes);

        ASSERT_FALSE(root.has_value());
        EXPECT_TRUE(std::ranges::any_of(root.error(),
                                        [&](const TrieGap& gap) { return gap.hash == hash; }));
    }
}

/// A root that somebody made up can name anything.
TEST(PartialTrie, bytes_that_are_no_nodes_are_malformed_and_no_harm_comes_of_them) {
    test::Random random(64);
    Subject subject(make_content(random, false));
    std::size_t malformed = 0;
    for (int round = 0; round < 3'000; ++round) {
        const Content content = make_content(random, random.one_in(2));
        if (content.empty()) continue;
        Subject whole(content);
        const Hash key = content.begin()->first;
        const auto way = whole.forest.prove(whole.tree, key).value();
        // Each node but the last is known by the hash of what it has become.
        Bytes top = way[random.below(way.size())];
        for (int flips = 0; flips < 3; ++flips)
            top[random.below(top.size())] = static_cast<std::uint8_t>(random.below(256));
        NodeTable nodes;
        for (const Bytes& node : way)
            nodes.emplace(keccak256(node), node);
        const Hash root = keccak256(top);
        nodes.emplace(root, top);
        const std::vector<TrieWrite> writes{{key, random.one_in(2) ? Bytes{} : Bytes{1, 2, 3}}};

        const auto found = find_value(nodes, root, key);
        const auto changed = root_after(nodes, root, writes);

        if (!found.has_value() && found.error() == ProofError::node_malformed) ++malformed;
        if (changed.has_value()) continue;
        ASSERT_FALSE(changed.error().empty());
    }
    EXPECT_GT(malformed, 500U);
}

TEST(PartialTrie, nothing_written_is_the_same_root_whatever_is_known) {
    const Hash root = keccak256({});

    EXPECT_EQ(root_after({}, root, {}), root);
    EXPECT_EQ(root_after({}, kEmptyTrieRoot, {}), kEmptyTrieRoot);
    EXPECT_EQ(find_value({}, kEmptyTrieRoot, root), std::nullopt);
}

}  // namespace
}  // namespace heddle::ledger
