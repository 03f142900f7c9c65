// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

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

void append(const Bytes& value, Bytes& out) {
    out.insert(out.end(), value.begin(), value.end());
}

/// Their leaves, each for a list of as many as `count_at` says for its index.
template <typename CountAt>
std::vector<OrderedLeaf> hash_ahead(const std::vector<Bytes>& values, CountAt&& count_at) {
    std::vector<OrderedLeaf> leaves(values.size());
    OrderedLeaves maker;
    for (std::uint32_t i = 0; i < values.size(); ++i) {
        append(values[i], maker.start());
        maker.finish({.index = i, .count = count_at(i)}, leaves[i]);
    }
    maker.flush();
    return leaves;
}

/// Corrects leaves, which is as much work as it is said to be. @return how many were wrong.
std::size_t correct(std::vector<OrderedLeaf>& leaves, const std::vector<Bytes>& values) {
    OrderedLeaves maker;
    std::size_t encoded = 0;
    const std::size_t corrected = maker.correct(leaves, [&](std::uint32_t index, Bytes& out) {
        ++encoded;
        append(values[index], out);
    });
    EXPECT_EQ(corrected, encoded);
    return corrected;
}

std::vector<Bytes> some_values(std::size_t count, std::size_t most_bytes, test::Random& random) {
    std::vector<Bytes> values;
    values.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
        values.push_back(random.bytes(1 + random.below(most_bytes)));
    return values;
}

/// All up to 300, and those around sizes at which a branch begins.
std::vector<std::uint32_t> telling_counts() {
    std::vector<std::uint32_t> counts(301);
    std::iota(counts.begin(), counts.end(), 0u);
    for (const std::uint32_t boundary : {512u, 528u, 4'096u, 4'352u})
        for (std::uint32_t count = boundary - 1; count <= boundary + 2; ++count)
            counts.push_back(count);
    return counts;
}

// Leaves of a byte or a few stand in their branch, the others are hashed.
constexpr std::size_t kShort = 20;
constexpr std::size_t kLong = 90;

TEST(OrderedRoot, leaves_hashed_ahead_for_their_number_are_hashed_once) {
    test::Random random(20261201);
    for (const std::uint32_t count : telling_counts())
        for (const std::size_t most_bytes : {std::size_t{1}, kShort, kLong}) {
            const std::vector<Bytes> values = some_values(count, most_bytes, random);
            std::vector<OrderedLeaf> leaves = hash_ahead(values, [&](auto) { return count; });

            ASSERT_EQ(root_of_leaves(leaves), root_by_map(values)) << count;
            ASSERT_EQ(correct(leaves, values), 0u) << count;
        }
}

TEST(OrderedRoot, few_leaves_hashed_for_another_number_are_hashed_again) {
    test::Random random(20261202);
    for (const std::uint32_t count : telling_counts()) {
        const std::vector<Bytes> values =
            some_values(count, random.one_in(2) ? kShort : kLong, random);
        const Hash root = root_by_map(values);
        for (const std::uint32_t assumed :
             {0u, 1u, 2u, 17u, 128u, 129u, 257u, count - 1, count + 1, count / 2 + 1, 2 * count}) {
            std::vector<OrderedLeaf> leaves = hash_ahead(values, [&](auto) { return assumed; });

            const std::size_t corrected = correct(leaves, values);

            ASSERT_LE(corrected, 3u) << count << ", not " << assumed;
            ASSERT_EQ(root_of_leaves(leaves), root) << count << ", not " << assumed;
        }
    }
}

