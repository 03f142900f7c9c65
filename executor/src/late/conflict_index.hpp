// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Which transactions in flight a new one conflicts with, found by what they touch instead of by
// walking through the graph (Zhao et al., reference 30 of Early Scheduling). Conflicts are those of
// the paper's definition 1: it knows one value of each object, so who writes waits for those that
// read before. Only what is added and taken is left out, as in every policy (see AccessMode).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dag/object_records.hpp"
#include "dag/predecessor_filter.hpp"
#include "late/shared_graph.hpp"
#include "stream/place_memory.hpp"
#include "stream/position_ring.hpp"
#include "stream/task.hpp"

namespace heddle::executor {

/// Thread safety: the dispatching thread; memory_bytes() any.
class ConflictIndex {
public:
    /// @param window  Positions in use at a time.
    explicit ConflictIndex(std::size_t window) : filter_(window), readings_(window) {}

    /// Notes what the task touches.
    /// @param watermark  All positions below are committed.
    /// @return whom it waits for; until the next call.
    [[nodiscard]] std::span<const GraphWait> order(const Task& task, std::uint64_t watermark);

    /// See Scheduler::forget_objects().
    void forget_objects(std::size_t kept_accounts, std::size_t kept_slots);
    [[nodiscard]] std::size_t memory_bytes() const noexcept {
        return account_records_.memory_bytes() + slot_records_.memory_bytes();
    }

private:
    /// One reading by a task, and the one of the same object before it.
    struct Reading {
        std::uint64_t position = 0;
        std::uint32_t place = 0;  // among the readings of that task
    };
    struct alignas(64) Record {
        std::uint64_t last_writer = 0;
        std::uint64_t last_mover = 0;  // since that
        Reading last_reading;          // the same
    };
    /// By position: readings that came before its own.
    struct Readings {
        std::vector<Reading> before;
    };

    void order(const Task& task, const ObjectRequest& request, Readings& readings);

    NumberedRecords<Record> account_records_;
    NumberedRecords<Record> slot_records_;
    PredecessorFilter filter_;
    PositionRing<Readings> readings_;
    PlaceMemory memory_;  // of `readings_`
    std::vector<GraphWait> waits_;
    std::uint64_t watermark_ = 1;
};

}  // namespace heddle::executor
