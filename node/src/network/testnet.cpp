// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "network/testnet.hpp"

#include <set>
#include <span>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <types/genesis.hpp>

#include "cometbft/owned_validators.hpp"
#include "formats/chain_config_json.hpp"
#include "formats/json.hpp"
#include "formats/json_writer.hpp"
#include "inputs/chain_input.hpp"
#include "load/rpc_client.hpp"
#include "network/comet_home.hpp"
#include "network/testnet_parts.hpp"
#include "program/error.hpp"
#include "program/file.hpp"
#include "service/node_config.hpp"

namespace heddle::node {
namespace {

namespace fs = std::filesystem;

NodeConfig make_node_config(const TestnetPlan& plan, const TestnetPeer& peer,
                            const fs::path& network, bool has_state_sync) {
    NodeConfig config;
    config.chain.datadir = (network / peer.name / "ledger").string();
    config.chain.genesis = (network / kGenesisFile).string();
    config.ledger.memory = kTestnetLedgerMemory;
    config.consensus.engine = "cometbft";
    config.consensus.beneficiary = to_string(peer.beneficiary);
    config.consensus.gas_limit = plan.gas_limit;
    config.cometbft.abci = abci_address(peer);
    config.cometbft.rpc = comet_rpc_url(peer);
    config.cometbft.state_sync = has_state_sync;
    config.cometbft.snapshot_interval = plan.snapshot_interval;
    config.mempool.max_transactions = kTestnetMempoolTransactions;
    config.rpc.address = peer.address;
    config.rpc.port = kJsonRpcPort;
    return config;
}

std::string make_comet_config(const TestnetPlan& plan, const TestnetPeer& peer,
                              std::optional<CometStateSync> state_sync) {
    CometConfig config = comet_config_of(peer, plan.validators, plan.block_interval_ms);
    config.state_sync = std::move(state_sync);
    return print_comet_config(config);
}

struct PlannedNode {
    const TestnetPeer& peer;
    const NodeKeys& keys;
    std::string comet_genesis;
    std::optional<CometStateSync> state_sync;
};

/// Everything of one node, into `folder`, which is to become `network/NAME`.
void write_node(const fs::path& folder, const fs::path& network, const TestnetPlan& plan,
                PlannedNode node) {
    const auto& [peer, keys, comet_genesis, state_sync] = node;
    const bool has_state_sync = state_sync.has_value();
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) fail_input("{}: cannot be created: {}", folder.string(), error.message());
    write_file((folder / "heddle.toml").string(),
               print_config(make_node_config(plan, peer, network, has_state_sync)));
    write_secret_file(folder / "beneficiary_key", to_string(keys.beneficiary_secret) + "\n");
    write_comet_home(folder / "cometbft",
                     {keys.node, keys.validator, std::move(node.comet_genesis),
                      make_comet_config(plan, peer, std::move(node.state_sync))});
}

void write_peers(JsonWriter& json, const std::vector<TestnetPeer>& peers) {
    json.begin_array();
    for (const TestnetPeer& peer : peers) {
        json.begin_object();
        json.key("name");
        json.string(peer.name);
        json.key("address");
        json.string(peer.address);
        json.key("node_id");
        json.string(peer.node_id);
        json.key("comet_rpc");
        json.string(comet_rpc_url(peer));
        json.key("json_rpc");
        json.string(json_rpc_url(peer));
        json.key("beneficiary");
        json.string(to_string(peer.beneficiary));
        json.end_object();
    }
    json.end_array();
}

std::string print_plan(const TestnetPlan& plan) {
    std::string text;
    JsonWriter json{text};
    json.begin_object();
    json.key("comet_chain_id");
    json.string(plan.comet_chain_id);
    json.key("chain_id");
    json.number(plan.chain_id);
    json.key("genesis_hash");
    json.hash(plan.genesis_hash);
    json.key("block_interval_ms");
    json.number(plan.block_interval_ms);
    json.key("snapshot_interval");
    json.number(plan.snapshot_interval);
    json.key("gas_limit");
    json.number(plan.gas_limit);
    json.key("validators");
    write_peers(json, plan.validators);
    json.key("nodes");
    write_peers(json, plan.nodes);
    json.end_object();
    return text + "\n";
}

std::vector<TestnetPeer> read_peers(const JsonView& list) {
    std::vector<TestnetPeer> peers;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const JsonView peer = list.element(i);
        peers.push_back(
            {std::string{peer.at("name").string()}, std::string{peer.at("address").string()},
             std::string{peer.at("node_id").string()}, peer.at("beneficiary").address()});
        check_address(peers.back().address);
    }
    return peers;
}

