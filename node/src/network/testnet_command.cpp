// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The testnet command: options, and what it says at the end.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>

#include <types/counted.hpp>

#include "network/lanes_testnet.hpp"
#include "network/testnet.hpp"
#include "program/command.hpp"
#include "program/command_line.hpp"
#include "program/error.hpp"
#include "service/node_config.hpp"

namespace heddle::node {
namespace {

struct TestnetArguments {
    TestnetOptions network;
    AddedNodeOptions node;
    LanesTestnetOptions lanes;  // with `lane_count`; its network is the one above
    std::optional<std::uint64_t> lane_count;
    std::string block_interval = "1s";
    bool adds = false;
};

void print_peer(const TestnetPeer& peer) {
    fmt::print("  {:<12} {:<28} fees to {}\n", peer.name, json_rpc_url(peer),
               to_checksum_string(peer.beneficiary));
}

ExitCode write(const TestnetArguments& arguments) {
    TestnetOptions options = arguments.network;
    options.block_interval_ms = parse_milliseconds(arguments.block_interval, "--block-interval");
    const TestnetPlan plan = write_testnet(options);
    fmt::print("{}: chain id {}, CometBFT's chain {}, genesis {}\n", options.out, plan.chain_id,
               plan.comet_chain_id, to_string(plan.genesis_hash));
    for (const TestnetPeer& peer : plan.validators)
        print_peer(peer);
    if (!options.owner.empty())
        fmt::print("{} decides who they are, by the contract {}.\n", options.owner,
                   to_checksum_string(validator_contract_address()));
    fmt::print("Start each with `heddle supervise --home {}/NAME`.\n", options.out);
    return ExitCode::ok;
}

ExitCode write_lanes(const TestnetArguments& arguments) {
    LanesTestnetOptions options = arguments.lanes;
    options.network = arguments.network;
    options.network.block_interval_ms =
        parse_milliseconds(arguments.block_interval, "--block-interval");
    options.lanes = *arguments.lane_count;
    const LanesTestnetPlan plan = write_lanes_testnet(options);
    const std::string& out = options.network.out;
    fmt::print("{}: chain id {}, {}, genesis {}\n", out, plan.chain_id,
               counted(plan.lanes.size(), "lane"), to_string(plan.genesis_hash));
    for (const auto& lane : plan.lanes)
        for (const TestnetPeer& peer : lane)
            fmt::print("  {:<16} http://{}:{}\n", peer.name, peer.address, kLanePort);
    for (const TestnetPeer& peer : plan.nodes)
        fmt::print("  {:<16} {}\n", peer.name, json_rpc_url(peer));
    fmt::print(
        "Start each validator of a lane with `heddle supervise --home {0}/NAME`, each node with "
        "`heddle node --config {0}/NAME/heddle.toml`.\n",
        out);
    return ExitCode::ok;
}

ExitCode add(const TestnetArguments& arguments) {
    AddedNodeOptions options = arguments.node;
    options.out = arguments.network.out;
    options.seed = arguments.network.seed;
    if (arguments.network.addresses.size() > 1)
        fail_input("--addresses: one node is added, which has one address");
    if (!arguments.network.addresses.empty()) options.address = arguments.network.addresses.front();
    const TestnetPeer peer = add_testnet_node(options);
    print_peer(peer);
    fmt::print("Start it with `heddle supervise --home {}/{}`.\n", options.out, peer.name);
    return ExitCode::ok;
}

/// @return the option of snapshots, which lanes have none of.
Option add_network_options(Command command, TestnetArguments& arguments, Option adds) {
    TestnetOptions& network = arguments.network;
    command
        .add_option("--validators", network.validators,
                    "How many; up to a third of them, less one, may fail")
        .in_range(std::uint64_t{1}, kMaxTestnetValidators)
        .type_name("N")
        .excludes(adds)
        .capture_default();
    const Option chain_id = command
                                .add_option("--chain-id", network.chain_id,
                                            "Of the development genesis that is written; 1337")
                                .type_name("ID")
                                .excludes(adds);
    command
        .add_option("--genesis", network.genesis,
                    "Genesis file in geth's format, instead of the development chain's")
        .type_name("FILE")
        .excludes(adds)
        .excludes(chain_id);
    command
        .add_option("--block-interval", arguments.block_interval,
                    "Distance of blocks; below 1s the chain's clock runs ahead")
        .type_name("TIME")
        .excludes(adds)
        .capture_default();
    return command
        .add_option("--snapshot-interval", network.snapshot_interval,
                    "Blocks between two snapshots for new nodes; 0: none")
        .type_name("N")
        .excludes(adds)
        .capture_default();
}

void add_validator_options(Command command, TestnetOptions& network, Option adds, Option lanes) {
    const Option owner = command
                             .add_option("--owner", network.owner,
                                         "Account or contract that decides who the validators are, "
                                         "by a contract that is put into the genesis")
                             .type_name("ADDRESS")
                             .excludes(adds)
                             .excludes(lanes);
    command
        .add_option("--epoch-blocks", network.epoch_blocks,
                    "With --owner: after how many blocks its contract is asked")
        .type_name("N")
        .needs(owner)
        .capture_default();
}

Option add_lanes_options(Command command, TestnetArguments& arguments, Option adds,
                         Option snapshots) {
    const Option lanes = command
                             .add_option("--lanes", arguments.lane_count,
                                         "A network of so many lanes, each of --validators, and "
                                         "of nodes that merge them")
                             .in_range(std::uint64_t{1}, kMaxTestnetLanes)
                             .type_name("N")
                             .excludes(adds)
                             .excludes(snapshots);
    command.add_option("--nodes", arguments.lanes.nodes, "With --lanes: how many nodes execute")
        .in_range(std::uint64_t{1}, kMaxTestnetNodes)
        .type_name("N")
        .needs(lanes)
        .capture_default();
    command
        .add_option("--mover", arguments.lanes.mover,
                    "With --lanes: account that may move homes that are not its own")
        .type_name("ADDRESS")
        .needs(lanes);
    return lanes;
}

void add_node_options(Command command, AddedNodeOptions& node, Option adds) {
    const Option state_sync =
        command
            .add_flag("--state-sync", node.has_state_sync,
                      "The added node starts from a snapshot of the validators, which must run")
            .needs(adds);
    Option height =
        command
            .add_option("--trust-height", node.trust_height,
                        "A block that is believed beforehand; else a validator is asked")
            .type_name("N")
            .needs(state_sync);
    const Option hash =
        command.add_option("--trust-hash", node.trust_hash, "CometBFT's hash of that block")
            .type_name("HEX")
            .needs(height);
    height.needs(hash);
}

}  // namespace

void register_testnet(Command app, Action& action) {
    Command command = app.add_subcommand(
        "testnet", "Write the folders of a network of validators under CometBFT");
    const auto arguments = std::make_shared<TestnetArguments>();
    command.add_option("--out", arguments->network.out, "Folder of the network")
        .type_name("DIR")
        .required();
    const Option adds = command.add_flag(
        "--add", arguments->adds, "Add one node, which is no validator, to the network in DIR");
    const Option snapshots = add_network_options(command, *arguments, adds);
    const Option lanes = add_lanes_options(command, *arguments, adds, snapshots);
    add_validator_options(command, arguments->network, adds, lanes);
    command
        .add_option("--addresses", arguments->network.addresses,
                    "IPv4 addresses of the nodes; without it 127.0.0.1 and following")
        .delimiter(',')
        .type_name("A,B,...");
    add_node_options(command, arguments->node, adds);
    command
        .add_option("--seed", arguments->network.seed,
                    "For tests only: the keys follow from it, so anybody can make them again")
        .type_name("N");
    command.callback([arguments, &action] {
        action = [arguments] {
            if (arguments->adds) return add(*arguments);
            return arguments->lane_count.has_value() ? write_lanes(*arguments) : write(*arguments);
        };
    });
}

}  // namespace heddle::node
