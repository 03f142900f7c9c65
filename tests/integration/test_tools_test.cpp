// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <regex>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <types/fork.hpp>

#include "adversarial_maker.hpp"
#include "program.hpp"

namespace heddle::test {
namespace {

using testing::HasSubstr;

/// Adds two numbers and stores the sum; its second case has too little gas. Roots are geth's.
constexpr const char* kStateTest = R"({"adds_two_numbers": {
  "env": {"currentCoinbase": "0x2adc25665018aa1fe0e6bc666dac8fc2697ff9ba",
          "currentGasLimit": "0x5f5e100", "currentNumber": "0x1", "currentTimestamp": "0x3e8",
          "currentDifficulty": "0x20000", "currentBaseFee": "0x7"},
  "pre": {"0x1000000000000000000000000000000000000000":
            {"nonce": "0x1", "balance": "0x0", "code": "0x600160020160005500", "storage": {}},
          "0xa94f5374fce5edbc8e2a8697c15331677e6ebf0b":
            {"nonce": "0x0", "balance": "0x3635c9adc5dea00000", "code": "0x", "storage": {}}},
  "transaction": {"nonce": "0x0", "gasPrice": "0xa", "gasLimit": ["0x186a0", "0x5207"],
                  "to": "0x1000000000000000000000000000000000000000", "value": ["0x0"],
                  "data": ["0x"], "sender": "0xa94f5374fce5edbc8e2a8697c15331677e6ebf0b"},
  "post": {"London": [
    {"hash": "0xcdc7377b9f8687fbc784f9289c242b16edfae92d84204b05238a0472a7a205cd",
     "logs": "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347",
     "indexes": {"data": 0, "gas": 0, "value": 0}},
    {"hash": "0xfc42d248ad49a6a12af64e67116decbe39dae8728122296f11a4d016320e5232",
     "logs": "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347",
     "indexes": {"data": 0, "gas": 1, "value": 0},
     "expectException": "TransactionException.INTRINSIC_GAS_TOO_LOW"}]}
}})";

std::string with(std::string text, const std::string& from, const std::string& to) {
    const auto place = text.find(from);
    EXPECT_NE(place, std::string::npos);
    return text.replace(place, from.size(), to);
}

class StateTestTool : public testing::Test {
protected:
    [[nodiscard]] ProgramResult run(const std::string& fixture,
                                    std::vector<std::string> options = {}) const {
        options.insert(options.begin(), "statetest");
        options.push_back(folder_.write("fixture.json", fixture));
        return run_program(options);
    }

    TemporaryFolder folder_;
};

TEST_F(StateTestTool, counts_every_case) {
    const auto result = run(kStateTest);

    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.out, "2 passed, 0 failed\n");
}

TEST_F(StateTestTool, fails_where_the_root_differs) {
    const auto result = run(with(kStateTest, "0xcdc7", "0xcdc8"));

    EXPECT_EQ(result.exit_code, 1);
    EXPECT_EQ(result.last_line(), "1 passed, 1 failed");
    EXPECT_THAT(result.out, HasSubstr("[FAIL] adds_two_numbers [London #0]: post state root"));
}

// A file of another kind has no tests, which is not to say that all of them pass.
TEST_F(StateTestTool, takes_no_list_for_a_file_of_tests) {
    const auto result = run("[]");

    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.error, HasSubstr("fixture.json: $: expected an object"));
    EXPECT_EQ(run(R"({"a": {"pre": {}, "transaction": {}, "post": []}})").exit_code, 2);
    EXPECT_EQ(run(R"({"a": {"pre": {}, "transaction": {}, "post": {"London": {}}}})").exit_code, 2);
}

TEST_F(StateTestTool, fails_where_logs_differ) {
    const auto result = run(with(kStateTest, "0x1dcc", "0x1dcd"));

    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.out, HasSubstr("post state logs hash mismatch"));
}

