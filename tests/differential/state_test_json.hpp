// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Accounts and transactions as state tests have them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <types/bytes.hpp>
#include <types/genesis.hpp>
#include <types/hash.hpp>
#include <types/transaction.hpp>

namespace heddle::test {

/// A transaction and what stands in for its data, gas limit and value. Borrows all of it.
struct TransactionVariants {
    const Transaction& tx;
    const Hash& secret;  // of its sender
    const std::array<Bytes, 2>& data;
    const std::array<std::uint64_t, 2>& gas;
    const std::array<Uint256, 2>& values;
};

[[nodiscard]] std::string pre_json(const std::vector<GenesisAccount>& accounts);
[[nodiscard]] std::string transaction_json(const TransactionVariants& variants);

}  // namespace heddle::test
