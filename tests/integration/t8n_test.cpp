// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.hpp"

namespace heddle::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kAlloc = R"({"0xa94f5374fce5edbc8e2a8697c15331677e6ebf0b":
    {"balance": "0x5ffd4878be161d74", "code": "0x", "nonce": "0xac", "storage": {}}})";
constexpr const char* kEnv = R"({
    "currentCoinbase": "0xc94f5374fce5edbc8e2a8697c15331677e6ebf0b",
    "currentDifficulty": "0x20000", "currentGasLimit": "0x750a163df65e8a",
    "currentNumber": "1", "currentTimestamp": "1000", "currentBaseFee": "0x7",
    "blockHashes":
        {"0": "0xe729de3fec21e30bea3d56adb01ed14bc107273c2775f9355afb10f594a10d9e"}})";
// The second one repeats an old nonce.
constexpr const char* kTransactions = R"([
    {"gas": "0x5208", "gasPrice": "0x8", "input": "0x", "nonce": "0xac",
     "to": "0x8a8eafb1cf62bfbeb1741769dae1a9dd47996192", "value": "0x1",
     "v": "0x0", "r": "0x0", "s": "0x0",
     "secretKey": "0x45a915e4d060149eb4365960e6a7a45f334393093061116b197e3240065ff2d8"},
    {"gas": "0x5208", "gasPrice": "0x8", "input": "0x", "nonce": "0x1",
     "to": "0x8a8eafb1cf62bfbeb1741769dae1a9dd47996192", "value": "0x1",
     "v": "0x0", "r": "0x0", "s": "0x0",
     "secretKey": "0x45a915e4d060149eb4365960e6a7a45f334393093061116b197e3240065ff2d8"}])";

class TransitionTool : public testing::Test {
protected:
    [[nodiscard]] ProgramResult run(std::vector<std::string> options) const {
        std::vector<std::string> arguments = arguments_with({});
        arguments.insert(arguments.end(), options.begin(), options.end());
        return run_program(arguments);
    }
    /// @param others  Options in place of the usual ones, or beside them.
    [[nodiscard]] std::vector<std::string> arguments_with(
        std::map<std::string, std::string> others) const {
        others.insert({{"--state.fork", "London"},
                       {"--state.reward", "2"},
                       {"--input.alloc", folder_.write("alloc.json", kAlloc)},
                       {"--input.env", folder_.write("env.json", kEnv)},
                       {"--input.txs", folder_.write("txs.json", kTransactions)},
                       // Without it files go where the test was started.
                       {"--output.basedir", out_}});
        std::vector<std::string> arguments = {"t8n"};
        for (const auto& [option, value] : others)
            arguments.insert(arguments.end(), {option, value});
        return arguments;
    }

    TemporaryFolder folder_;
    const std::string out_ = (folder_.path() / "out").native();
};

TEST_F(TransitionTool, gives_what_geth_gives) {
    const auto result =
        run({"--output.alloc", "stdout", "--output.result", "stdout", "--output.body", "stdout"});

    EXPECT_EQ(result.exit_code, 0) << result.error;
    // From geth 1.17.8.
    const char* const expected[] = {
        "\"0xc94f5374fce5edbc8e2a8697c15331677e6ebf0b\": {\n      \"balance\": \"0x520a\"\n    }",
        "\"body\": \"0xf862f86081ac08825208948a8eafb1cf62bfbeb1741769dae1a9dd47996192018026a0",
        "0x9e2716487a3279a4714afd18fa9d963d4e3286684d6aeb9841b15f54c46642eb",
        "0x06964b7fb602f5045c9609bd30147424e688d8023a35b6cbd999945af1aaaeef",
        "0x056b23fbba480696b65fe5a59b8f2148a1299103c4f57df839233af2cf4ca2d2",
        R"("index": 1,)",
        "nonce too low: address 0xa94f5374Fce5edBC8E2a8697C15331677e6EbF0B, tx: 1 state: 173",
        R"("currentDifficulty": "0x20000")",
        R"("gasUsed": "0x5208")",
        R"("currentBaseFee": "0x7")",
        R"("requests": null)",
    };
    for (const char* text : expected)
        EXPECT_THAT(result.out, HasSubstr(text));
}

