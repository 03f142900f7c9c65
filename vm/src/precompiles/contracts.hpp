// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The precompiled contracts one by one: a cost and a function each. The table that gives them
// numbers is in precompile.cpp.
#pragma once

#include <cstdint>
#include <limits>

#include <types/bytes.hpp>
#include <types/revision.hpp>

namespace heddle::vm::precompiles {

/// A cost that no amount of gas covers.
inline constexpr std::int64_t kUnaffordable = std::numeric_limits<std::int64_t>::max();

// Costs in gas. They look at the input only as far as the price depends on it, and never reject:
// an input that is refused anyway may have any price, since failing burns all gas.
[[nodiscard]] std::int64_t modexp_cost(BytesView input, Revision revision) noexcept;
[[nodiscard]] std::int64_t bn254_add_cost(BytesView input, Revision revision) noexcept;
[[nodiscard]] std::int64_t bn254_mul_cost(BytesView input, Revision revision) noexcept;
[[nodiscard]] std::int64_t bn254_pairing_cost(BytesView input, Revision revision) noexcept;
[[nodiscard]] std::int64_t blake2f_cost(BytesView input, Revision revision) noexcept;
[[nodiscard]] std::int64_t bls12_g1_msm_cost(BytesView input, Revision revision) noexcept;
[[nodiscard]] std::int64_t bls12_g2_msm_cost(BytesView input, Revision revision) noexcept;
[[nodiscard]] std::int64_t bls12_pairing_cost(BytesView input, Revision revision) noexcept;

// Functions: `output` arrives empty; false rejects the input. The gas has been paid.
[[nodiscard]] bool ecrecover(BytesView input, Revision revision, Bytes& output) noexcept;
[[nodiscard]] bool sha256(BytesView input, Revision revision, Bytes& output) noexcept;
[[nodiscard]] bool ripemd160(BytesView input, Revision revision, Bytes& output) noexcept;
[[nodiscard]] bool identity(BytesView input, Revision revision, Bytes& output) noexcept;
[[nodiscard]] bool modexp(BytesView input, Revision revision, Bytes& output) noexcept;
[[nodiscard]] bool bn254_add(BytesView input, Revision revision, Bytes& output) noexcept;
[[nodiscard]] bool bn254_mul(BytesView input, Revision revision, Bytes& output) noexcept;
[[nodiscard]] bool bn254_pairing(BytesView input, Revision revision, Bytes& output) noexcept;
[[nodiscard]] bool blake2f(BytesView input, Revision revision, Bytes& output) noexcept;
[[nodiscard]] bool point_evaluation(BytesView input, Revision revision, Bytes& output) noexcept;
[[nodiscard]] bool bls12_g1_add(BytesView input, Revision revision, Bytes& output) noexcept;
[[nodiscard]] bool bls12_g1_msm(BytesView input, Revision revision, Bytes& output) noexcept;
[[nodiscard]] bool bls12_g2_add(BytesView input, Revision revision, Bytes& output) noexcept;
[[nodiscard]] bool bls12_g2_msm(BytesView input, Revision revision, Bytes& output) noexcept;
[[nodiscard]] bool bls12_pairing(BytesView input, Revision revision, Bytes& output) noexcept;
[[nodiscard]] bool bls12_map_fp_to_g1(BytesView input, Revision revision, Bytes& output) noexcept;
[[nodiscard]] bool bls12_map_fp2_to_g2(BytesView input, Revision revision, Bytes& output) noexcept;
[[nodiscard]] bool p256_verify(BytesView input, Revision revision, Bytes& output) noexcept;

}  // namespace heddle::vm::precompiles
