// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What can be wrong with a ledger on disk. Wrong blocks are not among it: those are BlockErrors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace heddle::ledger {

enum class LedgerErrorCode : std::uint8_t {
    not_found,       // no ledger in this folder
    already_exists,  // a ledger where a new one was to be made
    not_a_ledger,    // a folder or a database that is something else
    unfinished,      // a ledger whose making or restoring was interrupted
    newer_format,    // written by a later version
    wrong_genesis,   // the ledger of another chain
    locked,          // another process has it open
    denied,          // the system lets this process not read or write it
    bad_path,        // no file can have this name: too long, below a file, links in a circle
    no_space,        // the disk is full
    io_error,        // the system's answer to a read or a write
    corrupt,         // files or records that are not what was written
    archive,         // a ledger that keeps all history, where some would be dropped by default
    unavailable,     // pruned, or above the head
    bad_snapshot,    // a snapshot with a part missing or wrong
    invalid,         // a request that makes no sense, e.g. a rollback to above the head
    removed,         // its folder went away while it was open
};
[[nodiscard]] std::string_view to_string(LedgerErrorCode code) noexcept;

struct LedgerError {
    LedgerErrorCode code = LedgerErrorCode::io_error;
    /// What was being done and what was found, e.g. the file or the record.
    std::string detail;
};
/// What is wrong, without what to do: where that is not what it is for every ledger.
[[nodiscard]] std::string describe(const LedgerError& error);
/// Whether there are blocks of the ledger that somebody may rely on.
enum class LedgerStage : std::uint8_t { kept, being_made };
/// One sentence: what is wrong and what to do.
[[nodiscard]] std::string to_string(const LedgerError& error,
                                    LedgerStage stage = LedgerStage::kept);

}  // namespace heddle::ledger
