// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Work on a ledger that nobody has open: taking blocks back, dropping old history, compaction, and
// what it all takes on the disk. A ledger in use prunes itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <types/address.hpp>
#include <types/hash.hpp>

#include <ledger/ledger_error.hpp>

namespace heddle::ledger {

/// How far long work has come, on the thread that does it. `doing` names the work; `total` is zero
/// where it is unknown.
using WorkProgress =
    std::function<void(std::string_view doing, std::uint64_t done, std::uint64_t total)>;

struct MaintenanceOptions {
    std::string directory;
    std::size_t memory_bytes = std::size_t{1} << 30;
    /// Threads that hash tries, verify and count; 0: one per processor.
    unsigned threads = 0;
    /// Also called after each atomic step.
    WorkProgress on_progress;
};

struct RollbackReport {
    std::uint64_t from = 0;  // the head before
    std::uint64_t to = 0;    // the head now
    Hash head_hash;
};

/// Makes block `to` the head again, exactly: its state, and nothing of the blocks above it but
/// code, which compact() erases, remains. Goes in atomic steps, each of which leaves a ledger with
/// an earlier head: what was interrupted is finished by the same call. Errors: those of opening;
/// invalid (`to` is above the head), unavailable (the changes to take back are not kept), corrupt
/// (the state that results has another root than the header says; the step is not made).
[[nodiscard]] std::expected<RollbackReport, LedgerError> rollback(const MaintenanceOptions& options,
                                                                  std::uint64_t to);

struct PruneReport {
    std::uint64_t first_state_before = 0;
    std::uint64_t first_state = 0;   // state can be read, and rolled back to, from this block on
    std::uint64_t access_lists = 0;  // that were dropped
};

/// Drops what is needed only for the states before block `first_state`, and access lists of the
/// blocks up to it, which may be kept for longer than states are. Goes in atomic steps and may be
/// interrupted.
/// Errors: those of opening; invalid (`first_state` is above the head).
[[nodiscard]] std::expected<PruneReport, LedgerError> prune(const MaintenanceOptions& options,
                                                            std::uint64_t first_state);

/// Erases code that no account has in any state kept, then rewrites every table so that what was
/// replaced or erased takes no room. May be interrupted. Errors: those of opening.
[[nodiscard]] std::expected<void, LedgerError> compact(const MaintenanceOptions& options);

struct TableStatistics {
    std::string_view name;
    std::string_view holds;  // in a few words
    std::uint64_t keys = 0;  // about
    std::uint64_t files = 0;
    std::uint64_t disk_bytes = 0;  // of its files
    std::uint64_t memory_bytes = 0;
};

struct LedgerStatistics {
    std::uint32_t format = 0;
    std::uint64_t head = 0;
    Hash head_hash;
    Hash state_root;                // of the head
    std::uint64_t state_block = 0;  // the block whose state the tables are; the head once closed
    std::uint64_t first_block = 0;
    std::uint64_t first_state = 0;  // state can be read, and rolled back to, from this block on
    std::vector<TableStatistics> tables;
};

/// Errors: those of opening.
[[nodiscard]] std::expected<LedgerStatistics, LedgerError> statistics(
    const MaintenanceOptions& options);

/// An account by what its slots take.
struct LargeAccount {
    Address address;
    std::uint64_t slots = 0;
    std::uint64_t bytes = 0;  // of keys and values, before they are compressed
};

/// The accounts with the most slots in the state of the state block, the largest first; those
/// without any are left out. Reads all slots, on all threads.
/// Errors: those of opening; corrupt where such an account is missing.
[[nodiscard]] std::expected<std::vector<LargeAccount>, LedgerError> largest_accounts(
    const MaintenanceOptions& options, std::size_t count);

}  // namespace heddle::ledger