// Of two reasons geth 1.17.8 names the nonce.
TEST_F(TransitionTool, names_the_nonce_before_other_reasons) {
    for (const char* other : {R"("gasPrice": "0x1")", R"("gas": "0xffffffffffffff")"}) {
        const std::string member = std::string(other).substr(0, std::string(other).find(' '));
        const std::string both = std::regex_replace(std::string(kTransactions),
                                                    std::regex(member + R"( "0x\w+")"), other);

        const auto result = run_program(arguments_with(
            {{"--input.txs", folder_.write("both.json", both)}, {"--output.result", "stdout"}}));

        EXPECT_EQ(result.exit_code, 0) << result.error;
        // The first of them has the right nonce.
        EXPECT_THAT(result.out, HasSubstr(member == R"("gas":)" ? "gas limit reached"
                                                                : "max fee per gas less than"));
        EXPECT_THAT(result.out, HasSubstr("nonce too low"));
    }
}

// Of several reasons geth 1.17.8 names that the sender is a contract before prices, and what the
// block has left behind these and before what the transaction costs.
TEST_F(TransitionTool, names_prices_behind_contracts_and_before_the_gas_left) {
    const std::string transaction =
        R"([{"type": "0x2", "chainId": "0x1", "input": "0x", "nonce": "0xac", )"
        R"("to": "0x8a8eafb1cf62bfbeb1741769dae1a9dd47996192", "gas": "0xffffffffffffffff", )"
        R"("accessList": [], "v": "0x0", "r": "0x0", "s": "0x0", "secretKey": )"
        R"("0x45a915e4d060149eb4365960e6a7a45f334393093061116b197e3240065ff2d8", )";
    const auto reason = [&](const std::string& members, const std::string& code = "0x") {
        const std::string alloc = std::regex_replace(
            std::string(kAlloc), std::regex(R"("code": "0x")"), R"("code": ")" + code + '"');
        const auto result = run_program(arguments_with(
            {{"--input.alloc", folder_.write("code.json", alloc)},
             {"--input.txs", folder_.write("above.json", transaction + members + "}]")},
             {"--output.result", "stdout"}}));
        EXPECT_EQ(result.exit_code, 0) << result.error;
        return result.out;
    };
    const std::string cheap =
        R"("value": "0x1", "maxFeePerGas": "0x1", "maxPriorityFeePerGas": "0x1")";
    EXPECT_THAT(reason(cheap), HasSubstr("max fee per gas less than block base fee"));
    EXPECT_THAT(reason(cheap, "0x00"), HasSubstr("sender not an eoa"));
    EXPECT_THAT(reason(R"("value": "0xffffffffffffffffffff", "maxFeePerGas": "0x9", )"
                       R"("maxPriorityFeePerGas": "0x1")"),
                HasSubstr("gas limit reached"));
}

TEST_F(TransitionTool, signs_for_no_chain_but_its_own) {
    const std::string foreign =
        std::regex_replace(std::string(kTransactions), std::regex(R"(\{"gas":)"),
                           R"({"type": "0x1", "chainId": "0x2", )"
                           R"("accessList": [], "gas":)");
    const auto result = run_program(arguments_with(
        {{"--input.txs", folder_.write("foreign.json", foreign)}, {"--output.result", "stdout"}}));

    EXPECT_EQ(result.exit_code, 10) << "as geth, which cannot sign it";
    EXPECT_THAT(result.error, HasSubstr("invalid chain id for signer: have 2 want 1"));
}

