// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Nodes that follow another one, as their operators meet them: chains from a seed and those of
// others, transactions sent to the wrong node, and everything that can become of an origin.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "announced_seed.hpp"
#include "comes_true.hpp"
#include "fixtures.hpp"
#include "node_client.hpp"
#include "running_node.hpp"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

/// Chain 1337 up to Cancun, with the first account of `node --dev`.
constexpr std::string_view kGenesis = R"({"config": {"chainId": 1337, "homesteadBlock": 0,
    "eip150Block": 0, "eip155Block": 0, "eip158Block": 0, "byzantiumBlock": 0,
    "constantinopleBlock": 0, "petersburgBlock": 0, "istanbulBlock": 0, "berlinBlock": 0,
    "londonBlock": 0, "terminalTotalDifficulty": 0, "shanghaiTime": 0, "cancunTime": 0,
    "blobSchedule": {"cancun": {"target": 3, "max": 6, "baseFeeUpdateFraction": 3338477}}},
    "difficulty": "0x0", "gasLimit": "0x1c9c380",
    "alloc": {"0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266":
              {"balance": "0xd3c21bcecceda1000000"}}})";

std::string head_of(const RunningNode& node) {
    return text_member(node.call("eth_getBlockByNumber", R"(["latest",false])"), "hash");
}

class FollowTest : public testing::Test {
protected:
    [[nodiscard]] std::string folder(const std::string& name) const {
        return (folder_.path() / name).native();
    }
    [[nodiscard]] std::string genesis() {
        if (!fs::exists(folder("genesis.json"))) std::ofstream{folder("genesis.json")} << kGenesis;
        return folder("genesis.json");
    }
    /// A node that seals by itself, on a chain of its own.
    [[nodiscard]] std::unique_ptr<RunningNode> primary(std::vector<std::string> more = {}) {
        more.insert(more.begin(), {"--datadir", folder("primary"), "--genesis", genesis()});
        return std::make_unique<RunningNode>(more);
    }
    [[nodiscard]] std::unique_ptr<RunningNode> follower(const RunningNode& origin,
                                                        const std::string& name = "follower",
                                                        const std::string& scheme = "ws",
                                                        std::vector<std::string> more = {}) {
        if (!fs::exists(folder(name)) && std::ranges::find(more, "--genesis") == more.end())
            more.insert(more.begin(), {"--genesis", genesis()});
        more.insert(more.begin(), {"--datadir", folder(name), "--follow",
                                   scheme + "://127.0.0.1:" + std::to_string(origin.port()),
                                   "--set", "follow.timeout=2s"});
        return std::make_unique<RunningNode>(more);
    }
    /// Makes a chain from a seed, and a folder with it.
    void replay(const std::string& chain, const std::string& name) {
        const auto replayed = run_program({"replay", "--datadir", folder(name), "--genesis",
                                           chain + "/genesis.json", chain + "/chain.rlp"});
        ASSERT_EQ(replayed.exit_code, 0) << replayed.error;
    }
    void init(const std::string& chain, const std::string& name) {
        ASSERT_EQ(
            run_program({"init", "--datadir", folder(name), "--genesis", chain + "/genesis.json"})
                .exit_code,
            0);
    }
    static void send_transfers(const RunningNode& node, std::uint64_t from, std::uint64_t count) {
        for (std::uint64_t nonce = from; nonce < from + count; ++nonce)
            (void)node.text("eth_sendRawTransaction",
                            "[\"" + sign_dev_transfer(nonce, kDevAccounts[0]).raw + "\"]");
    }
    static ::testing::AssertionResult is_level(const RunningNode& follower,
                                               const RunningNode& origin) {
        if (comes_true([&] { return head_of(follower) == head_of(origin); }))
            return ::testing::AssertionSuccess();
        return ::testing::AssertionFailure() << head_of(follower) << " is not " << head_of(origin);
    }

    TemporaryFolder folder_;
};

