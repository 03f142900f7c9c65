// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A development chain that forks another running node: the same answers at and below the fork
// point, its own blocks on top, and a source that is gone, back, or was never there.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "development_node.hpp"
#include "program.hpp"

namespace heddle::test {
namespace {

using testing::HasSubstr;

constexpr std::string_view kCarol = "0x00000000000000000000000000000000000c0a01";
// Stores 7 at slot 1 and returns a contract that returns slot 1, logging its value first.
constexpr std::string_view kMakesContract =
    "0x6007600155600e80600e5f395ff36001545f5260205fa060205ff300";

/// `node_` is the fork, `source_` what it is forked from.
class ForkedChainTest : public DevelopmentTest {
protected:
    void SetUp() override {
        start_source();
        // A history: payments, a contract, a log.
        for (int i = 0; i < 4; ++i)
            pay(kBob, i + 1);
        const std::string made =
            source_text("eth_sendTransaction",
                        fmt::format(R"([{{"from":"{}","data":"{}"}}])", kAlice, kMakesContract));
        creation_ = made;
        const std::string receipt =
            source_->call("eth_getTransactionReceipt", fmt::format(R"(["{}"])", made));
        constexpr std::string_view kName = R"("contractAddress":")";
        contract_ = receipt.substr(receipt.find(kName) + kName.size(), 42);
        logging_ = source_text("eth_sendTransaction",
                               fmt::format(R"([{{"from":"{}","to":"{}"}}])", kAlice, contract_));
        pay(kCarol, 5);
        point_ = source_->number("eth_blockNumber");
        // What comes after the fork point is nothing to the fork.
        pay(kCarol, 6);
        fork();
    }

