// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Attempts that come to nothing ahead of their turn: one that was overtaken and is taken back from
// the committer, one that ends because it has read what will be replaced. Both are made again, as
// far as attempts may be made and are paid for; of the first the published values stay as estimates
// until then. For policies that look at attempts ahead of their turn; decides nothing itself.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "stream/task.hpp"
#include "stream/worker.hpp"

namespace heddle::executor {

class Speculation;
class Window;

/// What it works with. Borrowed: everything outlives it.
struct RecallParts {
    const Window& window;
    VersionedState& state;
    Speculation& speculation;
    AttemptPool& attempts;
    const std::vector<std::unique_ptr<Worker>>& workers;
};

/// Thread safety: check() any; the rest by whoever runs the task.
class Recall {
public:
    /// What looking at one object counts for: what reading it again costs a transaction (EIP-2929).
    static constexpr std::uint64_t kLookGas = 100;
    /// What each transaction has paid before it executes, of whichever fork (from Amsterdam on as
    /// little as this, EIP-2780); all of it is worth looking.
    static constexpr std::uint64_t kGasBeforeExecution = 12'000;

    explicit Recall(const RecallParts& parts) : parts_(parts) {}

    /// Looks whether the attempt still holds, if there is one that nobody else has. One that was
    /// overtaken is taken back, if there may be another: the task is `waiting` again and the
    /// policy's, its published values stand, and its buffers with them. Any worker, which tries for
    /// the committer's role later. All looks at an attempt take no more gas than it took itself: of
    /// many who change nothing that can be seen, each might have everything behind it looked at.
    /// @param task  May have been committed meanwhile, and its place be used by another.
    /// @return whether it was taken back.
    [[nodiscard]] bool check(unsigned worker, Task& task, const Estimates& estimates);
    /// Takes the estimates out of the state; what replaces them is published.
    /// @param now  The attempt that did. Null: nothing replaces them.
    void withdraw_estimates(Worker& worker, Task& task, const Attempt* now);

private:
    [[nodiscard]] static bool pay_look(Attempt& attempt) noexcept;
    [[nodiscard]] bool take_back(Worker& worker, Task& task);

    const RecallParts parts_;
};

}  // namespace heddle::executor
