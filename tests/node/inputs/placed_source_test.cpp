// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "inputs/placed_source.hpp"

#include <cstdint>
#include <optional>

#include <gtest/gtest.h>

namespace heddle::node {
namespace {

using consensus_adapter::OrderedBlock;
using consensus_adapter::SourceError;
using consensus_adapter::SourceProgress;

/// Four blocks of ten bytes each.
class TenBytesEach final : public consensus_adapter::BlockSource {
public:
    explicit TenBytesEach(std::uint64_t total) : total_(total) {}
    std::optional<OrderedBlock> next() override {
        if (read_ == 40) return std::nullopt;
        read_ += 10;
        return OrderedBlock{};
    }
    const std::optional<SourceError>& error() const noexcept override { return error_; }
    SourceProgress progress() const noexcept override { return {read_, total_}; }

private:
    const std::uint64_t total_;
    std::uint64_t read_ = 0;
    std::optional<SourceError> error_;
};

// All of a small file is read before its first block is executed: 100 % was done from then on.
TEST(PlacedSource, is_as_far_as_the_blocks_that_were_executed_whatever_has_been_read) {
    TenBytesEach inner(40);
    PlacedSource source(inner);
    while (source.next().has_value()) {
    }
    for (const double done : {0.25, 0.5, 0.75, 1.0})
        EXPECT_EQ(source.done(), done);
}

TEST(PlacedSource, does_not_know_how_far_it_is_in_what_has_no_size) {
    TenBytesEach inner(0);
    PlacedSource source(inner);
    ASSERT_TRUE(source.next().has_value());
    EXPECT_EQ(source.done(), 0.0);
}

}  // namespace
}  // namespace heddle::node