TEST_F(FollowTest, executes_the_blocks_of_another_node_as_they_come) {
    const auto origin = primary();
    send_transfers(*origin, 0, 3);
    const auto follower = this->follower(*origin);
    ASSERT_TRUE(is_level(*follower, *origin));

    send_transfers(*origin, 3, 20);

    ASSERT_TRUE(comes_true([&] {
        return follower->number("eth_getTransactionCount",
                                "[\"" + std::string{kDevAccounts[0].address} + "\",\"latest\"]") ==
               23;
    }));
    ASSERT_TRUE(is_level(*follower, *origin));
    EXPECT_THAT(follower->call("eth_syncing"), HasSubstr(R"("result":false)"));
    const std::string counted = http_get(origin->port(), "/metrics");
    EXPECT_THAT(counted, HasSubstr(R"({method="heddle_acknowledge"})"));
    EXPECT_THAT(counted, testing::Not(HasSubstr("debug_getRawBlock"))) << "they came in a stream";
    EXPECT_THAT(http_get(follower->port(), "/metrics"),
                AllOf(HasSubstr("\nheddle_follow_reachable 1"),
                      HasSubstr("\nheddle_follow_distance_blocks 0")));
    EXPECT_EQ(follower->program().end(), 0) << follower->program().error();
    EXPECT_EQ(origin->program().end(), 0);
}

TEST_F(FollowTest, hands_transactions_on_and_answers_as_its_origin_does) {
    const auto origin = primary({"--seal", "command", "--set", "rpc.expose_admin=true"});
    const auto follower = this->follower(*origin, "follower", "http");
    const auto send = [](const RunningNode& node, std::uint64_t nonce) {
        return node.call("eth_sendRawTransaction",
                         "[\"" + sign_dev_transfer(nonce, kDevAccounts[0]).raw + "\"]");
    };

    const std::string hash = text_member(send(*follower, 0), "result");

    EXPECT_EQ(hash, sign_dev_transfer(0, kDevAccounts[0]).hash);
    EXPECT_THAT(origin->call("eth_getTransactionByHash", "[\"" + hash + "\"]"),
                HasSubstr("\"blockHash\":null"));
    EXPECT_THAT(follower->call("txpool_status"), HasSubstr(R"("pending":"0x1")"))
        << "the next nonce follows from it";
    EXPECT_EQ(text_member(send(*follower, 0), "message"), text_member(send(*origin, 0), "message"));
    EXPECT_THAT(send(*follower, 0), HasSubstr("already known"));
    // An account without money.
    EXPECT_THAT(follower->call("eth_sendRawTransaction",
                               "[\"" + sign_dev_transfer(0, kDevAccounts[1]).raw + "\"]"),
                HasSubstr("insufficient funds"));

    (void)origin->call("evm_mine");
    ASSERT_TRUE(is_level(*follower, *origin));
    EXPECT_THAT(follower->call("eth_getTransactionReceipt", "[\"" + hash + "\"]"),
                HasSubstr(R"("status":"0x1")"));
    EXPECT_THAT(follower->call("txpool_status"), HasSubstr(R"("pending":"0x0")"));

    EXPECT_EQ(origin->program().end(SIGKILL), -1);
    EXPECT_THAT(send(*follower, 1), HasSubstr("could not be asked"));
}

TEST_F(FollowTest, followers_of_one_node_and_of_each_other_have_the_same_chain) {
    const auto chain = folder("chain");
    ASSERT_EQ(
        run_program({"generate", "--seed", "7", "--blocks", "40", "--txs", "20", "--out", chain})
            .exit_code,
        0);
    replay(chain, "primary");
    for (const char* name : {"first", "second", "third"})
        init(chain, name);
    RunningNode origin{{"--datadir", folder("primary")}};
    const auto first = follower(origin, "first", "ws");
    const auto second = follower(origin, "second", "ws");
    const auto third = follower(*first, "third", "http");

    ASSERT_TRUE(is_level(*first, origin));
    ASSERT_TRUE(is_level(*second, origin));
    ASSERT_TRUE(is_level(*third, origin));
    EXPECT_EQ(third->number("eth_blockNumber"), 40u);
    EXPECT_EQ(first->program().end(), 0);
    EXPECT_EQ(run_program({"verify", "--datadir", folder("first")}).exit_code, 0);
}

