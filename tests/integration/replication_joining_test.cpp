// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Members that begin with what another one has: its snapshot, or a copy of its directory.
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "members.hpp"
#include "node_client.hpp"

namespace heddle::test {
namespace {

TEST(Replication, a_member_joins_by_snapshot_and_stream_while_the_primary_runs) {
    Members members{3, "sync", 1};
    members.start("a");
    members.start("b");
    for (std::uint64_t nonce = 0; nonce < 3; ++nonce)
        ASSERT_TRUE(
            is_receipt_soon(members, "b", text_member(send(members, "a", nonce), "result")));
    auto load_arguments = load_of(members, "a", 1);
    load_arguments.insert(load_arguments.end(), {"--rate", "50", "--seconds", "150"});
    RunningProgram load{load_arguments};
    const std::uint64_t before = members.report("a")->shown;
    ASSERT_TRUE(comes_true([&] { return members.report("a")->shown >= before + 3; }))
        << members.logs();
    // The backup is stopped for it, the primary is not.
    EXPECT_EQ(members.node("b").program().end(), 0);
    ASSERT_EQ(run_program({"snapshot", "create", "--datadir", members.data("b"), "--out",
                           members.path("snapshot")})
                  .exit_code,
              0);
    members.start("b");
    const std::string meanwhile = text_member(send(members, "a", 3), "result");
    ASSERT_TRUE(is_receipt_soon(members, "a", meanwhile)) << members.logs();
    const std::uint64_t newest = members.report("a")->shown;
    ASSERT_EQ(run_program(
                  {"snapshot", "restore", "--datadir", members.data("c"), members.path("snapshot")})
                  .exit_code,
              0);

    members.start("c");

    EXPECT_TRUE(is_receipt_soon(members, "c", meanwhile)) << members.logs();
    // What came after the snapshot comes in the stream, beside what is made meanwhile.
    EXPECT_TRUE(comes_true([&] {
        const auto joined = members.report("c");
        return joined.has_value() && joined->shown > newest + 3;
    })) << members.logs();
    EXPECT_TRUE(load.is_running()) << load.out() << load.error();
    (void)load.end(SIGKILL);
    EXPECT_TRUE(members.is_soon("c", "backup", "good"));
    EXPECT_NE(members.common_hash(members.report("a")->shown), "");
}

TEST(Replication, a_copy_of_a_members_directory_shows_nothing_that_nobody_acknowledged) {
    Members members{3, "sync", 2, {"replication.timeout=500ms"}};
    members.start_all();
    const std::string kept = text_member(send(members, "a", 0), "result");
    for (const std::string& name : members.names())
        ASSERT_TRUE(is_receipt_soon(members, name, kept)) << members.logs();
    // A block that only two of the three have.
    members.kill("c");
    const std::string alone = text_member(send(members, "a", 1), "result");
    ASSERT_TRUE(comes_true([&] { return members.report("b")->kept >= 3; })) << members.logs();
    EXPECT_EQ(members.node("b").program().end(), 0);
    // A snapshot's block is shown from the start, whoever begins with it. Before, nobody was told.
    const ProgramResult made = run_program(
        {"snapshot", "create", "--datadir", members.data("b"), "--out", members.path("snapshot")});
    EXPECT_EQ(made.exit_code, 0);
    EXPECT_NE(made.error.find("is not known to be acknowledged by other members"),
              std::string::npos)
        << made.error;

    std::filesystem::remove_all(members.data("c"));
    std::filesystem::copy(members.data("b"), members.data("c"),
                          std::filesystem::copy_options::recursive);
    std::filesystem::remove(members.data("c") + "/replication.state");
    std::filesystem::remove(members.data("c") + "/replication.shown");
    members.kill("a");
    members.start("c");

    EXPECT_GE(members.report("c")->kept, 3u);
    EXPECT_EQ(receipt_block(members, "c", alone), "") << "nobody has acknowledged it to anybody";
    members.start("a");
    members.start("b");
    for (const std::string& name : members.names())
        EXPECT_TRUE(is_receipt_soon(members, name, alone)) << members.logs();
}

}  // namespace
}  // namespace heddle::test
