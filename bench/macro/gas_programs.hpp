// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Programs that do one thing as often as their gas allows and as little else as possible, on the
// arguments for which it takes longest: what a block can be filled with.
#pragma once

#include <string>
#include <vector>

#include <types/bytes.hpp>
#include <types/revision.hpp>

#include <ledger/memory_state.hpp>

namespace heddle::bench {

struct GasProgram {
    std::string name;
    Bytes code;
    Bytes call_data;
};

/// Where programs find accounts that nobody has touched yet, one behind the other: without code,
/// and with code of the largest size of its own each, which stops at once or jumps to its end.
inline constexpr std::uint64_t kFirstPlainAccount = 0x100'0000;
inline constexpr std::uint64_t kFirstContract = 0x200'0000;
inline constexpr std::uint64_t kFirstJumper = 0x300'0000;
inline constexpr std::uint64_t kContracts = 7'000;
inline constexpr std::uint64_t kPlainAccounts = 7'000;

/// Every instruction, by group where its arguments do not matter; the same ones, in the same order,
/// whatever the revision, which says how large code is.
[[nodiscard]] std::vector<GasProgram> gas_programs(Revision revision);

/// What they find.
/// @param contracts  Of either kind, at most kContracts: each takes as much as the revision allows.
void add_accounts(ledger::MemoryState& state, std::uint64_t contracts, Revision revision);

/// Calls of precompiled contracts.
struct PrecompileCall {
    std::string name;
    std::uint32_t index = 0;
    std::string input;  // hexadecimal
};
[[nodiscard]] std::vector<PrecompileCall> precompile_calls();

}  // namespace heddle::bench
