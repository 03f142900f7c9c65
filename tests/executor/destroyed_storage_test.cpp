// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include <gtest/gtest.h>

#include "fakes.hpp"
#include "state/committed_state.hpp"

namespace heddle::executor {
namespace {

/// Every creation at an address asks whether there is storage, and costs the same whatever a
/// contract has written there that is gone.
TEST(DestroyedStorage, is_gone_through_no_more) {
    const Address contract = address_from_low64(0xb);
    const test::FakeState base;
    VersionedState state;
    state.attach(base);
    CommittedState committed{state};
    BlockChanges block;
    block.serial = 1;
    const auto commit = [&](std::uint64_t position, const AccountChange& change) {
        committed.begin(block, make_stamp_in_order(position));
        committed.apply(StateDiff{{change}, {}});
    };
    const auto listed = [&] {
        std::size_t count = 0;
        const SlotCell* slot = state.account(contract).slots;
        for (; slot != nullptr; slot = slot->next_slot)
            ++count;
        return count;
    };
    AccountChange alive;
    alive.address = contract;
    alive.account.emplace();
    for (std::uint64_t slot = 0; slot < 100; ++slot)
        alive.storage.push_back({Uint256{slot}, Uint256{7}});
    commit(2, alive);
    EXPECT_EQ(listed(), 100u);

    AccountChange gone;
    gone.address = contract;
    commit(3, gone);
    ASSERT_EQ(listed(), 0u) << "listed twice, the list would have no end";
    EXPECT_FALSE(committed.has_storage(contract));

    alive.storage = {{Uint256{2}, Uint256{5}}, {Uint256{3}, Uint256{}}};
    commit(4, alive);
    commit(5, alive);
    EXPECT_EQ(listed(), 2u) << "each once, though they were listed before";
    EXPECT_TRUE(committed.has_storage(contract));
}

}  // namespace
}  // namespace heddle::executor
