// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the commands share that work on a data directory nobody has open: their options, and how far
// they have come.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include <ledger/maintenance.hpp>

#include "inputs/ledger_flags.hpp"
#include "program/terminal.hpp"

namespace heddle::node {

class Command;

/// Adds --datadir, required, and --memory.
void add_maintenance_flags(Command command, LedgerFlags& flags);

/// Reports to standard error: one line rewritten in place on a terminal, a line every five seconds
/// elsewhere. Nothing for work that is done before. Thread safety: none.
class StepProgress {
public:
    /// As ledger::WorkProgress.
    void update(std::string_view doing, std::uint64_t done, std::uint64_t total);
    /// Calls update(); must not outlive this.
    [[nodiscard]] ledger::WorkProgress callback();

private:
    using Clock = std::chrono::steady_clock;
    RewrittenLine line_;
    Clock::time_point last_ = Clock::now();
};

[[nodiscard]] ledger::MaintenanceOptions make_maintenance_options(const LedgerFlags& flags,
                                                                  StepProgress& progress);

}  // namespace heddle::node
