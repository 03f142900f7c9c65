// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Machines for calls outside the stream, kept from call to call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <vm/evm.hpp>

#include "simulation/deadline.hpp"

namespace heddle::node::simulation {

/// Thread safety: any. Must outlive its leases.
class EvmPool {
public:
    /// A machine until the end of its life.
    /// Thread safety: one thread at a time.
    class Lease {
    public:
        Lease(EvmPool& pool, std::unique_ptr<vm::Evm> evm, const Deadline& deadline)
            : pool_(&pool), evm_(std::move(evm)), deadline_(deadline) {}
        /// A machine whose call ran into its deadline is not kept: it may hold much memory.
        ~Lease() {
            if (evm_ == nullptr || is_retired_ || deadline_.has_passed()) return;
            pool_->give_back(std::move(evm_));
        }
        Lease(Lease&&) noexcept = default;
        Lease& operator=(Lease&&) = delete;

        [[nodiscard]] vm::Evm& evm() noexcept { return *evm_; }
        /// The machine has met code that nobody will meet again: it goes, with what it holds of it.
        void retire() noexcept { is_retired_ = true; }
        /// A call has used this much gas. The memory of one that used very much is given back.
        void note(std::uint64_t gas_used) noexcept {
            if (gas_used > kUsualGas) retire();
        }

    private:
        static constexpr std::uint64_t kUsualGas = 5'000'000;

        EvmPool* pool_;
        std::unique_ptr<vm::Evm> evm_;
        Deadline deadline_;
        bool is_retired_ = false;
    };

    explicit EvmPool(std::shared_ptr<vm::CodeCache> code_cache)
        : code_cache_(std::move(code_cache)) {}

    /// @param deadline  Of the call that it is for.
    [[nodiscard]] Lease take(const Deadline& deadline);
    [[nodiscard]] const std::shared_ptr<vm::CodeCache>& code_cache() const noexcept {
        return code_cache_;
    }

private:
    void give_back(std::unique_ptr<vm::Evm> evm) noexcept;

    /// More than this many idle machines are not worth their memory.
    static constexpr std::size_t kIdle = 4;

    const std::shared_ptr<vm::CodeCache> code_cache_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<vm::Evm>> idle_;  // guarded by mutex_
};

}  // namespace heddle::node::simulation
