// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <gtest/gtest.h>

#include <consensus_adapter/prefetching_source.hpp>

#include "fake_source.hpp"

namespace heddle::consensus_adapter {
namespace {

TEST(PrefetchingSource, delivers_the_same_blocks_in_order_with_senders) {
    const auto source = make_prefetching_source(std::make_unique<test::FakeSource>(200, 3));

    for (std::uint64_t number = 1; number <= 200; ++number) {
        const auto block = source->next();
        ASSERT_TRUE(block.has_value());
        EXPECT_EQ(block->start.header.number, number);
        ASSERT_EQ(block->transactions.size(), 3u);
        for (const Transaction& tx : block->transactions)
            EXPECT_EQ(tx.sender, address_from_secret(test::kSecret));
    }
    EXPECT_FALSE(source->next().has_value());
    EXPECT_FALSE(source->next().has_value());
    EXPECT_FALSE(source->error().has_value());
}

TEST(PrefetchingSource, leaves_senders_alone_when_told_to) {
    PrefetchOptions options;
    options.recover_senders = false;
    const auto source = make_prefetching_source(std::make_unique<test::FakeSource>(1, 1), options);

    EXPECT_EQ(source->next()->transactions.at(0).sender, std::nullopt);
}

TEST(PrefetchingSource, passes_a_failure_on_after_the_blocks_before_it) {
    auto inner = std::make_unique<test::FakeSource>(70, 0);
    inner->fail_at_the_end();
    const auto source = make_prefetching_source(std::move(inner));

    for (int i = 0; i < 70; ++i)
        ASSERT_TRUE(source->next().has_value());
    EXPECT_FALSE(source->next().has_value());
    ASSERT_TRUE(source->error().has_value());
    EXPECT_EQ(source->error()->code, FileFault::truncated);
}

TEST(PrefetchingSource, reads_no_further_ahead_than_allowed) {
    auto inner = std::make_unique<test::FakeSource>(10'000, 0);
    const test::FakeSource& watched = *inner;
    PrefetchOptions options;
    options.max_blocks = 10;
    const auto source = make_prefetching_source(std::move(inner), options);

    for (std::size_t i = 1; i <= 1'000; ++i) {
        ASSERT_TRUE(source->next().has_value());
        // What is ready, and a batch of 64 in hand.
        ASSERT_LE(watched.taken, i + 10 + 64);
    }
}

TEST(PrefetchingSource, delivers_blocks_larger_than_any_bound) {
    PrefetchOptions options;
    options.max_blocks = options.max_transactions = options.max_bytes = 1;
    const auto source = make_prefetching_source(std::make_unique<test::FakeSource>(10, 2), options);

    for (int i = 0; i < 10; ++i)
        ASSERT_TRUE(source->next().has_value());
    EXPECT_FALSE(source->next().has_value());
}

TEST(PrefetchingSource, ends_at_any_time) {
    for (int taken = 0; taken < 20; ++taken) {
        PrefetchOptions options;
        options.max_blocks = 5;
        const auto source =
            make_prefetching_source(std::make_unique<test::FakeSource>(1'000, 1), options);
        for (int i = 0; i < taken; ++i)
            ASSERT_TRUE(source->next().has_value());
    }
}

}  // namespace
}  // namespace heddle::consensus_adapter
