// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether everything in a data directory is what it should be: computed again from the leaves and
// the blocks, without trust in anything that is derived. Changes nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include <ledger/ledger_error.hpp>
#include <ledger/maintenance.hpp>

namespace heddle::ledger {

struct VerifyOptions {
    MaintenanceOptions ledger;
    /// Recovers every sender again: takes longer than all else.
    bool senders = false;
    /// Follows every change of the history, not only those of the newest blocks, and computes the
    /// roots of several earlier states from their leaves.
    bool deep = false;
    /// More are counted, not kept.
    std::size_t max_problems = 20;
};

struct VerifyReport {
    std::uint64_t head = 0;
    std::uint64_t state_block = 0;
    std::uint64_t blocks = 0;  // with body and receipts
    std::uint64_t transactions = 0;
    std::uint64_t accounts = 0;
    std::uint64_t slots = 0;
    std::uint64_t codes = 0;
    std::uint64_t trie_nodes = 0;
    std::uint64_t changes = 0;  // values of the history that were followed
    std::uint64_t states = 0;   // whose roots were computed and compared with headers
    /// Each a sentence that names table and key, or block.
    std::vector<std::string> problems;
    std::uint64_t problem_count = 0;
    /// What reading failed with, which says nothing about the data: what comes after it was not
    /// looked at, and has no counts here.
    std::optional<LedgerError> failure;

    [[nodiscard]] bool is_good() const noexcept {
        return problem_count == 0 && !failure.has_value();
    }
};

/// Verifies, in this order: the files' checksums; marks; headers, bodies, receipts and the indexes
/// over them; the state of the state block from its leaves, with code and stored trie nodes; the
/// blocks from there to the head, whose changes are applied; the history.
/// Threads share blocks, state and history; what is found, and in which order, does not depend on
/// their number.
/// Memory: beside that of the options the blocks that threads look at and one path of a trie each,
/// the hashes of all code, and the state changed between state block and head. Errors: those of
/// opening; what is found wrong is no error. A read that the system refuses ends it:
/// VerifyReport::failure.
[[nodiscard]] std::expected<VerifyReport, LedgerError> verify(const VerifyOptions& options);

}  // namespace heddle::ledger
