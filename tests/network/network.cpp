// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "network.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>

#include <unistd.h>

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

constexpr std::uint16_t kNodePort = 8545;
constexpr std::uint16_t kCometPort = 26657;

/// The text of the first string value under this key; enough for answers without nesting.
std::optional<std::string> string_after(const std::string& json, const std::string& key) {
    const std::string mark = "\"" + key + "\":\"";
    const auto found = json.find(mark);
    if (found == std::string::npos) return std::nullopt;
    const auto from = found + mark.size();
    return json.substr(from, json.find('"', from) - from);
}

}  // namespace

std::optional<std::string> find_cometbft() {
    const char* const given = std::getenv("HEDDLE_COMETBFT");
    if (given != nullptr && ::access(given, X_OK) == 0) return given;
    std::string built = HEDDLE_TOOLS "/cometbft";
    if (::access(built.c_str(), X_OK) == 0) return built;
    const char* const path = std::getenv("PATH");
    std::stringstream folders{path == nullptr ? "" : path};
    for (std::string folder; std::getline(folders, folder, ':');)
        if (::access((folder + "/cometbft").c_str(), X_OK) == 0) return folder + "/cometbft";
    return std::nullopt;
}

void wait_until(const std::function<bool()>& is_so) {
    while (!is_so())
        std::this_thread::sleep_for(std::chrono::milliseconds{20});
}

std::vector<std::string> private_addresses(unsigned count) {
    static unsigned next = 0;
    const auto process = static_cast<unsigned>(::getpid());
    const std::string block = "127." + std::to_string(1 + process / 200 % 250) + "." +
                              std::to_string(process % 200 + next++ % 50) + ".";
    std::vector<std::string> addresses;
    for (unsigned i = 1; i <= count; ++i)
        addresses.push_back(block + std::to_string(i));
    return addresses;
}

Validator::Validator(fs::path home, std::string address, std::string network,
                     std::vector<std::string> node_options)
    : home_(std::move(home)),
      address_(std::move(address)),
      network_(std::move(network)),
      node_options_(std::move(node_options)) {}

void Validator::start_node() {
    std::vector<std::string> command{HEDDLE_PROGRAM, "node", "--config",
                                     (home_ / "heddle.toml").native()};
    // On addresses that are no loopback ones it would be 127.0.0.1 for all of them.
    command.insert(command.end(), {"--set", "cometbft.abci=tcp://" + address_ + ":26658"});
    for (const std::string& option : node_options_)
        command.insert(command.end(), {"--set", option});
    node_ = std::make_unique<Process>(std::move(command), home_ / "node.log", network_);
}

void Validator::start_comet() {
    comet_ = std::make_unique<Process>(
        std::vector<std::string>{*find_cometbft(), "start", "--home", (home_ / "cometbft").native(),
                                 "--proxy_app", "tcp://" + address_ + ":26658"},
        home_ / "comet.log", network_);
}

void Validator::start() {
    if (!node_ || !node_->is_running()) start_node();
    if (!comet_ || !comet_->is_running()) start_comet();
}

bool Validator::tend() {
    const bool has_ended = !node_ || !node_->is_running() || !comet_ || !comet_->is_running();
    // Without its application CometBFT ends, but sometimes hangs on the way (v0.38.26, while its
    // switch dials a peer): what supervises it has to help.
    if (node_ && !node_->is_running() && comet_) (void)comet_->end(SIGKILL);
    start();
    return has_ended;
}

void Validator::stop() {
    if (comet_) (void)comet_->end(SIGTERM);
    if (node_) (void)node_->end(SIGTERM);
}

std::string Validator::call(std::string_view method, std::string_view params) const {
    return http_exchange(address_, kNodePort, "/",
                         R"({"jsonrpc":"2.0","id":1,"method":")" + std::string{method} +
                             R"(","params":)" + std::string{params} + "}");
}

std::optional<std::string> Validator::text(std::string_view method, std::string_view params) const {
    return string_after(call(method, params), "result");
}

std::optional<std::uint64_t> Validator::head() const {
    const auto number = text("eth_blockNumber");
    if (!number.has_value()) return std::nullopt;
    return std::stoull(*number, nullptr, 16);
}

std::optional<Hash> Validator::block_hash(std::uint64_t number) const {
    std::array<char, 64> params{};
    std::snprintf(params.data(), params.size(), R"(["0x%llx",false])",
                  static_cast<unsigned long long>(number));
    const auto hash = string_after(call("eth_getBlockByNumber", params.data()), "hash");
    if (!hash.has_value()) return std::nullopt;
    return hash_from_hex(*hash);
}

std::string Validator::ask_comet(const std::string& path) const {
    return http_exchange(address_, kCometPort, path);
}

