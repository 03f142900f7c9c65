// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "mixed_executor.hpp"

#include <utility>

#include <types/assert.hpp>

#include "parallel_settings.hpp"
#include "stream/rejection.hpp"

namespace heddle::executor {

MixedExecutor::MixedExecutor(const Options& options, MakeScheduler make_scheduler)
    : serial_(options), parallel_(options, make_scheduler) {}

void MixedExecutor::start(const World& world, ChainHead head) {
    // What is left of an earlier stream must not reach a sink that may be gone.
    if (current_ == &parallel_) parallel_.abandon();
    world_.emplace(world);
    head_ = std::move(head);
    current_ = nullptr;
    is_alone_ = true;
    before_ = {};
    is_stopped_.store(false, std::memory_order_seq_cst);
}

void MixedExecutor::go_on(Executor& executor, ChainHead head) {
    executor.start(*world_, std::move(head));
    current_ = &executor;
    // Sequentially consistent, as in stop(): if this does not see it, stop() comes after start().
    if (is_stopped_.load(std::memory_order_seq_cst)) executor.stop();
}

std::expected<void, BlockError> MixedExecutor::begin_block(BlockStart block) {
    HEDDLE_ASSERT(world_.has_value());
    const bool is_serial = current_ != &parallel_ && is_alone_ && is_small(block, true);
    is_alone_ = false;
    if (current_ == nullptr) {
        if (is_serial)
            go_on(serial_, std::move(head_));
        else
            go_on(parallel_, std::move(head_));
    } else if (current_ == &serial_ && !is_serial) {
        const auto summary = serial_.drain();
        // Whoever has rejected a block goes on refusing.
        if (summary.has_value()) {
            before_ = summary->stats;
            go_on(parallel_, serial_.tip().head());
        }
    }
    return current_->begin_block(std::move(block));
}

void MixedExecutor::submit(Transaction tx, std::optional<ObjectSet> objects) {
    current_->submit(std::move(tx), std::move(objects));
}

void MixedExecutor::end_block() {
    current_->end_block();
}

std::expected<Summary, BlockError> MixedExecutor::drain() {
    is_alone_ = true;
    if (current_ == nullptr) return ChainTip{head_}.summary();
    auto summary = current_->drain();
    if (!summary.has_value()) return summary;
    summary->stats.blocks += before_.blocks;
    summary->stats.transactions += before_.transactions;
    summary->stats.gas_used += before_.gas_used;
    summary->stats.timing += before_.timing;
    return summary;
}

void MixedExecutor::stop() noexcept {
    is_stopped_.store(true, std::memory_order_seq_cst);
    serial_.stop();
    parallel_.stop();
}

}  // namespace heddle::executor
