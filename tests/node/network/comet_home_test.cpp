// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Keys and files for CometBFT. The expected keys are from RFC 8032 and from CometBFT 0.38.26's own
// `init`.
#include "network/comet_home.hpp"

#include <sys/stat.h>

#include <string>

#include <gtest/gtest.h>

#include <types/bytes.hpp>

#include "formats/json.hpp"
#include "program.hpp"
#include "program/error.hpp"

namespace heddle::node {
namespace {

Hash hash_of(const char* digits) {
    return hash_from_hex(digits).value();
}

/// A key that `cometbft init` made: its address, and both halves in base64 as its files have them.
constexpr const char* kCometSecret =
    "0feaf7b972cdc7525252eca645d1cd168af1c6cb7379b76fa4eb7ea2f2508436";
constexpr const char* kCometAddress = "9AC314B8EF41FD1078DF61DF9AD29495B0963149";
constexpr const char* kCometPublic = "ky5Su/oe7QYkKQcTNKuKnClNQWLiw9u7UDMsWqVAVGI=";
constexpr const char* kCometPrivate =
    "D+r3uXLNx1JSUuymRdHNForxxstzebdvpOt+ovJQhDaTLlK7+h7tBiQpBxM0q4qcKU1BYuLD27tQMyxapUBUYg==";

CometHome make_home() {
    const Ed25519Key key = make_ed25519_key(hash_of(kCometSecret));
    return {make_ed25519_key(derived_secret("node")), key, "{}\n", "moniker = \"a\"\n"};
}

unsigned mode_of(const std::filesystem::path& file) {
    struct stat status{};
    EXPECT_EQ(::stat(file.c_str(), &status), 0) << file;
    return status.st_mode & 0777U;
}

TEST(CometHome, public_keys_are_those_of_rfc_8032) {
    const Ed25519Key key = make_ed25519_key(
        hash_of("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"));

    EXPECT_EQ(to_hex(key.public_key),
              "0xd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a");
}

TEST(CometHome, keys_are_written_as_cometbft_writes_them) {
    const test::TemporaryFolder folder;

    write_comet_home(folder.path() / "cometbft", make_home());

    JsonParser parser;
    const JsonView key =
        parser.parse_file((folder.path() / "cometbft/config/priv_validator_key.json").string());
    EXPECT_EQ(key.at("address").string(), kCometAddress);
    EXPECT_EQ(key.at("pub_key").at("type").string(), "tendermint/PubKeyEd25519");
    EXPECT_EQ(key.at("pub_key").at("value").string(), kCometPublic);
    EXPECT_EQ(key.at("priv_key").at("type").string(), "tendermint/PrivKeyEd25519");
    EXPECT_EQ(key.at("priv_key").at("value").string(), kCometPrivate);
}

TEST(CometHome, only_the_owner_may_read_secrets) {
    const test::TemporaryFolder folder;

    write_comet_home(folder.path(), make_home());

    EXPECT_EQ(mode_of(folder.path() / "config/priv_validator_key.json"), 0600U);
    EXPECT_EQ(mode_of(folder.path() / "config/node_key.json"), 0600U);
    EXPECT_EQ(mode_of(folder.path() / "data/priv_validator_state.json"), 0600U);
}

TEST(CometHome, a_home_is_never_written_over) {
    const test::TemporaryFolder folder;
    write_comet_home(folder.path(), make_home());
    const std::string key = test::read_text(folder.path() / "config/node_key.json");

    CometHome other = make_home();
    other.node_key = make_ed25519_key(derived_secret("another"));
    EXPECT_THROW(write_comet_home(folder.path(), other), InputError);

    EXPECT_EQ(test::read_text(folder.path() / "config/node_key.json"), key);
}

TEST(CometHome, the_genesis_names_validators_and_the_ethereum_genesis) {
    const Ed25519Key key = make_ed25519_key(hash_of(kCometSecret));
    CometGenesis genesis{"heddle-7", 1'750'000'000, {}, derived_secret("genesis")};
    genesis.validators.push_back({"first", key.public_key, key.address()});

    JsonParser parser;
    const JsonView json = parser.parse(print_comet_genesis(genesis), "genesis");

    EXPECT_EQ(json.at("genesis_time").string(), "2025-06-15T15:06:40Z");
    EXPECT_EQ(json.at("chain_id").string(), "heddle-7");
    EXPECT_EQ(json.at("initial_height").string(), "1");
    EXPECT_EQ(json.at("validators").size(), 1U);
    const JsonView validator = json.at("validators").element(0);
    EXPECT_EQ(validator.at("address").string(), kCometAddress);
    EXPECT_EQ(validator.at("pub_key").at("value").string(), kCometPublic);
    EXPECT_EQ(validator.at("power").uint64(), 10U);
    EXPECT_EQ(json.at("app_state").at("genesis_hash").hash(), genesis.genesis_hash);
}

TEST(CometHome, state_sync_is_configured_only_where_it_is_wanted) {
    CometConfig config;
    EXPECT_EQ(print_comet_config(config).find("[statesync]"), std::string::npos);

    config.state_sync = CometStateSync{{"http://10.0.0.1:26657", "http://10.0.0.2:26657"}, 7, "AB"};
    const std::string text = print_comet_config(config);

    EXPECT_NE(text.find("rpc_servers = \"http://10.0.0.1:26657,http://10.0.0.2:26657\""),
              std::string::npos);
    EXPECT_NE(text.find("trust_height = 7\ntrust_hash = \"AB\""), std::string::npos);
}

TEST(CometHome, random_secrets_differ) {
    EXPECT_NE(random_secret(), random_secret());
}

}  // namespace
}  // namespace heddle::node
