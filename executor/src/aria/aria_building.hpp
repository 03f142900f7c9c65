// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A block out of candidates, batch by batch. Of each batch:
//
//   round      its transactions are                     of these go in
//   beside     attempted beside each other, by sender   what rule 2 lets through, in an order in
//                                                       which nobody reads what one before changes
//   by group   what is left, attempted anew in groups   each group in order
//              that disturb each other
//   in order   what is left, executed at their places   what can be executed there
//
// In each round an attempt goes in only if all it has read is in the end what it was, by stamps
// (ADR 6): the rules decide what is likely, never what is true.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <executor/block_building.hpp>
#include <executor/schedule_observer.hpp>

#include <vm/block_execution.hpp>

#include "aria/batch_execution.hpp"
#include "aria/batch_size.hpp"
#include "aria/candidate_batches.hpp"
#include "aria/reordering.hpp"
#include "aria/unit_making.hpp"
#include "state/block_changes.hpp"
#include "state/committed_state.hpp"

namespace heddle::executor {

/// Thread safety: as BlockBuilding.
class AriaBuilding final : public BlockBuilding {
public:
    AriaBuilding(const BuildWorld& world, BuildOptions options, ScheduleObserver* observer);

    [[nodiscard]] std::expected<void, BlockError> begin(BuildStart start) override;
    [[nodiscard]] Selection select(CandidateSource& source, const BuildLimits& limits) override;
    [[nodiscard]] std::expected<FinishedBlock, BlockError> finish(
        std::vector<Transaction> transactions) override;

private:
    /// A batch at work.
    struct Batch {
        CandidateBatches& candidates;
        std::vector<Trial> trials;
        std::uint64_t first_position = 0;  // of the last round
    };

    [[nodiscard]] bool has_room() const;
    [[nodiscard]] std::expected<void, TransactionError> check_end(const vm::Outcome& outcome) const;
    [[nodiscard]] BatchBounds bounds() const;
    [[nodiscard]] std::uint64_t budget() const noexcept;
    void run(Batch& batch);
    void look_ahead(Batch& batch);
    void attempt(Batch& batch, std::span<Unit> units, FirstTouches* touches);
    [[nodiscard]] std::vector<Unit> run_beside(Batch& batch);
    [[nodiscard]] std::vector<std::uint32_t> choose(std::span<const Unit> units);
    void run_by_group(Batch& batch, std::span<const Unit> aborted);
    [[nodiscard]] bool pays_by_group(const Batch& batch, std::span<const Unit> groups) const;
    void run_in_order(Batch& batch);
    void run_in_order(CandidateBatches& candidates, Trial& trial);
    /// What does not go in of the unit, and all behind it, is left for the next round.
    void put_in(Batch& batch, const Unit& unit);
    [[nodiscard]] bool put_in(Batch& batch, Trial& trial);
    void see_what_was_written(const Batch& batch, Attempt& attempt) const noexcept;
    void abort(Trial& trial);
    void accept(Trial& trial, vm::Outcome& outcome, ObjectSet objects);
    /// Tells of the runs of a trial that is about to be chosen; the last one is what counts.
    void tell(Trial& trial, ScheduleEvent::Kind last, std::uint64_t began_ns);

    // Immutable after construction.
    const BuildWorld world_;
    const BuildOptions options_;
    ScheduleObserver* const observer_;  // null: nobody watches

    BatchExecution execution_;
    CommittedState committed_;
    BatchSize size_;
    FirstTouches touches_;
    BusyRecipients busy_;
    std::uint64_t next_position_ = 1;

    // The open block.
    Block block_;
    BlockEnv env_;
    AccountCell* beneficiary_ = nullptr;
    BlockChanges changes_;
    vm::BlockExecution block_execution_;
    Selection selection_;
    std::uint64_t paid_gas_ = 0;       // that executing the chosen ones takes
    std::uint64_t chosen_limits_ = 0;  // of these, in gas
};

}  // namespace heddle::executor
