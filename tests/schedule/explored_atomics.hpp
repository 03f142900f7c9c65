// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What stands in for std::atomic in code under exploration (see explorer.hpp). Memory orders are
// accepted and have no effect.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

#include "operations.hpp"

namespace heddle::test {

template <typename T>
class ExploredAtomic {
public:
    ExploredAtomic() noexcept : ExploredAtomic(T{}) {}
    // As std::atomic has it.
    ExploredAtomic(T value) noexcept  // NOLINT(google-explicit-constructor)
        : cell_(new_cell()), value_(value) {}
    ExploredAtomic(const ExploredAtomic&) = delete;
    ExploredAtomic& operator=(const ExploredAtomic&) = delete;

    [[nodiscard]] T load(std::memory_order = std::memory_order_seq_cst) const noexcept {
        before({OperationKind::load, cell_});
        return done(value_);
    }
    void store(T value, std::memory_order = std::memory_order_seq_cst) noexcept {
        before({OperationKind::store, cell_});
        value_ = value;
        done(value);
    }
    T exchange(T value, std::memory_order = std::memory_order_seq_cst) noexcept {
        before({OperationKind::exchange, cell_});
        const T old = value_;
        value_ = value;
        done(value);
        return old;
    }
    T fetch_add(T value, std::memory_order = std::memory_order_seq_cst) noexcept {
        before({OperationKind::add, cell_});
        const T old = value_;
        value_ = static_cast<T>(old + value);
        done(value_);
        return old;
    }
    T fetch_sub(T value, std::memory_order order = std::memory_order_seq_cst) noexcept {
        return fetch_add(static_cast<T>(T{0} - value), order);
    }
    bool compare_exchange_weak(T& expected, T desired,
                               std::memory_order = std::memory_order_seq_cst,
                               std::memory_order = std::memory_order_seq_cst) noexcept {
        before({OperationKind::compare, cell_});
        if (value_ != expected || fails_spuriously()) {
            expected = value_;
            done(value_);
            return false;
        }
        value_ = desired;
        done(value_);
        return true;
    }
    void wait(T old, std::memory_order = std::memory_order_seq_cst) const noexcept {
        before({OperationKind::wait, cell_});
        while (value_ == old)
            sleep_on_cell();
        done(value_);
    }
    void notify_one() noexcept {
        before({OperationKind::notify, cell_});
        wake(cell_, false);
        done(value_);
    }
    void notify_all() noexcept {
        before({OperationKind::notify, cell_});
        wake(cell_, true);
        done(value_);
    }

private:
    /// `value` is a copy: others may go before the caller sees it.
    static T done(T value) noexcept {
        if constexpr (std::is_pointer_v<T>)
            after(reinterpret_cast<std::uintptr_t>(value));
        else
            after(static_cast<std::uint64_t>(value));
        return value;
    }

    std::uint32_t cell_;
    T value_;
};

/// For the templates that take their atomics from outside.
struct ExploredAtomics {
    template <typename T>
    using Atomic = ExploredAtomic<T>;
    static constexpr unsigned kPatience = 1;
};

}  // namespace heddle::test
