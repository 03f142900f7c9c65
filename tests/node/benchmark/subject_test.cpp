// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "benchmark/subject.hpp"

#include <algorithm>
#include <filesystem>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benchmark/runner.hpp"
#include "commands/generate.hpp"
#include "fixtures.hpp"
#include "program.hpp"
#include "program/error.hpp"

namespace heddle::node::benchmark {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Whether serial and parallel execution take every block, headers compared.
void run(const Subject& subject) {
    for (const char* scheduler : {"serial", "dag"})
        for (const auto knowledge : {executor::Knowledge::values, executor::Knowledge::unknown}) {
            Runner runner({scheduler, scheduler, 2, knowledge}, false);
            EXPECT_EQ(runner.run(subject).block_ms.size(), subject.block_numbers().size());
        }
}

/// Six blocks of everything, as files.
class BenchSubject : public testing::Test {
protected:
    void SetUp() override {
        GenerateOptions options;
        options.workload.accounts = 30;
        options.blocks = 6;
        options.txs = 12;
        options.out = folder_.path().string();
        options.overwrite = true;
        generate_chain(options, {});
    }
    [[nodiscard]] std::string path(const char* name) const {
        return (folder_.path() / name).string();
    }
    [[nodiscard]] ChainInput input() const {
        ChainInput input;
        input.genesis = path("genesis.json");
        input.files = {path("chain.rlp")};
        return input;
    }

    test::TemporaryFolder folder_;
};

TEST_F(BenchSubject, takes_all_blocks_of_a_chain_file) {
    const Subject subject = load_chain(input(), {});

    EXPECT_THAT(subject.block_numbers(), ElementsAre(1, 2, 3, 4, 5, 6));
    EXPECT_EQ(subject.transaction_count(), 72U);
    EXPECT_TRUE(subject.is_stream());
    run(subject);
}

TEST_F(BenchSubject, begins_in_the_middle_of_a_chain_on_the_state_there) {
    const Subject subject = load_chain(input(), {.first = 3, .count = 2});

    EXPECT_THAT(subject.block_numbers(), ElementsAre(3, 4));
    run(subject);
}

TEST_F(BenchSubject, refuses_a_range_behind_the_chain) {
    try {
        static_cast<void>(load_chain(input(), {.first = 7, .count = 2}));
        FAIL();
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), HasSubstr("no blocks from number 7 on"));
    }
}

// It had said that an earlier block of the stream was rejected, and not why.
TEST_F(BenchSubject, says_why_the_first_block_of_another_chain_is_wrong) {
    GenerateOptions other;
    other.workload.seed = 2;
    other.blocks = 1;
    other.out = path("other");
    generate_chain(other, {});
    ChainInput mixed = input();
    mixed.genesis = path("other/genesis.json");
    for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{3}})
        try {
            static_cast<void>(load_chain(mixed, {.first = first, .count = 3}));
            FAIL();
        } catch (const InputError& error) {
            EXPECT_THAT(error.what(), HasSubstr("block 1: unknown parent"));
        }
}

TEST_F(BenchSubject, takes_stored_blocks_with_the_state_that_they_read) {
    const std::string data = path("data");
    ASSERT_EQ(test::run_program({"replay", "--genesis", path("genesis.json"), "--datadir", data,
                                 path("chain.rlp")})
                  .exit_code,
              0);

    const Subject stored = load_stored(data, {.first = 3, .count = 2});

    EXPECT_THAT(stored.block_numbers(), ElementsAre(3, 4));
    EXPECT_EQ(stored.digest, load_chain(input(), {.first = 3, .count = 2}).digest);
    run(stored);
    run(load_stored(data, {}));
    EXPECT_THROW(static_cast<void>(load_stored(data, {.first = 9, .count = 1})), InputError);
}

TEST(BenchWitnesses, are_executed_each_on_its_own_state) {
    const auto folder = test::fixture_archive("mainnet");
    if (!folder) GTEST_SKIP() << test::missing_fixture_message("mainnet");
    std::vector<std::filesystem::directory_entry> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(*folder))
        if (entry.path().extension() == ".json") files.push_back(entry);
    ASSERT_GE(files.size(), 2U);
    std::ranges::sort(files, {}, [](const auto& file) { return file.file_size(); });

    const Subject subject =
        load_witnesses({files[0].path().string(), files[1].path().string()}, "");

    EXPECT_EQ(subject.block_numbers().size(), 2U);
    EXPECT_FALSE(subject.is_stream());
    run(subject);
}

}  // namespace
}  // namespace heddle::node::benchmark
