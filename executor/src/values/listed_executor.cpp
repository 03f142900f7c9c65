// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "values/listed_executor.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <utility>

#include <types/assert.hpp>
#include <types/expected.hpp>

#include <vm/block_execution.hpp>
#include <vm/validate.hpp>

#include "parallel_settings.hpp"
#include "stream/open_block.hpp"
#include "stream/open_header.hpp"
#include "stream/rejection.hpp"
#include "stream/run_trace.hpp"
#include "workers/code_cache_mutex.hpp"

namespace heddle::executor {
namespace {

/// In a block with fewer transactions for each worker the order of the block is as good.
constexpr std::size_t kLeastForApart = 2;

/// Bytes of a list below which it is not worth a second thread, and of which about a piece is. Some
/// ten microseconds of work. Where schedules are explored, lists are short.
constexpr std::size_t kLeastInPiece = 2'048 * StreamAtomics::kPatience + 64;

/// Transactions set apart; one place more is for telling the sink.
constexpr std::size_t kMostApart = Ticket::kMostApart - 1;

/// Nothing that a transaction changes costs less gas: a nonce 4,500 (EIP-2780), a slot 5,000.
constexpr std::uint64_t kLeastGasOfChange = 4'000;
/// What a block changes besides: by system calls, withdrawals and fees.
constexpr std::uint64_t kChangesWithoutGas = 256;

/// By what its header claims, or where that is being made by what its transactions may use.
std::uint64_t most_gas(const BlockRun& block) noexcept {
    const BlockHeader& header = block.block.header;
    if (!makes_header(block.mode)) return header.gas_used;
    std::uint64_t gas = 0;
    for (const Transaction& tx : block.block.transactions)
        gas += std::min(tx.gas_limit, header.gas_limit - gas);
    return gas;
}

/// Of what is executed no more than half is not in the gas that a block has used: it comes back as
/// refunds (YP 6.2), or is the smaller of two kinds (EIP-8037). Where blocks with a true list
/// exceed this, which storage that is charged for and given back may do, they run in order.
std::int64_t most_executed(const BlockRun& block) noexcept {
    constexpr auto kMost = std::numeric_limits<std::int64_t>::max() / 2;
    return 2 * static_cast<std::int64_t>(std::min<std::uint64_t>(most_gas(block), kMost));
}

/// Gas that pays for the items of the block's list. The rule goes by the gas limit; of a list that
/// is no more than advice nobody has to answer for what is in it, so that it is read as far as the
/// block's transactions can have accessed so much.
std::uint64_t gas_for_list(const BlockRun& block) noexcept {
    const std::uint64_t limit = vm::list_gas_limit(block.block.header);
    if (block.block.header.block_access_list_hash.has_value()) return limit;
    const std::uint64_t items = vm::most_new_items(block.env.revision, most_gas(block));
    return std::min(limit, items * kAccessListItemGas);
}

/// Some of what they touch, as far as they say themselves.
std::vector<ObjectId> first_touched(std::span<const Transaction> transactions) {
    constexpr std::size_t kMost = 8;
    std::vector<ObjectId> objects;
    for (const Transaction& tx : transactions.first(std::min(transactions.size(), kMost))) {
        if (tx.sender.has_value()) objects.push_back({*tx.sender, ObjectKind::balance, {}});
        if (tx.to.has_value()) objects.push_back({*tx.to, ObjectKind::balance, {}});
    }
    return objects;
}

/// All machines analyse code once.
Options with_code_cache(Options options) {
    if (options.code_cache == nullptr) options.code_cache = make_shared_code_cache();
    return options;
}

}  // namespace

ListedExecutor::ListedExecutor(Options options, ScheduleObserver* observer)
    : options_(with_code_cache(std::move(options))),
      observer_(observer),
      workers_(make_workers(options_)),
      asked_(workers_.size()),
      signers_(workers_.size() > 1 ? &parking_ : nullptr),
      leaves_(workers_.size() > 1 ? &parking_ : nullptr),
      finisher_(options_, hashes_, leaves_),
      pool_(worker_count(options_.parallel), options_.parallel.pin_threads, parking_, *this) {
    HEDDLE_ASSERT(options_.tracer == nullptr);
}

ListedExecutor::~ListedExecutor() {
    abandon();
}

void ListedExecutor::abandon() {
    finisher_.halt();
    pool_.help_until([this] { return finisher_.is_idle(); });
    block_.reset();
    has_last_ = false;
    is_alone_up_to_date_ = false;
}

void ListedExecutor::start(const World& world, ChainHead head) {
    abandon();
    world_.emplace(world);
    tip_ = ChainTip{head};
    hashes_.attach(world.block_hashes);
    finisher_.attach(world, std::move(head));
    listed_blocks_ = 0;
    refuted_ = 0;
    attempted_gas_ = 0;
    wasted_gas_ = 0;
    for (const auto& worker : workers_)
        worker->reset_counters();
}

// --- The owning thread ---------------------------------------------------------------------------

std::expected<void, BlockError> ListedExecutor::begin_block(BlockStart start) {
    HEDDLE_ASSERT(world_.has_value() && block_ == nullptr);
    // Whoever has rejected a block refuses what follows it, whatever that is.
    if (finisher_.is_halted()) return std::unexpected(halted_error(start.header.number));
    HEDDLE_ASSERT(start.mode != BlockMode::propose && !start.access_list.empty());
    block_ = make_block_run(std::move(start));
    open_block(*block_, tip_, world_->config, hashes_);
    if (observer_ != nullptr) observer_->on_block(block_->block.header.number);
    return {};
}

void ListedExecutor::submit(Transaction tx, std::optional<ObjectSet> /*objects*/) {
    HEDDLE_ASSERT(block_ != nullptr);
    block_->block.transactions.push_back(std::move(tx));
}

void ListedExecutor::end_block() {
    HEDDLE_ASSERT(block_ != nullptr);
    BlockRun& block = *block_;
    const std::size_t count = block.block.transactions.size();
    block.leaves.begin(count);
    if (!block.header_error.has_value()) {
        if (!finisher_.is_halted()) signers_.run(block.block.transactions);
        block.is_small = is_left_alone(block);
        block.leaves.are_shared = !block.is_small;
        leaves_.publish(block.leaves, block.block.transactions, true, owner().leaf);
        block.leaves.receipts.begin(count, true);
        block.execution.reserve(count);
        if (block.is_small)
            execute_alone();
        else
            execute_block();
        std::vector<Hash> ommers;
        std::ranges::transform(block.block.ommers, std::back_inserter(ommers), header_hash);
        tip_.extend(block.block.header, block.hash, std::move(ommers));
    }
    finisher_.add(block_);
    finisher_.end(block);
    if (block.is_small) {
        pool_.help_until([this] { return finisher_.is_idle(); });
        alone_.accept();
    } else {
        parking_.notify_any();
    }
    block_.reset();
}

bool ListedExecutor::is_left_alone(const BlockRun& block) const {
    if (!can_run_serially(options_.parallel)) return false;
    const std::vector<Transaction>& transactions = block.block.transactions;
    if (transactions.size() != 1 && !is_small(transactions.size(), most_gas(block))) return false;
    // Of a state that waits for a disk the list says what to read ahead.
    return world_->state.are_at_hand(first_touched(transactions));
}

void ListedExecutor::execute_alone() {
    BlockRun& block = *block_;
    has_last_ = false;
    // It stands on what the sink has accepted.
    pool_.help_until([this] { return finisher_.is_idle(); });
    if (finisher_.is_halted()) return;
    if (!std::exchange(is_alone_up_to_date_, true)) alone_.attach(world_->state);
    block.execution.exchange_recorder(recorder_);
    if (auto result = execute_in_order(block, alone_, judge()); !result.has_value())
        block.execution_error = std::move(result).error();
    block.execution.exchange_recorder(recorder_);
    publish_receipts(block, true);
    block.diff = alone_.diff();
}

void ListedExecutor::execute_block() {
    is_alone_up_to_date_ = false;
    if (finisher_.is_halted()) return;
    ListedRun& run = runs_[++serial_ % runs_.size()];
    run.block = block_;
    const bool is_list = read_list(run);
    if (is_list) fetch_listed(run);
    const StateView& ground = this->ground();
    if (is_list) attach(run, ground);
    has_last_ = is_list && execute(run, ground);
    // Every transaction of the block is settled: nobody counts.
    const std::uint64_t until_now = attempted_gas();
    const std::uint64_t gas = until_now - std::exchange(attempted_gas_, until_now);
    if (!has_last_) {
        block_->wasted_gas += gas;
        wasted_gas_ += gas;
    }
    // What is wrong with a list that the header claims is told when the block is finished. What is
    // no more than advice is done without.
    const bool is_advice = !block_->block.header.block_access_list_hash.has_value();
    // One that cannot be the block's may have nothing wrong but what executing the block shows.
    if (!is_list && !is_advice)
        block_->list_is_checked = vm::check_claimed_list(block_->block.header, block_->claimed_list,
                                                         block_->block.transactions.size())
                                      .has_value();
    if (!has_last_ && (block_->list_is_checked || is_advice) && !finisher_.is_halted())
        decide(run, ground);
    run.block.reset();
}

void ListedExecutor::fetch_listed(const ListedRun& run) {
    if (world_->state.is_in_memory()) return;
    // So that no worker waits for a disk.
    if (!world_->state.are_at_hand(run.state.sample()) && fetched_.draw(run.state.item_count()))
        world_->state.prefetch(run.state.objects());
}

std::uint64_t ListedExecutor::attempted_gas() const noexcept {
    std::uint64_t gas = 0;
    for (const auto& worker : workers_)
        gas += worker->attempted_gas.get();
    return gas;
}

bool ListedExecutor::read_list(ListedRun& run) {
    const BlockRun& block = *run.block;
    if (block.env.revision < vm::kAccessListsSince) return false;
    const std::size_t count = block.block.transactions.size();
    const std::size_t most_parts = workers_.size() == 1
                                       ? 1
                                       : std::min({block.claimed_list.size() / kLeastInPiece + 1,
                                                   2 * workers_.size(), ListTables::kMostParts});
    if (!run.state.begin(block.claimed_list, world_->state, count, gas_for_list(block), most_parts))
        return false;
    const std::size_t pieces = run.state.part_count() + 1;
    if (most_parts == 1) {
        for (std::size_t piece = 0; piece < pieces; ++piece)
            read_piece(run, piece);
    } else {
        run.is_read.store(false, std::memory_order_relaxed);
        reading_.start(static_cast<std::uint32_t>(pieces), static_cast<std::uint32_t>(pieces));
        parking_.notify_others();
        pool_.help_until([&] { return run.is_read.load(std::memory_order_seq_cst); });
    }
    std::uint64_t bytes = 0;
    for (const ListedRun& one : runs_)
        bytes += one.state.memory_bytes();
    list_bytes_.store(bytes, std::memory_order_relaxed);
    return run.state.finish();
}

void ListedExecutor::attach(ListedRun& run, const StateView& ground) {
    run.state.stand_on(ground);
    const auto last = static_cast<std::uint32_t>(run.places.size()) + 1;
    run.end_view.emplace(run.state, last);
    run.last_view.emplace(run.state, last + 1);
    run.accepted = 0;
    for (StreamAtomics::Atomic<bool>& is_done : run.is_done)
        is_done.store(false, std::memory_order_relaxed);
    run.is_refuted.store(false, std::memory_order_relaxed);
}

const StateView& ListedExecutor::ground() {
    // Only the last block may still be on its way, and only if its list says what it has done.
    const std::uint64_t most = has_last_ ? 1 : 0;
    pool_.help_until([&] { return finisher_.backlog() <= most; });
    if (finisher_.is_idle()) return world_->state;
    ListedRun& last = runs_[(serial_ - 1) % runs_.size()];
    last.state.stand_on(world_->state);  // which shows what it stood on until now
    return *last.last_view;
}

bool ListedExecutor::execute(ListedRun& run, const StateView& ground) {
    BlockRun& block = *run.block;
    const bool has_begun = begin(run, ground);
    if (has_begun) {
        run_transactions(run);
        block.list_is_checked = run.is_headers_list;
        if (!run.is_headers_list) return false;
    } else {
        block.list_is_checked = vm::is_list_of(block.block.header, block.claimed_list);
    }
    if (!has_begun || run.is_refuted.load(std::memory_order_relaxed) || !end(run)) return false;
    fetched_.pay(run.state.item_count());
    block.diff = std::move(run.diff);
    ++listed_blocks_;
    return true;
}

vm::BlockContext ListedExecutor::context_of(BlockRun& block) const {
    return {.header = block.block.header,
            .env = block.env,
            .config = world_->config,
            .block_hashes = hashes_,
            .recorder = options_.record_sets ? &block.object_sets : nullptr,
            .access_list = access_list_making(options_)};
}

bool ListedExecutor::begin(ListedRun& run, const StateView& ground) {
    BlockRun& block = *run.block;
    run.recorder.emplace(run.state);
    vm::BlockContext context = context_of(block);
    context.access_list = vm::AccessListMaking::never;
    context.recorder = &*run.recorder;
    run.ends.attach(ground);
    return block.execution.begin(context, run.ends, owner().evm).has_value() &&
           run.recorder->are_listed() && run.state.claims(0, run.ends.diff());
}

void ListedExecutor::set_apart(ListedRun& run) {
    const std::vector<Transaction>& transactions = run.block->block.transactions;
    const std::size_t most = transactions.size() < kLeastForApart * workers_.size()
                                 ? 0
                                 : std::min(kMostApart, workers_.size() - 1);
    run.apart.clear();
    run.others.clear();
    std::array<std::uint64_t, kMostApart + 1> gas{};
    for (std::uint32_t i = 0; i < transactions.size() && most != 0; ++i) {
        const std::uint64_t estimate = costs_.estimate(transactions[i]);
        std::size_t place = run.apart.size();
        while (place != 0 && gas[place - 1] < estimate) {
            gas[place] = gas[place - 1];
            --place;
        }
        if (place == most) continue;
        gas[place] = estimate;
        run.apart.insert(run.apart.begin() + static_cast<std::ptrdiff_t>(place), i);
        if (run.apart.size() > most) run.apart.pop_back();
    }
    for (std::uint32_t i = 0; i < transactions.size(); ++i)
        if (std::ranges::find(run.apart, i) == run.apart.end()) run.others.push_back(i);
}

bool ListedExecutor::is_to_be_foreseen(const ListedRun& run) const {
    const BlockRun& block = *run.block;
    if (workers_.size() == 1 || block.mode == BlockMode::witness || !finisher_.is_idle())
        return false;
    // A list may claim more than its block can pay for: that is found out, but not at once.
    const BlockHeader& header = block.block.header;
    const std::uint64_t gas = block.mode == BlockMode::import ? header.gas_used : header.gas_limit;
    return run.state.changed() <= gas / kLeastGasOfChange + kChangesWithoutGas;
}

void ListedExecutor::run_transactions(ListedRun& run) {
    const std::size_t count = run.places.size();
    set_apart(run);
    run.is_foreseen = is_to_be_foreseen(run);
    run.has_told.store(!run.is_foreseen, std::memory_order_relaxed);
    const std::size_t apart = run.apart.size() + (run.is_foreseen ? 1 : 0);
    run.gas_left.store(most_executed(*run.block), std::memory_order_relaxed);
    ticket_.store(Ticket{serial_, apart, run.others.size() + kListedJobs}.word(),
                  std::memory_order_seq_cst);
    if (count > 1 || run.is_foreseen) parking_.notify_others();
    pool_.help_until([&] { return accept_settled(run); });
}

bool ListedExecutor::accept_settled(ListedRun& run) {
    BlockRun& block = *run.block;
    while (run.accepted != run.places.size()) {
        ListedPlace& place = run.places[run.accepted];
        if (!place.is_settled.load(std::memory_order_seq_cst)) return false;
        const Transaction& tx = block.block.transactions[run.accepted++];
        if (run.is_refuted.load(std::memory_order_relaxed)) continue;
        if (!vm::check_room(tx, block.execution.left(), block.env.revision).has_value()) {
            run.is_refuted.store(true, std::memory_order_relaxed);
            continue;
        }
        costs_.learn(tx, place.receipt.gas_used);
        accepted_.receipt = std::move(place.receipt);
        accepted_.block_gas = place.gas;
        block.execution.accept(accepted_);
        if (options_.record_sets) block.object_sets.keep(std::move(place.objects));
        publish_receipts(block, run.accepted == run.places.size());
        if (run.state.unaccessed() >
            vm::most_new_items(block.env.revision, block.execution.left().gas))
            run.is_refuted.store(true, std::memory_order_relaxed);
    }
    return run.has_told.load(std::memory_order_seq_cst) &&
           std::ranges::all_of(run.is_done, [](const StreamAtomics::Atomic<bool>& is_done) {
               return is_done.load(std::memory_order_seq_cst);
           });
}

void ListedExecutor::publish_receipts(BlockRun& block, bool is_last) {
    leaves_.publish(block.leaves, block.execution.receipts(), is_last, owner().leaf);
}

bool ListedExecutor::end(ListedRun& run) {
    BlockRun& block = *run.block;
    run.ends.attach(*run.end_view);
    const auto ended =
        block.execution.end(vm::ending_of(block.block, block.env.revision), owner().evm);
    const auto index = static_cast<std::uint32_t>(run.places.size()) + 1;
    if (!ended.has_value() || !run.recorder->are_listed() ||
        !run.state.claims(index, run.ends.diff()) || !run.state.is_exhausted())
        return false;
    const std::optional<Hash>& hash = block.block.header.block_access_list_hash;
    if (hash.has_value() || options_.make_access_lists)
        block.execution.prove_access_list(
            {.encoded = block.claimed_list, .hash = hash.value_or(Hash{})});
    return true;
}

void ListedExecutor::decide(ListedRun& run, const StateView& ground) {
    BlockRun& block = *run.block;
    ++refuted_;
    leaves_.finish(block.leaves, owner().leaf);
    block.leaves.published_receipts = 0;
    block.leaves.receipts.begin(block.block.transactions.size(), true);
    (void)block.object_sets.take();
    run.ends.attach(ground);
    if (auto result = execute_in_order(block, run.ends, judge()); !result.has_value())
        block.execution_error = std::move(result).error();
    publish_receipts(block, true);
    block.diff = run.ends.diff();
}

vm::Evm& ListedExecutor::judge() {
    if (judge_ == nullptr) {
        vm::EvmOptions options = worker_evm_options(options_);
        options.defer_fees = false;
        judge_ = std::make_unique<vm::Evm>(std::move(options));
    }
    judge_->record_accesses(options_.record_sets);  // a list that is made needs them, too
    return *judge_;
}

std::expected<void, BlockError> ListedExecutor::execute_in_order(BlockRun& block, BlockState& state,
                                                                 vm::Evm& evm) {
    HEDDLE_CHECK(block.execution.begin(context_of(block), state, evm));
    block.execution.reserve(block.block.transactions.size());
    vm::Outcome& outcome = accepted_;
    for (std::uint32_t i = 0; i < block.block.transactions.size(); ++i) {
        Transaction& tx = block.block.transactions[i];
        state.expect_next(block.block.transactions, i);
        // One that does not recover is left to validate(), which knows what to say of it.
        if (!tx.sender.has_value()) tx.sender = recover_sender(tx);
        const BlockHeader& header = block.block.header;
        const auto added = traced(observer_, 0, {header.number, i}, RunTrace::Kind::in_order,
                                  [&] { return block.execution.add(tx, evm, outcome); });
        if (!added.has_value())
            return std::unexpected(transaction_error(header, i, tx, added.error(), state));
        owner().in_order_gas.add(outcome.executed_gas);
    }
    return block.execution.end(vm::ending_of(block.block, block.env.revision), evm);
}

std::expected<Summary, BlockError> ListedExecutor::drain() {
    HEDDLE_ASSERT(block_ == nullptr);
    pool_.help_until([this] { return finisher_.is_idle(); });
    if (finisher_.error().has_value()) return std::unexpected(*finisher_.error());
    Summary summary = finisher_.summary();
    for (const auto& worker : workers_)
        summary.stats.parallel.executed += worker->executed.get();
    summary.stats.parallel.attempted_gas = attempted_gas_;
    summary.stats.parallel.wasted_gas = wasted_gas_;
    summary.stats.parallel.in_order_gas = owner().in_order_gas.get();
    summary.stats.parallel.dispatched = summary.stats.transactions;
    summary.stats.parallel.listed_blocks = listed_blocks_;
    summary.stats.parallel.refuted_lists = refuted_;
    return summary;
}

void ListedExecutor::stop() noexcept {
    finisher_.halt();
}

}  // namespace heddle::executor
