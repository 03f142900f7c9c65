// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The parallel executor with two others beside it: a serial one, for streams that are over before
// working in parallel could pay (a small block, and then nothing) and for light ones, for which the
// workers of the parallel one read and hash ahead and make leaves and blooms meanwhile; and one for
// blocks that come with their access lists. Which of them runs a block is decided before it begins,
// from what is announced of it; results are the same either way. What is left to the parallel
// executor may still be run in order, by it or by the serial one, where that was measured to be
// faster.
#pragma once

#include <atomic>
#include <expected>
#include <memory>
#include <optional>
#include <span>

#include "missed_blocks.hpp"
#include "pace_judge.hpp"
#include "parallel_executor.hpp"
#include "serial_executor.hpp"
#include "values/listed_executor.hpp"

namespace heddle::executor {

/// What runs the stream since start():
///
///   mode       event                                                 next
///   undecided  begin_block(): a small block                          serial
///   serial     begin_block(): a small block, all before it drained   serial
///   undecided  begin_block(): a light block, the state in memory     serial
///   serial     the same                                              serial
///   any        begin_block(): any other with an access list          listed
///   any        begin_block(): any other, Pace::alone by PaceJudge    serial
///   any        begin_block(): any other                              parallel
///
/// From one to another nothing is in flight, and the next one starts on the last block: so it does,
/// too, after a block from a list whose header was being made.
///
/// While PaceJudge tries another way, the serial and the parallel executor take turns. The one
/// that waits keeps what it knows of the state, and is told what others' blocks have changed when
/// it goes on; else a few blocks would cost it all that it has read.
///
/// A light block that must have an access list does not count as one where there are more than
/// three workers.
///
/// A small or light block brings nobody back to serial: cells that are filled are worth more than
/// what it would save.
///
/// Thread safety: as Executor. stop() halts all of them, whichever has the stream: what is started
/// while it comes is halted by whoever starts it, who looks for it afterwards.
class MixedExecutor final : public Executor {
public:
    MixedExecutor(const Options& options, PolicyChoice policy);
    ~MixedExecutor() override;

    using Executor::submit;
    void start(const World& world, ChainHead head) override;
    [[nodiscard]] std::expected<void, BlockError> begin_block(BlockStart block) override;
    void recover_signers(std::span<Transaction> transactions) override;
    void submit(Transaction tx, std::optional<ObjectSet> objects) override;
    void end_block() override;
    [[nodiscard]] std::expected<Summary, BlockError> drain() override;
    void stop() noexcept override;
    [[nodiscard]] MemoryUse memory() const override;

private:
    /// The stream goes on there, from `head`, with nothing in flight.
    void go_on(Executor& executor, ChainHead head);
    /// The same, if it has waited for the stream. @return whether it has.
    [[nodiscard]] bool resume(Executor& executor, ChainHead& head);
    /// Whether the one of the two that has the stream will soon have it again.
    [[nodiscard]] bool returns_soon() const;
    /// Nobody waits for the stream any more.
    void forget_waiting() noexcept;
    [[nodiscard]] bool can_use_list(const BlockStart& block) const;
    /// Whether executing takes less of the block's time than what others can do meanwhile.
    [[nodiscard]] bool is_left_to_one(const BlockStart& block) const;
    /// Who is to run the block.
    [[nodiscard]] Executor& choose(const BlockStart& block);
    /// The same, of a block that is left to the parallel executor or run in order, by the clock.
    [[nodiscard]] Executor& choose_by_pace();
    /// Where the stream stands, with nothing in flight.
    [[nodiscard]] ChainHead head() const;

    [[nodiscard]] ListedExecutor& listed();
    /// Those of an executor whose blocks are timed.
    [[nodiscard]] Options timed(const Options& options, bool is_serial);
    /// A block begins that choose_by_pace() has chosen for.
    void begin_timing(const BlockStart& block);

    const Options options_;
    const BlockUse use_;
    ScheduleObserver* const observer_;  // null: nobody watches
    const bool may_be_serial_;
    const bool judges_pace_;
    PaceJudge judge_;
    MissedBlocks missed_;  // by who waits
    SerialExecutor serial_;
    ParallelExecutor parallel_;
    std::unique_ptr<ListedExecutor> owned_listed_;   // made for the first block with a list
    std::atomic<ListedExecutor*> listed_ = nullptr;  // the same, for stop()

    std::optional<World> world_;
    ChainHead head_;               // until it is decided who starts on it
    Executor* current_ = nullptr;  // null: undecided
    /// Knows the state as it was when it had the stream last; null: none does.
    Executor* waiting_ = nullptr;
    bool is_alone_ = true;  // no block has begun since start() or drain()
    /// How the block is run that has begun last; nullopt: that was not for the judge to say. The
    /// submitting thread's.
    std::optional<Pace> pace_;
    bool is_made_ = false;  // the last block's header, from a list: known when it is finished
    Stats before_;          // of what others have run of this stream
    std::atomic<bool> is_stopped_{false};
};

}  // namespace heddle::executor
