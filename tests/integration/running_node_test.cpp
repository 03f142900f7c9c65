// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The node as its operator meets it: started, asked, stopped, started again; and what it says when
// it cannot start.
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <types/bytes.hpp>
#include <types/signing.hpp>
#include <types/transaction.hpp>

#include "comes_true.hpp"
#include "node_client.hpp"
#include "pending_signals.hpp"
#include "running_node.hpp"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

// The first development account and its key.
constexpr std::string_view kAccount = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
constexpr std::string_view kSecret =
    "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

/// A signed transfer of one wei as parameters of eth_sendRawTransaction.
std::string raw_transfer(std::uint64_t nonce) {
    Transaction tx;
    tx.type = TransactionType::dynamic_fee;
    tx.chain_id = 1337;
    tx.nonce = nonce;
    tx.max_fee_per_gas = Uint256{20'000'000'000};
    tx.max_priority_fee_per_gas = Uint256{1'000'000'000};
    tx.gas_limit = 21'000;
    tx.to = address_from_low64(0x1234);
    tx.value = Uint256{1};
    EXPECT_TRUE(sign_transaction(tx, hash_from_hex(kSecret).value()));
    Bytes encoded;
    encode_transaction(tx, encoded);
    return R"([")" + to_hex(encoded) + R"("])";
}

std::string single(std::string_view text) {
    return R"([")" + std::string{text} + R"("])";
}

/// Polls: sealing goes on beside the test.
void wait_for_receipt(const RunningNode& node, const std::string& hash) {
    while (node.call("eth_getTransactionReceipt", single(hash)).find("\"blockHash\"") ==
           std::string::npos)
        std::this_thread::sleep_for(std::chrono::milliseconds{5});
}

class RunningNodeTest : public testing::Test {
protected:
    [[nodiscard]] std::string datadir() const { return (folder_.path() / "data").native(); }
    [[nodiscard]] std::vector<std::string> dev(std::vector<std::string> more = {}) const {
        more.insert(more.begin(), {"--dev", "--datadir", datadir()});
        return more;
    }
    /// What is said by a node that cannot start, and its exit code.
    static std::pair<int, std::string> failure(const std::vector<std::string>& arguments) {
        RunningNode node{arguments};
        const int code = node.program().wait();
        return {code, node.program().error()};
    }

    TemporaryFolder folder_;
};

TEST_F(RunningNodeTest, executes_what_it_is_sent_and_goes_on_after_a_restart) {
    std::string hash;
    {
        RunningNode node{dev()};
        EXPECT_EQ(node.number("eth_chainId"), 1337u);
        EXPECT_EQ(node.number("eth_blockNumber"), 0u);
        hash = node.text("eth_sendRawTransaction", raw_transfer(0));
        wait_for_receipt(node, hash);
        EXPECT_EQ(node.number("eth_blockNumber"), 1u);
        EXPECT_EQ(node.program().end(SIGTERM), 0) << node.program().error();
    }
    RunningNode again{dev()};
    EXPECT_EQ(again.number("eth_blockNumber"), 1u);
    EXPECT_EQ(
        again.number("eth_getTransactionCount", R"([")" + std::string{kAccount} + R"(","latest"])"),
        1u);
    wait_for_receipt(again, hash);
    wait_for_receipt(again, again.text("eth_sendRawTransaction", raw_transfer(1)));
    EXPECT_EQ(again.number("eth_blockNumber"), 2u);
    EXPECT_EQ(again.program().end(SIGINT), 0);
}

TEST_F(RunningNodeTest, keeps_every_acknowledged_receipt_when_it_is_killed) {
    std::vector<std::string> hashes;
    for (int round = 0; round < 3; ++round) {
        RunningNode node{dev({"--set", "ledger.sync=64"})};
        for (const std::string& hash : hashes)
            EXPECT_THAT(node.call("eth_getTransactionReceipt", single(hash)),
                        HasSubstr(R"("status":"0x1")"));
        for (int i = 0; i < 20; ++i)
            hashes.push_back(node.text("eth_sendRawTransaction", raw_transfer(hashes.size())));
        wait_for_receipt(node, hashes.back());
        EXPECT_EQ(node.program().end(SIGKILL), -1);
    }
    EXPECT_EQ(hashes.size(), 60u);
}

TEST_F(RunningNodeTest, keeps_waiting_transactions_over_a_restart) {
    const auto arguments = dev({"--seal", "command"});
    {
        RunningNode node{arguments};
        (void)node.text("eth_sendRawTransaction", raw_transfer(0));
        (void)node.text("eth_sendRawTransaction", raw_transfer(5));
        EXPECT_EQ(node.program().end(), 0);
    }
    RunningNode again{arguments};
    EXPECT_THAT(again.call("txpool_status"),
                AllOf(HasSubstr(R"("pending":"0x1")"), HasSubstr(R"("queued":"0x1")")));
    EXPECT_EQ(again.number("evm_mine"), 0u);
    EXPECT_EQ(again.number("eth_blockNumber"), 1u);
}

TEST_F(RunningNodeTest, seals_at_intervals_without_transactions) {
    RunningNode node{dev({"--seal", "interval", "--block-time", "20ms"})};
    while (node.number("eth_blockNumber") < 3)
        std::this_thread::sleep_for(std::chrono::milliseconds{10});
    EXPECT_EQ(node.program().end(), 0);
}

TEST_F(RunningNodeTest, serves_a_replayed_data_directory_as_it_is) {
    const auto chain = folder_.path() / "chain";
    ASSERT_EQ(run_program({"generate", "--blocks", "5", "--txs", "3", "--accounts", "10", "--out",
                           chain.native()})
                  .exit_code,
              0);
    const auto replayed =
        run_program({"replay", "--datadir", datadir(), "--genesis",
                     (chain / "genesis.json").native(), (chain / "chain.rlp").native()});
    ASSERT_EQ(replayed.exit_code, 0) << replayed.error;

    RunningNode node{{"--datadir", datadir()}};

    EXPECT_EQ(node.number("eth_blockNumber"), 5u);
    const auto block = [&](const std::string& tag) {
        return node.call("eth_getBlockByNumber", R"([")" + tag + R"(",false])");
    };
    EXPECT_THAT(replayed.out, HasSubstr("head: block 5"));
    EXPECT_EQ(block("safe"), block("latest"));
    EXPECT_EQ(block("finalized"), block("latest"));
    EXPECT_THAT(block("latest"), HasSubstr(R"("number":"0x5")"));
}

TEST_F(RunningNodeTest, shows_pages_for_people_and_monitors) {
    RunningNode node{dev()};
    EXPECT_THAT(http_get(node.port(), "/health"),
                AllOf(StartsWith("HTTP/1.1 200"), HasSubstr(R"("ready":true)")));
    EXPECT_THAT(http_get(node.port(), "/health/live"), StartsWith("HTTP/1.1 200"));
    EXPECT_THAT(http_get(node.port(), "/"), HasSubstr("<title>Heddle</title>"));
    (void)node.number("eth_chainId");
    EXPECT_THAT(http_get(node.port(), "/metrics"),
                AllOf(HasSubstr("\nheddle_chain_head_number 0"),
                      HasSubstr(R"(heddle_rpc_call_seconds_count{method="eth_chainId"} 1)")));
    // Each part of the memory plan that is beside the ledger's and the executor's.
    for (const char* part :
         {"blooms", "call_code", "executions", "executor_code", "fees", "logs", "served_blocks"})
        EXPECT_THAT(http_get(node.port(), "/metrics"),
                    HasSubstr(fmt::format("\nheddle_node_kept_bytes{{part=\"{}\"}} ", part)));
    EXPECT_THAT(http_get(node.port(), "/nothing"), StartsWith("HTTP/1.1 404"));
}

TEST_F(RunningNodeTest, shows_the_development_accounts_with_a_warning) {
    RunningNode node{dev()};
    EXPECT_EQ(node.program().end(), 0);
    EXPECT_THAT(node.program().out(),
                AllOf(HasSubstr(std::string{kAccount}), HasSubstr(std::string{kSecret}),
                      HasSubstr("Everybody knows these keys")));
}

/// Ends a development node without a folder of its own by the same signal twice. What is left of it
/// and its exit code are checked, unless the test itself was so slow that the second signal may
/// have come too late to belong to the first.
/// @return whether it was checked.
bool end_twice(int signal) {
    using Clock = std::chrono::steady_clock;
    RunningNode node{{"--dev"}};
    EXPECT_EQ(node.number("eth_blockNumber"), 0u);
    const auto begin = Clock::now();
    ::kill(node.program().process(), signal);
    // Both would be one as long as it waits.
    EXPECT_TRUE(comes_true([&] { return is_delivered(node.program().process(), signal); }));
    const int code = node.program().end(signal);
    if (code == -1 && Clock::now() - begin > std::chrono::seconds{1}) return false;
    EXPECT_EQ(code, 0);
    const std::string out = node.program().out();
    const auto named = out.find("Data in ") + 8;
    const fs::path folder = out.substr(named, out.find(',', named) - named);
    EXPECT_THAT(folder.filename().string(), StartsWith("heddle-dev-"));
    EXPECT_FALSE(fs::exists(folder));
    return true;
}

TEST_F(RunningNodeTest, development_needs_no_folder_and_leaves_none) {
    for (const int signal : {SIGTERM, SIGHUP})  // SIGHUP: its terminal is closed
        while (!end_twice(signal)) {  // whoever stops a group of processes may tell each twice
        }
    RunningProgram nowhere{{"dev", "--rpc-port", "0"}, {{"TMPDIR", "/nonexistent"}}};
    EXPECT_EQ(nowhere.wait(), 2);
    EXPECT_THAT(nowhere.error(), AllOf(StartsWith("heddle: TMPDIR: /nonexistent: "),
                                       HasSubstr("name a folder with --datadir")));
}

TEST_F(RunningNodeTest, logs_one_json_object_a_line_where_asked_to) {
    RunningNode node{dev({"--log-format", "json"})};
    EXPECT_EQ(node.program().end(), 0);
    std::istringstream lines{node.program().error()};
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count)
        EXPECT_THAT(line, AllOf(StartsWith(R"({"time":")"), HasSubstr(R"("component":")"),
                                testing::EndsWith("}")));
    EXPECT_GT(count, 1);
}

TEST_F(RunningNodeTest, opens_a_development_chain_to_others_only_when_told_aloud) {
    const auto refused =
        run_program({"node", "--dev", "--rpc-port", "0", "--rpc-address", "0.0.0.0"});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.error, HasSubstr("--insecure-public-dev"));
    const auto senseless = run_program({"node", "--insecure-public-dev", "--rpc-port", "0",
                                        "--datadir", (folder_.path() / "none").native()});
    EXPECT_EQ(senseless.exit_code, 2);
    EXPECT_THAT(senseless.error, HasSubstr("goes with --dev"));

    RunningProgram open{
        {"node", "--dev", "--insecure-public-dev", "--rpc-port", "0", "--rpc-address", "0.0.0.0"}};
    while (open.is_running() && open.error().find("listening on 0.0.0.0:") == std::string::npos)
        std::this_thread::sleep_for(std::chrono::milliseconds{10});
    EXPECT_TRUE(open.is_running()) << open.error();
    EXPECT_EQ(open.end(), 0);
}

