// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Amounts as people read them, in the unit that fits.
#pragma once

#include <cstdint>
#include <string>

namespace heddle::node {

/// `734 B`, `12.3 MiB`.
[[nodiscard]] std::string format_bytes(std::uint64_t bytes);

/// `21000 gas`, and from a million on `6.5 Mgas`, in which rates are told, too.
[[nodiscard]] std::string format_gas(std::uint64_t gas);

}  // namespace heddle::node
