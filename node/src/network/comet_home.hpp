// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The files that a CometBFT node starts from: keys, genesis, configuration, the record of what its
// validator has signed. Written for CometBFT 0.38 and later 0.x versions; what a configuration does
// not say has CometBFT's default.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <types/hash.hpp>

namespace heddle::node {

/// RFC 8032.
struct Ed25519Key {
    Hash secret;
    std::array<std::uint8_t, 32> public_key{};

    /// First 20 bytes of the public key's SHA-256, which CometBFT calls a node or validator by, in
    /// lower-case hexadecimal digits.
    [[nodiscard]] std::string address() const;
};

/// Errors: InputError: the cryptographic library failed.
[[nodiscard]] Ed25519Key make_ed25519_key(const Hash& secret);

/// 32 bytes that nobody can guess. Errors: InputError: the machine has no randomness.
[[nodiscard]] Hash random_secret();

/// The SHA-256 of `text`: secrets that anybody can make again, for tests.
[[nodiscard]] Hash derived_secret(std::string_view text);

struct CometValidator {
    std::string name;
    std::array<std::uint8_t, 32> public_key{};
    std::string address;  // Ed25519Key::address()
    std::uint64_t power = 10;
};

/// CometBFT's genesis file. Heddle's own genesis is named in it by its hash.
struct CometGenesis {
    std::string chain_id;            // at most 50 characters
    std::uint64_t time_seconds = 0;  // Unix time; nodes that start earlier wait for it
    std::vector<CometValidator> validators;
    Hash genesis_hash;
};

/// Where a node that begins with a snapshot finds peers to ask, and what it believes beforehand.
struct CometStateSync {
    std::vector<std::string> rpc_servers;  // http://…; CometBFT asks for two
    std::uint64_t trust_height = 0;
    std::string trust_hash;  // of CometBFT's header at this height, hexadecimal digits
};

struct CometConfig {
    std::string moniker;
    std::string proxy_app;                      // the application: tcp://… or unix://…
    std::string rpc_listen;                     // tcp://ADDRESS:PORT
    std::string p2p_listen;                     // tcp://ADDRESS:PORT
    std::string p2p_external;                   // ADDRESS:PORT as peers see it
    std::vector<std::string> persistent_peers;  // ID@ADDRESS:PORT
    std::uint64_t block_interval_ms = 1'000;
    std::uint64_t validators = 4;  // of the network, at its beginning
    std::optional<CometStateSync> state_sync;
};

[[nodiscard]] std::string print_comet_genesis(const CometGenesis& genesis);
[[nodiscard]] std::string print_comet_config(const CometConfig& config);

/// What is in a CometBFT home before its first start.
struct CometHome {
    Ed25519Key node_key;
    Ed25519Key validator_key;  // of a node that is no validator: one that nobody asks for
    std::string genesis;       // print_comet_genesis()
    std::string config;        // print_comet_config()
};

/// Writes config/ and data/ below `folder`, which must not have them. Secrets get mode 0600.
/// Errors: InputError with the path.
void write_comet_home(const std::filesystem::path& folder, const CometHome& home);

/// Writes a new file that only its owner may read. Errors: InputError; it is there already.
void write_secret_file(const std::filesystem::path& path, std::string_view content);

}  // namespace heddle::node
