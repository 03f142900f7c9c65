// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The names by which fixtures say why a transaction or a block must be rejected, against our
// errors: those of execution-spec-tests, and the older ones of ethereum/tests and
// ethereum/legacytests.
#pragma once

#include <string_view>

#include <types/block.hpp>
#include <types/block_error.hpp>
#include <types/transaction.hpp>
#include <types/transaction_error.hpp>

namespace heddle::node {

/// Whether the error is of a kind that `expected` names: one or more names such as
/// `TransactionException.NONCE_MISMATCH_TOO_LOW` or, older, `TR_NonceTooLow`, alternatives
/// separated by `|`; or one of go-ethereum's making: `Header: gasUsed`, `TransactionException: `
/// and its text.
[[nodiscard]] bool is_expected(TransactionError error, std::string_view expected) noexcept;
[[nodiscard]] bool is_expected(TransactionDecodeError error, std::string_view expected) noexcept;
[[nodiscard]] bool is_expected(const BlockError& error, std::string_view expected) noexcept;
[[nodiscard]] bool is_expected(const BlockDecodeError& error, std::string_view expected) noexcept;

}  // namespace heddle::node
