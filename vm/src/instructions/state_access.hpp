// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Everything that reads or writes the world: accounts, storage, transient storage, SELFDESTRUCT
// (YP App. H.2; EIP-1052, 1153, 1283, 2200, 2929, 3529, 6780). Not inlined into the interpreters: a
// table look-up outweighs the call.
#pragma once

#include "common.hpp"

namespace heddle::vm::instructions {

bool balance(Frame& frame, Uint256*& sp, std::int64_t& gas) noexcept;
bool selfbalance(Frame& frame, Uint256*& sp, std::int64_t& gas) noexcept;
bool extcodesize(Frame& frame, Uint256*& sp, std::int64_t& gas) noexcept;
bool extcodecopy(Frame& frame, Uint256*& sp, std::int64_t& gas) noexcept;
bool extcodehash(Frame& frame, Uint256*& sp, std::int64_t& gas) noexcept;
bool sload(Frame& frame, Uint256*& sp, std::int64_t& gas) noexcept;
bool sstore(Frame& frame, Uint256*& sp, std::int64_t& gas) noexcept;
bool tload(Frame& frame, Uint256*& sp, std::int64_t& gas) noexcept;
bool tstore(Frame& frame, Uint256*& sp, std::int64_t& gas) noexcept;
bool selfdestruct(Frame& frame, Uint256*& sp, std::int64_t& gas) noexcept;

/// The account's code: the machine's, where it has it in use. Valid as StateView::code() says.
[[nodiscard]] BytesView code_of(Frame& frame, AccountEntry& account) noexcept;

}  // namespace heddle::vm::instructions
