// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The wire format of transactions that nobody signed, as simulated blocks contain them: v, r and s
// are zero, also where a signed legacy transaction cannot have such a v.
#pragma once

#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/transaction.hpp>

namespace heddle::node::simulation {

/// Appends the canonical form (EIP-2718).
void encode_unsigned(const Transaction& tx, Bytes& out);
/// Appends the form used inside a block body.
void encode_unsigned_item(const Transaction& tx, Bytes& out);
/// KEC of the canonical form.
[[nodiscard]] Hash unsigned_hash(const Transaction& tx);

}  // namespace heddle::node::simulation
