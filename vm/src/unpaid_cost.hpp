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
/// that EXTCODESIZE and EXTCODECOPY pay for from Amsterdam on (EIP-8038), only the first.
[[nodiscard]] std::int64_t first_cost(std::uint8_t opcode, const GasSchedule& schedule) noexcept;

/// Of instructions whose memory, words, exponent or code size have their price. Accounts are warm.
/// @param step         With the stack as it was before it.
/// @param memory_size  In bytes, before it.
/// @return nullopt: it is none of these, had not even what is charged first, or no memory is as
/// large as it would need.
[[nodiscard]] std::optional<std::int64_t> unpaid_cost(const TraceStep& step,
                                                      std::uint64_t memory_size,
                                                      const GasSchedule& schedule) noexcept;

/// What a call that could not pay costs together with what it would have passed on.
/// @param step  With what it costs without that.
[[nodiscard]] std::int64_t cost_with_passed_gas(const TraceStep& step,
                                                const GasSchedule& schedule) noexcept;

/// Whether a call, before Prague, fails while what it costs is still being added up, so that only
/// its static cost shows: geth looks at the account when it is paid for, and for a CALL also when
/// memory and the value's transfer are.
/// @param is_cold  Whether the account was cold before it (EIP-2929).
[[nodiscard]] bool fails_before_its_cost(const TraceStep& step, std::uint64_t memory_size,
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
