// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// How a scheduler really ran a block, on this machine: for the inspect command's page.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <executor/executor.hpp>
#include <executor/schedule_observer.hpp>
#include <types/block.hpp>

#include "commands/timeline.hpp"

namespace heddle::node {

/// Whether trace_block() takes this one, for what takes long before it has a block.
/// Errors: InputError, where the scheduler is serial or unknown.
void check_traceable(const std::string& scheduler);

/// The times are those of the last of a few runs: the first ones warm code and caches up.
/// @param world    Its sink is not used: the block changes nothing.
/// @param workers  At least one.
/// Errors: InputError, as check_traceable(); the block is taken to be valid.
[[nodiscard]] Timeline trace_block(const executor::World& world, const Block& block,
                                   const std::string& scheduler, std::uint32_t workers);

/// What was observed of one block, in nanoseconds from the first event on. What was applied or run
/// at its turn is final; an attempt that was not accepted is lost.
/// @param transactions  Of the block: events of others are left out.
[[nodiscard]] Timeline make_timeline(std::span<const executor::ScheduleEvent> events,
                                     std::uint32_t transactions, std::uint32_t workers);

}  // namespace heddle::node
