// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <vm/status.hpp>

namespace heddle::vm {

std::string_view to_string(Status status) noexcept {
    switch (status) {
        case Status::success:
            return "success";
        case Status::revert:
            return "execution reverted";
        case Status::out_of_gas:
            return "out of gas";
        case Status::invalid_instruction:
            return "invalid instruction";
        case Status::stack_underflow:
            return "stack underflow";
        case Status::stack_overflow:
            return "stack overflow";
        case Status::bad_jump_destination:
            return "invalid jump destination";
        case Status::static_mode_violation:
            return "write protection";
        case Status::return_data_out_of_bounds:
            return "return data out of bounds";
        case Status::contract_address_collision:
            return "contract address collision";
        case Status::code_size_exceeded:
            return "max code size exceeded";
        case Status::init_code_size_exceeded:
            return "max init code size exceeded";
        case Status::invalid_code_prefix:
            return "invalid code: must not begin with 0xef";
        case Status::code_deposit_out_of_gas:
            return "contract creation code storage out of gas";
        case Status::precompile_failure:
            return "precompiled contract failed";
        case Status::undeclared_access:
            return "access outside the declared list";
        case Status::aborted:
            return "aborted";
        case Status::stopped:
            return "stopped";
        case Status::call_depth_exceeded:
            return "max call depth exceeded";
        case Status::insufficient_balance:
            return "insufficient balance for transfer";
        case Status::nonce_overflow:
            return "nonce uint64 overflow";
    }
    return "unknown status";
}

}  // namespace heddle::vm
