// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Ending an execution that is under way: somebody is asked, now and then, whether it should go on.
// Its outcome is Status::stopped then, which is no ending that a chain knows.
#pragma once

#include <cstdint>
#include <limits>

namespace heddle::vm {

/// Is asked while a transaction or a system call is executed, by the thread that executes it. How
/// far that is, is told in gas, because gas is what everything that takes time costs: each jump,
/// call, creation, hash, copy, precompiled contract and authorization is paid for before it is
/// done, and the question comes between the two. So nothing is done beyond what was allowed but the
/// rest of the straight piece of code that is being run.
///
/// Why it ends is the supervisor's business: a limit, a deadline, a flag that another thread sets.
/// The machine knows neither clocks nor threads.
///
/// Gas counts from 0 for each execution: what the message and all its calls use, what a failed call
/// burns included, and before it what the access list and the authorizations cost. The rest of
/// what a transaction pays before it executes is not in it, nor is what growing the state costs
/// from Amsterdam on, whichever gas that is paid with (EIP-8037): nothing is executed for it, and
/// where the state goes again it comes back.
class Supervisor {
public:
    /// In answer to on_gas(): the execution ends here.
    static constexpr std::int64_t kStop = -1;
    /// For those who only look at a flag or a clock: often enough to end within some ten
    /// microseconds and one instruction or precompiled contract, and rarely enough to cost nothing.
    static constexpr std::int64_t kUsualStep = 10'000;
    /// In answer to on_gas(): it need not be asked again.
    static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

    virtual ~Supervisor() = default;
    /// Asked at the beginning, and when more gas is about to be used than was allowed.
    /// @param gas_used  With what is going to be done now.
    /// @return kStop, or how much gas may be used until it is asked again; not below `gas_used`.
    [[nodiscard]] virtual std::int64_t on_gas(std::int64_t gas_used) noexcept = 0;
};

}  // namespace heddle::vm