Network::Network(const NetworkOptions& options, std::vector<std::string> namespaces)
    : network_(folder_.path() / "net"), node_options_(options.node_options) {
    const std::vector<std::string> addresses =
        options.addresses.empty() ? private_addresses(options.validators) : options.addresses;
    std::string list;
    for (const std::string& address : addresses)
        list += (list.empty() ? "" : ",") + address;
    std::vector<std::string> arguments{
        "testnet", "--validators",     std::to_string(options.validators),
        "--out",   network_.native(),  "--addresses",
        list,      "--block-interval", options.block_interval};
    arguments.insert(arguments.end(), options.arguments.begin(), options.arguments.end());
    const ProgramResult written = run_program(arguments);
    if (written.exit_code != 0) throw std::runtime_error("heddle testnet: " + written.error);
    namespaces.resize(addresses.size());
    for (std::size_t i = 0; i < addresses.size(); ++i)
        validators_.push_back(
            std::make_unique<Validator>(network_ / ("validator" + std::to_string(i + 1)),
                                        addresses[i], namespaces[i], node_options_));
}

Validator& Network::add(const std::vector<std::string>& arguments) {
    std::string address = validators_.front()->address();
    address.replace(address.rfind('.') + 1, std::string::npos,
                    std::to_string(validators_.size() + 1));
    std::vector<std::string> command{"testnet",         "--add",       "--out",
                                     network_.native(), "--addresses", address};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const ProgramResult written = run_program(command);
    if (written.exit_code != 0) throw std::runtime_error("heddle testnet --add: " + written.error);
    fs::path home;
    for (const auto& entry : fs::directory_iterator{network_})
        if (entry.is_directory() &&
            std::ranges::none_of(validators_, [&](const std::unique_ptr<Validator>& known) {
                return known->home() == entry.path();
            }))
            home = entry.path();
    validators_.push_back(std::make_unique<Validator>(home, address, "", node_options_));
    return *validators_.back();
}

void Network::start() {
    for (const auto& validator : validators_)
        validator->start();
}

void Network::stop() {
    for (const auto& validator : validators_)
        validator->stop();
}

void Network::wait_for_block(std::uint64_t number) {
    wait_until([&] {
        for (const auto& validator : validators_)
            (void)validator->tend();
        return least_head() >= number;
    });
}

std::uint64_t Network::wait_for_more(std::uint64_t blocks) {
    const std::uint64_t wanted = greatest_head() + blocks;
    wait_for_block(wanted);
    return least_head();
}

std::uint64_t Network::least_head() const {
    std::uint64_t least = ~std::uint64_t{0};
    for (const auto& validator : validators_)
        least = std::min(least, validator->head().value_or(0));
    return least;
}

std::uint64_t Network::greatest_head() const {
    std::uint64_t greatest = 0;
    for (const auto& validator : validators_)
        greatest = std::max(greatest, validator->head().value_or(0));
    return greatest;
}

std::string Network::disagreement(std::uint64_t from) const {
    const std::uint64_t last = least_head();
    if (last < from) return "nobody has block " + std::to_string(from);
    // One that is too busy to answer has no other block: it is asked again.
    const auto hash_at = [](const Validator& validator, std::uint64_t number) {
        std::optional<Hash> hash;
        wait_until([&] { return (hash = validator.block_hash(number)).has_value(); });
        return hash;
    };
    for (std::uint64_t number = from; number <= last; ++number) {
        const auto expected = hash_at(*validators_.front(), number);
        for (const auto& validator : validators_)
            if (hash_at(*validator, number) != expected)
                return "block " + std::to_string(number) + " is another one at " +
                       validator->address();
    }
    return {};
}

std::string Network::complaints() const {
    static constexpr std::array kBad{"panic", "CONSENSUS FAILURE", "failed to handshake",
                                     "state.AppHash does not match", "wrong Block.Header.AppHash"};
    // What it says when its application was killed, which is no fault of either; and what its RPC
    // says to a question that comes while it is stopped, having closed its database.
    static constexpr std::array kExcused{"read message: EOF", "connection reset", "broken pipe",
                                         "connection refused", "leveldb: closed"};
    const auto has_one_of = [](const std::string& line, const auto& texts) {
        return std::ranges::any_of(
            texts, [&](const char* text) { return line.find(text) != std::string::npos; });
    };
    std::string found;
    for (const auto& validator : validators_) {
        std::stringstream lines{validator->comet_log() + validator->node_log()};
        for (std::string line; std::getline(lines, line);)
            if (has_one_of(line, kBad) && !has_one_of(line, kExcused))
                found += validator->address() + ": " + line + "\n";
    }
    return found;
}

}  // namespace heddle::test
