// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "durable/block_changes.hpp"

#include <vector>

#include <gtest/gtest.h>

#include <ledger/memory_state.hpp>
#include <ledger/state_root.hpp>

#include "random.hpp"

namespace heddle::ledger {
namespace {

constexpr std::size_t kAddresses = 12;
constexpr std::size_t kSlots = 6;

/// The plain way: both states compared, value by value.
BlockChanges changes_between(const MemoryState& before, const MemoryState& after) {
    const auto record = [](const MemoryState& state, const Address& address) {
        const auto account = state.account(address);
        return account.has_value() ? std::optional<AccountRecord>{{*account}} : std::nullopt;
    };
    BlockChanges changes;
    for (std::uint64_t i = 1; i <= kAddresses; ++i) {
        AccountUpdate update;
        update.address = address_from_low64(i);
        update.before = record(before, update.address);
        update.after = record(after, update.address);
        for (std::uint64_t slot = 0; slot < kSlots; ++slot) {
            const SlotUpdate change{slot, before.storage(update.address, slot),
                                    after.storage(update.address, slot)};
            if (change.before != change.after) update.slots.push_back(change);
        }
        if (update.before != update.after || !update.slots.empty())
            changes.accounts.push_back(std::move(update));
    }
    return changes;
}

/// A chain of states and what each block changed.
struct Chain {
    std::vector<MemoryState> states{1};
    std::vector<BlockChanges> blocks;

    void grow(test::Random& random) {
        MemoryState next = states.back();
        next.apply(random.diff(kAddresses, kSlots));
        blocks.push_back(changes_between(states.back(), next));
        states.push_back(std::move(next));
    }
};

Hash root_after(MemoryState state, const StateDiff& diff) {
    state.apply(diff);
    return compute_state_root(state);
}

TEST(BlockChanges, forward_and_backward_lead_from_state_to_state) {
    test::Random random(1);
    Chain chain;
    for (std::size_t i = 0; i < 100; ++i) {
        chain.grow(random);
        const MemoryState& before = chain.states[i];
        const MemoryState& after = chain.states[i + 1];
        ASSERT_EQ(root_after(before, forward_diff(chain.blocks[i])), compute_state_root(after));
        ASSERT_EQ(root_after(after, backward_diff(chain.blocks[i])), compute_state_root(before));
    }
}

TEST(BlockChanges, tries_follow_forward_and_backward) {
    test::Random random(2);
    Chain chain;
    StateTrie trie;
    for (std::size_t i = 0; i < 100; ++i) {
        chain.grow(random);
        ASSERT_EQ(trie.apply(forward_diff(chain.blocks[i])),
                  compute_state_root(chain.states[i + 1]));
        ASSERT_EQ(trie.apply(backward_diff(chain.blocks[i])), compute_state_root(chain.states[i]));
        (void)trie.apply(forward_diff(chain.blocks[i]));
    }
}

TEST(BlockChanges, merged_blocks_lead_where_they_lead_one_by_one) {
    test::Random random(3);
    for (int round = 0; round < 30; ++round) {
        Chain chain;
        std::vector<const BlockChanges*> blocks;
        const std::size_t count = 1 + random.below(8);
        for (std::size_t i = 0; i < count; ++i)
            chain.grow(random);
        for (const BlockChanges& block : chain.blocks)
            blocks.push_back(&block);

        const BlockChanges merged = merge(blocks);

        ASSERT_EQ(root_after(chain.states.front(), forward_diff(merged)),
                  compute_state_root(chain.states.back()));
        ASSERT_EQ(root_after(chain.states.back(), backward_diff(merged)),
                  compute_state_root(chain.states.front()));
        for (std::size_t i = 1; i < merged.accounts.size(); ++i)
            ASSERT_LT(merged.accounts[i - 1].address, merged.accounts[i].address);
    }
}

TEST(BlockChanges, merging_keeps_the_oldest_before_and_the_newest_after) {
    const Address address = address_from_low64(1);
    const AccountRecord first{Account{1, 0}};
    const AccountRecord second{Account{2, 0}};
    const BlockChanges created{{{address, std::nullopt, first, {{1, 0, 5}, {3, 0, 6}}}}};
    const BlockChanges changed{{{address, first, second, {{1, 5, 0}, {2, 0, 7}}}}};
    const std::vector<const BlockChanges*> blocks{&created, &changed};

    const BlockChanges merged = merge(blocks);

    EXPECT_EQ(merged,
              (BlockChanges{{{address, std::nullopt, second, {{1, 0, 0}, {2, 0, 7}, {3, 0, 6}}}}}));
    EXPECT_EQ(merge({}), BlockChanges{});
}

TEST(BlockChanges, inverse_exchanges_before_and_after) {
    test::Random random(4);
    Chain chain;
    for (std::size_t i = 0; i < 20; ++i) {
        chain.grow(random);
        const BlockChanges& block = chain.blocks[i];
        ASSERT_EQ(forward_diff(inverse(block)), backward_diff(block));
        ASSERT_EQ(inverse(inverse(block)), block);
    }
}

TEST(BlockChanges, hold_memory_for_accounts_and_slots) {
    const AccountUpdate one{address_from_low64(5), {}, {}, {{2, 0, 1}}};
    const AccountUpdate two{address_from_low64(6), {}, {}, {{2, 0, 1}, {4, 0, 1}}};

    EXPECT_EQ(held_bytes({}), 0u);
    EXPECT_EQ(held_bytes({{one}}), sizeof(AccountUpdate) + sizeof(SlotUpdate));
    EXPECT_EQ(held_bytes({{one, two}}), 2 * sizeof(AccountUpdate) + 3 * sizeof(SlotUpdate));
}

TEST(BlockChanges, values_are_found_where_they_are) {
    const AccountUpdate update{
        address_from_low64(5), std::nullopt, std::nullopt, {{2, 0, 1}, {4, 0, 1}}};
    const BlockChanges changes{{update, {address_from_low64(9), {}, {}, {}}}};

    ASSERT_NE(changes.find(address_from_low64(5)), nullptr);
    EXPECT_EQ(*changes.find(address_from_low64(5)), update);
    EXPECT_EQ(changes.find(address_from_low64(4)), nullptr);
    EXPECT_EQ(changes.find(address_from_low64(7)), nullptr);
    EXPECT_EQ(changes.find(address_from_low64(10)), nullptr);
    ASSERT_NE(find_slot(update, 4), nullptr);
    EXPECT_EQ(find_slot(update, 4)->slot, Uint256(4));
    EXPECT_EQ(find_slot(update, 3), nullptr);
    EXPECT_EQ(find_slot(update, 5), nullptr);
}

}  // namespace
}  // namespace heddle::ledger