// As geth does, whatever the fork makes of them.
TEST_F(TransitionTool, says_again_what_the_environment_said) {
    const std::string more =
        std::regex_replace(std::string(kEnv), std::regex(R"("currentBaseFee")"),
                           R"("withdrawals": [{"index": "0x0", "validatorIndex": "0x0",
                "address": "0x8a8eafb1cf62bfbeb1741769dae1a9dd47996192", "amount": "0x1"}],
                "currentBaseFee")");
    const auto result =
        run_program(arguments_with({{"--state.fork", "Berlin"},
                                    {"--input.env", folder_.write("withdrawing.json", more)},
                                    {"--output.alloc", "stdout"},
                                    {"--output.result", "stdout"}}));

    EXPECT_EQ(result.exit_code, 0) << result.error;
    EXPECT_THAT(result.out, HasSubstr(R"("currentBaseFee": "0x7")"));
    EXPECT_THAT(result.out, HasSubstr(R"("withdrawalsRoot": "0x)"));
    // The recipient of the transfer has what was transferred, and no gwei.
    EXPECT_THAT(result.out, HasSubstr(R"("0x8a8eafb1cf62bfbeb1741769dae1a9dd47996192": {
      "balance": "0x1"
    })"));
}

// Instructions of the block's system calls are counted, but not traced, as in geth.
TEST_F(TransitionTool, counts_instructions_and_tells_of_calls) {
    const std::string alloc =
        std::regex_replace(std::string(kAlloc), std::regex("\\{\"0xa94f"), R"({
        "0x8a8eafb1cf62bfbeb1741769dae1a9dd47996192": {"balance": "0x0", "code": "0x600050fe"},
        "0x000f3df6d732807ef1319fb7b8bb8522d0beac02": {"balance": "0x0", "code": "0x5f5f5500"},
        "0xa94f)");
    const std::string env =
        std::regex_replace(std::string(kEnv), std::regex(R"("currentDifficulty": "0x20000")"),
                           R"("currentRandom": "0x0", "withdrawals": [],
            "currentExcessBlobGas": "0x0", "parentBeaconBlockRoot":
            "0x0000000000000000000000000000000000000000000000000000000000000000")");
    const std::string transactions =
        std::regex_replace(std::string(kTransactions), std::regex("0x5208"), "0xffff");
    std::vector<std::string> arguments =
        arguments_with({{"--state.fork", "Cancun"},
                        {"--state.reward", "-1"},
                        {"--input.alloc", folder_.write("coded.json", alloc)},
                        {"--input.env", folder_.write("later.json", env)},
                        {"--input.txs", folder_.write("more.json", transactions)},
                        {"--output.result", "stdout"},
                        {"--opcode.count", "counts.json"}});
    arguments.insert(arguments.end(), {"--trace", "--trace.callframes"});
    const auto result = run_program(arguments);

    EXPECT_EQ(result.exit_code, 0) << result.error;
    EXPECT_EQ(read_text(out_ + "/counts.json"), R"({
  "INVALID": 1,
  "POP": 1,
  "PUSH0": 2,
  "PUSH1": 1,
  "SSTORE": 1,
  "STOP": 1
})");
    const std::string trace =
        read_text(std::find_if(std::filesystem::directory_iterator(out_), {},
                               [](const auto& entry) {
                                   return entry.path().filename().native().starts_with("trace-0-");
                               })
                      ->path()
                      .native());
    EXPECT_TRUE(trace.starts_with(R"({"from":"0xa94f5374fce5edbc8e2a8697c15331677e6ebf0b",)"
                                  R"("to":"0x8a8eafb1cf62bfbeb1741769dae1a9dd47996192",)"
                                  R"("gas":"0xadf7","value":"0x1","type":"CALL"})"
                                  "\n"
                                  R"({"pc":0,"op":96,)"))
        << trace;
}

