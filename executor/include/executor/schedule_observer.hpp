// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Watching an executor at work: which worker ran which transaction from when to when, and what
// became of it. For pictures and for finding out; results do not depend on it.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include <executor/executor.hpp>

namespace heddle::executor {

/// What a worker did with a transaction.
struct ScheduleEvent {
    enum class Kind : std::uint8_t {
        attempted,  // ran ahead of its turn, to its end: may be accepted, or taken back
        given_up,   // ran ahead of its turn, and was ended, or could not be run, or was not
        accepted,   // its attempt was applied at its turn
        repaired,   // its attempt was overtaken, and it ran again at its turn
        in_order,   // ran at its turn only
        confirmed,  // ran on what the block's access list claims, and did what that claims
    };
    Kind kind = Kind::attempted;
    std::uint32_t index = 0;     // in its block
    std::uint32_t worker = 0;    // 0 is the submitting or building thread
    std::uint32_t attempt = 0;   // ahead of its turn, from 0 on
    std::uint64_t block = 0;     // number
    std::uint64_t begin_ns = 0;  // of a clock that only goes forward
    std::uint64_t end_ns = 0;    // not before
};

class ScheduleObserver {
public:
    /// A block begins. What was told of one with this number before is of another, or of a run
    /// that came to nothing. From the submitting thread, before the first event of the block.
    virtual void on_block(std::uint64_t number) noexcept { static_cast<void>(number); }
    /// When it has ended. From any worker, several at once; they wait for it.
    virtual void on_event(const ScheduleEvent& event) noexcept = 0;

protected:
    ~ScheduleObserver() = default;
};

/// As make_executor(), and `observer`, which outlives the executor, is told of whatever executes.
/// @param observer  Null: nobody watches, which costs a comparison for each attempt.
[[nodiscard]] std::unique_ptr<Executor> make_executor(std::string_view scheduler, Options options,
                                                      ScheduleObserver* observer);

/// As make_executor(), but everything goes through the parallel scheduler and is told to
/// `observer`, which outlives the executor: no block runs from its access list, none serially.
/// @return null: there is no such scheduler, or it is serial.
[[nodiscard]] std::unique_ptr<Executor> make_observed_executor(std::string_view scheduler,
                                                               Options options,
                                                               ScheduleObserver& observer);

}  // namespace heddle::executor
