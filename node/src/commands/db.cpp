// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// heddle db: what a data directory holds and takes, and work on it that needs no chain.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <types/counted.hpp>

#include "formats/json_writer.hpp"
#include "inputs/maintenance_flags.hpp"
#include "program/command.hpp"
#include "program/command_line.hpp"
#include "program/quantities.hpp"

namespace heddle::node {

namespace {

constexpr std::size_t kMostLargest = 10'000;

struct StatsOptions {
    LedgerFlags ledger;
    std::size_t largest = 0;
    bool json = false;
};

/// What `db stats` tells.
struct Stats {
    ledger::LedgerStatistics ledger;
    std::vector<ledger::LargeAccount> largest;
};

struct PruneOptions {
    LedgerFlags ledger;
    std::optional<std::uint64_t> before;
    std::optional<std::uint64_t> keep;
};

struct RollbackOptions {
    LedgerFlags ledger;
    std::uint64_t to = 0;
};

std::string to_json(const Stats& stats) {
    const ledger::LedgerStatistics& found = stats.ledger;
    std::string text;
    JsonWriter json(text);
    const auto number = [&](std::string_view name, std::uint64_t value) {
        json.key(name);
        json.number(value);
    };
    json.begin_object();
    number("format", found.format);
    number("head", found.head);
    json.key("headHash");
    json.hash(found.head_hash);
    json.key("stateRoot");
    json.hash(found.state_root);
    number("stateBlock", found.state_block);
    number("firstBlock", found.first_block);
    number("firstState", found.first_state);
    json.key("tables");
    json.begin_array();
    for (const ledger::TableStatistics& table : found.tables) {
        json.begin_object();
        json.key("name");
        json.string(table.name);
        json.key("holds");
        json.string(table.holds);
        number("keys", table.keys);
        number("files", table.files);
        number("diskBytes", table.disk_bytes);
        number("memoryBytes", table.memory_bytes);
        json.end_object();
    }
    json.end_array();
    if (!stats.largest.empty()) {
        json.key("largest");
        json.begin_array();
        for (const ledger::LargeAccount& account : stats.largest) {
            json.begin_object();
            json.key("address");
            json.address(account.address);
            number("slots", account.slots);
            number("bytes", account.bytes);
            json.end_object();
        }
        json.end_array();
    }
    json.end_object();
    return text;
}

double percent(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

void print_tables(const std::vector<ledger::TableStatistics>& tables) {
    std::uint64_t files = 0;
    std::uint64_t disk = 0;
    std::uint64_t memory = 0;
    for (const ledger::TableStatistics& table : tables) {
        files += table.files;
        disk += table.disk_bytes;
        memory += table.memory_bytes;
    }
    fmt::print("{:<14} {:>14} {:>6} {:>12} {:>6} {:>8} {:>12}  holds\n", "table", "keys (about)",
               "files", "on disk", "", "a key", "in memory");
    for (const ledger::TableStatistics& table : tables)
        fmt::print("{:<14} {:>14} {:>6} {:>12} {:>5.1f}% {:>8} {:>12}  {}\n", table.name,
                   table.keys, table.files, format_bytes(table.disk_bytes),
                   percent(table.disk_bytes, disk),
                   table.keys == 0 ? "" : fmt::format("{} B", table.disk_bytes / table.keys),
                   format_bytes(table.memory_bytes), table.holds);
    fmt::print("{:<14} {:>14} {:>6} {:>12} {:>6} {:>8} {:>12}\n", "together", "", files,
               format_bytes(disk), "", "", format_bytes(memory));
}

void print(const Stats& stats) {
    const ledger::LedgerStatistics& found = stats.ledger;
    fmt::print("format {}\nhead: block {}, hash {}\nstate root {}\n", found.format, found.head,
               to_string(found.head_hash), to_string(found.state_root));
    if (found.state_block != found.head)
        fmt::print("the state on disk is that of block {}; opening brings it forward\n",
                   found.state_block);
    fmt::print("blocks from {} on, states from block {} on\n\n", found.first_block,
               found.first_state);
    print_tables(found.tables);
    if (stats.largest.empty()) return;
    fmt::print("\n{:<42} {:>14} {:>12}\n", "accounts with the most slots", "slots", "bytes");
    for (const ledger::LargeAccount& account : stats.largest)
        fmt::print("{:<42} {:>14} {:>12}\n", to_string(account.address), account.slots,
                   format_bytes(account.bytes));
}

ExitCode stats(const StatsOptions& options) {
    Stats found;
    {
        StepProgress progress;
        const auto maintenance = make_maintenance_options(options.ledger, progress);
        found.ledger = take(statistics(maintenance));
        if (options.largest != 0)
            found.largest = take(largest_accounts(maintenance, options.largest));
    }
    if (options.json)
        fmt::print("{}\n", to_json(found));
    else
        print(found);
    return ExitCode::ok;
}

std::uint64_t disk_bytes(const ledger::MaintenanceOptions& options) {
    std::uint64_t bytes = 0;
    for (const ledger::TableStatistics& table : take(statistics(options)).tables)
        bytes += table.disk_bytes;
    return bytes;
}

ExitCode compact_tables(const LedgerFlags& flags) {
    StepProgress progress;
    const auto options = make_maintenance_options(flags, progress);
    const std::uint64_t before = disk_bytes(options);
    if (const auto done = compact(options); !done.has_value()) fail_ledger(done.error());
    fmt::print("tables: {} before, {} now\n", format_bytes(before),
               format_bytes(disk_bytes(options)));
    return ExitCode::ok;
}

ExitCode prune_history(const PruneOptions& options) {
    if (options.before.has_value() == options.keep.has_value())
        fail_input("db prune: say how much: --before N or --keep N");
    StepProgress progress;
    const auto maintenance = make_maintenance_options(options.ledger, progress);
    std::uint64_t first = options.before.value_or(0);
    if (options.keep.has_value()) {
        const std::uint64_t head = take(statistics(maintenance)).head;
        first = head > *options.keep ? head - *options.keep : 0;
    }
    const auto report = take(prune(maintenance, first));
    const bool has_dropped_states = report.first_state != report.first_state_before;
    if (!has_dropped_states && report.access_lists == 0) fmt::print("nothing to drop: ");
    fmt::print("states are kept from block {} on", report.first_state);
    if (has_dropped_states) fmt::print(" (until now from block {} on)", report.first_state_before);
    if (report.access_lists != 0)
        fmt::print("; {} dropped", counted(report.access_lists, "access list"));
    fmt::print("\n");
    return ExitCode::ok;
}

ExitCode roll_back(const RollbackOptions& options) {
    StepProgress progress;
    const auto report =
        take(rollback(make_maintenance_options(options.ledger, progress), options.to));
    fmt::print("{} taken back\nhead: block {}, hash {}\n",
               counted(report.from - report.to, "block"), report.to, to_string(report.head_hash));
    return ExitCode::ok;
}

void register_stats(Command db, Action& action) {
    Command command = db.add_subcommand("stats", "What the directory holds, and what it takes");
    const auto options = std::make_shared<StatsOptions>();
    add_maintenance_flags(command, options->ledger);
    command
        .add_option("--largest", options->largest,
                    "Also so many accounts, those with the most slots; reads all slots")
        .in_range(std::size_t{1}, kMostLargest);
    command.add_flag("--json", options->json, "As JSON");
    command.callback([options, &action] { action = [options] { return stats(*options); }; });
}

void register_compact(Command db, Action& action) {
    Command command = db.add_subcommand("compact", "Rewrite the tables without what was replaced");
    const auto options = std::make_shared<LedgerFlags>();
    add_maintenance_flags(command, *options);
    command.callback(
        [options, &action] { action = [options] { return compact_tables(*options); }; });
}

void register_prune(Command db, Action& action) {
    Command command = db.add_subcommand("prune", "Drop what is needed only for earlier states");
    const auto options = std::make_shared<PruneOptions>();
    add_maintenance_flags(command, options->ledger);
    const Option before = command.add_option(
        "--before", options->before, "Drop the states before this block, and the way back there");
    command.add_option("--keep", options->keep, "Keep those of so many blocks below the head")
        .excludes(before);
    command.callback(
        [options, &action] { action = [options] { return prune_history(*options); }; });
}

void register_rollback(Command db, Action& action) {
    Command command = db.add_subcommand("rollback", "Take blocks back, exactly");
    const auto options = std::make_shared<RollbackOptions>();
    add_maintenance_flags(command, options->ledger);
    command.add_option("--to", options->to, "The block that is the head afterwards").required();
    command.callback([options, &action] { action = [options] { return roll_back(*options); }; });
}

}  // namespace

void register_db(Command app, Action& action) {
    Command db = app.add_subcommand("db", "Look at, tidy up or roll back a data directory");
    db.require_subcommand();
    register_stats(db, action);
    register_compact(db, action);
    register_prune(db, action);
    register_rollback(db, action);
}

}  // namespace heddle::node
