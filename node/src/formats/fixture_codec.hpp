// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Transactions, headers and withdrawals as fixtures, t8n and JSON-RPC write them.
#pragma once

#include <vector>

#include <types/block.hpp>
#include <types/transaction.hpp>

namespace heddle::node {

class JsonView;

/// `[{address, storageKeys}]`.
[[nodiscard]] AccessList parse_access_list(const JsonView& json);
/// `[{chainId, address, nonce, v or yParity, r, s}]` (EIP-7702).
[[nodiscard]] std::vector<Authorization> parse_authorization_list(const JsonView& json);
/// `{index, validatorIndex, address, amount}` (EIP-4895).
[[nodiscard]] Withdrawal parse_withdrawal(const JsonView& json);
[[nodiscard]] std::vector<Withdrawal> parse_withdrawals(const JsonView& json);

/// Header as in fixtures (`coinbase`, `uncleHash`, `bloom`, `receiptTrie`, …).
[[nodiscard]] BlockHeader parse_fixture_header(const JsonView& json);
/// Header as JSON-RPC gives it (`miner`, `sha3Uncles`, `logsBloom`, `receiptsRoot`, …).
[[nodiscard]] BlockHeader parse_rpc_header(const JsonView& json);

/// A signed transaction as JSON-RPC and t8n give it: `gas`, `input` (or `data`), `v`, `r`, `s`,
/// `type`. One whose v, r and s are all zero has yet to be signed. The sender is not filled.
[[nodiscard]] Transaction parse_signed_transaction(const JsonView& json);

/// Sets y_parity and, for legacy transactions, chain_id from v (YP App. F, EIP-155).
/// @return whether v is one of the values that mean anything.
[[nodiscard]] bool apply_v(const Uint256& v, Transaction& tx) noexcept;

}  // namespace heddle::node
