// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include <gtest/gtest.h>

#include "running_node.hpp"
#include "temporary_folder.hpp"

namespace heddle::test {
namespace {

/// Before, the signal ended it at once, and a data directory stayed in the folder.
TEST(BenchProgram, leaves_nothing_behind_when_measuring_stages_is_told_to_stop) {
    const TemporaryFolder place;
    RunningProgram bench{
        {"bench", "--stages", "--workload", "transfers", "--blocks", "2", "--txs", "10"},
        {{"TMPDIR", place.path().native()}}};
    while (bench.is_running() && std::filesystem::is_empty(place.path()))
        std::this_thread::sleep_for(std::chrono::microseconds{100});

    EXPECT_EQ(bench.end(SIGTERM), -1) << "ends as other measurements do: by the signal";

    EXPECT_EQ(bench.out(), "");
    EXPECT_TRUE(std::filesystem::is_empty(place.path()));
}

}  // namespace
}  // namespace heddle::test