    void start_source(int port = 0) {
        std::vector<std::string> arguments{"--dev",
                                           "--seal",
                                           "automine",
                                           "--chain-id",
                                           "4242",
                                           "--datadir",
                                           (folder_.path() / "source").native(),
                                           "--sync",
                                           "1s"};
        if (port != 0)
            arguments.insert(arguments.end(), {"--set", fmt::format("rpc.port={}", port)});
        source_ = std::make_unique<RunningNode>(arguments);
        port_ = source_->port();
    }
    void fork(std::vector<std::string> more = {}) {
        node_.reset();
        more.insert(more.begin(), {"--dev", "--seal", "automine", "--fork-url", url(),
                                   "--fork-block", std::to_string(point_), "--fork-cache", cache(),
                                   "--set", "forking.timeout=2s"});
        node_ = std::make_unique<RunningNode>(more);
    }
    [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
    [[nodiscard]] std::string cache() const { return (folder_.path() / "cache").native(); }
    std::string source_text(std::string_view method, std::string_view params) {
        return source_->text(method, params);
    }
    void pay(std::string_view to, int ether) {
        (void)source_text(
            "eth_sendTransaction",
            fmt::format(R"([{{"from":"{}","to":"{}","value":"0x{:x}"}}])", kAlice, to, ether));
    }
    /// That both say the same.
    void expect_same(std::string_view method, const std::string& params) {
        const std::string wanted = source_->call(method, params);
        ASSERT_THAT(wanted, HasSubstr("result")) << method << params;
        EXPECT_EQ(node_->call(method, params), wanted) << method << params;
    }
    [[nodiscard]] std::string at_point() const { return fmt::format("0x{:x}", point_); }

    const TemporaryFolder folder_;
    std::unique_ptr<RunningNode> source_;
    std::uint16_t port_ = 0;
    std::uint64_t point_ = 0;
    std::string contract_;
    std::string creation_;
    std::string logging_;
};

TEST_F(ForkedChainTest, answers_as_its_source_at_and_below_the_fork_point) {
    for (std::uint64_t number = 0; number <= point_; ++number) {
        const std::string block = fmt::format("\"0x{:x}\"", number);
        expect_same("eth_getBlockByNumber", "[" + block + ",true]");
        expect_same("eth_getBlockReceipts", "[" + block + "]");
        expect_same("debug_getRawBlock", "[" + block + "]");
        expect_same("eth_getLogs", fmt::format(R"([{{"fromBlock":{0},"toBlock":{0}}}])", block));
        for (const std::string_view account : {kAlice, kBob, kCarol, kNobody})
            for (const std::string_view method :
                 {"eth_getBalance", "eth_getTransactionCount", "eth_getCode"})
                expect_same(method, fmt::format(R"(["{}",{}])", account, block));
        expect_same("eth_getStorageAt", fmt::format(R"(["{}","0x1",{}])", contract_, block));
        expect_same("eth_call", fmt::format(R"([{{"to":"{}"}},{}])", contract_, block));
    }
    expect_same("eth_getLogs",
                fmt::format(R"([{{"fromBlock":"0x0","toBlock":"{}"}}])", at_point()));
    for (const std::string& hash : {creation_, logging_})
        for (const std::string_view method :
             {"eth_getTransactionByHash", "eth_getTransactionReceipt", "debug_traceTransaction"})
            expect_same(method, fmt::format(R"(["{}"])", hash));
    expect_same("eth_chainId", "[]");
    expect_same("eth_getProof", fmt::format(R"(["{}",["0x1"],"{}"])", contract_, at_point()));
}

TEST_F(ForkedChainTest, goes_on_by_itself_from_there) {
    EXPECT_EQ(head(), point_ + 1);
    EXPECT_EQ(balance(kCarol), "\"0x5\"");
    // The development accounts are funded, and the contract is what it was.
    EXPECT_EQ(balance(kBob), "\"0x21e19e0c9bab2400000\"");
    EXPECT_EQ(ask("eth_call", R"({{"to":"{}"}},"latest")", contract_), "\"0x" + word(7) + "\"");
    const std::string hash = send(kAlice, kCarol, "0x2");
    EXPECT_THAT(receipt(hash), HasSubstr(R"("status":"0x1")"));
    EXPECT_EQ(balance(kCarol), "\"0x7\"");
    EXPECT_EQ(balance(kCarol, at_point()), "\"0x5\"");
    const std::string logging =
        ask("eth_sendTransaction", R"({{"from":"{}","to":"{}"}})", kAlice, contract_);
    EXPECT_THAT(receipt(logging), HasSubstr(contract_));
    // The two logs, one of them the source's.
    const std::string logs =
        ask("eth_getLogs", R"({{"fromBlock":"0x0","address":"{}"}})", contract_);
    EXPECT_THAT(logs, HasSubstr(logging_));
    EXPECT_THAT(logs, HasSubstr(logging.substr(1, 66)));
    const std::string parent = ask("eth_getBlockByNumber", R"("{}",false)", at_point());
    const std::string first = ask("eth_getBlockByNumber", R"("0x{:x}",false)", point_ + 1);
    constexpr std::string_view kHash = R"("hash":")";
    EXPECT_THAT(first, HasSubstr(R"("parentHash":")" +
                                 parent.substr(parent.find(kHash) + kHash.size(), 66)));
    // And the source knows nothing of it.
    EXPECT_EQ(source_text("eth_getBalance", fmt::format(R"(["{}","latest"])", kCarol)), "0xb");
}

TEST_F(ForkedChainTest, does_all_that_a_development_chain_does) {
    const std::string snapshot = ask("evm_snapshot");
    EXPECT_EQ(ask("anvil_setBalance", R"("{}","0x9")", kCarol), "null");
    EXPECT_EQ(ask("anvil_setStorageAt", R"("{}","0x1","0x{}")", contract_, word(9)), "true");
    EXPECT_EQ(balance(kCarol), "\"0x9\"");
    EXPECT_EQ(ask("eth_call", R"({{"to":"{}"}},"latest")", contract_), "\"0x" + word(9) + "\"");
    EXPECT_EQ(ask("anvil_mine", "\"0x3\""), "null");
    EXPECT_EQ(ask("eth_call", R"({{"to":"{}"}},"latest")", contract_), "\"0x" + word(9) + "\"");
    EXPECT_EQ(ask("anvil_impersonateAccount", R"("{}")", contract_), "null");
    EXPECT_EQ(ask("anvil_setBalance", R"("{}","0xde0b6b3a7640000")", contract_), "null");
    EXPECT_THAT(receipt(send(contract_, kNobody)), HasSubstr(R"("status":"0x1")"));
    EXPECT_EQ(ask("evm_revert", "{}", snapshot), "true");
    EXPECT_EQ(head(), point_ + 1);
    EXPECT_EQ(balance(kCarol), "\"0x5\"");
    EXPECT_EQ(ask("eth_call", R"({{"to":"{}"}},"latest")", contract_), "\"0x" + word(7) + "\"");
    EXPECT_EQ(ask("anvil_mine", "\"0x2\""), "null");
    for (const std::string& forking :
         {fmt::format(R"({{"jsonRpcUrl":"{}","blockNumber":{}}})", url(), point_),
          fmt::format(R"({{"blockNumber":"{}"}})", at_point()), std::string{"{}"}}) {
        EXPECT_EQ(ask("hardhat_reset", R"({{"forking":{}}})", forking), "true");
        EXPECT_EQ(head(), point_ + 1);
        EXPECT_EQ(ask("anvil_mine", "\"0x2\""), "null");
    }
    EXPECT_EQ(ask("anvil_reset"), "null");
    EXPECT_EQ(head(), point_ + 1);
    EXPECT_THAT(ask("eth_getProof", R"("{}",[],"latest")", kCarol), HasSubstr("no proofs"));
}

