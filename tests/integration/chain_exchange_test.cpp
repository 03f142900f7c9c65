// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A development chain in whose place another one comes while the node runs: a fork of a chain, of
// another block of it, and one that forks none; as anvil_reset and hardhat_reset ask for it.
#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "development_node.hpp"
#include "program.hpp"

namespace heddle::test {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kCarol = "0x00000000000000000000000000000000000c0a01";
constexpr std::string_view kFunded = "\"0x21e19e0c9bab2400000\"";

/// Takes questions and answers none.
class SilentSource {
public:
    SilentSource() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* const any = reinterpret_cast<sockaddr*>(&address);
        if (::bind(listener_, any, size) != 0 || ::listen(listener_, 8) != 0 ||
            ::getsockname(listener_, any, &size) != 0)
            throw std::runtime_error("no socket to listen on");
        port_ = ::ntohs(address.sin_port);
    }
    ~SilentSource() {
        ::close(asked_);
        ::close(listener_);
    }
    SilentSource(const SilentSource&) = delete;
    SilentSource& operator=(const SilentSource&) = delete;

    [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
    void wait_for_question() {
        asked_ = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        char first = 0;
        ASSERT_EQ(::recv(asked_, &first, 1, 0), 1);
    }

private:
    int listener_ = -1;
    int asked_ = -1;
    std::uint16_t port_ = 0;
};

/// `node_` is the node whose chain is exchanged; `source_` what it forks: at block N, Carol has N
/// wei.
class ChainExchangeTest : public DevelopmentTest {
protected:
    static constexpr std::uint64_t kBlocks = 6;

    void SetUp() override {
        source_ = std::make_unique<RunningNode>(
            std::vector<std::string>{"--dev", "--seal", "automine", "--chain-id", "4242"});
        for (std::uint64_t i = 0; i < kBlocks; ++i)
            (void)source_->text(
                "eth_sendTransaction",
                fmt::format(R"([{{"from":"{}","to":"{}","value":"0x1"}}])", kAlice, kCarol));
        ASSERT_EQ(source_->number("eth_blockNumber"), kBlocks);
        start({"--fork-cache", "none", "--set", "forking.timeout=2s"});
    }

    [[nodiscard]] std::string url() const {
        return "http://127.0.0.1:" + std::to_string(source_->port());
    }
    std::string fork_at(std::uint64_t block, std::string_view method = "anvil_reset") {
        return ask(method, R"({{"forking":{{"jsonRpcUrl":"{}","blockNumber":{}}}}})", url(), block);
    }
    /// Forked at this block, and nothing has been done since.
    void expect_fresh_fork_at(std::uint64_t block) {
        EXPECT_EQ(ask("eth_chainId"), "\"0x1092\"");
        EXPECT_EQ(head(), block + 1);
        EXPECT_EQ(balance(kCarol), fmt::format("\"0x{:x}\"", block));
        EXPECT_EQ(balance(kBob), kFunded);
        const std::string at = fmt::format(R"(["0x{:x}",true])", block);
        EXPECT_EQ(node_->call("eth_getBlockByNumber", at),
                  source_->call("eth_getBlockByNumber", at));
        EXPECT_THAT(ask("anvil_nodeInfo"),
                    HasSubstr(fmt::format(R"("forkUrl":"{}","forkBlockNumber":{})", url(), block)));
    }
    void expect_fresh_plain_chain() {
        EXPECT_EQ(ask("eth_chainId"), "\"0x539\"");
        EXPECT_EQ(head(), 0U);
        EXPECT_EQ(balance(kCarol), "\"0x0\"");
        EXPECT_EQ(balance(kBob), kFunded);
        EXPECT_THAT(ask("anvil_nodeInfo"), HasSubstr(R"("forkUrl":null)"));
    }
    /// It takes transactions and makes blocks.
    void expect_alive() {
        const std::uint64_t before = head();
        EXPECT_THAT(receipt(send(kAlice, kNobody)), HasSubstr(R"("status":"0x1")"));
        EXPECT_EQ(head(), before + 1);
    }

