// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether a node did what it said: every accepted transaction in exactly one block, with status 1,
// and nonces, balances and tokens of all accounts as planned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "load/plan.hpp"
#include "load/rpc_client.hpp"
#include "load/submission.hpp"

namespace heddle::node::load {

struct CheckResult {
    std::size_t succeeded = 0;  // transactions with status 1
    std::uint64_t gas_used = 0;
    /// One line each, of the first few; what is wrong in all is counted.
    std::vector<std::string> problems;
    std::size_t problem_count = 0;
};

/// Looks for the receipts of all that were committed, and counts them.
/// @param accounts  What the transactions cost is taken off their balances; empty: nobody's.
/// Errors: InputError as RpcClient.
[[nodiscard]] CheckResult check_receipts(RpcClient& rpc,
                                         std::span<const SignedTransaction> transactions,
                                         const SubmissionResult& submission,
                                         std::span<Account> accounts);

/// Compares what the accounts have with what `accounts` says.
/// @param token  The zero address: there is none.
void check_accounts(RpcClient& rpc, std::span<const Account> accounts, const Address& token,
                    CheckResult& result);

}  // namespace heddle::node::load
