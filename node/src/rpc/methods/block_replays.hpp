// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Stored blocks that are executed again for an answer: which one, from where on, and what is said
// where that cannot be. The texts are go-ethereum's.
#pragma once

#include <cstddef>
#include <expected>
#include <memory>
#include <string>
#include <utility>

#include "chain/chain.hpp"
#include "rpc/envelope/method.hpp"
#include "rpc/queries/block_selector.hpp"
#include "tracing/block_replay.hpp"
#include "tracing/transaction_tracer.hpp"

namespace heddle::node::rpc {

[[nodiscard]] RpcError server_error(const std::string& text);

/// The value, or a server error: a state that is not kept any more is the caller's concern.
template <typename T>
[[nodiscard]] T take_or_refuse(std::expected<T, ledger::LedgerError> result) {
    if (!result.has_value()) throw server_error(ledger::to_string(result.error()));
    return *std::move(result);
}

/// Errors: RpcError where there is no such block, and for `pending`.
[[nodiscard]] SharedBlock require_block(const Chain& chain, const BlockSelector& selector);

/// @param reads  As BlockReplay::start().
/// Errors: RpcError for the genesis block, and where the state before the block is not kept.
[[nodiscard]] std::unique_ptr<BlockReplay> start_replay(const Chain& chain, SharedBlock block,
                                                        Reads* reads = nullptr);

/// What a tracer is told of the replay's next transaction, which has this hash. Borrows of the
/// replay.
[[nodiscard]] TraceSubject subject_of_next(const BlockReplay& replay, const Hash& hash);

/// Executes what comes before transaction `index`.
/// Errors: RpcError; Failure timed_out, also where that alone takes too long.
void skip_to(std::size_t index, BlockReplay& replay, const Chain& chain, const Call& call);
/// The same on a machine of the caller's.
void skip_to(std::size_t index, BlockReplay& replay, vm::Evm& evm, const Call& call);

}  // namespace heddle::node::rpc