TEST_F(StateTestTool, fails_where_the_reason_of_rejection_differs) {
    const auto other = run(with(kStateTest, "INTRINSIC_GAS_TOO_LOW", "NONCE_MISMATCH_TOO_LOW"));
    const auto alternatives =
        run(with(kStateTest, "TransactionException.INTRINSIC_GAS_TOO_LOW",
                 "TransactionException.SENDER_NOT_EOA|TransactionException.INTRINSIC_GAS_TOO_LOW"));
    const auto accepted = run(with(kStateTest, "0x5207", "0x186a0"));

    EXPECT_EQ(other.exit_code, 1);
    EXPECT_THAT(other.out, HasSubstr("rejected for another reason"));
    EXPECT_EQ(alternatives.exit_code, 0);
    EXPECT_EQ(accepted.exit_code, 1);
    EXPECT_THAT(accepted.out, HasSubstr("accepted, but expected"));
}

TEST_F(StateTestTool, prints_what_geth_prints_when_asked_for_json) {
    const auto result = run(kStateTest, {"--json", "--statetest.index", "0"});

    EXPECT_EQ(result.out, R"([
  {
    "name": "adds_two_numbers",
    "pass": true,
    "stateRoot": "0xcdc7377b9f8687fbc784f9289c242b16edfae92d84204b05238a0472a7a205cd",
    "fork": "London"
  }
]
)");
    EXPECT_EQ(result.error, "1 passed, 0 failed\n");
}

TEST_F(StateTestTool, traces_as_geth_does) {
    const auto result = run(kStateTest, {"--trace", "--statetest.index", "0"});

    // From geth 1.17.8.
    const auto step = [](const std::string& place, const std::string& cost, const char* stack,
                         const char* name) {
        return "{" + place + ",\"gasCost\":\"" + cost + "\",\"memSize\":0,\"stack\":[" + stack +
               "],\"depth\":1,\"refund\":0,\"opName\":\"" + name + "\"}\n";
    };
    EXPECT_EQ(result.error,
              step(R"("pc":0,"op":96,"gas":"0x13498")", "0x3", "", "PUSH1") +
                  step(R"("pc":2,"op":96,"gas":"0x13495")", "0x3", R"("0x1")", "PUSH1") +
                  step(R"("pc":4,"op":1,"gas":"0x13492")", "0x3", R"("0x1","0x2")", "ADD") +
                  step(R"("pc":5,"op":96,"gas":"0x1348f")", "0x3", R"("0x3")", "PUSH1") +
                  step(R"("pc":7,"op":85,"gas":"0x1348c")", "0x5654", R"("0x3","0x0")", "SSTORE") +
                  step(R"("pc":8,"op":0,"gas":"0xde38")", "0x0", "", "STOP") +
                  "{\"output\":\"\",\"gasUsed\":\"0x5660\"}\n"
                  "{\"stateRoot\": "
                  "\"0xcdc7377b9f8687fbc784f9289c242b16edfae92d84204b05238a0472a7a205cd\"}\n");
}

// From geth 1.17.10: what is left out of a step leaves no hole in it.
TEST_F(StateTestTool, traces_without_the_stack_as_geth_does) {
    const auto result = run(kStateTest, {"--trace", "--nostack", "--statetest.index", "0"});

    EXPECT_THAT(result.error,
                HasSubstr(R"({"pc":4,"op":1,"gas":"0x13492","gasCost":"0x3","memSize":0,)"
                          R"("stack":null,"depth":1,"refund":0,"opName":"ADD"})"));
}

TEST_F(StateTestTool, takes_geths_option_for_storage_in_traces_which_have_none) {
    const auto traced = [&](const char* option) {
        return run(kStateTest, {"--trace", option, "--statetest.index", "0"}).error;
    };
    EXPECT_THAT(traced("--trace.nostorage"), HasSubstr(R"("opName":"SSTORE")"));
    EXPECT_EQ(traced("--nostorage"), traced("--trace.nostorage"));
}