/// Before, each of these changed nothing, and nothing was said.
TEST_F(RunningNodeTest, refuses_flags_that_would_not_be_heeded) {
    const std::string none = (folder_.path() / "none").native();
    const auto error = [&](std::vector<std::string> flags) {
        flags.insert(flags.begin(), {"node", "--rpc-port", "0"});
        const auto refused = run_program(flags);
        EXPECT_EQ(refused.exit_code, 2);
        return refused.error;
    };
    EXPECT_THAT(error({"--datadir", none, "--chain-id", "5"}), HasSubstr("--chain-id goes with"));
    EXPECT_THAT(error({"--datadir", none, "--fork", "amsterdam"}), HasSubstr("--fork goes with"));
    EXPECT_THAT(error({"--dev", "--genesis", "file", "--fork", "amsterdam"}),
                HasSubstr("--fork goes with --dev, and not with --genesis"));
    EXPECT_THAT(error({"--dev", "--fork-url", "http://127.0.0.1:1", "--fork", "amsterdam"}),
                HasSubstr("--fork does not go with --fork-url"));
    EXPECT_THAT(error({"--datadir", none, "--timestamps", "distinct"}),
                HasSubstr("--timestamps goes with --dev"));
    EXPECT_THAT(error({"--datadir", none, "--unlimited-contract-size"}),
                HasSubstr("--unlimited-contract-size goes with --dev"));
    EXPECT_THAT(error({"--dev", "--chain-id", "0"}), HasSubstr("--chain-id 0"));
    EXPECT_THAT(error({"--dev", "--block-time", "2s"}), HasSubstr("goes with --seal interval"));
    EXPECT_THAT(error({"--dev", "--follow-depth", "3"}), HasSubstr("goes with --follow"));
    EXPECT_THAT(error({"--datadir", none, "--fork-cache", none}), HasSubstr("goes with --dev"));
    EXPECT_THAT(error({"--dev", "--record-limit", "3"}), HasSubstr("goes with --record"));
    EXPECT_THAT(error({"--datadir", none, "--source-ca", "/nowhere.pem"}),
                HasSubstr("--source-ca goes with --dev, --follow or lanes"));
    EXPECT_THAT(error({"--dev", "--throw-on-failure"}), HasSubstr("and --seal automine"));
    EXPECT_THAT(error({"--datadir", none, "--seal", "automine", "--throw-on-failure"}),
                HasSubstr("--throw-on-failure goes with --dev"));
    EXPECT_THAT(error({"--datadir", none, "--follow", "ws://127.0.0.1:1", "--seal", "interval"}),
                HasSubstr("--seal goes with a node that seals"));
    EXPECT_FALSE(std::filesystem::exists(none));
}

