// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.hpp"
#include "running_node.hpp"

// Object sets as a user meets them: recorded, declared, looked at.
namespace heddle::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class RecordedChain : public testing::Test {
protected:
    void SetUp() override {
        const auto made =
            run_program({"generate", "--seed", "5", "--blocks", "4", "--txs", "30", "--accounts",
                         "20", "--contention", "0.5", "--out", folder("chain")});
        ASSERT_EQ(made.exit_code, 0) << made.error;
        const auto recorded = replay({"--record-sets", folder("sets")});
        ASSERT_EQ(recorded.exit_code, 0) << recorded.error;
        EXPECT_THAT(recorded.out, HasSubstr("object sets of 4 blocks written to"));
        head_ = head_of(recorded.out);
    }

    [[nodiscard]] std::string folder(const std::string& name) const {
        return (folder_.path() / name).native();
    }
    /// Replays the chain with more options.
    [[nodiscard]] ProgramResult replay(std::vector<std::string> options) const {
        options.insert(options.begin(), {"replay", "--genesis", folder("chain/genesis.json"),
                                         folder("chain/chain.rlp")});
        return run_program(options);
    }
    [[nodiscard]] ProgramResult inspect(std::vector<std::string> options) const {
        options.insert(options.begin(), "inspect");
        return run_program(options);
    }
    static std::string head_of(const std::string& out) {
        const auto place = out.find("head: ");
        return place == std::string::npos ? out : out.substr(place, out.find("\nobject") - place);
    }

    TemporaryFolder folder_;
    std::string head_;
};

TEST_F(RecordedChain, declared_again_gives_the_same_head_on_every_scheduler) {
    for (const std::vector<std::string>& options : std::vector<std::vector<std::string>>{
             {"--sets", folder("sets"), "--scheduler", "serial"},
             {"--sets", folder("sets"), "--workers", "2"},
             {"--scheduler", "dag", "--workers", "3", "--knowledge", "unknown", "--delay-seed",
              "7"},
             {"--scheduler", "dag", "--knowledge", "hinted", "--pipeline", "2"}}) {
        const auto result = replay(options);
        EXPECT_EQ(result.exit_code, 0) << result.error;
        EXPECT_THAT(result.out, HasSubstr(head_.substr(0, head_.find('\n'))));
        EXPECT_EQ(result.out.find("scheduler: ") != std::string::npos,
                  testing::PrintToString(options).find("serial") == std::string::npos);
    }
    EXPECT_THAT(replay({"--sets", folder("sets")}).out,
                HasSubstr("object sets declared for 4 blocks, missing for 0\n"));
}

TEST_F(RecordedChain, recording_is_the_same_on_every_scheduler) {
    const auto parallel =
        replay({"--record-sets", folder("again"), "--scheduler", "dag", "--workers", "3"});

    EXPECT_EQ(parallel.exit_code, 0) << parallel.error;
    EXPECT_TRUE(read_text(folder("again")) == read_text(folder("sets")));
    EXPECT_FALSE(std::filesystem::exists(folder("again.part")));
}

TEST_F(RecordedChain, sets_of_other_blocks_are_counted_as_missing) {
    ASSERT_EQ(run_program({"generate", "--seed", "6", "--blocks", "2", "--txs", "5", "--accounts",
                           "20", "--out", folder("other")})
                  .exit_code,
              0);
    const auto result =
        run_program({"replay", "--genesis", folder("other/genesis.json"), folder("other/chain.rlp"),
                     "--sets", folder("sets"), "--scheduler", "dag"});

    EXPECT_EQ(result.exit_code, 0) << result.error;
    EXPECT_THAT(result.out, HasSubstr("object sets declared for 0 blocks, missing for 2\n"));
}

TEST_F(RecordedChain, damaged_sets_are_bad_input_at_their_place) {
    std::string damaged = read_text(folder("sets"));
    damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 0x20);
    const auto result = replay({"--sets", folder_.write("damaged", damaged)});

    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.error, HasSubstr("damaged: at byte"));
    EXPECT_THAT(result.error, HasSubstr("--record-sets"));
    EXPECT_EQ(replay({"--sets", folder("chain/chain.rlp")}).exit_code, 2);
    EXPECT_EQ(replay({"--sets", folder("no-such-file")}).exit_code, 2);
}