// What came from the source is in the recording: it runs again without it.
TEST_F(FollowTest, what_a_killed_follower_took_runs_again_the_same) {
    const auto chain = folder("chain");
    ASSERT_EQ(
        run_program({"generate", "--seed", "13", "--blocks", "60", "--txs", "30", "--out", chain})
            .exit_code,
        0);
    replay(chain, "primary");
    const RunningNode origin{{"--datadir", folder("primary")}};
    const std::string recording = folder("recording");
    for (const char* scheme : {"ws", "http", "ws"}) {
        std::vector<std::string> more{"--record", recording};
        if (!fs::exists(folder("follower")))
            more.insert(more.end(), {"--genesis", chain + "/genesis.json"});
        // Not a genesis of this class's.
        fs::create_directories(folder("follower"));
        const auto follower = this->follower(origin, "follower", scheme, more);
        const std::uint64_t before = follower->number("eth_blockNumber");
        const bool is_last = scheme == std::string{"ws"} && before != 0;
        ASSERT_TRUE(comes_true([&] {
            return follower->number("eth_blockNumber") >= std::min<std::uint64_t>(before + 15, 60);
        })) << follower->program().error();
        if (is_last) ASSERT_TRUE(is_level(*follower, origin));
        (void)follower->program().end(is_last ? SIGTERM : SIGKILL);
    }
    const std::string head = head_of(origin);
    for (const char* const scheduler : {"", "serial", "dag", "auto"}) {
        SCOPED_TRACE(scheduler);
        std::vector<std::string> arguments{"rerun", recording, "--workers", "4"};
        if (*scheduler != '\0') arguments.insert(arguments.end(), {"--scheduler", scheduler});
        const ProgramResult result = run_program(arguments);
        EXPECT_EQ(result.exit_code, 0) << result.out << result.error;
        EXPECT_EQ(result.last_line(), "head: block 60, hash " + head);
    }
}

TEST_F(FollowTest, is_killed_anywhere_and_goes_on) {
    const auto chain = folder("chain");
    ASSERT_EQ(
        run_program({"generate", "--seed", "11", "--blocks", "120", "--txs", "30", "--out", chain})
            .exit_code,
        0);
    replay(chain, "primary");
    init(chain, "follower");
    RunningNode origin{{"--datadir", folder("primary")}};
    std::mt19937_64 random(announced_seed());
    std::uint64_t reached = 0;
    for (int round = 0; round < 8; ++round) {
        const auto killed = follower(origin, "follower", round % 2 == 0 ? "ws" : "http");
        const std::uint64_t start = killed->number("eth_blockNumber");
        EXPECT_GE(start, reached) << "what readers were told is there";
        std::this_thread::sleep_for(std::chrono::milliseconds{random() % 150});
        reached = killed->number("eth_blockNumber");
        EXPECT_EQ(killed->program().end(SIGKILL), -1);
    }
    const auto last = follower(origin);
    ASSERT_TRUE(is_level(*last, origin));
    EXPECT_EQ(last->program().end(), 0);
    EXPECT_EQ(run_program({"verify", "--datadir", folder("follower")}).exit_code, 0);
}

TEST_F(FollowTest, serves_what_it_has_while_its_origin_is_dead_or_hangs) {
    auto origin = primary();
    send_transfers(*origin, 0, 2);
    const auto follower = this->follower(*origin);
    ASSERT_TRUE(is_level(*follower, *origin));
    const std::string before = head_of(*follower);

    ::kill(origin->program().process(), SIGSTOP);
    ASSERT_TRUE(comes_true([&] {
        return follower->program().error().find("did not answer within 2000 ms") !=
               std::string::npos;
    })) << follower->program().error();
    EXPECT_EQ(head_of(*follower), before);
    EXPECT_THAT(http_get(follower->port(), "/metrics"), HasSubstr("heddle_follow_reachable 0"));
    ::kill(origin->program().process(), SIGCONT);
    send_transfers(*origin, 2, 1);
    ASSERT_TRUE(is_level(*follower, *origin));

    const std::uint16_t port = origin->port();
    EXPECT_EQ(origin->program().end(SIGKILL), -1);
    ASSERT_TRUE(comes_true([&] {
        return follower->program().error().find("cannot be reached") != std::string::npos;
    })) << follower->program().error();
    EXPECT_EQ(follower->number("eth_blockNumber"), follower->number("eth_blockNumber"));
    origin.reset();

    const auto again = primary({"--set", "rpc.port=" + std::to_string(port)});
    send_transfers(*again, 3, 1);
    ASSERT_TRUE(is_level(*follower, *again)) << follower->program().error();
}

