// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The load command: options.
#include <memory>

#include <fmt/format.h>

#include "load/load_run.hpp"
#include "load/plan.hpp"
#include "load/repeat.hpp"
#include "program/command.hpp"
#include "program/command_line.hpp"
#include "program/error.hpp"
#include "program/stop_signal.hpp"

namespace heddle::node {

namespace {

using load::LoadOptions;

constexpr double kUsualSeconds = 5;
// Zero would be taken for no limit.
constexpr double kLeastSeconds = 0.001;
constexpr double kLeastRate = 0.001;

ExitCode run_command(const LoadOptions& options) {
    const StopSignal signal;
    if (!options.requests.empty()) {
        if (options.rpc.size() > 1)
            fail_input("load: --requests goes to one node: name one with --rpc");
        const load::RepeatReport report = load::repeat_requests(
            load::parse_endpoint(options.rpc.front()),
            {options.requests, options.seconds > 0 ? options.seconds : kUsualSeconds,
             options.connections, options.rate});
        fmt::print("{}", load::describe(report, options.as_json));
        return report.errors == 0 ? ExitCode::ok : ExitCode::failed;
    }
    const load::LoadReport report = load::run_load(options);
    fmt::print("{}", load::describe(report, options.as_json));
    return report.is_right() ? ExitCode::ok : ExitCode::failed;
}

/// What requests that are given have no use for.
void add_transaction_options(Command command, LoadOptions& options, Option requests) {
    command.add_option("--kind", options.kind, "`transfers`, `erc20` or `mixed`")
        .type_name("KIND")
        .offers(load::kind_names())
        .excludes(requests)
        .capture_default();
    command.add_option("--transactions", options.transactions, "How many are signed and sent")
        .in_range(1, 5'000'000)
        .type_name("N")
        .excludes(requests)
        .capture_default();
    command.add_option("--accounts", options.accounts, "That send them, with known keys")
        .in_range(2, 100'000)
        .type_name("N")
        .excludes(requests)
        .capture_default();
    command.add_option("--batch", options.batch, "Transactions of one request")
        .in_range(1, 1'000)
        .type_name("N")
        .excludes(requests)
        .capture_default();
    command.add_option("--in-flight", options.in_flight, "Sent and not yet in a block, at most")
        .in_range(1, 1'000'000)
        .type_name("N")
        .excludes(requests)
        .capture_default();
    command.add_option("--seed", options.seed, "Keys, recipients and amounts follow from it")
        .type_name("N")
        .excludes(requests)
        .capture_default();
    command
        .add_option("--key", options.key,
                    "Of the account that pays; without it a known one of development chains")
        .type_name("HEX")
        .excludes(requests);
}

}  // namespace

void register_load(Command app, Action& action) {
    Command command = app.add_subcommand(
        "load", "Send transactions to a node, measure how fast they are committed, and check them");
    const auto options = std::make_shared<LoadOptions>();
    command
        .add_option("--rpc", options->rpc,
                    "Where the node answers JSON-RPC; several nodes of one chain share the load")
        .type_name("URL")
        .capture_default();
    const Option requests =
        command
            .add_option("--requests", options->requests,
                        "Instead of transactions, the requests of this file, one a line, repeated")
            .type_name("FILE");
    add_transaction_options(command, *options, requests);
    command
        .add_option("--seconds", options->seconds,
                    "Send no longer than this; with --rate it sets their number")
        .in_range(kLeastSeconds, 86'400.0)
        .type_name("S");
    command.add_option("--connections", options->connections, "Each waits for its answers")
        .in_range(1, 1'000)
        .type_name("N")
        .capture_default();
    command
        .add_option("--rate", options->rate,
                    "Transactions or requests a second; without it as fast as answers come")
        .in_range(kLeastRate, 1e6)
        .type_name("R");
    command.add_flag("--json", options->as_json, "Print the results as JSON");
    command.callback([options, &action] { action = [options] { return run_command(*options); }; });
}

}  // namespace heddle::node