TEST(OrderedRoot, leaves_are_hashed_ahead_where_keys_grow_to_four_bytes) {
    test::Random random(20261204);
    for (const std::uint32_t count : {65'535u, 65'536u, 65'537u, 65'538u, 65'553u}) {
        const std::vector<Bytes> values = some_values(count, kShort, random);
        const Hash root = root_by_map(values);
        std::vector<OrderedLeaf> known = hash_ahead(values, [&](auto) { return count; });
        std::vector<OrderedLeaf> unknown = hash_ahead(values, [](auto) { return 65'537u; });

        static_cast<void>(correct(unknown, values));

        EXPECT_EQ(root_of_leaves(known), root) << count;
        EXPECT_EQ(root_of_leaves(unknown), root) << count;
        EXPECT_EQ(correct(known, values), 0u) << count;
    }
}

TEST(OrderedRoot, leaves_may_be_hashed_for_a_number_that_changes) {
    test::Random random(20261203);
    for (int round = 0; round < 200; ++round) {
        const std::vector<Bytes> values = some_values(random.below(300), kLong, random);
        std::vector<OrderedLeaf> leaves =
            hash_ahead(values, [&](auto) { return static_cast<std::uint32_t>(random.below(300)); });

        static_cast<void>(correct(leaves, values));

        ASSERT_EQ(root_of_leaves(leaves), root_by_map(values)) << values.size();
    }
}

TEST(OrderedRoot, leaves_hashed_ahead_give_the_root_of_their_values) {
    test::Random random(20260102);
    OrderedLeaves maker;
    for (int round = 0; round < 60; ++round) {
        std::vector<Bytes> values;
        for (std::size_t i = random.below(300); i > 0; --i)
            values.push_back(random.bytes(1 + random.below(random.one_in(2) ? 40 : 700)));
        // More than is kept waiting, and all that stands for itself.
        if (!values.empty() && random.one_in(3)) values.back() = random.bytes(300'000);
        if (!values.empty() && random.one_in(3)) values.front() = {0x7f};

        std::vector<OrderedLeaf> leaves(values.size());
        const auto count = static_cast<std::uint32_t>(values.size());
        for (std::uint32_t i = 0; i < count; ++i) {
            append(values[i], maker.start());
            maker.finish({.index = i, .count = count}, leaves[i]);
            if (random.one_in(50)) maker.flush();
        }
        maker.flush();

        ASSERT_EQ(root_of_leaves(leaves), root_by_map(values)) << values.size();
    }
}

/// A receipt with hundreds of megabytes of logs left buffers of that size with each thread that had
/// hashed one, for as long as it lived.
TEST(OrderedRoot, what_a_large_leaf_took_is_given_back) {
    constexpr std::size_t kLarge = std::size_t{8} << 20;
    constexpr std::size_t kKept = std::size_t{512} << 10;
    OrderedLeaves maker;
    std::array<OrderedLeaf, 3> leaves;
    for (OrderedLeaf& leaf : leaves) {
        maker.start().assign(kLarge, 7);
        maker.finish({.index = 1, .count = 3}, leaf);
        EXPECT_LE(maker.start().capacity(), kKept);
    }
    EXPECT_EQ(leaves[0].reference.bytes, leaves[2].reference.bytes) << "hashed at once";
}

TEST(OrderedRoot, single_short_value_is_hashed_though_it_could_be_inlined) {
    // Leaf [0x2080 hex-prefix of 0x80, 0x01]: RLP c4 82 20 80 01.
    const std::vector<Bytes> values{{0x01}};
    const Hash expected = keccak256(Bytes{0xc4, 0x82, 0x20, 0x80, 0x01});
    EXPECT_EQ(ordered_root(values), expected);
    EXPECT_EQ(root_of_leaves(hash_ahead(values, [](auto) { return 1u; })), expected);
}

TEST(OrderedRootDeathTest, leaves_that_were_not_corrected_are_a_programming_error) {
    const std::vector<Bytes> values(17, Bytes{0x61});
    EXPECT_DEATH(static_cast<void>(root_of_leaves(hash_ahead(values, [](auto) { return 18u; }))),
                 "");
    EXPECT_DEATH(static_cast<void>(root_of_leaves(hash_ahead(values, [](auto) { return 0u; }))),
                 "");
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
