// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What random programs hardly come to by themselves: the deepest call, the last unit of gas, and
// accounts that are where forks put contracts of their own.
#pragma once

#include <cstdint>
#include <vector>

#include <types/bytes.hpp>
#include <types/genesis.hpp>
#include <vm/tracer.hpp>
#include <workload/random.hpp>

#include "wild_programs.hpp"

namespace heddle::test {

/// Calls its own account, one deeper each time, until a count in its input is as high as it likes,
/// which is about how deep calls go (YP 8: 1,024), and does something there. One 64th stays behind
/// at each step, before EIP-150 as after it: of kDescentGas 50,000 and no more come to the bottom.
[[nodiscard]] Bytes draw_descent(workload::Random& random, WildPrograms& programs);
inline constexpr std::uint64_t kDescentGas = 500'000'000'000;

/// Accounts at the addresses of some contracts that are or will be precompiled, and of the caller
/// of system contracts: there and empty (EIP-161 clears them when they are touched), paid, or with
/// code that runs until a fork takes its place.
[[nodiscard]] std::vector<GenesisAccount> draw_reserved_accounts(workload::Random& random,
                                                                 WildPrograms& programs);

/// How much gas the outermost frame had at each of its instructions, and what that one cost.
class BorderTracer final : public vm::Tracer {
public:
    struct Border {
        std::int64_t gas_left = 0;
        std::int64_t gas_cost = 0;
    };

    void on_step(const vm::TraceStep& step, vm::Status failure) noexcept override;
    [[nodiscard]] const std::vector<Border>& borders() const noexcept { return borders_; }

private:
    std::vector<Border> borders_;
};

/// A gas limit with which one of those instructions has just what it needs, or a unit less or more;
/// or what a call's stipend is (2,300 gas, EIP-2200).
/// @param gas_limit  With which it was traced. 0: nothing was.
[[nodiscard]] std::uint64_t draw_border(workload::Random& random, const BorderTracer& tracer,
                                        std::uint64_t gas_limit);

}  // namespace heddle::test
