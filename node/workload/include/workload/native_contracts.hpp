// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Contracts of scenarios written in C++, so that schedulers are compared without what bytecode
// costs, as the papers compare them. They touch the same slots in the same order as
// contracts/KeyValue.sol and contracts/Tpcc.sol, and leave the same in them and in logs; their gas
// is less (see vm/native_code.hpp), and they revert without a reason.
#pragma once

#include <span>

namespace heddle::vm {
class NativeCode;
}  // namespace heddle::vm

namespace heddle::workload {

/// KeyValue.sol, for `ycsb:native=1`.
[[nodiscard]] const vm::NativeCode& native_key_value() noexcept;
/// Tpcc.sol, for `tpcc:native=1`.
[[nodiscard]] const vm::NativeCode& native_tpcc() noexcept;

/// All of them; what a code cache must know that runs such scenarios. They live as long as the
/// program.
[[nodiscard]] std::span<const vm::NativeCode* const> native_contracts() noexcept;

}  // namespace heddle::workload