// A legacy transaction's was counted, and slots of it were warm. Figures are geth 1.17.10's.
TEST_F(TransitionTool, leaves_out_the_access_list_of_a_legacy_transaction) {
    const std::string list = R"("accessList": [{"address":
        "0x8a8eafb1cf62bfbeb1741769dae1a9dd47996192", "storageKeys": ["0x01"]}], "nonce")";
    const auto result_with = [&](const std::string& type) {
        const std::string text = std::regex_replace(
            std::regex_replace(std::string(kTransactions), std::regex(R"("nonce")"), type + list),
            std::regex("0x5208"), "0xffff");
        return run_program(arguments_with({{"--input.txs", folder_.write("listed.json", text)},
                                           {"--output.alloc", ""},
                                           {"--output.result", "stdout"}}))
            .out;
    };

    EXPECT_THAT(result_with(""), HasSubstr(R"("gasUsed": "0x5208")"));
    // One that says no chain is of the one that it is signed for.
    EXPECT_THAT(result_with(R"("type": "0x1", "chainId": "0x0", )"),
                HasSubstr(R"("gasUsed": "0x62d4")"));
}

TEST_F(TransitionTool, reads_one_object_from_standard_input) {
    const std::string input = std::string("{\"alloc\": ") + kAlloc + ", \"env\": " + kEnv +
                              ", \"txs\": " + kTransactions + "}";

    const auto result =
        run_program({"t8n", "--state.fork", "London", "--input.alloc", "stdin", "--input.env",
                     "stdin", "--input.txs", "stdin", "--state.reward", "2", "--output.result",
                     "stdout", "--output.alloc", ""},
                    input);

    EXPECT_EQ(result.exit_code, 0) << result.error;
    EXPECT_THAT(result.out,
                HasSubstr("0x9e2716487a3279a4714afd18fa9d963d4e3286684d6aeb9841b15f54c46642eb"));
}

TEST_F(TransitionTool, writes_what_a_named_tracer_says_of_each_transaction) {
    const auto result = run({"--trace.tracer", "callTracer", "--trace.jsonconfig",
                             R"({"withLog": true})", "--opcode.count", "n"});

    EXPECT_EQ(result.exit_code, 0) << result.error;
    const std::string name =
        "/trace-0-0x910dc1d2750729aea26dca313f5d0c4517ed9701c8ec2ead8cfcaf91a2638a54.json";
    EXPECT_EQ(read_text(out_ + name),
              R"({"from":"0xa94f5374fce5edbc8e2a8697c15331677e6ebf0b","gas":"0x5208",)"
              R"("gasUsed":"0x5208","to":"0x8a8eafb1cf62bfbeb1741769dae1a9dd47996192",)"
              R"("input":"0x","value":"0x1","type":"CALL"})"
              "\n");
    EXPECT_EQ(std::ranges::distance(std::filesystem::directory_iterator{out_}), 4)
        << "result, state, counts and one trace: the second transaction was rejected";
}

TEST_F(TransitionTool, refuses_tracers_that_are_not_there) {
    const auto refusal = [&](const std::vector<std::string>& options) {
        const auto result = run(options);
        EXPECT_EQ(result.exit_code, 3);
        return result.error;
    };
    EXPECT_THAT(refusal({"--trace.tracer", "{step: function(log) {}}"}),
                HasSubstr("tracers in JavaScript are not supported"));
    EXPECT_THAT(refusal({"--trace.tracer", "call"}), HasSubstr("call is not defined"));
    EXPECT_THAT(refusal({"--trace.tracer", "callTracer", "--trace.jsonconfig", "{"}),
                HasSubstr("--trace.jsonconfig: malformed JSON"));
    EXPECT_THAT(refusal({"--trace.jsonconfig", "{}"}), HasSubstr("goes with --trace.tracer"));
}

TEST_F(TransitionTool, writes_files_and_traces_into_its_folder) {
    const auto result = run({"--output.body", "txs.rlp", "--trace"});

    EXPECT_EQ(result.exit_code, 0) << result.error;
    EXPECT_THAT(read_text(out_ + "/alloc.json"), HasSubstr("0x5ffd4878be138d33"));
    EXPECT_THAT(read_text(out_ + "/result.json"), HasSubstr("\"stateRoot\""));
    EXPECT_THAT(read_text(out_ + "/txs.rlp"), HasSubstr("\"0xf862f860"));
    EXPECT_TRUE(std::filesystem::exists(
        out_ +
        "/trace-0-0x910dc1d2750729aea26dca313f5d0c4517ed9701c8ec2ead8cfcaf91a2638a54.jsonl"));

    // What it writes as the body it takes as transactions.
    const auto again = run_program(
        {"t8n", "--state.fork", "London", "--state.reward", "2", "--input.alloc",
         folder_.write("alloc.json", kAlloc), "--input.env", folder_.write("env.json", kEnv),
         "--input.txs", out_ + "/txs.rlp", "--output.alloc", "", "--output.result", "stdout"});
    EXPECT_THAT(again.out,
                HasSubstr("0x9e2716487a3279a4714afd18fa9d963d4e3286684d6aeb9841b15f54c46642eb"));
}

