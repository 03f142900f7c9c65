// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "dag_executor.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include <types/assert.hpp>
#include <types/expected.hpp>

#include <vm/block.hpp>
#include <vm/validate.hpp>

#include "artificial_delay.hpp"
#include "code_cache_mutex.hpp"
#include "prefetch.hpp"
#include "proposal.hpp"
#include "rejection.hpp"

namespace heddle::executor {
namespace {

/// Ready tasks for each worker beyond which the submitting thread helps before it goes on.
constexpr std::size_t kEnoughBacklog = 16;
/// Tasks in flight beyond which it helps with whatever is ready.
constexpr std::uint64_t kEnoughInFlight = 512;
/// How far ahead of the committer a worker follows what it has released itself, instead of going
/// back to the oldest that is ready.
constexpr std::uint64_t kMaxAhead = 128;
/// Blocks that may have ended and not be finished when another one begins.
constexpr std::uint64_t kMaxUnfinished = 8;
constexpr std::size_t kAhead = 2;          // transactions ahead for which memory is fetched
constexpr std::size_t kMinimumWindow = 4;  // the ends of a block, a transaction, and one more
// A small block with nothing else in flight is run in stream order: handing over takes as long as
// what is handed over.
constexpr std::size_t kSmallBlock = 3;  // transactions
constexpr std::uint64_t kSmallBlockGas = 500'000;
// The same, of nearly nothing but plain transfers.
constexpr std::uint64_t kSmallPlainBlockGas = 2'000'000;
constexpr std::uint64_t kNearlyPlainGas = 25'000;  // for each transaction

/// By what was announced and claimed, which decides only how the block is run.
/// @param is_alone  Of a stream of small blocks the next one can be run meanwhile.
bool is_small(const BlockStart& block, bool is_alone) noexcept {
    const std::size_t count = block.transaction_count;
    if (count != 0 && count <= kSmallBlock) return true;
    if (!is_alone || block.mode == BlockMode::propose) return false;
    const std::uint64_t gas = block.header.gas_used;
    return gas <= kSmallBlockGas || (gas <= kSmallPlainBlockGas && gas <= count * kNearlyPlainGas);
}

unsigned worker_count(const DagOptions& options) {
    return options.workers != 0 ? options.workers
                                : std::max(1U, std::thread::hardware_concurrency());
}

/// Where threads would outnumber processors, stages are better fused.
unsigned pipeline_threads(const DagOptions& options) {
    if (options.pipeline != 0) return std::min(options.pipeline, kDispatchStages + 1);
    return std::thread::hardware_concurrency() >= 8 ? 2 : 1;
}

vm::EvmOptions evm_options(const Options& options) {
    vm::EvmOptions result;
    result.engine = options.interpreter == Interpreter::fast ? vm::Engine::fast : vm::Engine::plain;
    result.code_cache =
        options.code_cache != nullptr ? options.code_cache : make_shared_code_cache();
    result.decode_gas_per_byte = vm::kDecodeGasPerByte;
    result.record_accesses = true;
    result.defer_fees = true;
    return result;
}

}  // namespace

DagExecutor::DagExecutor(Options options)
    : options_(std::move(options)),
      is_fused_(pipeline_threads(options_.dag) == 1),
      window_capacity_(std::max(options_.dag.window_transactions, kMinimumWindow)),
      window_(window_capacity_),
      leaves_(worker_count(options_.dag) > 1),
      finisher_(options_, hashes_, leaves_),
      committer_(options_, window_, state_, hashes_, attempts_, leaves_, finisher_, *this),
      indexer_(options_.dag, state_),
      dispatcher_(options_.dag, window_, state_),
      pool_(worker_count(options_.dag), options_.dag.pin_threads, evm_options(options_),
            window_capacity_ + 1, *this),
      pipeline_(pipeline_threads(options_.dag), options_.dag.batch_size, *this) {
    HEDDLE_ASSERT(options_.tracer == nullptr);
    for (const auto& worker : pool_.workers())
        worker->delays = options_.dag.delay_seed + worker->index;
}

DagExecutor::~DagExecutor() {
    finisher_.halt();
    wait_until_idle();
    if (block_ != nullptr) leaves_.finish(*block_, pool_.owner().leaf);
}

void DagExecutor::start(const World& world, ChainHead head) {
    finisher_.halt();
    wait_until_idle();
    if (block_ != nullptr) leaves_.finish(*block_, pool_.owner().leaf);
    world_.emplace(world);
    tip_ = ChainTip{head};
    state_.attach(world.state);
    hashes_.attach(world.block_hashes);
    committer_.attach(world);
    finisher_.attach(world, std::move(head));
    block_.reset();
    is_tip_known_ = true;
    is_alone_ = true;
    submitted_gas_ = committer_.committed_gas();
    stats_ = {};
    at_start_.waited = waited_.get();
    at_start_.edges = dispatcher_.edge_count();
    at_start_.cold_reads = state_.cold_reads();
    for (const auto& worker : pool_.workers())
        worker->reset_counters();
}

void DagExecutor::wait_until_idle() {
    pool_.help_until([this] { return is_idle(); });
}

bool DagExecutor::is_idle() const noexcept {
    return window_.committed() == next_position_ && finisher_.is_idle();
}

// --- The submitting thread -----------------------------------------------------------------------

std::expected<void, BlockError> DagExecutor::begin_block(BlockStart start) {
    HEDDLE_ASSERT(world_.has_value() && block_ == nullptr);
    if (start.mode == BlockMode::propose || !is_tip_known_ || state_.wants_trim()) {
        // A header that is being made needs the values of its parent.
        wait_until_idle();
        tip_ = finisher_.tip();
        is_tip_known_ = true;
        if (!finisher_.is_halted() && state_.wants_trim()) {
            state_.trim();
            committer_.forget_cells();
        }
    }
    // What one of them left behind is bounded by the window, what all of them did is not.
    if (finisher_.backlog() > kMaxUnfinished)
        pool_.help_until([this] { return finisher_.backlog() <= kMaxUnfinished; });
    if (finisher_.is_halted()) return std::unexpected(halted_error(start.header.number));
    block_ = std::make_shared<BlockRun>();
    BlockRun& block = *block_;
    block.mode = start.mode;
    block.encoded_size_bytes = start.encoded_size_bytes;
    block.serial = next_block_++;
    block.is_small = options_.dag.run_chains_inline && window_.committed() == next_position_ &&
                     is_small(start, is_alone_);
    is_alone_ = false;
    block.block.header = std::move(start.header);
    block.block.ommers = std::move(start.ommers);
    block.block.withdrawals = std::move(start.withdrawals);
    block.block.transactions.reserve(std::max<std::size_t>(start.transaction_count, 16));
    block.transaction_leaves.resize(block.block.transactions.capacity());
    if (block.mode == BlockMode::propose) {
        pending_.clear();  // the header follows from all of them
    } else {
        prepare(block);
        submit_boundary(TaskKind::begin_block);
    }
    return {};
}

void DagExecutor::prepare(BlockRun& block) {
    BlockHeader& header = block.block.header;
    const ChainConfig& config = world_->config;
    const Ancestor* parent = tip_.parent();
    if (block.mode == BlockMode::propose && parent != nullptr)
        header.number = parent->header.number + 1;
    block.is_merged = vm::is_merged(header, tip_.total_difficulty(), config);
    if (block.mode == BlockMode::propose)
        prepare_proposal(block.block, *parent, config, block.is_merged);
    if (block.mode != BlockMode::witness) {
        HEDDLE_ASSERT(parent != nullptr);
        if (header.parent_hash != parent->hash) {
            block.header_error = unknown_parent_error(header, parent->hash);
        } else if (auto result =
                       vm::validate_header(header, parent->header, config, block.is_merged);
                   !result.has_value()) {
            block.header_error = std::move(result).error();
        }
    }
    if (block.header_error.has_value()) return;
    block.env = vm::make_block_env(header, config, block.is_merged);
    block.beneficiary = &state_.account(block.env.beneficiary);
    if (block.mode != BlockMode::propose) {
        block.hash = header_hash(header);
        hashes_.add(header.number, block.hash);
    }
}

Task& DagExecutor::make_task(TaskKind kind) {
    Task& task = window_.make(next_position_);
    task.reset();
    task.state.store(TaskState::waiting, std::memory_order_relaxed);
    task.kind = kind;
    task.position = next_position_++;
    task.block = block_.get();
    task.tx = nullptr;
    stats_.most_in_flight = std::max(stats_.most_in_flight, next_position_ - window_.committed());
    return task;
}

void DagExecutor::submit_boundary(TaskKind kind) {
    make_room(0);
    const Task& task = make_task(kind);
    if (kind == TaskKind::begin_block) {
        block_->first_stamp = make_stamp(task.position, 0);
        finisher_.add(block_);
    }
    pipeline_.enter(task.position);
}

void DagExecutor::submit(Transaction tx, std::optional<ObjectSet> objects) {
    HEDDLE_ASSERT(block_ != nullptr);
    if (block_->header_error.has_value() || finisher_.is_halted()) return;
    if (block_->mode == BlockMode::propose)
        pending_.push_back({std::move(tx), std::move(objects)});
    else
        submit_transaction(std::move(tx), std::move(objects));
}

void DagExecutor::submit_transaction(Transaction&& tx, std::optional<ObjectSet>&& objects) {
    make_room_in_block();
    make_room(tx.gas_limit);
    ++stats_.dispatched;
    submitted_gas_ += tx.gas_limit;
    Task& task = make_task(TaskKind::transaction);
    std::vector<Transaction>& transactions = block_->block.transactions;
    task.index = static_cast<std::uint32_t>(transactions.size());
    task.tx = &transactions.emplace_back(std::move(tx));
    prefetch_for_write(task.tx + kAhead);
    task.declared = std::move(objects);
    pipeline_.enter(task.position);
    publish_transactions(false);
    help_if_ahead();
}

void DagExecutor::publish_transactions(bool is_last) {
    if (leaves_.publish(*block_, LeafKind::transaction, block_->block.transactions.size(), is_last,
                        pool_.owner().leaf))
        pool_.notify_any();
}

// --- The dispatcher's stages ---------------------------------------------------------------------

void DagExecutor::run_stage(DispatchStage stage, std::uint64_t position) {
    Task& task = window_.at(position);
    switch (stage) {
        case DispatchStage::index:
            if (task.tx != nullptr) {
                task.upfront_cost.reset();
                if (const auto cost = vm::upfront_cost(*task.tx)) task.upfront_cost = *cost;
            }
            // Where one thread runs all stages, one buffer does, and stays in the caches.
            if (is_fused_) task.requests.swap(requests_);
            indexer_.index(task);
            task.object_count = static_cast<std::uint32_t>(task.requests.size());
            indexed_objects_.add(task.object_count);
            return;
        case DispatchStage::prefetch:
            return prefetch(task);
        case DispatchStage::spawn:
            return spawn(task);
    }
}

/// With a thread of its own for it, cold state is read here, so that no worker has to wait for it;
/// without one, it is read by whoever needs it first.
void DagExecutor::prefetch(const Task& task) {
    if (is_fused_) return;
    for (const ObjectRequest& request : task.requests) {
        if (request.slot != nullptr)
            state_.ensure_loaded(*request.slot);
        else
            state_.ensure_loaded(*request.account);
    }
}

void DagExecutor::spawn(Task& task) {
    // Where this thread fills in the tasks too, no slot is used again meanwhile.
    const std::uint64_t watermark = is_fused_ ? window_.committed() : window_.begin_lookup();
    const bool runs_in_order = dispatcher_.order(task, watermark) || task.block->is_small ||
                               task.kind != TaskKind::transaction;
    if (is_fused_) task.requests.swap(requests_);
    if (runs_in_order) task.state.store(TaskState::in_order, std::memory_order_relaxed);
    const std::uint64_t position = task.position;
    window_.set_dispatched(position + 1, runs_in_order);
    if (!runs_in_order) {
        const std::uint64_t gas = task.tx->gas_limit;
        if (dispatcher_.release(task))
            pool_.push({position, gas});
        else
            waited_.add();
    } else if (is_fused_) {
        committer_.run_first(pool_.owner());
    } else {
        pool_.notify_any();
    }
    if (!is_fused_) {
        window_.end_lookup();
        pool_.notify_owner();
    }
}

/// Back-pressure: waits until the window has room in every respect.
void DagExecutor::make_room(std::uint64_t gas) {
    const auto has_room = [&] {
        const std::uint64_t in_flight = next_position_ - window_.held();
        if (in_flight == 0) return true;
        const DagOptions& limits = options_.dag;
        return in_flight < window_capacity_ &&
               submitted_gas_ + gas - committer_.committed_gas() <= limits.window_gas &&
               indexed_objects_.get() - committer_.committed_objects() < limits.window_objects;
    };
    if (has_room()) return;
    ++stats_.window_full;
    pool_.help_until(has_room);
}

/// Tasks point to their transactions, which therefore cannot move while they are in flight.
void DagExecutor::make_room_in_block() {
    std::vector<Transaction>& transactions = block_->block.transactions;
    if (transactions.size() < transactions.capacity()) return;
    wait_until_idle();
    leaves_.finish(*block_, pool_.owner().leaf);
    transactions.reserve(2 * transactions.capacity());
    block_->transaction_leaves.resize(transactions.capacity());
    block_->assembler.reserve(transactions.capacity());
}

/// Going on would only move what is in flight out of the caches. With nothing ready it goes on: the
/// oldest may be waiting for one that takes long.
void DagExecutor::help_if_ahead() {
    const std::size_t backlog = pool_.backlog();
    const bool is_far = next_position_ - window_.committed() > kEnoughInFlight;
    if (backlog > (is_far ? 0 : kEnoughBacklog * pool_.workers().size())) pool_.help_once();
}

void DagExecutor::end_block() {
    HEDDLE_ASSERT(block_ != nullptr);
    BlockRun& block = *block_;
    if (block.mode == BlockMode::propose) {
        std::vector<Transaction>& transactions = block.block.transactions;
        transactions.reserve(pending_.size() + 1);
        block.transaction_leaves.resize(transactions.capacity());
        for (Pending& pending : pending_)
            transactions.push_back(pending.tx);
        prepare(block);
        transactions.clear();
        submit_boundary(TaskKind::begin_block);
        if (!block.header_error.has_value())
            for (Pending& pending : pending_)
                submit_transaction(std::move(pending.tx), std::move(pending.objects));
        pending_.clear();
        is_tip_known_ = false;
    } else if (!block.header_error.has_value()) {
        std::vector<Hash> ommers;
        std::ranges::transform(block.block.ommers, std::back_inserter(ommers), header_hash);
        tip_.extend(block.block.header, block.hash, std::move(ommers));
    }
    if (!block.header_error.has_value()) publish_transactions(true);
    submit_boundary(TaskKind::end_block);
    block_.reset();
}

std::expected<Summary, BlockError> DagExecutor::drain() {
    HEDDLE_ASSERT(block_ == nullptr);
    wait_until_idle();
    is_alone_ = true;
    if (finisher_.error().has_value()) return std::unexpected(*finisher_.error());
    Summary summary = finisher_.summary();
    summary.stats.dag = dag_stats();
    return summary;
}

DagStats DagExecutor::dag_stats() const {
    DagStats stats = stats_;
    stats.waited = waited_.get() - at_start_.waited;
    stats.edges = dispatcher_.edge_count() - at_start_.edges;
    stats.cold_reads = state_.cold_reads() - at_start_.cold_reads;
    for (const auto& worker : pool_.workers()) {
        stats.executed += worker->executed.get();
        stats.stolen += worker->stolen.get();
        stats.continued += worker->continued.get();
        stats.in_order += worker->in_order.get();
        stats.unattempted += worker->failed.get();
        stats.repaired += worker->repaired.get();
    }
    return stats;
}

void DagExecutor::stop() noexcept {
    finisher_.halt();
}

// --- Any worker ----------------------------------------------------------------------------------

void DagExecutor::run(Worker& worker, std::span<const ReadyItem> items, unsigned from) {
    if (from != worker.index) worker.stolen.add(items.size());
    for (std::size_t i = 0; i + 1 < items.size(); ++i)
        execute(worker, window_.at(items[i].position), false);
    Task* next = execute(worker, window_.at(items.back().position), true);
    while (next != nullptr) {
        worker.continued.add();
        committer_.run(worker);
        next = execute(worker, *next, true);
    }
    committer_.run(worker);
}

/// A block that has ended first: the oldest leaves are its own, and the sink should not have to
/// wait until the stream pauses.
bool DagExecutor::run_aside(Worker& worker) {
    if (!finisher_.has_work()) return leaves_.run_once(worker.leaf);
    finisher_.run(worker);
    pool_.notify_owner();
    return true;
}

bool DagExecutor::run_other(Worker& worker) {
    if (is_fused_ || !committer_.has_work()) return false;
    committer_.run(worker);
    return true;
}

/// Where the submitting thread dispatches, it also runs what has to run in order.
bool DagExecutor::has_other() const noexcept {
    return leaves_.has_work() || finisher_.has_work() || (!is_fused_ && committer_.has_work());
}

void DagExecutor::make_ready(Worker& worker, Task& task) {
    pool_.push(worker, {task.position, task.tx->gas_limit});
}

void DagExecutor::on_progress() noexcept {
    pool_.notify_owner();
}

void DagExecutor::on_work_aside() noexcept {
    pool_.notify_any();
}

Task* DagExecutor::execute(Worker& worker, Task& task, bool may_continue) {
    if (options_.dag.delay_seed != 0) delay_artificially(worker.delays);
    Task* next = nullptr;
    TaskState state = TaskState::unattempted;
    if (!finisher_.is_halted()) {
        worker.executed.add();
        task.attempt = &worker.take_attempt(attempts_);
        if (attempt(worker, task, *task.attempt)) {
            if (options_.dag.delay_seed != 0) delay_artificially(worker.delays);
            publish(state_, *task.attempt, make_stamp(task.position, 0));
            task.close(DagNode::Event::complete, [&](DagNode& node) {
                auto& successor = static_cast<Task&>(node);
                if (may_continue && next == nullptr &&
                    successor.position < window_.committed() + kMaxAhead)
                    next = &successor;
                else
                    make_ready(worker, successor);
            });
            state = TaskState::attempted;
        } else {
            worker.give_back(*task.attempt, attempts_);
            worker.failed.add();
        }
    }
    // From here on the task is the committer's.
    task.state.store(state, std::memory_order_release);
    return next;
}

bool DagExecutor::attempt(Worker& worker, const Task& task, Attempt& attempt) {
    Transaction& tx = *task.tx;
    if (!tx.sender.has_value()) tx.sender = recover_sender(tx);
    if (!tx.sender.has_value() || !task.upfront_cost.has_value()) return false;
    worker.view.begin(state_, attempt, task);
    const BlockEnv& env = task.block->env;
    // What the block has left is known when the turn has come.
    const auto valid =
        vm::validate(tx, worker.view, env, {env.gas_limit, env.max_blob_gas_per_block});
    if (!valid.has_value()) return false;
    worker.view.restart();
    vm::transition(worker.view, hashes_, env, *valid, worker.evm, attempt.outcome);
    return true;
}

std::unique_ptr<Executor> make_dag_executor(Options options) {
    return std::make_unique<DagExecutor>(std::move(options));
}

}  // namespace heddle::executor
