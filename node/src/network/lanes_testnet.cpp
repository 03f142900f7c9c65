// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "network/lanes_testnet.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include <consensus_adapter/lanes/homes_contract.hpp>

#include "formats/chain_config_json.hpp"
#include "formats/json_writer.hpp"
#include "inputs/chain_input.hpp"
#include "lanes/lane_home.hpp"
#include "network/comet_home.hpp"
#include "network/testnet_parts.hpp"
#include "program/error.hpp"
#include "program/file.hpp"
#include "service/node_config.hpp"

namespace heddle::node {
namespace {

namespace fs = std::filesystem;

/// The lane whose blocks name the cuts.
constexpr std::uint8_t kLeading = 0;

struct LaneKeys {
    NodeKeys keys;
    TestnetPeer peer;
};

std::string comet_chain_id(std::uint64_t chain_id, std::size_t lane) {
    return fmt::format("heddle-{}-lane-{}", chain_id, lane);
}

/// CometBFT's genesis file of a lane, for the nodes.
std::string lane_genesis_file(std::size_t lane) {
    return fmt::format("lane{}-genesis.json", lane);
}

std::string lane_url(const TestnetPeer& peer) {
    return fmt::format("http://{}:{}", peer.address, kLanePort);
}

void make_folder(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) fail_input("{}: cannot be created: {}", folder.string(), error.message());
}

/// The JSON-RPC of a validator of each lane: nodes and validators are spread over them.
std::vector<std::string> one_of_each(const LanesTestnetPlan& plan, std::size_t index,
                                     std::string (*url)(const TestnetPeer&)) {
    std::vector<std::string> result;
    result.reserve(plan.lanes.size());
    for (const std::vector<TestnetPeer>& lane : plan.lanes)
        result.push_back(url(lane[index % lane.size()]));
    return result;
}

/// All validators of a lane, or, where these are too many, some of them, not the same for each who
/// watches.
std::vector<std::string> witnesses(const std::vector<TestnetPeer>& validators, std::size_t index) {
    std::vector<std::string> result;
    for (std::size_t i = 0; i < std::min(validators.size(), lanes::kMostWitnesses); ++i)
        result.push_back(lane_url(validators[(index + i) % validators.size()]));
    return result;
}

/// With the contract that keeps homes.
Genesis make_lanes_genesis(const LanesTestnetOptions& options) {
    namespace homes = consensus_adapter::lanes;
    Genesis genesis = make_genesis(options.network);
    if (!options.network.genesis.empty() &&
        load_validator_contract(options.network.genesis).has_value())
        fail_input("{}: names a contract of validators, which lanes do not ask",
                   options.network.genesis);
    std::optional<Address> mover;
    if (!options.mover.empty()) mover = address_from_hex(options.mover);
    add_account(options.network, genesis, homes::homes_account(options.lanes, mover), "homes");
    return genesis;
}

class Writer {
public:
    Writer(const LanesTestnetOptions& options, const Genesis& genesis)
        : options_(options), genesis_(genesis) {
        plan_.chain_id = genesis.config.chain_id;
        plan_.genesis_hash = compute_genesis_hash(genesis);
    }