    std::unique_ptr<RunningNode> source_;
};

TEST_F(ChainExchangeTest, a_plain_chain_becomes_a_fork_and_another_one_and_plain_again) {
    expect_alive();
    EXPECT_EQ(fork_at(3), "null");
    expect_fresh_fork_at(3);
    expect_alive();

    // Another block of the same source, before it and behind it.
    EXPECT_EQ(ask("anvil_reset", R"({{"forking":{{"blockNumber":"0x2"}}}})"), "null");
    expect_fresh_fork_at(2);
    EXPECT_EQ(fork_at(5, "hardhat_reset"), "true");
    expect_fresh_fork_at(5);
    expect_alive();

    // The newest one, where no block is named.
    EXPECT_EQ(ask("hardhat_reset", R"({{"forking":{{"jsonRpcUrl":"{}"}}}})", url()), "true");
    expect_fresh_fork_at(kBlocks);
    expect_alive();

    // Without `forking` anvil's begins anew, hardhat's forks none.
    EXPECT_EQ(ask("anvil_reset"), "null");
    expect_fresh_fork_at(kBlocks);
    EXPECT_EQ(ask("hardhat_reset", "{{}}"), "true");
    expect_fresh_plain_chain();
    expect_alive();
    EXPECT_EQ(ask("hardhat_reset"), "true");
    expect_fresh_plain_chain();
    EXPECT_EQ(node_->program().end(), 0) << node_->program().error();
}

TEST_F(ChainExchangeTest, nothing_of_the_chain_before_is_left) {
    const std::string transaction = send(kAlice, kNobody);
    const std::string snapshot = ask("evm_snapshot");
    const std::string filter = ask("eth_newBlockFilter");
    const std::string before = ask("hardhat_metadata");
    EXPECT_EQ(ask("anvil_impersonateAccount", R"("{}")", kCarol), "null");
    // The first block is a second later than the genesis block, however soon after it.
    EXPECT_THAT(ask("evm_increaseTime", "1000000"), AnyOf("1000000", "1000001"));
    EXPECT_EQ(ask("evm_setAutomine", "false"), "true");
    const std::string waiting = send(kAlice, kNobody);
    EXPECT_THAT(ask("txpool_status"), HasSubstr(R"("pending":"0x1")"));

    EXPECT_EQ(fork_at(4), "null");

    expect_fresh_fork_at(4);
    EXPECT_EQ(receipt(transaction), "null");
    EXPECT_EQ(ask("eth_getTransactionByHash", "{}", waiting), "null");
    EXPECT_THAT(ask("txpool_status"), HasSubstr(R"("pending":"0x0")"));
    EXPECT_EQ(ask("evm_revert", "{}", snapshot), "false");
    EXPECT_THAT(ask("eth_getFilterChanges", "{}", filter), HasSubstr("filter not found"));
    EXPECT_NE(ask("hardhat_metadata"), before);
    EXPECT_THAT(send(kCarol, kNobody), HasSubstr("error"));
    EXPECT_EQ(ask("anvil_getAutomine"), "true");
    EXPECT_LT(time(), static_cast<std::uint64_t>(::time(nullptr)) + 100'000);
    expect_alive();
}

TEST_F(ChainExchangeTest, the_chain_stays_as_it_was_where_the_wish_cannot_be_had) {
    const std::string transaction = send(kAlice, kNobody);
    const std::string snapshot = ask("evm_snapshot");
    const auto refused = [&](std::string_view forking) {
        const std::string answer = ask("anvil_reset", R"({{"forking":{}}})", forking);
        EXPECT_THAT(answer, HasSubstr("\"error\""));
        EXPECT_THAT(answer, HasSubstr("forking"));
        EXPECT_THAT(answer, Not(HasSubstr("--fork-url")));
        return answer;
    };
    // Nobody listens at port 1.
    EXPECT_THAT(refused(R"({"jsonRpcUrl":"http://127.0.0.1:1"})"), HasSubstr("127.0.0.1:1"));
    EXPECT_THAT(refused(R"({"jsonRpcUrl":"ftp://127.0.0.1"})"), HasSubstr("https://"));
    EXPECT_THAT(refused(fmt::format(R"({{"jsonRpcUrl":"{}","blockNumber":999}})", url())),
                HasSubstr("has no block"));
    EXPECT_THAT(refused(R"({"blockNumber":1})"), HasSubstr("jsonRpcUrl is missing"));
    EXPECT_THAT(refused(fmt::format(R"({{"jsonRpcUrl":"{}","httpHeaders":{{"a":"b"}}}})", url())),
                HasSubstr("httpHeaders"));
    // What is no wish at all.
    const auto misunderstood = [&](std::string_view method, std::string_view wish) {
        EXPECT_THAT(ask(method, "{}", wish), HasSubstr("-32602")) << wish;
    };
    for (const std::string_view method : {"anvil_reset", "hardhat_reset"}) {
        misunderstood(method, R"({"forking":5})");
        misunderstood(method, R"({"forking":{"jsonRpcUrl":7}})");
        misunderstood(method,
                      R"({"forking":{"jsonRpcUrl":"http://127.0.0.1:1","blockNumber":-1}})");
        misunderstood(method, R"("http://127.0.0.1:1")");
    }

    EXPECT_EQ(ask("eth_chainId"), "\"0x539\"");
    EXPECT_EQ(head(), 1U);
    EXPECT_THAT(receipt(transaction), HasSubstr(R"("status":"0x1")"));
    expect_alive();
    EXPECT_EQ(ask("evm_revert", "{}", snapshot), "true");
    EXPECT_EQ(head(), 1U);

    EXPECT_EQ(fork_at(3), "null");
    (void)refused(R"({"jsonRpcUrl":"http://127.0.0.1:1"})");
    expect_fresh_fork_at(3);
    expect_alive();
}

/// It would ask itself for what it does not have, until the calls' time is over.
TEST_F(ChainExchangeTest, a_node_is_no_source_of_its_own) {
    const std::string transaction = send(kAlice, kNobody);
    for (const std::string_view scheme : {"http", "ws"}) {
        const std::string answer =
            ask("hardhat_reset", R"({{"forking":{{"jsonRpcUrl":"{}://127.0.0.1:{}"}}}})", scheme,
                node_->port());
        EXPECT_THAT(answer, HasSubstr("it is this node itself that asks")) << scheme;
    }
    EXPECT_THAT(receipt(transaction), HasSubstr(R"("status":"0x1")"));
    expect_alive();
}

/// Its time limit is an hour: what waits for it waits longer than any test.
TEST_F(ChainExchangeTest, who_waits_for_a_silent_source_stops_when_told) {
    SilentSource silent;
    start({"--fork-cache", "none", "--set", "forking.timeout=3600s"});
    std::string answer;
    std::thread waiting{[&] {
        answer = ask("anvil_reset", R"({{"forking":{{"jsonRpcUrl":"{}"}}}})", silent.url());
    }};
    silent.wait_for_question();
    EXPECT_EQ(node_->program().end(), 0) << node_->program().error();
    waiting.join();
    EXPECT_THAT(answer, HasSubstr("cannot be had from the source"));
}

TEST_F(ChainExchangeTest, a_node_that_starts_on_a_silent_source_stops_when_told) {
    SilentSource silent;
    RunningProgram starting{{"dev", "--rpc-port", "0", "--fork-cache", "none", "--fork-url",
                             silent.url(), "--set", "forking.timeout=3600s"}};
    silent.wait_for_question();
    EXPECT_EQ(starting.end(), 0) << starting.error();
}

TEST_F(ChainExchangeTest, a_chain_that_is_kept_in_a_folder_stays_where_it_is) {
    const TemporaryFolder folder;
    start({"--datadir", (folder.path() / "kept").native()});
    expect_alive();
    EXPECT_THAT(fork_at(3), HasSubstr("--datadir"));
    EXPECT_EQ(head(), 1U);
    EXPECT_EQ(ask("hardhat_reset"), "true");
    EXPECT_EQ(head(), 0U);
}

/// Calls that have begun are answered by the chain on which they began, and the figures of the
/// node's pages by the one that there is.
TEST_F(ChainExchangeTest, chains_come_and_go_while_others_ask) {
    constexpr int kExchanges = 12;
    std::atomic<bool> is_over{false};
    std::atomic<int> answers{0};
    const auto keep_asking = [&](std::string_view method, std::string_view params) {
        while (!is_over) {
            const std::string answer = node_->call(method, params);
            ASSERT_THAT(answer, HasSubstr(R"({"jsonrpc":"2.0","id":1,)")) << method;
            ++answers;
        }
    };
    std::vector<std::thread> others;
    others.emplace_back(keep_asking, "eth_getBlockByNumber", R"(["latest",true])");
    others.emplace_back(keep_asking, "eth_sendTransaction",
                        R"([{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",)"
                        R"("to":"0x00000000000000000000000000000000000000aa","value":"0x1"}])");
    others.emplace_back(keep_asking, "eth_getBalance",
                        R"(["0x00000000000000000000000000000000000c0a01","latest"])");
    others.emplace_back([&] {
        while (!is_over) {
            ASSERT_THAT(http_get(node_->port(), "/health"), HasSubstr("200 OK"));
            ASSERT_THAT(http_get(node_->port(), "/metrics"), HasSubstr("heddle_chain_head_number"));
        }
    });
    for (int i = 0; i < kExchanges; ++i) {
        const bool is_fork = i % 3 != 2;
        const std::string done =
            is_fork ? fork_at(static_cast<std::uint64_t>(1 + i % 5)) : ask("hardhat_reset");
        EXPECT_EQ(done, is_fork ? "null" : "true");
        EXPECT_EQ(ask("eth_chainId"), is_fork ? "\"0x1092\"" : "\"0x539\"");
    }
    is_over = true;
    for (std::thread& other : others)
        other.join();
    EXPECT_GT(answers, kExchanges);
    expect_alive();
    EXPECT_EQ(node_->program().end(), 0) << node_->program().error();
}

}  // namespace
}  // namespace heddle::test