// As geth's tool, with the same input, names and fills its files.
TEST_F(TransitionTool, counts_what_it_rejects_among_the_traces) {
    // The first one again, with the next nonce.
    std::string three = kTransactions;
    const std::string next = three.substr(1, three.find('}'));
    three.back() = ',';
    three += std::regex_replace(next, std::regex("0xac"), "0xad") + "]";
    std::vector<std::string> arguments =
        arguments_with({{"--input.txs", folder_.write("three.json", three)}});
    arguments.emplace_back("--trace");

    const auto result = run_program(arguments);

    EXPECT_EQ(result.exit_code, 0) << result.error;
    const auto trace = [&](const std::string& name) {
        return read_text(out_ + "/trace-" + name + ".jsonl");
    };
    EXPECT_FALSE(
        trace("0-0x910dc1d2750729aea26dca313f5d0c4517ed9701c8ec2ead8cfcaf91a2638a54").empty());
    const std::string rejected =
        "1-0xb021a2e1bf0f5131a35ea030a3c373a39bacd951068223d89133b5509d9b6641";
    EXPECT_TRUE(std::filesystem::exists(out_ + "/trace-" + rejected + ".jsonl"));
    EXPECT_EQ(trace(rejected), "");
    EXPECT_FALSE(
        trace("2-0x471a21e2c715e721e56f9eddd6f4ffa7415c2bcc0f4d734514ccbd2a99c94360").empty());
}

TEST_F(TransitionTool, asks_for_what_a_fork_needs) {
    const auto result = run_program({"t8n", "--state.fork", "Shanghai", "--input.alloc",
                                     folder_.write("alloc.json", kAlloc), "--input.env",
                                     folder_.write("env.json", kEnv), "--input.txs",
                                     folder_.write("txs.json", "[]")});

    EXPECT_EQ(result.exit_code, 3);
    EXPECT_THAT(result.error, HasSubstr("from Paris on, currentRandom is required"));
}

// What drives geth's tool tells what is wrong by its exit code.
TEST_F(TransitionTool, ends_with_geths_exit_codes) {
    const auto code = [&](std::map<std::string, std::string> options) {
        options.insert({"--output.alloc", ""});
        const ProgramResult result = run_program(arguments_with(options));
        EXPECT_TRUE(result.error.starts_with("heddle: ")) << result.error;
        return result.exit_code;
    };
    const auto file = [&](const std::string& text) { return folder_.write("other.json", text); };
    const std::string missing = (folder_.path() / "missing" / "file").native();

    EXPECT_EQ(code({{"--state.fork", "Atlantis"}}), 3);
    EXPECT_EQ(code({{"--state.fork", "Paris"}}), 3);  // without currentRandom
    EXPECT_EQ(code({{"--input.env", file("{}")}}), 10);
    EXPECT_EQ(code({{"--input.env", file("{")}}), 10);
    EXPECT_EQ(code({{"--input.alloc", file("[")}}), 10);
    EXPECT_EQ(code({{"--input.txs", file("[{}]")}}), 10);
    EXPECT_EQ(code({{"--input.txs", file("{}")}}), 10);
    for (const char* part : {"--input.alloc", "--input.env", "--input.txs", "--output.result"})
        EXPECT_EQ(code({{part, missing}}), 11) << part;
    EXPECT_EQ(code({{"--output.basedir", file("") + "/folder"}}), 11);
    EXPECT_EQ(code({{"--state.reward", "much"}}), 2);  // bad usage
}

