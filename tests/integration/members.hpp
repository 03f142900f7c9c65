// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A replicated chain of running nodes, for tests that kill, stop and promote them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "comes_true.hpp"
#include "running_node.hpp"

namespace heddle::test {

/// Chain 1337 up to Cancun, with the first two accounts of `node --dev`.
inline constexpr std::string_view kMembersGenesis = R"({"config": {"chainId": 1337,
    "homesteadBlock": 0, "eip150Block": 0, "eip155Block": 0, "eip158Block": 0, "byzantiumBlock": 0,
    "constantinopleBlock": 0, "petersburgBlock": 0, "istanbulBlock": 0, "berlinBlock": 0,
    "londonBlock": 0, "terminalTotalDifficulty": 0, "shanghaiTime": 0, "cancunTime": 0,
    "blobSchedule": {"cancun": {"target": 3, "max": 6, "baseFeeUpdateFraction": 3338477}}},
    "difficulty": "0x0", "gasLimit": "0x1c9c380",
    "alloc": {"0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266":
              {"balance": "0xd3c21bcecceda1000000"},
              "0x70997970C51812dc3A010C7d01b50e0d17dc79C8":
              {"balance": "0xd3c21bcecceda1000000"}}})";

/// A port of this machine that nobody has, and nobody gets while the test runs: it lies below those
/// that the system gives to connections, and other tests that ask here are given others. So what
/// ends can begin again at it.
[[nodiscard]] std::uint16_t free_port();

/// How a member is, as heddle_replication says.
struct MemberReport {
    std::string role;
    std::string condition;
    std::uint64_t epoch = 0;
    std::uint64_t kept = 0;
    std::uint64_t shown = 0;
};

class Members {
public:
    /// Members `a`, `b`, …; `a` leads first. Options are of every one.
    Members(std::size_t count, std::string mode, std::size_t acks,
            std::vector<std::string> options = {});

    [[nodiscard]] std::vector<std::string> names() const;
    [[nodiscard]] std::string data(const std::string& name) const;
    [[nodiscard]] std::string path(const std::string& name) const;
    void start(const std::string& name, std::vector<std::string> more = {});
    /// Until all of them show the first block.
    void start_all();
    [[nodiscard]] RunningNode& node(const std::string& name) { return *nodes_.at(name); }
    [[nodiscard]] std::uint16_t port(const std::string& name) const { return ports_.at(name); }
    /// As `kill -9`.
    void kill(const std::string& name);
    void signal(const std::string& name, int signal);

    /// nullopt: it does not answer.
    [[nodiscard]] std::optional<MemberReport> report(const std::string& name) const;
    /// Whether it is so within a minute.
    [[nodiscard]] bool is_soon(const std::string& name, std::string_view role,
                               std::string_view condition);
    /// All of them show this block's hash. @return the hash; empty: they do not within a minute.
    [[nodiscard]] std::string common_hash(std::uint64_t number);
    [[nodiscard]] ProgramResult promote(const std::string& name, bool forced = false) const;
    /// A member that leads, of those running; empty: none within a minute. Where one may lead that
    /// nobody else has promised anything, two can do so until they have heard of each other.
    [[nodiscard]] std::string leader();
    /// The member that leads, and that all others follow; empty: there is none within a minute.
    [[nodiscard]] std::string leader_of_all() const;
    [[nodiscard]] std::string logs();
    /// Whether a log has this text within a minute.
    [[nodiscard]] bool is_logged(std::string_view text);

    /// One call; a connection of its own, empty where nobody answers.
    [[nodiscard]] std::string call(const std::string& name, std::string_view method,
                                   std::string_view params = "[]") const;

private:
    const TemporaryFolder folder_;
    const std::string mode_;
    const std::size_t acks_;
    const std::vector<std::string> options_;
    std::map<std::string, std::uint16_t> ports_;
    std::map<std::string, std::unique_ptr<RunningNode>> nodes_;
};

/// A transfer of the first account.
std::string send(Members& members, const std::string& name, std::uint64_t nonce);

/// The hash of the block that a receipt is of; empty: there is none, or nobody answered.
std::string receipt_block(Members& members, const std::string& name, const std::string& hash);

/// The same within a minute: a member that has just begun to lead or to follow starts again.
std::string receipt_block_soon(Members& members, const std::string& name, const std::string& hash);

bool is_receipt_soon(Members& members, const std::string& name, const std::string& hash);

/// Arguments of the program for as many transfers as the machine takes, from the second account and
/// those that it pays.
std::vector<std::string> load_of(const Members& members, const std::string& name,
                                 std::uint64_t seed);

}  // namespace heddle::test
