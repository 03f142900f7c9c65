// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

// Fast tries against the plain one, on random keys and on keys that share so many nibbles that
// nodes are embedded and extensions are long; in memory, and with everything coming and going
// between memory and a store; by one thread, and by several that share the smallest updates.

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "random.hpp"
#include "trie/merkle_patricia_trie.hpp"
#include "trie/stored_branch.hpp"
#include "trie/trie_forest.hpp"
#include "trie_test_store.hpp"

namespace heddle::ledger {
namespace {

using Content = std::map<Hash, Bytes>;

/// A trie, its oracle and, if any, its store.
struct Subject {
    Tree tree;
    MerklePatriciaTrie oracle;
    Content content;
};

/// Uniform, or one of few that differ in a few nibbles anywhere.
Hash make_key(test::Random& random, bool is_close) {
    Hash key;
    if (!is_close) {
        key = keccak256(random.bytes(random.one_in(2) ? 1 : 2));
        return key;
    }
    for (int i = 0; i < 4; ++i)
        if (random.one_in(2))
            key.bytes[random.one_in(3) ? random.below(32) : 28 + random.below(4)] =
                static_cast<std::uint8_t>(random.one_in(2) ? 0x01 : 0x10);
    return key;
}

Bytes make_value(test::Random& random) {
    return random.bytes(1 + random.below(random.one_in(3) ? 2 : random.one_in(2) ? 34 : 120));
}

/// Some sorted changes, applied to oracle and content already.
std::vector<std::pair<Hash, Bytes>> make_changes(test::Random& random, Subject& subject,
                                                 bool is_close, bool shrinks) {
    std::map<Hash, Bytes> changes;
    for (std::size_t i = 1 + random.below(random.one_in(4) ? 60 : 4); i > 0; --i) {
        Hash key = make_key(random, is_close);
        if (shrinks && !subject.content.empty() && !random.one_in(4)) {
            auto victim = subject.content.lower_bound(key);
            if (victim == subject.content.end()) victim = subject.content.begin();
            key = victim->first;
        }
        changes[key] =
            random.one_in(shrinks ? 8 : 1) && !random.one_in(5) ? make_value(random) : Bytes{};
    }
    for (const auto& [key, value] : changes) {
        if (value.empty()) {
            subject.oracle.erase(key.view());
            subject.content.erase(key);
        } else {
            subject.oracle.insert(key.view(), value);
            subject.content[key] = value;
        }
    }
    return {changes.begin(), changes.end()};
}

void expect_content(TrieForest& forest, Subject& subject, const Hash& absent) {
    for (const auto& [key, value] : subject.content) {
        const auto found = forest.get(subject.tree, key);
        ASSERT_TRUE(found.has_value()) << to_string(found.error());
        ASSERT_EQ(*found, value);
    }
    if (subject.content.contains(absent)) return;
    const auto found = forest.get(subject.tree, absent);
    ASSERT_TRUE(found.has_value()) << to_string(found.error());
    ASSERT_EQ(*found, std::nullopt);
}

/// What the store must hold: the nodes of a fresh trie with this content, no more and no less.
std::map<test::MapTrieStore::Node, Bytes> stored_nodes(const std::vector<Subject>& subjects,
                                                       TrieOptions options) {
    test::MapTrieStore store;
    TrieForest forest(nullptr, options);
    for (const Subject& subject : subjects) {
        Tree tree;
        tree.owner = subject.tree.owner;
        std::vector<TrieUpdate> updates;
        for (const auto& [key, value] : subject.content)
            updates.push_back({key, value, nullptr});
        const TrieJob job{&tree, updates};
        EXPECT_TRUE(forest.update({&job, 1}).has_value());
        EXPECT_EQ(tree.root, subject.tree.root);
        forest.collect(tree, store, UINT32_MAX);
    }
    return store.nodes;
}

/// @param is_all  Nothing may be behind.
void expect_stored(const test::MapTrieStore& store, const std::vector<Subject>& subjects,
                   TrieOptions options, bool is_all) {
    const auto wanted = stored_nodes(subjects, options);
    if (is_all) {
        ASSERT_EQ(store.nodes, wanted);
        return;
    }
    for (const auto& [place, node] : wanted) {
        const auto found = store.nodes.find(place);
        if (decode_stored_branch(node).value().leaf_count() >= options.stored_leaf_counts.always) {
            ASSERT_NE(found, store.nodes.end());
            ASSERT_EQ(found->second, node);
        }
    }
    for (const auto& [place, node] : store.nodes)
        ASSERT_TRUE(wanted.contains(place)) << "nothing is kept of branches that are gone";
}

struct Case {
    bool is_close;
    std::uint32_t stored_leaf_count;  // 0: without a store
    unsigned threads = 1;
    std::uint32_t always_leaf_count = 0;  // 0: the same
};

class TrieForestTest : public testing::TestWithParam<Case> {};

TEST_P(TrieForestTest, follows_random_changes_of_several_tries) {
    const auto [is_close, stored_leaf_count, threads, always_leaf_count] = GetParam();
    WorkerCrew crew(threads);
    test::Random random(21);
    for (int round = 0; round < 8; ++round) {
        test::MapTrieStore store;
        const bool has_store = stored_leaf_count != 0;
        const std::uint32_t least = has_store ? stored_leaf_count : 32;
        const TrieOptions options{.stored_leaf_counts = {least, std::max(least, always_leaf_count)},
                                  .least_shared = 1,
                                  .least_bundle = 1};
        TrieForest forest(has_store ? &store : nullptr, options);
        std::vector<Subject> subjects(3);
        for (std::size_t i = 0; i < subjects.size(); ++i)
            subjects[i].tree.owner.bytes[0] = static_cast<std::uint8_t>(i);
        for (std::uint32_t step = 0; step < 150; ++step) {
            forest.set_generation(step);
            const bool shrinks = step / 50 % 2 == 1;
            std::vector<std::vector<std::pair<Hash, Bytes>>> changes(subjects.size());
            std::vector<std::vector<TrieUpdate>> updates(subjects.size());
            std::vector<TrieJob> jobs;
            for (std::size_t i = 0; i < subjects.size(); ++i) {
                if (random.one_in(4)) continue;
                changes[i] = make_changes(random, subjects[i], is_close, shrinks);
                for (const auto& [key, value] : changes[i])
                    updates[i].push_back({key, value, nullptr});
                jobs.push_back({&subjects[i].tree, updates[i]});
            }
            const auto updated = forest.update(jobs, threads > 1 ? &crew : nullptr);
            ASSERT_TRUE(updated.has_value()) << to_string(updated.error());
            for (Subject& subject : subjects)
                ASSERT_EQ(subject.tree.root, subject.oracle.root()) << "step " << step;

            if (random.one_in(10)) expect_content(forest, subjects[0], make_key(random, is_close));
            if (!has_store || !random.one_in(3)) continue;
            for (const Subject& subject : subjects)
                store.leaves_of[subject.tree.owner] = subject.content;
            forest.collect_stale(store);
            const std::uint32_t catch_up_before =
                random.one_in(3)   ? UINT32_MAX
                : random.one_in(2) ? step - static_cast<std::uint32_t>(random.below(4))
                                   : 0;
            for (Subject& subject : subjects)
                forest.collect(subject.tree, store, catch_up_before);
            expect_stored(store, subjects, options, catch_up_before == UINT32_MAX);
            const std::uint32_t keep_from = step + 1 - static_cast<std::uint32_t>(random.below(8));
            for (Subject& subject : subjects)
                forest.evict(subject.tree, keep_from);
        }
        for (Subject& subject : subjects)
            forest.drop(subject.tree);
        EXPECT_EQ(forest.live_bytes(), 0U);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, TrieForestTest,
    testing::Values(Case{false, 0}, Case{true, 0}, Case{false, 2}, Case{true, 2}, Case{false, 5},
                    Case{true, 5}, Case{false, 32}, Case{true, 32}, Case{false, 0, 2},
                    Case{true, 0, 3}, Case{false, 2, 8}, Case{true, 2, 2}, Case{false, 5, 3},
                    Case{true, 5, 8}, Case{true, 32, 2}, Case{false, 2, 1, 8}, Case{true, 2, 3, 8},
                    Case{false, 5, 2, 40}, Case{true, 5, 1, 1'000}),
    [](const auto& info) {
        return std::string(info.param.is_close ? "close_" : "uniform_") +
               std::to_string(info.param.stored_leaf_count) + "_by_" +
               std::to_string(info.param.threads) +
               (info.param.always_leaf_count == 0
                    ? ""
                    : "_always_" + std::to_string(info.param.always_leaf_count));
    });

TEST(TrieForest, leaves_without_storage_and_code_are_kept_short_and_read_whole) {
    TrieForest forest(nullptr);
    Tree tree;
    const Bytes plain =
        test::MapTrieStore::encode_account({.nonce = 1, .balance = 0}, kEmptyTrieRoot);
    const Bytes other =
        test::MapTrieStore::encode_account({.nonce = 1, .balance = 0}, keccak256({}));
    for (const Bytes& value : {plain, other, plain}) {
        const TrieUpdate update{keccak256({}), value, nullptr};
        const TrieJob job{&tree, {&update, 1}};
        ASSERT_TRUE(forest.update({&job, 1}).has_value());
        EXPECT_EQ(forest.get(tree, keccak256({})).value(), value);
    }
    EXPECT_LT(forest.live_bytes(), 64U);
}

TEST(TrieForest, thread_that_a_store_has_failed_goes_on_with_other_tries) {
    const TrieOptions options{.stored_leaf_counts = {2, 2}, .least_shared = 1, .least_bundle = 1};
    const Bytes value = {1};
    std::vector<TrieUpdate> leaves(64);
    test::MapTrieStore store;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
        leaves[i] = {{}, value, nullptr};
        leaves[i].key.bytes[0] = static_cast<std::uint8_t>(i * 4);
        store.leaves_of[kAccountTrie][leaves[i].key] = value;
    }
    Tree stored;
    {
        TrieForest forest(nullptr, options);
        const TrieJob job{&stored, leaves};
        ASSERT_TRUE(forest.update({&job, 1}).has_value());
        forest.collect(stored, store, UINT32_MAX);
    }
    TrieForest forest(&store, options);
    Tree on_disk = Tree::stub(kAccountTrie, stored.root);
    ASSERT_TRUE(forest.get(on_disk, leaves.front().key).has_value());
    Tree in_memory = Tree::stub(keccak256(value), kEmptyTrieRoot);
    const TrieJob filling{&in_memory, leaves};
    ASSERT_TRUE(forest.update({&filling, 1}).has_value());
    store.fails = true;

    // Each is a part of its own. The first one's key lies below what is in the store only.
    const TrieUpdate below_a_stub{leaves[40].key, {}, nullptr};
    const TrieUpdate in_reach{leaves[20].key, {}, nullptr};
    const TrieJob jobs[] = {{&on_disk, {&below_a_stub, 1}}, {&in_memory, {&in_reach, 1}}};
    WorkerCrew one_thread(1);
    const auto updated = forest.update(jobs, &one_thread);

    ASSERT_FALSE(updated.has_value());
    EXPECT_EQ(updated.error().owner, kAccountTrie);
    MerklePatriciaTrie oracle;
    for (std::size_t i = 0; i < leaves.size(); ++i)
        if (i != 20) oracle.insert(leaves[i].key.view(), value);
    EXPECT_EQ(in_memory.root, oracle.root());
}

}  // namespace
}  // namespace heddle::ledger
