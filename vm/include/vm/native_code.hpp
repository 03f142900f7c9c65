// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Contracts that are written in C++, for measuring schedulers without what bytecode costs. A code
// cache may know some by the hash of the code that their account has; whoever shares that cache
// runs them in place of that code. Not for chains: what a transaction does would depend on who
// executes it, so nothing but a benchmark makes such a cache.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>

#include <types/address.hpp>
#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/uint256.hpp>

#include <vm/evm.hpp>

namespace heddle::vm {

struct Frame;

/// The call that native code carries out. What it does to the world goes through the bodies of the
/// instructions, so that accesses are recorded, charged, refused and undone as a contract's are.
///
/// Gas: each function costs what its instruction does, memory excepted, and each word of the input
/// is paid for at the start as if it were copied. What is computed in between is free, so it has to
/// be bounded by the input and by what is charged.
///
/// Where a function returns nothing, or false, the call has ended (out of gas, reverted, undeclared
/// access, stopped by a supervisor, writing in a static call): run() must return and do no more.
/// A tracer is told of the call and of its end, of nothing in between.
/// Thread safety: none; the machine's.
class NativeCall {
public:
    explicit NativeCall(Frame& frame) noexcept : frame_(frame) {}

    [[nodiscard]] const Address& caller() const noexcept;
    [[nodiscard]] const Uint256& value() const noexcept;  // wei
    [[nodiscard]] BytesView input() const noexcept;

    [[nodiscard]] std::optional<Uint256> load(const Uint256& slot) noexcept;       // SLOAD
    [[nodiscard]] bool store(const Uint256& slot, const Uint256& value) noexcept;  // SSTORE
    [[nodiscard]] std::optional<Hash> keccak(BytesView data) noexcept;             // KECCAK256
    /// LOG0 to LOG4. @param topics  At most four.
    [[nodiscard]] bool log(std::initializer_list<Hash> topics, BytesView data) noexcept;
    /// Gas for anything else.
    [[nodiscard]] bool charge(std::int64_t gas) noexcept;

    /// Ends the call with success. Returning from run() does so too, with an empty output.
    void give(const Uint256& output) noexcept;
    /// Ends the call with REVERT and an empty output, unless it has ended otherwise. @return false.
    bool revert() noexcept;

private:
    Frame& frame_;
};

/// Thread safety: run() by any number of threads at a time.
class NativeCode {
public:
    virtual ~NativeCode() = default;
    /// What an account must have for code in order that this runs. Where nobody knows of it, that
    /// is executed: it should begin with INVALID (0xfe).
    [[nodiscard]] virtual BytesView stands_for() const noexcept = 0;
    /// Carries out one call. Must depend on the call alone.
    virtual void run(NativeCall& call) const noexcept = 0;
};

/// As make_code_cache(), with native code.
/// @param natives  Each must outlive the cache and whoever uses it.
[[nodiscard]] std::shared_ptr<CodeCache> make_code_cache(
    std::size_t max_bytes, std::unique_ptr<CodeCacheLock> lock,
    std::span<const NativeCode* const> natives);

}  // namespace heddle::vm
