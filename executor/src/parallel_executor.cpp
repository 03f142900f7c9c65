// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "parallel_executor.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include <types/assert.hpp>
#include <types/held_bytes.hpp>

#include "parallel_settings.hpp"
#include "stream/open_block.hpp"
#include "stream/rejection.hpp"
#include "workers/prefetch.hpp"

namespace heddle::executor {
namespace {

/// Ready tasks for each worker beyond which the submitting thread helps before it goes on.
constexpr std::size_t kEnoughBacklog = 16;
/// Tasks in flight, for each worker, from which on it helps with any that is ready: where each
/// waits for others few are, and what is attempted far ahead uses up what may be undecided.
constexpr std::uint64_t kEnoughInFlight = 48;
/// Tasks for which there is room when the submitting thread goes on, where it has helped meanwhile.
constexpr std::size_t kEnoughRoom = 32;
/// Tasks in flight, for each worker, where it is still being found out how to run them.
constexpr std::size_t kUnsettledInFlight = 32;
constexpr std::uint64_t kMaxUnfinished = 8;  // blocks that have ended when another one begins
constexpr std::size_t kAhead = 2;            // transactions ahead for which memory is fetched
constexpr std::size_t kMinimumWindow = 4;    // the ends of a block, a transaction, one more

}  // namespace

ParallelExecutor::ParallelExecutor(Options options, PolicyChoice policy)
    : options_(std::move(options)),
      is_fused_(pipeline_threads(options_.parallel) == 1),
      window_capacity_(std::max(options_.parallel.window_transactions, kMinimumWindow)),
      settings_(std::move(policy.settings)),
      observer_(policy.observer),
      workers_(make_workers(options_)),
      window_(window_capacity_),
      state_(kept_state(options_.parallel.kept_bytes)),
      speculation_(worker_count(options_.parallel)),
      attempts_(window_capacity_),
      recall_({window_, state_, speculation_, attempts_, workers_}),
      scheduler_(policy.make({options_.parallel, worker_count(options_.parallel), window_, state_,
                              parking_, settings_, recall_})),
      estimates_(scheduler_->estimates()),
      keeps_back_(scheduler_->keeps_back()),
      signers_(workers_.size() > 1 ? &parking_ : nullptr),
      leaves_(workers_.size() > 1 ? &parking_ : nullptr),
      read_ahead_(workers_.size() > 1 ? &parking_ : nullptr),
      finisher_(options_, hashes_, leaves_),
      committer_({options_, window_, state_, hashes_, attempts_, leaves_, finisher_, *scheduler_,
                  speculation_, set_credit_, parking_, observer_}),
      indexer_(options_.parallel,
               options_.parallel.orders_by_all_sets || !scheduler_->orders_by_objects(), state_,
               speculation_, set_credit_),
      pool_(worker_count(options_.parallel), options_.parallel.pin_threads, parking_, *this),
      pipeline_(pipeline_threads(options_.parallel), options_.parallel.batch_size, *this) {
    HEDDLE_ASSERT(options_.tracer == nullptr);
}

ParallelExecutor::~ParallelExecutor() {
    abandon();
}

void ParallelExecutor::abandon() {
    finisher_.halt();
    wait_until_idle();
    if (block_ == nullptr) return;
    leaves_.finish(block_->leaves, owner().leaf);
    finisher_.drop(*block_);
    block_.reset();
}

void ParallelExecutor::start(const World& world, ChainHead head) {
    abandon();
    world_.emplace(world);
    forget_state();
    speculation_.reset();
    set_credit_.reset();
    stand_on(std::move(head));
}

void ParallelExecutor::go_on(ChainHead head, std::span<const StateDiff> missed) {
    HEDDLE_ASSERT(world_.has_value() && block_ == nullptr && is_idle());
    const auto follow = [this](const StateDiff& diff) { return state_.follow(diff); };
    if (!std::ranges::all_of(missed, follow)) forget_state();
    stand_on(std::move(head));
}

void ParallelExecutor::forget_state() {
    state_.attach(world_->state);
    scheduler_->forget_objects(state_.kept().accounts, state_.kept().slots);
}

void ParallelExecutor::stand_on(ChainHead head) {
    tip_ = ChainTip{head};
    hashes_.attach(world_->block_hashes);
    committer_.attach(*world_);
    finisher_.attach(*world_, std::move(head));
    is_tip_known_ = true;
    is_alone_ = true;
    submitted_gas_ = committer_.committed_gas();
    stats_ = {};
    at_start_ = {};
    scheduler_->add_counts(at_start_);
    at_start_.cold_reads = state_.cold_reads();
    at_start_.held = held_.get();
    for (const auto& worker : workers_)
        worker->reset_counters();
}

void ParallelExecutor::wait_until_idle() {
    if (is_idle()) return;
    scheduler_->stream_waits(next_position_);
    pool_.help_until([this] { return is_idle(); });
    scheduler_->stream_goes_on();
}

bool ParallelExecutor::is_idle() const noexcept {
    return window_.committed() == next_position_ && finisher_.is_idle();
}

// --- The submitting thread -----------------------------------------------------------------------

void ParallelExecutor::trim_state() {
    if (finisher_.is_halted() || !state_.wants_trim(0)) return;
    if (state_.trim()) scheduler_->forget_objects(state_.kept().accounts, state_.kept().slots);
    committer_.forget_cells();
}

std::expected<void, BlockError> ParallelExecutor::begin_block(BlockStart start) {
    HEDDLE_ASSERT(world_.has_value() && block_ == nullptr);
    const std::size_t in_flight = indexed_objects_.get() - committer_.committed_objects();
    if (start.mode == BlockMode::propose || !is_tip_known_ || state_.wants_trim(in_flight)) {
        // A header that is being made needs the values of its parent.
        wait_until_idle();
        tip_ = finisher_.tip();
        is_tip_known_ = true;
        trim_state();
    }
    // The window bounds what is in flight, not how many blocks have ended and wait to be finished.
    if (finisher_.backlog() > kMaxUnfinished)
        pool_.help_until([this] { return finisher_.backlog() <= kMaxUnfinished; });
    first_position_ = next_position_;
    make_room(0, start.access_list.size());
    if (finisher_.is_halted()) return std::unexpected(halted_error(start.header.number));
    const bool is_small = options_.parallel.run_chains_inline &&
                          window_.committed() == next_position_ &&
                          executor::is_small(start, is_alone_);
    const std::size_t announced = start.transaction_count;
    block_ = make_block_run(std::move(start));
    BlockRun& block = *block_;
    count_submitted(block.claimed_list.size());
    block.changes.serial = next_block_++;
    block.is_small = is_small;
    const Pace pace = std::exchange(pace_, Pace::ahead);  // of this block, small or not
    block.runs_in_order = is_small || pace == Pace::in_order;
    is_alone_ = false;
    block.leaves.are_shared = !is_small;
    block.leaves.begin(announced);
    block.leaves.reserve(block.block.transactions.capacity());
    if (block.mode == BlockMode::propose) {
        pending_.clear();  // the header follows from all of them
    } else {
        prepare(block);
        submit_boundary(TaskKind::begin_block);
    }
    return {};
}

void ParallelExecutor::prepare(BlockRun& block) {
    open_block(block, tip_, world_->config, hashes_);
    if (observer_ != nullptr) observer_->on_block(block.block.header.number);
    if (!block.header_error.has_value()) block.beneficiary = &state_.account(block.env.beneficiary);
}

Task& ParallelExecutor::make_task(TaskKind kind) {
    Task& task = window_.make(next_position_);
    task.begin(kind, next_position_++, block_.get());
    stats_.most_in_flight = std::max(stats_.most_in_flight, next_position_ - window_.committed());
    return task;
}

void ParallelExecutor::submit_boundary(TaskKind kind) {
    make_room(0, 0);
    const Task& task = make_task(kind);
    if (kind == TaskKind::begin_block) {
        block_->changes.first_stamp = make_stamp(task.position, 0);
        finisher_.add(block_);
    }
    pipeline_.enter(task.position);
}

void ParallelExecutor::recover_signers(std::span<Transaction> transactions) {
    HEDDLE_ASSERT(block_ != nullptr);
    if (block_->header_error.has_value() || finisher_.is_halted()) return;
    signers_.run(transactions);
}

void ParallelExecutor::submit(Transaction tx, std::optional<ObjectSet> objects) {
    HEDDLE_ASSERT(block_ != nullptr);
    if (block_->header_error.has_value() || finisher_.is_halted()) return;
    if (block_->mode == BlockMode::propose)
        pending_.push_back({std::move(tx), std::move(objects)});
    else
        submit_transaction(std::move(tx), std::move(objects));
}

void ParallelExecutor::submit_transaction(Transaction&& tx, std::optional<ObjectSet>&& objects) {
    // With its receipt, which is going to be there, but for what is in it.
    const std::size_t bytes =
        held_bytes(tx) + sizeof(Receipt) + (objects.has_value() ? held_bytes(*objects) : 0);
    make_room_in_block();
    make_room(tx.gas_limit, bytes);
    count_submitted(bytes);
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

void ParallelExecutor::publish_transactions(bool is_last) {
    leaves_.publish(block_->leaves, block_->block.transactions, is_last, owner().leaf);
}

/// While the submitting thread helps the workers: makes it leave the committer's role as soon as it
/// could go on submitting.
class ParallelExecutor::Relieved final : public Relief {
public:
    Relieved(Committer& committer, std::function<bool()> is_due)
        : committer_(committer), is_due_(std::move(is_due)) {
        committer_.relieve_by(this);
    }
    ~Relieved() override { committer_.relieve_by(nullptr); }
    Relieved(const Relieved&) = delete;
    Relieved& operator=(const Relieved&) = delete;

    [[nodiscard]] bool is_due() const noexcept override { return is_due_(); }

private:
    Committer& committer_;
    const std::function<bool()> is_due_;
};

void ParallelExecutor::count_submitted(std::size_t bytes) noexcept {
    block_->bytes.submitted += bytes;
    submitted_bytes_.add(bytes);
}

std::size_t ParallelExecutor::unfinished_bytes() const noexcept {
    // First: who sees what was counted of finished blocks sees it in the two others as well.
    const std::size_t finished = finisher_.finished_bytes();
    return submitted_bytes_.get() + committer_.made_bytes() - finished;
}

/// What the block that is being submitted takes comes back when it is finished, which it is not
/// before all of it is submitted: so nobody waits where it is the only one.
bool ParallelExecutor::has_room_for_bytes(std::size_t bytes) const noexcept {
    if (unfinished_bytes() + bytes <= options_.parallel.unfinished_bytes) return true;
    return window_.committed() >= first_position_ && finisher_.is_idle();
}

/// Back-pressure: waits until there is room in every respect, the window's and that of memory.
void ParallelExecutor::make_room(std::uint64_t gas, std::size_t bytes) {
    const auto has_room_for = [&](std::size_t more) {
        if (!has_room_for_bytes(bytes)) return false;
        const std::uint64_t in_flight = next_position_ - window_.held();
        if (in_flight == 0) return true;
        const ParallelOptions& limits = options_.parallel;
        const std::size_t capacity =
            scheduler_->orders_by_objects() && speculation_.is_unsettled()
                ? std::min(window_capacity_, kUnsettledInFlight * workers_.size())
                : window_capacity_;
        return in_flight + more <= capacity &&
               submitted_gas_ + gas - committer_.committed_gas() <= limits.window_gas &&
               indexed_objects_.get() - committer_.committed_objects() < limits.window_objects;
    };
    if (has_room_for(1)) return;
    ++stats_.window_full;
    scheduler_->stream_waits(next_position_);
    const Relieved relieved(committer_, [&] { return has_room_for(kEnoughRoom); });
    pool_.help_until([&] { return has_room_for(1); });
    scheduler_->stream_goes_on();
}

/// Tasks point to their transactions, which therefore cannot move while they are in flight.
void ParallelExecutor::make_room_in_block() {
    std::vector<Transaction>& transactions = block_->block.transactions;
    if (transactions.size() < transactions.capacity()) return;
    wait_until_idle();
    leaves_.finish(block_->leaves, owner().leaf);
    transactions.reserve(2 * transactions.capacity());
    block_->leaves.reserve(transactions.capacity());
    block_->execution.reserve(transactions.capacity());
    block_->leaves.receipts.reserve(transactions.capacity());
}

/// Going on would only move what is in flight out of the caches, unless nothing of it is ready.
void ParallelExecutor::help_if_ahead() {
    const std::size_t backlog = scheduler_->backlog();
    const bool is_far = next_position_ - window_.committed() > kEnoughInFlight * workers_.size();
    if (backlog <= (is_far ? 0 : kEnoughBacklog * workers_.size())) return;
    const Relieved relieved(committer_, [&] { return scheduler_->backlog() < workers_.size(); });
    pool_.help_once();
}

void ParallelExecutor::end_block() {
    HEDDLE_ASSERT(block_ != nullptr);
    BlockRun& block = *block_;
    if (block.mode == BlockMode::propose) {
        std::vector<Transaction>& transactions = block.block.transactions;
        transactions.reserve(pending_.size() + 1);
        block.leaves.begin(pending_.size());
        block.leaves.reserve(transactions.capacity());
        // Only for prepare(), whose header has their root; they come to their places below.
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

std::expected<Summary, BlockError> ParallelExecutor::drain() {
    HEDDLE_ASSERT(block_ == nullptr);
    wait_until_idle();
    is_alone_ = true;
    // Whoever stops here may not go on for long.
    if (world_.has_value()) trim_state();
    if (finisher_.error().has_value()) return std::unexpected(*finisher_.error());
    Summary summary = finisher_.summary();
    summary.stats.parallel = parallel_stats();
    return summary;
}

ParallelStats ParallelExecutor::parallel_stats() const {
    ParallelStats stats = stats_;
    scheduler_->add_counts(stats);
    stats.waited -= at_start_.waited;
    stats.edges -= at_start_.edges;
    stats.meetings -= at_start_.meetings;
    stats.waited_ns -= at_start_.waited_ns;
    stats.batches -= at_start_.batches;
    stats.aborted -= at_start_.aborted;
    stats.held = held_.get() - at_start_.held;
    stats.cold_reads = state_.cold_reads() - at_start_.cold_reads;
    for (const auto& worker : workers_)
        worker->add_counts(stats);
    return stats;
}

void ParallelExecutor::stop() noexcept {
    finisher_.halt();
}

MemoryUse ParallelExecutor::memory() const {
    return {.cells = state_.cell_count(),
            .cell_bytes = state_.cell_bytes(),
            .record_bytes = scheduler_->memory_bytes(),
            .code_bytes = state_.code_bytes(),
            .attempts = attempts_.size(),
            .unfinished_bytes = unfinished_bytes(),
            .executed_blocks = finisher_.backlog()};
}

// --- Any worker ----------------------------------------------------------------------------------

/// What is to be done beside the stream is done by the others first, by the submitting thread last:
/// it has what it dispatched in its caches.
bool ParallelExecutor::run_once(unsigned number) {
    Worker& worker = *workers_[number];
    const bool is_submitter = number == 0;
    if (!is_submitter && run_aside(worker)) return true;
    std::array<ReadyItem, ReadyQueue::kMaxTaken> items;
    const ReadyBundle taken = scheduler_->take(number, items);
    if (taken.is_stolen) worker.stolen.add(taken.count);
    if (taken.count != 0)
        run(worker, std::span{items}.first(taken.count));
    else if (taken.has_worked)
        committer_.run(worker);
    if (taken.count != 0 || taken.has_worked) return true;
    return run_committer(worker) || (is_submitter && run_aside(worker));
}

bool ParallelExecutor::has_work(unsigned worker) const noexcept {
    return scheduler_->has_ready_for(worker) || signers_.has_work() || read_ahead_.has_work() ||
           leaves_.has_work() || finisher_.has_work() ||
           (may_look_for_commits(worker) && committer_.has_work());
}

/// What another thread has dispatched lies in its processor's caches: the next ones are asked for
/// while one is executed, each line when the one before says where it lies.
void ParallelExecutor::fetch(std::span<const ReadyItem> items, std::size_t next) const noexcept {
    if (next + 2 < items.size()) prefetch_for_write(&window_.at(items[next + 2].position));
    if (next + 1 < items.size()) prefetch_for_read(window_.at(items[next + 1].position).tx);
    if (next >= items.size()) return;
    const Task& task = window_.at(items[next].position);
    prefetch_for_read(task.sender);
    prefetch_for_read(task.recipient);
}

void ParallelExecutor::run(Worker& worker, std::span<const ReadyItem> items) {
    const bool fetches = is_mostly_elsewhere(workers_.size());
    if (fetches) fetch(items, 0);
    for (std::size_t i = 0; i + 1 < items.size(); ++i) {
        if (fetches) fetch(items, i + 1);
        execute(worker, window_.at(items[i].position), false);
    }
    Task* next = execute(worker, window_.at(items.back().position), true);
    while (next != nullptr) {
        worker.continued.add();
        committer_.run(worker);
        next = execute(worker, *next, true);
    }
    committer_.run(worker);
}

/// What the submitting thread waits for first; then a block that has ended: the oldest leaves are
/// its own, and the sink should not have to wait until the stream pauses.
bool ParallelExecutor::run_aside(Worker& worker) {
    if (signers_.run_once()) return true;
    if (read_ahead_.run_once(worker.forecaster)) return true;
    if (!finisher_.has_work()) return leaves_.run_once(worker.leaf);
    finisher_.run(worker);
    parking_.notify_owner();
    return true;
}

bool ParallelExecutor::run_committer(Worker& worker) {
    if (!may_look_for_commits(worker.index) || !committer_.has_work()) return false;
    committer_.run(worker);
    return true;
}

}  // namespace heddle::executor
