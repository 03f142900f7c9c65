// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The blooms of a block's receipts, several hashes side by side (keccak_batch.hpp).
#pragma once

#include <span>

#include <types/receipt.hpp>

namespace heddle {

/// Gives each receipt logs_bloom() of its logs. Thread safety: any.
void fill_blooms(std::span<Receipt> receipts);

}  // namespace heddle
