// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// heddle snapshot: the state of a data directory in chunks, and data directories from them.
#include <types/counted.hpp>

#include <ledger/snapshot.hpp>

#include <cstdint>
#include <expected>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "formats/chain_config_json.hpp"
#include "inputs/maintenance_flags.hpp"
#include "program/command.hpp"
#include "program/command_line.hpp"
#include "program/error.hpp"
#include "program/quantities.hpp"
#include "program/say.hpp"
#include "replication/member_files.hpp"

namespace heddle::node {

namespace {

using ledger::LedgerError;
using ledger::LedgerErrorCode;
using ledger::SnapshotManifest;
using ledger::SnapshotReader;
using ledger::SnapshotRestorer;
constexpr auto kBeingMade = ledger::LedgerStage::being_made;

struct SnapshotOptions {
    LedgerFlags ledger;
    std::string folder;
    std::string hash;  // of the block; empty: any
};

/// Of a data directory that is being restored.
void check(const std::expected<void, LedgerError>& result) {
    if (!result.has_value()) fail_ledger(result.error(), kBeingMade);
}

void print(const SnapshotManifest& manifest, const Hash& id) {
    std::uint64_t bytes = 0;
    for (const SnapshotManifest::Chunk& chunk : manifest.chunks)
        bytes += chunk.size;
    fmt::print("snapshot {}\nblock {}, hash {}\nstate root {}\n", to_string(id),
               manifest.header.number, to_string(header_hash(manifest.header)),
               to_string(manifest.header.state_root));
    fmt::print("{}, {}, {}; {}, {}\n", counted(manifest.accounts, "account"),
               counted(manifest.slots, "slot"), counted(manifest.codes, "code"),
               counted(manifest.chunks.size(), "chunk"), format_bytes(bytes));
}

/// Nothing else tells of damage to the configuration.
void warn_without_id(const SnapshotReader& reader, const std::string& folder) {
    if (reader.has_id()) return;
    say("heddle: {} has no file `id`, so that nothing shows whether the chain's configuration is "
        "as it was written: compare the id above with what its maker says\n",
        folder);
}

/// The newest blocks of a member of a replicated chain may be on no other disk. Whoever begins with
/// a snapshot shows its block from the start.
void warn_of_unshown(const std::string& datadir, std::uint64_t head) {
    const replication::ShownNote note = replication::read_shown(datadir);
    if (!note.is_member || note.shown.value_or(0) >= head) return;
    say("heddle: block {} is not known to be acknowledged by other members{}: a member begins with "
        "this snapshot once the primary shows block {} (eth_blockNumber), or never\n",
        head, note.shown.has_value() ? fmt::format(", as blocks up to {} are", *note.shown) : "",
        head);
}

ExitCode create(const SnapshotOptions& options) {
    const auto ledger = open_ledger(make_reading_options(options.ledger));
    warn_of_unshown(options.ledger.datadir, ledger->head().header.number);
    StepProgress progress;
    {
        const auto writer = take(ledger->begin_snapshot());
        (void)take(writer->write(options.folder, progress.callback()));
    }
    // Before the ledger is closed, which may fail and is nothing to the snapshot: who does not hear
    // of it would make another one.
    const auto reader = take(SnapshotReader::open(options.folder));
    print(reader.manifest(), reader.id());
    close_ledger(*ledger);
    return ExitCode::ok;
}

/// What is not there is a mistyped name. Errors: InputError.
void check_folder(const std::string& folder) {
    std::error_code error;
    if (!std::filesystem::is_directory(folder, error))
        fail_input("{}: there is no such folder; `heddle snapshot create --out FOLDER` makes one",
                   folder);
}

/// Errors: InputError where the snapshot is of another block than was asked for.
void check_hash(const SnapshotOptions& options, const SnapshotManifest& manifest) {
    if (options.hash.empty()) return;
    const auto wanted = hash_from_hex(options.hash);
    if (!wanted.has_value()) fail_input("--hash {}: is no hash of 32 bytes in hex", options.hash);
    if (const Hash found = header_hash(manifest.header); found != *wanted)
        fail_input("{}: is of block {}, hash {}, not of {}", options.folder, manifest.header.number,
                   to_string(found), to_string(*wanted));
}

/// The chain's configuration, which is opaque to the ledger: a data directory without one is of no
/// use to anybody.
std::expected<void, LedgerError> check_chain(const SnapshotManifest& manifest) {
    try {
        (void)parse_stored_chain_config(manifest.chain,
                                        "the manifest's configuration of the chain");
        return {};
    } catch (const InputError& error) {
        return std::unexpected(LedgerError{LedgerErrorCode::bad_snapshot, error.what()});
    }
}

ExitCode restore(const SnapshotOptions& options) {
    check_folder(options.folder);
    const auto reader = take(SnapshotReader::open(options.folder));
    check_hash(options, reader.manifest());
    check(check_chain(reader.manifest()));
    StepProgress progress;
    auto restorer = take(SnapshotRestorer::begin(make_maintenance_options(options.ledger, progress),
                                                 reader.manifest_bytes()),
                         kBeingMade);
    if (restorer.next_chunk() != 0)
        say("heddle: was interrupted: goes on with chunk {} of {}\n", restorer.next_chunk(),
            reader.manifest().chunks.size());
    while (restorer.next_chunk() < reader.manifest().chunks.size())
        check(restorer.apply(take(reader.read_chunk(restorer.next_chunk()), kBeingMade)));
    check(restorer.finish());
    print(reader.manifest(), reader.id());
    warn_without_id(reader, options.folder);
    return ExitCode::ok;
}

ExitCode verify_chunks(const SnapshotOptions& options) {
    check_folder(options.folder);
    StepProgress progress;
    auto verified = ledger::verify_snapshot(options.folder, progress.callback());
    if (verified.has_value())
        verified = check_chain(take(SnapshotReader::open(options.folder)).manifest());
    if (!verified.has_value()) {
        if (verified.error().code != LedgerErrorCode::bad_snapshot) fail_ledger(verified.error());
        say("heddle: {}\n", to_string(verified.error()));
        return ExitCode::failed;
    }
    const auto reader = take(SnapshotReader::open(options.folder));
    print(reader.manifest(), reader.id());
    warn_without_id(reader, options.folder);
    return ExitCode::ok;
}

}  // namespace

void register_snapshot(Command app, Action& action) {
    Command snapshot = app.add_subcommand("snapshot", "Carry a state elsewhere, in chunks");
    snapshot.require_subcommand();
    const auto options = std::make_shared<SnapshotOptions>();
    const auto runs = [&](Command command, ExitCode (*run)(const SnapshotOptions&)) {
        command.callback(
            [options, &action, run] { action = [options, run] { return run(*options); }; });
    };

    Command created = snapshot.add_subcommand("create", "Write the state after the head");
    add_maintenance_flags(created, options->ledger);
    created.add_option("--out", options->folder, "Folder to make").required();
    runs(created, create);

    Command restored = snapshot.add_subcommand("restore", "Make a data directory");
    add_maintenance_flags(restored, options->ledger);
    restored.add_option("folder", options->folder, "The snapshot").required();
    restored.add_option("--hash", options->hash, "Refuse a snapshot of another block than this");
    runs(restored, restore);

    Command verified = snapshot.add_subcommand("verify", "Check all that a snapshot says");
    verified.add_option("folder", options->folder, "The snapshot").required();
    runs(verified, verify_chunks);
}

}  // namespace heddle::node
