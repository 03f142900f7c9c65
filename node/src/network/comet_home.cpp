// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "network/comet_home.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <memory>
#include <system_error>

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <types/bytes.hpp>
#include <types/text_bytes.hpp>

#include "formats/json_writer.hpp"
#include "program/error.hpp"
#include "program/file.hpp"

namespace heddle::node {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kAddressBytes = 20;
constexpr std::uint64_t kBlockBytes = std::uint64_t{4} << 20;
constexpr std::uint64_t kGossipSleepMs = 20;

// Evidence of double signing counts for two days; CometBFT's own values.
constexpr const char* kEvidenceBlocks = "100000";
constexpr const char* kEvidenceNanoseconds = "172800000000000";
constexpr const char* kEvidenceBytes = "1048576";

constexpr const char* kPublicKeyType = "tendermint/PubKeyEd25519";
constexpr const char* kPrivateKeyType = "tendermint/PrivKeyEd25519";

Hash sha256(BytesView bytes) {
    Hash hash;
    if (EVP_Digest(bytes.data(), bytes.size(), hash.bytes.data(), nullptr, EVP_sha256(), nullptr) !=
        1)
        fail_input("SHA-256 failed; is OpenSSL installed completely?");
    return hash;
}

std::string base64(BytesView bytes) {
    std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');
    // OpenSSL writes characters as bytes, and a zero at the end.
    const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),  // NOLINT
                                     bytes.data(), static_cast<int>(bytes.size()));
    text.resize(static_cast<std::size_t>(size));
    return text;
}

std::string upper(std::string text) {
    for (char& letter : text)
        if (letter >= 'a' && letter <= 'f') letter = static_cast<char>(letter - 'a' + 'A');
    return text;
}

void write_key(JsonWriter& json, const char* type, BytesView bytes) {
    json.begin_object();
    json.key("type");
    json.string(type);
    json.key("value");
    json.string(base64(bytes));
    json.end_object();
}

/// The form of CometBFT: the secret, then the public key.
void write_private_key(JsonWriter& json, const Ed25519Key& key) {
    Bytes bytes(key.secret.bytes.begin(), key.secret.bytes.end());
    bytes.insert(bytes.end(), key.public_key.begin(), key.public_key.end());
    write_key(json, kPrivateKeyType, bytes);
}

std::string print_node_key(const Ed25519Key& key) {
    std::string text;
    JsonWriter json{text};
    json.begin_object();
    json.key("priv_key");
    write_private_key(json, key);
    json.end_object();
    return text + "\n";
}

std::string print_validator_key(const Ed25519Key& key) {
    std::string text;
    JsonWriter json{text};
    json.begin_object();
    json.key("address");
    json.string(upper(key.address()));
    json.key("pub_key");
    write_key(json, kPublicKeyType, key.public_key);
    json.key("priv_key");
    write_private_key(json, key);
    json.end_object();
    return text + "\n";
}

constexpr std::string_view kNothingSigned =
    "{\n  \"height\": \"0\",\n  \"round\": 0,\n  \"step\": 0\n}\n";

std::string utc_time(std::uint64_t seconds) {
    const auto time = static_cast<std::time_t>(seconds);
    std::tm parts{};
    if (::gmtime_r(&time, &parts) == nullptr) fail_input("{}: not a time", seconds);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900,
                       parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

void text_member(JsonWriter& json, std::string_view name, std::string_view value) {
    json.key(name);
    json.string(value);
}

void write_consensus_parameters(JsonWriter& json) {
    json.begin_object();
    json.key("block");
    json.begin_object();
    text_member(json, "max_bytes", std::to_string(kBlockBytes));
    // Gas is limited by the header's gas limit, which moves with the parent's.
    text_member(json, "max_gas", "-1");
    json.end_object();
    json.key("evidence");
    json.begin_object();
    text_member(json, "max_age_num_blocks", kEvidenceBlocks);
    text_member(json, "max_age_duration", kEvidenceNanoseconds);
    text_member(json, "max_bytes", kEvidenceBytes);
    json.end_object();
    json.key("validator");
    json.begin_object();
    json.key("pub_key_types");
    json.begin_array();
    json.string("ed25519");
    json.end_array();
    json.end_object();
    json.key("version");
    json.begin_object();
    text_member(json, "app", "0");
    json.end_object();
    json.key("abci");
    json.begin_object();
    text_member(json, "vote_extensions_enable_height", "0");
    json.end_object();
    json.end_object();
}

std::string quoted_list(const std::vector<std::string>& items) {
    std::string text;
    for (const std::string& item : items)
        text += (text.empty() ? "" : ",") + item;
    return "\"" + text + "\"";
}

/// Where it listens, whom it knows, what waits.
std::string print_network(const CometConfig& config) {
    const std::uint64_t inbound = std::max<std::uint64_t>(40, 2 * config.validators);
    return fmt::format(
        R"(# CometBFT's configuration; what is not here has CometBFT's default.
proxy_app = "{}"
abci = "socket"
moniker = "{}"

[rpc]
laddr = "{}"
# The node hands in up to this many transactions at a time.
max_request_batch_size = 1000
max_body_bytes = 10000000

[p2p]
laddr = "{}"
external_address = "{}"
persistent_peers = {}
# Small messages wait this long for others: three times for each block.
flush_throttle_timeout = "10ms"
# Several nodes on one machine, with addresses that are not public.
addr_book_strict = false
allow_duplicate_ip = true
max_num_inbound_peers = {}

[mempool]
type = "flood"
broadcast = true
recheck = true
size = 50000
cache_size = 100000
max_txs_bytes = 268435456

)",
        config.proxy_app, config.moniker, config.rpc_listen, config.p2p_listen, config.p2p_external,
        quoted_list(config.persistent_peers), inbound);
}