TEST_F(RunningNodeTest, does_not_run_ahead_of_the_clock) {
    const RunningNode node{{"--dev", "--set", "consensus.least_distance=0ms"}};
    constexpr int kBlocks = 30;
    for (int i = 0; i < kBlocks; ++i)
        (void)node.call("evm_mine");
    const std::uint64_t head = std::stoull(
        text_member(node.call("eth_getBlockByNumber", R"(["latest",false])"), "timestamp"), nullptr,
        16);
    const auto now = std::chrono::duration_cast<std::chrono::seconds>(
                         std::chrono::system_clock::now().time_since_epoch())
                         .count();
    EXPECT_GE(node.number("eth_blockNumber"), std::uint64_t{kBlocks});
    EXPECT_LE(head, static_cast<std::uint64_t>(now)) << "thirty blocks took less than a second";
}

TEST_F(RunningNodeTest, makes_nothing_where_it_cannot_have_what_it_is_told_of) {
    const std::string path = (folder_.path() / "node.ipc").native();
    RunningNode first{dev({"--ipc-path", path})};
    const fs::path unmade = folder_.path() / "unmade";
    const std::vector<std::vector<std::string>> refused{
        {"--rpc-port", std::to_string(first.port())},
        {"--rpc-port", "0", "--ipc-path", path},
        {"--rpc-port", "0", "--artifacts", "/nowhere"},
    };
    for (const std::vector<std::string>& options : refused) {
        std::vector<std::string> arguments{"node", "--dev", "--datadir", unmade.native()};
        arguments.insert(arguments.end(), options.begin(), options.end());
        RunningProgram second{arguments};
        EXPECT_EQ(second.wait(), 2) << second.error();
        EXPECT_FALSE(fs::exists(unmade)) << options.back();
    }
}

