// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Transactions and receipts as parts of a committed block: codec.hpp with the values that only the
// chain knows.
#pragma once

#include <cstddef>

#include "chain/chain.hpp"
#include "formats/json_writer.hpp"

namespace heddle::node::rpc {

/// Transaction `index` of the block.
void write_transaction_of(const ServedBlock& block, std::size_t index, JsonWriter& out);
/// Its receipt.
void write_receipt_of(const Chain& chain, const ServedBlock& block, std::size_t index,
                      JsonWriter& out);
/// The same with `timestamp`, the block's in seconds as a number: as Otterscan wants it.
void write_timed_receipt_of(const Chain& chain, const ServedBlock& block, std::size_t index,
                            JsonWriter& out);
/// All receipts, without the brackets.
void write_receipts(const Chain& chain, const ServedBlock& block, JsonWriter& out);

}  // namespace heddle::node::rpc
