// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Precompiled contracts (YP App. E): which addresses they have in each revision, what they cost and
// what they compute. Transferring value to one, warming its address and forwarding gas are the
// caller's business.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

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

/// One precompiled contract: its name in eth_config (EIP-7910), its address as a number, and the
/// first revision that has it.
struct Precompile {
    std::string_view name;
    std::uint32_t index = 0;
    Revision since = Revision::frontier;
};

/// Address of P256VERIFY, the only one beyond the dense range (EIP-7951).
inline constexpr std::uint32_t kP256VerifyIndex = 0x100;

/// By address.
inline constexpr std::array kPrecompiles{
    Precompile{"ECREC", 0x01, Revision::frontier},
    Precompile{"SHA256", 0x02, Revision::frontier},
    Precompile{"RIPEMD160", 0x03, Revision::frontier},
    Precompile{"ID", 0x04, Revision::frontier},
    Precompile{"MODEXP", 0x05, Revision::byzantium},             // EIP-198
    Precompile{"BN254_ADD", 0x06, Revision::byzantium},          // EIP-196
    Precompile{"BN254_MUL", 0x07, Revision::byzantium},          // EIP-196
    Precompile{"BN254_PAIRING", 0x08, Revision::byzantium},      // EIP-197
    Precompile{"BLAKE2F", 0x09, Revision::istanbul},             // EIP-152
    Precompile{"KZG_POINT_EVALUATION", 0x0a, Revision::cancun},  // EIP-4844
    Precompile{"BLS12_G1ADD", 0x0b, Revision::prague},           // EIP-2537
    Precompile{"BLS12_G1MSM", 0x0c, Revision::prague},
    Precompile{"BLS12_G2ADD", 0x0d, Revision::prague},
    Precompile{"BLS12_G2MSM", 0x0e, Revision::prague},
    Precompile{"BLS12_PAIRING_CHECK", 0x0f, Revision::prague},
    Precompile{"BLS12_MAP_FP_TO_G1", 0x10, Revision::prague},
    Precompile{"BLS12_MAP_FP2_TO_G2", 0x11, Revision::prague},
    Precompile{"P256VERIFY", kP256VerifyIndex, Revision::osaka},  // EIP-7951
};

namespace detail {
inline constexpr const Precompile& kP256Verify = kPrecompiles.back();
/// Highest index of the dense range 1..N, by revision.
inline constexpr auto kLastDensePrecompile = [] {
    std::array<std::uint32_t, kRevisionCount> last{};
    for (std::size_t revision = 0; revision < kRevisionCount; ++revision)
        for (const Precompile& precompile : kPrecompiles)
            if (precompile.index == last[revision] + 1 &&
                static_cast<std::size_t>(precompile.since) <= revision)
                last[revision] = precompile.index;
    return last;
}();
static_assert(kP256Verify.index == kP256VerifyIndex &&
                  kLastDensePrecompile.back() + 1 == kPrecompiles.size(),
              "a second precompile beyond the dense range needs room in precompile_index()");

[[nodiscard]] constexpr std::uint32_t last_dense_precompile(Revision revision) noexcept {
    return kLastDensePrecompile[static_cast<std::size_t>(revision)];
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
    return index == kP256VerifyIndex && revision >= detail::kP256Verify.since ? index : 0;
}

/// What running it on `input` costs, in gas; more than any amount of gas where nobody can pay.
/// Parameters and thread safety as below.
[[nodiscard]] std::int64_t precompile_cost(std::uint32_t index, Revision revision,
                                           BytesView input) noexcept;

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
