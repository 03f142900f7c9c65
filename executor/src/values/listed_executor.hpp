// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Executes blocks that come with their access lists: every transaction at once, each on what the
// list claims of those before it (ListedState). Where a block turns out not to do what its list
// claims, the block is executed once more, one transaction after the other: the serial way decides
// and finds the words.
//
// A block at a time is executed, while the one before it is finished. The owning thread takes its
// transactions in their order, and whatever the others have taken before it came there, they have
// started earlier. So the first claim that is wrong is found by the time in which the serial
// executor would have come to it, whatever those after it do meanwhile, and the block costs at most
// that time again.
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <vector>

#include <vm/evm.hpp>
#include <vm/transition.hpp>

#include <executor/executor.hpp>
#include <executor/schedule_observer.hpp>

#include "stream/block_finisher.hpp"
#include "stream/block_run.hpp"
#include "stream/chain_tip.hpp"
#include "stream/in_flight_hashes.hpp"
#include "stream/leaf_hasher.hpp"
#include "stream/set_credit.hpp"
#include "stream/signer_recovery.hpp"
#include "stream/worker.hpp"
#include "values/learned_costs.hpp"
#include "values/listed_run.hpp"
#include "values/ticket.hpp"
#include "workers/atomics.hpp"
#include "workers/batch_barrier.hpp"
#include "workers/worker_parking.hpp"
#include "workers/worker_pool.hpp"

namespace heddle::executor {

/// Takes blocks with an access list only, none that is being put together (BlockMode::propose).
///
/// A small block is left alone: the owner executes it as the serial executor would and finishes it
/// before end_block() returns; nobody is woken for it. What follows is about the others.
///
/// Before anything of a block can run its list is read, by all: it is cut into pieces, which are
/// handed out by a BatchBarrier; the places of what transactions will give are made beside them.
///
///   reading       event                                                        who
///   over          the next block is there: started with its pieces             owner
///   under way     take a piece, read it, settle it                             any
///   under way     settle the last piece: ListedRun::is_read, over              who has read it
///
/// The owner starts the next reading after it has seen that flag, and all that is read is seen with
/// it. So whoever takes a piece finds the block that it belongs to.
///
/// Handing out transactions: a few of them, the longest ones by estimate, are set apart; the others
/// are handed out in order, and the jobs after them. Where no block is on its way to the sink, the
/// sink is told beside them what the list changes, by one of the others, or if none has begun when
/// nothing else is left, by nobody.
///
///   ticket (serial number of the block, those set apart that are left, others and jobs left)
///
///   ticket          event                                                             who
///   (b, none, 0)    the next block is there: (b + 1, all, others + kListedJobs)         owner
///   (b, s, n > 0)   take the next k: (b, s, n - k), by compare-exchange                 any
///   (b, s + i, n)   take i: (b, s, n), by compare-exchange                              any
///
/// The owner takes whichever comes first in the block. The others take first what is set apart, so
/// that a block does not end with a long transaction that one thread has begun last.
///
/// The owner stores a ticket (sequentially consistent, see ParkingLot) after all of the block is in
/// its place, and no other before every transaction of it is settled and every job done. So whoever
/// takes one finds its block, and nobody looks at a block of which nothing is left. The block goes
/// to the finisher after that, so the sink is called by one thread at a time.
class ListedExecutor final : public Executor, private Work {
public:
    /// `options.tracer` must be null. @param observer  Outlives it; null: nobody watches.
    explicit ListedExecutor(Options options, ScheduleObserver* observer = nullptr);
    ~ListedExecutor() override;

    using Executor::submit;
    void start(const World& world, ChainHead head) override;
    /// Drops what is unfinished; nothing of the world is used any more.
    void abandon();
    [[nodiscard]] std::expected<void, BlockError> begin_block(BlockStart block) override;
    void submit(Transaction tx, std::optional<ObjectSet> objects) override;
    void end_block() override;
    [[nodiscard]] std::expected<Summary, BlockError> drain() override;
    void stop() noexcept override;
    [[nodiscard]] MemoryUse memory() const override {
        return {.list_bytes = list_bytes_.load(std::memory_order_relaxed),
                .executed_blocks = finisher_.backlog()};
    }

