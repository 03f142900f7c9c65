// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

// Work on a data directory through the ledger's public face, for faults to run into: what the
// commands of the program do, without their options and their tables.
//
//   ledger_tool verify|compact|rollback N|prune N|snapshot FOLDER|restore FOLDER --datadir FOLDER
//
// Prints where the ledger stands as `heddle replay` does; exit codes are those of `heddle`.
#include <cstdlib>
#include <expected>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ledger/durable_ledger.hpp>
#include <ledger/maintenance.hpp>
#include <ledger/snapshot.hpp>
#include <ledger/verify.hpp>

namespace {

using namespace heddle::ledger;

constexpr std::size_t kMemory = std::size_t{64} << 20;

struct Failure {
    LedgerError error;
};

template <class T>
T take(std::expected<T, LedgerError> result) {
    if (!result.has_value()) throw Failure{result.error()};
    if constexpr (!std::is_void_v<T>) return *std::move(result);
}

MaintenanceOptions maintenance(const std::string& directory) {
    MaintenanceOptions options;
    options.directory = directory;
    options.memory_bytes = kMemory;
    return options;
}

int verify_all(const std::string& directory) {
    const VerifyReport report = take(verify({.ledger = maintenance(directory), .deep = true}));
    for (const std::string& problem : report.problems)
        std::cerr << "heddle: " << problem << "\n";
    if (!report.is_good()) return 1;
    const LedgerStatistics statistics = take(heddle::ledger::statistics(maintenance(directory)));
    std::cout << "head: block " << statistics.head << ", hash " << to_string(statistics.head_hash)
              << "\nstate root " << to_string(statistics.state_root) << "\n";
    return 0;
}

void write_snapshot(const std::string& directory, const std::string& folder) {
    DurableLedgerOptions options;
    options.directory = directory;
    options.memory_bytes = kMemory;
    const auto ledger = take(DurableLedger::open(std::move(options)));
    const auto writer = take(ledger->begin_snapshot());
    std::cout << "snapshot " << to_string(take(writer->write(folder, {}))) << "\n" << std::flush;
    take(ledger->close());
}

void restore_snapshot(const std::string& directory, const std::string& folder) {
    const SnapshotReader reader = take(SnapshotReader::open(folder));
    auto restorer = take(SnapshotRestorer::begin(maintenance(directory), reader.manifest_bytes()));
    while (restorer.next_chunk() < restorer.manifest().chunks.size())
        take(restorer.apply(take(reader.read_chunk(restorer.next_chunk()))));
    take(restorer.finish());
}

int run(const std::vector<std::string>& words) {
    const std::string& verb = words.at(0);
    const std::string& value = words.at(1);
    const std::string& directory = words.back();
    if (verb == "verify") return verify_all(directory);
    if (verb == "compact") {
        take(compact(maintenance(directory)));
    } else if (verb == "rollback") {
        take(rollback(maintenance(directory), std::strtoull(value.c_str(), nullptr, 10)));
    } else if (verb == "prune") {
        take(prune(maintenance(directory), std::strtoull(value.c_str(), nullptr, 10)));
    } else if (verb == "snapshot") {
        write_snapshot(directory, value);
    } else if (verb == "restore") {
        restore_snapshot(directory, value);
    } else {
        return 2;
    }
    return 0;
}

int exit_code(LedgerErrorCode code) {
    switch (code) {
        case LedgerErrorCode::no_space:
        case LedgerErrorCode::io_error:
        case LedgerErrorCode::corrupt:
            return 3;
        default:
            return 2;
    }
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 3) return 2;
    try {
        return run({arguments + 1, arguments + count});
    } catch (const Failure& failure) {
        std::cerr << "heddle: " << to_string(failure.error) << "\n";
        return exit_code(failure.error.code);
    }
}