    void plan(std::vector<std::string> addresses) {
        std::size_t next = 0;
        for (std::size_t i = 1; i <= options_.nodes; ++i)
            plan_.nodes.push_back({fmt::format("node{}", i), addresses[next++], {}, {}});
        for (std::size_t lane = 0; lane < options_.lanes; ++lane) {
            auto& keys = keys_.emplace_back();
            auto& peers = plan_.lanes.emplace_back();
            for (std::size_t i = 1; i <= options_.network.validators; ++i) {
                const std::string name = fmt::format("lane{}-validator{}", lane, i);
                keys.push_back(make_keys({options_.network.seed, name}));
                peers.push_back({name, addresses[next++], keys.back().node.address(), {}});
            }
        }
    }
    void write(const fs::path& folder, const fs::path& network) const {
        write_changed_genesis(options_.network, genesis_, folder / kGenesisFile);
        write_file((folder / kNetworkFile).string(), print());
        for (std::size_t i = 0; i < plan_.nodes.size(); ++i)
            write_node(folder / plan_.nodes[i].name, network, i);
        for (std::size_t lane = 0; lane < plan_.lanes.size(); ++lane)
            write_lane(folder, lane);
    }
    [[nodiscard]] const LanesTestnetPlan& plan() const noexcept { return plan_; }

private:
    void write_node(const fs::path& folder, const fs::path& network, std::size_t index) const {
        const TestnetPeer& node = plan_.nodes[index];
        make_folder(folder);
        NodeConfig config;
        config.chain.datadir = (network / node.name / "ledger").string();
        config.chain.genesis = (network / kGenesisFile).string();
        config.ledger.memory = kTestnetLedgerMemory;
        config.consensus.engine = "lanes";
        config.lanes.addresses = one_of_each(plan_, index, lane_url);
        config.lanes.comets = one_of_each(plan_, index, comet_rpc_url);
        for (std::size_t lane = 0; lane < plan_.lanes.size(); ++lane)
            config.lanes.genesis.push_back((network / lane_genesis_file(lane)).string());
        config.lanes.leading = kLeading;
        config.lanes.mover = options_.mover;
        config.mempool.max_transactions = kTestnetMempoolTransactions;
        config.rpc.address = node.address;
        config.rpc.port = kJsonRpcPort;
        write_file((folder / "heddle.toml").string(), print_config(config));
    }
    void write_lane(const fs::path& folder, std::size_t lane) const {
        const auto& peers = plan_.lanes[lane];
        CometGenesis genesis{comet_chain_id(plan_.chain_id, lane),
                             start_time(options_.network, genesis_),
                             {},
                             plan_.genesis_hash};
        for (std::size_t i = 0; i < peers.size(); ++i) {
            const Ed25519Key& key = keys_[lane][i].validator;
            genesis.validators.push_back({peers[i].name, key.public_key, key.address()});
        }
        const std::string text = print_comet_genesis(genesis);
        write_file((folder / lane_genesis_file(lane)).string(), text);
        for (std::size_t i = 0; i < peers.size(); ++i) {
            const fs::path home = folder / peers[i].name;
            make_folder(home);
            write_file((home / lanes::kLaneFile).string(), print_lane_home(lane_home(lane, i)));
            write_comet_home(home / "cometbft",
                             {keys_[lane][i].node, keys_[lane][i].validator, text,
                              print_comet_config(comet_config_of(
                                  peers[i], peers, options_.network.block_interval_ms))});
        }
    }
    [[nodiscard]] lanes::LaneHome lane_home(std::size_t lane, std::size_t index) const {
        const TestnetPeer& peer = plan_.lanes[lane][index];
        lanes::LaneHome home;
        home.head = {static_cast<std::uint8_t>(lane), static_cast<std::uint8_t>(plan_.lanes.size()),
                     kLeading};
        home.comet_chain_id = comet_chain_id(plan_.chain_id, lane);
        home.chain_id = plan_.chain_id;
        if (!options_.mover.empty()) home.mover = address_from_hex(options_.mover);
        home.abci = abci_address(peer);
        home.address = peer.address;
        home.port = kLanePort;
        for (const std::vector<TestnetPeer>& validators : plan_.lanes)
            home.lanes.push_back(witnesses(validators, index));
        // Each begins with another one.
        const std::size_t asked = std::min(plan_.nodes.size(), lanes::kMostPayerNodes);
        for (std::size_t i = 0; i < asked; ++i)
            home.nodes.push_back(
                json_rpc_url(plan_.nodes[(lane + index + i) % plan_.nodes.size()]));
        return home;
    }
    [[nodiscard]] std::string print() const {
        std::string text;
        JsonWriter json{text};
        const auto peer = [&](const TestnetPeer& which, std::string_view kind,
                              const std::string& url) {
            json.begin_object();
            json.key("name");
            json.string(which.name);
            json.key("address");
            json.string(which.address);
            json.key(kind);
            json.string(url);
            json.end_object();
        };
        json.begin_object();
        json.key("chain_id");
        json.number(plan_.chain_id);
        json.key("genesis_hash");
        json.hash(plan_.genesis_hash);
        json.key("leading");
        json.number(kLeading);
        json.key("lanes");
        json.begin_array();
        for (const std::vector<TestnetPeer>& lane : plan_.lanes) {
            json.begin_array();
            for (const TestnetPeer& validator : lane)
                peer(validator, "lane_rpc", lane_url(validator));
            json.end_array();
        }
        json.end_array();
        json.key("nodes");
        json.begin_array();
        for (const TestnetPeer& node : plan_.nodes)
            peer(node, "json_rpc", json_rpc_url(node));
        json.end_array();
        json.end_object();
        return text + "\n";
    }

    const LanesTestnetOptions& options_;
    const Genesis& genesis_;
    LanesTestnetPlan plan_;
    std::vector<std::vector<NodeKeys>> keys_;  // of each lane's validators
};

void check_lanes_options(const LanesTestnetOptions& options) {
    if (options.lanes < 1 || options.lanes > kMaxTestnetLanes)
        fail_input("--lanes {}: from 1 to {}", options.lanes, kMaxTestnetLanes);
    if (options.nodes < 1 || options.nodes > kMaxTestnetNodes)
        fail_input("--nodes {}: from 1 to {}", options.nodes, kMaxTestnetNodes);
    check_testnet_options(options.network);
    if (!options.mover.empty() && !address_from_hex(options.mover).has_value())
        fail_input("--mover {}: not an address", options.mover);
}

}  // namespace

LanesTestnetPlan write_lanes_testnet(const LanesTestnetOptions& options) {
    check_lanes_options(options);
    const fs::path network = checked_folder(options.network.out);
    const Genesis genesis = make_lanes_genesis(options);
    Writer writer(options, genesis);
    writer.plan(checked_addresses(options.network.addresses,
                                  options.nodes + options.lanes * options.network.validators,
                                  "nodes and validators"));
    MarkedFolder folder = begin_folder(network);
    writer.write(folder.path(), network);
    folder.finish(network);
    return writer.plan();
}

}  // namespace heddle::node
