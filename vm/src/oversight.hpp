// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// When an execution has to ask its supervisor. The interpreters know one number a frame: with less
// gas than `Frame::look_below` left they stop and look. Running out of gas is one reason for that,
// so that the check is the one that they make anyway.
#pragma once

#include <algorithm>
#include <cstdint>

#include <vm/supervisor.hpp>

#include "state_gas.hpp"

namespace heddle::vm {

/// One execution's. Gas is counted down here as it is in frames: what is left of the outermost
/// message's gas, over all frames together. What of it state is paid with (EIP-8037) is not used
/// for executing anything, and mostly comes back where the state goes again.
/// Thread safety: none.
class Oversight {
public:
    /// @param state_gas  The execution's; must outlive it.
    explicit Oversight(const StateGas& state_gas) noexcept : state_gas_(state_gas) {}

    /// For all executions from the next one on; null: nobody.
    void set_supervisor(Supervisor* supervisor) noexcept { supervisor_ = supervisor; }
    [[nodiscard]] bool is_watched() const noexcept { return supervisor_ != nullptr; }

    /// An execution begins. @return false: it is to end at once.
    [[nodiscard]] bool begin() noexcept {
        used_before_ = 0;
        given_ = 0;
        lent_at_start_ = 0;
        left_at_look_ = 0;
        allowed_ = Supervisor::kNever;
        asked_ = 0;
        return supervisor_ == nullptr || ask(0);
    }
    /// Before the message: something that costs this much gas is about to be done.
    [[nodiscard]] bool use(std::int64_t gas) noexcept {
        used_before_ += gas;
        return used_before_ <= allowed_ || ask(used_before_);
    }
    /// The message starts, with this much gas.
    void start(std::int64_t gas) noexcept {
        given_ = gas;
        lent_at_start_ = state_gas_.lent();
        set_next_look();
    }
    /// Something is about to be done that leaves so much, over all frames.
    /// @return false: the execution ends before it.
    [[nodiscard]] bool may_leave(std::int64_t left) noexcept {
        const std::int64_t used = used_with(left);
        return used <= allowed_ || ask(used);
    }

    /// For a frame whose callers have kept this much gas; until state is paid for or paid back.
    [[nodiscard]] std::int64_t look_below(std::int64_t gas_outside) const noexcept {
        return std::max<std::int64_t>(left_at_look_ - lent() - gas_outside, 0);
    }
    /// Most gas that an execution that was ended has used: what was refused was not done.
    [[nodiscard]] std::int64_t used_until_stop() const noexcept {
        return std::min(asked_, allowed_);
    }
    /// Gas used when the message has this much left.
    [[nodiscard]] std::int64_t used_with(std::int64_t left) const noexcept {
        return used_before_ + (given_ - left) - lent();
    }

private:
    /// Since the message started; negative where more has come back.
    [[nodiscard]] std::int64_t lent() const noexcept { return state_gas_.lent() - lent_at_start_; }
    [[nodiscard]] bool ask(std::int64_t used) noexcept {
        if (supervisor_ == nullptr) return true;
        asked_ = used;
        const std::int64_t answer = supervisor_->on_gas(used);
        if (answer == Supervisor::kStop) return false;
        allowed_ = std::max(answer, used);
        set_next_look();
        return true;
    }
    void set_next_look() noexcept {
        const std::int64_t room = std::max<std::int64_t>(allowed_ - used_before_, 0);
        left_at_look_ = room >= given_ ? 0 : given_ - room;
    }

    const StateGas& state_gas_;
    Supervisor* supervisor_ = nullptr;
    std::int64_t used_before_ = 0;  // by what comes before the message
    std::int64_t given_ = 0;        // to the message
    std::int64_t lent_at_start_ = 0;
    std::int64_t allowed_ = 0;       // gas used up to which nobody need be asked
    std::int64_t asked_ = 0;         // gas used according to the last question
    std::int64_t left_at_look_ = 0;  // the same, as what is left then
};

}  // namespace heddle::vm