// As what is written in Go has no transactions.
TEST_F(TransitionTool, takes_null_for_no_transactions) {
    const auto result =
        run_program(arguments_with({{"--input.txs", folder_.write("no.json", "null")},
                                    {"--output.alloc", "stdout"},
                                    {"--output.result", "stdout"}}));

    EXPECT_EQ(result.exit_code, 0) << result.error;
    EXPECT_THAT(result.out, HasSubstr(R"("gasUsed": "0x0")"));
}

TEST_F(TransitionTool, ends_with_4_where_a_block_hash_is_missing) {
    const auto asking_for = [&](const char* number) {
        const std::string input =
            std::string(R"({"alloc": {"0xa94f5374fce5edbc8e2a8697c15331677e6ebf0b":
                {"balance": "0x5ffd4878be161d74", "nonce": "0xac"},
                "0x8a8eafb1cf62bfbeb1741769dae1a9dd47996192": {"balance": "0x0", "code": "0x60)") +
            number + "4000\"}}, \"env\": " +
            std::regex_replace(std::string(kEnv), std::regex(R"("currentNumber": "1")"),
                               R"("currentNumber": "2")") +
            ", \"txs\": " +
            std::regex_replace(std::string(kTransactions), std::regex("0x5208"), "0xffff") + "}";
        return run_program(
            {"t8n", "--state.fork", "London", "--input.alloc", "stdin", "--input.env", "stdin",
             "--input.txs", "stdin", "--output.alloc", "", "--output.result", "stdout"},
            input);
    };

    EXPECT_EQ(asking_for("00").exit_code, 0);
    const ProgramResult result = asking_for("01");
    EXPECT_EQ(result.exit_code, 4);
    EXPECT_THAT(result.error, HasSubstr("BLOCKHASH asked for block 1"));
}

// EIP-7928: what a block without transactions accesses are the contracts that it calls itself.
/// Without transactions; of those contracts that a block of Amsterdam calls at its end.
/// @param more_env  Members of the environment, each with a comma behind it.
std::string amsterdam_input(const std::string& more_accounts, const std::string& more_env = "") {
    std::string alloc = more_accounts;
    for (const char* const contract :
         {"00000961ef480eb55e80d19ad83579a64c007002", "0000bbddc7ce488642fb579f8b00f3a590007251",
          "0000bff46984e3725691fa540a8c7589300d8282", "000064d678505ad48f8ccb093bc65613800e8282"})
        alloc += std::string(alloc.empty() ? "" : ",") + "\"0x" + contract +
                 R"(": {"balance": "0x0", "nonce": "0x1", "code": "0x00"})";
    return R"({"alloc": {)" + alloc + R"(}, "txs": [], "env": {)" + more_env + R"(
            "currentCoinbase": "0xc94f5374fce5edbc8e2a8697c15331677e6ebf0b",
            "currentGasLimit": "0x1c9c380", "currentNumber": "1", "currentTimestamp": "1000",
            "currentBaseFee": "0x7", "currentRandom": "0x0", "withdrawals": [],
            "currentExcessBlobGas": "0x0", "slotNumber": "0x10", "parentBeaconBlockRoot":
            "0x0000000000000000000000000000000000000000000000000000000000000000"}})";
}

TEST_F(TransitionTool, tells_the_access_list_from_amsterdam_on) {
    const auto result = run_program(
        {"t8n", "--state.fork", "Amsterdam", "--input.alloc", "stdin", "--input.env", "stdin",
         "--input.txs", "stdin", "--output.result", "stdout", "--output.alloc", ""},
        amsterdam_input("", R"("blockHashes": {},)"));

    EXPECT_EQ(result.exit_code, 0) << result.error;
    EXPECT_THAT(result.out, HasSubstr(R"("blockAccessListHash": "0x)"));
    // Six addresses in order, each with five empty lists.
    EXPECT_THAT(result.out, HasSubstr(R"("blockAccessList": "0xf8a2da94)"
                                      "00000961ef480eb55e80d19ad83579a64c007002c0c0c0c0c0da94"
                                      "000064d678505ad48f8ccb093bc65613800e8282c0c0c0c0c0da94"
                                      "0000bbddc7ce488642fb579f8b00f3a590007251c0c0c0c0c0da94"
                                      "0000bff46984e3725691fa540a8c7589300d8282c0c0c0c0c0da94"
                                      "0000f90827f1c53a10cb7a02335b175320002935c0c0c0c0c0da94"
                                      "000f3df6d732807ef1319fb7b8bb8522d0beac02c0c0c0c0c0\""));
}

