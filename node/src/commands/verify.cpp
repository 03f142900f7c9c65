// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// heddle verify: whether everything in a data directory is what it should be.
#include <types/counted.hpp>

#include <ledger/verify.hpp>

#include <memory>

#include <fmt/format.h>

#include "inputs/maintenance_flags.hpp"
#include "program/command.hpp"
#include "program/command_line.hpp"
#include "program/say.hpp"

namespace heddle::node {

namespace {

struct VerifyFlags {
    LedgerFlags ledger;
    bool senders = false;
    bool deep = false;
};

void print(const ledger::VerifyReport& report) {
    for (const std::string& problem : report.problems)
        fmt::print("{}\n", problem);
    if (report.problem_count > report.problems.size())
        fmt::print("and {} more\n", report.problem_count - report.problems.size());
    fmt::print("head: block {}; the tables are the state of block {}\n", report.head,
               report.state_block);
    fmt::print("{}, {}\n", counted(report.blocks, "block"),
               counted(report.transactions, "transaction"));
    fmt::print("{}, {}, {}, {}\n", counted(report.accounts, "account"),
               counted(report.slots, "slot"), counted(report.codes, "code"),
               counted(report.trie_nodes, "trie node"));
    fmt::print("{} computed, {} followed\n", counted(report.states, "state root"),
               counted(report.changes, "change"));
}

ExitCode verify_directory(const VerifyFlags& flags) {
    ledger::VerifyReport report;
    {
        StepProgress progress;
        ledger::VerifyOptions options;
        options.ledger = make_maintenance_options(flags.ledger, progress);
        options.senders = flags.senders;
        options.deep = flags.deep;
        report = take(verify(options));
    }
    print(report);
    if (report.failure.has_value()) {
        say("heddle: verifying has stopped here\n");
        fail_ledger(*report.failure);
    }
    if (report.is_good()) {
        fmt::print("nothing is wrong\n");
        return ExitCode::ok;
    }
    say("heddle: {} in {}: restore it from a backup or a snapshot, or replay the "
        "chain into a new directory\n",
        counted(report.problem_count, "problem"), flags.ledger.datadir);
    return ExitCode::failed;
}

}  // namespace

void register_verify(Command app, Action& action) {
    Command command =
        app.add_subcommand("verify", "Compute again all that a data directory claims");
    const auto flags = std::make_shared<VerifyFlags>();
    add_maintenance_flags(command, flags->ledger);
    command.add_flag("--senders", flags->senders, "Recover every sender again");
    command.add_flag("--deep", flags->deep,
                     "Follow the whole history and compute the roots of earlier states");
    command.callback([flags, &action] { action = [flags] { return verify_directory(*flags); }; });
}

}  // namespace heddle::node
