// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks from a list, with a failure at the end where the test wants one.
#pragma once

#include <atomic>
#include <deque>
#include <utility>

#include <consensus_adapter/block_source.hpp>

#include "sample_blocks.hpp"

namespace heddle::consensus_adapter::test {

class FakeSource final : public BlockSource {
public:
    FakeSource(std::uint64_t count, std::size_t transactions_each) {
        for (std::uint64_t number = 1; number <= count; ++number) {
            Block block = sample_block(number, transactions_each);
            OrderedBlock& ordered = blocks_.emplace_back();
            ordered.start.header = std::move(block.header);
            ordered.transactions = std::move(block.transactions);
        }
    }

    /// One more behind the others, without transactions.
    void add(const BlockHeader& header) { blocks_.emplace_back().start.header = header; }

    /// Each block comes with so much of an access list.
    void declare(std::size_t bytes) {
        for (OrderedBlock& block : blocks_)
            block.start.access_list.resize(bytes);
    }

    void fail_at_the_end() {
        failure_.emplace();
        failure_->code = FileFault::truncated;
    }

    std::optional<OrderedBlock> next() override {
        if (blocks_.empty()) {
            error_ = failure_;
            return std::nullopt;
        }
        OrderedBlock block = std::move(blocks_.front());
        blocks_.pop_front();
        ++taken;
        return block;
    }
    const std::optional<SourceError>& error() const noexcept override { return error_; }
    SourceProgress progress() const noexcept override { return {taken, 0}; }

    std::atomic<std::size_t> taken = 0;

private:
    std::deque<OrderedBlock> blocks_;
    std::optional<SourceError> failure_;
    std::optional<SourceError> error_;
};

}  // namespace heddle::consensus_adapter::test