    /// The last block accepted, or the one that the stream started on. After drain().
    [[nodiscard]] const ChainTip& tip() const noexcept { return finisher_.tip(); }

private:
    // --- The owning thread -----------------------------------------------------------------------
    /// Executes the block, from its list if that is possible.
    void execute_block();
    /// Has the state fetch what the list names, as far as lists of before were true: else whoever
    /// sends lists that lie would keep it busy with what nobody reads, for gas that is not used.
    void fetch_listed(const ListedRun& run);
    /// The same without its list, and without anybody else.
    void execute_alone();
    /// Whether handing the block out, and reading its list, takes as long as is saved by it.
    [[nodiscard]] bool is_left_alone(const BlockRun& block) const;
    /// @return whether the list is one, as far as can be told without executing the block.
    [[nodiscard]] bool read_list(ListedRun& run);
    /// Makes the run ready for execution.
    void attach(ListedRun& run, const StateView& ground);
    /// What the next block stands on, when the one before it may still be on its way to the sink.
    [[nodiscard]] const StateView& ground();
    /// @return whether the block does what its list claims.
    [[nodiscard]] bool execute(ListedRun& run, const StateView& ground);
    /// Decides in which order transactions are handed out.
    void set_apart(ListedRun& run);
    /// System calls before the first transaction.
    [[nodiscard]] bool begin(ListedRun& run, const StateView& ground);
    /// Whether telling the sink ahead pays, and costs no more than a block with so much gas may.
    [[nodiscard]] bool is_to_be_foreseen(const ListedRun& run) const;
    void run_transactions(ListedRun& run);
    /// Puts together what is settled, in order. @return whether that is all of it, and all jobs are
    /// done.
    [[nodiscard]] bool accept_settled(ListedRun& run);
    /// What comes after the last transaction. @return whether the whole list is the block's.
    [[nodiscard]] bool end(ListedRun& run);
    /// One transaction after the other, for the block does not do what its list claims.
    void decide(ListedRun& run, const StateView& ground);
    [[nodiscard]] std::expected<void, BlockError> execute_in_order(BlockRun& block,
                                                                   BlockState& state, vm::Evm& evm);
    /// Of all workers since start().
    [[nodiscard]] std::uint64_t attempted_gas() const noexcept;
    /// The machine for that, and the state, are the owner's alone.
    [[nodiscard]] vm::Evm& judge();
    [[nodiscard]] vm::BlockContext context_of(BlockRun& block) const;
    void publish_receipts(BlockRun& block, bool is_last);
    [[nodiscard]] Worker& owner() noexcept { return *workers_.front(); }
    [[nodiscard]] const ListedRun& current_run() const noexcept {
        return runs_[serial_ % runs_.size()];
    }

    // --- Any worker ------------------------------------------------------------------------------
    bool run_once(unsigned worker) override;
    [[nodiscard]] bool has_work(unsigned worker) const noexcept override;
    bool run_aside(Worker& worker);
    /// Reads a piece of the list. @return whether there was one to take.
    bool read_next(const Worker& worker);
    void read_piece(ListedRun& run, std::size_t piece);
    /// @return whether there was something to take.
    bool run_next(Worker& worker);
    /// How many the worker takes of what is left in order.
    [[nodiscard]] std::uint32_t bundle_of(Ticket ticket, const Worker& worker) const noexcept;
    void run(Worker& worker, ListedRun& run, std::uint32_t number);
    void run(Worker& worker, ListedRun& run, ListedJob job);
    /// Tells the sink what the list changes.
    void foresee(Worker& worker, ListedRun& run);
    /// Executes the transaction. @return whether it did what the list claims.
    [[nodiscard]] bool confirms(Worker& worker, ListedRun& run, std::uint32_t number);

    // Immutable after construction.
    const Options options_;
    ScheduleObserver* const observer_;

    std::vector<std::unique_ptr<Worker>> workers_;  // the owning thread's first
    std::vector<AskedRows> asked_;                  // a worker's each
    WorkerParking parking_;
    InFlightHashes hashes_;
    SignerRecovery signers_;
    LeafHasher leaves_;
    BlockFinisher finisher_;

    alignas(64) StreamAtomics::Atomic<std::uint64_t> ticket_{0};  // a Ticket
    /// Somebody's transaction keeps much code, which one at a time may: taken by who exchanges
    /// false for true, and given back by the same when its transaction has ended.
    alignas(64) StreamAtomics::Atomic<bool> code_turn_{false};
    BatchBarrier reading_;
    /// Of `runs_`. The owning thread's, which others look at.
    alignas(64) StreamAtomics::Atomic<std::uint64_t> list_bytes_{0};

    // The owning thread's.
    alignas(64) std::optional<World> world_;  // others see it, too, while a block is under way
    ChainTip tip_;                            // as it will be when everything submitted is accepted
    std::shared_ptr<BlockRun> block_;         // between begin_block() and end_block()
    std::uint32_t serial_ = 0;
    /// By serial number. In use are that of the block under way and that of the one before, on
    /// which it may stand; as many as divide the number of serial numbers.
    std::array<ListedRun, 4> runs_;
    bool has_last_ = false;  // the last block has done what its list claims
    vm::Outcome accepted_;
    std::unique_ptr<vm::Evm> judge_;  // of what runs in order, made when first needed
    /// Of blocks that are left alone: what one has read and changed is at hand for the next, as
    /// long as it is one of these, too.
    BlockState alone_;
    bool is_alone_up_to_date_ = false;
    std::optional<vm::AccessListRecorder> recorder_;  // the same of the lists that they make
    LearnedCosts costs_;
    /// From stream to stream, as a stream may be one block.
    SetCredit fetched_{SetCredit::kMost};
    std::uint64_t listed_blocks_ = 0;  // that did what their lists claim
    std::uint64_t refuted_ = 0;
    // Of the blocks until now, as vm::Supervisor counts it.
    std::uint64_t attempted_gas_ = 0;
    std::uint64_t wasted_gas_ = 0;  // of this, for lists that were refuted

    // Last, so that the threads end before what they use.
    WorkerPool pool_;
};

}  // namespace heddle::executor
