// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/methods/simulation_failures.hpp"

#include <cstddef>
#include <string>
#include <utility>

#include <types/assert.hpp>

namespace heddle::node::rpc {
namespace {

using simulation::Failure;
using simulation::FailureKind;

/// @param most  Bytes that an answer may have; 0: any number. What a call reverted with, and is
///              larger, is not made text first.
RpcError to_rpc_error(const Failure& failure, std::size_t most) {
    const auto& returned = failure.revert_data();
    if (!returned) return {code_of(failure.kind()), failure.text()};
    if (most != 0 && 2 * returned->size() > most)
        return {Code::response_too_large, "response too large"};
    return {code_of(failure.kind()), failure.text(), '"' + to_hex(*returned) + '"'};
}

}  // namespace

int code_of(FailureKind kind) noexcept {
    switch (kind) {
        case FailureKind::refused:
            return static_cast<int>(Code::server_error);
        case FailureKind::invalid:
            return static_cast<int>(Code::invalid_params);
        case FailureKind::reverted:
            return static_cast<int>(Code::reverted);
        case FailureKind::halted:
            return -32015;
        case FailureKind::timed_out:
            return static_cast<int>(Code::timed_out);
        case FailureKind::internal:
            return static_cast<int>(Code::internal_error);
        // Those that only eth_simulateV1 has.
        case FailureKind::nonce_too_low:
            return -38010;
        case FailureKind::nonce_too_high:
            return -38011;
        case FailureKind::base_fee_too_low:
            return -38012;
        case FailureKind::intrinsic_gas:
            return -38013;
        case FailureKind::insufficient_funds:
            return -38014;
        case FailureKind::block_gas_limit:
            return -38015;
        case FailureKind::block_number_order:
            return -38020;
        case FailureKind::timestamp_order:
            return -38021;
        case FailureKind::init_code_too_large:
            return -38025;
        case FailureKind::too_many:
            return -38026;
    }
    HEDDLE_ASSERT(false);
    return 0;
}

simulation::Deadline deadline_of(const Call& call) noexcept {
    return simulation::Deadline(call.deadline, call.cost == nullptr ? nullptr : &call.cost->gas);
}

Handler with_failures_told(Handler handler) {
    return [handler = std::move(handler)](const Call& call, JsonWriter& result) {
        try {
            handler(call, result);
        } catch (const Failure& failure) {
            throw to_rpc_error(failure, call.max_result_bytes);
        }
    };
}

}  // namespace heddle::node::rpc
