// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "chain/shared_code_cache.hpp"

#include <mutex>

namespace heddle::node {
namespace {

class MutexLock final : public vm::CodeCacheLock {
public:
    void lock() noexcept override { mutex_.lock(); }
    void unlock() noexcept override { mutex_.unlock(); }

private:
    std::mutex mutex_;
};

}  // namespace

std::shared_ptr<vm::CodeCache> make_shared_code_cache(std::size_t max_bytes) {
    return vm::make_code_cache(max_bytes, make_code_cache_lock());
}

std::unique_ptr<vm::CodeCacheLock> make_code_cache_lock() {
    return std::make_unique<MutexLock>();
}

}  // namespace heddle::node
