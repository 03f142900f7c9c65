// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The implementations of Keccak-256 among which keccak256() chooses, so that tests reach them all.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle {

/// Writes the 32 bytes of the hash of data[0..size) to `out`.
using KeccakKernel = void (*)(const std::uint8_t* data, std::size_t size,
                              std::uint8_t* out) noexcept;

/// Null where this CPU lacks the instructions.
struct KeccakKernels {
    KeccakKernel portable = nullptr;
    KeccakKernel bmi = nullptr;     // rorx and andn on general registers
    KeccakKernel avx512 = nullptr;  // one word per vector register
};

[[nodiscard]] KeccakKernels keccak_kernels() noexcept;

}  // namespace heddle