TEST_F(ForkedChainTest, knows_the_hashes_of_blocks_below_it) {
    // Returns the hash of the block whose number it is called with.
    constexpr std::string_view kTellsHash = "0x5f35405f5260205ff3";
    EXPECT_EQ(ask("anvil_setCode", R"("{}","{}")", kContract, kTellsHash), "null");
    for (std::uint64_t number = 0; number <= point_; ++number) {
        const std::string block = ask("eth_getBlockByNumber", R"("0x{:x}",false)", number);
        constexpr std::string_view kHash = R"("hash":")";
        EXPECT_EQ(
            ask("eth_call", R"({{"to":"{}","data":"0x{}"}},"latest")", kContract, word(number)),
            "\"" + block.substr(block.find(kHash) + kHash.size(), 66) + "\"");
    }
}

TEST_F(ForkedChainTest, goes_on_while_its_source_is_gone_with_what_it_has_read) {
    EXPECT_EQ(balance(kCarol), "\"0x5\"");
    EXPECT_THAT(receipt(send(kAlice, kCarol, "0x1")), HasSubstr(R"("status":"0x1")"));
    EXPECT_EQ(source_->program().end(), 0);

    EXPECT_EQ(balance(kCarol), "\"0x6\"");
    const std::string unread = balance(kNobody);
    EXPECT_THAT(unread, HasSubstr("cannot be had from the source of the fork"));
    EXPECT_THAT(unread, HasSubstr(kNobody));
    // What can be executed is; what cannot be is not taken, and says why.
    EXPECT_THAT(receipt(send(kAlice, kCarol, "0x1")), HasSubstr(R"("status":"0x1")"));
    const std::uint64_t before = head();
    const std::string refused = ask(
        "eth_sendTransaction", R"({{"from":"{}","to":"{}","gas":"0x186a0"}})", kAlice, contract_);
    EXPECT_THAT(refused, HasSubstr("the transaction is not taken"));
    EXPECT_THAT(refused, HasSubstr(contract_));
    EXPECT_EQ(head(), before);
    EXPECT_EQ(ask("evm_mine"), "\"0x0\"");

    start_source(port_);
    while (balance(kNobody).find("error") != std::string::npos)
        std::this_thread::sleep_for(std::chrono::milliseconds{50});
    EXPECT_EQ(balance(kNobody), "\"0x0\"");
    EXPECT_THAT(receipt(send(kAlice, contract_, "0x0")), HasSubstr(R"("status":"0x1")"));
}

TEST_F(ForkedChainTest, needs_no_source_for_what_an_earlier_run_has_read) {
    EXPECT_EQ(balance(kCarol), "\"0x5\"");
    EXPECT_EQ(ask("eth_call", R"({{"to":"{}"}},"latest")", contract_), "\"0x" + word(7) + "\"");
    const std::string block = ask("eth_getBlockByNumber", R"("{}",true)", at_point());
    EXPECT_EQ(ask("evm_mine"), "\"0x0\"");
    node_.reset();
    EXPECT_EQ(source_->program().end(), 0);

    fork({"--fork-offline"});
    EXPECT_EQ(head(), point_ + 1);
    EXPECT_EQ(balance(kCarol), "\"0x5\"");
    EXPECT_EQ(ask("eth_call", R"({{"to":"{}"}},"latest")", contract_), "\"0x" + word(7) + "\"");
    EXPECT_EQ(ask("eth_getBlockByNumber", R"("{}",true)", at_point()), block);
    EXPECT_THAT(balance(kNobody), HasSubstr("--fork-offline"));
    EXPECT_EQ(ask("evm_mine"), "\"0x0\"");
}

