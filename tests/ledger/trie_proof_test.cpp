// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "random.hpp"
#include "trie/trie_forest.hpp"
#include "trie/trie_proof.hpp"
#include "trie_test_store.hpp"

namespace heddle::ledger {
namespace {

struct Subject {
    test::MapTrieStore store;
    TrieForest forest{&store, {.stored_leaf_counts = {4, 4}}};
    Tree tree;

    void put(const std::map<Hash, Bytes>& content) {
        std::vector<TrieUpdate> updates;
        updates.reserve(content.size());
        for (const auto& [key, value] : content)
            updates.push_back({key, value, nullptr});
        const TrieJob job{&tree, updates};
        ASSERT_TRUE(forest.update({&job, 1}).has_value());
        store.leaves_of[kAccountTrie] = content;
        forest.collect(tree, store);
    }
};

Hash make_key(test::Random& random, bool is_close) {
    if (!is_close) return keccak256(random.bytes(2));
    Hash key;
    for (int i = 0; i < 3; ++i)
        key.bytes[random.one_in(4) ? random.below(32) : 29 + random.below(3)] =
            static_cast<std::uint8_t>(random.one_in(2) ? 0x01 : 0x10);
    return key;
}

TEST(TrieProof, proves_presence_and_absence_with_everything_loaded_on_the_way) {
    test::Random random(51);
    for (int round = 0; round < 60; ++round) {
        const bool is_close = random.one_in(2);
        std::map<Hash, Bytes> content;
        for (std::size_t i = random.below(random.one_in(4) ? 300 : 8); i > 0; --i)
            content[make_key(random, is_close)] = random.bytes(1 + random.below(36));
        Subject subject;
        subject.put(content);
        for (int i = 0; i < 40; ++i) {
            subject.forest.evict(subject.tree, random.one_in(3) ? 1 : 0);
            Hash key = make_key(random, is_close);
            if (!content.empty() && random.one_in(2)) {
                auto some = content.lower_bound(key);
                if (some != content.end()) key = some->first;
            }
            const auto proof = subject.forest.prove(subject.tree, key);
            ASSERT_TRUE(proof.has_value()) << to_string(proof.error());
            const auto proved = verify_proof(subject.tree.root, key, *proof);
            ASSERT_TRUE(proved.has_value()) << to_string(proved.error());
            const auto found = content.find(key);
            if (found == content.end())
                EXPECT_EQ(*proved, std::nullopt);
            else
                EXPECT_EQ(*proved, found->second);
        }
    }
}

TEST(TrieProof, any_change_to_a_proof_is_found) {
    test::Random random(52);
    std::map<Hash, Bytes> content;
    for (int i = 0; i < 500; ++i)
        content[keccak256(random.bytes(4))] = random.bytes(40);
    Subject subject;
    subject.put(content);
    const Hash key = content.begin()->first;
    const std::vector<Bytes> proof = subject.forest.prove(subject.tree, key).value();
    ASSERT_GE(proof.size(), 3U);

    for (std::size_t i = 0; i < proof.size(); ++i) {
        std::vector<Bytes> flipped = proof;
        flipped[i][random.below(flipped[i].size())] ^= 0x40;
        EXPECT_EQ(verify_proof(subject.tree.root, key, flipped).error(), ProofError::hash_mismatch);
        std::vector<Bytes> shortened(proof.begin(), proof.begin() + static_cast<long>(i));
        EXPECT_EQ(verify_proof(subject.tree.root, key, shortened).error(),
                  ProofError::node_missing);
    }
    std::vector<Bytes> longer = proof;
    longer.push_back(proof.back());
    EXPECT_EQ(verify_proof(subject.tree.root, key, longer).error(), ProofError::superfluous_node);
    EXPECT_EQ(verify_proof(kEmptyTrieRoot, key, {}).value(), std::nullopt);
}

TEST(TrieProof, nodes_that_are_no_nodes_are_refused_even_with_the_right_hash) {
    test::Random random(53);
    const auto error_of = [](const Bytes& node) {
        const auto result = verify_proof(keccak256(node), Hash{}, std::vector<Bytes>{node});
        return result.has_value() ? std::string("accepted")
                                  : std::string(to_string(result.error()));
    };
    for (const char* const text : {"", "80", "c0", "c20101", "c3010101", "c22080", "c24001",
                                   "c20101", "d1808080808080808080808080808080800001", "c2c020"})
        EXPECT_NE(error_of(from_hex(text).value()), "accepted") << text;
    for (int i = 0; i < 20'000; ++i) {
        Bytes node = random.bytes(1 + random.below(40));
        node[0] = static_cast<std::uint8_t>(0xc0 + node.size() - 1);
        static_cast<void>(error_of(node));  // whatever it says, it comes back
    }
}

}  // namespace
}  // namespace heddle::ledger
