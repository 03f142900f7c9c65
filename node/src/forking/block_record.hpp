// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks with their receipts: out of what JSON-RPC says of them, checked against the hashes in
// their headers, and as text for a cache.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ledger/durable_ledger.hpp>

#include "follow/rpc_block.hpp"
#include "formats/json.hpp"

namespace heddle::node::forking {

/// One receipt as eth_getTransactionReceipt gives it. Errors: InputError.
[[nodiscard]] Receipt parse_rpc_receipt(const JsonView& json);
/// All of a block's, as eth_getBlockReceipts gives them, in the order of its transactions.
[[nodiscard]] std::vector<Receipt> parse_rpc_receipts(const JsonView& json);

/// Puts a block together. Its transactions, withdrawals, ommers and receipts are compared with the
/// roots in its header, whose hash it has. Fills in who sent the transactions.
/// Errors: InputError with what does not fit.
[[nodiscard]] ledger::StoredBlock make_checked_block(follow::RebuiltBlock rebuilt,
                                                     std::vector<BlockHeader> ommers,
                                                     std::vector<Receipt> receipts,
                                                     const Uint256& total_difficulty);

/// A line of text without spaces at its ends. The inverse fills in senders.
[[nodiscard]] std::string to_record(const ledger::StoredBlock& block);
/// nullopt: it is no such text.
[[nodiscard]] std::optional<ledger::StoredBlock> parse_record(std::string_view text);

/// The same of a header.
[[nodiscard]] std::string to_header_record(const ledger::StoredHeader& header);
[[nodiscard]] std::optional<ledger::StoredHeader> parse_header_record(std::string_view text);

}  // namespace heddle::node::forking
