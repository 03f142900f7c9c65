// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

// A node that is killed, loses power or meets a broken disk while clients send transactions: what
// it showed to a client, a receipt or a block, is the same after the next start.

#include <atomic>
#include <chrono>
#include <deque>
#include <filesystem>
#include <iostream>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dice.hpp"
#include "faulted_ledger.hpp"
#include "node_client.hpp"
#include "process.hpp"
#include "recovery.hpp"
#include "running_node.hpp"

namespace heddle::test {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

std::string single(std::string_view text) {
    return R"([")" + std::string{text} + R"("])";
}

/// What a node has shown. Thread safety: any.
class Promises {
public:
    void note_receipt(const std::string& hash, const std::string& receipt) {
        const std::scoped_lock lock{mutex_};
        receipts_.emplace(hash, receipt);
        blocks_[text_member(receipt, "blockNumber")] = text_member(receipt, "blockHash");
    }
    void note_block(const std::string& block) {
        if (text_member(block, "number").empty()) return;
        const std::scoped_lock lock{mutex_};
        blocks_[text_member(block, "number")] = text_member(block, "hash");
    }
    [[nodiscard]] std::size_t receipts() const {
        const std::scoped_lock lock{mutex_};
        return receipts_.size();
    }

    /// Everything is as it was.
    void check(const RunningNode& node) const {
        const std::scoped_lock lock{mutex_};
        Connection connection{node.port()};
        const auto ask = [&](std::string_view method, const std::string& params) {
            connection.send(post_request(rpc_body(method, params)));
            return body_of(connection.receive_response());
        };
        for (const auto& [hash, receipt] : receipts_)
            ASSERT_EQ(ask("eth_getTransactionReceipt", single(hash)), receipt);
        for (const auto& [number, hash] : blocks_)
            ASSERT_EQ(
                text_member(ask("eth_getBlockByNumber", R"([")" + number + R"(",false])"), "hash"),
                hash)
                << "block " << number;
    }

private:
    mutable std::mutex mutex_;
    std::map<std::string, std::string> receipts_;  // by transaction
    std::map<std::string, std::string> blocks_;    // hashes by number
};

/// Sends transfers and asks for their receipts until the node is gone, one account a thread.
class Load {
public:
    Load(std::uint16_t port, Promises& promises) : port_(port), promises_(promises) {
        for (const DevAccount& account : kDevAccounts)
            threads_.emplace_back([this, &account] { run(account); });
    }
    ~Load() {
        is_stopping_ = true;
        for (std::thread& thread : threads_)
            thread.join();
    }
    Load(const Load&) = delete;
    Load& operator=(const Load&) = delete;

    /// The node does not answer any more.
    [[nodiscard]] bool is_over() const { return over_ == threads_.size(); }

private:
    // Few, so that there are many small blocks.
    static constexpr std::size_t kInFlight = 5;

    void run(const DevAccount& account) {
        Connection connection{port_};
        const std::string count =
            ask(connection, rpc_body("eth_getTransactionCount",
                                     R"([")" + std::string{account.address} + R"(","latest"])"));
        const std::string digits = text_member(count, "result");
        std::uint64_t nonce = digits.empty() ? 0 : std::stoull(digits, nullptr, 16);
        std::deque<std::string> waiting;
        while (connection.is_open() && !is_stopping_) {
            if (waiting.size() < kInFlight) {
                const SignedTransaction tx = sign_dev_transfer(nonce++, account);
                // One that waits since before a restart is known; that is as good.
                (void)ask(connection, rpc_body("eth_sendRawTransaction", single(tx.raw)));
                waiting.push_back(tx.hash);
            }
            const std::string receipt =
                ask(connection, rpc_body("eth_getTransactionReceipt", single(waiting.front())));
            if (receipt.find(R"("blockHash")") != std::string::npos) {
                promises_.note_receipt(waiting.front(), receipt);
                waiting.pop_front();
            }
            promises_.note_block(
                ask(connection, rpc_body("eth_getBlockByNumber", R"(["latest",false])")));
        }
        ++over_;
    }
    static std::string ask(Connection& connection, const std::string& body) {
        std::string response;
        if (connection.is_open() && connection.send(post_request(body)))
            response = connection.receive_response();
        if (response.empty()) connection.close();
        return body_of(response);
    }

