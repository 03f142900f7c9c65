// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What networks are made of, whatever they order with: keys, addresses, a genesis, a folder that is
// there as a whole or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <types/genesis.hpp>
#include <types/hash.hpp>

#include "network/comet_home.hpp"
#include "network/testnet.hpp"
#include "program/marked_folder.hpp"

namespace heddle::node {

inline constexpr std::string_view kNetworkFile = "network.json";
inline constexpr std::string_view kGenesisFile = "genesis.json";
inline constexpr std::uint64_t kTestnetLedgerMemory = 256;  // MiB; several share a machine
inline constexpr std::uint64_t kTestnetMempoolTransactions = 50'000;

/// Secrets of one node. With a seed they follow from it and the node's name.
class Secrets {
public:
    Secrets(std::optional<std::uint64_t> seed, std::string name)
        : seed_(seed), name_(std::move(name)) {}

    [[nodiscard]] Hash make(std::string_view purpose) const;

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
[[nodiscard]] NodeKeys make_keys(const Secrets& secrets);

/// Counts and times. Errors: InputError.
void check_testnet_options(const TestnetOptions& options);
/// Errors: InputError.
void check_address(const std::string& address);
[[nodiscard]] std::string loopback_address(std::uint64_t index);
[[nodiscard]] bool is_loopback(const std::string& address);
/// Where the ABCI server of this peer listens. Whoever reaches it can tell the node that anything
/// was decided: it never listens where other machines are.
[[nodiscard]] std::string abci_address(const TestnetPeer& peer);
/// What CometBFT of `peer` is told of addresses and of its `validators`, itself among them.
[[nodiscard]] CometConfig comet_config_of(const TestnetPeer& peer,
                                          std::span<const TestnetPeer> validators,
                                          std::uint64_t block_interval_ms);
/// `addresses` if there are `count` different ones; where there are none, loopback addresses.
/// @param of  What they are of, in the plural. Errors: InputError.
[[nodiscard]] std::vector<std::string> checked_addresses(std::vector<std::string> addresses,
                                                         std::uint64_t count, std::string_view of);

/// The folder of a network, or of a node, before it has its name: `.unfinished` stands behind it.
/// What a kill has left of it, keys included, goes with the next attempt.
/// Errors: as MarkedFolder.
[[nodiscard]] MarkedFolder begin_folder(const std::filesystem::path& path);

/// One that is not there, or is empty. Errors: InputError.
[[nodiscard]] std::filesystem::path checked_folder(const std::string& out);
/// That of the options, or the development chain's. Errors: InputError.
[[nodiscard]] Genesis make_genesis(const TestnetOptions& options);
void write_genesis(const TestnetOptions& options, const Genesis& genesis,
                   const std::filesystem::path& path);
/// One that differs from that of the options: it is not their file that is copied.
/// @param more_config  As write_genesis_json() has it.
/// Errors: InputError; also where the file says more of its chain than can be written.
void write_changed_genesis(const TestnetOptions& options, const Genesis& genesis,
                           const std::filesystem::path& path, std::string_view more_config = {});
/// Puts an account into the genesis of the options that must not be there yet.
/// @param what  It is for. Errors: InputError.
void add_account(const TestnetOptions& options, Genesis& genesis, GenesisAccount account,
                 std::string_view what);
/// Blocks begin no earlier than the Ethereum genesis says. Networks of a seed are the same at any
/// time.
[[nodiscard]] std::uint64_t start_time(const TestnetOptions& options, const Genesis& genesis);

}  // namespace heddle::node
