// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The supervise command: what belongs to one folder of `heddle testnet`, and how it is started.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "lanes/lane_home.hpp"
#include "logging/log.hpp"
#include "network/supervisor.hpp"
#include "program/command.hpp"
#include "program/command_line.hpp"
#include "program/error.hpp"
#include "program/stop_signal.hpp"
#include "service/node_config.hpp"

namespace heddle::node {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kStep{50};

struct SuperviseOptions {
    std::string home;
    std::string comet = "cometbft";
    std::vector<std::string> assignments;
    std::uint64_t log_megabytes = 16;
};

/// At most one supervisor for a folder: two nodes that sign with one key are punished.
class HomeLock {
public:
    explicit HomeLock(const fs::path& home)
        : file_(::open((home / "supervise.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
        if (file_ < 0) fail_input("{}: cannot be written: {}", home.string(), std::strerror(errno));
        if (::flock(file_, LOCK_EX | LOCK_NB) != 0)
            fail_input("{}: another supervisor runs here", home.string());
    }
    ~HomeLock() { ::close(file_); }
    HomeLock(const HomeLock&) = delete;
    HomeLock& operator=(const HomeLock&) = delete;

private:
    int file_;
};

fs::path checked_home(const std::string& home) {
    std::error_code error;
    const fs::path folder = fs::canonical(home, error);
    if (error)
        fail_input("{}: {}; --home names a folder that `heddle testnet` wrote, e.g. DIR/validator1",
                   home, error.message());
    const bool is_lane = fs::exists(folder / lanes::kLaneFile, error);
    for (const char* file : {is_lane ? "lane.json" : "heddle.toml", "cometbft/config/config.toml"})
        if (!fs::exists(folder / file, error))
            fail_input(
                "{}: has no {}; --home names a folder that `heddle testnet` wrote, e.g. "
                "DIR/validator1",
                home, file);
    return folder;
}

std::string checked_comet(const std::string& name) {
    if (const auto path = find_executable(name)) return *path;
    fail_input(
        "{}: no such program: install CometBFT 0.38.26 or a later 0.x version (`go install "
        "github.com/cometbft/cometbft/cmd/cometbft@v0.38.26`), and name it with --cometbft or put "
        "it on the PATH",
        name);
}

/// What is run beside CometBFT, and where it accepts.
struct Supervised {
    std::vector<std::string> command;
    std::string abci_address;
};

std::string this_program() {
    std::error_code error;
    const fs::path self = fs::read_symlink("/proc/self/exe", error);
    if (error) fail_input("/proc/self/exe: {}", error.message());
    return self.string();
}

Supervised supervised_lane(const SuperviseOptions& options, const fs::path& home) {
    if (!options.assignments.empty())
        fail_input("--set: a lane has no configuration but its lane.json");
    return {{this_program(), "lane", "--home", home.string()}, lanes::LaneHome::load(home).abci};
}

Supervised supervised_node(const SuperviseOptions& options, const fs::path& home) {
    const std::string config_file = (home / "heddle.toml").string();
    NodeConfig config;
    read_config(config_file, config);
    for (const std::string& assignment : options.assignments)
        set_option(assignment, config);
    if (config.consensus.engine != "cometbft")
        fail_input("{}: consensus.engine is {}, where CometBFT decides it is cometbft", config_file,
                   config.consensus.engine);
    Supervised node{{this_program(), "node", "--config", config_file}, config.cometbft.abci};
    for (const std::string& assignment : options.assignments) {
        node.command.emplace_back("--set");
        node.command.push_back(assignment);
    }
    return node;
}

SupervisorOptions make_options(const SuperviseOptions& options, const fs::path& home) {
    std::error_code error;
    Supervised node = fs::exists(home / lanes::kLaneFile, error) ? supervised_lane(options, home)
                                                                 : supervised_node(options, home);
    SupervisorOptions supervisor;
    supervisor.node_command = std::move(node.command);
    // The address of the node counts, whatever CometBFT's configuration says.
    supervisor.comet_command = {checked_comet(options.comet), "start",       "--home",
                                (home / "cometbft").string(), "--proxy_app", node.abci_address};
    supervisor.abci_address = std::move(node.abci_address);
    supervisor.logs = home / "logs";
    supervisor.log_bytes = options.log_megabytes << 20U;
    supervisor.on_event = [](const std::string& event) { logger(Component::node).info(event); };
    return supervisor;
}

ExitCode run_supervisor(const SuperviseOptions& options) {
    configure_logging({});
    const fs::path home = checked_home(options.home);
    const HomeLock lock{home};
    const StopSignal signal;
    Supervisor supervisor{make_options(options, home)};
    logger(Component::node).info("{}: logs in {}", home.string(), (home / "logs").string());
    while (supervisor.step(kStep))
        if (StopSignal::is_raised()) supervisor.request_stop();
    if (supervisor.failure().has_value())
        fail_input("{}: {}; see {}", home.string(), *supervisor.failure(),
                   (home / "logs/heddle.log").string());
    logger(Component::node).info("stopped");
    return ExitCode::ok;
}

}  // namespace

void register_supervise(Command app, Action& action) {
    Command command = app.add_subcommand(
        "supervise", "Run a node and its CometBFT together, and start again what dies");
    const auto options = std::make_shared<SuperviseOptions>();
    command.add_option("--home", options->home, "Folder of a validator or node")
        .type_name("DIR")
        .required();
    command.add_option("--cometbft", options->comet, "CometBFT's program")
        .type_name("PATH")
        .capture_default();
    command
        .add_option("--log-size", options->log_megabytes,
                    "A log of this many MiB becomes an old one, of which three are kept")
        .in_range(1, 4'096)
        .type_name("MIB")
        .capture_default();
    command.add_option("--set", options->assignments, "Any option of the node's configuration")
        .type_name("SECTION.OPTION=VALUE");
    command.callback(
        [options, &action] { action = [options] { return run_supervisor(*options); }; });
}

}  // namespace heddle::node
