// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Receipts for whoever keeps them: written without the bloom, which follows from the logs, and read
// back. So they are in the ledger and in archives of history (ere). Receipts as they are on the
// wire are never read: nodes compute them.
#pragma once

#include <vector>

#include <types/receipt.hpp>
#include <types/rlp.hpp>

namespace heddle {

/// The list of logs that comes next. Topics are as many as there are.
[[nodiscard]] rlp::Result<std::vector<Log>> decode_logs(rlp::Reader& reader);

/// Appends the list of type, success or post-state, cumulative gas, and logs.
void encode_slim_receipt(const Receipt& receipt, Bytes& out);
/// The slim receipt that comes next. Its bloom is empty: see logs_bloom().
[[nodiscard]] rlp::Result<Receipt> decode_slim_receipt(rlp::Reader& reader);

}  // namespace heddle