/// Before, the chain was opened first, which takes its time where it is large.
TEST_F(RunningNodeTest, opens_no_chain_where_it_cannot_listen) {
    const std::string path = (folder_.path() / "node.ipc").native();
    EXPECT_EQ(RunningNode{dev()}.program().end(), 0);
    RunningNode first{{"--dev", "--ipc-path", path}};
    const auto expect_refused = [&](const std::string& option, const std::string& value,
                                    const std::string& why) {
        RunningProgram second{{"node", "--dev", "--datadir", datadir(), option, value}};
        EXPECT_EQ(second.wait(), 2);
        EXPECT_THAT(second.error(),
                    AllOf(HasSubstr(why), HasSubstr(value), Not(HasSubstr("data in"))));
    };
    expect_refused("--rpc-port", std::to_string(first.port()), "use; stop what listens there");
    expect_refused("--ipc-path", path, "another process does");
}

/// Before, it ended with exit code 2, after which systemd starts nothing again: an operator who
/// verified a data directory while the node restarted had no node afterwards.
TEST_F(RunningNodeTest, waits_for_who_holds_the_data_directory) {
    const auto wait_until_said = [](RunningProgram& program, const std::string& what) {
        while (program.is_running() && program.error().find(what) == std::string::npos)
            std::this_thread::sleep_for(std::chrono::milliseconds{10});
    };
    const std::vector<std::string> arguments{"node",    "--dev",      "--datadir",
                                             datadir(), "--rpc-port", "0"};
    RunningNode first{dev()};
    RunningProgram stopped{arguments};
    wait_until_said(stopped, "in use by another process");
    EXPECT_EQ(stopped.end(), 0) << stopped.error();
    EXPECT_EQ(run_program({"db", "stats", "--datadir", datadir()}).exit_code, 4)
        << "waits for none";

    RunningProgram second{arguments};
    wait_until_said(second, "in use by another process");
    EXPECT_EQ(first.program().end(), 0);
    wait_until_said(second, "listening on");
    EXPECT_EQ(second.end(), 0) << second.error();
    EXPECT_THAT(second.error(), HasSubstr("listening on"));
}

