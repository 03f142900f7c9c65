// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "simulation/evm_pool.hpp"

#include <utility>

namespace heddle::node::simulation {

EvmPool::Lease EvmPool::take(const Deadline& deadline) {
    {
        const std::scoped_lock lock{mutex_};
        if (!idle_.empty()) {
            std::unique_ptr<vm::Evm> evm = std::move(idle_.back());
            idle_.pop_back();
            return {*this, std::move(evm), deadline};
        }
    }
    vm::EvmOptions options;
    options.code_cache = code_cache_;
    options.decode_after_entries = vm::kDecodeAfterEntries;
    options.lets_go_of_code = true;
    return {*this, std::make_unique<vm::Evm>(std::move(options)), deadline};
}

void EvmPool::give_back(std::unique_ptr<vm::Evm> evm) noexcept {
    evm->use_precompiles(nullptr);
    const std::scoped_lock lock{mutex_};
    if (idle_.size() < kIdle) idle_.push_back(std::move(evm));
}

}  // namespace heddle::node::simulation
