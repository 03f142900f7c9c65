// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// CALL, CALLCODE, DELEGATECALL, STATICCALL, CREATE and CREATE2 (YP App. H.2, f0s; EIP-150, 214,
// 1014, 2929, 3860, 7702). A body charges the gas and leaves the message in `frame.pending`; the
// machine carries it out when the interpreter has returned.
#pragma once

#include "common.hpp"

namespace heddle::vm::instructions {

bool call(Frame& frame, Uint256*& sp, std::int64_t& gas) noexcept;
bool callcode(Frame& frame, Uint256*& sp, std::int64_t& gas) noexcept;
bool delegatecall(Frame& frame, Uint256*& sp, std::int64_t& gas) noexcept;
bool staticcall(Frame& frame, Uint256*& sp, std::int64_t& gas) noexcept;
bool create(Frame& frame, Uint256*& sp, std::int64_t& gas) noexcept;
bool create2(Frame& frame, Uint256*& sp, std::int64_t& gas) noexcept;

}  // namespace heddle::vm::instructions
