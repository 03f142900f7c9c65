// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "benchmark/native_cache.hpp"

#include "chain/shared_code_cache.hpp"

namespace heddle::node::benchmark {

std::shared_ptr<vm::CodeCache> make_code_cache(NativeContracts natives) {
    return vm::make_code_cache(vm::kDefaultCodeCacheBytes, make_code_cache_lock(), natives);
}

}  // namespace heddle::node::benchmark
