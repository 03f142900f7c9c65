// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The node command: configuration, the wait for a signal, exit codes.
#include <algorithm>
#include <cctype>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "chain/dev_chain.hpp"
#include "inputs/fork_flag.hpp"
#include "logging/log.hpp"
#include "program/allocator.hpp"
#include "program/command.hpp"
#include "program/command_line.hpp"
#include "program/error.hpp"
#include "program/open_files.hpp"
#include "program/standard_streams.hpp"
#include "program/stop_signal.hpp"
#include "program/temporary_folder.hpp"
#include "service/forked_chain.hpp"
#include "service/member_engine.hpp"
#include "service/node.hpp"
#include "service/node_config.hpp"
#include "service/node_options.hpp"

namespace heddle::node {
namespace {

struct NodeOptions {
    std::vector<std::string> presets;  // of the command, before everything that is said
    NodeConfig usual;                  // where nothing else is said, for the help
    std::string config_file;
    std::string genesis_copy;
    std::vector<std::string> assignments;  // from flags, in order
    bool is_dev = false;
    bool is_dev_public = false;
    bool is_size_unlimited = false;
    bool throws_on_failure = false;
    bool proves_fork = false;
    bool is_fork_offline = false;
    bool is_archive = false;
    bool prints_config = false;
};

NodeConfig make_config(const NodeOptions& options) {
    NodeConfig config;
    if (options.is_dev) {
        // It goes back to any block, however many tests have mined since.
        config.ledger.history = config.rpc.logs_blocks = 1'000'000'000'000;
        config.ledger.is_history_given = true;
    }
    for (const std::string& preset : options.presets)
        set_option(preset, config);
    if (!options.config_file.empty()) read_config(options.config_file, config);
    for (const std::string& assignment : options.assignments)
        set_option(assignment, config);
    config.chain.genesis_copy = options.genesis_copy;
    if (options.is_size_unlimited) config.chain.any_code_size = true;
    if (options.throws_on_failure) config.rpc.throw_on_failure = true;
    if (options.proves_fork) config.forking.verify = true;
    if (options.is_fork_offline) config.forking.offline = true;
    if (options.is_archive) config.ledger.archive = true;
    return config;
}

/// Sockets leave files for the database, which fails for good where it cannot open one.
void fit_open_files(NodeConfig& config) {
    constexpr std::uint64_t kDatabaseFiles = 768;  // its tables, logs and the rest of the process
    constexpr std::uint64_t kLeastConnections = 64;
    const std::uint64_t files = raise_open_file_limit();
    const std::uint64_t sockets =
        files > kDatabaseFiles + kLeastConnections ? files - kDatabaseFiles : kLeastConnections;
    if (config.rpc.max_connections <= sockets) return;
    logger(Component::node)
        .warn("this process may have {} files open: rpc.max_connections is {} instead of {}", files,
              sockets, config.rpc.max_connections);
    config.rpc.max_connections = sockets;
}

void print_welcome(const Node& node, const NodeConfig& config, bool is_temporary) {
    // A genesis file says itself who owns what.
    if (config.chain.genesis.empty()) fmt::print("{}\n", describe_dev_accounts());
    std::string chain = config.chain.genesis.empty()
                            ? fmt::format("Chain id {}", config.chain.id)
                            : fmt::format("The chain of {}", config.chain.genesis);
    if (is_forked(config)) chain = "A fork of " + fork_source_name(config);
    fmt::print("{0} at http://{1} and ws://{1}; open http://{1} to watch it.\n", chain,
               node.endpoint());
    fmt::print("Data in {}{}. Ctrl-C stops.\n", config.chain.datadir,
               is_temporary ? ", removed at the end" : "");
    std::fflush(stdout);
}

/// Starts it, unless a signal comes while it waits for the source of a fork.
/// @return whether it runs.
bool start_unless_stopped(Node& node) {
    const std::jthread watching{[&node](const std::stop_token& is_over) {
        std::mutex mutex;
        std::condition_variable_any over;
        std::unique_lock lock{mutex};
        while (!is_over.stop_requested() && !StopSignal::is_raised())
            (void)over.wait_for(lock, is_over, std::chrono::milliseconds{50}, [] { return false; });
        if (!is_over.stop_requested()) node.stop_waiting();
    }};
    try {
        node.start();
    } catch (const InputError&) {
        if (!StopSignal::is_raised()) throw;
        return false;
    } catch (const InUseError&) {
        if (!StopSignal::is_raised()) throw;
        return false;
    }
    return true;
}

/// Runs a node until a signal, or until it has another part in a replicated chain.
/// @return how it is to be started again; nullopt: it is not. Then at the same port.
std::optional<Node::Restart> run_once(NodeConfig& config, bool is_dev,
                                      const std::function<void(const Node&)>& welcome) {
    Node node{config, is_dev};
    if (!start_unless_stopped(node)) return std::nullopt;
    welcome(node);
    while (!StopSignal::is_raised() && !node.failure().has_value() && !node.restart().has_value())
        std::this_thread::sleep_for(std::chrono::milliseconds{50});
    const auto failure = node.failure();
    config.rpc.port = node.port();
    node.stop();
    if (failure.has_value()) throw StorageError(*failure);
    return StopSignal::is_raised() ? std::nullopt : node.restart();
}

/// Of the command line, which sets an option of the configuration.
struct Flag {
    std::string_view setting;
    std::string_view name;
    bool is_heeded;
    std::string_view otherwise;
};

/// Those that are not heeded everywhere.
std::vector<Flag> conditional_flags(const NodeOptions& options, const NodeConfig& config) {
    const bool has_genesis = !config.chain.genesis.empty();
    const bool is_own_dev = options.is_dev && !has_genesis;
    const bool is_solo = config.consensus.engine == "solo";
    const bool asks_others =
        config.consensus.engine == "follow" || config.consensus.engine == "lanes";
    constexpr std::string_view kOfDev =
        "goes with --dev, and not with --genesis: that file says it";
    return {
        {"chain.id", "--chain-id", !is_forked(config),
         "does not go with --fork-url: a fork has the chain id of its source"},
        {"chain.id", "--chain-id", !has_genesis,
         "does not go with --genesis: the file says the chain id"},
        {"chain.id", "--chain-id", options.is_dev, kOfDev},
        {"chain.fork", "--fork", !is_forked(config),
         "does not go with --fork-url: a fork has the rules of its source"},
        {"chain.fork", "--fork", is_own_dev, kOfDev},
        {"chain.timestamps", "--timestamps", is_own_dev, kOfDev},
        {"consensus.seal", "--seal", is_solo, "goes with a node that seals blocks by itself"},
        {"consensus.block_time", "--block-time", is_solo && config.consensus.seal == "interval",
         "goes with --seal interval"},
        {"follow.depth", "--follow-depth", config.consensus.engine == "follow",
         "goes with --follow"},
        // Of a chain that may become a fork later, too (anvil_reset).
        {"forking.cache", "--fork-cache", options.is_dev, "goes with --dev"},
        {"follow.ca", "--source-ca", options.is_dev || asks_others,
         "goes with --dev, --follow or lanes: this node asks no other one"},
        {"record.limit", "--record-limit", !config.record.folder.empty(), "goes with --record"},
    };
}

/// Refuses what was said on the command line and would change nothing. A configuration file may say
/// anything: --print-config writes all of it.
void check_flags(const NodeOptions& options, const NodeConfig& config) {
    const bool is_own_dev = options.is_dev && config.chain.genesis.empty();
    for (const Flag& flag : conditional_flags(options, config)) {
        const auto says = [&flag](const std::string& text) {
            return text.starts_with(flag.setting) && text[flag.setting.size()] == '=';
        };
        if (!flag.is_heeded && std::ranges::any_of(options.assignments, says))
            fail_input("{} {}", flag.name, flag.otherwise);
    }
    if (is_own_dev && config.chain.id == 0) fail_input("--chain-id 0: is none (EIP-155)");
    if (!options.genesis_copy.empty() && (!is_own_dev || is_forked(config)))
        fail_input(
            "--write-genesis goes with --dev, and with neither --genesis, which has the file, nor "
            "--fork-url");
    if (options.is_size_unlimited && !options.is_dev)
        fail_input("--unlimited-contract-size goes with --dev");
    if (options.throws_on_failure && !(options.is_dev && config.consensus.seal == "automine"))
        fail_input("--throw-on-failure goes with --dev and --seal automine");
    if (options.is_dev_public && !options.is_dev)
        fail_input("--insecure-public-dev goes with --dev");
}

ExitCode run_node(const NodeOptions& options) {
    NodeConfig config = make_config(options);
    if (options.prints_config) {
        heed_closed_pipes();
        fmt::print("{}", print_config(config));
        return ExitCode::ok;
    }
    configure_logging({config.log.format == "json", config.log.level, config.log.levels});
    if (config.log.format != "json" && config.log.format != "text")
        fail_input("log.format: {}: expected text or json", config.log.format);

    if (options.is_dev && !options.is_dev_public) check_dev_address(config);
    check_combinations(config, options.is_dev);
    check_flags(options, config);
    fit_open_files(config);
    hold_freed_memory(time_to_hold_memory(config.ledger.memory));
    std::optional<TemporaryFolder> temporary;
    if (config.chain.datadir.empty()) {
        if (!options.is_dev)
            fail_input("which chain? name its folder with --datadir, or use --dev");
        config.chain.datadir =
            temporary.emplace("heddle-dev-", "name a folder with --datadir").path();
        config.chain.is_datadir_temporary = true;
    }
    const StopSignal signal;
    const auto welcome = [&](const Node& node) {
        if (options.is_dev) print_welcome(node, config, temporary.has_value());
    };
    while (const auto restart = run_once(config, options.is_dev, welcome)) {
        if (restart->rollback_to.has_value()) take_back(config, *restart->rollback_to);
        logger(Component::node).info("starting again in another role");
    }
    logger(Component::node).info("stopped");
    return ExitCode::ok;
}

/// A flag that sets one option of the configuration, whose help says what holds without it.
Option add_setting(Command command, NodeOptions& options, const std::string& flag,
                   const std::string& name, const std::string& text) {
    Option option = command.add_option_function(
        flag,
        [&options, name](const std::string& value) {
            options.assignments.push_back(name + "=" + value);
        },
        text);
    option.type_name("VALUE");
    const std::string usual = describe_option(name, options.usual);
    if (!usual.empty()) option.default_text(usual);
    return option;
}

/// What is said of an option that only a development chain has.
std::string of_dev(const NodeOptions& options, std::string text) {
    if (!options.is_dev) return "With --dev: " + text;
    text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
    return text;
}

/// Of another node whose blocks this one takes, which none does that makes blocks for developers.
void add_follow_options(Command command, NodeOptions& options) {
    command
        .add_option_function(
            "--follow",
            [&options](const std::string& url) {
                options.assignments.insert(options.assignments.end(),
                                           {"consensus.engine=follow", "follow.origin=" + url});
            },
            "Take blocks from this node, and execute and verify them: its JSON-RPC, "
            "ws://HOST:PORT or http://HOST:PORT, over TLS wss://HOST or https://HOST")
        .type_name("URL");
    add_setting(
        command, options, "--follow-depth", "follow.depth",
        "With --follow: `finalized`, or how many blocks must be on top of one that is taken");
}

/// Of other nodes that this one takes state from.
void add_source_options(Command command, NodeOptions& options) {
    command
        .add_option_function(
            "--source-ca",
            [&options](const std::string& file) {
                options.assignments.insert(
                    options.assignments.end(),
                    {"follow.ca=" + file, "forking.ca=" + file, "lanes.ca=" + file});
            },
            std::string{options.is_dev
                            ? "With --fork-url"
                            : "With --follow, --fork-url, lanes.addresses or lanes.join"} +
                " over TLS: certificates in PEM that are believed beside the system's")
        .type_name("FILE");
    add_setting(command, options, "--fork-url", "forking.url",
                of_dev(options, "go on from a block of this node's chain: its JSON-RPC"));
    add_setting(command, options, "--fork-block", "forking.block",
                "With --fork-url: number of the block, or `latest`");
    add_setting(command, options, "--fork-cache", "forking.cache",
                "With --fork-url: folder where what was read is kept, or `none`");
    command.add_flag("--fork-verify", options.proves_fork,
                     "With --fork-url: prove every value against the block's state root");
    command.add_flag("--fork-offline", options.is_fork_offline,
                     "With --fork-url: ask nobody, what is there is in the cache");
}

/// What is no option of the configuration file.
void add_node_flags(Command command, NodeOptions& options) {
    command.add_option("--config", options.config_file, "TOML file; see --print-config");
    command
        .add_option(
            "--write-genesis", options.genesis_copy,
            of_dev(options, "write the genesis file of the chain, for nodes that follow it"))
        .type_name("FILE");
    command.add_flag("--insecure-public-dev", options.is_dev_public,
                     of_dev(options,
                            "it may listen beyond this machine, where whoever reaches it "
                            "may spend its accounts and seal its blocks"));
    command.add_flag("--unlimited-contract-size", options.is_size_unlimited,
                     of_dev(options, "contracts may be larger than EIP-170 allows"));
    command.add_flag("--throw-on-failure", options.throws_on_failure,
                     of_dev(options,
                            "with --seal automine, who sends a transaction that reverts is "
                            "answered an error with the reason, as by hardhat; it is in its block "
                            "nevertheless"));
    command.add_flag("--print-config", options.prints_config,
                     "Print the configuration with its descriptions, and end");
}

/// The chain, where it is answered for, and when it has blocks.
void add_chain_options(Command command, NodeOptions& options) {
    add_setting(command, options, "--datadir", "chain.datadir", "Folder of the ledger");
    add_setting(command, options, "--genesis", "chain.genesis",
                "Genesis file for a new data directory");
    add_setting(command, options, "--fork", "chain.fork",
                of_dev(options, "rules, " + known_forks()))
        .offers(fork_choices());
    add_setting(command, options, "--chain-id", "chain.id",
                of_dev(options, "the id of a new chain"));
    add_setting(command, options, "--timestamps", "chain.timestamps",
                of_dev(options, "`equal` within a second, or `distinct`, a second apart at least"))
        .offers({"equal", "distinct"});
    add_setting(command, options, "--rpc-address", "rpc.address", "Address to listen on");
    add_setting(command, options, "--rpc-port", "rpc.port", "Port to listen on");
    add_setting(command, options, "--ipc-path", "rpc.ipc_path",
                "File of a local socket that answers, too");
    add_setting(command, options, "--seal", "consensus.seal",
                "When blocks are made: `demand`, as transactions come; `automine`, the same, and "
                "who sends one is answered when its block is there; `interval`; or `command`")
        .offers({"demand", "automine", "interval", "command"});
    add_setting(command, options, "--block-time", "consensus.block_time",
                "With --seal interval: time from block to block, e.g. 250ms, 12s or 5m");
}

/// What the node takes of its machine, and what it writes down.
void add_machine_options(Command command, NodeOptions& options) {
    add_setting(
        command, options, "--sync", "ledger.sync",
        "When blocks are forced to the disk: `block` (each), a number of blocks, or a number "
        "of seconds as in `5s`");
    add_setting(command, options, "--memory", "ledger.memory", "For all that it keeps, in MiB");
    const Option history = add_setting(command, options, "--history", "ledger.history",
                                       "Blocks below the head whose state stays readable");
    command
        .add_flag("--archive", options.is_archive,
                  "Keep the state after every block readable, and every access list")
        .excludes(history);
    add_setting(command, options, "--workers", "executor.workers",
                "Threads that execute; 0: one per processor");
    add_setting(command, options, "--record", "record.folder",
                "Folder for all that decides what the node does, for `heddle rerun`");
    add_setting(command, options, "--record-limit", "record.limit",
                "With --record: most MiB of it; the oldest goes first");
    add_setting(command, options, "--artifacts", "rpc.artifacts",
                "Folder of hardhat, foundry or solc, for the page: names of calls and events");
    add_setting(command, options, "--client-name", "rpc.client_name",
                "What web3_clientVersion begins with");
    add_setting(command, options, "--log-level", "log.level",
                "Least level of messages: trace, debug, info, warning, error or off")
        .offers(log_levels());
    add_setting(command, options, "--log-format", "log.format", "`text` or `json`")
        .offers({"text", "json"});
}

void add_node_options(Command command, NodeOptions& options) {
    options.usual = make_config(options);
    add_node_flags(command, options);
    add_chain_options(command, options);
    if (!options.is_dev) add_follow_options(command, options);
    add_source_options(command, options);
    add_machine_options(command, options);
    command
        .add_option_function(
            "--set",
            [&options](const std::vector<std::string>& values) {
                options.assignments.insert(options.assignments.end(), values.begin(), values.end());
            },
            "Any option of the configuration")
        .type_name("SECTION.OPTION=VALUE");
}

}  // namespace

void register_node(Command app, Action& action) {
    Command command =
        app.add_subcommand("node", "Run a node: seal or follow blocks, and answer JSON-RPC");
    const auto options = std::make_shared<NodeOptions>();
    command.add_flag("--dev", options->is_dev,
                     "The development chain: funded accounts, methods for tests");
    add_node_options(command, *options);
    command.callback([options, &action] { action = [options] { return run_node(*options); }; });
}

void register_dev(Command app, Action& action) {
    Command command = app.add_subcommand(
        "dev", "Run a development chain as anvil and hardhat do: `node --dev` with their settings");
    const auto options = std::make_shared<NodeOptions>();
    options->is_dev = true;
    // Their chain id and accounts; blocks as they make them; their methods where a tool asks who
    // answers. What nobody relies on need not be forced to the disk block by block.
    options->presets = {"chain.id=31337", "chain.timestamps=distinct", "consensus.seal=automine",
                        "rpc.client_name=anvil", "ledger.sync=1s"};
    add_node_options(command, *options);
    command.callback([options, &action] { action = [options] { return run_node(*options); }; });
}

}  // namespace heddle::node
