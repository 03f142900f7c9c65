// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "network/testnet.hpp"

#include <arpa/inet.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <types/genesis.hpp>
#include <types/signing.hpp>
#include <vm/block.hpp>
#include <workload/world.hpp>

#include "chain/dev_chain.hpp"
#include "formats/genesis_json.hpp"
#include "formats/json.hpp"
#include "formats/json_writer.hpp"
#include "inputs/chain_input.hpp"
#include "load/rpc_client.hpp"
#include "network/comet_home.hpp"
#include "program/error.hpp"
#include "program/file.hpp"
#include "service/node_config.hpp"

namespace heddle::node {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNetworkFile = "network.json";
constexpr std::string_view kGenesisFile = "genesis.json";
constexpr std::uint64_t kLedgerMemory = 256;  // MiB; several nodes share a machine
constexpr std::uint64_t kMempoolTransactions = 50'000;

/// Secrets of one node. With a seed they follow from it and the node's name.
class Secrets {
public:
    Secrets(std::optional<std::uint64_t> seed, std::string name)
        : seed_(seed), name_(std::move(name)) {}

    [[nodiscard]] Hash make(std::string_view purpose) const {
        if (!seed_.has_value()) return random_secret();
        return derived_secret(fmt::format("heddle testnet {} {} {}", *seed_, name_, purpose));
    }

private:
    std::optional<std::uint64_t> seed_;
    std::string name_;
};

struct NodeKeys {
    Ed25519Key node;
    Ed25519Key validator;
    Hash beneficiary_secret;
    Address beneficiary;
};

NodeKeys make_keys(const Secrets& secrets) {
    NodeKeys keys{make_ed25519_key(secrets.make("node")),
                  make_ed25519_key(secrets.make("validator")),
                  secrets.make("beneficiary"),
                  {}};
    const auto address = address_from_secret(keys.beneficiary_secret);
    // One of 2^128 numbers is none; no one has met it.
    if (!address) fail_input("an account's key could not be made; try again");
    keys.beneficiary = *address;
    return keys;
}

std::optional<std::uint32_t> parse_ipv4(const std::string& text) {
    in_addr address{};
    if (::inet_pton(AF_INET, text.c_str(), &address) != 1) return std::nullopt;
    return ntohl(address.s_addr);
}

bool is_loopback(const std::string& address) {
    return address.starts_with("127.");
}

void check_address(const std::string& address) {
    const auto number = parse_ipv4(address);
    if (!number) fail_input("{}: not an IPv4 address, e.g. 10.0.0.1", address);
    if (*number == 0 || *number >= 0xe0000000U)
        fail_input("{}: not the address of one machine", address);
}

std::string loopback_address(std::uint64_t index) {
    return fmt::format("127.0.0.{}", index);
}

std::vector<std::string> checked_addresses(const TestnetOptions& options) {
    std::vector<std::string> addresses = options.addresses;
    if (addresses.empty())
        for (std::uint64_t i = 1; i <= options.validators; ++i)
            addresses.push_back(loopback_address(i));
    if (addresses.size() != options.validators)
        fail_input("--addresses has {} addresses for {} validators", addresses.size(),
                   options.validators);
    std::set<std::string> seen;
    for (const std::string& address : addresses) {
        check_address(address);
        if (!seen.insert(address).second) fail_input("--addresses: {} is there twice", address);
    }
    return addresses;
}

/// A folder that gets its name when it is complete, and is gone otherwise.
class UnfinishedFolder {
public:
    explicit UnfinishedFolder(fs::path path)
        : path_(std::move(path)),
          unfinished_(path_.string() + fmt::format(".unfinished-{}", ::getpid())) {
        std::error_code error;
        if (path_.has_parent_path()) fs::create_directories(path_.parent_path(), error);
        if (!error) fs::create_directory(unfinished_, error);
        if (error) fail_input("{}: cannot be created: {}", unfinished_.string(), error.message());
    }
    ~UnfinishedFolder() {
        std::error_code ignored;
        if (!is_finished_) fs::remove_all(unfinished_, ignored);
    }
    UnfinishedFolder(const UnfinishedFolder&) = delete;
    UnfinishedFolder& operator=(const UnfinishedFolder&) = delete;

    [[nodiscard]] const fs::path& path() const noexcept { return unfinished_; }

