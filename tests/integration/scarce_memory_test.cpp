// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The program in too little memory: it works, or it says that there is too little.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "few_threads.hpp"
#include "program.hpp"

namespace heddle::test {
namespace {

using testing::HasSubstr;

class ScarceMemory : public testing::Test {
protected:
    void SetUp() override {
        if (!can_have_few_threads()) GTEST_SKIP() << "sanitizers lay out terabytes";
        ASSERT_EQ(run_program({"generate", "--blocks", "3", "--out", chain_}).exit_code, 0);
        ASSERT_EQ(run_program({"replay", "--genesis", chain_ + "/genesis.json", "--datadir",
                               datadir_, chain_ + "/chain.rlp"})
                      .exit_code,
                  0);
    }

    /// With less and less room for addresses; what the loader of programs itself needs is left.
    void expect_work_or_reason(const std::vector<std::string>& command) {
        int refused = 0;
        for (const char* kib : {"90000", "120000", "160000", "200000", "250000", "300000", "350000",
                                "400000", "500000", "600000"}) {
            SCOPED_TRACE(command.front() + " in " + kib + " KiB");
            std::vector<std::string> arguments{"-c", R"(ulimit -v "$1"; shift; exec "$0" "$@")",
                                               HEDDLE_PROGRAM, kib};
            arguments.insert(arguments.end(), command.begin(), command.end());
            const ProgramResult result = run_program_at("/bin/sh", arguments);
            if (result.exit_code == 0) continue;
            ++refused;
            EXPECT_EQ(result.exit_code, 5) << result.error;
            EXPECT_THAT(result.error, HasSubstr("heddle: out of memory, or of threads: give the "
                                                "process more (ulimit -v"));
        }
        EXPECT_GT(refused, 0);
    }

    const TemporaryFolder folder_;
    const std::string chain_ = (folder_.path() / "chain").native();
    const std::string datadir_ = (folder_.path() / "data").native();
};

// Before, these ended by SIGABRT, most of them without a word.
TEST_F(ScarceMemory, of_commands_that_look_into_a_data_directory) {
    expect_work_or_reason({"db", "stats", "--datadir", datadir_});
    expect_work_or_reason({"verify", "--datadir", datadir_});
}

TEST_F(ScarceMemory, of_commands_that_execute) {
    expect_work_or_reason({"replay", "--genesis", chain_ + "/genesis.json", chain_ + "/chain.rlp"});
    expect_work_or_reason({"replay", "--datadir", datadir_});
    // What was left in the middle is whole.
    const ProgramResult verified = run_program({"verify", "--datadir", datadir_});
    EXPECT_EQ(verified.exit_code, 0) << verified.error;
}

}  // namespace
}  // namespace heddle::test