/// EIP-2935: a block whose environment tells no hashes has none to keep of its parent; one that is
/// not among those that are told is zero.
TEST_F(TransitionTool, keeps_the_hash_of_the_parent_where_hashes_are_told) {
    // Stores what it is called with in slot 0, where there is something already.
    const std::string history = R"("0x0000f90827f1c53a10cb7a02335b175320002935": {"balance": "0x0",
        "nonce": "0x1", "code": "0x5f355f5500", "storage": {"0x00": "0x77"}})";
    const auto run_with = [&](const std::string& env) {
        return run_program({"t8n", "--state.fork", "Amsterdam", "--input.alloc", "stdin",
                            "--input.env", "stdin", "--input.txs", "stdin", "--output.result",
                            "stdout", "--output.alloc", "stdout"},
                           amsterdam_input(history, env))
            .out;
    };
    constexpr const char* kListed = "940000f90827f1c53a10cb7a02335b175320002935";
    constexpr const char* kOld = "0000000000000077\"";

    // As geth 1.17.8 has it.
    for (const char* const none : {"", R"("blockHashes": null,)"}) {
        const std::string out = run_with(none);
        EXPECT_THAT(out, HasSubstr(kOld));
        EXPECT_THAT(out, Not(HasSubstr(kListed)));
    }
    const std::string cleared = run_with(R"("blockHashes": {},)");
    EXPECT_THAT(cleared, HasSubstr(kListed));
    EXPECT_THAT(cleared, Not(HasSubstr(kOld)));
    EXPECT_THAT(cleared, Not(HasSubstr("storage")));

    // Of two names for one number the last one counts.
    const auto hash_of = [](char digit) { return "\"0x" + std::string(64, digit) + "\""; };
    const std::string twice =
        run_with(R"("blockHashes": {"0": )" + hash_of('1') + R"(, "0x0": )" + hash_of('2') + "},");
    EXPECT_THAT(twice, HasSubstr(hash_of('2')));
    EXPECT_THAT(twice, Not(HasSubstr(hash_of('1'))));
}

/// A reward of nothing, which is what there is without the option, ends an empty account.
TEST_F(TransitionTool, touches_the_beneficiary_under_amsterdam_and_does_not_list_it) {
    const std::string beneficiary = "0xc94f5374fce5edbc8e2a8697c15331677e6ebf0b";
    const auto run_with = [&](const std::string& reward) {
        return run_program({"t8n", "--state.fork", "Amsterdam", "--state.reward", reward,
                            "--input.alloc", "stdin", "--input.env", "stdin", "--input.txs",
                            "stdin", "--output.result", "stdout", "--output.alloc", "stdout"},
                           amsterdam_input("\"" + beneficiary + R"(": {"balance": "0x0"})"));
    };

    const ProgramResult usual = run_with("0");
    EXPECT_EQ(usual.exit_code, 0) << usual.error;
    // From geth 1.17.8.
    EXPECT_THAT(usual.out,
                HasSubstr("0xe1c1a05ec9f8683fe4987bfb3a3a5d4f01d574e0b82673ce991f9511f0b53019"));
    EXPECT_THAT(usual.out, Not(HasSubstr(beneficiary)));
    EXPECT_THAT(usual.out, Not(HasSubstr("94c94f5374fce5edbc8e")));  // in the list
    EXPECT_THAT(run_with("-1").out, HasSubstr(beneficiary));
}

}  // namespace
}  // namespace heddle::test
