// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// States that are generated as snapshots, and what stays of attempts that come to no end.
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ledger/durable_ledger.hpp>
#include <ledger/snapshot.hpp>

#include "commands/generate.hpp"
#include "file_size_limit.hpp"
#include "program/cli.hpp"
#include "program/error.hpp"
#include "program/file.hpp"
#include "temporary_folder.hpp"

namespace heddle::node {
namespace {

namespace fs = std::filesystem;
using heddle::test::TemporaryFolder;

GenerateOptions state_in(const std::string& out) {
    GenerateOptions options;
    options.workload.seed = 5;
    options.workload.accounts = 30;
    options.workload.workload = workload::Workload::transfers;
    options.out = out;
    return options;
}

constexpr const char* kMark = "heddle-generate.unfinished";

/// What a kill had left was in the way of the same command until somebody removed it.
TEST(GenerateState, takes_over_what_an_attempt_that_was_killed_has_left) {
    const TemporaryFolder folder;
    const GenerateOptions options = state_in(folder / "state");
    const fs::path building = folder / "state.building";
    for (const char* const left : {"unfinished", "unfinished and data", "all but the end"}) {
        const std::string text = left;
        fs::create_directories(building);
        if (!text.empty()) std::ofstream{building / kMark}.flush();
        if (text == "unfinished and data") fs::create_directory(building / "data");
        if (text == "all but the end") {
            ledger::DurableLedgerOptions whole;
            whole.directory = building / "data";
            whole.memory_bytes = std::size_t{64} << 20;
            auto made = ledger::DurableLedger::create(std::move(whole), {}, {});
            ASSERT_TRUE(made.has_value()) << to_string(made.error());
        }

        EXPECT_NO_THROW((void)generate_state(options)) << text;

        EXPECT_FALSE(fs::exists(building)) << text;
        EXPECT_TRUE(ledger::SnapshotReader::open(options.out).has_value()) << text;
        fs::remove_all(options.out);
    }
}

TEST(GenerateState, leaves_alone_what_another_process_or_somebody_else_has_there) {
    const TemporaryFolder folder;
    const GenerateOptions options = state_in(folder / "state");
    const fs::path building = folder / "state.building";
    const auto refusal = [&]() -> std::string {
        try {
            (void)generate_state(options);
            return {};
        } catch (const InputError& error) {
            return error.what();
        }
    };
    fs::create_directories(building / "data");
    EXPECT_THAT(refusal(), testing::HasSubstr("state.building: exists already"));
    const int held = open_unfinished(building / kMark);
    ASSERT_GE(held, 0);
    EXPECT_THAT(refusal(), testing::HasSubstr("state.building: another process is making it"));
    ::close(held);
    std::ofstream{building / "letter"} << "mine";
    EXPECT_THAT(refusal(), testing::HasSubstr("state.building: exists already"));
    fs::remove(building / "letter");
    std::ofstream{building / kMark} << "mine";
    EXPECT_THAT(refusal(), testing::HasSubstr("state.building: exists already"));
    EXPECT_TRUE(fs::exists(building / "data"));
    EXPECT_EQ(fs::file_size(building / kMark), 4u);
    EXPECT_FALSE(fs::exists(options.out));
}

TEST(GenerateState, uses_an_empty_folder_and_leaves_it) {
    const TemporaryFolder folder;
    fs::create_directory(folder / "state.building");
    EXPECT_NO_THROW((void)generate_state(state_in(folder / "state")));
    EXPECT_TRUE(fs::is_empty(folder / "state.building"));
}

TEST(GenerateState, refuses_a_link_to_nothing_before_it_makes_anything) {
    const TemporaryFolder folder;
    fs::create_symlink("nowhere", folder / "state");
    EXPECT_THROW((void)generate_state(state_in(folder / "state")), InputError);
    EXPECT_FALSE(fs::exists(folder / "state.building"));
}

TEST(GenerateState, that_fails_leaves_nothing_nor_the_folders_above_it) {
    const TemporaryFolder folder;
    const GenerateOptions options = state_in(folder / "a/b/state");
    {
        const test::FileSizeLimit limit(1'024);
        EXPECT_ANY_THROW((void)generate_state(options));
    }
    EXPECT_FALSE(fs::exists(folder / "a"));
}

TEST(GenerateState, has_the_idle_slots_that_were_asked_for) {
    const TemporaryFolder folder;
    GenerateOptions options = state_in(folder / "state");
    const Hash without = generate_state(options).state_root;
    options.out = folder / "larger/";  // as a shell completes it
    options.idle_slots = 2'500;

    EXPECT_NE(generate_state(options).state_root, without);

    const auto plain = ledger::SnapshotReader::open(folder / "state").value();
    const auto larger = ledger::SnapshotReader::open(folder / "larger").value();
    EXPECT_EQ(larger.manifest().slots, plain.manifest().slots + 2'500);
    EXPECT_EQ(larger.manifest().accounts, plain.manifest().accounts + 3);
    EXPECT_EQ(run_cli({"snapshot", "verify", folder / "larger"}), ExitCode::ok);
}

}  // namespace
}  // namespace heddle::node