/// Before, the next line that it logged ended it by SIGPIPE.
TEST_F(RunningNodeTest, goes_on_when_nobody_reads_its_log_any_more) {
    const std::string code = (folder_.path() / "code").native();
    (void)run_program_at(
        "/bin/sh",
        {"-c",
         R"({ timeout --preserve-status 2 "$0" node --dev --rpc-port 0 2>&1 >/dev/null; )"
         R"(echo $? >"$1"; } | head -n 1)",
         HEDDLE_PROGRAM, code});
    EXPECT_EQ(read_text(code), "0\n");
}

TEST_F(RunningNodeTest, refuses_a_directory_of_another_chain) {
    const auto chain = folder_.path() / "chain";
    ASSERT_EQ(run_program({"generate", "--blocks", "1", "--txs", "1", "--accounts", "10", "--out",
                           chain.native()})
                  .exit_code,
              0);
    const std::string genesis = (chain / "genesis.json").native();
    ASSERT_EQ(run_program({"init", "--datadir", datadir(), "--genesis", genesis}).exit_code, 0);

    const auto [code, text] = failure(dev());

    EXPECT_EQ(code, 2);
    EXPECT_THAT(text, AllOf(HasSubstr("holds another chain"), HasSubstr("--datadir")));
    RunningNode right{{"--datadir", datadir(), "--genesis", genesis}};
    EXPECT_EQ(right.number("eth_blockNumber"), 0u);
}

TEST_F(RunningNodeTest, takes_new_rules_for_what_is_to_come_and_none_for_what_has_been) {
    const auto chain = folder_.path() / "chain";
    ASSERT_EQ(run_program({"generate", "--blocks", "1", "--txs", "1", "--accounts", "10", "--fork",
                           "prague", "--out", chain.native()})
                  .exit_code,
              0);
    const std::string genesis = (chain / "genesis.json").native();
    ASSERT_EQ(run_program({"init", "--datadir", datadir(), "--genesis", genesis}).exit_code, 0);
    const std::string text = read_text(genesis);
    const auto with = [&](const std::string& what) {
        std::string changed = text;
        const auto begin = changed.find("\"pragueTime\"");
        EXPECT_NE(begin, std::string::npos);
        changed.insert(begin, what);
        return folder_.write("changed.json", changed);
    };
    {
        RunningNode node{
            {"--datadir", datadir(), "--genesis", with("\"osakaTime\": 4102444800, ")}};
        EXPECT_THAT(node.call("eth_config"), HasSubstr("4102444800"));
    }
    {
        RunningNode node{{"--datadir", datadir()}};
        EXPECT_THAT(node.call("eth_config"), HasSubstr("4102444800"));
    }
    const auto [code, said] =
        failure({"--datadir", datadir(), "--genesis", with("\"osakaTime\": 0, ")});
    EXPECT_EQ(code, 2);
    EXPECT_THAT(said, HasSubstr("config.osakaTime is another rule"));
}

TEST_F(RunningNodeTest, refuses_to_validate_a_chain_that_needs_proof_of_work) {
    const std::string genesis = folder_.write(
        "genesis.json",
        R"({"config": {"chainId": 7, "homesteadBlock": 0, "eip150Block": 0, "eip155Block": 0,
            "eip158Block": 0, "byzantiumBlock": 0, "constantinopleBlock": 0, "petersburgBlock": 0,
            "istanbulBlock": 0, "berlinBlock": 0, "londonBlock": 0},
            "difficulty": "0x20000", "gasLimit": "0x1c9c380", "alloc": {}})");

    const auto [code, text] =
        failure({"--datadir", datadir(), "--genesis", genesis, "--set", "consensus.engine=cometbft",
                 "--set", "cometbft.abci=unix://" + (folder_.path() / "s").native()});

    EXPECT_EQ(code, 2);
    EXPECT_THAT(text, HasSubstr("needs proof of work"));
}

