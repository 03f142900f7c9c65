// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.hpp"
#include "running_node.hpp"

namespace heddle::test {
namespace {

using testing::HasSubstr;

/// What a response has as its result.
std::string result_of(std::string_view response) {
    constexpr std::string_view kResult = R"("result":)";
    response.remove_prefix(response.find(kResult) + kResult.size());
    return std::string{response.substr(0, response.rfind('}'))};
}

/// A chain of our own making, small enough to be damaged in many ways.
class GeneratedChain : public testing::Test {
protected:
    void SetUp() override {
        const auto made = run_program({"generate", "--seed", "3", "--blocks", "4", "--txs", "10",
                                       "--accounts", "20", "--out", chain_folder()});
        ASSERT_EQ(made.exit_code, 0) << made.error;
        chain_ = read_text(chain_folder() + "/chain.rlp");
    }

    [[nodiscard]] std::string chain_folder() const { return (folder_.path() / "chain").native(); }
    [[nodiscard]] ProgramResult replay(const std::string& file) const {
        return run_program({"replay", "--genesis", chain_folder() + "/genesis.json", file});
    }

    TemporaryFolder folder_;
    std::string chain_;
};

TEST_F(GeneratedChain, is_verified) {
    const auto result = replay(chain_folder() + "/chain.rlp");

    EXPECT_EQ(result.exit_code, 0) << result.error;
    EXPECT_THAT(result.out, HasSubstr("4 blocks, 40 transactions"));
    EXPECT_THAT(result.out, HasSubstr("head: block 4"));
}

/// Of each block what `heddle replay --witness` reads, as a node with the chain gives it.
TEST_F(GeneratedChain, is_verified_block_by_block_with_witnesses_and_no_state) {
    const std::string data = (folder_.path() / "data").native();
    const std::string genesis = chain_folder() + "/genesis.json";
    ASSERT_EQ(run_program({"replay", "--genesis", genesis, "--datadir", data,
                           chain_folder() + "/chain.rlp"})
                  .exit_code,
              0);
    const RunningNode node{{"--datadir", data}};
    std::vector<std::string> arguments{"replay", "--witness", "--genesis", genesis};
    std::string third;
    for (int number = 1; number <= 4; ++number) {
        const std::string params = fmt::format(R"(["{:#x}"])", number);
        third = number == 3 ? node.text("debug_getRawBlock", params) : third;
        arguments.push_back(folder_.write(
            fmt::format("{}.json", number),
            fmt::format(R"({{"block":"{}","witness":{}}})", node.text("debug_getRawBlock", params),
                        result_of(node.call("debug_executionWitness", params)))));
    }
    const auto all = run_program(arguments);
    EXPECT_EQ(all.exit_code, 0) << all.error;
    EXPECT_THAT(all.out, HasSubstr("4 blocks with state roots"));
    EXPECT_THAT(all.out, HasSubstr("4 passed, 0 failed"));
    arguments.insert(arguments.end(), {"--repeat", "2", "--recover-senders"});
    EXPECT_THAT(run_program(arguments).out,
                AllOf(HasSubstr("senders recovered"), HasSubstr("4 passed, 0 failed")));
    // Before, a file without sets was made.
    const std::string sets = (folder_.path() / "sets").native();
    arguments.insert(arguments.end(), {"--record-sets", sets});
    const auto recorded = run_program(arguments);
    EXPECT_EQ(recorded.exit_code, 2);
    EXPECT_THAT(recorded.error, HasSubstr("1.json: --record-sets goes with blocks"));
    EXPECT_FALSE(std::filesystem::exists(sets));

    const auto replay_third = [&](std::string_view witness) {
        return run_program(
            {"replay", "--witness", "--genesis", genesis,
             folder_.write("third.json",
                           fmt::format(R"({{"block":"{}","witness":{}}})", third, witness))});
    };
    const auto incomplete = replay_third(R"({"state":[],"codes":[],"headers":[]})");
    EXPECT_NE(incomplete.exit_code, 0);
    EXPECT_THAT(incomplete.error, HasSubstr("heddle: "));
    const std::string second = result_of(node.call("debug_executionWitness", R"(["0x2"])"));
    const auto other = replay_third(second);
    EXPECT_NE(other.exit_code, 0);
    EXPECT_THAT(other.error, HasSubstr("heddle: "));
    const auto no_block = run_program(
        {"replay", "--witness", folder_.write("no.json", R"({"block":"0x00","witness":{}})")});
    EXPECT_EQ(no_block.exit_code, 2);
    EXPECT_THAT(no_block.error, HasSubstr("no.json"));
}

TEST_F(GeneratedChain, has_no_administrative_methods_for_who_has_no_token) {
    const std::string data = (folder_.path() / "data").native();
    const RunningNode node{{"--datadir", data, "--genesis", chain_folder() + "/genesis.json"}};
    EXPECT_THAT(node.call("evm_mine"), HasSubstr("\"error\""));
    EXPECT_EQ(node.number("eth_blockNumber"), 0u);
}

TEST_F(GeneratedChain, cut_short_is_bad_input_at_the_block_that_is_not_whole) {
    const auto result = replay(folder_.write("cut.rlp", chain_.substr(0, chain_.size() - 1)));

    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.error, HasSubstr("cut.rlp"));
    EXPECT_THAT(result.out, HasSubstr("3 blocks"));
}

TEST_F(GeneratedChain, with_a_wrong_byte_is_never_accepted) {
    // Every region of the file: prefixes, headers, transactions, signatures.
    for (std::size_t i = 0; i < 24; ++i) {
        std::string damaged = chain_;
        const std::size_t place = i * (damaged.size() - 1) / 23;
        damaged[place] = static_cast<char>(damaged[place] ^ 0x01);
        const auto result = replay(folder_.write("damaged.rlp", damaged));
        EXPECT_TRUE(result.exit_code == 1 || result.exit_code == 2)
            << "byte " << place << ": exit code " << result.exit_code;
        EXPECT_TRUE(result.error.starts_with("heddle: ")) << result.error;
    }
}

TEST_F(GeneratedChain, without_its_first_block_leaves_a_gap) {
    const auto second = [&] {
        // The prefix of a list longer than 55 bytes: 0xf7 plus the length of its length.
        const auto byte = [&](std::size_t i) {
            return static_cast<std::size_t>(static_cast<unsigned char>(chain_[i]));
        };
        const std::size_t length_bytes = byte(0) - 0xf7;
        std::size_t length = 0;
        for (std::size_t i = 0; i < length_bytes; ++i)
            length = length << 8 | byte(1 + i);
        return 1 + length_bytes + length;
    }();
    const auto result = replay(folder_.write("rest.rlp", chain_.substr(second)));

    EXPECT_EQ(result.exit_code, 2) << result.error;
    EXPECT_THAT(result.error, HasSubstr("rest.rlp: at byte 0: block 2: the file begins behind a "
                                        "gap (the chain ends with block 0"));
}

TEST_F(GeneratedChain, on_another_state_names_the_first_wrong_field) {
    std::string genesis = read_text(chain_folder() + "/genesis.json");
    // The same header and rules, another chain id: no signature is valid any more.
    const auto place = genesis.find("\"chainId\":");
    ASSERT_NE(place, std::string::npos);
    genesis.insert(genesis.find_first_of("0123456789", place), "9");
    const auto result = run_program({"replay", "--genesis", folder_.write("other.json", genesis),
                                     chain_folder() + "/chain.rlp"});

    EXPECT_EQ(result.exit_code, 1) << result.error;
    EXPECT_THAT(result.error, HasSubstr("wrong block: block 1: invalid transaction 0"));
    EXPECT_THAT(result.out, HasSubstr("0 blocks"));
}

TEST_F(GeneratedChain, gives_the_same_head_on_the_plain_interpreter) {
    const auto file = chain_folder() + "/chain.rlp";
    const auto genesis = chain_folder() + "/genesis.json";
    const auto fast = run_program({"replay", "--genesis", genesis, file});
    const auto plain = run_program({"import", "--plain", "--genesis", genesis, file});
    const auto head = [](const std::string& text) { return text.substr(text.find("head:")); };

    EXPECT_EQ(plain.exit_code, 0);
    EXPECT_EQ(head(fast.out), head(plain.out));
}

/// Before, each of these options did nothing, and nothing was said.
TEST_F(GeneratedChain, is_not_replayed_with_options_that_would_not_be_heeded) {
    const auto file = chain_folder() + "/chain.rlp";
    const auto genesis = chain_folder() + "/genesis.json";
    const auto error = [&](std::vector<std::string> options) {
        options.insert(options.begin(), "replay");
        const auto result = run_program(options);
        EXPECT_EQ(result.exit_code, 2) << result.error;
        EXPECT_EQ(result.out, "");
        return result.error;
    };
    for (const std::vector<std::string>& option : std::vector<std::vector<std::string>>{
             {"--repeat", "3"}, {"--recover-senders"}, {"--memory", "64"}}) {
        std::vector<std::string> options{"--genesis", genesis, file};
        options.insert(options.end(), option.begin(), option.end());
        EXPECT_THAT(error(options), HasSubstr(option.front() + " goes with --"));
    }
    for (const std::vector<std::string>& option :
         std::vector<std::vector<std::string>>{{"--to", "3"},
                                               {"--from", "2"},
                                               {"--no-sets"},
                                               {"--store-lists"},
                                               {"--report-durable"},
                                               {"--datadir", (folder_.path() / "data").native()},
                                               {"--history", "4"},
                                               {"--access-lists", file}}) {
        std::vector<std::string> options{"--witness", file};
        options.insert(options.end(), option.begin(), option.end());
        EXPECT_THAT(error(options), HasSubstr("--witness does not go with " + option.front()));
    }
    EXPECT_THAT(error({"--lanes", "--witness", "--genesis", genesis, file}),
                HasSubstr("--lanes does not go with --witness"));
    EXPECT_THAT(error({"--lanes", "--history", "4", "--genesis", genesis, file}),
                HasSubstr("--history goes with --datadir"));
}

/// Before, nothing said that there was no such block.
TEST_F(GeneratedChain, says_where_it_ends_before_the_block_that_was_asked_for) {
    const auto file = chain_folder() + "/chain.rlp";
    const auto genesis = chain_folder() + "/genesis.json";
    const auto data = (folder_.path() / "data").native();
    const auto error = [](const std::vector<std::string>& options) {
        const auto result = run_program(options);
        EXPECT_EQ(result.exit_code, 0) << result.error;
        return result.error;
    };
    EXPECT_THAT(error({"replay", "--genesis", genesis, file, "--to", "9"}),
                HasSubstr("--to 9: the files end with block 4"));
    EXPECT_EQ(error({"replay", "--genesis", genesis, file, "--to", "4"}), "");
    EXPECT_THAT(error({"replay", "--genesis", genesis, file, "--to", "9", "--datadir", data}),
                HasSubstr("--to 9: the files end with block 4"));
    EXPECT_THAT(error({"replay", file, "--to", "2", "--datadir", data}),
                HasSubstr("--to 2: the directory has block 4 already"));
    EXPECT_THAT(error({"replay", "--to", "9", "--datadir", data}),
                HasSubstr("--to 9: the last block stored is 4"));
    EXPECT_EQ(error({"replay", "--to", "3", "--datadir", data}), "");
}

/// Before, the file was not looked at.
TEST_F(GeneratedChain, that_is_stored_is_not_executed_again_with_what_belongs_to_files) {
    const auto genesis = chain_folder() + "/genesis.json";
    const auto data = (folder_.path() / "data").native();
    ASSERT_EQ(run_program({"replay", "--genesis", genesis, "--datadir", data,
                           chain_folder() + "/chain.rlp"})
                  .exit_code,
              0);
    for (const std::vector<std::string>& option :
         std::vector<std::vector<std::string>>{{"--genesis", genesis},
                                               {"--chain", "mainnet"},
                                               {"--sets", genesis},
                                               {"--no-sets"},
                                               {"--report-durable"}}) {
        std::vector<std::string> options{"replay", "--datadir", data};
        options.insert(options.end(), option.begin(), option.end());
        const auto result = run_program(options);
        EXPECT_EQ(result.exit_code, 2) << option.front();
        EXPECT_THAT(result.error, HasSubstr(option.front() + " goes with chain files"));
    }
}

}  // namespace
}  // namespace heddle::test
