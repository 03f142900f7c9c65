// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Access lists that the program makes and keeps of blocks before Amsterdam, and what becomes of
// them: used, pruned, taken back, exported, damaged.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "durable/opening.hpp"
#include "program.hpp"
#include "storage/database.hpp"
#include "storage/schema.hpp"

namespace heddle::test {
namespace {

using ledger::Table;
using testing::HasSubstr;
using testing::Not;

/// Of what a replay prints: so many blocks from their lists, none of which was wrong.
testing::Matcher<std::string> tells_of_lists(std::size_t blocks) {
    if (blocks == 0) return Not(HasSubstr("from lists"));
    return HasSubstr(", " + std::to_string(blocks) + " blocks from lists, 0 lists refuted");
}

class StoredLists : public testing::Test {
protected:
    static constexpr std::size_t kBlocks = 8;

    static void SetUpTestSuite() {
        folders_ = new TemporaryFolder;
        make("osaka");
        make("amsterdam");
        make("amsterdam", "from-osaka", {"--fork-at", "5"});
    }
    static void TearDownTestSuite() {
        delete folders_;
        folders_ = nullptr;
    }
    static void make(const std::string& fork) { make(fork, fork, {}); }
    static void make(const std::string& fork, const std::string& name,
                     std::vector<std::string> more) {
        more.insert(more.begin(), {"generate", "--blocks", std::to_string(kBlocks), "--txs", "30",
                                   "--accounts", "40", "--seed", "9", "--contention", "0.4",
                                   "--fork", fork, "--out", (folders_->path() / name).native()});
        const auto made = run_program(more);
        ASSERT_EQ(made.exit_code, 0) << made.error;
    }
    static std::string file(const std::string& fork, const std::string& name) {
        return (folders_->path() / fork / name).native();
    }
    [[nodiscard]] std::string in_folder(const std::string& name) const {
        return (folder_.path() / name).native();
    }
    [[nodiscard]] std::string datadir() const { return in_folder("data"); }

    /// Fills the data directory.
    void store(const std::string& fork, std::vector<std::string> more) const {
        more.insert(more.begin(), {"replay", "--datadir", datadir(), "--genesis",
                                   file(fork, "genesis.json"), file(fork, "chain.rlp")});
        const auto result = run_program(more);
        ASSERT_EQ(result.exit_code, 0) << result.error;
    }
    /// Executes what is stored again; with delays no block is too small for its list.
    [[nodiscard]] ProgramResult again(const std::string& level = "values") const {
        return run_program({"replay", "--datadir", datadir(), "--workers", "2", "--delay-seed", "3",
                            "--knowledge", level});
    }
    void damage(std::uint64_t number, const Bytes& list) const {
        auto database = ledger::open_database(datadir(), std::size_t{16} << 20);
        ASSERT_TRUE(database.has_value());
        ledger::WriteBatch batch = (*database)->batch();
        batch.put(Table::access_lists, ledger::schema::number_key(number), list);
        ASSERT_TRUE((*database)->write(batch, true).has_value());
    }

