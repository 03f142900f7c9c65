// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "stream/block_finisher.hpp"

#include <algorithm>
#include <string>
#include <thread>
#include <utility>

#include <types/assert.hpp>
#include <types/block_access_list.hpp>
#include <types/expected.hpp>

#include <vm/block.hpp>
#include <vm/next_header.hpp>
#include <vm/validate.hpp>

#include "stream/open_header.hpp"

namespace heddle::executor {

namespace {

/// @param encoded  The block's access list.
std::expected<void, BlockError> check_item_count(const BlockHeader& header, const Bytes& encoded) {
    const std::uint64_t most = max_item_count(header.gas_limit);
    if (encoded.size() <= most) return {};  // no item takes less than a byte
    const auto list = decode_block_access_list(encoded);
    HEDDLE_ASSERT(list.has_value());
    const std::uint64_t items = item_count(*list);
    if (items <= most) return {};
    BlockError error;
    error.code = BlockErrorCode::access_list_too_large;
    error.number = header.number;
    error.computed = std::to_string(items) + " items";
    error.detail = "at most " + std::to_string(most);
    return std::unexpected(std::move(error));
}

}  // namespace

struct BlockFinisher::Duty {
    BlockFinisher& finisher;
    Worker& worker;

    [[nodiscard]] bool has_work() const noexcept { return !finisher.is_idle(); }
    void run_once() { finisher.finish_oldest(worker); }
    void before_giving_back() noexcept {}  // finished_ tells all that there is to tell
    void after_giving_back() noexcept {}
};

void BlockFinisher::attach(const World& world, ChainHead head) {
    world_.emplace(world);
    tip_ = ChainTip{std::move(head)};
    summary_ = tip_.summary();
    error_.reset();
    blocks_.clear();
    is_halted_.store(false, std::memory_order_relaxed);
    has_rejected_.store(false, std::memory_order_relaxed);
}

void BlockFinisher::add(std::shared_ptr<BlockRun> block) {
    const std::lock_guard guard(mutex_);
    blocks_.push_back(std::move(block));
}

void BlockFinisher::end(const BlockRun& block) {
    const std::uint64_t ended = ended_.load(std::memory_order_relaxed);
    {
        const std::lock_guard guard(mutex_);
        const std::uint64_t before = ended - finished_.load(std::memory_order_relaxed);
        HEDDLE_ASSERT(before < blocks_.size() && blocks_[before].get() == &block);
    }
    // Sequentially consistent for ParkingLot; as a release it publishes the block.
    ended_.store(ended + 1, std::memory_order_seq_cst);
}

void BlockFinisher::run(Worker& worker) {
    role_.run(Duty{*this, worker});
}

void BlockFinisher::catch_up(Worker& worker) {
    while (!is_idle()) {
        run(worker);
        if (!is_idle()) std::this_thread::yield();
    }
}

void BlockFinisher::finish_oldest(Worker& worker) {
    std::shared_ptr<BlockRun> block;
    {
        const std::lock_guard guard(mutex_);
        block = blocks_.front();
    }
    leaves_.finish(block->leaves, worker.leaf);
    if (!is_halted()) {
        if (auto result = finish(*block, worker.leaf); !result.has_value()) {
            error_ = std::move(result).error();
            has_rejected_.store(true, std::memory_order_relaxed);
            halt();
        }
    }
    const std::lock_guard guard(mutex_);
    blocks_.erase(blocks_.begin());
    count_finished(*block);
    finished_.store(finished_.load(std::memory_order_relaxed) + 1, std::memory_order_seq_cst);
}

void BlockFinisher::count_finished(const BlockRun& block) noexcept {
    const std::size_t before = finished_bytes_.load(std::memory_order_relaxed);
    finished_bytes_.store(before + block.bytes.submitted + block.bytes.made,
                          std::memory_order_seq_cst);
}

std::expected<void, BlockError> BlockFinisher::finish(BlockRun& block, LeafMaker& maker) {
    if (block.header_error.has_value()) return std::unexpected(*block.header_error);
    // Blocks overlap: what passed before the last one was accepted is that one's.
    block.timing.execution_ns = std::min(block.watch.lap(), watch_.lap());
    // It began before its transactions were there.
    if (block.mode == BlockMode::decided) vm::fill_body(block.block);
    HEDDLE_CHECK(check_body(block, maker));
    if (!block.execution_error.has_value()) make_list(block);
    HEDDLE_CHECK(check_list(block));
    if (block.execution_error.has_value()) return std::unexpected(*block.execution_error);
    HEDDLE_CHECK(conclude(block, maker));
    block.timing.verification_ns = block.watch.lap();
    return hand_over(block);
}

void BlockFinisher::make_list(BlockRun& block) {
    if (!block.execution.owes_access_list()) return;
    // The sink has all blocks before this one.
    after_.attach(world_->state, block.diff);
    block.execution.make_access_list(after_);
}

std::expected<void, BlockError> BlockFinisher::check_body(BlockRun& block, LeafMaker& maker) {
    summary_.stats.leaves_hashed_again += block.leaves.correct(block.block.transactions, maker);
    const auto leaves = block.leaves.of_transactions(block.block.transactions.size());
    if (block.mode == BlockMode::witness)
        HEDDLE_CHECK(vm::validate_body_roots(block.block, world_->config, block.is_merged, leaves));
    else
        HEDDLE_CHECK(vm::validate_body(block.block, tip_.ancestors(), world_->config,
                                       block.is_merged, block.encoded_size_bytes, leaves));
    return {};
}

std::expected<void, BlockError> BlockFinisher::check_list(const BlockRun& block) {
    if (block.claimed_list.empty() || block.list_is_checked ||
        !block.block.header.block_access_list_hash.has_value() ||
        vm::has_made(block.block.header, block.execution.result(), block.claimed_list))
        return {};
    return vm::check_claimed_list(block.block.header, block.claimed_list,
                                  block.block.transactions.size());
}

std::expected<void, BlockError> BlockFinisher::conclude(BlockRun& block, LeafMaker& maker) {
    ReceiptLeaves& leaves = block.leaves.receipts;
    leaves.tell_bloom(block.execution);
    const vm::BlockResult& result = block.execution.result();
    summary_.stats.leaves_hashed_again += leaves.correct(result.receipts, maker);
    const std::optional<Hash> receipts_root = leaves.root(result.receipts.size());
    BlockHeader& header = block.block.header;
    if (!makes_header(block.mode))
        return vm::check(header, result, receipts_root, block.claimed_list);
    vm::fill(header, result, *receipts_root);
    if (block.mode != BlockMode::decided || !header.block_access_list_hash.has_value()) return {};
    // A list that was advice is now the header's: nobody has hashed it, nor counted its items.
    const Bytes& encoded = result.access_list->encoded;
    header.block_access_list_hash = keccak256(encoded);
    return check_item_count(header, encoded);
}

std::expected<void, BlockError> BlockFinisher::hand_over(BlockRun& block) {
    BlockHeader header = block.block.header;
    const std::size_t transaction_count = block.block.transactions.size();
    std::vector<Hash> ommers;
    std::ranges::transform(block.block.ommers, std::back_inserter(ommers), header_hash);

    vm::BlockResult result = block.execution.take_result();
    FinishedBlock finished;
    finished.block = std::move(block.block);
    finished.receipts = std::move(result.receipts);
    finished.execution_gas_used = result.gas.execution;
    finished.state_gas_used = result.gas.state;
    if (result.access_list.has_value())
        finished.access_list = std::move(result.access_list->encoded);
    finished.diff = std::move(block.diff);
    finished.object_sets = block.object_sets.take();
    finished.check_state_root = block.mode == BlockMode::import;
    HEDDLE_TRY(const Hash state_root, world_->sink.commit(std::move(finished)));
    if (makes_header(block.mode)) {
        header.state_root = state_root;
        block.hash = header_hash(header);
    }
    hashes_.remove(header.number);
    tip_.extend(header, block.hash, std::move(ommers));
    block.timing.commit_ns = block.watch.lap();
    (void)watch_.lap();

    summary_.stats.blocks += 1;
    summary_.stats.transactions += transaction_count;
    summary_.stats.gas_used += header.gas_used;
    summary_.stats.timing += block.timing;
    summary_.head_number = header.number;
    summary_.head_hash = block.hash;
    summary_.state_root = header.state_root;
    if (options_.on_block)
        options_.on_block(BlockReport{header, block.hash, transaction_count, block.timing,
                                      block.wasted_gas, rate_.ns(block.worked_ticks)});
    return {};
}

}  // namespace heddle::executor
