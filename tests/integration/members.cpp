// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "members.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <utility>

#include <sys/un.h>

#include <fmt/format.h>

#include "node_client.hpp"

namespace heddle::test {
namespace {

using namespace std::chrono_literals;

std::uint64_t number_member(const std::string& json, std::string_view name) {
    return std::stoull(text_member(json, name), nullptr, 16);
}

/// Linux gives connections those from 32,768 on (ip(7), ip_local_port_range).
constexpr int kFirstPort = 15'000;
constexpr int kLastPort = 32'767;

/// A port that no other test is given. The name is in no file system, and is free again when the
/// last process that has it ends (unix(7), abstract sockets).
class Claim {
public:
    explicit Claim(std::uint16_t port)
        : descriptor_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        const std::string name = fmt::format("heddle-test-port-{}", port);
        std::ranges::copy(name, address.sun_path + 1);
        const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
        is_ours_ = ::bind(descriptor_, reinterpret_cast<const sockaddr*>(&address), size) == 0;
    }
    ~Claim() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    Claim(Claim&& other) noexcept
        : descriptor_(std::exchange(other.descriptor_, -1)), is_ours_(other.is_ours_) {}
    Claim& operator=(Claim&&) = delete;

    [[nodiscard]] bool is_ours() const noexcept { return is_ours_; }

private:
    int descriptor_;
    bool is_ours_ = false;
};

bool can_be_listened_at(std::uint16_t port) {
    const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_ANY);
    const bool is_free = ::bind(descriptor, reinterpret_cast<const sockaddr*>(&address),  // NOLINT
                                sizeof address) == 0;
    ::close(descriptor);
    return is_free;
}

/// Of the second account of `node --dev`.
constexpr const char* kSecondKey =
    "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d";

}  // namespace

std::uint16_t free_port() {
    static std::vector<Claim> claims;  // of this process, which has them until it ends
    static std::minstd_rand random{std::random_device{}()};
    std::uniform_int_distribution<int> ports{kFirstPort, kLastPort};
    for (;;) {
        const auto port = static_cast<std::uint16_t>(ports(random));
        if (Claim claim{port}; claim.is_ours() && can_be_listened_at(port)) {
            claims.push_back(std::move(claim));
            return port;
        }
    }
}

Members::Members(std::size_t count, std::string mode, std::size_t acks,
                 std::vector<std::string> options)
    : mode_(std::move(mode)), acks_(acks), options_(std::move(options)) {
    for (std::size_t i = 0; i < count; ++i)
        ports_.emplace(std::string(1, static_cast<char>('a' + i)), free_port());
    std::ofstream{path("genesis.json")} << kMembersGenesis;
    std::ofstream{path("secret")} << std::string(64, '7');
}

std::vector<std::string> Members::names() const {
    std::vector<std::string> names;
    for (const auto& [name, port] : ports_)
        names.push_back(name);
    return names;
}

std::string Members::path(const std::string& name) const {
    return (folder_.path() / name).native();
}

std::string Members::data(const std::string& name) const {
    return path("data-" + name);
}

void Members::start(const std::string& name, std::vector<std::string> more) {
    std::string list;
    for (const auto& [member, port] : ports_)
        list += (list.empty() ? "\"" : ",\"") + member + "=ws://127.0.0.1:" + std::to_string(port) +
                "\"";
    std::vector<std::string> arguments{"--datadir", data(name)};
    if (!std::filesystem::exists(data(name)))
        arguments.insert(arguments.end(), {"--genesis", path("genesis.json")});
    const auto set = [&](const std::string& assignment) {
        arguments.insert(arguments.end(), {"--set", assignment});
    };
    set("rpc.port=" + std::to_string(ports_.at(name)));
    set("rpc.jwt_secret=" + path("secret"));
    set("rpc.expose_admin=true");
    set("replication.mode=" + mode_);
    set("replication.name=" + name);
    set("replication.members=[" + list + "]");
    set("replication.primary=a");
    set("replication.acks=" + std::to_string(acks_));
    for (const std::string& option : options_)
        set(option);
    for (const std::string& option : more)
        set(option);
    nodes_[name] = std::make_unique<RunningNode>(arguments);
}

void Members::start_all() {
    for (const std::string& name : names())
        start(name);
    // The first block waits for backups, and may have waited too long by now.
    (void)comes_true([&] {
        return std::ranges::all_of(nodes_, [&](const auto& entry) {
            const auto found = report(entry.first);
            return found.has_value() && found->condition == "good" && found->shown != 0;
        });
    });
}

