// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

// The official trie tests, every file, and the state roots and hashes of public genesis blocks.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <ledger/memory_ledger.hpp>
#include <types/ordered_root.hpp>

#include "fixtures.hpp"
#include "trie/merkle_patricia_trie.hpp"

namespace heddle::ledger {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

/// A change of a key; no value: the key is removed.
using Change = std::pair<Bytes, std::optional<Bytes>>;

json::object load(const fs::path& path) {
    std::ifstream file{path};
    std::stringstream text;
    text << file.rdbuf();
    return json::parse(text.str()).as_object();
}

std::string_view view(const json::value& text) {
    return std::string_view{text.as_string()};
}

/// Hexadecimal with `0x`, the characters themselves without.
Bytes decode(std::string_view text) {
    if (text.starts_with("0x")) return from_hex(text).value();
    return {text.begin(), text.end()};
}

Change make_change(std::string_view key, const json::value& value, bool is_secure) {
    Change change{decode(key), std::nullopt};
    if (is_secure) {
        const Hash hash = keccak256(change.first);
        change.first.assign(hash.bytes.begin(), hash.bytes.end());
    }
    if (!value.is_null()) change.second = decode(view(value));
    return change;
}

/// `in` is a list of pairs, to be applied in this order, or an object, in any.
std::vector<Change> read_changes(const json::value& in, bool is_secure) {
    std::vector<Change> changes;
    if (in.is_object()) {
        for (const auto& [key, value] : in.as_object())
            changes.push_back(make_change(key, value, is_secure));
        return changes;
    }
    for (const json::value& pair : in.as_array())
        changes.push_back(make_change(view(pair.at(0)), pair.at(1), is_secure));
    return changes;
}

/// Root after every step, too, so that nothing cached survives by mistake.
Hash root_after(const std::vector<Change>& changes, bool ask_at_every_step) {
    MerklePatriciaTrie trie;
    for (const auto& [key, value] : changes) {
        if (value.has_value())
            trie.insert(key, *value);
        else
            trie.erase(key);
        if (ask_at_every_step) static_cast<void>(trie.root());
    }
    return trie.root();
}

Hash plain_root(const std::vector<Change>& changes) {
    std::map<Bytes, Bytes> content;
    for (const auto& [key, value] : changes) {
        content.erase(key);
        if (value.has_value()) content.emplace(key, *value);
    }
    std::vector<TrieItem> items;
    items.reserve(content.size());
    for (const auto& [key, value] : content)
        items.push_back({key, value});
    return trie_root(items);
}

void check_roots(const std::string& file, bool is_secure, std::size_t case_count) {
    const auto folder = test::fixture_archive("ethereum-tests");
    if (!folder) GTEST_SKIP() << test::missing_fixture_message("ethereum-tests");
    const json::object cases = load(*folder / "TrieTests" / file);
    EXPECT_EQ(cases.size(), case_count);
    for (const auto& [name, body] : cases) {
        SCOPED_TRACE(std::string(name));
        const Hash expected = hash_from_hex(view(body.at("root"))).value();
        std::vector<Change> changes = read_changes(body.at("in"), is_secure);

        EXPECT_EQ(root_after(changes, false), expected);
        EXPECT_EQ(root_after(changes, true), expected);
        EXPECT_EQ(plain_root(changes), expected);
        if (!body.at("in").is_object()) continue;
        std::mt19937_64 shuffle_order(1);
        for (int i = 0; i < 100; ++i) {
            std::ranges::shuffle(changes, shuffle_order);
            EXPECT_EQ(root_after(changes, true), expected);
        }
    }
}

TEST(TrieTests, ordered_changes_give_the_stated_roots) {
    check_roots("trietest.json", false, 5);
}
TEST(TrieTests, ordered_changes_of_hashed_keys_do) {
    check_roots("trietest_secureTrie.json", true, 3);
}
TEST(TrieTests, changes_in_any_order_do) {
    check_roots("trieanyorder.json", false, 7);
}
TEST(TrieTests, changes_in_any_order_of_hashed_keys_do) {
    check_roots("trieanyorder_secureTrie.json", true, 7);
}
TEST(TrieTests, hexadecimal_changes_of_hashed_keys_do) {
    check_roots("hex_encoded_securetrie_test.json", true, 3);
}

Uint256 number(const json::object& object, std::string_view field) {
    return uint256_from_string(view(object.at(field))).value();
}

/// As much of geth's genesis format as the two chains below use.
Genesis read_genesis(const json::object& file) {
    Genesis genesis;
    BlockHeader& header = genesis.header;
    const std::uint64_t nonce = number(file, "nonce").low64();
    for (std::size_t i = 0; i < 8; ++i)
        header.nonce[7 - i] = static_cast<std::uint8_t>(nonce >> (8 * i));
    header.timestamp = number(file, "timestamp").low64();
    header.extra_data = decode(view(file.at("extraData")));
    header.gas_limit = number(file, "gasLimit").low64();
    header.difficulty = number(file, "difficulty");
    header.prev_randao = hash_from_hex(view(file.at("mixHash"))).value();
    header.beneficiary = address_from_hex(view(file.at("coinbase"))).value();
    for (const auto& [address, account] : file.at("alloc").as_object()) {
        GenesisAccount& entry = genesis.alloc.emplace_back();
        entry.address = address_from_hex(std::string_view(address)).value();
        entry.balance = number(account.as_object(), "balance");
    }
    return genesis;
}

void check_genesis(const std::string& file, std::string_view state_root, std::string_view hash) {
    const auto folder = test::fixture_archive("era");
    if (!folder) GTEST_SKIP() << test::missing_fixture_message("era");
    Genesis genesis = read_genesis(load(*folder / "era" / file));
    if (file == "sepolia.json") genesis.header.base_fee_per_gas = 1'000'000'000;  // EIP-1559
    MemoryLedger ledger;

    const CommittedBlock& block = ledger.initialize(genesis);

    EXPECT_EQ(to_string(block.header.state_root), state_root);
    EXPECT_EQ(to_string(compute_state_root(ledger.state())), state_root);
    EXPECT_EQ(to_string(block.hash), hash);
}

TEST(GenesisRoot, of_mainnet_is_go_ethereums) {
    // From go-ethereum.
    check_genesis("mainnet.json",
                  "0xd7f8974fb5ac78d9ac099b9ad5018bedc2ce0a72dad1827a1709da30580f0544",
                  "0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3");
}

TEST(GenesisRoot, of_sepolia_is_go_ethereums) {
    // From go-ethereum.
    check_genesis("sepolia.json",
                  "0x5eb6e371a698b8d68f665192350ffcecbbbf322916f4b51bd79bb6887da3f494",
                  "0x25a5cc106eea7138acab33231d7160d69cb777ee0c2c553fcddf5138993e6dd9");
}

}  // namespace
}  // namespace heddle::ledger
