// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The second dimension of gas (EIP-8037): what growing the state costs. It is paid out of a
// reservoir that the transaction starts with, and when that is empty out of the gas for execution.
#pragma once

#include <algorithm>
#include <cstdint>

namespace heddle::vm {

/// State gas of the innermost frame. Only one frame runs at a time and the whole reservoir goes
/// with it, so there is one of these a transaction; what its callers have used waits in their
/// callee.
///
/// Invariant: reservoir + used - spilled is the reservoir with which the frame started.
/// Thread safety: none; one worker's.
class StateGas {
public:
    /// Used by a frame whose callee runs.
    struct Caller {
        std::int64_t used = 0;
        std::int64_t spilled = 0;
    };

    /// A transaction begins.
    void reset(std::int64_t reservoir) noexcept {
        reservoir_ = reservoir;
        used_ = 0;
        spilled_ = 0;
        lent_ = 0;
    }
    [[nodiscard]] std::int64_t reservoir() const noexcept { return reservoir_; }
    /// Net of what was refilled; negative where a frame undid what its callers had paid for.
    [[nodiscard]] std::int64_t used() const noexcept { return used_; }

    /// Paid out of the frame's gas for execution, and not come back.
    [[nodiscard]] std::int64_t spilled() const noexcept { return spilled_; }
    /// The same of all frames that have not ended.
    [[nodiscard]] std::int64_t lent() const noexcept { return lent_; }

    /// @param gas  The frame's gas for execution, which pays for what the reservoir does not.
    /// @return false: both together do not suffice, and nothing is taken.
    [[nodiscard]] bool charge(std::int64_t amount, std::int64_t& gas) noexcept {
        const std::int64_t rest = std::max<std::int64_t>(amount - reservoir_, 0);
        if (gas < rest) return false;
        reservoir_ -= amount - rest;
        gas -= rest;
        spilled_ += rest;
        lent_ += rest;
        used_ += amount;
        return true;
    }
    /// What was paid for has not come to be, or is gone again: gas for execution that had paid for
    /// state comes back first.
    void refill(std::int64_t amount, std::int64_t& gas) noexcept {
        const std::int64_t owed = std::min(amount, spilled_);
        gas += owed;
        spilled_ -= owed;
        lent_ -= owed;
        reservoir_ += amount - owed;
        used_ -= amount;
    }

    /// A callee starts. @return what the caller has used, for leave() and undo().
    [[nodiscard]] Caller enter() noexcept {
        const Caller caller{used_, spilled_};
        used_ = 0;
        spilled_ = 0;
        return caller;
    }
    /// It has ended well.
    /// @return gas that comes back to the caller: what it had lent and the callee has refilled.
    [[nodiscard]] std::int64_t leave(const Caller& caller) noexcept {
        used_ += caller.used;
        spilled_ += caller.spilled;
        const std::int64_t settled = std::min(reservoir_, spilled_);
        reservoir_ -= settled;
        spilled_ -= settled;
        lent_ -= settled;
        return settled;
    }
    /// It has failed, and all that it paid for is undone.
    /// @return gas for execution that it had spent on state; a halt burns it with the rest.
    [[nodiscard]] std::int64_t undo(const Caller& caller) noexcept {
        const std::int64_t lent = spilled_;
        reservoir_ += used_ - spilled_;
        lent_ -= lent;
        used_ = caller.used;
        spilled_ = caller.spilled;
        return lent;
    }

private:
    std::int64_t reservoir_ = 0;
    std::int64_t used_ = 0;
    std::int64_t spilled_ = 0;
    std::int64_t lent_ = 0;  // spilled by this frame and its callers
};

}  // namespace heddle::vm
