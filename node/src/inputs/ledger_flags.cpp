// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "inputs/ledger_flags.hpp"

#include <atomic>
#include <charconv>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include <types/text_bytes.hpp>

#include "formats/chain_config_json.hpp"
#include "program/command_line.hpp"
#include "program/error.hpp"
#include "program/say.hpp"

namespace heddle::node {

namespace {

using ledger::DurableLedger;
using ledger::LedgerError;
using ledger::LedgerErrorCode;

constexpr const char* kGroup = "Data directory";
constexpr std::uint64_t kMinMemoryMib = 64;
constexpr std::uint64_t kMaxMemoryMib = std::uint64_t{1} << 24;
/// Blocks are durable after an hour at the latest, whatever was asked for.
constexpr std::uint64_t kMaxSyncSeconds = 3600;

/// `block`, a number of blocks, or a number of seconds followed by `s`.
ledger::SyncPolicy parse_sync(const std::string& text) {
    if (text == "block") return {};
    std::uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
    if (error != std::errc{} || number == 0 || (!unit.empty() && unit != "s") ||
        (unit == "s" && number > kMaxSyncSeconds))
        fail_input(
            "--sync {}: say `block`, a number of blocks (e.g. 64), or up to {} seconds (e.g. 5s)",
            text, kMaxSyncSeconds);
    ledger::SyncPolicy policy;
    if (unit == "s") {
        policy.blocks = ledger::kArchive;
        policy.interval = std::chrono::seconds(number);
    } else {
        policy.blocks = number;
        policy.interval = std::chrono::seconds(kMaxSyncSeconds);
    }
    return policy;
}

}  // namespace

void add_datadir_option(Command command, LedgerFlags& flags, bool is_required) {
    Option option = command.add_option("--datadir", flags.datadir,
                                       "The data directory: holds the chain and its state");
    option.group(kGroup);
    if (is_required) option.required();
}

Option add_memory_option(Command command, std::uint64_t& mib, const std::string& text) {
    return command.add_option("--memory", mib, text)
        .in_range(kMinMemoryMib, kMaxMemoryMib)
        .capture_default();
}

void add_ledger_flags(Command command, LedgerFlags& flags, bool is_required) {
    add_datadir_option(command, flags, is_required);
    command
        .add_option("--sync", flags.sync,
                    "When blocks are forced to the disk: `block` (each), a number of blocks, or a "
                    "number of seconds as in `5s`; so much may be lost when the power fails")
        .capture_default()
        .group(kGroup);
    add_memory_option(command, flags.memory_mib,
                      "MiB for everything that is kept: caches, tries and buffers together")
        .group(kGroup);
    const Option history =
        command
            .add_option("--history", flags.history,
                        "Blocks below the head whose state stays readable, and to which the chain "
                        "can be rolled back")
            .in_range(std::uint64_t{0}, std::uint64_t{1} << 62)
            .default_text(std::to_string(LedgerFlags::kDefaultHistory))
            .group(kGroup);
    command
        .add_option("--access-list-history", flags.access_lists,
                    "Blocks whose access lists are kept (EIP-7928), the newest")
        .in_range(std::uint64_t{1}, std::uint64_t{1} << 62)
        .capture_default()
        .group(kGroup);
    command
        .add_flag("--archive", flags.archive,
                  "Keep the state after every block readable, and every access list")
        .excludes(history)
        .group(kGroup);
}

ledger::DurableLedgerOptions make_ledger_options(const LedgerFlags& flags) {
    ledger::DurableLedgerOptions options;
    options.directory = flags.datadir;
    options.sync = parse_sync(flags.sync);
    options.memory_bytes = flags.memory_mib << 20;
    options.history_blocks = flags.history.value_or(LedgerFlags::kDefaultHistory);
    options.access_list_blocks = flags.access_lists;
    // A default is no reason to drop what an archive has.
    options.archive_mark =
        flags.history.has_value() ? ledger::ArchiveMark::cleared : ledger::ArchiveMark::heeded;
    if (flags.archive) {
        options.history_blocks = options.access_list_blocks = ledger::kArchive;
        options.archive_mark = ledger::ArchiveMark::set;
    }
    options.on_read_failure = end_process;
    return options;
}

void end_process(const LedgerError& error) {
    // Several threads read, and what fails for one soon fails for others: the first says so.
    static std::atomic_flag is_ending;
    while (is_ending.test_and_set())
        ::pause();
    say("heddle: {}\n", to_string(error));
    std::fflush(stderr);
    // Other threads are in the middle of work that has no meaning any more. What is on disk is
    // whole at every moment.
    ::_exit(static_cast<int>(ExitCode::storage_failed));
}

ledger::DurableLedgerOptions make_reading_options(const LedgerFlags& flags) {
    ledger::DurableLedgerOptions options = make_ledger_options(flags);
    options.history_blocks = options.access_list_blocks = ledger::kArchive;
    options.archive_mark = ledger::ArchiveMark::ignored;
    return options;
}

void fail_ledger(const LedgerError& error, ledger::LedgerStage stage) {
    switch (error.code) {
        case LedgerErrorCode::no_space:
        case LedgerErrorCode::io_error:
        case LedgerErrorCode::removed:
        case LedgerErrorCode::corrupt:
            throw StorageError(to_string(error, stage));
        case LedgerErrorCode::locked:
            throw InUseError(to_string(error, stage));
        default:
            throw InputError(to_string(error, stage));
    }
}

std::unique_ptr<DurableLedger> open_ledger(ledger::DurableLedgerOptions options) {
    const std::uint64_t history = options.history_blocks;
    const bool is_archive = options.archive_mark == ledger::ArchiveMark::set;
    auto opened = take(DurableLedger::open(std::move(options)));
    const ledger::OpenReport& report = opened->open_report();
    if (report.state_block != report.head)
        say("heddle: was not closed: the state on disk was that of block {}; brought "
            "forward to block {} and verified\n",
            report.state_block, report.head);
    // Below the state on disk, not the head: what blocks since then have outdated is no news.
    if (const std::uint64_t first = opened->first_state();
        report.state_block > history && first < report.state_block - history)
        say("heddle: dropping the states of blocks {} to {}: --history {} keeps fewer; --archive "
            "keeps all. They go little by little, with the blocks that come; heddle db prune "
            "--keep {} drops them at once\n",
            first, report.state_block - history - 1, history, history);
    // Also of an archive that was one all the time, but began with a snapshot.
    if (const std::uint64_t first = opened->first_state(); is_archive && first != 0)
        say("heddle: an archive from block {} on: earlier states were dropped, or never there; the "
            "whole chain, replayed into a new directory with --archive, has all of them\n",
            first);
    return opened;
}

std::unique_ptr<DurableLedger> create_ledger(
    ledger::DurableLedgerOptions options, const Genesis& genesis,
    const std::optional<ValidatorContractConfig>& validators) {
    const std::string chain = format_chain_config(genesis.config, validators);
    const BytesView bytes = bytes_of(chain);
    return take(DurableLedger::create(std::move(options), genesis, bytes),
                ledger::LedgerStage::being_made);
}

std::optional<pid_t> process_using(const std::string& datadir) {
    const int file = ::open((datadir + "/ledger/LOCK").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return std::nullopt;  // whoever opens the ledger is told why
    struct flock found{};
    found.l_type = F_WRLCK;
    found.l_whence = SEEK_SET;
    const bool is_told = ::fcntl(file, F_GETLK, &found) == 0;
    ::close(file);
    if (!is_told || found.l_type == F_UNLCK) return std::nullopt;
    return found.l_pid;
}

void close_ledger(DurableLedger& ledger) {
    if (const auto closed = ledger.close(); !closed.has_value()) fail_ledger(closed.error());
}

ChainConfig stored_chain_config(const DurableLedger& ledger) {
    return parse_stored_chain_config(ledger.chain(), "the data directory's chain configuration");
}

}  // namespace heddle::node