    void finish() {
        std::error_code error;
        fs::rename(unfinished_, path_, error);  // over an empty folder, too
        if (error) fail_input("{}: cannot be created: {}", path_.string(), error.message());
        is_finished_ = true;
    }

private:
    fs::path path_;
    fs::path unfinished_;
    bool is_finished_ = false;
};

fs::path checked_folder(const std::string& out) {
    if (out.empty()) fail_input("--out: which folder?");
    std::error_code error;
    fs::path folder = fs::absolute(out, error).lexically_normal();
    if (error) fail_input("{}: {}", out, error.message());
    if (!folder.has_filename()) folder = folder.parent_path();  // of a slash at the end
    if (!fs::exists(folder, error)) return folder;
    if (!fs::is_directory(folder, error)) fail_input("{}: is not a folder", out);
    const bool is_empty = fs::is_empty(folder, error);
    if (error) fail_input("{}: cannot be read: {}", out, error.message());
    if (!is_empty) fail_input("{}: is not empty; a network gets a folder of its own", out);
    return folder;
}

Genesis make_genesis(const TestnetOptions& options) {
    if (options.genesis.empty()) {
        Genesis genesis = dev_genesis();
        if (options.chain_id.has_value()) genesis.config.chain_id = *options.chain_id;
        if (genesis.config.chain_id == 0) fail_input("--chain-id: 0 is none (EIP-155)");
        return genesis;
    }
    if (options.chain_id.has_value())
        fail_input("--chain-id: the chain id is that of the genesis file");
    Genesis genesis = load_genesis(options.genesis);
    BlockHeader first;
    first.number = 1;
    if (!vm::is_merged(first, genesis.header.difficulty, genesis.config))
        fail_input(
            "{}: the chain begins with proof of work; a network of validators needs "
            "terminalTotalDifficulty 0",
            options.genesis);
    return genesis;
}

void write_genesis(const TestnetOptions& options, const Genesis& genesis, const fs::path& path) {
    if (!options.genesis.empty()) {
        std::string text;
        read_file(options.genesis, kMaxJsonFileSize, text);
        return write_file(path.string(), text);
    }
    std::ofstream stream(path, std::ios::binary | std::ios::trunc);
    workload::write_genesis_json(genesis, stream);
    stream.close();
    if (!stream.good()) fail_input("{}: cannot be written; is the disk full?", path.string());
}

std::string peer_entry(const TestnetPeer& peer) {
    return fmt::format("{}@{}:{}", peer.node_id, peer.address, kCometP2pPort);
}

/// Whoever reaches the ABCI server can tell the node that anything was decided: it never listens
/// where other machines are.
std::string abci_address(const TestnetPeer& peer) {
    return fmt::format("tcp://{}:{}", is_loopback(peer.address) ? peer.address : "127.0.0.1",
                       kAbciPort);
}

NodeConfig make_node_config(const TestnetPlan& plan, const TestnetPeer& peer,
                            const fs::path& network, bool has_state_sync) {
    NodeConfig config;
    config.chain.datadir = (network / peer.name / "ledger").string();
    config.chain.genesis = (network / kGenesisFile).string();
    config.ledger.memory = kLedgerMemory;
    config.consensus.engine = "cometbft";
    config.consensus.beneficiary = to_string(peer.beneficiary);
    config.cometbft.abci = abci_address(peer);
    config.cometbft.rpc = comet_rpc_url(peer);
    config.cometbft.state_sync = has_state_sync;
    config.cometbft.snapshot_interval = plan.snapshot_interval;
    config.mempool.max_transactions = kMempoolTransactions;
    config.rpc.address = peer.address;
    config.rpc.port = kJsonRpcPort;
    return config;
}

std::string make_comet_config(const TestnetPlan& plan, const TestnetPeer& peer,
                              std::optional<CometStateSync> state_sync) {
    CometConfig config;
    config.moniker = peer.name;
    config.proxy_app = abci_address(peer);
    config.rpc_listen = fmt::format("tcp://{}:{}", peer.address, kCometRpcPort);
    config.p2p_listen = fmt::format("tcp://{}:{}", peer.address, kCometP2pPort);
    config.p2p_external = fmt::format("{}:{}", peer.address, kCometP2pPort);
    config.block_interval_ms = plan.block_interval_ms;
    config.validators = plan.validators.size();
    for (const TestnetPeer& other : plan.validators)
        if (other.name != peer.name) config.persistent_peers.push_back(peer_entry(other));
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

/// Blocks begin no earlier than the Ethereum genesis says. Networks of a seed are the same at any
/// time.
std::uint64_t start_time(const TestnetOptions& options, const Genesis& genesis) {
    const std::uint64_t first = genesis.header.timestamp;
    if (options.seed.has_value()) return first;
    const auto now = std::chrono::duration_cast<std::chrono::seconds>(
        std::chrono::system_clock::now().time_since_epoch());
    return std::max(first, static_cast<std::uint64_t>(now.count()));
}

void check_options(const TestnetOptions& options) {
    if (options.validators < 1 || options.validators > kMaxTestnetValidators)
        fail_input("--validators {}: from 1 to {}", options.validators, kMaxTestnetValidators);
    constexpr std::uint64_t kShortestMs = 100;
    constexpr std::uint64_t kLongestMs = 600'000;
    if (options.block_interval_ms < kShortestMs || options.block_interval_ms > kLongestMs)
        fail_input("--block-interval {}ms: from 100ms to 10m", options.block_interval_ms);
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

}  // namespace

std::string comet_rpc_url(const TestnetPeer& peer) {
    return fmt::format("http://{}:{}", peer.address, kCometRpcPort);
}

std::string json_rpc_url(const TestnetPeer& peer) {
    return fmt::format("http://{}:{}", peer.address, kJsonRpcPort);
}

TestnetPlan TestnetPlan::load(const fs::path& network) {
    JsonParser parser;
    const JsonView json = parser.parse_file((network / kNetworkFile).string());
    TestnetPlan plan;
    plan.comet_chain_id = json.at("comet_chain_id").string();
    plan.chain_id = json.at("chain_id").uint64();
    plan.genesis_hash = json.at("genesis_hash").hash();
    plan.block_interval_ms = json.at("block_interval_ms").uint64();
    plan.snapshot_interval = json.at("snapshot_interval").uint64();
    plan.validators = read_peers(json.at("validators"));
    plan.nodes = read_peers(json.at("nodes"));
    if (plan.validators.empty()) json.at("validators").fail("a network has validators");
    return plan;
}

TestnetPlan write_testnet(const TestnetOptions& options) {
    check_options(options);
    const fs::path network = checked_folder(options.out);
    const std::vector<std::string> addresses = checked_addresses(options);
    const Genesis genesis = make_genesis(options);

    TestnetPlan plan;
    plan.chain_id = genesis.config.chain_id;
    plan.comet_chain_id = fmt::format("heddle-{}", plan.chain_id);
    plan.genesis_hash = compute_genesis_hash(genesis);
    plan.block_interval_ms = options.block_interval_ms;
    plan.snapshot_interval = options.snapshot_interval;
    CometGenesis comet_genesis{
        plan.comet_chain_id, start_time(options, genesis), {}, plan.genesis_hash};
    std::vector<NodeKeys> keys;
    for (std::size_t i = 0; i < addresses.size(); ++i) {
        const std::string name = fmt::format("validator{}", i + 1);
        const NodeKeys& own = keys.emplace_back(make_keys({options.seed, name}));
        plan.validators.push_back({name, addresses[i], own.node.address(), own.beneficiary});
        comet_genesis.validators.push_back(
            {name, own.validator.public_key, own.validator.address()});
    }

    UnfinishedFolder folder{network};
    write_genesis(options, genesis, folder.path() / kGenesisFile);
    write_file((folder.path() / kNetworkFile).string(), print_plan(plan));
    const std::string comet_genesis_text = print_comet_genesis(comet_genesis);
    for (std::size_t i = 0; i < keys.size(); ++i)
        write_node(folder.path() / plan.validators[i].name, network, plan,
                   {plan.validators[i], keys[i], comet_genesis_text, std::nullopt});
    folder.finish();
    return plan;
}

TestnetPeer add_testnet_node(const AddedNodeOptions& options) {
    std::error_code error;
    const fs::path network = fs::canonical(options.out, error);
    if (error) fail_input("{}: {}", options.out, error.message());
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

    UnfinishedFolder folder{network / peer.name};
    write_node(folder.path(), network, plan,
               {peer, keys, std::move(comet_genesis), std::move(state_sync)});
    folder.finish();
    plan.nodes.push_back(peer);
    const fs::path file = network / kNetworkFile;
    const fs::path next = file.string() + ".unfinished";
    write_file(next.string(), print_plan(plan));
    fs::rename(next, file, error);
    if (error) fail_input("{}: cannot be written: {}", file.string(), error.message());
    return peer;
}

}  // namespace heddle::node
