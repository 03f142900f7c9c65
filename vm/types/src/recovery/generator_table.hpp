// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Odd multiples of secp256k1's generator, which all lanes share.
#pragma once

#ifdef __x86_64__

#include <cstddef>

#include "recovery/point_lanes.hpp"

namespace heddle::recovery {

/// Bits of a scalar that one row stands for.
inline constexpr unsigned kGeneratorWindow = 10;

struct GeneratorTable {
    static constexpr std::size_t kRows = std::size_t{1} << (kGeneratorWindow - 1);
    /// (2 * i + 1) * G, and the same times lambda (see split_scalar()).
    TableRow rows[kRows];
    TableRow lambda_rows[kRows];
};

/// 64 KiB, computed by the first who asks, in some milliseconds. Thread safety: any.
[[nodiscard]] const GeneratorTable& generator_table();

}  // namespace heddle::recovery

#endif  // __x86_64__