TEST_F(RecordedChain, sets_that_cannot_be_written_are_an_error_before_anything_runs) {
    const auto result = replay({"--record-sets", folder("no/such/folder")});

    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.out, "");
}

TEST_F(RecordedChain, flags_without_a_meaning_are_refused) {
    const auto result = replay({"--scheduler", "serial", "--workers", "2"});

    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.error, HasSubstr("--scheduler auto"));
    EXPECT_EQ(replay({"--scheduler", "fastest"}).exit_code, 2);
    EXPECT_EQ(run_program({"blocktest", "--scheduler", "dag", "--trace", folder("sets")}).exit_code,
              2);
}

TEST_F(RecordedChain, a_block_can_be_inspected_in_every_format) {
    const std::vector<std::string> block = {"--genesis", folder("chain/genesis.json"),
                                            folder("chain/chain.rlp"), "--block", "3"};
    const auto with = [&block](std::vector<std::string> options) {
        options.insert(options.begin(), block.begin(), block.end());
        return options;
    };
    const auto text = inspect(block);
    const auto json = inspect(with({"--format", "json"}));
    const auto dot = inspect(with({"--format", "dot", "--out", folder("graph.dot")}));

    EXPECT_EQ(text.exit_code, 0) << text.error;
    EXPECT_THAT(text.out, HasSubstr("block 3, hash 0x"));
    EXPECT_THAT(text.out, HasSubstr("30 transactions"));
    EXPECT_THAT(text.out, HasSubstr("critical path"));
    EXPECT_THAT(text.out, HasSubstr("access list: "));
    EXPECT_THAT(json.out, HasSubstr("\"accessList\""));
    EXPECT_TRUE(json.out.starts_with("{\n  \"number\": 3,"));
    EXPECT_EQ(dot.out, "");
    EXPECT_THAT(read_text(folder("graph.dot")), HasSubstr("digraph \"block 3\""));
}

TEST_F(RecordedChain, a_block_looks_the_same_wherever_it_comes_from) {
    const auto of_file = inspect({"--genesis", folder("chain/genesis.json"),
                                  folder("chain/chain.rlp"), "--block", "3", "--format", "json"});
    ASSERT_EQ(replay({"--datadir", folder("data")}).exit_code, 0);
    const auto of_directory =
        inspect({"--datadir", folder("data"), "--block", "3", "--format", "json"});
    const auto newest = inspect({"--datadir", folder("data")});

    EXPECT_EQ(of_directory.exit_code, 0) << of_directory.error;
    EXPECT_TRUE(of_directory.out == of_file.out);
    EXPECT_THAT(newest.out, HasSubstr("block 4, hash 0x"));
    EXPECT_THAT(inspect({"--datadir", folder("data"), "--block", "5"}).error,
                HasSubstr("ends with block 4"));
    EXPECT_THAT(inspect({"--datadir", folder("data"), "--block", "0"}).error, HasSubstr("genesis"));
    EXPECT_THAT(inspect({"--datadir", folder("data"), "--chain", "mainnet"}).error,
                HasSubstr("--chain goes with"));

    RunningNode node{{"--datadir", folder("data"), "--seal", "command"}};
    ASSERT_NE(node.port(), 0) << node.program().error();
    const std::string url = "http://127.0.0.1:" + std::to_string(node.port());
    const auto of_node = inspect({"--rpc", url, "--block", "3", "--format", "json"});

    EXPECT_EQ(of_node.exit_code, 0) << of_node.error;
    EXPECT_TRUE(of_node.out == of_file.out) << of_node.out;
    EXPECT_THAT(inspect({"--rpc", url}).out, HasSubstr("block 4, hash 0x"));
    EXPECT_THAT(inspect({"--rpc", url, "--block", "5"}).error, HasSubstr("has no block 5"));
    EXPECT_THAT(inspect({"--rpc", url, "--block", "0"}).error, HasSubstr("genesis"));
    EXPECT_THAT(inspect({"--datadir", folder("data")}).error, HasSubstr("another process"))
        << "a node has it";
}

TEST_F(RecordedChain, a_node_that_is_not_there_cannot_be_asked) {
    const auto result = inspect({"--rpc", "http://127.0.0.1:1"});

    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.error, HasSubstr("--rpc: "));
    EXPECT_THAT(result.error, HasSubstr("127.0.0.1:1"));
}

