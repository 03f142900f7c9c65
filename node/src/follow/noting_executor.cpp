// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "follow/noting_executor.hpp"

#include <utility>

#include <types/assert.hpp>

namespace heddle::node::follow {

GivenBlock NotingExecutor::taken() {
    const std::scoped_lock lock{mutex_};
    HEDDLE_ASSERT(!given_.empty());  // blocks come out in the order in which they were given
    GivenBlock block = std::move(given_.front());
    given_.pop_front();
    return block;
}

void NotingExecutor::start(const executor::World& world, executor::ChainHead head) {
    {
        const std::scoped_lock lock{mutex_};
        given_.clear();
    }
    inner_.start(world, std::move(head));
}

std::expected<void, BlockError> NotingExecutor::begin_block(executor::BlockStart block) {
    writer_.begin(block);
    return inner_.begin_block(std::move(block));
}

void NotingExecutor::submit(Transaction tx, std::optional<ObjectSet> objects) {
    writer_.add(tx, objects);
    inner_.submit(std::move(tx), std::move(objects));
}

void NotingExecutor::end_block() {
    {
        const std::scoped_lock lock{mutex_};
        given_.push_back(writer_.finish());  // a serial executor executes it in the next call
    }
    inner_.end_block();
}

std::expected<executor::Summary, BlockError> NotingExecutor::drain() {
    auto drained = inner_.drain();
    if (drained.has_value()) return drained;
    std::deque<GivenBlock> left;
    {
        const std::scoped_lock lock{mutex_};
        left.swap(given_);
    }
    // One that was taken and could not be kept has been told of.
    if (left.empty() || left.front().number != drained.error().number) return drained;
    shim_.block_begins(left.front());
    shim_.block_ends(std::unexpected(drained.error()));
    return drained;
}

}  // namespace heddle::node::follow
