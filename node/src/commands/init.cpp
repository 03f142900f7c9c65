// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// heddle init: a data directory that holds the first block of a chain.
#include <memory>

#include <fmt/format.h>

#include <vm/block.hpp>

#include "chain/missing_contracts.hpp"
#include "inputs/chain_input.hpp"
#include "inputs/genesis_ledger.hpp"
#include "inputs/ledger_flags.hpp"
#include "inputs/maintenance_flags.hpp"
#include "program/command.hpp"
#include "program/command_line.hpp"
#include "program/say.hpp"

namespace heddle::node {

namespace {

struct InitOptions {
    ChainInput input;
    LedgerFlags ledger;
};

/// A chain that begins with proof of work is one that others make, and has them when it needs them.
void warn_of_missing_contracts(const ledger::DurableLedger& ledger) {
    const BlockHeader head = ledger.head().header;
    const ChainConfig config = stored_chain_config(ledger);
    BlockHeader first;
    first.number = 1;
    if (!vm::is_merged(first, head.difficulty, config)) return;
    if (const auto missing = describe_missing_contracts(code_in(ledger.state()), config,
                                                        config.earliest_timestamp(head.timestamp)))
        say("{}\n", *missing);
}

ExitCode init(const InitOptions& options) {
    const auto ledger = [&] {
        StepProgress progress;
        return create_chain_ledger(make_ledger_options(options.ledger), options.input, "init",
                                   progress.callback());
    }();
    const ledger::StoredHeader first = ledger->head();
    warn_of_missing_contracts(*ledger);
    close_ledger(*ledger);
    fmt::print("{}: block {}, hash {}\nstate root {}\n", options.ledger.datadir,
               first.header.number, to_string(first.hash), to_string(first.header.state_root));
    return ExitCode::ok;
}

}  // namespace

void register_init(Command app, Action& action) {
    Command command = app.add_subcommand("init", "Make a data directory from a genesis file");
    const auto options = std::make_shared<InitOptions>();
    add_chain_options(command, options->input);
    add_ledger_flags(command, options->ledger, /*is_required=*/true);
    command.callback([options, &action] { action = [options] { return init(*options); }; });
}

}  // namespace heddle::node
