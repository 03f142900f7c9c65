// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls that are no transactions: executed as one would be, without a signature and without some of
// the checks. For eth_call and its relatives; nothing that becomes part of a chain comes this way.
#pragma once

#include <expected>

#include <types/block.hpp>
#include <types/revision.hpp>
#include <types/state_view.hpp>
#include <types/transaction.hpp>
#include <types/transaction_error.hpp>

#include <vm/evm.hpp>
#include <vm/validate.hpp>

namespace heddle::vm {

/// The revision's own precompiled contracts; changed, they may go to Evm::use_precompiles().
[[nodiscard]] PrecompileTable make_precompile_table(Revision revision);

/// Lists that a call has, be they empty: a fork must know each of them (execution-apis).
struct CallLists {
    bool access_list = false;
    bool blobs = false;
    bool authorizations = false;
    /// No list: a price for blobs, which a call may give without any. A fork must know it as well.
    bool blob_price = false;
};

/// Those that a call of this type has, and those that are not empty.
[[nodiscard]] CallLists lists_of(const Transaction& tx) noexcept;

/// What validate_call() checks beyond what execution cannot do without.
struct CallChecks {
    /// The nonce is the sender's next one. Otherwise it is not looked at.
    bool nonce = false;
    /// Prices are at least the block's even where all of them are zero. Otherwise a call without
    /// prices is executed for free, whatever the block asks for.
    bool zero_prices = false;
    /// What is more than Limits::max_execution_gas pays for state alone (EIP-8037). Otherwise all
    /// of the gas is for execution, as before Amsterdam.
    bool execution_cap = false;
    /// Blobs without a price are free where the sender does not have what the block asks for them.
    /// Otherwise that is an error.
    bool poor_have_blobs = false;
    /// Beside those of lists_of().
    CallLists lists{};
};

/// The checks of validate() as far as they concern a call: prices, blobs, authorizations, cover for
/// gas and value, intrinsic gas, size of init code. Not checked: signature, type, chain id, that
/// the sender has no code (EIP-3607), and how much gas a block or a transaction (EIP-7825) may
/// have, but for 2^63 - 1.
///
/// @param tx    `sender` must be filled.
/// @param view  World state before the call.
/// Errors:      the first broken rule, in the order geth checks them.
/// Thread safety: pure.
[[nodiscard]] std::expected<ValidTransaction, TransactionError> validate_call(
    const Transaction& tx, const StateView& view, const BlockEnv& env,
    const CallChecks& checks = {}) noexcept;

}  // namespace heddle::vm
