// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What snapshots hold is counted, and bounded, whatever is set and sent between them.
#include "development/chain_snapshots.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <types/bytes.hpp>

namespace heddle::node {
namespace {

using testing::HasSubstr;

/// Values of so many accounts that were set.
std::shared_ptr<StateOverlay> overlay_of(std::uint64_t accounts) {
    auto overlay = std::make_shared<StateOverlay>();
    StateDiff diff;
    for (std::uint64_t i = 0; i < accounts; ++i)
        diff.accounts.push_back(
            {address_from_low64(i + 1), Account{1, i, kEmptyCodeHash}, false, {}});
    overlay->apply(diff);
    return overlay;
}

ChainSnapshot snapshot_of(std::uint64_t number, SharedOverlay amendment) {
    ChainSnapshot snapshot;
    snapshot.number = number;
    snapshot.amendment = std::move(amendment);
    return snapshot;
}

TEST(ChainSnapshots, drops_one_with_all_that_came_after_it) {
    ChainSnapshots store;
    const auto first = store.add(snapshot_of(1, overlay_of(1)));
    const std::size_t bytes = store.bytes();
    const auto second = store.add(snapshot_of(2, overlay_of(2)));
    (void)store.add(snapshot_of(3, nullptr));

    store.drop_from(*second);

    EXPECT_EQ(store.size(), 1U);
    EXPECT_EQ(store.bytes(), bytes);
    EXPECT_EQ(store.find(*second), nullptr);
    ASSERT_NE(store.find(*first), nullptr);
    EXPECT_EQ(store.find(*first)->number, 1U);
    EXPECT_GT(*store.add(snapshot_of(2, nullptr)), *second + 1);  // no number comes twice
}

TEST(ChainSnapshots, what_follows_each_other_shares_what_is_the_same) {
    ChainSnapshots store;
    const SharedOverlay overlay = overlay_of(1'000);
    const auto transaction = std::make_shared<const PooledTransaction>();
    const auto take = [&] {
        ChainSnapshot snapshot = snapshot_of(1, overlay);
        // A list of its own each time, as the mempool gives it.
        snapshot.pool =
            std::make_shared<const ChainSnapshot::Pool>(ChainSnapshot::Pool(1'000, transaction));
        return store.add(std::move(snapshot)).value();
    };
    take();
    const std::size_t one = store.bytes();

    for (int i = 0; i < 100; ++i)
        take();

    EXPECT_LT(store.bytes(), 2 * one);
    EXPECT_EQ(store.find(1)->pool, store.find(101)->pool);
}

TEST(ChainSnapshots, holds_no_more_than_it_says) {
    ChainSnapshots store;
    // One more value before each snapshot, as who sets a value and takes a snapshot in turn has it:
    // without a bound what is held grows with the square of what was asked for.
    const SharedOverlay large = overlay_of(100'000);
    std::size_t taken = 0;
    std::string refusal;
    while (refusal.empty() && taken < 1'000) {
        const auto id = store.add(snapshot_of(1, std::make_shared<StateOverlay>(*large)));
        if (id.has_value())
            ++taken;
        else
            refusal = id.error();
    }

    EXPECT_THAT(refusal, HasSubstr("than the 256 MiB that are kept; revert to one of them"));
    EXPECT_LE(store.bytes(), ChainSnapshots::kMostBytes);
    EXPECT_GT(taken, 5U);
    store.drop_from(2);
    EXPECT_TRUE(store.add(snapshot_of(1, large)).has_value());
}

TEST(ChainSnapshots, holds_less_where_there_is_less_memory) {
    constexpr std::size_t kBytes = std::size_t{16} << 20;
    ChainSnapshots store{kBytes};
    const SharedOverlay large = overlay_of(10'000);
    std::string refusal;
    for (int i = 0; i < 1'000 && refusal.empty(); ++i) {
        const auto id = store.add(snapshot_of(1, std::make_shared<StateOverlay>(*large)));
        if (!id.has_value()) refusal = id.error();
    }

    EXPECT_THAT(refusal, HasSubstr("than the 16 MiB that are kept"));
    EXPECT_LE(store.bytes(), kBytes);
    EXPECT_GT(store.bytes(), kBytes / 2);
}

TEST(ChainSnapshots, what_was_shared_is_counted_where_the_other_is_gone) {
    ChainSnapshots store;
    const SharedOverlay overlay = overlay_of(100);
    (void)store.add(snapshot_of(1, nullptr));
    (void)store.add(snapshot_of(7, overlay));
    (void)store.add(snapshot_of(2, overlay));  // of the same values, after blocks were taken back

    store.drop_above(5);

    EXPECT_EQ(store.size(), 2U);
    EXPECT_GE(store.bytes(), overlay->bytes());
    EXPECT_NE(store.find(3), nullptr);
    store.clear();
    EXPECT_EQ(store.bytes(), 0U);
}

/// An authorization takes more in memory than in the network form, a list entry as well.
TEST(ChainSnapshots, transactions_are_counted_as_they_lie_in_memory) {
    PooledTransaction pooled;
    pooled.tx.authorization_list.resize(1'000);
    pooled.authorities.resize(1'000);
    pooled.size_bytes = 100;
    const auto transaction = std::make_shared<const PooledTransaction>(pooled);
    ChainSnapshot snapshot = snapshot_of(1, nullptr);
    snapshot.pool = std::make_shared<const ChainSnapshot::Pool>(ChainSnapshot::Pool{transaction});
    ChainSnapshots store;

    ASSERT_TRUE(store.add(std::move(snapshot)).has_value());

    EXPECT_GE(store.bytes(), memory_of(pooled));
    EXPECT_GT(store.bytes(), 1'000 * sizeof(Authorization));
}

TEST(ChainSnapshots, codes_and_slots_are_counted_too) {
    StateOverlay overlay;
    const Bytes code(1'000'000, 0x5b);
    const Hash hash = keccak256(code);
    AccountChange change{address_from_low64(1), Account{1, 0, hash}, false, {}};
    for (std::uint64_t i = 0; i < 1'000; ++i)
        change.storage.push_back({i, 1});

    overlay.apply({{change}, {{hash, code}}});
    EXPECT_GE(overlay.bytes(), code.size() + 1'000 * 64);
    const std::size_t bytes = overlay.bytes();
    overlay.apply({{change}, {{hash, code}}});
    EXPECT_EQ(overlay.bytes(), bytes);  // it is the same
    overlay.apply({{{address_from_low64(1), std::nullopt, false, {}}}, {}});
    EXPECT_LT(overlay.bytes(), bytes - 1'000 * 64);
    (void)overlay.take_diff();
    EXPECT_EQ(overlay.bytes(), 0U);
}

}  // namespace
}  // namespace heddle::node
