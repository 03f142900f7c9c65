// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Analysed code that machines of several threads share.
#pragma once

#include <cstddef>
#include <memory>

#include <vm/evm.hpp>

namespace heddle::node {

/// @param max_bytes  Of all that is kept; what machines are running lives on.
[[nodiscard]] std::shared_ptr<vm::CodeCache> make_shared_code_cache(std::size_t max_bytes);
/// For a cache with something else in it.
[[nodiscard]] std::unique_ptr<vm::CodeCacheLock> make_code_cache_lock();

}  // namespace heddle::node
