// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes the folders of a network of validators, each a node of Heddle's and one of CometBFT's, and
// of further nodes that follow it. For networks on one machine or of one owner: whoever makes it
// has the keys of all. Nothing is started here.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <types/address.hpp>
#include <types/hash.hpp>

namespace heddle::node {

inline constexpr std::uint64_t kMaxTestnetValidators = 64;
inline constexpr std::uint16_t kCometP2pPort = 26656;
inline constexpr std::uint16_t kCometRpcPort = 26657;
inline constexpr std::uint16_t kAbciPort = 26658;
inline constexpr std::uint16_t kJsonRpcPort = 8545;

struct TestnetOptions {
    std::string out;
    std::uint64_t validators = 4;
    std::optional<std::uint64_t> chain_id;  // of the genesis made here; 1337
    std::string genesis;                    // file in geth's format; empty: one is made
    std::vector<std::string> addresses;     // IPv4, one for each; empty: 127.0.0.1 and following
    std::uint64_t block_interval_ms = 1'000;
    std::uint64_t snapshot_interval = 100;  // blocks
    /// Who decides who the validators are, by a contract in the genesis that the network then has;
    /// empty: they stay those of the beginning.
    std::string owner;
    std::uint64_t epoch_blocks = 100;  // with an owner
    /// Keys that anybody can make again.
    std::optional<std::uint64_t> seed;
};

/// Where that contract is: "heddle votes", as the last of the address's bytes.
[[nodiscard]] const Address& validator_contract_address();

/// A node of a network, as others know it.
struct TestnetPeer {
    std::string name;  // of its folder: validator1, node5
    std::string address;
    std::string node_id;
    Address beneficiary;
};

/// What `network.json` says, for programs and for nodes that are added; nothing of it is secret.
struct TestnetPlan {
    std::string comet_chain_id;
    std::uint64_t chain_id = 0;
    Hash genesis_hash;
    std::uint64_t block_interval_ms = 0;
    std::uint64_t snapshot_interval = 0;
    /// What proposers move the gas limit back to, whoever moves it elsewhere; 0: not known.
    std::uint64_t gas_limit = 0;
    std::vector<TestnetPeer> validators;
    std::vector<TestnetPeer> nodes;  // added later

    /// Whose folder has this name. Errors: InputError.
    [[nodiscard]] static TestnetPlan load(const std::filesystem::path& network);
};

/// Writes a network: `OUT/genesis.json`, `OUT/network.json`, and for each validator
/// `OUT/validatorN/{heddle.toml,beneficiary_key,cometbft/}`. All of it appears at once.
/// Errors: InputError; nothing has been written then.
TestnetPlan write_testnet(const TestnetOptions& options);

struct AddedNodeOptions {
    std::string out;      // a folder of write_testnet()
    std::string address;  // empty: the loopback address after the last
    bool has_state_sync = false;
    std::optional<std::uint64_t> trust_height;  // with state sync; else asked of a validator
    std::string trust_hash;
    std::optional<std::uint64_t> seed;
};

/// Writes the folder of one more node, which executes all and decides nothing.
/// Errors: InputError; nothing has been written then.
TestnetPeer add_testnet_node(const AddedNodeOptions& options);

/// `http://ADDRESS:PORT` of the two interfaces of a node.
[[nodiscard]] std::string comet_rpc_url(const TestnetPeer& peer);
[[nodiscard]] std::string json_rpc_url(const TestnetPeer& peer);

}  // namespace heddle::node