TEST_F(RunningNodeTest, adds_nothing_to_a_chain_whose_gas_limit_allows_no_block) {
    const std::string genesis = folder_.write(
        "genesis.json",
        R"({"config": {"chainId": 7, "homesteadBlock": 0, "eip150Block": 0, "eip155Block": 0,
            "eip158Block": 0, "byzantiumBlock": 0, "constantinopleBlock": 0, "petersburgBlock": 0,
            "istanbulBlock": 0, "berlinBlock": 0, "londonBlock": 0, "terminalTotalDifficulty": 0},
            "difficulty": "0x0", "gasLimit": "0xffffffffffffffff", "alloc": {}})");
    const std::vector<std::string> chain{"--datadir", datadir(), "--genesis", genesis};
    {
        std::vector<std::string> solo = chain;
        solo.insert(solo.end(), {"--seal", "interval", "--block-time", "20ms"});
        RunningNode node{solo};
        EXPECT_EQ(node.number("eth_blockNumber"), 0u);
        EXPECT_EQ(node.program().end(), 0);
        EXPECT_THAT(node.program().error(), HasSubstr("nothing is sealed"));
    }
    std::vector<std::string> validator = chain;
    validator.insert(validator.end(), {"--set", "consensus.engine=cometbft", "--set",
                                       "cometbft.abci=unix://" + (folder_.path() / "s").native()});

    const auto [code, text] = failure(validator);

    EXPECT_EQ(code, 2);
    EXPECT_THAT(text, HasSubstr("no block can follow block 0, whose gas limit is "
                                "18446744073709551615: it must be from 5,000 to 2^63 - 1"));
}

TEST_F(RunningNodeTest, says_what_is_wrong_with_its_options) {
    const std::string config = folder_.write("node.toml", "[rpc]\nport = 70000\n[log]\nlvl = 1\n");
    EXPECT_THAT(failure({"--config", config}).second, HasSubstr("line 4: log.lvl: there is no"));
    EXPECT_THAT(failure({}).second, HasSubstr("--datadir"));
    EXPECT_THAT(failure({"--datadir", datadir()}).second, HasSubstr("there is no ledger"));
    EXPECT_THAT(failure(dev({"--seal", "never"})).second,
                HasSubstr("demand, automine, interval or command"));
    EXPECT_THAT(failure(dev({"--set", "rpc.prot=1"})).second, HasSubstr("no such option"));
    EXPECT_THAT(failure(dev({"--log-level", "loud"})).second, HasSubstr("unknown log level"));
    EXPECT_THAT(failure(dev({"--set", "consensus.beneficiary=me"})).second,
                HasSubstr("expected an address"));
    EXPECT_THAT(failure(dev({"--set", "rpc.jwt_secret=/no/file"})).second,
                HasSubstr("cannot be read"));
    EXPECT_THAT(failure(dev({"--set", "executor.scheduler=fastest"})).second,
                HasSubstr("expected serial or auto or values or dag"));
    for (const char* threads : {"executor.workers", "rpc.threads", "rpc.heavy_calls", "rpc.scans"})
        EXPECT_THAT(failure(dev({"--set", std::string{threads} + "=4294967296"})).second,
                    HasSubstr(std::string{threads} + ": 4294967296: at most 1024"));
    EXPECT_FALSE(fs::exists(datadir()));  // all of this is found before anything is made
    EXPECT_THAT(failure(dev({"--insecure-public-dev", "--rpc-address", "10.255.255.1"})).second,
                HasSubstr("cannot listen on 10.255.255.1"));
}

TEST_F(RunningNodeTest, prints_a_configuration_that_it_reads) {
    const auto printed = run_program({"node", "--print-config", "--rpc-port", "1234"});
    ASSERT_EQ(printed.exit_code, 0);
    EXPECT_THAT(printed.out, HasSubstr("\nport = 1234\n"));
    const std::string config = folder_.write("node.toml", printed.out);
    EXPECT_EQ(run_program({"node", "--print-config", "--config", config}).out, printed.out);
}

}  // namespace
}  // namespace heddle::test
