// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Precompiled contracts (YP App. E): which addresses they have in each revision, what they cost and
// what they compute. Transferring value to one, warming its address and forwarding gas are the
// caller's business.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>

#include <types/address.hpp>
#include <types/bytes.hpp>
#include <types/revision.hpp>

namespace heddle::vm {

/// Outcome of a precompiled contract.
struct PrecompileResult {
    bool ok = false;            ///< False when out of gas or when the input is rejected.
    std::int64_t gas_left = 0;  ///< Zero unless ok: a failure burns all gas.
    bool is_out_of_gas = false;
};

/// Address of P256VERIFY, the only one beyond the dense range (EIP-7951).
inline constexpr std::uint32_t kP256VerifyIndex = 0x100;

namespace detail {
/// Highest index of the dense range 1..N in each revision.
[[nodiscard]] constexpr std::uint32_t last_dense_precompile(Revision revision) noexcept {
    if (revision >= Revision::prague) return 0x11;
    if (revision >= Revision::cancun) return 0x0a;
    if (revision >= Revision::istanbul) return 0x09;
    return revision >= Revision::byzantium ? 0x08 : 0x04;
}
}  // namespace detail

/// The number of the precompiled contract at `address` (its low 16 bits), or 0 when the revision
/// has none there. Runs before every call, so an ordinary address leaves on the first comparison.
[[nodiscard]] inline std::uint32_t precompile_index(const Address& address,
                                                    Revision revision) noexcept {
    std::uint64_t high = 0;
    std::uint64_t middle = 0;
    std::memcpy(&high, address.bytes.data(), sizeof high);
    std::memcpy(&middle, address.bytes.data() + 8, sizeof middle);
    if ((high | middle) != 0 || (address.bytes[16] | address.bytes[17]) != 0) return 0;
    const auto index = (static_cast<std::uint32_t>(address.bytes[18]) << 8) | address.bytes[19];
    if (index <= detail::last_dense_precompile(revision)) return index;
    return index == kP256VerifyIndex && revision >= Revision::osaka ? index : 0;
}

/// Charges for and runs one precompiled contract.
///
/// @param index   A non-zero result of precompile_index() for the same revision.
/// @param gas     Gas forwarded to the call; not negative.
/// @param output  Replaced by the contract's output, its capacity kept; empty on failure. Must not
///                overlap `input`.
/// Errors:        none - out of gas and rejected inputs are outcomes (`ok`).
/// Thread safety: pure; safe to call concurrently with distinct `output`.
/// Complexity:    bounded by `gas`, which is compared before any work or large allocation.
/// Spec:          YP App. E; EIP-152, 196, 197, 198, 1108, 2537, 2565, 4844, 7823, 7883, 7951.
[[nodiscard]] PrecompileResult run_precompile(std::uint32_t index, Revision revision,
                                              BytesView input, std::int64_t gas,
                                              Bytes& output) noexcept;

/// Every precompiled address of the revision, ascending: the addresses that are warm from the start
/// of a transaction (EIP-2929). Valid for the life of the program.
[[nodiscard]] std::span<const Address> active_precompiles(Revision revision) noexcept;

}  // namespace heddle::vm
