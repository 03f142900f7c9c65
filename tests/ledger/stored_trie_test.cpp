// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

// What the store holds: its encoding, and that no damage to it goes unnoticed.

#include <gtest/gtest.h>

#include "random.hpp"
#include "trie/resident_state_trie.hpp"
#include "trie/stored_branch.hpp"
#include "trie_test_store.hpp"

namespace heddle::ledger {
namespace {

StoredBranch random_branch(test::Random& random) {
    StoredBranch branch;
    for (std::size_t i = random.one_in(2) ? 0 : random.below(64); i > 0; --i)
        branch.prefix.push_back(static_cast<std::uint8_t>(random.below(16)));
    while (branch.child_count() < 2)
        branch.children = static_cast<std::uint16_t>(random.below(0x10000));
    if (random.one_in(2))
        branch.embedded = static_cast<std::uint16_t>(random.below(0x10000) & branch.children);
    std::size_t position = 0;
    for (std::uint32_t bits = branch.children; bits != 0; bits &= bits - 1, ++position) {
        branch.leaf_counts[position] =
            static_cast<std::uint32_t>(1 + (random.below(UINT32_MAX) >> random.below(32)));
        Bytes reference = random.bytes(32);
        if ((branch.embedded & bits & -bits) != 0) {
            const std::size_t size = 2 + random.below(30);
            reference[0] = static_cast<std::uint8_t>(0xc0 + size - 1);
            std::fill(reference.begin() + static_cast<long>(size), reference.end(), 0);
        }
        std::ranges::copy(reference, branch.references.data() + 32 * position);
    }
    return branch;
}

TEST(StoredBranch, decodes_what_was_encoded) {
    test::Random random(61);
    for (int i = 0; i < 2'000; ++i) {
        const StoredBranch branch = random_branch(random);
        Bytes bytes;
        encode_stored_branch(branch, bytes);
        EXPECT_LE(bytes.size(), 633U);
        const auto decoded = decode_stored_branch(bytes);
        ASSERT_TRUE(decoded.has_value());
        EXPECT_EQ(decoded->prefix.nibbles, branch.prefix.nibbles);
        EXPECT_EQ(decoded->prefix.size, branch.prefix.size);
        EXPECT_EQ(decoded->children, branch.children);
        EXPECT_EQ(decoded->embedded, branch.embedded);
        EXPECT_EQ(decoded->leaf_counts, branch.leaf_counts);
        EXPECT_EQ(decoded->references, branch.references);
    }
}

TEST(StoredBranch, bytes_are_those_of_the_format) {
    StoredBranch branch;
    branch.prefix = NibblePath(Nibbles{0xa, 0xb, 0xc});
    branch.children = 0x8001;
    branch.embedded = 0x0001;
    branch.leaf_counts = {1, 300};
    branch.references[0] = 0xc2;
    branch.references[1] = 0x20;
    branch.references[2] = 0x07;
    std::fill_n(branch.references.begin() + 32, 32, std::uint8_t{0x55});
    Bytes bytes;

    encode_stored_branch(branch, bytes);

    const std::string body = "03abc00180010001ac02c22007" + std::string(64, '5');
    EXPECT_EQ(to_hex(BytesView(bytes).subspan(4)), "0x" + body);
    const Hash checksum = keccak256(from_hex(body).value());
    EXPECT_TRUE(equal(BytesView(bytes).first(4), checksum.view().first(4)));
}

/// `body` with a checksum that is right.
Bytes with_checksum(Bytes body) {
    const Hash checksum = keccak256(body);
    body.insert(body.begin(), checksum.bytes.begin(), checksum.bytes.begin() + 4);
    return body;
}

TEST(StoredBranch, refuses_bytes_that_nobody_encoded_even_with_a_right_checksum) {
    test::Random random(62);
    for (int i = 0; i < 3'000; ++i) {
        Bytes bytes;
        encode_stored_branch(random_branch(random), bytes);
        Bytes body(bytes.begin() + 4, bytes.end());
        if (random.one_in(3)) body.resize(random.below(body.size()));
        if (random.one_in(3)) body.push_back(static_cast<std::uint8_t>(random.below(256)));
        if (!body.empty() && random.one_in(2))
            body[random.below(std::min<std::size_t>(body.size(), 60))] ^=
                static_cast<std::uint8_t>(1 + random.below(255));
        const Bytes changed = with_checksum(body);
        const auto decoded = decode_stored_branch(changed);
        if (!decoded.has_value()) continue;
        Bytes again;
        encode_stored_branch(*decoded, again);
        ASSERT_EQ(again, changed);
    }
    EXPECT_FALSE(decode_stored_branch({}).has_value());
    EXPECT_FALSE(decode_stored_branch(with_checksum({})).has_value());
}

/// A state with large and small tries, in a store and nowhere else.
struct StoredState {
    test::MapTrieStore store;
    StateTrieOptions options{1, {.stored_leaf_counts = {4, 4}}};
    Hash root;