/// Asks two validators which block is the newest, and believes them only if they agree on it: this
/// is what the new node's trust begins with.
void ask_for_trust(const TestnetPlan& plan, CometStateSync& sync) {
    load::RpcClient first{load::parse_endpoint(comet_rpc_url(plan.validators.front()))};
    const JsonView newest = first.call("status", "[]").at("sync_info");
    sync.trust_height = newest.at("latest_block_height").uint64();
    sync.trust_hash = newest.at("latest_block_hash").string();
    if (sync.trust_height == 0)
        fail_input("{} has no block yet; start the network first", plan.validators.front().name);
    if (plan.validators.size() == 1) return;
    // It may be a block behind.
    const TestnetPeer& other = plan.validators[1];
    load::RpcClient second{load::parse_endpoint(comet_rpc_url(other))};
    const auto state = second.call("status", "[]").at("sync_info");
    if (state.at("latest_block_height").uint64() < sync.trust_height) return;
    const std::string params = fmt::format(R"(["{}"])", sync.trust_height);
    const auto block = second.call("block", params).at("block_id");
    if (block.at("hash").string() != sync.trust_hash)
        fail_input("{} and {} do not agree on block {}", plan.validators.front().name, other.name,
                   sync.trust_height);
}

CometStateSync plan_state_sync(const TestnetPlan& plan, const AddedNodeOptions& options) {
    CometStateSync sync;
    for (std::size_t i = 0; i < 2; ++i)
        sync.rpc_servers.push_back(comet_rpc_url(plan.validators[i % plan.validators.size()]));
    if (!options.trust_height.has_value()) {
        if (!options.trust_hash.empty()) fail_input("--trust-hash: of which --trust-height?");
        ask_for_trust(plan, sync);
        return sync;
    }
    if (*options.trust_height == 0 || !hash_from_hex(options.trust_hash))
        fail_input(
            "--trust-height and --trust-hash: a block above 0 and its CometBFT hash, 64 "
            "hexadecimal digits");
    sync.trust_height = *options.trust_height;
    sync.trust_hash = options.trust_hash;
    if (sync.trust_hash.starts_with("0x")) sync.trust_hash.erase(0, 2);
    return sync;
}

std::string next_address(const TestnetPlan& plan, const AddedNodeOptions& options) {
    std::set<std::string> taken;
    for (const auto* peers : {&plan.validators, &plan.nodes})
        for (const TestnetPeer& peer : *peers)
            taken.insert(peer.address);
    std::string address = options.address;
    if (address.empty()) {
        if (!is_loopback(plan.validators.front().address))
            fail_input("--addresses: which address does the new node have?");
        std::uint64_t index = plan.validators.size() + plan.nodes.size() + 1;
        while (taken.contains(loopback_address(index)))
            ++index;
        address = loopback_address(index);
    }
    check_address(address);
    if (taken.contains(address)) fail_input("{}: another node has this address", address);
    return address;
}

std::string validator_name(std::size_t index) {
    return fmt::format("validator{}", index + 1);
}

/// With the validators of the beginning in it, so that their owner can end them.
void add_validator_contract(const TestnetOptions& options, std::span<const NodeKeys> keys,
                            Genesis& genesis) {
    if (!options.genesis.empty() && load_validator_contract(options.genesis).has_value())
        fail_input("--owner: {} names a contract of validators already", options.genesis);
    const auto shanghai = genesis.config.shanghai_time;
    if (!shanghai.has_value() || *shanghai > genesis.header.timestamp)
        fail_input(
            "--owner: {}: the contract of validators needs Shanghai's rules from the first "
            "block on",
            options.genesis);
    std::vector<consensus_adapter::cometbft::Validator> validators;
    for (const NodeKeys& key : keys) {
        const auto& bytes = key.validator.public_key;
        validators.push_back(
            {Bytes(bytes.begin(), bytes.end()), static_cast<std::int64_t>(CometValidator{}.power)});
    }
    add_account(options, genesis,
                owned_validators_account(validator_contract_address(),
                                         *address_from_hex(options.owner), validators),
                "validators");
}

}  // namespace

const Address& validator_contract_address() {
    static const Address address =
        address_from_hex("0000000000000000686564646c6520766f746573").value();
    return address;
}

std::string comet_rpc_url(const TestnetPeer& peer) {
    return fmt::format("http://{}:{}", peer.address, kCometRpcPort);
}

std::string json_rpc_url(const TestnetPeer& peer) {
    return fmt::format("http://{}:{}", peer.address, kJsonRpcPort);
}

