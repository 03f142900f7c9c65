// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The wish to stop (SIGINT, SIGTERM, SIGHUP), noted instead of obeyed at once, so that what was
// begun can be brought to its end. A second one ends the process as if nobody listened, unless it
// comes together with the first. SIGHUP stays ignored where nohup has it ignored.
#pragma once

#include <memory>

#include <consensus_adapter/block_source.hpp>

namespace heddle::node {

/// Listens while it lives, and after a signal until the process ends. One at a time.
class StopSignal {
public:
    StopSignal();
    ~StopSignal();
    StopSignal(const StopSignal&) = delete;
    StopSignal& operator=(const StopSignal&) = delete;

    /// Thread safety: any.
    [[nodiscard]] static bool is_raised() noexcept;
    /// Ends the process by the signal that was raised, as if nobody had listened. For what has
    /// tidied up and has nothing to show.
    [[noreturn]] static void obey();
};

/// `source` until the signal is raised; it then ends as if there were no more blocks.
[[nodiscard]] std::unique_ptr<consensus_adapter::BlockSource> make_stoppable_source(
    std::unique_ptr<consensus_adapter::BlockSource> source);

}  // namespace heddle::node
