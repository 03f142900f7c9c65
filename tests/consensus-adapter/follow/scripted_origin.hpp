// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// An origin whose chain and whose moods are in the hands of a test, and a chain that only remembers
// what it was given.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <consensus_adapter/follow/follower.hpp>
#include <consensus_adapter/follow/origin.hpp>

#include "comes_true.hpp"

namespace heddle::consensus_adapter::follow::test {

/// What all conversations with the origin see. Thread safety: any.
class ScriptedChain {
public:
    explicit ScriptedChain(std::uint64_t blocks) {
        headers_.emplace_back();
        grow(blocks);
    }

    /// More blocks, of the branch that began last.
    void grow(std::uint64_t count, std::uint64_t gas_limit = 30'000'000) {
        const std::scoped_lock lock{mutex_};
        add(count, gas_limit);
    }
    /// Takes back everything above `number` and goes on with other blocks.
    void reorganise(std::uint64_t number, std::uint64_t count) {
        const std::scoped_lock lock{mutex_};
        headers_.resize(number + 1);
        ++branch_;
        add(count, 30'000'000);
    }
    void finalize(std::optional<std::uint64_t> number) {
        const std::scoped_lock lock{mutex_};
        finalized_ = number;
        ++changes_;
        changed_.notify_all();
    }
    /// Said in place of a finalized block; empty: nothing.
    void refuse_finality(std::string refusal) {
        const std::scoped_lock lock{mutex_};
        finality_refusal_ = std::move(refusal);
        ++changes_;
        changed_.notify_all();
    }
    void set_chain_id(std::uint64_t chain_id) { chain_id_ = chain_id; }
    /// Called before each answer with blocks, without a lock; an error is the answer.
    void on_blocks(std::function<std::optional<FollowError>(std::uint64_t first)> mood) {
        const std::scoped_lock lock{mutex_};
        mood_ = std::move(mood);
    }
    /// What is done to blocks before they go out.
    void on_answer(std::function<void(std::vector<FetchedBlock>&)> change) {
        const std::scoped_lock lock{mutex_};
        change_ = std::move(change);
    }

    [[nodiscard]] ChainIdentity identity() const {
        const std::scoped_lock lock{mutex_};
        return {chain_id_, header_hash(headers_.front()), "scripted"};
    }
    [[nodiscard]] std::vector<Hash> hashes() const {
        const std::scoped_lock lock{mutex_};
        std::vector<Hash> hashes;
        for (const BlockHeader& header : headers_)
            hashes.push_back(header_hash(header));
        return hashes;
    }
    [[nodiscard]] OriginHead head() const {
        const std::scoped_lock lock{mutex_};
        ++looks_;
        const BlockHeader& newest = headers_.back();
        return {{newest.number, header_hash(newest)},
                newest.parent_hash,
                finalized_,
                finality_refusal_};
    }
    /// Until somebody has asked for the head so often from now on.
    void wait_for_looks(std::uint64_t looks) const {
        const std::uint64_t last = looks_ + looks;
        while (looks_ < last)
            std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
    /// Called with what is known of gas, before each answer with blocks.
    void on_bound(std::function<void(std::uint64_t first, const GasBound& bound)> watch) {
        const std::scoped_lock lock{mutex_};
        watch_ = std::move(watch);
    }
    [[nodiscard]] std::expected<std::vector<FetchedBlock>, FollowError> blocks(
        std::uint64_t first, std::size_t count, const GasBound& bound) {
        std::unique_lock lock{mutex_};
        const auto mood = mood_;
        const auto watch = watch_;
        lock.unlock();
        if (watch) watch(first, bound);
        if (mood)
            if (auto error = mood(first)) return std::unexpected(*std::move(error));
        lock.lock();
        std::vector<FetchedBlock> blocks;
        for (std::uint64_t number = first; number < first + count; ++number) {
            if (number >= headers_.size())
                return std::unexpected(FollowError{FollowFault::absent, "no such block"});
            FetchedBlock& fetched = blocks.emplace_back();
            fetched.block.start.header = headers_[number];
            fetched.block.start.encoded_size_bytes = 600;
            fetched.hash = header_hash(headers_[number]);
        }
        if (change_) change_(blocks);
        return blocks;
    }
    /// Until something changes after `seen`.
    std::uint64_t wait(std::uint64_t seen, const std::stop_token& stop,
                       std::chrono::milliseconds longest) {
        std::unique_lock lock{mutex_};
        (void)changed_.wait_for(lock, stop, longest, [&] { return changes_ != seen; });
        return changes_;
    }

private:
    /// With the lock.
    void add(std::uint64_t count, std::uint64_t gas_limit) {
        for (std::uint64_t i = 0; i < count; ++i) {
            BlockHeader header;
            header.number = headers_.size();
            header.parent_hash = header_hash(headers_.back());
            header.timestamp = branch_;
            header.gas_limit = gas_limit;
            headers_.push_back(std::move(header));
        }
        ++changes_;
        changed_.notify_all();
    }

    mutable std::mutex mutex_;
    mutable std::atomic<std::uint64_t> looks_ = 0;
    std::condition_variable_any changed_;
    std::vector<BlockHeader> headers_;
    std::uint64_t branch_ = 1;
    std::uint64_t chain_id_ = 7;
    std::uint64_t changes_ = 0;
    std::optional<std::uint64_t> finalized_;
    std::string finality_refusal_;
    std::function<std::optional<FollowError>(std::uint64_t)> mood_;
    std::function<void(std::vector<FetchedBlock>&)> change_;
    std::function<void(std::uint64_t, const GasBound&)> watch_;
};

class ScriptedOrigin final : public Origin {
public:
    ScriptedOrigin(ScriptedChain& chain, std::stop_token stop)
        : chain_(chain), stop_(std::move(stop)) {}

