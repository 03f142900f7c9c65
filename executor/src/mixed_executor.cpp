// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "mixed_executor.hpp"

#include <chrono>
#include <utility>

#include <types/assert.hpp>

#include <vm/block_execution.hpp>

#include "parallel_settings.hpp"

namespace heddle::executor {
namespace {

/// Workers that have enough to do with what is not execution of a light block. Where there are
/// more, they share also what a list costs that the block must have.
constexpr unsigned kMostHelpers = 2;

std::uint64_t now_ns() noexcept {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(std::chrono::nanoseconds(now).count());
}

}  // namespace

MixedExecutor::MixedExecutor(const Options& options, PolicyChoice policy)
    : options_(options),
      use_(policy.use),
      observer_(policy.observer),
      may_be_serial_(can_run_serially(options.parallel)),
      judges_pace_(use_.judges_pace && may_be_serial_),
      // Where nobody asks for speed, as in tests, ways are to change within a few blocks.
      judge_(options.parallel.may_outnumber_processors ? 0 : PaceJudge::kRoundNs),
      serial_(timed(options, true), policy.observer),
      parallel_(timed(options, false), std::move(policy)) {
    serial_.share(parallel_.signers(), parallel_.leaves(), parallel_.read_ahead());
}

MixedExecutor::~MixedExecutor() = default;

Options MixedExecutor::timed(const Options& options, bool is_serial) {
    Options result = options;
    if (!judges_pace_) return result;
    result.on_block = [this, is_serial, tell = options.on_block](const BlockReport& report) {
        // The judge has chosen for every block of the parallel executor. The serial one has small
        // blocks as well, and tells of each before the next begins: pace_ is still that block's.
        if (!is_serial || pace_.has_value())
            judge_.ended(report.header.gas_used, now_ns(), report.worked_ns);
        if (tell) tell(report);
    };
    return result;
}

ListedExecutor& MixedExecutor::listed() {
    if (owned_listed_ == nullptr) {
        owned_listed_ = std::make_unique<ListedExecutor>(options_, observer_);
        listed_.store(owned_listed_.get(), std::memory_order_seq_cst);
    }
    return *owned_listed_;
}

void MixedExecutor::start(const World& world, ChainHead head) {
    // What is left of an earlier stream must not reach a sink that may be gone.
    if (current_ == &parallel_) parallel_.abandon();
    if (owned_listed_ != nullptr && current_ == owned_listed_.get()) owned_listed_->abandon();
    judge_.start();
    missed_.attach(world.sink);
    waiting_ = nullptr;
    BlockSink& sink = judges_pace_ ? missed_ : world.sink;
    world_.emplace(World{world.config, world.state, world.block_hashes, sink});
    head_ = std::move(head);
    current_ = nullptr;
    is_made_ = false;
    is_alone_ = true;
    before_ = {};
    is_stopped_.store(false, std::memory_order_seq_cst);
}

void MixedExecutor::go_on(Executor& executor, ChainHead head) {
    Executor* const before = current_;
    if (!resume(executor, head)) executor.start(*world_, std::move(head));
    forget_waiting();
    const bool is_timed = before == &serial_ || before == &parallel_;
    if (is_timed && before != &executor && returns_soon()) {
        waiting_ = before;
        missed_.begin();
    }
    current_ = &executor;
    // Sequentially consistent, as in stop(): if this does not see it, stop() comes after start().
    if (is_stopped_.load(std::memory_order_seq_cst)) executor.stop();
}

bool MixedExecutor::resume(Executor& executor, ChainHead& head) {
    if (&executor != waiting_ || !missed_.are_known()) return false;
    if (&executor == &serial_)
        serial_.go_on(std::move(head), missed_.diffs());
    else
        parallel_.go_on(std::move(head), missed_.diffs());
    return true;
}

bool MixedExecutor::returns_soon() const {
    return pace_.has_value() && judge_.is_undecided();
}

void MixedExecutor::forget_waiting() noexcept {
    waiting_ = nullptr;
    missed_.end();
}

bool MixedExecutor::can_use_list(const BlockStart& block) const {
    if (!use_.takes_lists || options_.parallel.knowledge != Knowledge::values ||
        block.access_list.empty())
        return false;
    // No list can describe an older block, whose receipts may carry roots of states in between.
    const BlockHeader& header = block.header;
    if (world_->config.revision(header.number, header.timestamp, false) < vm::kAccessListsSince)
        return false;
    // A header that is being made may need the list itself.
    if (block.mode == BlockMode::decided) return options_.make_access_lists;
    return block.mode != BlockMode::propose;
}

bool MixedExecutor::is_left_to_one(const BlockStart& block) const {
    if (!is_light(block) || !world_->state.is_in_memory()) return false;
    const bool is_list_due =
        options_.make_access_lists || block.header.block_access_list_hash.has_value();
    return !is_list_due || worker_count(options_.parallel) <= kMostHelpers + 1;
}

Executor& MixedExecutor::choose(const BlockStart& block) {
    pace_.reset();
    const bool is_first = current_ == nullptr || current_ == &serial_;
    if (may_be_serial_ && is_first) {
        if (is_alone_ && is_small(block, true)) return serial_;
        if (is_left_to_one(block)) return serial_;
    }
    if (can_use_list(block)) return listed();
    return judges_pace_ ? choose_by_pace() : parallel_;
}

Executor& MixedExecutor::choose_by_pace() {
    // Whoever has rejected a block goes on refusing.
    if (current_ != nullptr && judge_.wants_pause() && !current_->drain().has_value())
        return *current_;
    pace_ = judge_.next();
    return *pace_ == Pace::alone ? static_cast<Executor&>(serial_) : parallel_;
}

void MixedExecutor::begin_timing(const BlockStart& block) {
    if (current_ == &parallel_) parallel_.set_pace(*pace_);
    // That is decided with nothing in flight only.
    if (waiting_ != nullptr && !judge_.is_undecided()) forget_waiting();
    judge_.begin(now_ns());
    if (const auto reason = judge_.take_reason(); reason.has_value() && options_.on_choice)
        options_.on_choice(block.header.number, *reason);
}

ChainHead MixedExecutor::head() const {
    if (current_ == &serial_) return serial_.tip().head();
    return current_ == &parallel_ ? parallel_.tip().head() : owned_listed_->tip().head();
}

std::expected<void, BlockError> MixedExecutor::begin_block(BlockStart block) {
    HEDDLE_ASSERT(world_.has_value());
    Executor& next = choose(block);
    is_alone_ = false;
    const bool makes_listed = block.mode == BlockMode::decided && &next == owned_listed_.get();
    const bool is_known = !std::exchange(is_made_, makes_listed);
    if (current_ == nullptr) {
        go_on(next, std::move(head_));
    } else if (current_ != &next || !is_known) {
        const auto summary = current_->drain();
        // Whoever has rejected a block goes on refusing.
        if (summary.has_value()) {
            before_ += summary->stats;
            go_on(next, head());
        }
    }
    if (block.mode == BlockMode::decided && current_ == &parallel_) block.mode = BlockMode::propose;
    if (pace_.has_value()) begin_timing(block);
    return current_->begin_block(std::move(block));
}

void MixedExecutor::recover_signers(std::span<Transaction> transactions) {
    current_->recover_signers(transactions);
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
    summary->stats += before_;
    return summary;
}

void MixedExecutor::stop() noexcept {
    is_stopped_.store(true, std::memory_order_seq_cst);
    serial_.stop();
    parallel_.stop();
    if (ListedExecutor* const listed = listed_.load(std::memory_order_seq_cst)) listed->stop();
}

MemoryUse MixedExecutor::memory() const {
    MemoryUse use = parallel_.memory();
    if (const ListedExecutor* const listed = listed_.load(std::memory_order_seq_cst)) {
        const MemoryUse listed_use = listed->memory();
        use.list_bytes = listed_use.list_bytes;
        use.executed_blocks += listed_use.executed_blocks;
    }
    return use;
}

}  // namespace heddle::executor
