// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// One block that is executed from its access list: what its transactions have given so far.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <types/object.hpp>
#include <types/receipt.hpp>
#include <types/state_diff.hpp>

#include <vm/block_recorder.hpp>
#include <vm/transition.hpp>

#include "state/block_state.hpp"
#include "stream/block_run.hpp"
#include "values/listed_state.hpp"
#include "values/memo_table.hpp"
#include "workers/atomics.hpp"

namespace heddle::executor {

/// What a transaction has given, for whoever puts the block together in order.
struct ListedPlace {
    Receipt receipt;
    vm::BlockGasUsed gas;
    ObjectSet objects;  // where they are wanted
    /// Release after the rest is filled in; sequentially consistent, see ParkingLot.
    StreamAtomics::Atomic<bool> is_settled{false};
};

/// Notes what the steps at the ends of a block access; those of transactions are noted by whoever
/// runs them.
class NotingRecorder final : public vm::BlockRecorder {
public:
    explicit NotingRecorder(const ListedState& state) noexcept : state_(state) {}
    void record(const vm::BlockStep& step) override {
        if (!step.is_transaction) are_listed_ = are_listed_ && state_.note(step.accesses);
    }
    [[nodiscard]] bool are_listed() const noexcept { return are_listed_; }

private:
    const ListedState& state_;
    bool are_listed_ = true;
};

/// What else there is to do for a block, in no order, by whoever finds no transaction left.
enum class ListedJob : std::uint8_t {
    compare_hash,  // of the list, with what the header claims
    make_diff,     // of what the list changes
};
inline constexpr std::size_t kListedJobs = 2;

/// Ownership: the owning thread's but for what says otherwise; workers touch it only between taking
/// one of its transactions and settling it, or one of its jobs and doing it.
struct ListedRun {
    std::shared_ptr<BlockRun> block;
    /// Of the block's own: what its transactions read from.
    ListedState state;
    /// Of what comes before the first transaction and after the last.
    BlockState ends;
    std::optional<NotingRecorder> recorder;
    std::optional<ListedView> end_view;   // what `ends` stands on after the last transaction
    std::optional<ListedView> last_view;  // after the block: what the next one may stand on

    /// All pieces of the list; sequentially consistent, see ParkingLot.
    StreamAtomics::Atomic<bool> is_read{true};

    // In which order transactions are handed out, by number.
    std::vector<std::uint32_t> apart;  // those to be started first, the longest first
    /// Whether the sink is told what the list changes while transactions run, so that the new root
    /// is there when they end. Handed out as one more of what is set apart, the last.
    bool is_foreseen = false;
    std::vector<std::uint32_t> others;  // ascending

    /// Of what is handed out in order, where so much is left: those others, then the jobs.
    [[nodiscard]] std::size_t number_in_order(std::uint32_t left) const noexcept {
        return others.size() + kListedJobs - left;
    }

    MemoTable<ListedPlace> places;  // one for each transaction
    std::size_t accepted = 0;       // from the first on

    // The jobs' results, each published by its flag as a place is.
    bool is_headers_list = false;
    StateDiff diff;  // of whoever tells the sink, where that is done
    std::array<StreamAtomics::Atomic<bool>, kListedJobs> is_done{};
    StreamAtomics::Atomic<bool> has_told{true};  // the sink, or there is nothing to be told

    /// The list is not the block's, as far as what was executed shows. Any worker.
    alignas(64) StreamAtomics::Atomic<bool> is_refuted{false};
    /// Gas that may still be executed for it, by all workers together. A list that needs more is
    /// not the block's. Relaxed: nothing is handed over by it.
    alignas(64) StreamAtomics::Atomic<std::int64_t> gas_left{0};
};

}  // namespace heddle::executor
