// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether the stored parts of a block are what its header claims (YP 4.3). Whether the header is
// right was decided when the block was committed.
#pragma once

#include <cstddef>
#include <expected>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include <types/block.hpp>
#include <types/bytes.hpp>

#include <ledger/ledger_error.hpp>

#include "storage/schema.hpp"

namespace heddle::ledger {

/// The first thing wrong with a record by itself, e.g. "hash 0x…, but the header's is 0x…".
[[nodiscard]] std::optional<std::string> check_header(const schema::HeaderRecord& record);
/// The first thing that is wrong between a block and the one before.
[[nodiscard]] std::optional<std::string> check_parent(const schema::HeaderRecord& record,
                                                      const schema::HeaderRecord& parent);
/// What a look at body and receipts, as the tables have them, has found.
struct StoredBlockCheck {
    std::optional<std::size_t> transactions;  // how many there are, where the body decodes
    std::optional<std::string> problem;       // the first thing that is wrong
};
/// Roots, hash of the ommers, bloom and gas. A block may be a stranger's, and decoded as a whole
/// each of its transactions and receipts would take some four hundred bytes where it has ten and
/// five. So few of them are there at once, and a hundred bytes for each that has been seen.
[[nodiscard]] StoredBlockCheck check_stored_block(const BlockHeader& header, BytesView body,
                                                  BytesView receipts);

/// Called with some transactions at a time, in order; `first` is the index of the first of them.
using OnTransactions = std::function<std::expected<void, LedgerError>(
    std::size_t first, std::span<Transaction> transactions)>;
/// Visits the transactions of a body that decodes. Errors: those of `visit`.
[[nodiscard]] std::expected<void, LedgerError> visit_transactions(BytesView body,
                                                                  const OnTransactions& visit);

}  // namespace heddle::ledger