TEST_F(RecordedChain, two_schedulers_can_be_seen_running_a_block) {
    const std::vector<std::string> block = {"--genesis", folder("chain/genesis.json"),
                                            folder("chain/chain.rlp"), "--block", "3"};
    const auto with = [&](std::vector<std::string> options) {
        options.insert(options.begin(), block.begin(), block.end());
        return inspect(std::move(options));
    };
    const auto page = with({"--format", "html", "--trace-schedule", "--scheduler", "dag",
                            "--beside", "optimistic", "--workers", "2"});

    EXPECT_EQ(page.exit_code, 0) << page.error;
    EXPECT_THAT(page.out, HasSubstr("dag on 2 workers, measured"));
    EXPECT_THAT(page.out, HasSubstr("optimistic on 2 workers, measured"));
    EXPECT_THAT(with({"--trace-schedule"}).error, HasSubstr("--format html"));
    EXPECT_THAT(with({"--format", "html", "--beside", "dag"}).error,
                HasSubstr("--beside needs --trace-schedule"));
    EXPECT_THAT(with({"--format", "html", "--trace-schedule", "--scheduler", "fastest"}).error,
                HasSubstr("fastest"));
    EXPECT_THAT(
        inspect({"--sets", folder("sets"), "--block", "3", "--format", "html", "--trace-schedule"})
            .error,
        HasSubstr("a block that can be run"));
}

TEST_F(RecordedChain, a_sidecar_can_be_inspected) {
    const auto list = inspect({"--sets", folder("sets")});
    const auto block = inspect({"--sets", folder("sets"), "--block", "2"});

    EXPECT_EQ(list.exit_code, 0) << list.error;
    EXPECT_EQ(std::count(list.out.begin(), list.out.end(), '\n'), 5);
    EXPECT_THAT(block.out, HasSubstr("block 2, hash 0x"));
    EXPECT_THAT(block.out, Not(HasSubstr("gas")));
    EXPECT_EQ(inspect({"--sets", folder("sets"), "--block", "9"}).exit_code, 2);
    EXPECT_EQ(inspect({"--sets", folder("sets"), "--format", "json"}).exit_code, 2);
}

TEST_F(RecordedChain, inspect_says_what_is_missing) {
    const std::string genesis = folder("chain/genesis.json");
    const std::string chain = folder("chain/chain.rlp");
    EXPECT_THAT(inspect({}).error, HasSubstr("--witness FILE or --sets FILE"));
    EXPECT_THAT(inspect({"--genesis", genesis, chain}).error, HasSubstr("--block N"));
    EXPECT_THAT(inspect({chain, "--block", "1"}).error, HasSubstr("--genesis"));
    EXPECT_THAT(inspect({"--genesis", genesis, chain, "--block", "0"}).error, HasSubstr("genesis"));
    EXPECT_THAT(inspect({"--genesis", genesis, chain, "--block", "9"}).error,
                HasSubstr("end with block 4"));
    EXPECT_THAT(inspect({"--sets", folder("sets"), "--genesis", genesis}).error,
                HasSubstr("one input at a time"));
    EXPECT_EQ(inspect({}).exit_code, 2);
}

/// Before, each of these options did nothing, and nothing was said.
TEST_F(RecordedChain, inspect_refuses_what_it_would_not_heed) {
    const auto error = [&](std::vector<std::string> options) {
        options.insert(options.begin(), {"--genesis", folder("chain/genesis.json"),
                                         folder("chain/chain.rlp"), "--block", "3"});
        const auto result = inspect(std::move(options));
        EXPECT_EQ(result.exit_code, 2);
        return result.error;
    };
    EXPECT_THAT(error({"--scheduler", "aria"}), HasSubstr("--scheduler needs --trace-schedule"));
    EXPECT_THAT(error({"--format", "html", "--scheduler", "dag"}),
                HasSubstr("--scheduler needs --trace-schedule"));
    EXPECT_THAT(error({"--workers", "4"}), HasSubstr("--workers goes with --format html"));
    EXPECT_THAT(inspect({"--sets", folder("sets"), "--chain", "mainnet"}).error,
                HasSubstr("--chain goes with"));
}

}  // namespace
}  // namespace heddle::test