    explicit StoredState(test::Random& random) {
        ResidentStateTrie trie(store, kEmptyTrieRoot, options);
        for (int block = 0; block < 3; ++block) {
            const StateDiff diff = random.diff(40, 12);
            root = trie.apply(diff).value();
            store.apply(diff, trie.storage_roots());
        }
        trie.collect_changes(store);
    }

    /// Touches everything, and undoes it: every node is read.
    std::expected<void, TrieError> touch_all() const {
        ResidentStateTrie trie(store, root, options);
        StateDiff diff;
        for (std::uint64_t i = 1; i <= 40; ++i) {
            AccountChange& change = diff.accounts.emplace_back();
            change.address = address_from_low64(i);
            change.account = Account{.nonce = 77, .balance = 0};
            for (std::uint64_t slot = 0; slot < 12; ++slot)
                change.storage.push_back({slot, 0x7777});
        }
        const auto applied = trie.apply(diff);
        if (!applied.has_value()) return std::unexpected(applied.error());
        return {};
    }
};

TEST(StoredTrie, damaged_node_is_an_error_that_names_it) {
    test::Random random(63);
    const StoredState intact(random);
    ASSERT_TRUE(intact.touch_all().has_value());
    for (const auto& [place, node] : intact.store.nodes) {
        for (int i = 0; i < 12; ++i) {
            StoredState damaged = intact;
            Bytes& bytes = damaged.store.nodes[place];
            if (i < 10)
                bytes[random.below(bytes.size())] ^=
                    static_cast<std::uint8_t>(1 + random.below(255));
            else
                bytes.resize(random.below(bytes.size()));
            const auto touched = damaged.touch_all();
            ASSERT_FALSE(touched.has_value());
            EXPECT_EQ(touched.error().code, TrieErrorCode::node_malformed);
            EXPECT_EQ(touched.error().owner, place.first);
            EXPECT_EQ(touched.error().path, place.second);
        }
        StoredState damaged = intact;
        damaged.store.nodes.erase(place);
        const auto touched = damaged.touch_all();
        ASSERT_FALSE(touched.has_value());
        EXPECT_EQ(touched.error().code, TrieErrorCode::node_missing);
        EXPECT_EQ(touched.error().owner, place.first);
        EXPECT_EQ(touched.error().path, place.second);
    }
}

TEST(StoredTrie, node_of_an_older_state_is_an_error) {
    test::Random random(64);
    const StoredState old(random);
    StoredState now = old;
    ResidentStateTrie trie(now.store, now.root, now.options);
    const StateDiff diff = random.diff(40, 12);
    now.root = trie.apply(diff).value();
    now.store.apply(diff, trie.storage_roots());
    trie.collect_changes(now.store);
    ASSERT_TRUE(now.touch_all().has_value());
    for (const auto& [place, node] : old.store.nodes) {
        StoredState damaged = now;
        const auto found = damaged.store.nodes.find(place);
        if (found == damaged.store.nodes.end() || found->second == node) continue;
        found->second = node;
        const auto touched = damaged.touch_all();
        ASSERT_FALSE(touched.has_value());
        EXPECT_EQ(touched.error().owner, place.first);
        EXPECT_EQ(touched.error().path, place.second);
    }
}

/// The same content where branches with fewer than 16 leaves may be behind.
StoredState state_that_may_be_behind(test::Random& random) {
    StoredState state(random);
    state.options.trie.stored_leaf_counts = {4, 16};
    return state;
}

TEST(StoredTrie, small_branch_that_is_missing_or_old_is_made_from_its_leaves) {
    test::Random random(68);
    const StoredState old = state_that_may_be_behind(random);
    StoredState now = old;
    ResidentStateTrie trie(now.store, now.root, now.options);
    const StateDiff diff = random.diff(40, 12);
    now.root = trie.apply(diff).value();
    now.store.apply(diff, trie.storage_roots());
    trie.collect_changes(now.store, ResidentStateTrie::Collect::everything);
    ASSERT_TRUE(now.touch_all().has_value());
    std::size_t small = 0;
    for (const auto& [place, node] : now.store.nodes) {
        const bool is_small = decode_stored_branch(node).value().leaf_count() < 16;
        small += is_small ? 1 : 0;
        StoredState missing = now;
        missing.store.nodes.erase(place);
        EXPECT_EQ(missing.touch_all().has_value(), is_small);
        const auto before = old.store.nodes.find(place);
        if (before == old.store.nodes.end() || before->second == node) continue;
        StoredState behind = now;
        behind.store.nodes[place] = before->second;
        EXPECT_EQ(behind.touch_all().has_value(), is_small);
    }
    EXPECT_GT(small, 10U);
    EXPECT_LT(small, now.store.nodes.size());
}

TEST(StoredTrie, small_branch_that_was_made_from_its_leaves_is_stored_at_the_end) {
    test::Random random(69);
    StoredState state = state_that_may_be_behind(random);
    const auto all = state.store.nodes;
    std::erase_if(state.store.nodes, [](const auto& entry) {
        return decode_stored_branch(entry.second).value().leaf_count() < 16;
    });
    ASSERT_LT(state.store.nodes.size(), all.size());

    ResidentStateTrie trie(state.store, state.root, state.options);
    for (std::uint64_t i = 1; i <= 40; ++i) {
        const Address address = address_from_low64(i);
        const Hash owner = keccak256(address.view());
        ASSERT_TRUE(trie.prove_account(owner).has_value());
        if (!state.store.leaves_of.contains(owner)) continue;
        for (std::uint64_t slot = 0; slot < 12; ++slot) {
            const Hash key = keccak256(to_hash(Uint256{slot}).view());
            ASSERT_TRUE(trie.prove_storage(address, key).has_value());
        }
    }
    trie.collect_changes(state.store, ResidentStateTrie::Collect::everything);

    EXPECT_TRUE(state.store.nodes == all);
}

TEST(StoredTrie, small_branch_that_is_damaged_is_an_error_that_names_it) {
    test::Random random(69);
    const StoredState intact = state_that_may_be_behind(random);
    for (const auto& [place, node] : intact.store.nodes) {
        StoredState damaged = intact;
        Bytes& bytes = damaged.store.nodes[place];
        bytes[random.below(bytes.size())] ^= static_cast<std::uint8_t>(1 + random.below(255));
        const auto touched = damaged.touch_all();
        ASSERT_FALSE(touched.has_value());
        EXPECT_EQ(touched.error().code, TrieErrorCode::node_malformed);
        EXPECT_EQ(touched.error().path, place.second);
    }
}

TEST(StoredTrie, damaged_leaf_below_a_branch_that_is_missing_is_an_error) {
    test::Random random(70);
    StoredState intact = state_that_may_be_behind(random);
    std::erase_if(intact.store.nodes, [](const auto& entry) {
        return decode_stored_branch(entry.second).value().leaf_count() < 16;
    });
    ASSERT_TRUE(intact.touch_all().has_value());
    for (const auto& [owner, leaves] : intact.store.leaves_of)
        for (const auto& [key, value] : leaves) {
            StoredState damaged = intact;
            Bytes& bytes = damaged.store.leaves_of[owner][key];
            bytes[random.below(bytes.size())] ^= static_cast<std::uint8_t>(1 + random.below(255));
            EXPECT_FALSE(damaged.touch_all().has_value());
        }
}

TEST(StoredTrie, damaged_leaf_is_an_error_that_names_the_subtrie) {
    test::Random random(65);
    const StoredState intact(random);
    for (const auto& [owner, leaves] : intact.store.leaves_of) {
        for (const auto& [key, value] : leaves) {
            StoredState flipped = intact;
            Bytes& bytes = flipped.store.leaves_of[owner][key];
            bytes[random.below(bytes.size())] ^= static_cast<std::uint8_t>(1 + random.below(255));
            StoredState missing = intact;
            missing.store.leaves_of[owner].erase(key);
            for (const StoredState* const damaged : {&flipped, &missing}) {
                const auto touched = damaged->touch_all();
                ASSERT_FALSE(touched.has_value());
                const Nibbles nibbles = to_nibbles(key.view());
                if (touched.error().owner != owner) continue;  // a leaf names its storage's root
                EXPECT_EQ(common_prefix(touched.error().path, nibbles),
                          touched.error().path.size());
            }
        }
    }
}

TEST(StoredTrie, superfluous_leaf_is_an_error) {
    test::Random random(66);
    const StoredState intact(random);
    for (int i = 0; i < 100; ++i) {
        StoredState damaged = intact;
        damaged.store.leaves_of[kAccountTrie][keccak256(random.bytes(8))] = Bytes{1};
        const auto touched = damaged.touch_all();
        // A leaf where no account of the state is, or was looked for, may go unnoticed.
        if (touched.has_value()) continue;
        EXPECT_EQ(touched.error().owner, kAccountTrie);
    }
}

TEST(StoredTrie, store_that_cannot_be_read_is_an_error_with_its_words) {
    test::Random random(67);
    StoredState state(random);
    state.store.fails = true;

    const auto touched = state.touch_all();

    ASSERT_FALSE(touched.has_value());
    EXPECT_EQ(touched.error().code, TrieErrorCode::store_failed);
    EXPECT_EQ(to_string(touched.error()),
              "account trie, node at path '': the store could not be read (disk on fire)");
    // Before, a disk that did not answer was a ledger to be thrown away.
    EXPECT_EQ(to_ledger_error(touched.error()).code, LedgerErrorCode::io_error);
}

TEST(StoredTrie, what_does_not_match_its_hash_is_damage) {
    test::Random random(68);
    StoredState state(random);
    for (auto& [hash, value] : state.store.leaves_of[kAccountTrie])
        value.back() ^= 1;

    const auto touched = state.touch_all();

    ASSERT_FALSE(touched.has_value());
    EXPECT_EQ(to_ledger_error(touched.error()).code, LedgerErrorCode::corrupt);
}

}  // namespace
}  // namespace heddle::ledger
