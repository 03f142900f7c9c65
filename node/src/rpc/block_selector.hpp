// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Which block a parameter means: a number, a tag, a hash, or an object with one of them (EIP-1898).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "rpc/method.hpp"
#include "rpc/services.hpp"

namespace heddle::node::rpc {

/// A block that is there.
struct SelectedBlock {
    ledger::StoredHeader header;
    /// It was asked for as "pending": the state after the head, and what the pool adds to it.
    bool is_pending = false;
};

/// The block meant by `selector`, which may be absent ("latest"). "safe" and "finalized" are the
/// head: every block is final.
/// @return nullopt: there is no such block.
/// Errors: RpcError invalid_params for text that means no block.
[[nodiscard]] std::optional<SelectedBlock> find_block(const Chain& chain,
                                                      const std::optional<JsonView>& selector);
/// The same, for methods that cannot do without. Errors: also RpcError server_error "header not
/// found" (with a number) or as geth words it for a hash.
[[nodiscard]] SelectedBlock select_block(const Chain& chain,
                                         const std::optional<JsonView>& selector);

struct SelectedState {
    SelectedBlock block;
    std::unique_ptr<ledger::PastState> state;
};
/// The block and the state after it. Errors: as select_block(), and server_error where the state
/// is not kept any more.
[[nodiscard]] SelectedState select_state(const Chain& chain,
                                         const std::optional<JsonView>& selector);

/// The value of what the ledger gave, or RpcError internal_error.
template <typename T>
[[nodiscard]] T take(std::expected<T, ledger::LedgerError> result) {
    if (!result.has_value())
        throw RpcError(Code::internal_error, ledger::to_string(result.error()));
    return *std::move(result);
}

}  // namespace heddle::node::rpc
