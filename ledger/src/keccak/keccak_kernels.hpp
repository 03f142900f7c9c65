// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The vector kernels behind keccak_batch.hpp. Plain declarations only: this header is compiled for
// several instruction sets.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::ledger::detail {

/// Hashes as many messages as the kernel has lanes. Message i is padded already and has
/// `block_counts[i]` blocks of 136 bytes, one at least; its hash goes to `hashes[i]` (32 bytes).
using KeccakKernel = void(const std::uint8_t* const* messages, const std::size_t* block_counts,
                          std::uint8_t* const* hashes) noexcept;

#ifdef __x86_64__
KeccakKernel keccak_avx2;    // 4 lanes
KeccakKernel keccak_avx512;  // 8 lanes
#endif

}  // namespace heddle::ledger::detail
