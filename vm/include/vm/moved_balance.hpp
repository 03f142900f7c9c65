// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Up to where balances may be moved without being read. Sums of 256 bits begin anew, so that on a
// larger balance a check of cover may fail that passes on a smaller one. No public chain has so
// much; the genesis of a private one may.
#pragma once

#include <types/uint256.hpp>

namespace heddle::vm {

/// In wei. A balance that rises to this much counts as read (AccountAccess::balance). So what is
/// only moved is below it whenever it is more than at the start, and may as well be moved on any
/// start below this: no sum leaves 256 bits.
inline constexpr Uint256 kMostMovedBalance = Uint256{1} << 254;

}  // namespace heddle::vm
