// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <map>

#include <gtest/gtest.h>

#include <types/ordered_root.hpp>

#include "random.hpp"
#include "trie/merkle_patricia_trie.hpp"

namespace heddle::ledger {
namespace {

using Content = std::map<Bytes, Bytes>;

Hash plain_root(const Content& content) {
    std::vector<TrieItem> items;
    for (const auto& [key, value] : content)
        items.push_back({key, value});
    return trie_root(items);
}

Bytes text(std::string_view characters) {
    return {characters.begin(), characters.end()};
}

/// Random inserts and erasures over keys from `make_key`, compared with a map at every step.
template <typename MakeKey>
void follow_random_changes(test::Random& random, MakeKey make_key, std::size_t steps) {
    MerklePatriciaTrie trie;
    Content content;
    for (std::size_t step = 0; step < steps; ++step) {
        const Bytes key = make_key();
        // Growing, then shrinking to nothing, so that every way to collapse occurs.
        if (random.below(steps) < step) {
            ASSERT_EQ(trie.erase(key), content.erase(key) == 1);
        } else {
            const Bytes value = random.bytes(1 + random.below(random.one_in(2) ? 4 : 60));
            trie.insert(key, value);
            content[key] = value;
        }
        const auto found = content.find(key);
        ASSERT_TRUE(equal(trie.get(key), found == content.end() ? Bytes{} : found->second));
        if (random.one_in(3)) {
            ASSERT_EQ(trie.root(), plain_root(content)) << "step " << step;
        }
    }
    while (!content.empty()) {
        auto victim = content.begin();
        std::advance(victim, static_cast<std::ptrdiff_t>(random.below(content.size())));
        ASSERT_TRUE(trie.erase(victim->first));
        content.erase(victim);
        ASSERT_EQ(trie.root(), plain_root(content));
    }
    EXPECT_TRUE(trie.empty());
}

TEST(MerklePatriciaTrie, follows_random_changes_of_hashed_keys) {
    test::Random random(1);
    const auto make_key = [&] {
        const Hash hash = keccak256(random.bytes(1));
        return Bytes(hash.bytes.begin(), hash.bytes.end());
    };
    for (int round = 0; round < 5; ++round)
        follow_random_changes(random, make_key, 400);
}

TEST(MerklePatriciaTrie, follows_random_changes_of_keys_that_are_prefixes_of_others) {
    test::Random random(2);
    const auto make_key = [&] {
        // Few different bytes, so that keys share prefixes or end inside others, the empty one too.
        Bytes key(random.below(5));
        for (std::uint8_t& byte : key)
            byte = random.one_in(2) ? 0x11 : random.one_in(2) ? 0x12 : 0x21;
        return key;
    };
    for (int round = 0; round < 20; ++round)
        follow_random_changes(random, make_key, 300);
}

TEST(MerklePatriciaTrie, empty_trie_has_the_empty_root_and_no_keys) {
    MerklePatriciaTrie trie;

    EXPECT_EQ(trie.root(), kEmptyTrieRoot);
    EXPECT_TRUE(trie.get(text("a")).empty());
    EXPECT_FALSE(trie.erase(text("a")));
}

TEST(MerklePatriciaTrie, root_does_not_depend_on_history) {
    MerklePatriciaTrie direct;
    direct.insert(text("do"), text("verb"));
    direct.insert(text("dog"), text("puppy"));

    MerklePatriciaTrie detour;
    detour.insert(text("doge"), text("coin"));
    detour.insert(text("dog"), text("kitten"));
    static_cast<void>(detour.root());
    detour.insert(text("do"), text("verb"));
    detour.insert(text("dog"), text("puppy"));
    static_cast<void>(detour.root());
    detour.erase(text("doge"));

    EXPECT_EQ(detour.root(), direct.root());
}

TEST(MerklePatriciaTrie, erasing_an_absent_key_changes_nothing) {
    MerklePatriciaTrie trie;
    trie.insert(text("dog"), text("puppy"));
    trie.insert(text("doge"), text("coin"));
    const Hash before = trie.root();

    EXPECT_FALSE(trie.erase(text("do")));
    EXPECT_FALSE(trie.erase(text("dogs")));
    EXPECT_FALSE(trie.erase(text("dogecoin")));
    EXPECT_FALSE(trie.erase({}));

    EXPECT_EQ(trie.root(), before);
}

TEST(MerklePatriciaTrieDeathTest, empty_value_is_a_programming_error) {
    MerklePatriciaTrie trie;
    EXPECT_DEATH(trie.insert(text("a"), {}), "");
}

}  // namespace
}  // namespace heddle::ledger