    std::expected<ChainIdentity, FollowError> identify() override { return chain_.identity(); }
    std::expected<OriginHead, FollowError> head() override { return chain_.head(); }
    std::expected<std::optional<Hash>, FollowError> hash_of(std::uint64_t number) override {
        const std::vector<Hash> hashes = chain_.hashes();
        if (number >= hashes.size()) return std::nullopt;
        return hashes[number];
    }
    std::expected<std::vector<FetchedBlock>, FollowError> blocks(std::uint64_t first,
                                                                 std::size_t count,
                                                                 const GasBound& bound) override {
        return chain_.blocks(first, count, bound);
    }
    std::expected<void, FollowError> wait_for_head(std::chrono::milliseconds longest) override {
        seen_ = chain_.wait(seen_, stop_, longest);
        return {};
    }

private:
    ScriptedChain& chain_;
    const std::stop_token stop_;
    std::uint64_t seen_ = 0;
};

/// Executes nothing and keeps every block, but for what a test refuses. As an executor that streams
/// does, it says so only when it is asked for something more. Thread safety: as both of its faces.
class FakeChain final : public FollowedChain, private executor::Executor {
public:
    explicit FakeChain(const ScriptedChain& origin)
        : identity_(origin.identity()), hashes_{identity_.genesis} {}

    ChainIdentity identity() const override { return {identity_.chain_id, identity_.genesis, {}}; }
    BlockId head() const override {
        const std::scoped_lock lock{mutex_};
        return {hashes_.size() - 1, hashes_.back()};
    }
    std::uint64_t head_gas_limit() const override { return 30'000'000; }
    std::optional<Hash> hash_of(std::uint64_t number) const override {
        const std::scoped_lock lock{mutex_};
        if (number < first_kept_) return std::nullopt;
        return hashes_.at(number);
    }
    /// Blocks before this one are not kept any more.
    void forget_up_to(std::uint64_t number) {
        const std::scoped_lock lock{mutex_};
        first_kept_ = number;
    }
    std::expected<executor::Executor*, BlockError> begin() override {
        const std::scoped_lock lock{mutex_};
        ++begun_;
        failure_.reset();
        executor::Executor* const executor = this;
        return executor;
    }

    /// The block with this number is not valid, so many times.
    void refuse(std::uint64_t number, unsigned times,
                BlockErrorCode code = BlockErrorCode::state_root_mismatch) {
        const std::scoped_lock lock{mutex_};
        refused_ = number;
        refusals_ = times;
        code_ = code;
    }
    void set_delay(std::chrono::milliseconds delay) { delay_ = delay.count(); }

    [[nodiscard]] std::vector<Hash> hashes() const {
        const std::scoped_lock lock{mutex_};
        return hashes_;
    }
    [[nodiscard]] unsigned begun() const {
        const std::scoped_lock lock{mutex_};
        return begun_;
    }
    /// @return whether it was reached.
    [[nodiscard]] bool wait_for(std::uint64_t number) const {
        std::unique_lock lock{mutex_};
        return heddle::test::comes_true(grown_, lock, [&] { return hashes_.size() > number; });
    }

private:
    void start(const executor::World&, executor::ChainHead) override {}
    std::expected<void, BlockError> begin_block(executor::BlockStart block) override {
        std::this_thread::sleep_for(std::chrono::milliseconds{delay_.load()});
        const std::scoped_lock lock{mutex_};
        if (failure_.has_value()) return std::unexpected(*failure_);
        const BlockHeader& header = block.header;
        if (header.number == refused_ && refusals_ != 0) {
            --refusals_;
            failure_.emplace();
            failure_->code = code_;
            failure_->number = header.number;
            return {};
        }
        if (header.number != hashes_.size() || header.parent_hash != hashes_.back()) {
            failure_.emplace();
            failure_->code = BlockErrorCode::unknown_parent;
            failure_->number = header.number;
            return {};
        }
        hashes_.push_back(header_hash(header));
        grown_.notify_all();
        return {};
    }
    void submit(Transaction, std::optional<ObjectSet>) override {}
    void end_block() override {}
    std::expected<executor::Summary, BlockError> drain() override {
        const std::scoped_lock lock{mutex_};
        if (failure_.has_value()) return std::unexpected(*failure_);
        return executor::Summary{};
    }
    void stop() noexcept override {}

    const ChainIdentity identity_;
    std::atomic<std::int64_t> delay_ = 0;  // milliseconds for each block
    mutable std::mutex mutex_;
    mutable std::condition_variable grown_;
    std::vector<Hash> hashes_;
    std::uint64_t first_kept_ = 0;
    unsigned begun_ = 0;
    std::optional<BlockError> failure_;
    std::uint64_t refused_ = 0;
    unsigned refusals_ = 0;
    BlockErrorCode code_{};
};

}  // namespace heddle::consensus_adapter::follow::test
