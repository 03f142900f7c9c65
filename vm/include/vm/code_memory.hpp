// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What analysed code takes.
#pragma once

#include <cstddef>

#include <vm/evm.hpp>

namespace heddle::vm {

/// Memory of all that the cache has, in bytes.
/// Thread safety: as the cache.
[[nodiscard]] std::size_t bytes_of(const CodeCache& cache);

}  // namespace heddle::vm
