// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "network/testnet_parts.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <types/counted.hpp>
#include <types/signing.hpp>
#include <vm/block.hpp>
#include <workload/world.hpp>

#include "chain/dev_chain.hpp"
#include "chain/missing_contracts.hpp"
#include "formats/chain_config_json.hpp"
#include "formats/genesis_json.hpp"
#include "formats/json.hpp"
#include "inputs/chain_input.hpp"
#include "program/error.hpp"
#include "program/file.hpp"
#include "program/say.hpp"

namespace heddle::node {
namespace {

namespace fs = std::filesystem;

std::optional<std::uint32_t> parse_ipv4(const std::string& text) {
    in_addr address{};
    if (::inet_pton(AF_INET, text.c_str(), &address) != 1) return std::nullopt;
    return ntohl(address.s_addr);
}

}  // namespace

Hash Secrets::make(std::string_view purpose) const {
    if (!seed_.has_value()) return random_secret();
    return derived_secret(fmt::format("heddle testnet {} {} {}", *seed_, name_, purpose));
}

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

void check_address(const std::string& address) {
    const auto number = parse_ipv4(address);
    if (!number) fail_input("{}: not an IPv4 address, e.g. 10.0.0.1", address);
    if (*number == 0 || *number >= 0xe0000000U)
        fail_input("{}: not the address of one machine", address);
}

std::string loopback_address(std::uint64_t index) {
    return fmt::format("127.{}.{}.{}", index >> 16U & 0xffU, index >> 8U & 0xffU, index & 0xffU);
}

bool is_loopback(const std::string& address) {
    return address.starts_with("127.");
}

std::string abci_address(const TestnetPeer& peer) {
    return fmt::format("tcp://{}:{}", is_loopback(peer.address) ? peer.address : "127.0.0.1",
                       kAbciPort);
}

CometConfig comet_config_of(const TestnetPeer& peer, std::span<const TestnetPeer> validators,
                            std::uint64_t block_interval_ms) {
    CometConfig config;
    config.moniker = peer.name;
    config.proxy_app = abci_address(peer);
    config.rpc_listen = fmt::format("tcp://{}:{}", peer.address, kCometRpcPort);
    config.p2p_listen = fmt::format("tcp://{}:{}", peer.address, kCometP2pPort);
    config.p2p_external = fmt::format("{}:{}", peer.address, kCometP2pPort);
    config.block_interval_ms = block_interval_ms;
    config.validators = validators.size();
    for (const TestnetPeer& other : validators)
        if (other.name != peer.name)
            config.persistent_peers.push_back(
                fmt::format("{}@{}:{}", other.node_id, other.address, kCometP2pPort));
    return config;
}

std::vector<std::string> checked_addresses(std::vector<std::string> addresses, std::uint64_t count,
                                           std::string_view of) {
    if (addresses.empty())
        for (std::uint64_t i = 1; i <= count; ++i)
            addresses.push_back(loopback_address(i));
    if (addresses.size() != count)
        fail_input("--addresses has {} for {} {}",
                   counted(addresses.size(), "address", "addresses"), count, of);
    std::set<std::string> seen;
    for (const std::string& address : addresses) {
        check_address(address);
        if (!seen.insert(address).second) fail_input("--addresses: {} is there twice", address);
    }
    return addresses;
}

MarkedFolder begin_folder(const fs::path& path) {
    return {path.string() + ".unfinished", "heddle-testnet.unfinished"};
}

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
        // Only one who seals alone seals many times a second.
        genesis.config.equal_timestamps = false;
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
    if (const auto missing =
            describe_missing_contracts(code_in(genesis), genesis.config,
                                       genesis.config.earliest_timestamp(genesis.header.timestamp)))
        say("{}: {}\n", options.genesis, *missing);
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

void write_changed_genesis(const TestnetOptions& options, const Genesis& genesis,
                           const fs::path& path, std::string_view more_config) {
    std::ofstream stream(path, std::ios::binary | std::ios::trunc);
    workload::write_genesis_json(genesis, stream, more_config);
    stream.close();
    if (!stream.good()) fail_input("{}: cannot be written; is the disk full?", path.string());
    // Read again, it has to be the same.
    const Genesis again = load_genesis(path.string());
    const bool is_given = !options.genesis.empty();
    if ((is_given && again.config != genesis.config) ||
        compute_genesis_hash(again) != compute_genesis_hash(genesis))
        fail_input("{}: says more of its chain than can be written with what is added to it",
                   options.genesis);
}

void add_account(const TestnetOptions& options, Genesis& genesis, GenesisAccount account,
                 std::string_view what) {
    if (std::ranges::any_of(genesis.alloc, [&](const GenesisAccount& there) {
            return there.address == account.address;
        }))
        fail_input("{}: has an account at {}, where {} are kept; take it out", options.genesis,
                   to_string(account.address), what);
    if (!genesis.header.base_fee_per_gas.has_value())
        fail_input("{}: has no baseFeePerGas; a network with {} in its state begins after London",
                   options.genesis, what);
    genesis.alloc.push_back(std::move(account));
}

void check_testnet_options(const TestnetOptions& options) {
    if (options.validators < 1 || options.validators > kMaxTestnetValidators)
        fail_input("--validators {}: from 1 to {}", options.validators, kMaxTestnetValidators);
    constexpr std::uint64_t kShortestMs = 100;
    constexpr std::uint64_t kLongestMs = 600'000;
    if (options.block_interval_ms < kShortestMs || options.block_interval_ms > kLongestMs)
        fail_input("--block-interval {}: from 100ms to 10m",
                   options.block_interval_ms % 1'000 == 0
                       ? fmt::format("{}s", options.block_interval_ms / 1'000)
                       : fmt::format("{}ms", options.block_interval_ms));
    if (!options.owner.empty() && !address_from_hex(options.owner).has_value())
        fail_input("--owner {}: not an address", options.owner);
    if (options.epoch_blocks < kMinEpochBlocks)
        fail_input("--epoch-blocks {}: at least {}", options.epoch_blocks, kMinEpochBlocks);
}

std::uint64_t start_time(const TestnetOptions& options, const Genesis& genesis) {
    const std::uint64_t first = genesis.header.timestamp;
    if (options.seed.has_value()) return first;
    const auto now = std::chrono::duration_cast<std::chrono::seconds>(
        std::chrono::system_clock::now().time_since_epoch());
    return std::max(first, static_cast<std::uint64_t>(now.count()));
}

}  // namespace heddle::node