TEST_F(StateTestTool, selects_by_name_fork_and_index) {
    EXPECT_EQ(run(kStateTest, {"--run", "multiplies"}).out, "0 passed, 0 failed\n");
    EXPECT_EQ(run(kStateTest, {"--run", "two"}).out, "2 passed, 0 failed\n");
    EXPECT_EQ(run(kStateTest, {"--statetest.fork", "Berlin"}).out, "0 passed, 0 failed\n");
    EXPECT_EQ(run(kStateTest, {"--statetest.index", "1"}).out, "1 passed, 0 failed\n");
}

TEST_F(StateTestTool, takes_names_of_files_from_standard_input) {
    const auto file = folder_.write("fixture.json", kStateTest);

    const auto result = run_program({"statetest"}, file + "\n" + file + "\n");

    EXPECT_EQ(result.out, "4 passed, 0 failed\n");
}

TEST_F(StateTestTool, repeats_for_a_benchmark) {
    const auto result = run(kStateTest, {"--bench", "--statetest.index", "0"});

    EXPECT_EQ(result.exit_code, 0);
    EXPECT_THAT(result.out, HasSubstr("43112 gas"));
    EXPECT_THAT(result.out, HasSubstr("Mgas/s"));
}

TEST_F(StateTestTool, an_unknown_fork_is_a_failed_case) {
    const auto result = run(with(kStateTest, "\"London\"", "\"Atlantis\""));

    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.out, HasSubstr("unsupported fork \"Atlantis\""));
}

// Legacy transactions without `txbytes` are of no chain, as none was before EIP-155.
TEST_F(StateTestTool, runs_unsigned_transactions_of_every_fork) {
    // Roots are geth's; the same for all forks before London and its base fee.
    const std::string early =
        with(with(kStateTest, "0xcdc7377b9f8687fbc784f9289c242b16edfae92d84204b05238a0472a7a205cd",
                  "0x5249f661fafabd8c9cff32ccd157f87f086e04a4302c4adc2c2c764f8e8d598e"),
             "TransactionException.INTRINSIC_GAS_TOO_LOW", "TR_IntrinsicGas");
    for (const char* fork : {"Frontier", "Homestead", "EIP150", "EIP158", "Byzantium"}) {
        const auto result = run(with(early, "\"London\"", "\"" + std::string(fork) + "\""));
        EXPECT_EQ(result.out, "2 passed, 0 failed\n") << fork;
    }
}

/// Blocks without transactions, as a blockchain test of `Paris`.
class BlockTestTool : public testing::Test {
protected:
    static Genesis genesis() {
        Genesis genesis;
        for (const Fork& fork : kForks)
            if (fork.member != nullptr && fork.activation == ForkActivation::block_number &&
                fork.member != &ChainConfig::dao_fork_block)
                genesis.config.*fork.member = 0;
        genesis.config.terminal_total_difficulty = Uint256{};
        genesis.header.gas_limit = 30'000'000;
        genesis.header.base_fee_per_gas = Uint256{1'000'000'000};
        return genesis;
    }
    static Block seal(AdversarialMaker& maker, std::uint64_t timestamp) {
        AdversarialBlockPlan plan;
        plan.timestamp = timestamp;
        plan.gas_limit = 30'000'000;
        maker.open(std::move(plan));
        return maker.seal();
    }
    static std::string json_of(const BlockHeader& header) {
        std::string text = "{";
        const auto add = [&](const char* name, const std::string& value) {
            text += (text.size() > 1 ? ",\"" : "\"") + std::string(name) + "\":\"" + value + "\"";
        };
        add("parentHash", to_string(header.parent_hash));
        add("uncleHash", to_string(header.ommers_hash));
        add("coinbase", to_string(header.beneficiary));
        add("stateRoot", to_string(header.state_root));
        add("transactionsTrie", to_string(header.transactions_root));
        add("receiptTrie", to_string(header.receipts_root));
        add("bloom", to_hex(header.logs_bloom.bytes));
        add("difficulty", "0x0");
        add("number", "0x0");
        add("gasLimit", to_hex(Uint256{header.gas_limit}));
        add("gasUsed", "0x0");
        add("timestamp", "0x0");
        add("extraData", "0x");
        add("mixHash", to_string(header.prev_randao));
        add("nonce", to_hex(header.nonce));
        add("baseFeePerGas", to_hex(*header.base_fee_per_gas));
        return text + "}";
    }
    [[nodiscard]] ProgramResult run(const BlockHeader& first, const std::vector<Block>& blocks,
                                    std::vector<std::string> options = {}) const {
        std::string list;
        for (const Block& block : blocks) {
            Bytes encoded;
            encode_block(block, encoded);
            list +=
                (list.empty() ? "" : ",") + std::string("{\"rlp\":\"") + to_hex(encoded) + "\"}";
        }
        const std::string text = R"({"blocks":{"network":"Paris","pre":{},"genesisBlockHeader":)" +
                                 json_of(first) + R"(,"blocks":[)" + list +
                                 R"(],"lastblockhash":")" +
                                 to_string(header_hash(blocks.back().header)) + "\"}}";
        options.insert(options.begin(), "blocktest");
        options.push_back(folder_.write("fixture.json", text));
        return run_program(options);
    }

