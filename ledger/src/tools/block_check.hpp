// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether the stored parts of a block are what its header claims (YP 4.3). Whether the header is
// right was decided when the block was committed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <types/block.hpp>
#include <types/bytes.hpp>
#include <types/receipt.hpp>

#include "storage/schema.hpp"

namespace heddle::ledger {

/// The first thing wrong with a record by itself, e.g. "hash 0x…, but the header's is 0x…".
[[nodiscard]] std::optional<std::string> check_header(const schema::HeaderRecord& record);
/// The first thing that is wrong between a block and the one before.
[[nodiscard]] std::optional<std::string> check_parent(const schema::HeaderRecord& record,
                                                      const schema::HeaderRecord& parent);
/// Roots of transactions and withdrawals, hash of the ommers.
[[nodiscard]] std::optional<std::string> check_body(const Block& block);
/// Root, bloom and gas.
[[nodiscard]] std::optional<std::string> check_receipts(const BlockHeader& header,
                                                        const std::vector<Receipt>& receipts);

/// The first thing wrong with body and receipts as the tables have them.
struct CheckedBlock {
    std::optional<Block> block;  // where it decodes
    std::optional<std::string> problem;
};
[[nodiscard]] CheckedBlock check_stored_block(const BlockHeader& header, BytesView body,
                                              BytesView receipts);

}  // namespace heddle::ledger
