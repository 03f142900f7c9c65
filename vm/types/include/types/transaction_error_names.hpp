// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// How others say why a transaction cannot be executed: geth, whose wording tools look for, and test
// fixtures. Our own wording is to_string() of transaction_error.hpp; all of them stand in one
// table.
#pragma once

#include <string_view>

#include <types/transaction_error.hpp>

namespace heddle {

/// The last of the enumerators.
inline constexpr TransactionError kLastTransactionError = TransactionError::access_list_full;

/// geth's wording, without the figures that it may add behind.
[[nodiscard]] std::string_view geth_text(TransactionError error) noexcept;

/// The names of execution-spec-tests under `TransactionException.`, separated by spaces: the same
/// rule has one for each kind of transaction, or is found by another one before its fork (a `v`
/// with a chain id is no signature before EIP-155).
[[nodiscard]] std::string_view fixture_names(TransactionError error) noexcept;

}  // namespace heddle