    const std::uint16_t port_;
    Promises& promises_;
    std::atomic<bool> is_stopping_ = false;
    std::atomic<std::size_t> over_ = 0;
    std::vector<std::thread> threads_;
};

void nap(std::uint64_t milliseconds) {
    std::this_thread::sleep_for(std::chrono::milliseconds{milliseconds});
}

/// Starts on what is left: everything is there, the chain goes on, and the node ends as it should.
void check_recovery_of_node(const std::vector<std::string>& arguments, Promises& promises) {
    RunningNode node{arguments};
    ASSERT_NE(node.port(), 0) << node.program().error();
    promises.check(node);
    {
        const std::size_t before = promises.receipts();
        const Load load{node.port(), promises};
        while (promises.receipts() < before + 3 && !load.is_over())
            nap(5);
    }
    EXPECT_EQ(node.program().end(SIGTERM), 0) << node.program().error();
    const ProcessResult verified =
        run_process({HEDDLE_PROGRAM, "verify", "--datadir", arguments.at(2)});
    EXPECT_EQ(verified.exit_code, 0) << verified.ending();
}

/// What stands for a disk; the shim keeps beside it what may have to come back.
std::string disk_of(const TemporaryFolder& folder) {
    return folder / "disk";
}

std::vector<std::string> node_arguments(const TemporaryFolder& folder, std::string_view sync) {
    std::filesystem::create_directory(disk_of(folder));
    return {"--dev",    "--datadir", disk_of(folder) + "/data", "--sync", std::string{sync},
            "--memory", "64"};
}

/// One life under load, ended by SIGKILL some time after a receipt.
void live_until_killed(const std::vector<std::string>& arguments, Dice& dice, Promises& promises) {
    RunningNode node{arguments};
    ASSERT_NE(node.port(), 0) << node.program().error();
    promises.check(node);
    const std::size_t wanted = promises.receipts() + dice.below(60);
    const Load load{node.port(), promises};
    while (promises.receipts() < wanted && !load.is_over())
        nap(1);
    nap(dice.below(40));
    EXPECT_EQ(node.program().end(SIGKILL), -1);
}

TEST(NodeDurability, keeps_what_it_showed_when_it_is_killed_under_load) {
    std::size_t receipts = 0;
    for_each_seed("HEDDLE_CRASH_NODE_KILLS", 3, [&](std::uint64_t seed) {
        Dice dice(seed);
        const std::string sync = dice.one_in(2) ? "block" : "64";
        const TemporaryFolder folder = TemporaryFolder::in_memory();
        const auto arguments = node_arguments(folder, sync);
        Promises promises;
        for (int life = 0; life < 3 && !testing::Test::HasFatalFailure(); ++life)
            live_until_killed(arguments, dice, promises);
        check_recovery_of_node(arguments, promises);
        receipts += promises.receipts();
        return "sync " + sync + ", receipts " + std::to_string(promises.receipts()) + "\n";
    });
    std::cout << receipts << " receipts\n" << std::flush;
}

/// Lives under load until the fault ends it, or long enough for a fault that ended nothing.
/// @return the exit code; -1: it was killed.
int live_with_fault(RunningNode& node, Promises& promises) {
    constexpr std::size_t kEnough = 300;
    if (node.port() == 0) return node.program().wait();
    const Load load{node.port(), promises};
    while (promises.receipts() < kEnough && !load.is_over())
        nap(1);
    // Where nothing answers, the end has begun, and nobody must ask for it.
    return load.is_over() ? node.program().wait() : node.program().end(SIGTERM);
}

/// A directory with a chain, so that the fault meets blocks more often than the making of it.
void make_chain(const std::vector<std::string>& arguments) {
    RunningNode node{arguments};
    EXPECT_EQ(node.program().end(SIGTERM), 0) << node.program().error();
}

Variables shim(const TemporaryFolder& folder) {
    return {{"LD_PRELOAD", HEDDLE_FAULT_SHIM},
            {"HEDDLE_FAULT_DIR", disk_of(folder)},
            {"HEDDLE_FAULT_REPORT", folder / "report"}};
}

/// How often each operation occurs in an undisturbed life.
const OperationCounts& usual_counts() {
    static const OperationCounts counts = [] {
        const TemporaryFolder folder = TemporaryFolder::in_memory();
        const auto arguments = node_arguments(folder, "block");
        make_chain(arguments);
        Promises promises;
        RunningNode node{arguments, shim(folder)};
        EXPECT_EQ(live_with_fault(node, promises), 0) << node.program().error();
        return OperationCounts::parse(read_file(folder / "report"));
    }();
    return counts;
}

Variables choose_fault(const TemporaryFolder& folder, Dice& dice) {
    Variables fault = shim(folder);
    fault.emplace_back("HEDDLE_FAULT_SEED", std::to_string(dice.next()));
    choose_position(usual_counts(), dice, fault);
    return fault;
}

std::string describe(const Variables& fault) {
    std::string text;
    for (const auto& [name, value] : fault)
        text.append(name).append("=").append(value).append(" ");
    return text + "\n";
}

TEST(NodeDurability, stops_with_a_clear_message_when_the_disk_fails_under_load) {
    int stopped = 0;
    for_each_seed("HEDDLE_CRASH_NODE_DISK_ERRORS", 5, [&](std::uint64_t seed) {
        Dice dice(seed);
        const TemporaryFolder folder = TemporaryFolder::in_memory();
        const auto arguments = node_arguments(folder, dice.one_in(2) ? "block" : "64");
        Variables fault = choose_fault(folder, dice);
        fault.emplace_back("HEDDLE_FAULT_ACTION", "error");
        fault.emplace_back("HEDDLE_FAULT_ERROR", dice.one_in(3) ? "EIO" : "ENOSPC");
        fault.emplace_back("HEDDLE_FAULT_SPAN",
                           dice.pick(std::vector<std::string>{"once", "on", "short"}));
        Promises promises;
        make_chain(arguments);
        {
            RunningNode node{arguments, fault};
            const int code = live_with_fault(node, promises);
            EXPECT_THAT(code, AnyOf(0, 3)) << node.program().error();
            if (code != 0) ++stopped;
            // Some operations are only attempts, such as reserving room.
            if (code != 0)
                EXPECT_THAT(node.program().error(),
                            AnyOf(HasSubstr("the disk is full"), HasSubstr("the disk failed")));
            else
                EXPECT_GT(promises.receipts(), 0U);
        }
        check_recovery_of_node(arguments, promises);
        return describe(fault) + std::to_string(promises.receipts()) + " receipts\n";
    });
    std::cout << stopped << " stopped\n" << std::flush;
}

TEST(NodeDurability, keeps_what_it_showed_when_the_power_fails_under_load) {
    int lost = 0;
    for_each_seed("HEDDLE_CRASH_NODE_POWER_LOSSES", 4, [&](std::uint64_t seed) {
        Dice dice(seed);
        const TemporaryFolder folder = TemporaryFolder::in_memory();
        const auto arguments = node_arguments(folder, "block");
        Variables fault = choose_fault(folder, dice);
        fault.emplace_back("HEDDLE_FAULT_ACTION", "power");
        Promises promises;
        make_chain(arguments);
        {
            RunningNode node{arguments, fault};
            const int code = live_with_fault(node, promises);
            EXPECT_THAT(code, AnyOf(0, -1)) << node.program().error();
            if (code != 0) ++lost;
        }
        check_recovery_of_node(arguments, promises);
        return describe(fault) + std::to_string(promises.receipts()) + " receipts\n";
    });
    std::cout << lost << " lost power\n" << std::flush;
}

}  // namespace
}  // namespace heddle::test
