// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The data directory that a command works on: its options, how it is opened, and what its errors
// become.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <sys/types.h>

#include <ledger/durable_ledger.hpp>
#include <types/chain_config.hpp>
#include <types/genesis.hpp>

#include "formats/chain_config_json.hpp"

namespace heddle::node {

class Command;
class Option;

struct LedgerFlags {
    static constexpr std::uint64_t kDefaultHistory = 90'000;

    std::string datadir;
    std::string sync = "block";
    std::uint64_t memory_mib = 1024;
    std::optional<std::uint64_t> history;  // nullopt: kDefaultHistory, but not of an archive
    std::uint64_t access_lists = ledger::DurableLedgerOptions{}.access_list_blocks;
    bool archive = false;
};

/// Adds --datadir alone, for commands that only look.
void add_datadir_option(Command command, LedgerFlags& flags, bool is_required);
/// Adds --memory, in MiB, as every command has it that opens a data directory.
/// @param text  What it is for.
Option add_memory_option(Command command, std::uint64_t& mib, const std::string& text);
/// Adds --datadir and what concerns writing and caching.
void add_ledger_flags(Command command, LedgerFlags& flags, bool is_required);

/// What the flags say. A failed read of the state ends the process with ExitCode::storage_failed.
/// Errors: InputError for a malformed flag.
[[nodiscard]] ledger::DurableLedgerOptions make_ledger_options(const LedgerFlags& flags);
/// The same for who only reads: opening drops nothing, whatever the flags say of history.
[[nodiscard]] ledger::DurableLedgerOptions make_reading_options(const LedgerFlags& flags);
/// How it ends it: says what has failed, once, and returns to nobody. From any thread.
[[noreturn]] void end_process(const ledger::LedgerError& error);

/// Throws what the error becomes: StorageError where the disk or the files are at fault, InUseError
/// where another process has the folder, else InputError.
[[noreturn]] void fail_ledger(const ledger::LedgerError& error,
                              ledger::LedgerStage stage = ledger::LedgerStage::kept);
/// The value, or what its error becomes.
template <typename T>
[[nodiscard]] T take(std::expected<T, ledger::LedgerError> result,
                     ledger::LedgerStage stage = ledger::LedgerStage::kept) {
    if (!result.has_value()) fail_ledger(result.error(), stage);
    return *std::move(result);
}

/// Opens the ledger. Says on standard error what opening had to do, and what will be dropped.
[[nodiscard]] std::unique_ptr<ledger::DurableLedger> open_ledger(
    ledger::DurableLedgerOptions options);
/// Makes a ledger of this chain.
/// @param validators  What its genesis file says of them (load_validator_contract()).
[[nodiscard]] std::unique_ptr<ledger::DurableLedger> create_ledger(
    ledger::DurableLedgerOptions options, const Genesis& genesis,
    const std::optional<ValidatorContractConfig>& validators = std::nullopt);
/// The process that has the ledger of the folder open. Not for one that this process has open: its
/// locks would be lost.
[[nodiscard]] std::optional<pid_t> process_using(const std::string& datadir);
/// Writes what is left. Errors: StorageError.
void close_ledger(ledger::DurableLedger& ledger);

/// For ledgers whose blocks can be made again: as safe as whoever looks at the result needs them.
[[nodiscard]] inline ledger::SyncPolicy sync_nothing() noexcept {
    return {.blocks = ledger::kArchive, .interval = std::chrono::hours{24}};
}

/// The rules that were stored with the ledger.
[[nodiscard]] ChainConfig stored_chain_config(const ledger::DurableLedger& ledger);

}  // namespace heddle::node
