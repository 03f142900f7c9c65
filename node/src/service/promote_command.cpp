// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// heddle promote: an operator makes a backup the primary of its chain (docs/replication.md).
#include <chrono>
#include <memory>
#include <stop_token>
#include <string>

#include <fmt/format.h>

#include "follow/endpoint.hpp"
#include "follow/rpc_caller.hpp"
#include "program/command.hpp"
#include "program/command_line.hpp"
#include "program/error.hpp"
#include "program/say.hpp"
#include "rpc/transport/jwt.hpp"
#include "service/node_options.hpp"

namespace heddle::node {
namespace {

struct PromoteOptions {
    std::string rpc;
    std::string jwt_secret;
    std::uint64_t timeout_seconds = 60;
    bool force = false;
};

ExitCode promote(const PromoteOptions& options) {
    follow::Endpoint endpoint = follow::parse_endpoint(options.rpc, "--rpc");
    endpoint.authorization = [secret = read_jwt_secret(options.jwt_secret, "--jwt-secret")] {
        const auto now = std::chrono::system_clock::now().time_since_epoch();
        return "Bearer " +
               rpc::make_jwt(secret, std::chrono::duration_cast<std::chrono::seconds>(now));
    };
    follow::ConnectionLimits limits;
    limits.timeout = std::chrono::seconds{options.timeout_seconds};
    follow::RpcCaller caller(std::move(endpoint), limits, std::stop_token{});
    const auto answer =
        caller.call({"heddle_promote", options.force ? R"([{"force":true}])" : "[]"});
    if (!answer.has_value()) {
        say("heddle: {}\n", answer.error().sentence);
        // Whether it leads is not known where an answer was lost, and why not is in a refusal.
        return caller.connection().may_have_acted() ? ExitCode::failed : ExitCode::bad_input;
    }
    const std::uint64_t number = answer->at("number").uint64();
    fmt::print("primary in epoch {}, after block {}, hash {}\n", answer->at("epoch").uint64(),
               number, answer->at("hash").string());
    const JsonView members = answer->at("promisedBy");
    std::string promised;
    for (std::size_t i = 0; i < members.size(); ++i)
        promised += fmt::format("{}{}", i == 0 ? "" : ", ", members.element(i).string());
    fmt::print("promised by {}\n", promised.empty() ? "nobody else" : promised);
    if (const std::uint64_t last = answer->at("lastLeaderHead").uint64(); last > number)
        fmt::print("blocks {} to {} of the last primary did not get here\n", number + 1, last);
    return ExitCode::ok;
}

}  // namespace

void register_promote(Command app, Action& action) {
    Command command = app.add_subcommand("promote", "Make a backup the primary of its chain");
    const auto options = std::make_shared<PromoteOptions>();
    command.add_option("--rpc", options->rpc, "Its JSON-RPC, http://HOST:PORT").required();
    command.add_option("--jwt-secret", options->jwt_secret, "File with the members' secret")
        .required();
    command.add_option("--timeout", options->timeout_seconds, "Most seconds for all of it")
        .capture_default();
    command.add_flag("--force", options->force,
                     "Whatever the other members say: the old primary is switched off, and what "
                     "only those have who are not reached is lost");
    command.callback([options, &action] { action = [options] { return promote(*options); }; });
}

}  // namespace heddle::node
