// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Analysed code that all workers share: vm knows no threads, so the lock comes from here.
#pragma once

#include <memory>
#include <mutex>

#include <vm/evm.hpp>

namespace heddle::executor {

class CodeCacheMutex final : public vm::CodeCacheLock {
public:
    void lock() noexcept override { mutex_.lock(); }
    void unlock() noexcept override { mutex_.unlock(); }

private:
    std::mutex mutex_;
};

[[nodiscard]] inline std::shared_ptr<vm::CodeCache> make_shared_code_cache() {
    return vm::make_code_cache(vm::kDefaultCodeCacheBytes, std::make_unique<CodeCacheMutex>());
}

}  // namespace heddle::executor
