// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <utility>

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

/// Gives one block.
class OneBlock : public BlockSource {
public:
    explicit OneBlock(OrderedBlock block) : block_(std::move(block)) {}
    std::optional<OrderedBlock> next() override { return std::exchange(block_, std::nullopt); }
    const std::optional<SourceError>& error() const noexcept override { return error_; }
    SourceProgress progress() const noexcept override { return {}; }

private:
    std::optional<OrderedBlock> block_;
    std::optional<SourceError> error_;
};

TEST(PrefetchingSource, finds_who_has_signed_authorizations) {
    OrderedBlock block;
    Transaction& tx = block.transactions.emplace_back();
    tx.type = TransactionType::set_code;
    tx.chain_id = 1;
    tx.gas_limit = 1'000'000;
    tx.authorization_list.resize(2);
    for (Authorization& one : tx.authorization_list)
        ASSERT_TRUE(sign_authorization(one, test::kSecret));
    const auto source = make_prefetching_source(std::make_unique<OneBlock>(std::move(block)));

    const auto found = source->next();
    for (const Authorization& one : found->transactions.at(0).authorization_list)
        EXPECT_EQ(one.authority.value, address_from_secret(test::kSecret));
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
        // What is ready, and a batch in hand that is no larger.
        ASSERT_LE(watched.taken, i + 10 + 10);
    }
}

TEST(PrefetchingSource, is_as_far_as_the_blocks_that_it_gave_whatever_it_has_read_ahead) {
    auto inner = std::make_unique<test::FakeSource>(100, 0);
    const test::FakeSource& watched = *inner;
    const auto source = make_prefetching_source(std::move(inner));

    EXPECT_EQ(source->progress().bytes_done, 0u);
    for (std::size_t i = 1; i <= 100; ++i) {
        ASSERT_TRUE(source->next().has_value());
        EXPECT_EQ(source->progress().bytes_done, i) << watched.taken << " were read";
    }
    EXPECT_FALSE(source->next().has_value());
    EXPECT_EQ(source->progress().bytes_done, 100u);
}

TEST(PrefetchingSource, counts_what_blocks_come_with) {
    constexpr std::size_t kDeclared = 1'000;
    auto inner = std::make_unique<test::FakeSource>(200, 0);
    inner->declare(kDeclared);
    const test::FakeSource& watched = *inner;
    PrefetchOptions options;
    options.max_bytes = 10 * kDeclared;
    const auto source = make_prefetching_source(std::move(inner), options);

    for (std::size_t i = 1; i <= 200; ++i) {
        ASSERT_TRUE(source->next().has_value());
        ASSERT_LE(watched.taken, i + 10 + 10);
    }
}

TEST(PrefetchingSource, reads_blocks_larger_than_any_bound_one_by_one) {
    auto inner = std::make_unique<test::FakeSource>(10, 2);
    const test::FakeSource& watched = *inner;
    PrefetchOptions options;
    options.max_transactions = options.max_bytes = 1;
    const auto source = make_prefetching_source(std::move(inner), options);

    for (std::size_t i = 1; i <= 10; ++i) {
        ASSERT_TRUE(source->next().has_value());
        ASSERT_LE(watched.taken, i + 1) << "one is ready, none in hand";
    }
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
