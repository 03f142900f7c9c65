// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The machines behind heddle_engine: what is kept warm from call to call.
#pragma once

#include <heddle.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include <executor/executor.hpp>

#include <vm/evm.hpp>

#include "boundary.hpp"
#include "code_store.hpp"

struct heddle_engine {
    /// @param options  Complete and within its limits, but for the scheduler, which is `scheduler`.
    heddle_engine(const heddle_engine_options& options, std::string scheduler);

    /// Threads start with the first block.
    [[nodiscard]] heddle::executor::Executor& executor();
    [[nodiscard]] heddle::vm::Evm& evm() noexcept { return *evm_; }
    [[nodiscard]] heddle::library::CodeStore& codes() noexcept { return codes_; }
    /// After a call in which state was not what it should be: what was analysed of it is forgotten.
    void renew();

    [[nodiscard]] bool makes_access_lists() const noexcept {
        return (options_.flags & HEDDLE_ENGINE_ACCESS_LISTS) != 0;
    }
    /// Errors: limit.
    [[nodiscard]] heddle::library::Result<void> check_gas_limit(std::uint64_t gas_limit) const;

private:
    friend class EngineUse;

    // Immutable after construction.
    const heddle_engine_options options_;
    const std::string scheduler_;

    std::atomic<bool> is_busy_ = false;
    heddle::library::CodeStore codes_;
    // Of the thread that has made it busy.
    std::shared_ptr<heddle::vm::CodeCache> code_cache_;
    std::unique_ptr<heddle::vm::Evm> evm_;
    std::unique_ptr<heddle::executor::Executor> executor_;
};

/// One call's use of an engine. Where somebody else uses it already there is nothing in it.
class EngineUse {
public:
    explicit EngineUse(heddle_engine& engine) noexcept
        : engine_(engine), has_it_(!engine.is_busy_.exchange(true, std::memory_order_acquire)) {}
    ~EngineUse() {
        if (has_it_) engine_.is_busy_.store(false, std::memory_order_release);  // pairs with above
    }
    EngineUse(const EngineUse&) = delete;
    EngineUse& operator=(const EngineUse&) = delete;

    [[nodiscard]] bool has_it() const noexcept { return has_it_; }

private:
    heddle_engine& engine_;
    const bool has_it_;
};