std::string print_state_sync(const CometStateSync& sync) {
    return fmt::format(
        R"([statesync]
enable = true
rpc_servers = {}
trust_height = {}
trust_hash = "{}"
trust_period = "168h0m0s"
discovery_time = "5s"

)",
        quoted_list(sync.rpc_servers), sync.trust_height, sync.trust_hash);
}

/// How long it waits for others, what it keeps.
std::string print_consensus(std::uint64_t interval_ms) {
    // A proposer that is down costs the others this much; one that is slow must come within it.
    const std::uint64_t propose = std::clamp<std::uint64_t>(2 * interval_ms, 1'000, 3'000);
    const std::uint64_t vote = std::clamp<std::uint64_t>(interval_ms / 2, 200, 1'000);
    return fmt::format(
        R"([consensus]
timeout_propose = "{}ms"
timeout_prevote = "{}ms"
timeout_precommit = "{}ms"
# The distance of blocks, but for what deciding takes.
timeout_commit = "{}ms"
# Votes wait up to this long at each step.
peer_gossip_sleep_duration = "{}ms"

[storage]
# Results are kept by the application.
discard_abci_responses = true

[tx_index]
indexer = "null"
)",
        propose, vote, vote, interval_ms - interval_ms / 10, kGossipSleepMs);
}

}  // namespace

std::string Ed25519Key::address() const {
    const Hash hash = sha256(public_key);
    return to_hex(BytesView{hash.bytes}.first(kAddressBytes)).substr(2);  // without 0x
}

Ed25519Key make_ed25519_key(const Hash& secret) {
    Ed25519Key key{secret, {}};
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> pair{
        EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, secret.bytes.data(),
                                     secret.bytes.size()),
        &EVP_PKEY_free};
    std::size_t size = key.public_key.size();
    if (pair == nullptr ||
        EVP_PKEY_get_raw_public_key(pair.get(), key.public_key.data(), &size) != 1 ||
        size != key.public_key.size())
        fail_input("no Ed25519 key can be made; is OpenSSL installed completely?");
    return key;
}

Hash random_secret() {
    Hash secret;
    if (RAND_priv_bytes(secret.bytes.data(), static_cast<int>(secret.bytes.size())) != 1)
        fail_input("this machine has no randomness for keys");
    return secret;
}

Hash derived_secret(std::string_view text) {
    return sha256(bytes_of(text));
}

std::string print_comet_genesis(const CometGenesis& genesis) {
    std::string text;
    JsonWriter json{text};
    json.begin_object();
    text_member(json, "genesis_time", utc_time(genesis.time_seconds));
    text_member(json, "chain_id", genesis.chain_id);
    text_member(json, "initial_height", "1");
    json.key("consensus_params");
    write_consensus_parameters(json);
    json.key("validators");
    json.begin_array();
    for (const CometValidator& validator : genesis.validators) {
        json.begin_object();
        text_member(json, "address", upper(validator.address));
        json.key("pub_key");
        write_key(json, kPublicKeyType, validator.public_key);
        text_member(json, "power", std::to_string(validator.power));
        text_member(json, "name", validator.name);
        json.end_object();
    }
    json.end_array();
    text_member(json, "app_hash", "");
    json.key("app_state");
    json.begin_object();
    text_member(json, "genesis_hash", to_string(genesis.genesis_hash));
    json.end_object();
    json.end_object();
    return text + "\n";
}

std::string print_comet_config(const CometConfig& config) {
    std::string text = print_network(config);
    if (config.state_sync.has_value()) text += print_state_sync(*config.state_sync);
    return text + print_consensus(config.block_interval_ms);
}

void write_secret_file(const fs::path& path, std::string_view content) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) fail_input("{}: cannot be written: {}", path.string(), std::strerror(errno));
    bool is_good = true;
    while (is_good && !content.empty()) {
        const ssize_t done = ::write(file, content.data(), content.size());
        if (done < 0 && errno == EINTR) continue;
        is_good = done > 0;
        if (is_good) content.remove_prefix(static_cast<std::size_t>(done));
    }
    is_good = is_good && ::fsync(file) == 0;
    const int error = errno;
    ::close(file);
    if (!is_good) fail_input("{}: cannot be written: {}", path.string(), std::strerror(error));
}

void write_comet_home(const fs::path& folder, const CometHome& home) {
    std::error_code error;
    for (const char* name : {"config", "data"})
        if (fs::create_directories(folder / name, error); error)
            fail_input("{}: cannot be created: {}", (folder / name).string(), error.message());
    write_secret_file(folder / "config/node_key.json", print_node_key(home.node_key));
    write_secret_file(folder / "config/priv_validator_key.json",
                      print_validator_key(home.validator_key));
    write_secret_file(folder / "data/priv_validator_state.json", kNothingSigned);
    write_file((folder / "config/genesis.json").string(), home.genesis);
    write_file((folder / "config/config.toml").string(), home.config);
}

}  // namespace heddle::node
