// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What an attempt is worth while it is under way, and who can tell. Apart from the committer, so
// that what an attempt makes of the answer does not depend on how it comes about.
#pragma once

#include <cstdint>

namespace heddle::executor {

struct Attempt;
struct Task;
struct Worker;

enum class Standing : std::uint8_t {
    unknown,       // somebody else has the committer's role
    holds_so_far,  // the same as `holds`, but it was shown what has changed and may come to use it
    holds,         // what was read is final, and as it is now
    overtaken,     // or no longer wanted
};

/// Thread safety: any.
class StandingJudge {
public:
    /// By the worker that makes the attempt, when it is the task's turn; notes by whom it was
    /// overtaken.
    [[nodiscard]] virtual Standing look_at(Worker& worker, Task& task, Attempt& attempt) = 0;
    /// Whether somebody commits; out of date at once. Any thread.
    [[nodiscard]] virtual bool is_busy() const noexcept = 0;

protected:
    ~StandingJudge() = default;
};

}  // namespace heddle::executor
