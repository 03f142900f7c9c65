// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "stream/rejection.hpp"

#include <optional>
#include <string>

namespace heddle::executor {

BlockError halted_error(std::uint64_t number) {
    BlockError error;
    error.code = BlockErrorCode::execution_halted;
    error.number = number;
    return error;
}

BlockError unknown_parent_error(const BlockHeader& header, const Hash& parent) {
    BlockError error;
    error.code = BlockErrorCode::unknown_parent;
    error.number = header.number;
    error.claimed = to_string(header.parent_hash);
    error.computed = to_string(parent);
    return error;
}

BlockError transaction_error(const BlockHeader& header, std::size_t index, const Transaction& tx,
                             TransactionError reason, const StateView& state) {
    BlockError error;
    error.code = BlockErrorCode::invalid_transaction;
    error.number = header.number;
    error.index = index;
    error.transaction = reason;
    error.detail = "hash " + to_string(transaction_hash(tx));
    if (tx.sender.has_value() &&
        (reason == TransactionError::nonce_too_low || reason == TransactionError::nonce_too_high)) {
        const std::optional<Account> account = state.account(*tx.sender);
        error.claimed = "nonce " + std::to_string(tx.nonce);
        error.computed = "nonce " + std::to_string(account.has_value() ? account->nonce : 0);
    }
    return error;
}

}  // namespace heddle::executor