TEST_F(ForkedChainTest, fetches_again_what_is_damaged_in_its_cache) {
    EXPECT_EQ(balance(kCarol), "\"0x5\"");
    node_.reset();
    int files = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator{cache()}) {
        if (entry.path().extension() != ".fork") continue;
        std::string text = read_text(entry.path());
        // Another balance, with the checksum of the one before.
        for (std::size_t at = 0; (at = text.find(" 0x5 0x", at)) != std::string::npos; ++at)
            text[at + 3] = '6';
        std::ofstream{entry.path(), std::ios::binary} << text;
        ++files;
    }
    EXPECT_GE(files, 1);
    fork();
    EXPECT_EQ(balance(kCarol), "\"0x5\"");
    EXPECT_THAT(node_->program().error(), HasSubstr("damaged"));
}

TEST_F(ForkedChainTest, proves_what_it_reads_where_that_is_wanted) {
    fork({"--fork-verify", "--set", "forking.cache=" + (folder_.path() / "proven").native()});
    EXPECT_EQ(balance(kCarol), "\"0x5\"");
    EXPECT_EQ(ask("eth_call", R"({{"to":"{}"}},"latest")", contract_), "\"0x" + word(7) + "\"");
    EXPECT_THAT(receipt(send(kAlice, contract_, "0x0")), HasSubstr(R"("status":"0x1")"));
    EXPECT_THAT(node_->program().error(), HasSubstr("every value proven"));
}

TEST_F(ForkedChainTest, nodes_that_fork_each_other_do_not_wait_for_each_other) {
    const auto url_of = [](RunningNode& node) {
        return fmt::format("http://127.0.0.1:{}", node.port());
    };
    RunningNode other({"--dev", "--seal", "automine", "--fork-url", url_of(*node_), "--fork-cache",
                       "none", "--set", "forking.timeout=2s"});
    // Its source goes over to a fork of it: what neither has is with nobody.
    const std::string reset = node_->call(
        "anvil_reset", fmt::format(R"([{{"forking":{{"jsonRpcUrl":"{}"}}}}])", url_of(other)));
    ASSERT_THAT(reset, HasSubstr(R"("result":null)"));
    const std::string answer =
        other.call("eth_getBalance", fmt::format(R"(["0x{:040x}","0x1"])", 0xabcdef));
    EXPECT_THAT(answer, HasSubstr("it is this node itself that asks"))
        << "in place of a time limit that is over";
}

TEST_F(ForkedChainTest, refuses_what_makes_no_sense_with_it) {
    const auto refused = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"node", "--rpc-port", "0"});
        const ProgramResult result = run_program(arguments);
        EXPECT_EQ(result.exit_code, 2) << result.error;
        return result.error;
    };
    const std::string folder = (folder_.path() / "kept").native();
    EXPECT_THAT(refused({"--fork-url", url()}), HasSubstr("--dev"));
    EXPECT_THAT(refused({"--dev", "--fork-url", url(), "--datadir", folder}),
                HasSubstr("--datadir"));
    EXPECT_THAT(refused({"--dev", "--fork-url", url(), "--record", folder}), HasSubstr("--record"));
    EXPECT_THAT(refused({"--dev", "--fork-url", url(), "--chain-id", "7"}),
                HasSubstr("--chain-id"));
    EXPECT_THAT(refused({"--dev", "--fork-url", url(), "--follow", url()}), HasSubstr("--follow"));
    EXPECT_THAT(refused({"--dev", "--fork-url", url(), "--set", "replication.mode=sync"}),
                HasSubstr("replication.mode"));
    EXPECT_THAT(refused({"--dev", "--fork-block", "7"}), HasSubstr("--fork-url"));
    EXPECT_THAT(refused({"--dev", "--fork-url", "ftp://127.0.0.1"}), HasSubstr("https://"));
    EXPECT_THAT(refused({"--dev", "--fork-url", url(), "--fork-block", "99999"}),
                HasSubstr("has no block 99999"));
    EXPECT_THAT(refused({"--dev", "--fork-url", url(), "--fork-block", "5", "--fork-offline",
                         "--fork-cache", folder}),
                HasSubstr("--fork-offline"));
}

}  // namespace
}  // namespace heddle::test
