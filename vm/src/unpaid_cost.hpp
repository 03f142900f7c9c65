// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a traced instruction would have cost that there was not enough gas for. Execution stops as
// soon as that shows, with a part of the cost charged; a trace tells all of it.
#pragma once

#include <cstdint>
#include <optional>

#include <vm/tracer.hpp>

#include "gas_schedule.hpp"

namespace heddle::vm {

/// Of instructions whose memory, words or exponent have their price. Accounts are warm.
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

}  // namespace heddle::vm
