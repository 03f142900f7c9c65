// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The vector kernels behind keccak_batch.hpp. Plain declarations only: this header is compiled for
// several instruction sets.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::detail {

/// A message that is padded already: `blocks` blocks of 136 bytes, one at least.
struct PaddedMessage {
    const std::uint8_t* data;
    std::size_t blocks;
    std::uint8_t* hash;  // where the 32 bytes go
};

/// Hashes all messages, as many at a time as the kernel has lanes: a lane whose message is over
/// takes the next one. The longest go first, so that lanes end together.
using LaneKernel = void(const PaddedMessage* messages, std::size_t count) noexcept;

#ifdef __x86_64__
LaneKernel keccak_avx2;    // 4 lanes
LaneKernel keccak_avx512;  // 8 lanes
#endif

}  // namespace heddle::detail