void Members::kill(const std::string& name) {
    (void)nodes_.at(name)->program().end(SIGKILL);
}

void Members::signal(const std::string& name, int signal) {
    ::kill(nodes_.at(name)->program().process(), signal);
}

bool Members::is_logged(std::string_view text) {
    return comes_true([&] { return logs().find(text) != std::string::npos; });
}

std::string Members::call(const std::string& name, std::string_view method,
                          std::string_view params) const {
    return nodes_.at(name)->call(method, params);
}

std::optional<MemberReport> Members::report(const std::string& name) const {
    const std::string json = call(name, "heddle_replication");
    if (json.find("\"role\"") == std::string::npos) return std::nullopt;
    return MemberReport{text_member(json, "role"), text_member(json, "condition"),
                        number_member(json, "epoch"), number_member(json, "kept"),
                        number_member(json, "shown")};
}

bool Members::is_soon(const std::string& name, std::string_view role, std::string_view condition) {
    return comes_true([&] {
        const auto found = report(name);
        return found.has_value() && found->role == role && found->condition == condition;
    });
}

std::string Members::common_hash(std::uint64_t number) {
    std::string hash;
    const std::string params = fmt::format("[\"0x{:x}\",false]", number);
    const bool is_common = comes_true([&] {
        hash.clear();
        for (const auto& [name, node] : nodes_) {
            if (!node->program().is_running()) continue;
            const std::string json = node->call("eth_getBlockByNumber", params);
            if (json.find("\"hash\"") == std::string::npos) return false;
            const std::string found = text_member(json, "hash");
            if (!hash.empty() && found != hash) return false;
            hash = found;
        }
        return true;
    });
    return is_common ? hash : "";
}

ProgramResult Members::promote(const std::string& name, bool forced) const {
    std::vector<std::string> arguments{"promote", "--rpc",
                                       "http://127.0.0.1:" + std::to_string(port(name)),
                                       "--jwt-secret", path("secret")};
    if (forced) arguments.emplace_back("--force");
    return run_program(arguments);
}

std::string Members::leader() {
    std::string leader;
    (void)comes_true([&] {
        leader.clear();
        for (const auto& [name, node] : nodes_) {
            if (!node->program().is_running()) continue;
            const auto found = report(name);
            if (found.has_value() && found->role == "primary" && found->condition == "good")
                leader = name;
        }
        return !leader.empty();
    });
    return leader;
}

std::string Members::leader_of_all() const {
    std::string leader;
    const bool is_settled = comes_true([&] {
        leader.clear();
        std::set<std::uint64_t> epochs;
        for (const auto& [name, node] : nodes_) {
            const auto found = report(name);
            if (!found.has_value() || found->condition != "good") return false;
            epochs.insert(found->epoch);
            if (found->role != "primary") continue;
            if (!leader.empty()) return false;
            leader = name;
        }
        return !leader.empty() && epochs.size() == 1;
    });
    return is_settled ? leader : "";
}

std::string Members::logs() {
    std::string text;
    for (const auto& [name, node] : nodes_)
        text += "== " + name + "\n" + node->program().error();
    return text;
}

std::string send(Members& members, const std::string& name, std::uint64_t nonce) {
    return members.call(name, "eth_sendRawTransaction",
                        "[\"" + sign_dev_transfer(nonce, kDevAccounts[0]).raw + "\"]");
}

std::string receipt_block(Members& members, const std::string& name, const std::string& hash) {
    const std::string json = members.call(name, "eth_getTransactionReceipt", "[\"" + hash + "\"]");
    return json.find("\"blockHash\"") == std::string::npos ? "" : text_member(json, "blockHash");
}

std::string receipt_block_soon(Members& members, const std::string& name, const std::string& hash) {
    std::string block;
    (void)comes_true([&] {
        block = receipt_block(members, name, hash);
        return !block.empty();
    });
    return block;
}

bool is_receipt_soon(Members& members, const std::string& name, const std::string& hash) {
    return !receipt_block_soon(members, name, hash).empty();
}

std::vector<std::string> load_of(const Members& members, const std::string& name,
                                 std::uint64_t seed) {
    return {"load",       "--rpc",   "http://127.0.0.1:" + std::to_string(members.port(name)),
            "--accounts", "20",      "--connections",
            "2",          "--seed",  std::to_string(seed),
            "--key",      kSecondKey};
}

}  // namespace heddle::test
