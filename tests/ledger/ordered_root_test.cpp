// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <map>

#include <gtest/gtest.h>

#include <types/ordered_root.hpp>
#include <types/rlp.hpp>

#include "random.hpp"

namespace heddle {
namespace {

/// By the definition: a map from RLP(i), sorted by the map.
Hash root_by_map(const std::vector<Bytes>& values) {
    std::map<Bytes, const Bytes*> sorted;
    for (std::size_t i = 0; i < values.size(); ++i) {
        Bytes key;
        rlp::encode_uint64(i, key);
        sorted.emplace(key, &values[i]);
    }
    std::vector<TrieItem> items;
    items.reserve(sorted.size());
    for (const auto& [key, value] : sorted)
        items.push_back({key, *value});
    return trie_root(items);
}

TEST(OrderedRoot, nothing_has_the_empty_root) {
    EXPECT_EQ(ordered_root({}), kEmptyTrieRoot);
    EXPECT_EQ(trie_root({}), kEmptyTrieRoot);
}

TEST(OrderedRoot, index_keys_are_taken_in_key_order) {
    test::Random random(20260101);
    // Around every size at which the encoding of an index grows.
    for (const std::size_t count : std::initializer_list<std::size_t>{
             1, 2, 3, 16, 17, 127, 128, 129, 130, 255, 256, 257, 300, 65537}) {
        std::vector<Bytes> values;
        values.reserve(count);
        for (std::size_t i = 0; i < count; ++i)
            values.push_back(random.bytes(1 + random.below(80)));

        EXPECT_EQ(ordered_root(values), root_by_map(values)) << count;
    }
}

TEST(OrderedRoot, leaves_hashed_ahead_give_the_root_of_their_values) {
    test::Random random(20260102);
    OrderedLeaves leaves;
    for (int round = 0; round < 60; ++round) {
        std::vector<Bytes> values;
        for (std::size_t i = random.below(300); i > 0; --i)
            values.push_back(random.bytes(1 + random.below(random.one_in(2) ? 40 : 700)));
        // More than is kept waiting, and all that stands for itself.
        if (!values.empty() && random.one_in(3)) values.back() = random.bytes(300'000);
        if (!values.empty() && random.one_in(3)) values.front() = {0x7f};

        std::vector<NodeReference> references(values.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
            Bytes& value = leaves.start();
            value.insert(value.end(), values[i].begin(), values[i].end());
            leaves.finish(references[i]);
            if (random.one_in(50)) leaves.flush();
        }
        leaves.flush();

        const auto encode = [&](std::uint32_t index, Bytes& out) {
            out.insert(out.end(), values[index].begin(), values[index].end());
        };
        ASSERT_EQ(ordered_root(references, encode), root_by_map(values)) << values.size();
    }
}

/// A receipt with hundreds of megabytes of logs left buffers of that size with each thread that had
/// hashed one, for as long as it lived.
TEST(OrderedRoot, what_a_large_leaf_took_is_given_back) {
    constexpr std::size_t kLarge = std::size_t{8} << 20;
    constexpr std::size_t kKept = std::size_t{512} << 10;
    OrderedLeaves leaves;
    std::array<NodeReference, 3> references;
    for (NodeReference& reference : references) {
        leaves.start().assign(kLarge, 7);
        leaves.finish(reference);
        EXPECT_LE(leaves.start().capacity(), kKept);
    }
    EXPECT_EQ(references[0].bytes, references[2].bytes) << "hashed at once";
}

TEST(OrderedRoot, single_short_value_is_hashed_though_it_could_be_inlined) {
    // Leaf [0x2080 hex-prefix of 0x80, 0x01]: RLP c4 82 20 80 01.
    EXPECT_EQ(ordered_root(std::vector<Bytes>{{0x01}}),
              keccak256(Bytes{0xc4, 0x82, 0x20, 0x80, 0x01}));
}

TEST(OrderedRootDeathTest, unsorted_items_are_a_programming_error) {
    const Bytes a{0x61};
    const Bytes b{0x62};
    const TrieItem descending[] = {{b, b}, {a, a}};
    const TrieItem repeated[] = {{a, a}, {a, b}};
    const TrieItem without_value[] = {{a, {}}};
    EXPECT_DEATH(static_cast<void>(trie_root(descending)), "");
    EXPECT_DEATH(static_cast<void>(trie_root(repeated)), "");
    EXPECT_DEATH(static_cast<void>(trie_root(without_value)), "");
}

}  // namespace
}  // namespace heddle