TEST_F(FollowTest, ends_with_a_reason_when_a_block_it_has_executed_is_taken_back) {
    auto origin = primary({"--seal", "command", "--set", "rpc.expose_admin=true"});
    for (int i = 0; i < 5; ++i)
        (void)origin->call("evm_mine");
    const auto follower = this->follower(*origin);
    ASSERT_TRUE(is_level(*follower, *origin));
    const std::uint16_t port = origin->port();
    EXPECT_EQ(origin->program().end(), 0);
    origin.reset();
    ASSERT_EQ(
        run_program({"db", "rollback", "--to", "3", "--datadir", folder("primary")}).exit_code, 0);

    const auto again =
        primary({"--seal", "command", "--set", "rpc.expose_admin=true", "--set",
                 "rpc.port=" + std::to_string(port), "--set", "consensus.extra_data=other"});
    for (int i = 0; i < 4; ++i)
        (void)again->call("evm_mine");

    ASSERT_TRUE(comes_true([&] { return !follower->program().is_running(); }))
        << follower->program().error();
    EXPECT_EQ(follower->program().wait(), 3);
    EXPECT_THAT(follower->program().error(),
                AllOf(HasSubstr("block 5 is 0x"), HasSubstr("db rollback")));

    // What it says helps.
    ASSERT_EQ(
        run_program({"db", "rollback", "--to", "3", "--datadir", folder("follower")}).exit_code, 0);
    const auto rolled_back = this->follower(*again);
    EXPECT_TRUE(is_level(*rolled_back, *again)) << rolled_back->program().error();
}

TEST_F(FollowTest, stays_as_far_behind_as_it_is_told) {
    const auto origin = primary({"--seal", "command", "--set", "rpc.expose_admin=true"});
    for (int i = 0; i < 10; ++i)
        (void)origin->call("evm_mine");
    const auto follower = this->follower(*origin, "follower", "ws", {"--follow-depth", "4"});
    ASSERT_TRUE(comes_true([&] { return follower->number("eth_blockNumber") == 6; }));
    (void)origin->call("evm_mine");
    ASSERT_TRUE(comes_true([&] { return follower->number("eth_blockNumber") == 7; }));
    EXPECT_THAT(http_get(follower->port(), "/metrics"),
                AllOf(HasSubstr("\nheddle_follow_newest_number 11"),
                      HasSubstr("\nheddle_follow_final_number 7")));
}

TEST_F(FollowTest, refuses_an_origin_of_another_chain_and_options_that_mean_nothing) {
    RunningNode origin{{"--dev"}};
    const auto failure = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"node", "--rpc-port", "0", "--datadir", folder("follower"),
                                   "--genesis", genesis()});
        RunningProgram program{more};
        const int code = program.wait();
        EXPECT_EQ(code, 2) << program.error();
        return program.error();
    };
    EXPECT_THAT(failure({"--follow", "ws://127.0.0.1:" + std::to_string(origin.port())}),
                AllOf(HasSubstr("the origin's genesis block is 0x"), HasSubstr("--datadir")));
    EXPECT_THAT(failure({"--follow", "wss://h", "--source-ca", "/nowhere.pem"}),
                AllOf(HasSubstr("follow.ca"), HasSubstr("/nowhere.pem")));
    EXPECT_THAT(failure({"--follow", "127.0.0.1:8545"}), HasSubstr("ws://127.0.0.1:8546"));
    EXPECT_THAT(failure({"--follow", "ws://h:1", "--follow-depth", "deep"}),
                HasSubstr("`finalized` or a number"));
    EXPECT_THAT(failure({"--follow", "ws://h:1", "--set", "follow.connections=0"}),
                HasSubstr("expected 1 to 64"));
    EXPECT_THAT(failure({"--set", "consensus.engine=follow"}), HasSubstr("--follow"));
    EXPECT_THAT(failure({"--dev", "--follow", "ws://h:1"}), HasSubstr("does not go with --dev"));
}

