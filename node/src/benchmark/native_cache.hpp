// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Code caches of benchmarks: the only ones that may know contracts in C++.
#pragma once

#include <memory>
#include <span>

#include <vm/native_code.hpp>

namespace heddle::node::benchmark {

/// Each must live as long as what uses it.
using NativeContracts = std::span<const vm::NativeCode* const>;

/// For any number of threads.
[[nodiscard]] std::shared_ptr<vm::CodeCache> make_code_cache(NativeContracts natives);

}  // namespace heddle::node::benchmark
