// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "serial_executor.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include <types/assert.hpp>
#include <types/expected.hpp>

#include <vm/block.hpp>

#include "stream/open_block.hpp"
#include "stream/open_header.hpp"
#include "stream/rejection.hpp"
#include "stream/run_trace.hpp"
#include "workers/stopwatch.hpp"

namespace heddle::executor {

namespace {

vm::EvmOptions evm_options(const Options& options) {
    vm::EvmOptions result;
    result.engine = options.interpreter == Interpreter::fast ? vm::Engine::fast : vm::Engine::plain;
    result.tracer = options.tracer;
    result.code_cache = options.code_cache;
    result.decode_after_entries = vm::kDecodeAfterEntries;
    result.record_accesses = options.record_sets;
    result.leave_blooms = true;
    return result;
}

/// Hashing the leaves of so few transactions takes no longer than waking somebody for it.
constexpr std::size_t kFewLeaves = 128;

}  // namespace

SerialExecutor::SerialExecutor(Options options, ScheduleObserver* observer)
    : options_(std::move(options)), observer_(observer), evm_(evm_options(options_)) {
    if (options_.tracer == nullptr) return;
    vm::EvmOptions quiet = evm_options(options_);
    quiet.tracer = nullptr;
    quiet_evm_.emplace(quiet);
}

void SerialExecutor::start(const World& world, ChainHead head) {
    world_.emplace(world);
    state_.attach(world_->state);
    stand_on(std::move(head));
}

void SerialExecutor::go_on(ChainHead head, std::span<const StateDiff> missed) {
    HEDDLE_ASSERT(world_.has_value() && !is_in_block_ && !error_.has_value());
    for (const StateDiff& diff : missed)
        state_.follow(diff);
    stand_on(std::move(head));
}

void SerialExecutor::stand_on(ChainHead head) {
    tip_ = ChainTip{std::move(head)};
    summary_ = tip_.summary();
    error_.reset();
    is_stopped_.store(false, std::memory_order_relaxed);
    is_in_block_ = false;
    // A stream may have needed them before this one.
    evm_.record_accesses(options_.record_sets);
    block_evm().record_accesses(options_.record_sets);
}

bool SerialExecutor::is_halted() const noexcept {
    return error_.has_value() || is_stopped_.load(std::memory_order_relaxed);
}

std::expected<void, BlockError> SerialExecutor::begin_block(BlockStart block) {
    HEDDLE_ASSERT(world_.has_value() && !is_in_block_);
    if (is_halted()) return std::unexpected(halted_error(block.header.number));
    is_in_block_ = true;
    mode_ = block.mode == BlockMode::decided ? BlockMode::propose : block.mode;
    encoded_size_bytes_ = block.encoded_size_bytes;
    claimed_list_ = mode_ == BlockMode::propose ? Bytes{} : std::move(block.access_list);
    block_.header = std::move(block.header);
    block_.ommers = std::move(block.ommers);
    block_.withdrawals = std::move(block.withdrawals);
    block_.transactions.clear();
    block_.transactions.reserve(block.transaction_count);
    return {};
}

void SerialExecutor::submit(Transaction tx, std::optional<ObjectSet> /*objects*/) {
    HEDDLE_ASSERT(is_in_block_);
    block_.transactions.push_back(std::move(tx));
}

void SerialExecutor::end_block() {
    HEDDLE_ASSERT(is_in_block_);
    is_in_block_ = false;
    if (is_halted()) return;
    if (auto result = run_block(); !result.has_value()) error_ = std::move(result).error();
}

std::expected<Summary, BlockError> SerialExecutor::drain() {
    HEDDLE_ASSERT(!is_in_block_);
    if (error_.has_value()) return std::unexpected(*error_);
    return summary_;
}

void SerialExecutor::stop() noexcept {
    is_stopped_.store(true, std::memory_order_relaxed);
}

std::expected<void, BlockError> SerialExecutor::run_block() {
    Stopwatch watch;
    Timing timing;
    HEDDLE_CHECK(open_header(block_, mode_, tip_, world_->config));
    if (observer_ != nullptr) observer_->on_block(block_.header.number);
    const bool is_merged = vm::is_merged(block_.header, tip_.total_difficulty(), world_->config);
    begin_leaves();
    // Where others hash its leaves, the body is checked when they are done.
    if (!leaves_.are_shared) HEDDLE_CHECK(check_body(is_merged));
    timing.verification_ns += watch.lap();

    // One that does not recover is left to validate(), which knows what to say of it.
    signers_->run(block_.transactions);
    timing.recovery_ns = watch.lap();

    const BlockEnv env = vm::make_block_env(block_.header, world_->config, is_merged);
    is_read_ahead_ = leaves_.are_shared && ahead_ != nullptr;
    if (is_read_ahead_) ahead_->begin(world_->state, block_.transactions, &patterns_);
    Result executed = execute(env);
    if (is_read_ahead_) {
        ahead_->end();
        patterns_.publish();
    }
    StateDiff diff = state_.diff();
    timing.execution_ns = watch.lap();

    hasher_->finish(leaves_, leaf_);
    if (leaves_.are_shared) HEDDLE_CHECK(check_body(is_merged));
    // The list that was made is the one that came: it is in good form.
    if (!executed.has_value() || !vm::has_made(block_.header, execution_.result(), claimed_list_))
        HEDDLE_CHECK(check_list());
    HEDDLE_CHECK(std::move(executed));
    HEDDLE_CHECK(conclude());
    timing.verification_ns += watch.lap();
    return commit(std::move(diff), timing, watch);
}

void SerialExecutor::begin_leaves() {
    const std::size_t count = block_.transactions.size();
    leaves_.are_shared = hasher_->has_helpers() && count > kFewLeaves;
    leaves_.begin(count);
    hasher_->publish(leaves_, block_.transactions, true, leaf_);
}

std::expected<void, BlockError> SerialExecutor::check_body(bool is_merged) const {
    const auto leaves = leaves_.of_transactions(block_.transactions.size());
    if (mode_ == BlockMode::witness)
        HEDDLE_CHECK(vm::validate_body_roots(block_, world_->config, is_merged, leaves));
    else
        HEDDLE_CHECK(vm::validate_body(block_, tip_.ancestors(), world_->config, is_merged,
                                       encoded_size_bytes_, leaves));
    return {};
}

std::expected<void, BlockError> SerialExecutor::check_list() const {
    if (claimed_list_.empty() || !block_.header.block_access_list_hash.has_value()) return {};
    return vm::check_claimed_list(block_.header, claimed_list_, block_.transactions.size());
}

std::expected<void, BlockError> SerialExecutor::execute(const BlockEnv& env) {
    // Of a partial state there is no root, and so none of receipts that carry such roots.
    const bool has_roots = mode_ != BlockMode::witness || env.revision >= Revision::byzantium;
    leaves_.receipts.begin(block_.transactions.size(), has_roots);
    vm::BlockContext context{.header = block_.header,
                             .env = env,
                             .config = world_->config,
                             .block_hashes = world_->block_hashes,
                             .access_list = access_list_making(options_)};
    if (options_.record_sets) context.recorder = &object_sets_;
    if (has_roots)
        context.state_root = [this] { return world_->sink.state_root_with(state_.diff()); };
    (void)object_sets_.take();  // of a block that was rejected
    HEDDLE_CHECK(execution_.begin(context, state_, block_evm()));
    execution_.reserve(block_.transactions.size());
    const std::vector<Receipt>& receipts = execution_.result().receipts;
    const auto count = static_cast<std::uint32_t>(block_.transactions.size());
    for (std::uint32_t i = 0; i < count; ++i) {
        const Transaction& tx = block_.transactions[i];
        look_ahead(i);
        const auto added = traced(observer_, 0, {block_.header.number, i}, RunTrace::Kind::in_order,
                                  [&] { return run_transaction(i); });
        if (!added.has_value())
            return std::unexpected(transaction_error(block_.header, i, tx, added.error(), state_));
        if (!has_roots) continue;
        leaves_.receipts.add(i, receipts.back());
        hasher_->publish(leaves_, execution_.receipts(), i + 1 == count, leaf_);
    }
    return execution_.end(vm::ending_of(block_, env.revision), block_evm());
}

void SerialExecutor::look_ahead(std::uint32_t index) {
    ReadAhead* const ahead = is_read_ahead_ ? ahead_ : nullptr;
    const TransactionAhead* const read = state_.expect_next(block_.transactions, index, ahead);
    if (read != nullptr) evm_.remember(read->hashes);
    if (ahead == nullptr || index % BlockState::kLookedAtOnce != 0) return;
    const std::uint64_t hashes = evm_.hashes_missed();
    ahead->want(state_.misses() || hashes != std::exchange(hashes_before_, hashes));
}

std::expected<void, TransactionError> SerialExecutor::run_transaction(std::uint32_t index) {
    const Transaction& tx = block_.transactions[index];
    if (!is_read_ahead_ || !patterns_.wants(tx)) return execution_.add(tx, evm_, outcome_);
    notes_.clear();
    evm_.note_hashes(&notes_.hashes);
    state_.note_reads(&notes_.read);
    const auto added = execution_.add(tx, evm_, outcome_);
    evm_.note_hashes(nullptr);
    state_.note_reads(nullptr);
    // One that failed may have ended before it read what others will.
    if (added.has_value() && outcome_.status == vm::Status::success) patterns_.learn(tx, notes_);
    return added;
}

std::expected<void, BlockError> SerialExecutor::conclude() {
    leaves_.receipts.tell_bloom(execution_);
    const vm::BlockResult& result = execution_.result();
    const std::optional<Hash> receipts_root = leaves_.receipts.root(result.receipts.size());
    if (mode_ != BlockMode::propose)
        return vm::check(block_.header, result, receipts_root, claimed_list_);
    vm::fill(block_.header, result, *receipts_root);
    return {};
}

std::expected<void, BlockError> SerialExecutor::commit(StateDiff diff, Timing& timing,
                                                       Stopwatch& watch) {
    BlockHeader header = block_.header;
    const std::size_t transaction_count = block_.transactions.size();
    std::vector<Hash> ommers;
    std::ranges::transform(block_.ommers, std::back_inserter(ommers), header_hash);

    vm::BlockResult result = execution_.take_result();
    FinishedBlock finished;
    finished.block = std::move(block_);
    finished.receipts = std::move(result.receipts);
    finished.execution_gas_used = result.gas.execution;
    finished.state_gas_used = result.gas.state;
    if (result.access_list.has_value())
        finished.access_list = std::move(result.access_list->encoded);
    finished.diff = std::move(diff);
    finished.object_sets = object_sets_.take();
    finished.check_state_root = mode_ == BlockMode::import;
    HEDDLE_TRY(const Hash state_root, world_->sink.commit(std::move(finished)));
    state_.accept();
    if (mode_ == BlockMode::propose) header.state_root = state_root;
    timing.commit_ns = watch.lap();

    const Hash hash = header_hash(header);
    tip_.extend(header, hash, std::move(ommers));
    timing.verification_ns += watch.lap();

    summary_.stats.blocks += 1;
    summary_.stats.transactions += transaction_count;
    summary_.stats.gas_used += header.gas_used;
    summary_.stats.timing += timing;
    summary_.head_number = header.number;
    summary_.head_hash = hash;
    summary_.state_root = header.state_root;
    if (options_.on_block) options_.on_block(BlockReport{header, hash, transaction_count, timing});
    return {};
}

std::unique_ptr<Executor> make_serial_executor(Options options) {
    return std::make_unique<SerialExecutor>(std::move(options));
}

}  // namespace heddle::executor
