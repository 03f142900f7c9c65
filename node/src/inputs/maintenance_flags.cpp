// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "inputs/maintenance_flags.hpp"

#include <fmt/format.h>

#include "program/command_line.hpp"

namespace heddle::node {

namespace {

using namespace std::chrono_literals;

constexpr auto kTerminalInterval = 200ms;
constexpr auto kPlainInterval = 5s;

}  // namespace

void add_maintenance_flags(Command command, LedgerFlags& flags) {
    add_datadir_option(command, flags, /*is_required=*/true);
    add_memory_option(command, flags.memory_mib, "MiB for all caches, tries and buffers");
}

void StepProgress::update(std::string_view doing, std::uint64_t done, std::uint64_t total) {
    const auto now = Clock::now();
    if (now - last_ < (line_.is_terminal() ? Clock::duration(kTerminalInterval) : kPlainInterval))
        return;
    last_ = now;
    std::string text(doing);
    if (total != 0)
        text += fmt::format(": {} of {}, {:.0f} %", done, total,
                            100 * static_cast<double>(done) / static_cast<double>(total));
    else if (done != 0)
        text += fmt::format(": {}", done);
    line_.show(text);
}

ledger::WorkProgress StepProgress::callback() {
    return [this](std::string_view doing, std::uint64_t done, std::uint64_t total) {
        update(doing, done, total);
    };
}

ledger::MaintenanceOptions make_maintenance_options(const LedgerFlags& flags,
                                                    StepProgress& progress) {
    ledger::MaintenanceOptions options;
    options.directory = flags.datadir;
    options.memory_bytes = flags.memory_mib << 20;
    options.on_progress = progress.callback();
    return options;
}

}  // namespace heddle::node
