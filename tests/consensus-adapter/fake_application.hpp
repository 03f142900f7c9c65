// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// An application that only counts, for tests of the embedded engine.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <consensus_adapter/solo.hpp>

namespace heddle::consensus_adapter::test {

/// Has as many transactions as it was given and remembers every block. Everything under one lock,
/// so that a test can wait for what it expects.
class FakeApplication final : public Application {
public:
    Committed committed() const override {
        const std::scoped_lock lock{mutex_};
        return committed_;
    }
    std::expected<Proposal, BlockError> prepare(const BlockPlan& plan) override {
        const std::scoped_lock lock{mutex_};
        plan_ = plan;
        Proposal proposal;
        const std::size_t count = std::min(waiting_, room_);
        proposal.transactions.resize(count);
        proposal.object_sets.resize(count);
        return proposal;
    }
    std::expected<void, ProposalError> process(const BlockPlan&, Proposal&) override { return {}; }
    std::expected<FinalizedBlock, BlockError> finalize(OrderedBlock block,
                                                       Unexecutable /*unexecutable*/) override {
        const std::scoped_lock lock{mutex_};
        if (failure_.has_value()) {
            BlockError error;
            error.code = *failure_;
            if (error.code != BlockErrorCode::storage_failed && --failures_left_ == 0)
                failure_.reset();
            return std::unexpected(error);
        }
        finalized_ = block.transactions.size();
        start_ = std::move(block.start);
        FinalizedBlock finalized;
        finalized.header = start_->header;
        return finalized;
    }
    std::expected<BlockId, BlockError> commit() override {
        const std::scoped_lock lock{mutex_};
        EXPECT_TRUE(start_.has_value()) << "commit() without finalize()";
        waiting_ -= finalized_;
        committed_.head.number += 1;
        committed_.head.hash.bytes[0] = static_cast<std::uint8_t>(committed_.head.number);
        committed_.head_timestamp = start_->header.timestamp;
        committed_.head_gas_limit = start_->header.gas_limit;
        headers_.push_back(start_->header);
        sizes_.push_back(finalized_);
        sealers_.push_back(std::this_thread::get_id());
        start_.reset();
        changed_.notify_all();
        return committed_.head;
    }

    void add(std::size_t count) {
        const std::scoped_lock lock{mutex_};
        waiting_ += count;
    }
    void fail_next(BlockErrorCode code, unsigned times = 1) {
        const std::scoped_lock lock{mutex_};
        failure_ = code;
        failures_left_ = times;
    }
    void set_head(std::uint64_t timestamp, std::uint64_t gas_limit) {
        const std::scoped_lock lock{mutex_};
        committed_.head_timestamp = timestamp;
        committed_.head_gas_limit = gas_limit;
    }
    void allow_equal_timestamps() {
        const std::scoped_lock lock{mutex_};
        committed_.may_repeat_timestamp = true;
    }
    void set_room(std::size_t transactions) {
        const std::scoped_lock lock{mutex_};
        room_ = transactions;
    }
    void wait_for_blocks(std::size_t count) {
        std::unique_lock lock{mutex_};
        changed_.wait(lock, [&] { return sizes_.size() >= count; });
    }
    void wait_until_empty() {
        std::unique_lock lock{mutex_};
        changed_.wait(lock, [&] { return waiting_ == 0; });
    }
    std::vector<BlockHeader> headers() const {
        const std::scoped_lock lock{mutex_};
        return headers_;
    }
    std::vector<std::size_t> sizes() const {
        const std::scoped_lock lock{mutex_};
        return sizes_;
    }
    std::vector<std::thread::id> sealers() const {
        const std::scoped_lock lock{mutex_};
        return sealers_;
    }
    std::size_t waiting() const {
        const std::scoped_lock lock{mutex_};
        return waiting_;
    }
    BlockPlan last_plan() const {
        const std::scoped_lock lock{mutex_};
        return plan_;
    }

private:
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    Committed committed_{{0, {}}, 100, 30'000'000, 0};
    BlockPlan plan_;
    std::size_t waiting_ = 0;
    std::size_t room_ = 1'000'000;
    std::size_t finalized_ = 0;
    std::optional<executor::BlockStart> start_;
    std::optional<BlockErrorCode> failure_;
    unsigned failures_left_ = 0;
    std::vector<BlockHeader> headers_;
    std::vector<std::size_t> sizes_;
    std::vector<std::thread::id> sealers_;  // who committed each block
};

inline constexpr SealSchedule kOnArrival{.on_arrival = true};
inline constexpr SealSchedule kOnCommand{};

/// What the engine is given where a test says nothing else. The clock stands still.
inline SoloOptions options(const SealSchedule& schedule, std::uint64_t now = 1'000) {
    SoloOptions result;
    result.schedule = schedule;
    result.clock = [now] { return now; };
    return result;
}

}  // namespace heddle::consensus_adapter::test
