// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "commands/rerun_start.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include <ledger/maintenance.hpp>
#include <ledger/snapshot.hpp>

#include "chain/dev_chain.hpp"
#include "formats/chain_config_json.hpp"
#include "inputs/chain_input.hpp"
#include "inputs/fork_flag.hpp"
#include "inputs/ledger_flags.hpp"
#include "inputs/maintenance_flags.hpp"
#include "program/error.hpp"
#include "program/stop_signal.hpp"
#include "shim/log_reader.hpp"

namespace heddle::node {
namespace {

namespace fs = std::filesystem;
using ledger::DurableLedger;

using Starts = std::vector<RecordedStart>;

LedgerFlags flags_of(const RerunStartOptions& options) {
    LedgerFlags flags;
    flags.datadir = options.work;
    flags.sync = "1000000";  // it can be made again
    flags.memory_mib = options.memory_mib;
    flags.history = LedgerFlags::kDefaultHistory;  // of a copy, even where it is one of an archive
    return flags;
}

/// What the recording can be begun with, for an error.
std::string needs(const Starts& starts) {
    const RecordedStart& first = starts.front();
    return fmt::format(
        "it begins after block {}, {}: name a data directory of the chain that has this block "
        "(--datadir), or its snapshot (--snapshot)",
        first.head.number, to_string(first.head.hash));
}

const RecordedStart* start_after(const Starts& starts, const consensus_adapter::BlockId& head) {
    const auto found = std::ranges::find(starts, head, &RecordedStart::head);
    return found == starts.end() ? nullptr : &*found;
}

std::optional<Genesis> recorded_genesis(const std::string& recording, const RecordedStart& start) {
    for (const auto& [name, value] : start.settings)
        if (name == "genesis.dev") return dev_genesis(revision_of("the recording", value));
    ChainInput input;
    input.genesis = recorded_genesis_path(recording);
    if (!fs::exists(input.genesis)) return std::nullopt;
    return load_chain_genesis(input, "rerun");
}

RerunStart from_genesis(const RerunStartOptions& options, const Starts& starts) {
    const RecordedStart& first = starts.front();
    if (first.head.number != 0) fail_input("{}: {}", options.recording, needs(starts));
    const auto genesis = recorded_genesis(options.recording, first);
    if (!genesis.has_value())
        fail_input("{}: there is no {}, and {}", options.recording,
                   recorded_genesis_path(options.recording), needs(starts));
    if (const Hash found = compute_genesis_hash(*genesis); found != first.genesis_hash)
        fail_input("{}: its genesis block is {}, the recording was made of {}",
                   recorded_genesis_path(options.recording), to_string(found),
                   to_string(first.genesis_hash));
    const auto validators =
        parse_stored_validator_contract(first.chain, "the recorded chain configuration");
    return {create_ledger(make_ledger_options(flags_of(options)), *genesis, validators),
            first.link.number};
}

std::optional<RerunStart> from_snapshot(const RerunStartOptions& options, const Starts& starts) {
    std::error_code error;
    if (!fs::is_directory(options.snapshot, error))
        fail_input("{}: there is no such folder of a snapshot", options.snapshot);
    const auto reader = take(ledger::SnapshotReader::open(options.snapshot));
    const BlockHeader& header = reader.manifest().header;
    const consensus_adapter::BlockId head{header.number, header_hash(header)};
    const RecordedStart* const start = start_after(starts, head);
    if (start == nullptr)
        fail_input("{}: is of block {}, {}, after which nothing of {} begins; {}", options.snapshot,
                   head.number, to_string(head.hash), options.recording, needs(starts));
    StepProgress progress;
    auto restorer = take(ledger::SnapshotRestorer::begin(
        make_maintenance_options(flags_of(options), progress), reader.manifest_bytes()));
    while (restorer.next_chunk() < reader.manifest().chunks.size()) {
        if (StopSignal::is_raised()) return std::nullopt;
        if (auto applied = restorer.apply(take(reader.read_chunk(restorer.next_chunk())));
            !applied.has_value())
            fail_ledger(applied.error());
    }
    if (auto finished = restorer.finish(); !finished.has_value()) fail_ledger(finished.error());
    return RerunStart{open_ledger(make_ledger_options(flags_of(options))), start->link.number};
}

/// Whether it is the path that was named which is wrong, and no disk.
bool is_of_path(const std::error_code& error) {
    return error == std::errc::permission_denied ||
           error == std::errc::too_many_symbolic_link_levels ||
           error == std::errc::filename_too_long;
}

/// The ledger alone: what else lies beside it is of a node that goes on, such as the promises of a
/// member, and may even be the folder that is copied to. Tables never change and are shared where
/// the file system can; everything else is copied. What there is of a copy that was not finished
/// goes: it would look like a ledger.
/// @return whether all is there; otherwise it was told to stop.
bool copy_ledger(const std::string& datadir, const std::string& work) {
    const fs::path from = fs::path{datadir} / "ledger";
    const fs::path to = fs::path{work} / "ledger";
    std::error_code error;
    fs::create_directories(to, error);
    fs::directory_iterator at{from, error};
    bool is_stopped = false;
    for (; !error && at != fs::directory_iterator{}; at.increment(error)) {
        is_stopped = StopSignal::is_raised();
        if (is_stopped) break;
        if (!at->is_regular_file(error)) continue;
        const fs::path target = to / at->path().filename();
        std::error_code not_linked = std::make_error_code(std::errc::not_supported);
        if (at->path().extension() == ".sst") fs::create_hard_link(at->path(), target, not_linked);
        if (not_linked && !error) fs::copy_file(at->path(), target, error);
        if (error) break;
    }
    if (error || is_stopped) {
        std::error_code ignored;
        fs::remove_all(work, ignored);
    }
    if (is_of_path(error)) fail_input("{}: cannot be copied: {}", datadir, error.message());
    if (error) throw StorageError(datadir + ": cannot be copied: " + error.message());
    return !is_stopped;
}

std::optional<RerunStart> from_directory(const RerunStartOptions& options, const Starts& starts) {
    if (!DurableLedger::exists(options.datadir))
        fail_input("{}: there is no ledger", options.datadir);
    if (const auto process = process_using(options.datadir))
        throw InUseError(
            fmt::format("{}: process {} uses it; stop it, or begin with a snapshot (--snapshot)",
                        options.datadir, *process));
    if (!copy_ledger(options.datadir, options.work)) return std::nullopt;
    std::optional<consensus_adapter::BlockId> wanted;
    std::uint64_t segment = 0;
    std::uint64_t head = 0;
    {
        const auto copy = open_ledger(make_reading_options(flags_of(options)));
        head = copy->head().header.number;
        for (const RecordedStart& start : starts) {
            const std::uint64_t number = start.head.number;
            if (number > head || number < copy->first_state()) continue;
            const auto found = take(copy->header(number));
            if (!found.has_value() || found->hash != start.head.hash) continue;
            wanted = start.head;
            segment = start.link.number;
            break;
        }
        close_ledger(*copy);
    }
    if (!wanted.has_value())
        fail_input(
            "{}: has no state, up to its head, block {}, after which something of {} begins; {}",
            options.datadir, head, options.recording, needs(starts));
    if (wanted->number != head) {
        StepProgress progress;
        (void)take(ledger::rollback(make_maintenance_options(flags_of(options), progress),
                                    wanted->number));
    }
    return RerunStart{open_ledger(make_ledger_options(flags_of(options))), segment};
}

}  // namespace

std::optional<RerunStart> start_rerun(const RerunStartOptions& options) {
    const auto starts = read_starts(options.recording);
    if (!starts.has_value()) fail_input("{}", starts.error());
    if (starts->empty()) fail_input("{}: the recording ends before it begins", options.recording);
    if (!options.snapshot.empty()) return from_snapshot(options, *starts);
    if (!options.datadir.empty()) return from_directory(options, *starts);
    return from_genesis(options, *starts);
}

}  // namespace heddle::node
