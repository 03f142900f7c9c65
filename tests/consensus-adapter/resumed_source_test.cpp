// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A chain that is continued: what is dropped, what is compared, and what is delivered.
#include <consensus_adapter/resumed_source.hpp>

#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "fake_source.hpp"
#include "sample_blocks.hpp"

namespace heddle::consensus_adapter {
namespace {

constexpr std::uint64_t kBlocks = 5;

/// The hash of each block of the source, by number.
std::vector<Hash> hashes() {
    std::vector<Hash> found(1);
    test::FakeSource source(kBlocks, 0);
    while (const auto block = source.next())
        found.push_back(header_hash(block->start.header));
    return found;
}

class ResumedSourceTest : public testing::Test {
protected:
    const std::vector<Hash> hashes_ = hashes();
    std::vector<std::uint64_t> asked_;
    std::unique_ptr<BlockSource> source_;

    /// @param other  A block that is there with another hash; 0: none.
    void resume(std::uint64_t head, std::uint64_t last, std::uint64_t other = 0) {
        ResumeOptions options;
        options.head = head;
        options.last = last;
        options.hash_of = [this, other](std::uint64_t number) -> std::optional<Hash> {
            asked_.push_back(number);
            return number == other ? Hash{} : hashes_.at(number);
        };
        source_ =
            make_resumed_source(std::make_unique<test::FakeSource>(kBlocks, 0), std::move(options));
    }
    std::vector<std::uint64_t> delivered() {
        std::vector<std::uint64_t> numbers;
        while (const auto block = source_->next())
            numbers.push_back(block->start.header.number);
        EXPECT_FALSE(source_->next().has_value()) << "it has ended";
        return numbers;
    }
    void expect_another_chain(std::uint64_t number) {
        ASSERT_TRUE(source_->error().has_value());
        EXPECT_EQ(source_->error()->code, StreamFault::wrong_chain);
        EXPECT_EQ(source_->error()->number, number);
    }
};

TEST_F(ResumedSourceTest, delivers_what_comes_behind_the_head_up_to_the_last) {
    resume(2, 4);
    EXPECT_EQ(delivered(), (std::vector<std::uint64_t>{3, 4}));
    EXPECT_FALSE(source_->error().has_value());
    EXPECT_EQ(asked_, std::vector<std::uint64_t>{2}) << "every block before hangs on it";
}

TEST_F(ResumedSourceTest, delivers_nothing_of_another_chain) {
    resume(2, kBlocks, 2);
    EXPECT_TRUE(delivered().empty());
    expect_another_chain(2);
}

/// Or a file that is no longer than what is there would pass for right, whatever is in it.
TEST_F(ResumedSourceTest, compares_the_last_one_dropped_where_nothing_follows) {
    resume(kBlocks, kBlocks, kBlocks);
    EXPECT_TRUE(delivered().empty());
    expect_another_chain(kBlocks);
    resume(3, 3, 3);
    EXPECT_TRUE(delivered().empty());
    expect_another_chain(3);
}

TEST_F(ResumedSourceTest, compares_nothing_where_nothing_was_dropped) {
    resume(0, kBlocks, 1);
    EXPECT_EQ(delivered().size(), kBlocks);
    EXPECT_TRUE(asked_.empty());
}

/// Files that overlap. Their blocks went to whoever executes them, which said that the hash of the
/// parent is unknown.
TEST(ResumedSource, delivers_once_what_comes_once_more) {
    auto blocks = std::make_unique<test::FakeSource>(kBlocks, 0);
    for (const std::uint64_t number : {2U, 3U, 4U, 5U, 6U, 6U, 1U, 7U})
        blocks->add(test::sample_block(number).header);
    const auto source = make_resumed_source(std::move(blocks), {.head = 1});

    std::vector<std::uint64_t> numbers;
    while (const auto block = source->next())
        numbers.push_back(block->start.header.number);

    EXPECT_EQ(numbers, (std::vector<std::uint64_t>{2, 3, 4, 5, 6, 7}));
    EXPECT_FALSE(source->error().has_value());
}

TEST(ResumedSource, compares_each_block_that_comes_once_more) {
    auto blocks = std::make_unique<test::FakeSource>(kBlocks, 0);
    BlockHeader other = test::sample_block(3).header;
    other.extra_data = {1};
    for (const BlockHeader& header : {test::sample_block(2).header, other})
        blocks->add(header);
    for (const std::uint64_t number : {4U, 5U, 6U})
        blocks->add(test::sample_block(number).header);
    const auto source = make_resumed_source(std::move(blocks), {});

    std::size_t delivered = 0;
    while (source->next().has_value())
        ++delivered;

    EXPECT_EQ(delivered, kBlocks);
    ASSERT_TRUE(source->error().has_value());
    EXPECT_EQ(source->error()->code, StreamFault::wrong_chain);
    EXPECT_EQ(source->error()->number, 3u);
}

}  // namespace
}  // namespace heddle::consensus_adapter