TEST_F(FollowTest, follows_a_development_chain_by_the_genesis_file_that_it_writes) {
    for (const std::string timestamps : {"equal", "distinct"}) {
        const std::string file = folder(timestamps + ".json");
        const std::string chain = folder(timestamps);
        const std::vector<std::string> arguments{"--dev",    "--datadir",       chain,
                                                 "--seal",   "automine",        "--timestamps",
                                                 timestamps, "--write-genesis", file};
        // That of a chain that is there already is the same.
        for (std::uint64_t nonce = 0; nonce < 8; nonce += 4) {
            fs::remove(file);
            RunningNode origin{arguments};
            send_transfers(origin, nonce, 4);
            const auto following = follower(origin, timestamps + "-copy" + std::to_string(nonce),
                                            "ws", {"--genesis", file, "--follow-depth", "0"});

            EXPECT_TRUE(is_level(*following, origin)) << timestamps;
            EXPECT_EQ(following->number("eth_blockNumber"), nonce + 4) << timestamps;
            EXPECT_EQ(following->program().end(), 0);
            EXPECT_EQ(origin.program().end(), 0);
        }
    }
}

TEST_F(FollowTest, only_a_development_chain_of_its_own_writes_its_genesis_file) {
    const std::string file = folder("written.json");
    for (const std::vector<std::string>& arguments : {
             std::vector<std::string>{"node", "--datadir", folder("any"), "--genesis", genesis()},
             {"node", "--dev", "--genesis", genesis()},
             {"dev", "--fork-url", "http://127.0.0.1:1"},
         }) {
        std::vector<std::string> all = arguments;
        all.insert(all.end(), {"--rpc-port", "0", "--write-genesis", file});
        const auto refused = run_program(all);
        EXPECT_EQ(refused.exit_code, 2) << arguments.back();
        EXPECT_THAT(refused.error, HasSubstr("--write-genesis goes with --dev"));
    }
    const auto nowhere = run_program({"dev", "--rpc-port", "0", "--datadir", folder("unmade"),
                                      "--write-genesis", folder("no") + "/genesis.json"});
    EXPECT_EQ(nowhere.exit_code, 2) << nowhere.error;
    EXPECT_FALSE(fs::exists(folder("unmade")));
}

/// The chains of others, served by Heddle.
class FollowedFixture : public FollowTest, public testing::WithParamInterface<std::string> {};

TEST_P(FollowedFixture, is_executed_to_the_same_head) {
    const std::string archive = GetParam().substr(0, GetParam().find('/'));
    const auto unpacked = fixture_archive(archive);
    if (!unpacked.has_value()) GTEST_SKIP() << missing_fixture_message(archive);
    const std::string chain = (*unpacked / GetParam()).native();
    replay(chain, "primary");
    init(chain, "follower");
    RunningNode origin{{"--datadir", folder("primary")}};
    const auto follower = this->follower(origin);
    ASSERT_TRUE(is_level(*follower, origin)) << follower->program().error();
    EXPECT_EQ(follower->number("eth_blockNumber"), origin.number("eth_blockNumber"));
}
INSTANTIATE_TEST_SUITE_P(Chains, FollowedFixture,
                         testing::Values("rpc-tests/.", "chains/mixed-300"), [](const auto& name) {
                             return name.param.starts_with("rpc") ? "fifty_four_blocks"
                                                                  : "mixed_300";
                         });

}  // namespace
}  // namespace heddle::test
