// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "program/cli.hpp"

#include <utility>

#include <fmt/format.h>

#include "program/command.hpp"
#include "program/command_line.hpp"

namespace heddle::node {

namespace {

constexpr const char* kDescription =
    "Heddle executes blocks of smart-contract transactions, compatible with Ethereum.";
constexpr const char* kFooter =
    "Exit codes: 0 success; 1 a block or test is wrong; 2 bad usage or bad input; 3 the data "
    "directory failed.\n"
    "`heddle COMMAND --help` shows the options of a command.";

}  // namespace

ExitCode run_cli(std::vector<std::string> arguments) {
    CommandLine line(kDescription, "heddle");
    line.set_footer(kFooter);
    line.set_version("heddle " HEDDLE_VERSION);
    Command app = line.program();
    app.require_subcommand();
    Action action;
    register_node(app, action);
    register_init(app, action);
    register_replay(app, action);
    register_rerun(app, action);
    register_export(app, action);
    register_verify(app, action);
    register_db(app, action);
    register_snapshot(app, action);
    register_inspect(app, action);
    register_statetest(app, action);
    register_blocktest(app, action);
    register_t8n(app, action);
    register_generate(app, action);
    register_load(app, action);
    register_bench(app, action);
    register_testnet(app, action);
    register_supervise(app, action);

    try {
        if (!line.parse(std::move(arguments))) return ExitCode::ok;
    } catch (const UsageError& error) {
        fmt::print(stderr, "heddle: {}: see `heddle{} --help`\n", error.what(), error.commands());
        return ExitCode::bad_input;
    }
    try {
        return action();
    } catch (const InputError& error) {
        fmt::print(stderr, "heddle: {}\n", error.what());
        return ExitCode::bad_input;
    } catch (const StorageError& error) {
        fmt::print(stderr, "heddle: {}\n", error.what());
        return ExitCode::storage_failed;
    }
}

}  // namespace heddle::node
