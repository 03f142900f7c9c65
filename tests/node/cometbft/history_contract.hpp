// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A contract that writes down what it sees of earlier blocks: whoever knows them otherwise ends up
// with another state root.
#pragma once

#include <cstdint>

#include <types/address.hpp>
#include <types/bytes.hpp>
#include <types/genesis.hpp>

namespace heddle::node::test {

inline const Address kHistoryAddress = address_from_low64(0xb10c);

/// Slot k: the hash of the block k before, by BLOCKHASH; slot 1000 + k: the same by the contract
/// that holds the last 8,191 (EIP-2935). Slot of the block's number: base fee, randomness, time and
/// blob base fee, mixed.
[[nodiscard]] Bytes history_code();

[[nodiscard]] Genesis genesis_with_history();

/// Enough for several chunks: contracts whose code is different and as large as it may be.
void add_large_codes(Genesis& genesis, std::uint64_t count);

}  // namespace heddle::node::test
