// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// First stage of the dispatcher: finds the objects that a transaction is going to access, as dense
// numbers. What they mean for its order is the scheduler's business.
#pragma once

#include <types/object.hpp>

#include <executor/options.hpp>

#include "state/versioned_state.hpp"
#include "stream/place_memory.hpp"
#include "stream/set_credit.hpp"
#include "stream/speculation.hpp"
#include "stream/task.hpp"

namespace heddle::executor {

/// Thread safety: one thread at a time; the state is shared with anybody.
class Indexer {
public:
    /// @param uses_all_sets  Whether declared sets are used also where attempts hold without them.
    Indexer(const ParallelOptions& options, bool uses_all_sets, VersionedState& state,
            const Speculation& speculation, SetCredit& set_credit) noexcept
        : options_(options),
          uses_all_sets_(uses_all_sets),
          state_(state),
          speculation_(speculation),
          set_credit_(set_credit) {}

    /// Fills in `task.requests`.
    void index(Task& task);
    /// Adds that the transaction may change all storage of the accounts it names that are restless:
    /// so it comes behind the one before it that does.
    static void add_restless(Task& task);

private:
    static constexpr std::size_t kMostRestless = 2;

    void fill(Task& task);
    void index_transaction(Task& task);
    /// Whether the set that came with the task is worth what finding its objects takes.
    [[nodiscard]] bool needs_set(const Task& task) const;
    [[nodiscard]] bool is_believed(const ObjectSet& set) noexcept;
    void index_declared(Task& task);
    void add_left_out(Task& task);
    /// What every transaction touches. Fees are not among it: they wait for nobody.
    void index_common(Task& task);
    /// Has the state expect the accounts that the transaction names and nobody has read yet.
    void expect_accounts(const Task& task);
    void index_access_list(Task& task);
    void index_begin(Task& task);
    void index_end(Task& task);
    static void add(Task& task, AccountCell& account, ObjectKind kind, AccessMode mode);
    SlotCell& add_slot(Task& task, AccountCell& account, const Uint256& slot, AccessMode mode);

    const ParallelOptions& options_;
    const bool uses_all_sets_;
    VersionedState& state_;
    const Speculation& speculation_;
    SetCredit& set_credit_;
    bool expects_accounts_ = true;  // until the state says that it does not pay in this block
    PlaceMemory memory_;            // of `Task::requests`
};

}  // namespace heddle::executor