    static inline TemporaryFolder* folders_ = nullptr;
    TemporaryFolder folder_;
};

TEST_F(StoredLists, run_the_blocks_again_that_they_were_made_of) {
    store("osaka", {"--store-lists", "--workers", "2"});

    const auto values = again();
    EXPECT_EQ(values.exit_code, 0) << values.error;
    EXPECT_THAT(values.out, HasSubstr("access lists stored for 8 blocks, missing for 0\n"));
    EXPECT_THAT(values.out, tells_of_lists(8));
    EXPECT_THAT(values.out, HasSubstr("blocks 1 to 8 came out as they are stored"));
    EXPECT_THAT(values.out, Not(HasSubstr("object sets declared")));

    // The level says which of both is taken.
    const auto declared = again("declared");
    EXPECT_EQ(declared.exit_code, 0) << declared.error;
    EXPECT_THAT(declared.out, HasSubstr("object sets declared for 8 blocks, missing for 0"));
    EXPECT_THAT(declared.out, tells_of_lists(0));
    EXPECT_EQ(run_program({"verify", "--datadir", datadir()}).exit_code, 0);
}

/// Before, the chain file had its name already when the rest of the lists found no room.
TEST_F(StoredLists, that_find_no_room_leave_no_export) {
    store("osaka", {"--store-lists"});
    const std::string blocks = in_folder("chain.rlp");
    const auto full =
        run_program({"export", "--datadir", datadir(), "--access-lists", "/dev/full", blocks});
    EXPECT_EQ(full.exit_code, 2);
    EXPECT_THAT(full.error, HasSubstr("/dev/full: No space left on device"));
    EXPECT_FALSE(std::filesystem::exists(blocks));
    EXPECT_FALSE(std::filesystem::exists(blocks + ".unfinished"));
}

TEST_F(StoredLists, are_the_same_whoever_executes) {
    store("osaka", {"--store-lists", "--scheduler", "serial"});
    const std::string lists = in_folder("serial.rlp");
    const std::string parallel = in_folder("parallel.rlp");
    ASSERT_EQ(run_program({"export", "--datadir", datadir(), "--access-lists", lists,
                           in_folder("chain.rlp")})
                  .exit_code,
              0);
    const std::string other = in_folder("other");
    ASSERT_EQ(run_program({"replay", "--datadir", other, "--genesis", file("osaka", "genesis.json"),
                           "--store-lists", "--workers", "3", "--delay-seed", "5",
                           file("osaka", "chain.rlp")})
                  .exit_code,
              0);
    ASSERT_EQ(run_program({"export", "--datadir", other, "--access-lists", parallel,
                           in_folder("chain2.rlp")})
                  .exit_code,
              0);

    EXPECT_FALSE(read_text(lists).empty());
    EXPECT_TRUE(read_text(lists) == read_text(parallel));
}

TEST_F(StoredLists, are_not_made_unless_asked_for) {
    store("osaka", {});

    const auto result = again();
    EXPECT_EQ(result.exit_code, 0) << result.error;
    EXPECT_THAT(result.out, HasSubstr("access lists stored for 0 blocks, missing for 8\n"));
    EXPECT_THAT(result.out, HasSubstr("object sets declared for 8 blocks, missing for 0"));
}

TEST_F(StoredLists, of_amsterdam_are_there_anyway_and_used) {
    store("amsterdam", {});

    const auto values = again();
    EXPECT_EQ(values.exit_code, 0) << values.error;
    EXPECT_THAT(values.out, HasSubstr("access lists stored for 8 blocks, missing for 0\n"));
    EXPECT_THAT(values.out, tells_of_lists(8));
    EXPECT_THAT(again("declared").out, HasSubstr("object sets declared for 8 blocks"));
}

/// Before the fork lists are advice of this node's own, behind it they are what headers claim.
TEST_F(StoredLists, of_a_chain_that_forks_to_amsterdam_are_used_before_and_behind) {
    for (const bool has_own : {true, false}) {
        SCOPED_TRACE(has_own);
        std::filesystem::remove_all(datadir());
        store("from-osaka",
              has_own ? std::vector<std::string>{"--store-lists"} : std::vector<std::string>{});
        const auto result = again();
        EXPECT_EQ(result.exit_code, 0) << result.error;
        // Blocks 5 to 8 are those of Amsterdam.
        EXPECT_THAT(result.out,
                    HasSubstr(has_own ? "access lists stored for 8 blocks, missing for 0\n"
                                      : "access lists stored for 4 blocks, missing for 4\n"));
        EXPECT_THAT(result.out, tells_of_lists(has_own ? 8 : 4));
        EXPECT_EQ(run_program({"verify", "--deep", "--datadir", datadir()}).exit_code, 0);
    }
}

TEST_F(StoredLists, that_are_gone_are_done_without) {
    store("osaka", {"--store-lists", "--access-list-history", "3"});

    const auto result = again();
    EXPECT_EQ(result.exit_code, 0) << result.error;
    EXPECT_THAT(result.out, HasSubstr("access lists stored for 3 blocks, missing for 5\n"));
    EXPECT_THAT(result.out, HasSubstr("object sets declared for 5 blocks, missing for 0"));
    EXPECT_THAT(result.out, tells_of_lists(3));
}

TEST_F(StoredLists, go_with_their_blocks_and_come_again) {
    store("osaka", {"--store-lists"});
    ASSERT_EQ(run_program({"db", "rollback", "--datadir", datadir(), "--to", "3"}).exit_code, 0);
    EXPECT_THAT(again().out, HasSubstr("access lists stored for 3 blocks, missing for 0\n"));

    ASSERT_EQ(
        run_program({"replay", "--datadir", datadir(), "--store-lists", file("osaka", "chain.rlp")})
            .exit_code,
        0);
    EXPECT_THAT(again().out, tells_of_lists(8));
    ASSERT_EQ(run_program({"db", "prune", "--datadir", datadir(), "--keep", "2"}).exit_code, 0);
    EXPECT_THAT(again().out, HasSubstr("access lists stored for 2 blocks, missing for 0\n"));
    EXPECT_EQ(run_program({"verify", "--datadir", datadir()}).exit_code, 0);
}

/// "Nothing to drop" was said of it.
TEST_F(StoredLists, are_counted_where_nothing_else_is_pruned) {
    store("osaka", {"--store-lists", "--history", "2"});
    const std::vector<std::string> prune{"db", "prune", "--datadir", datadir(), "--keep", "2"};

    EXPECT_EQ(run_program(prune).out, "states are kept from block 6 on; 6 access lists dropped\n");
    EXPECT_EQ(run_program(prune).out, "nothing to drop: states are kept from block 6 on\n");
}

TEST_F(StoredLists, that_are_wrong_cost_time_only) {
    store("osaka", {"--store-lists"});
    damage(2, Bytes{0xff, 0x01});
    damage(5, Bytes{0xc0});

    const auto result = again();
    EXPECT_EQ(result.exit_code, 0) << result.error;
    EXPECT_THAT(result.out, HasSubstr(" 6 blocks from lists, 2 lists refuted"));
    EXPECT_THAT(result.out, HasSubstr("blocks 1 to 8 came out as they are stored"));
    EXPECT_EQ(again("declared").exit_code, 0);
    const auto verified = run_program({"verify", "--datadir", datadir()});
    EXPECT_EQ(verified.exit_code, 1);
    EXPECT_THAT(verified.out + verified.error, HasSubstr("table access_lists"));
}

TEST_F(StoredLists, that_a_header_claims_are_damaged_where_the_hash_is_another) {
    store("amsterdam", {});
    damage(4, Bytes{0xc0});

    const auto result = again();
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_THAT(result.error, HasSubstr("the access list stored for it has another hash"));
    EXPECT_EQ(again("declared").exit_code, 0);
}

TEST_F(StoredLists, travel_in_a_file_with_their_blocks) {
    store("osaka", {"--store-lists"});
    const std::string lists = in_folder("lists.rlp");
    ASSERT_EQ(run_program({"export", "--datadir", datadir(), "--from", "3", "--access-lists", lists,
                           in_folder("chain.rlp")})
                  .exit_code,
              0);

    const auto result =
        run_program({"replay", "--genesis", file("osaka", "genesis.json"), "--access-lists", lists,
                     "--workers", "2", "--delay-seed", "3", file("osaka", "chain.rlp")});

    EXPECT_EQ(result.exit_code, 0) << result.error;
    EXPECT_THAT(result.out, HasSubstr(", 6 more are its advice\n"));
    EXPECT_THAT(result.out, tells_of_lists(6));
}

TEST_F(StoredLists, need_a_data_directory_and_new_blocks) {
    const auto nowhere = run_program({"replay", "--genesis", file("osaka", "genesis.json"),
                                      "--store-lists", file("osaka", "chain.rlp")});
    EXPECT_EQ(nowhere.exit_code, 2);
    EXPECT_THAT(nowhere.error, HasSubstr("--store-lists goes with --datadir"));
    store("osaka", {});
    EXPECT_EQ(run_program({"replay", "--datadir", datadir(), "--store-lists"}).exit_code, 2);
}

// The pipe was opened twice, and who wrote to it was told in between that nobody reads.
TEST_F(StoredLists, come_through_a_pipe_into_a_new_data_directory) {
    store("osaka", {"--store-lists"});
    const std::string lists = in_folder("lists.rlp");
    const auto exported = run_program(
        {"export", "--datadir", datadir(), "--access-lists", lists, in_folder("chain.rlp")});
    ASSERT_EQ(exported.exit_code, 0) << exported.error;
    const std::string pipe = in_folder("pipe");
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    const std::jthread writer{[&] { std::ofstream(pipe, std::ios::binary) << read_text(lists); }};

    const auto result =
        run_program({"replay", "--datadir", in_folder("new"), "--genesis",
                     file("osaka", "genesis.json"), "--access-lists", pipe,
                     file("osaka", "chain.rlp"), "--workers", "2", "--delay-seed", "3"});

    EXPECT_EQ(result.exit_code, 0) << result.error;
    EXPECT_THAT(result.out, tells_of_lists(8));
}

}  // namespace
}  // namespace heddle::test
