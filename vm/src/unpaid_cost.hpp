// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a traced instruction would have cost that there was not enough gas for. Execution stops as
// soon as that shows, with a part of the cost charged; a trace tells all of it.
#pragma once

#include <cstdint>
#include <optional>

#include <vm/status.hpp>
#include <vm/tracer.hpp>

#include "gas_schedule.hpp"

namespace heddle::vm {

/// What geth charges, and shows, before it looks at an instruction's operands: of the two reads
/// that EXTCODESIZE and EXTCODECOPY pay for from Amsterdam on (EIP-8038), only the first; of a log
/// nothing.
[[nodiscard]] std::int64_t first_cost(std::uint8_t opcode, const GasSchedule& schedule) noexcept;

/// Of instructions whose memory, words, exponent or code size have their price. Accounts are warm.
/// @param step         With the stack as it was before it.
/// @param memory_size  In bytes, before it.
/// @return nullopt: it is none of these, had not even what is charged first, or no memory is as
/// large as it would need.
[[nodiscard]] std::optional<std::int64_t> unpaid_cost(const TraceStep& step,
                                                      std::uint64_t memory_size,
                                                      const GasSchedule& schedule) noexcept;

/// Where geth finds that a call cannot be paid. It looks at the account when that is paid for, and
/// for a CALL, and for all from Prague on, also when memory and the value's transfer are.
enum class CallEnd : std::uint8_t {
    at_its_memory,  // none is that large: only the static cost shows
    at_its_parts,   // while they are added up: only the static cost shows
    at_all_of_it,
};
/// @param is_cold  Whether the account was cold before it (EIP-2929).
[[nodiscard]] CallEnd end_of_unpaid_call(const TraceStep& step, std::uint64_t memory_size,
                                         bool is_cold, const GasSchedule& schedule) noexcept;

/// What a call that ended at all of its cost costs together with what it would have passed on.
/// @param step  With what was charged.
[[nodiscard]] std::int64_t cost_of_unpaid_call(const TraceStep& step, std::uint64_t memory_size,
                                               bool is_cold, const GasSchedule& schedule) noexcept;

/// Why a step failed, as geth finds it, which checks in another order: a log's price comes before
/// the question whether it may be written, and nothing of it is charged before all of it is known;
/// the size of init code comes before what its memory costs; a few words on the stack come before
/// the byte behind DUPN, SWAPN and EXCHANGE.
/// @param step             Gets the cost and the need of the stack that show then.
/// @param memory_size      In bytes, before it.
/// @param most_init_code   In bytes (EIP-3860).
[[nodiscard]] Status failure_as_told(TraceStep& step, Status failure, std::uint64_t memory_size,
                                     std::uint64_t most_init_code,
                                     const GasSchedule& schedule) noexcept;

}  // namespace heddle::vm