    TemporaryFolder folder_;
};

// What is kept is one chain: which of two is the better one needs a tree of blocks.
TEST_F(BlockTestTool, skips_a_test_with_a_side_chain_and_says_so) {
    AdversarialMaker one(genesis());
    AdversarialMaker other(genesis());
    const BlockHeader first = one.headers().front();
    const Block a1 = seal(one, 12);
    const Block a2 = seal(one, 24);
    const Block b1 = seal(other, 13);
    const Block b2 = seal(other, 25);

    EXPECT_EQ(run(first, {a1, a2}).out, "1 passed, 0 failed\n");
    const auto skipped = run(first, {a1, b1, b2});
    EXPECT_EQ(skipped.exit_code, 0);
    EXPECT_EQ(skipped.out,
              "[SKIP] blocks [Paris]: skipped: side chain\n0 passed, 0 failed, 1 skipped\n");
    const auto json = run(first, {a1, b1, b2}, {"--json"});
    EXPECT_THAT(json.out, HasSubstr("\"pass\": false"));
    EXPECT_THAT(json.out, HasSubstr("\"skipped\": \"side chain\""));
    // Neither is a block that continues nothing, nor a wrong one before the side chain.
    const auto unknown = run(first, {a1, b2});
    EXPECT_EQ(unknown.exit_code, 1);
    EXPECT_THAT(unknown.out, HasSubstr("0 passed, 1 failed\n"));
    Block wrong = a1;
    wrong.header.gas_used = 1;
    EXPECT_THAT(run(first, {wrong, b1}).out, HasSubstr("0 passed, 1 failed\n"));
}

// From geth 1.17.10: `statetest` alone ends with the state root.
TEST_F(BlockTestTool, traces_transactions_and_nothing_else) {
    AdversarialMaker maker(genesis());
    const BlockHeader first = maker.headers().front();

    const auto result = run(first, {seal(maker, 12)}, {"--trace"});

    EXPECT_EQ(result.out, "1 passed, 0 failed\n");
    EXPECT_EQ(result.error, "");
}

TEST(Program, shows_help_and_version) {
    const auto help = run_program({"--help"});
    EXPECT_EQ(help.exit_code, 0);
    for (const char* command : {"replay", "inspect", "statetest", "blocktest", "t8n", "generate"}) {
        EXPECT_THAT(help.out, HasSubstr(command));
        const auto command_help = run_program({command, "--help"});
        EXPECT_EQ(command_help.exit_code, 0);
        EXPECT_THAT(command_help.out, HasSubstr("Usage: heddle " + std::string(command)));
    }
    EXPECT_TRUE(std::regex_match(run_program({"--version"}).out,
                                 std::regex("heddle [0-9]+\\.[0-9]+\\.[0-9]+\n")));
}

}  // namespace
}  // namespace heddle::test
