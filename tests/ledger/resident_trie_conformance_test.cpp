// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

// The official trie tests with hashed keys on the resident trie, whose keys all have 32 bytes.
// Those with plain keys of mixed lengths are for the plain trie (tests/conformance/trie_test.cpp),
// which is this one's oracle.

#include <algorithm>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include "fixtures.hpp"
#include "trie/trie_builder.hpp"
#include "trie/trie_forest.hpp"

namespace heddle::ledger {
namespace {

namespace json = boost::json;

/// Of a hashed key; an empty value: the key is removed.
using Change = std::pair<Hash, Bytes>;

std::string_view view(const json::value& text) {
    return std::string_view{text.as_string()};
}

/// Hexadecimal with `0x`, the characters themselves without.
Bytes decode(std::string_view text) {
    if (text.starts_with("0x")) return from_hex(text).value();
    return {text.begin(), text.end()};
}

Change make_change(std::string_view key, const json::value& value) {
    return {keccak256(decode(key)), value.is_null() ? Bytes{} : decode(view(value))};
}

/// `in` is a list of pairs, to be applied in this order, or an object, in any.
std::vector<Change> read_changes(const json::value& in) {
    std::vector<Change> changes;
    if (in.is_object()) {
        for (const auto& [key, value] : in.as_object())
            changes.push_back(make_change(key, value));
    } else {
        for (const json::value& pair : in.as_array())
            changes.push_back(make_change(view(pair.at(0)), pair.at(1)));
    }
    return changes;
}

Hash root_one_by_one(const std::vector<Change>& changes) {
    TrieForest forest(nullptr);
    Tree tree;
    for (const auto& [key, value] : changes) {
        const TrieUpdate update{key, value, nullptr};
        const TrieJob job{&tree, {&update, 1}};
        EXPECT_TRUE(forest.update({&job, 1}).has_value());
    }
    return tree.root;
}

/// In one update and with the builder.
void expect_root_at_once(const std::vector<Change>& changes, const Hash& expected) {
    std::map<Hash, Bytes> last;
    for (const auto& [key, value] : changes)
        last[key] = value;
    std::vector<TrieUpdate> updates;
    TrieBuilder builder([](NibblesView, BytesView) {});
    for (const auto& [key, value] : last) {
        updates.push_back({key, value, nullptr});
        if (!value.empty()) EXPECT_TRUE(builder.add(key, value));
    }
    TrieForest forest(nullptr);
    Tree tree;
    const TrieJob job{&tree, updates};
    ASSERT_TRUE(forest.update({&job, 1}).has_value());
    EXPECT_EQ(tree.root, expected);
    EXPECT_EQ(builder.finish(), expected);
}

void check_roots(const std::string& file, std::size_t case_count) {
    const auto folder = test::fixture_archive("ethereum-tests");
    if (!folder) GTEST_SKIP() << test::missing_fixture_message("ethereum-tests");
    std::ifstream stream{*folder / "TrieTests" / file};
    std::stringstream text;
    text << stream.rdbuf();
    const json::object cases = json::parse(text.str()).as_object();
    EXPECT_EQ(cases.size(), case_count);
    for (const auto& [name, body] : cases) {
        SCOPED_TRACE(std::string(name));
        const Hash expected = hash_from_hex(view(body.at("root"))).value();
        std::vector<Change> changes = read_changes(body.at("in"));

        EXPECT_EQ(root_one_by_one(changes), expected);
        expect_root_at_once(changes, expected);
        if (!body.at("in").is_object()) continue;
        std::mt19937_64 shuffle_order(1);
        for (int i = 0; i < 100; ++i) {
            std::ranges::shuffle(changes, shuffle_order);
            EXPECT_EQ(root_one_by_one(changes), expected);
        }
    }
}

TEST(ResidentTrieTests, ordered_changes_of_hashed_keys_give_the_stated_roots) {
    check_roots("trietest_secureTrie.json", 3);
}
TEST(ResidentTrieTests, changes_in_any_order_of_hashed_keys_do) {
    check_roots("trieanyorder_secureTrie.json", 7);
}
TEST(ResidentTrieTests, hexadecimal_changes_of_hashed_keys_do) {
    check_roots("hex_encoded_securetrie_test.json", 3);
}

}  // namespace
}  // namespace heddle::ledger
