// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The system calls at the beginning of a block write slots that they do not read (EIP-2935, 4788):
// others in each block, so that a fork would have to ask its source for a value in each block that
// nobody needs.
#pragma once

#include <types/uint256.hpp>

namespace heddle::node {

/// While there is one on a thread, slots of a fork's source that are not at hand are not asked for.
/// Thread safety: of the thread that made it.
class OverwrittenSlots {
public:
    OverwrittenSlots() noexcept;
    ~OverwrittenSlots();
    OverwrittenSlots(const OverwrittenSlots&) = delete;
    OverwrittenSlots& operator=(const OverwrittenSlots&) = delete;

    /// Whether there is one on the calling thread.
    [[nodiscard]] static bool are_expected() noexcept;
    /// What such a slot reads as: a value that nothing writes, so that no write is taken for one
    /// that changes nothing.
    [[nodiscard]] static Uint256 value() noexcept;

private:
    const bool was_expected_;
};

}  // namespace heddle::node
