// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Keys that follow from a seed. They are public knowledge: never put value on them.
#pragma once

#include <cstdint>
#include <string_view>

#include <types/address.hpp>
#include <types/hash.hpp>
#include <types/transaction.hpp>

namespace heddle::workload {

struct Key {
    Hash secret;
    Address address;
};

/// The `index`-th key of one purpose. Thread safety: pure.
[[nodiscard]] Key derive_key(std::uint64_t seed, std::string_view purpose, std::uint64_t index);

/// Fills y_parity, r, s and sender of a transaction that is complete otherwise.
void sign(Transaction& tx, const Key& key);
/// The same for an EIP-7702 authorization.
void sign(Authorization& authorization, const Key& key);

}  // namespace heddle::workload