TestnetPlan TestnetPlan::load(const fs::path& network) {
    JsonParser parser;
    const JsonView json = parser.parse_file((network / kNetworkFile).string());
    if (json.find("lanes"))
        fail_input("{}: is a network of lanes, to which no node is added", network.string());
    TestnetPlan plan;
    plan.comet_chain_id = json.at("comet_chain_id").string();
    plan.chain_id = json.at("chain_id").uint64();
    plan.genesis_hash = json.at("genesis_hash").hash();
    plan.block_interval_ms = json.at("block_interval_ms").uint64();
    plan.snapshot_interval = json.at("snapshot_interval").uint64();
    if (const auto limit = json.find("gas_limit")) plan.gas_limit = limit->uint64();
    plan.validators = read_peers(json.at("validators"));
    plan.nodes = read_peers(json.at("nodes"));
    if (plan.validators.empty()) json.at("validators").fail("a network has validators");
    return plan;
}

TestnetPlan write_testnet(const TestnetOptions& options) {
    check_testnet_options(options);
    const fs::path network = checked_folder(options.out);
    const std::vector<std::string> addresses =
        checked_addresses(options.addresses, options.validators,
                          options.validators == 1 ? "validator" : "validators");
    Genesis genesis = make_genesis(options);
    std::vector<NodeKeys> keys;
    keys.reserve(addresses.size());
    for (std::size_t i = 0; i < addresses.size(); ++i)
        keys.push_back(make_keys({options.seed, validator_name(i)}));
    if (!options.owner.empty()) add_validator_contract(options, keys, genesis);

    TestnetPlan plan;
    plan.chain_id = genesis.config.chain_id;
    plan.comet_chain_id = fmt::format("heddle-{}", plan.chain_id);
    plan.genesis_hash = compute_genesis_hash(genesis);
    plan.block_interval_ms = options.block_interval_ms;
    plan.snapshot_interval = options.snapshot_interval;
    plan.gas_limit = genesis.header.gas_limit;
    CometGenesis comet_genesis{
        plan.comet_chain_id, start_time(options, genesis), {}, plan.genesis_hash};
    for (std::size_t i = 0; i < addresses.size(); ++i) {
        const std::string name = validator_name(i);
        const NodeKeys& own = keys[i];
        plan.validators.push_back({name, addresses[i], own.node.address(), own.beneficiary});
        comet_genesis.validators.push_back(
            {name, own.validator.public_key, own.validator.address()});
    }

    MarkedFolder folder = begin_folder(network);
    const fs::path genesis_file = folder.path() / kGenesisFile;
    if (options.owner.empty())
        write_genesis(options, genesis, genesis_file);
    else
        write_changed_genesis(
            options, genesis, genesis_file,
            fmt::format(R"("heddle":{{"validatorContract":"{}","epochBlocks":{}}})",
                        to_string(validator_contract_address()), options.epoch_blocks));
    write_file((folder.path() / kNetworkFile).string(), print_plan(plan));
    const std::string comet_genesis_text = print_comet_genesis(comet_genesis);
    for (std::size_t i = 0; i < keys.size(); ++i)
        write_node(folder.path() / plan.validators[i].name, network, plan,
                   {plan.validators[i], keys[i], comet_genesis_text, std::nullopt});
    folder.finish(network);
    return plan;
}

TestnetPeer add_testnet_node(const AddedNodeOptions& options) {
    std::error_code error;
    const fs::path network = fs::canonical(options.out, error);
    if (error || !fs::exists(network / kNetworkFile, error))
        fail_input("{}: {}; --out names the folder of a network that `heddle testnet` wrote",
                   options.out, error ? error.message() : fmt::format("has no {}", kNetworkFile));
    TestnetPlan plan = TestnetPlan::load(network);

    TestnetPeer peer;
    peer.name = fmt::format("node{}", plan.validators.size() + plan.nodes.size() + 1);
    peer.address = next_address(plan, options);
    const NodeKeys keys = make_keys({options.seed, peer.name});
    peer.node_id = keys.node.address();
    peer.beneficiary = keys.beneficiary;
    std::optional<CometStateSync> state_sync;
    if (options.has_state_sync) state_sync = plan_state_sync(plan, options);
    std::string comet_genesis;
    read_file((network / plan.validators.front().name / "cometbft/config/genesis.json").string(),
              kMaxJsonFileSize, comet_genesis);

    MarkedFolder folder = begin_folder(network / peer.name);
    write_node(folder.path(), network, plan,
               {peer, keys, std::move(comet_genesis), std::move(state_sync)});
    // The plan last, and all of it beforehand that a full disk refuses: a node that the plan does
    // not know would be in the way of the next one, which gets its name.
    plan.nodes.push_back(peer);
    const fs::path file = network / kNetworkFile;
    const fs::path next = file.string() + ".unfinished";
    write_file(next.string(), print_plan(plan));
    folder.finish(network / peer.name);
    fs::rename(next, file, error);
    if (error) {
        std::error_code ignored;
        fs::remove_all(network / peer.name, ignored);
        fail_input("{}: cannot be written: {}", file.string(), error.message());
    }
    return peer;
}

}  // namespace heddle::node
