// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "fixtures.hpp"
#include "program.hpp"

// The program on data that others made: state and blockchain tests with every block and transaction
// of theirs, and real history. A run over fewer cases than the archives hold must fail, so the
// numbers of tests/README.md are repeated here.
namespace heddle::test {
namespace {

constexpr std::size_t kStateTestCases = 21'370;
constexpr std::size_t kAmsterdamStateTestCases = 4'767;
constexpr std::size_t kBlockchainTests = 15'848;
constexpr std::size_t kAmsterdamBlockchainTests = 5'245;
/// Of these: deposit events whose offsets or sizes are wrong. EIP-6110's own tests want such blocks
/// rejected, as they are here; go-ethereum, which made the results, accepts them.
constexpr std::size_t kAmsterdamInvalidDepositLayouts = 20;
constexpr std::size_t kInterpreterBenchmarks = 14;
constexpr std::size_t kWitnessBlocks = 27;
constexpr std::size_t kRegressionCases = 9;

/// The unpacked archive; skips the test where it is absent.
#define HEDDLE_REQUIRE_ARCHIVE(folder, name)   \
    const auto folder = fixture_archive(name); \
    if (!folder) GTEST_SKIP() << missing_fixture_message(name)

void expect_all_passed(const ProgramResult& result, std::size_t at_least) {
    std::smatch counts;
    const std::string last = result.last_line();
    ASSERT_TRUE(std::regex_match(last, counts, std::regex("([0-9]+) passed, ([0-9]+) failed")))
        << result.out.substr(0, 2000) << result.error.substr(0, 2000);
    EXPECT_EQ(counts[2], "0") << result.out.substr(0, 4000);
    EXPECT_GE(std::stoull(counts[1]), at_least);
    EXPECT_EQ(result.exit_code, 0) << result.error.substr(0, 2000);
}

TEST(StateTests, every_case_passes_on_both_interpreters_with_equal_results) {
    HEDDLE_REQUIRE_ARCHIVE(folder, "state_tests");

    const auto result = run_program({"statetest", "--engine", "both", folder->native()});

    expect_all_passed(result, kStateTestCases);
}

TEST(StateTests, every_case_of_amsterdam_passes_on_both_interpreters_with_equal_results) {
    HEDDLE_REQUIRE_ARCHIVE(folder, "amsterdam/state_tests");

    const auto result = run_program({"statetest", "--engine", "both", folder->native()});

    expect_all_passed(result, kAmsterdamStateTestCases);
}

TEST(BlockchainTests, every_test_passes_on_both_interpreters) {
    HEDDLE_REQUIRE_ARCHIVE(folder, "blockchain_tests");

    const auto result = run_program({"blocktest", "--engine", "both", folder->native()});

    expect_all_passed(result, kBlockchainTests);
}

/// Every test of Amsterdam passes but those with invalid deposit layouts.
void expect_amsterdam_passed(const ProgramResult& result) {
    EXPECT_EQ(result.last_line(),
              std::to_string(kAmsterdamBlockchainTests - kAmsterdamInvalidDepositLayouts) +
                  " passed, " + std::to_string(kAmsterdamInvalidDepositLayouts) + " failed")
        << result.error.substr(0, 2000);
    std::istringstream lines(result.out);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("[FAIL]")) {
            EXPECT_NE(line.find("::test_invalid_layout["), std::string::npos) << line;
        }
}

// Valid blocks with their access lists, and 1,424 blocks that have to be rejected.
TEST(BlockchainTests, those_of_amsterdam_pass_on_both_interpreters) {
    HEDDLE_REQUIRE_ARCHIVE(folder, "amsterdam/blockchain_tests");

    expect_amsterdam_passed(run_program({"blocktest", "--engine", "both", folder->native()}));
}

TEST(BlockchainTests, those_of_amsterdam_pass_in_parallel) {
    HEDDLE_REQUIRE_ARCHIVE(folder, "amsterdam/blockchain_tests");

    expect_amsterdam_passed(
        run_program({"blocktest", "--engine", "fast", "--scheduler", "dag", "--workers", "2",
                     "--knowledge", "declared", folder->native()}));
}

TEST(BlockchainTests, those_of_amsterdam_pass_from_their_access_lists) {
    HEDDLE_REQUIRE_ARCHIVE(folder, "amsterdam/blockchain_tests");

    // With delays no block is too small for it.
    expect_amsterdam_passed(
        run_program({"blocktest", "--engine", "fast", "--scheduler", "dag", "--dag-workers", "2",
                     "--delay-seed", "5", folder->native()}));
}

/// Chains whose lists were made by geth: blocks of genesis.json, chain.rlp and bal.rlp.
class AccessLists : public testing::TestWithParam<std::pair<const char*, std::size_t>> {};

TEST_P(AccessLists, are_those_of_the_file_whoever_executes) {
    HEDDLE_REQUIRE_ARCHIVE(folder, "amsterdam/chains");
    const auto [name, blocks] = GetParam();
    const auto data = *folder / name;
    const TemporaryFolder temporary;
    const std::string datadir = (temporary.path() / "data").native();
    const std::string lists = (temporary.path() / "lists.rlp").native();
    const std::string expected = std::to_string(blocks) + " blocks are those of ";
    const std::vector<std::vector<std::string>> executors = {
        {"--scheduler", "serial"}, {"--workers", "2"}, {"--workers", "4", "--datadir", datadir}};

    for (const std::vector<std::string>& executor : executors) {
        std::vector<std::string> arguments{"replay",
                                           "--genesis",
                                           (data / "genesis.json").native(),
                                           "--access-lists",
                                           (data / "bal.rlp").native(),
                                           (data / "chain.rlp").native()};
        arguments.insert(arguments.end(), executor.begin(), executor.end());
        const auto result = run_program(arguments);
        EXPECT_EQ(result.exit_code, 0) << executor.back() << ": " << result.error;
        EXPECT_NE(result.out.find(expected), std::string::npos) << result.out;
        if (executor.back() == "serial") continue;
        EXPECT_NE(result.out.find(" " + std::to_string(blocks) + " blocks from lists, 0 lists"),
                  std::string::npos)
            << result.out;
    }
    const auto exported = run_program({"export", "--datadir", datadir, "--access-lists", lists,
                                       (temporary.path() / "chain.rlp").native()});
    const auto again = run_program({"replay", "--datadir", datadir, "--access-lists", lists});
    const auto verified = run_program({"verify", "--datadir", datadir});

    EXPECT_EQ(exported.exit_code, 0) << exported.error;
    EXPECT_EQ(read_text(lists), read_text((data / "bal.rlp").native()));
    EXPECT_EQ(again.exit_code, 0) << again.error;
    EXPECT_NE(again.out.find(expected), std::string::npos) << again.out;
    EXPECT_EQ(verified.exit_code, 0) << verified.out << verified.error;
}

INSTANTIATE_TEST_SUITE_P(Chains, AccessLists,
                         testing::Values(std::pair{"dev-mixed", std::size_t{120}},
                                         std::pair{"dev-erc20", std::size_t{100}}),
                         [](const auto& test) {
                             std::string name{test.param.first};
                             std::ranges::replace(name, '-', '_');
                             return name;
                         });

// Homestead to Osaka: lists from Byzantium on.
TEST(StoredAccessLists, run_a_chain_that_crosses_all_forks) {
    HEDDLE_REQUIRE_ARCHIVE(folder, "rpc-tests");
    const auto chain = *folder / "rpc-tests";
    const TemporaryFolder temporary;
    const std::string datadir = (temporary.path() / "data").native();

    const auto stored =
        run_program({"replay", "--datadir", datadir, "--store-lists", "--genesis",
                     (chain / "genesis.json").native(), (chain / "chain.rlp").native()});
    const auto again =
        run_program({"replay", "--datadir", datadir, "--workers", "2", "--delay-seed", "3"});
    const auto verified = run_program({"verify", "--datadir", datadir});

    EXPECT_EQ(stored.exit_code, 0) << stored.error;
    EXPECT_EQ(again.exit_code, 0) << again.error;
    EXPECT_NE(again.out.find("access lists stored for 46 blocks, missing for 8\n"),
              std::string::npos)
        << again.out;
    EXPECT_NE(again.out.find(" 46 blocks from lists, 0 lists refuted"), std::string::npos)
        << again.out;
    EXPECT_EQ(verified.exit_code, 0) << verified.out << verified.error;
}

TEST(InterpreterBenchmarks, every_program_gives_the_stated_root_on_both_interpreters) {
    HEDDLE_REQUIRE_ARCHIVE(folder, "evm-benchmarks");

    const auto result = run_program({"statetest", "--engine", "both", folder->native()});

    expect_all_passed(result, kInterpreterBenchmarks);
}

// What once was wrong, with results by geth.
TEST(Regressions, state_tests_pass_on_both_interpreters) {
    HEDDLE_REQUIRE_ARCHIVE(folder, "regressions");

    const auto result = run_program({"statetest", "--engine", "both",
                                     (*folder / "delegation-before-prague.json").native(),
                                     (*folder / "statetest-without-txbytes.json").native()});

    expect_all_passed(result, kRegressionCases);
}

TEST(Regressions, every_scheduler_accepts_the_chain_that_revives_empty_accounts) {
    HEDDLE_REQUIRE_ARCHIVE(folder, "regressions");
    const auto data = *folder / "empty-account-revived";
    const std::string genesis = (data / "genesis.json").native();
    const std::string chain = (data / "chain.rlp").native();
    const std::vector<std::vector<std::string>> executors = {
        {"--scheduler", "serial"}, {"--workers", "1"}, {"--workers", "2"}, {"--workers", "8"}};

    for (const std::vector<std::string>& executor : executors) {
        std::vector<std::string> arguments{"replay", "--genesis", genesis, chain};
        arguments.insert(arguments.end(), executor.begin(), executor.end());
        const auto result = run_program(arguments);
        EXPECT_EQ(result.exit_code, 0) << executor.back() << ": " << result.error;
        EXPECT_TRUE(result.out.starts_with("6 blocks, ")) << result.out;
    }
}

TEST(MainnetBlocks, every_block_gives_what_its_header_claims) {
    HEDDLE_REQUIRE_ARCHIVE(folder, "mainnet");

    expect_all_passed(run_program({"replay", "--witness", folder->native()}), kWitnessBlocks);
    expect_all_passed(run_program({"replay", "--witness", "--recover-senders", folder->native()}),
                      kWitnessBlocks);
    expect_all_passed(run_program({"replay", "--witness", "--plain", folder->native()}),
                      kWitnessBlocks);
}

struct Chain {
    const char* name;
    const char* archive;
    const char* genesis;
    const char* file;
    const char* blocks;  // as the summary counts them, without genesis
    const char* head_hash;
};

class Replay : public testing::TestWithParam<Chain> {};

TEST_P(Replay, verifies_every_block) {
    const Chain& chain = GetParam();
    HEDDLE_REQUIRE_ARCHIVE(folder, chain.archive);
    const auto data = *folder / chain.archive;

    const auto result = run_program(
        {"replay", "--genesis", (data / chain.genesis).native(), (data / chain.file).native()});

    EXPECT_EQ(result.exit_code, 0) << result.error;
    EXPECT_TRUE(result.out.starts_with(std::string(chain.blocks) + " blocks, ")) << result.out;
    EXPECT_NE(result.out.find(std::string("hash ") + chain.head_hash), std::string::npos)
        << result.out;
}

// The same chains into a data directory, in two parts, then what is stored there once more.
TEST_P(Replay, verifies_every_block_into_a_data_directory) {
    const Chain& chain = GetParam();
    HEDDLE_REQUIRE_ARCHIVE(folder, chain.archive);
    const auto data = *folder / chain.archive;
    const auto file = (data / chain.file).native();
    const TemporaryFolder temporary;
    const auto datadir = (temporary.path() / "data").native();

    const auto first = run_program({"replay", "--genesis", (data / chain.genesis).native(),
                                    "--datadir", datadir, "--to", "40", file});
    const auto rest = run_program({"replay", "--datadir", datadir, file});
    const auto again = run_program({"replay", "--datadir", datadir});

    EXPECT_EQ(first.exit_code, 0) << first.error;
    EXPECT_EQ(rest.exit_code, 0) << rest.error;
    EXPECT_NE(rest.out.find(std::string("hash ") + chain.head_hash), std::string::npos) << rest.out;
    EXPECT_EQ(again.exit_code, 0) << again.error;
    EXPECT_TRUE(again.out.starts_with(std::string(chain.blocks) + " blocks, ")) << again.out;
    EXPECT_NE(again.out.find("came out as they are stored"), std::string::npos) << again.out;
}

// Head hashes: the last block of each file.
INSTANTIATE_TEST_SUITE_P(
    Chains, Replay,
    testing::Values(
        Chain{"all_forks_54", "rpc-tests", "genesis.json", "chain.rlp", "54",
              "0xd226371d0b1551adb03fb52b71f08e3e11247fe9b1af994768af8cdaa8e7dcd7"},
        Chain{"hivechain_300", "chains", "hivechain-300/genesis.json", "hivechain-300/chain.rlp",
              "300", "0xcaec156c8d33ea8775d42f8b0a587a76dfce34e00bbb0c51b5243f7683758dc1"},
        Chain{"mixed_300", "chains", "mixed-300/genesis.json", "mixed-300/chain.rlp", "300",
              "0xb512fbfc4a919b42091420d87d65388d2bfb9719cdf6c24015b0b6a95c83727e"},
        Chain{"mainnet_0_to_8191", "era", "mainnet.json", "mainnet-00000-5ec1ffb8.era1", "8191",
              "0xa6860fefa339c963e1bb622526cc8dd4344eedd2a9b969e74de5cccc445fbed4"},
        Chain{"sepolia_0_to_8191", "era", "sepolia.json", "sepolia-00000-643a00f7.era1", "8191",
              "0x8e3e7dc9ef199c05683417b4aa572f0b7a8bcfafca7edb6045baabc01aa4fb0c"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(ReplayByName, accepts_the_history_of_a_chain_known_by_name) {
    HEDDLE_REQUIRE_ARCHIVE(folder, "era");

    for (const char* chain : {"mainnet", "sepolia"}) {
        const std::string genesis = (*folder / "era" / (std::string(chain) + ".json")).native();
        const std::string file = (*folder / "era" /
                                  (std::string(chain) == "mainnet" ? "mainnet-00000-5ec1ffb8.era1"
                                                                   : "sepolia-00000-643a00f7.era1"))
                                     .native();
        const auto result = run_program({"replay", "--chain", chain, "--genesis", genesis, file});
        EXPECT_EQ(result.exit_code, 0) << result.error;
    }
}

TEST(ReplayByName, rejects_the_history_of_another_chain) {
    HEDDLE_REQUIRE_ARCHIVE(folder, "era");
    const auto data = *folder / "era";

    const auto wrong_genesis =
        run_program({"replay", "--chain", "mainnet", "--genesis", (data / "sepolia.json").native(),
                     (data / "mainnet-00000-5ec1ffb8.era1").native()});
    const auto wrong_file = run_program({"replay", "--genesis", (data / "sepolia.json").native(),
                                         (data / "mainnet-00000-5ec1ffb8.era1").native()});

    EXPECT_EQ(wrong_genesis.exit_code, 2);
    EXPECT_NE(wrong_genesis.error.find("is not the genesis of mainnet"), std::string::npos);
    EXPECT_EQ(wrong_file.exit_code, 2) << wrong_file.error;
}

}  // namespace
}  // namespace heddle::test
