// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/queries/services.hpp"

#include <types/transaction.hpp>

namespace heddle::node::rpc {

void Services::expect_readable(BytesView encoded) const {
    if (chain.fork_base() == nullptr) return;
    auto tx = decode_transaction(encoded);
    if (!tx.has_value()) return;
    tx->sender = recover_sender(*tx);
    if (tx->sender.has_value()) expect_readable(*tx);
}

}  // namespace heddle::node::rpc
