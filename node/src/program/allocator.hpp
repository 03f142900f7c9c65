// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The allocator that the program is linked with, as far as it is told anything.
#pragma once

#include <chrono>
#include <cstdint>

namespace heddle::node {

/// How long memory that is freed is held before it goes back to the system. From block to block the
/// same memory is freed and needed again: giving it back in between, and having it cleared, is a
/// tenth of the time that execution takes. With zero it goes at once, and the process is bounded by
/// what it uses, also while many large answers come and go.
/// Without effect where the program is linked without mimalloc (sanitizers, tests).
void hold_freed_memory(std::chrono::milliseconds time) noexcept;

/// For commands that end with their work.
inline constexpr std::chrono::milliseconds kToolsHoldMemory{100};
/// For a node that has been told how much memory it may take, in MiB: a fifth of the processor time
/// of a node under load is at stake, and up to 50 MiB.
[[nodiscard]] constexpr std::chrono::milliseconds time_to_hold_memory(
    std::uint64_t memory_mib) noexcept {
    return std::chrono::milliseconds{memory_mib < 256 ? 0 : 25};
}
/// For a command that has been told that: with little memory what is held of large blocks is more
/// than all that it may take.
[[nodiscard]] constexpr std::chrono::milliseconds time_for_tools_to_hold_memory(
    std::uint64_t memory_mib) noexcept {
    return memory_mib < 256 ? std::chrono::milliseconds{0} : kToolsHoldMemory;
}

}  // namespace heddle::node
