// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "late/conflict_index.hpp"

namespace heddle::executor {

void ConflictIndex::order(const Task& task, const ObjectRequest& request, Readings& readings) {
    Record& record =
        request.slot != nullptr ? slot_records_[request.number] : account_records_[request.number];
    const auto wait_for = [&](Predecessors before) {
        // A set may name an object twice.
        if (before.complete == task.position || before.complete < watermark_) before.complete = 0;
        if (before.commit == task.position || before.commit < watermark_) before.commit = 0;
        filter_.add(before);
    };
    switch (request.mode) {
        case AccessMode::add:
        case AccessMode::debit:
            record.last_mover = task.position;
            return;
        case AccessMode::read:
            wait_for({record.last_writer, record.last_mover});
            readings.before.push_back(record.last_reading);
            record.last_reading = {task.position,
                                   static_cast<std::uint32_t>(readings.before.size() - 1)};
            return;
        case AccessMode::write:
            wait_for({record.last_writer, record.last_mover});
            // Each reading is met once: the next writer waits for this one.
            for (Reading at = record.last_reading; at.position >= watermark_;
                 at = readings_.at(at.position).before[at.place])
                wait_for({at.position, 0});
            record = {.last_writer = task.position, .last_mover = 0, .last_reading = {}};
            return;
    }
}

std::span<const GraphWait> ConflictIndex::order(const Task& task, std::uint64_t watermark) {
    watermark_ = watermark;
    waits_.clear();
    Readings& readings = readings_.make(task.position);
    memory_.clear(readings.before);
    filter_.begin(task.position);
    for (const ObjectRequest& request : task.requests)
        order(task, request, readings);
    memory_.note(readings.before);
    filter_.finish([this](DagNode::Event event, std::uint64_t position) {
        waits_.push_back({position, event});
    });
    return waits_;
}

void ConflictIndex::forget_objects(std::size_t kept_accounts, std::size_t kept_slots) {
    account_records_.shrink(kept_accounts * kKindsPerAccount);
    slot_records_.shrink(kept_slots);
}

}  // namespace heddle::executor
