// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <ledger/durable_ledger.hpp>
#include <ledger/partial_state.hpp>
#include <ledger/state_root.hpp>

#include "storage/schema.hpp"
#include "temporary_folder.hpp"
#include "twin_chain.hpp"

namespace heddle::ledger {
namespace {

using test::expect_same_state;
using test::expect_stands_at;
using test::must_commit;
using test::must_create;
using test::must_open;
using test::options_for;
using test::Random;
using test::TwinChain;

std::vector<TrieKey> keys_of(const Address& address, const std::vector<Uint256>& slots) {
    std::vector<TrieKey> keys{{std::nullopt, schema::hash_of(address)}};
    for (const Uint256& slot : slots)
        keys.push_back({address, schema::hash_of_slot(slot)});
    return keys;
}

std::vector<TrieKey> keys_of(const StateDiff& diff) {
    std::vector<TrieKey> keys;
    for (const AccountChange& change : diff.accounts) {
        std::vector<Uint256> slots;
        for (const StorageChange& slot : change.storage)
            slots.push_back(slot.slot);
        std::ranges::copy(keys_of(change.address, slots), std::back_inserter(keys));
    }
    return keys;
}

std::vector<Bytes> must_find(DurableLedger& ledger, std::uint64_t number,
                             std::span<const TrieKey> keys) {
    auto nodes = ledger.trie_nodes(number, keys);
    EXPECT_TRUE(nodes.has_value()) << to_string(nodes.error());
    return {nodes->begin(), nodes->end()};
}

class PartialStateTest : public testing::Test {
protected:
    [[nodiscard]] Hash root_at(std::uint64_t number) const {
        return twin_.committed(number).header.state_root;
    }

    test::TemporaryFolder folder_;
    const std::string directory_ = folder_ / "data";
    Random random_{41};
    TwinChain twin_;
};

TEST_F(PartialStateTest, what_a_diff_needs_of_any_block_gives_the_root_that_it_leads_to) {
    auto ledger = must_create(options_for(directory_));
    std::size_t with_gaps = 0;
    for (int round = 0; round < 40; ++round) {
        for (int i = 0; i < 3; ++i)
            must_commit(*ledger, twin_.grow(random_));
        if (round % 8 == 7) {
            // Nothing of the tries is in memory yet.
            ledger.reset();
            ledger = must_open(options_for(directory_));
        }
        const std::uint64_t number = random_.below(twin_.head() + 1);
        const StateDiff diff = TwinChain::random_diff(random_);
        PartialState state(root_at(number), must_find(*ledger, number, keys_of(diff)), {});

        auto root = state.root_with(diff);
        if (!root.has_value()) {
            ++with_gaps;
            ASSERT_TRUE(root.error().malformed.empty()) << to_string(root.error());
            std::vector<TrieKey> siblings;
            for (const MissingNode& node : root.error().missing)
                siblings.push_back({node.owner, node.path});
            state.add_nodes(must_find(*ledger, number, siblings));
            root = state.root_with(diff);
        }

        ASSERT_TRUE(root.has_value()) << to_string(root.error());
        StateTrie expected(twin_.state(number));
        ASSERT_EQ(*root, expected.apply(diff)) << "block " << number;
        expect_stands_at(*ledger, twin_, twin_.head());
    }
    EXPECT_GT(with_gaps, 3U);
}

TEST_F(PartialStateTest, reads_are_those_of_the_whole_state_and_have_no_fault) {
    const auto ledger = must_create(options_for(directory_));
    for (int i = 0; i < 30; ++i)
        must_commit(*ledger, twin_.grow(random_));
    for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{13}, twin_.head()}) {
        std::vector<TrieKey> keys;
        std::vector<Bytes> codes;
        for (std::uint64_t i = 0; i <= TwinChain::kAddresses + 1; ++i) {
            const Address address = address_from_low64(i);
            std::ranges::copy(keys_of(address, {0, 1, 2, 3, 4, 5, 6}), std::back_inserter(keys));
            if (const auto account = twin_.state(number).account(address)) {
                const BytesView code = twin_.state(number).code(account->code_hash);
                codes.emplace_back(code.begin(), code.end());
            }
        }

        const PartialState state(root_at(number), must_find(*ledger, number, keys), codes);

        expect_same_state(state, twin_.state(number));
        EXPECT_EQ(state.fault(), std::nullopt);
    }
}

TEST_F(PartialStateTest, a_read_without_its_nodes_is_nothing_and_a_fault) {
    const auto ledger = must_create(options_for(directory_));
    const Address contract = address_from_low64(2);  // of the genesis block, with code and slots
    const auto nodes = must_find(*ledger, 0, keys_of(contract, {}));
    const PartialState state(root_at(0), nodes, {});

    EXPECT_EQ(state.account(contract), twin_.state(0).account(contract));
    EXPECT_TRUE(state.has_storage(contract));
    EXPECT_EQ(state.fault(), std::nullopt);

    EXPECT_EQ(state.storage(contract, 1), Uint256{});
    ASSERT_TRUE(state.fault().has_value());
    EXPECT_NE(state.fault()->find(to_string(contract)), std::string::npos) << *state.fault();

    const PartialState without_code(root_at(0), nodes, {});
    EXPECT_TRUE(without_code.code(state.account(contract)->code_hash).empty());
    ASSERT_TRUE(without_code.fault().has_value());
    EXPECT_EQ(without_code.fault()->find("code 0x"), 0U) << *without_code.fault();

    const PartialState nothing(root_at(0), {}, {});
    EXPECT_EQ(nothing.account(contract), std::nullopt);
    EXPECT_TRUE(nothing.fault().has_value());
    const auto root = nothing.root_with({{{contract, std::nullopt, true, {}}}, {}});
    ASSERT_FALSE(root.has_value());
    ASSERT_EQ(root.error().missing.size(), 1U);
    EXPECT_EQ(root.error().missing.front().hash, root_at(0));
}

TEST_F(PartialStateTest, nodes_reach_as_far_as_proofs_do) {
    const auto ledger = must_create(options_for(directory_));
    for (std::uint64_t i = 0; i <= kProofBlocks; ++i)
        must_commit(*ledger, twin_.grow(random_));
    const auto keys = keys_of(address_from_low64(2), {});
    EXPECT_TRUE(ledger->trie_nodes(1, keys).has_value());
    for (const std::uint64_t number : {std::uint64_t{0}, twin_.head() + 1}) {
        const auto nodes = ledger->trie_nodes(number, keys);
        ASSERT_FALSE(nodes.has_value());
        EXPECT_EQ(nodes.error().code, LedgerErrorCode::unavailable);
    }
    expect_stands_at(*ledger, twin_, twin_.head());
}

}  // namespace
}  // namespace heddle::ledger
