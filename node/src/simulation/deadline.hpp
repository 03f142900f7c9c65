// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Until when a simulation may run, and how the machine that executes it keeps to that.
#pragma once

#include <chrono>
#include <cstdint>

#include <vm/evm.hpp>
#include <vm/supervisor.hpp>

#include "simulation/failure.hpp"

namespace heddle::node::simulation {

/// Thread safety: any; the count of gas is one thread's at a time.
class Deadline {
public:
    /// @param executed_gas  What is executed until then is added here; null: nobody counts.
    explicit Deadline(std::chrono::steady_clock::time_point until,
                      std::uint64_t* executed_gas = nullptr) noexcept
        : until_(until), executed_gas_(executed_gas) {}

    [[nodiscard]] bool has_passed() const noexcept {
        return std::chrono::steady_clock::now() > until_;
    }
    /// For loops. Errors: Failure timed_out.
    void check() const {
        if (has_passed()) fail();
    }
    /// It has passed. Errors: Failure timed_out, always.
    [[noreturn]] static void fail() { throw Failure(FailureKind::timed_out, "request timed out"); }
    void note_gas(std::uint64_t gas) const noexcept {
        if (executed_gas_ != nullptr) *executed_gas_ += gas;
    }

private:
    std::chrono::steady_clock::time_point until_;
    std::uint64_t* executed_gas_;
};

/// For as long as it lives, executions of a machine end with vm::Status::stopped once a deadline
/// has passed, whatever the code is and whether or not it is traced.
/// Thread safety: one thread at a time.
class Supervision final : public vm::Supervisor {
public:
    Supervision(const Deadline& deadline, vm::Evm& evm) noexcept : deadline_(deadline), evm_(evm) {
        evm_.supervise(this);
    }
    ~Supervision() override { evm_.supervise(nullptr); }
    Supervision(const Supervision&) = delete;
    Supervision& operator=(const Supervision&) = delete;

    [[nodiscard]] std::int64_t on_gas(std::int64_t gas_used) noexcept override {
        return deadline_.has_passed() ? kStop : gas_used + kUsualStep;
    }

private:
    const Deadline deadline_;
    vm::Evm& evm_;
};

}  // namespace heddle::node::simulation
