// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

// The official difficulty tests: a parent, a timestamp and a number give a difficulty.

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <vm/block.hpp>

#include "fixtures.hpp"

namespace heddle::vm {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr std::size_t kFileCount = 17;
constexpr std::size_t kCaseCount = 18'598;

/// Forks that change the formula, in order, with the field that activates them.
struct Fork {
    std::string_view name;
    std::optional<std::uint64_t> ChainConfig::* activation;
};
constexpr Fork kForks[] = {
    {"Frontier", nullptr},
    {"Homestead", &ChainConfig::homestead_block},
    {"Byzantium", &ChainConfig::byzantium_block},
    {"Constantinople", &ChainConfig::constantinople_block},
    {"Berlin", &ChainConfig::muir_glacier_block},
    {"London", &ChainConfig::london_block},
    {"ArrowGlacier", &ChainConfig::arrow_glacier_block},
    {"GrayGlacier", &ChainConfig::gray_glacier_block},
};

ChainConfig config_of(std::string_view fork) {
    ChainConfig config;
    for (const Fork& step : kForks) {
        if (step.activation != nullptr) config.*step.activation = 0;
        if (step.name == fork) return config;
    }
    throw std::runtime_error("unknown fork " + std::string{fork});
}

Uint256 number_of(const json::object& test, std::string_view field) {
    return uint256_from_string(std::string_view{test.at(field).as_string()}).value();
}

void check_case(const json::object& test, const ChainConfig& config) {
    BlockHeader parent;
    parent.difficulty = number_of(test, "parentDifficulty");
    parent.timestamp = number_of(test, "parentTimestamp").low64();
    parent.number = number_of(test, "currentBlockNumber").low64() - 1;
    if (!number_of(test, "parentUncles").is_zero())
        parent.ommers_hash = Hash{};  // any but that of no ommers

    const Uint256 difficulty = next_difficulty(parent, parent.number + 1,
                                               number_of(test, "currentTimestamp").low64(), config);

    EXPECT_EQ(to_hex(difficulty), to_hex(number_of(test, "currentDifficulty")));
}

TEST(DifficultyTests, every_case_has_its_difficulty) {
    const auto folder = test::fixture_archive("ethereum-tests");
    if (!folder) GTEST_SKIP() << test::missing_fixture_message("ethereum-tests");

    std::size_t files = 0;
    std::size_t cases = 0;
    for (const auto& entry : fs::recursive_directory_iterator{*folder / "DifficultyTests"}) {
        if (entry.path().extension() != ".json") continue;
        ++files;
        std::ifstream file{entry.path()};
        std::stringstream text;
        text << file.rdbuf();
        const json::value parsed = json::parse(text.str());
        for (const auto& [name, suite] : parsed.as_object())
            for (const auto& [fork, tests] : suite.as_object()) {
                if (fork == "_info") continue;
                const ChainConfig config = config_of(fork);
                for (const auto& [test_name, test] : tests.as_object()) {
                    SCOPED_TRACE(entry.path().filename().string() + ": " + std::string{test_name});
                    check_case(test.as_object(), config);
                    ++cases;
                }
            }
    }

    EXPECT_GE(files, kFileCount);
    EXPECT_GE(cases, kCaseCount);
    std::printf("%zu difficulty tests in %zu files\n", cases, files);
}

}  // namespace
}  // namespace heddle::vm
