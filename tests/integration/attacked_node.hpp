// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A node that seals a block every half second while a test attacks it, and the well-behaved client
// that watches it meanwhile. Not for tests of what is answered: see running_node_test.cpp.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "node_client.hpp"
#include "running_node.hpp"

namespace heddle::test {

// Programs, in hexadecimal; each also runs as the data of a transaction that creates a contract.
inline constexpr std::string_view kEndlessLoop = "5b5f56";
/// Touches one more word of memory each time round.
inline constexpr std::string_view kEndlessMemory = "5b5f59525f56";
/// Loops with 64 KiB of memory.
inline constexpr std::string_view kLoopWithMemory = "5f62010000525b600656";
/// Hashes 64 KiB each time round.
inline constexpr std::string_view kEndlessKeccak = "5b620100005f20505f56";
/// With 32 KiB of memory, creates contracts that do the same.
inline constexpr std::string_view kEndlessRecursion = "5b385f5f395f61800052385f5ff0505f56";
/// Calls itself, which has no code yet, with 64 KiB of input each time round.
inline constexpr std::string_view kManyCalls = "5b5f5f620100005f5f305af1505f56";
/// LOG1 as long as there is gas.
inline constexpr std::string_view kManyLogs = "5b5f5f5fa15a6107d0105f5700";

/// The body of a call that runs `code` with as much gas as there is.
[[nodiscard]] std::string call_of(std::string_view code, std::string_view method = "eth_call");
/// The body of one simulation of `blocks` blocks with ten such calls each.
[[nodiscard]] std::string simulation_of(std::string_view code, int blocks);
[[nodiscard]] std::size_t count_of(std::string_view text, std::string_view part);

/// Raises the limit of open files where that is allowed.
[[nodiscard]] std::vector<Connection> open_many(std::uint16_t port, std::size_t count);
[[nodiscard]] bool open_websocket(Connection& connection);
/// A frame of less than 65,536 bytes.
[[nodiscard]] std::string websocket_text(std::string_view text);

class AttackedNode {
public:
    explicit AttackedNode(std::vector<std::string> more = {});
    ~AttackedNode();
    AttackedNode(const AttackedNode&) = delete;
    AttackedNode& operator=(const AttackedNode&) = delete;

    [[nodiscard]] std::uint16_t port() const noexcept { return node_.port(); }
    [[nodiscard]] std::string ask(std::string_view method, std::string_view params) const {
        return ask_body(rpc_body(method, params));
    }
    [[nodiscard]] std::string ask_body(const std::string& body) const;

    /// Creates a contract with `code` and `gas`. @return the hash once it is in a block.
    std::string execute(std::string_view code, std::uint64_t gas);
    void fill_blocks_with_logs(int transactions, std::uint64_t gas);
    void wait_for_blocks(std::uint64_t count) const;
    /// Every one of `clients` clients sends all `bodies`, and must get an answer to each.
    void attack(int clients, const std::vector<std::string>& bodies) const;

    /// Ends the watch and then the node; fails the test where either went wrong.
    void expect_unharmed();

private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds kBlockTime{500};

    [[nodiscard]] std::string send(std::string_view code, std::uint64_t gas);
    void wait_for_receipt(const std::string& hash) const;
    void watch();
    void keep_time();
    [[nodiscard]] std::size_t resident_kilobytes() const;

    RunningNode node_;
    const pid_t process_ = node_.program().process();
    std::uint64_t nonce_ = 0;
    std::atomic<bool> is_over_ = false;
    std::atomic<std::uint64_t> answers_ = 0;
    /// For which the test itself was let run: while somebody stops the machine's processes, no
    /// blocks are expected of the node either.
    std::atomic<Clock::duration> run_time_{};
    // Written by the thread of the watch, read when it has ended.
    std::uint64_t blocks_ = 0;
    Clock::duration longest_wait_{};
    Clock::duration watched_{};
    std::size_t memory_before_ = 0;
    std::size_t most_memory_ = 0;
    std::atomic<std::uint64_t> head_ = 0;
    std::thread watch_;
    std::thread timekeeper_;
};

}  // namespace heddle::test
