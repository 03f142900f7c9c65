// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Data directories as their users meet them: made, filled, continued, executed again; and what is
// said of those that are not what they should be.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <executor/schedulers.hpp>

#include "program.hpp"
#include "running_node.hpp"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

/// A chain of its own and room for a data directory.
class DataDirectory : public testing::Test {
protected:
    static void SetUpTestSuite() {
        chain_ = new TemporaryFolder;
        const auto result =
            run_program({"generate", "--blocks", "30", "--txs", "20", "--accounts", "60", "--seed",
                         "4", "--force", "--out", chain_->path().native()});
        ASSERT_EQ(result.exit_code, 0) << result.error;
        expected_ = result_lines(run_program({"replay", "--genesis", genesis(), chain()}));
        ASSERT_FALSE(expected_.empty());
    }
    static void TearDownTestSuite() {
        delete chain_;
        chain_ = nullptr;
    }

    static std::string genesis() { return (chain_->path() / "genesis.json").native(); }
    static std::string chain() { return (chain_->path() / "chain.rlp").native(); }
    [[nodiscard]] std::string datadir() const { return (folder_.path() / "data").native(); }

    /// Head and state root, as every replay prints them at the end.
    static std::string result_lines(const ProgramResult& result) {
        const auto begin = result.out.find("head: block");
        return begin == std::string::npos ? "" : result.out.substr(begin);
    }

    ProgramResult replay(std::vector<std::string> more = {}) const {
        std::vector<std::string> arguments = {"replay", "--datadir", datadir()};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run_program(arguments);
    }

    void fill() const {
        const auto result = replay({"--genesis", genesis(), chain()});
        ASSERT_EQ(result.exit_code, 0) << result.error;
    }

    static inline TemporaryFolder* chain_ = nullptr;
    static inline std::string expected_;
    TemporaryFolder folder_;
};

// Where the fork begins no block is valid without them, and nobody has said so before.
TEST_F(DataDirectory, is_told_of_the_contracts_that_its_forks_need) {
    EXPECT_THAT(run_program({"init", "--datadir", datadir(), "--genesis", genesis()}).error,
                Not(HasSubstr("can be made")));
    const std::string file = (folder_.path() / "genesis.json").native();
    std::ofstream(file)
        << R"({"config":{"chainId":7,"homesteadBlock":0,"eip150Block":0,)"
           R"("eip155Block":0,"eip158Block":0,"byzantiumBlock":0,"constantinopleBlock":0,)"
           R"("petersburgBlock":0,"istanbulBlock":0,"berlinBlock":0,)"
           R"("londonBlock":0,"terminalTotalDifficulty":0,"shanghaiTime":0,)"
           R"("cancunTime":0,"pragueTime":1900000000},"difficulty":"0x0",)"
           R"("gasLimit":"0x1c9c380","timestamp":"0x1","alloc":{}})";
    const auto made = run_program({"init", "--datadir", datadir() + "2", "--genesis", file});
    EXPECT_EQ(made.exit_code, 0);
    EXPECT_THAT(made.error, HasSubstr("no block from pragueTime 1900000000 on can be made without "
                                      "code at 0x00000961ef480eb55e80d19ad83579a64c007002"));
}

TEST_F(DataDirectory, leads_to_the_same_head_and_root_as_memory) {
    for (const std::string& scheduler : executor::scheduler_names()) {
        SCOPED_TRACE(scheduler);
        fs::remove_all(datadir());
        const auto result = replay({"--genesis", genesis(), "--scheduler", scheduler, chain()});
        EXPECT_EQ(result.exit_code, 0) << result.error;
        EXPECT_EQ(result_lines(result), expected_);
    }
}

TEST_F(DataDirectory, is_made_by_init_and_then_needs_no_genesis) {
    const auto made = run_program({"init", "--genesis", genesis(), "--datadir", datadir()});
    EXPECT_EQ(made.exit_code, 0) << made.error;
    EXPECT_THAT(made.out, HasSubstr("block 0, hash 0x"));
    const auto result = replay({chain()});
    EXPECT_EQ(result.exit_code, 0) << result.error;
    EXPECT_EQ(result_lines(result), expected_);
}

TEST_F(DataDirectory, is_continued_where_it_stopped) {
    EXPECT_THAT(replay({"--genesis", genesis(), "--to", "11", chain()}).out,
                HasSubstr("head: block 11,"));
    EXPECT_THAT(replay({"--to", "17", chain()}).out, HasSubstr("6 blocks"));
    const auto result = replay({chain()});
    EXPECT_THAT(result.out, HasSubstr("13 blocks"));
    EXPECT_EQ(result_lines(result), expected_);
    EXPECT_THAT(replay({chain()}).out, HasSubstr("0 blocks"));
}

TEST_F(DataDirectory, executes_its_blocks_again_with_the_sets_it_stored) {
    fill();
    const auto whole = replay();
    EXPECT_EQ(whole.exit_code, 0) << whole.error;
    EXPECT_THAT(whole.out, HasSubstr("30 blocks"));
    EXPECT_THAT(whole.out, HasSubstr("object sets declared for 30 blocks, missing for 0"));
    EXPECT_THAT(whole.out, HasSubstr("blocks 1 to 30 came out as they are stored"));
    const auto part = replay({"--from", "7", "--to", "19", "--scheduler", "serial"});
    EXPECT_EQ(part.exit_code, 0) << part.error;
    EXPECT_THAT(part.out, HasSubstr("blocks 7 to 19 came out as they are stored"));
}

TEST_F(DataDirectory, stores_no_sets_where_that_is_asked_for) {
    EXPECT_EQ(replay({"--genesis", genesis(), "--no-sets", chain()}).exit_code, 0);
    EXPECT_THAT(replay().out, HasSubstr("object sets declared for 0 blocks, missing for 30"));
}

TEST_F(DataDirectory, says_which_blocks_are_durable) {
    const auto result =
        replay({"--genesis", genesis(), "--report-durable", "--sync", "7", chain()});
    EXPECT_THAT(result.out, HasSubstr("durable 30\n"));
}

/// Before, the thread that writes ended the process with SIGABRT.
TEST_F(DataDirectory, is_filled_though_nobody_can_be_told_which_blocks_are_durable) {
    const std::string code = (folder_.path() / "code").native();
    (void)run_program_at("/bin/sh", {"-c", R"(stdbuf -o0 "$0" "$@" >/dev/full; echo $? >)" + code,
                                     HEDDLE_PROGRAM, "replay", "--datadir", datadir(), "--genesis",
                                     genesis(), "--report-durable", chain()});
    EXPECT_EQ(read_text(code), "2\n");
    EXPECT_EQ(result_lines(replay({chain()})), expected_);
}

/// Before, it ended by SIGXFSZ, and nobody was told why.
TEST_F(DataDirectory, that_grows_beyond_the_largest_size_of_a_file_is_a_disk_that_fails) {
    const std::string limit = R"(ulimit -f 200; exec "$0" "$@")";
    const auto result =
        run_program_at("/bin/sh", {"-c", limit, HEDDLE_PROGRAM, "replay", "--datadir", datadir(),
                                   "--genesis", genesis(), chain()});
    EXPECT_EQ(result.exit_code, 3) << result.error;
    EXPECT_THAT(result.error, HasSubstr("File too large"));
    fill();
    EXPECT_EQ(result_lines(replay({chain()})), expected_);
}

/// Before, a genesis file that was cut off lay there, and the next attempt asked for --force.
TEST_F(DataDirectory, a_chain_that_cannot_be_written_leaves_no_part_of_itself) {
    const std::string out = (folder_.path() / "generated").native();
    const auto result = run_program_at(
        "/bin/sh",
        {"-c", R"(ulimit -f 16; exec "$0" generate --blocks 2 --out "$1")", HEDDLE_PROGRAM, out});
    EXPECT_EQ(result.exit_code, 2) << result.error;
    EXPECT_THAT(result.error, HasSubstr("genesis.json: cannot be written"));
    EXPECT_FALSE(fs::exists(out));
}

/// Before, it ended only once the whole file was loaded. The file is a pipe, so that it lasts.
TEST_F(DataDirectory, is_not_made_where_reading_the_genesis_file_is_told_to_stop) {
    const std::string pipe = (folder_.path() / "genesis.json").native();
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    const int writer = ::open(pipe.c_str(), O_RDWR | O_CLOEXEC);
    ASSERT_GE(writer, 0);
    RunningProgram run{{"replay", "--genesis", pipe, "--datadir", datadir(), chain()}};
    const std::string begin = R"({"config":{"chainId":1},"alloc":{)";
    ASSERT_GT(::write(writer, begin.data(), begin.size()), 0);
    while (run.is_running() && !fs::exists(datadir() + "/ledger.unfinished"))
        std::this_thread::sleep_for(std::chrono::milliseconds{1});

    ASSERT_EQ(::kill(run.process(), SIGTERM), 0);
    ASSERT_GT(::write(writer, " ", 1), 0);

    EXPECT_EQ(run.wait(), 0) << run.error();
    ::close(writer);
    EXPECT_THAT(run.error(), HasSubstr("stopped as asked"));
    EXPECT_FALSE(fs::exists(datadir()));
}

/// Before, it waited for the next byte.
TEST_F(DataDirectory, is_not_made_where_waiting_for_a_pipe_is_told_to_stop) {
    const std::string pipe = (folder_.path() / "genesis.json").native();
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    RunningProgram run{{"replay", "--genesis", pipe, "--datadir", datadir(), chain()}};
    while (run.is_running() && !fs::exists(datadir() + "/ledger.unfinished"))
        std::this_thread::sleep_for(std::chrono::milliseconds{1});

    ASSERT_EQ(::kill(run.process(), SIGTERM), 0);

    EXPECT_EQ(run.wait(), 0) << run.error();
    EXPECT_THAT(run.error(), HasSubstr("stopped as asked"));
    EXPECT_FALSE(fs::exists(datadir()));
}

/// As of a variable of the shell that is not set. Before, the chain was kept nowhere.
TEST_F(DataDirectory, is_not_left_out_by_an_empty_name) {
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"replay", "--genesis", genesis(), "--datadir", "", chain()},
          {"node", "--dev", "--rpc-port", "0", "--datadir", ""},
          {"init", "--genesis", genesis(), "--datadir", ""}}) {
        const auto result = run_program(arguments);
        EXPECT_EQ(result.exit_code, 2) << result.out;
        EXPECT_THAT(result.error, HasSubstr("--datadir: must not be empty"));
    }
}

TEST_F(DataDirectory, forgets_history_beyond_what_is_asked_for) {
    EXPECT_EQ(replay({"--genesis", genesis(), "--history", "10", chain()}).exit_code, 0);
    EXPECT_THAT(replay({"--history", "10"}).out, HasSubstr("blocks 21 to 30"));
    const auto early = replay({"--history", "10", "--from", "5"});
    EXPECT_EQ(early.exit_code, 2);
    EXPECT_THAT(early.error, HasSubstr("the state after block 4"));
}

/// Whoever reads a directory that was not closed brings the state forward, and so may write.
TEST_F(DataDirectory, loses_no_history_by_being_executed_again) {
    RunningNode node{{"--dev", "--datadir", datadir()}};
    for (int i = 0; i < 12; ++i)
        ASSERT_THAT(node.call("evm_mine"), HasSubstr("result"));
    (void)node.program().end(SIGKILL);
    const std::vector<std::string> again = {"--history", "2", "--from", "3", "--to", "5"};

    const auto first = replay(again);
    EXPECT_EQ(first.exit_code, 0) << first.error;
    EXPECT_THAT(first.error, HasSubstr("brought forward to block 12"));
    const auto second = replay(again);
    EXPECT_EQ(second.exit_code, 0) << second.error;
    EXPECT_THAT(second.out, HasSubstr("blocks 3 to 5 came out as they are stored"));
}

TEST_F(DataDirectory, stays_an_archive_until_some_history_is_asked_for) {
    ASSERT_EQ(replay({"--genesis", genesis(), "--archive", "--to", "20", chain()}).exit_code, 0);

    const auto forgotten = replay({chain()});
    EXPECT_EQ(forgotten.exit_code, 2);
    EXPECT_THAT(forgotten.error, HasSubstr("the ledger is an archive"));
    EXPECT_THAT(forgotten.error, HasSubstr("--archive keeps it one; --history N drops"));
    EXPECT_THAT(replay().out, HasSubstr("blocks 1 to 20")) << "who reads needs no option";
    EXPECT_EQ(replay({"--archive", "--to", "21", chain()}).exit_code, 0);

    const auto asked = replay({"--history", "5", "--to", "22", chain()});
    EXPECT_EQ(asked.exit_code, 0) << asked.error;
    EXPECT_THAT(asked.error, HasSubstr("dropping the states of blocks 0 to 15: --history 5"));
    EXPECT_THAT(asked.error, HasSubstr("with the blocks that come; heddle db prune --keep 5 "));
    EXPECT_THAT(replay({"--archive", "--to", "22", chain()}).error,
                HasSubstr("an archive from block "));
    EXPECT_EQ(replay({"--history", "5", "--to", "22", chain()}).exit_code, 0);
    const auto later = replay({chain()});
    EXPECT_EQ(later.exit_code, 0) << later.error;
    EXPECT_EQ(result_lines(later), expected_);
}

/// They were options of `replay` only, which the refusal of an archive names.
TEST(DataDirectoryOptions, of_history_are_those_of_a_node_too) {
    EXPECT_THAT(run_program({"node", "--print-config", "--archive"}).out,
                HasSubstr("\narchive = true\n"));
    EXPECT_THAT(run_program({"node", "--print-config", "--history", "5"}).out,
                HasSubstr("\nhistory = 5\n"));
    EXPECT_EQ(run_program({"node", "--print-config", "--archive", "--history", "5"}).exit_code, 2);
}

TEST_F(DataDirectory, that_keeps_as_much_as_before_drops_nothing_worth_a_word) {
    EXPECT_EQ(replay({"--genesis", genesis(), "--history", "10", chain()}).error.find("dropping"),
              std::string::npos);
    EXPECT_EQ(replay({"--history", "10", chain()}).error.find("dropping"), std::string::npos);
}

TEST_F(DataDirectory, takes_over_the_rules_of_a_genesis_file_for_what_is_to_come) {
    const TemporaryFolder forking;
    ASSERT_EQ(run_program({"generate", "--blocks", "8", "--txs", "5", "--accounts", "20", "--seed",
                           "9", "--fork", "amsterdam", "--fork-at", "5", "--force", "--out",
                           forking.path().native()})
                  .exit_code,
              0);
    const std::string file = (forking.path() / "genesis.json").native();
    const std::string blocks = (forking.path() / "chain.rlp").native();
    const auto without = [&](const std::string& rule) {
        std::string text = read_text(file);
        const auto begin = text.find("\"" + rule + "\":");
        if (begin != std::string::npos)
            text.erase(begin, text.find_first_of(",}", begin) + 1 - begin);
        return folder_.write("without-" + rule + ".json", text);
    };
    const std::string before = without("amsterdamTime");
    ASSERT_EQ(replay({"--genesis", before, "--to", "3", blocks}).exit_code, 0);
    EXPECT_EQ(replay({"--genesis", before, blocks}).exit_code, 1);

    const auto changed = replay({"--genesis", file, blocks});
    EXPECT_EQ(changed.exit_code, 0) << changed.error;
    EXPECT_THAT(changed.error, HasSubstr("genesis.json are in force from now on"));
    EXPECT_THAT(changed.out, HasSubstr("head: block 8,"));
    const auto back = replay({"--genesis", before, blocks});
    EXPECT_EQ(back.exit_code, 2);
    EXPECT_THAT(back.error, HasSubstr("config.amsterdamTime is another rule"));
}

TEST_F(DataDirectory, refuses_the_rules_of_another_chain_id) {
    fill();
    std::string text = read_text(genesis());
    text.insert(text.find_first_of("0123456789", text.find("\"chainId\":")), "9");
    const auto result = replay({"--genesis", folder_.write("other.json", text), chain()});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.error, HasSubstr("config.chainId is another rule"));
}

TEST_F(DataDirectory, refuses_another_chain) {
    fill();
    const TemporaryFolder other;
    ASSERT_EQ(run_program({"generate", "--blocks", "31", "--txs", "2", "--accounts", "60", "--seed",
                           "5", "--force", "--out", other.path().native()})
                  .exit_code,
              0);
    const auto blocks = replay({(other.path() / "chain.rlp").native()});
    EXPECT_EQ(blocks.exit_code, 2);
    EXPECT_THAT(blocks.error, HasSubstr("differs from the block that is there already"));
    // Wherever the files end, or are told to.
    for (const std::string last : {"1", "9"}) {
        const auto part = replay({"--to", last, (other.path() / "chain.rlp").native()});
        EXPECT_EQ(part.exit_code, 2);
        EXPECT_THAT(part.error, HasSubstr("block " + last + ": differs from the block"));
    }
    const std::string bytes = read_text(other.path() / "chain.rlp");
    const auto length =
        static_cast<unsigned char>(bytes[1]) * 256U + static_cast<unsigned char>(bytes[2]);
    ASSERT_EQ(static_cast<unsigned char>(bytes[0]), 0xf9) << "a list of two bytes of length";
    const auto one = replay({folder_.write("one.rlp", bytes.substr(0, 3 + length))});
    EXPECT_EQ(one.exit_code, 2);
    EXPECT_THAT(one.error, HasSubstr("block 1: differs from the block that is there already"));
    const auto first = replay({"--genesis", (other.path() / "genesis.json").native(), chain()});
    EXPECT_EQ(first.exit_code, 2);
    EXPECT_THAT(first.error, HasSubstr("holds the chain whose first block is"));
}

TEST_F(DataDirectory, keeps_the_blocks_before_a_wrong_one) {
    std::string bytes = read_text(chain());
    // Near the end, in some block's signature or header: whichever rule it breaks, it is refused.
    bytes[bytes.size() - 40] = static_cast<char>(bytes[bytes.size() - 40] ^ 1);
    const std::string wrong = folder_.write("wrong.rlp", bytes);
    const auto result = replay({"--genesis", genesis(), wrong});
    EXPECT_EQ(result.exit_code, 1) << result.error;
    EXPECT_THAT(result.error, HasSubstr("heddle: wrong block: block 30:"));
    EXPECT_THAT(result.out, HasSubstr("head: block 29,"));
    EXPECT_EQ(result_lines(replay({chain()})), expected_);
}

TEST_F(DataDirectory, is_not_made_among_foreign_files) {
    fs::create_directory(datadir());
    std::ofstream(fs::path(datadir()) / "letter.txt") << "dear reader";
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"init", "--genesis", genesis(), "--datadir", datadir()},
          std::vector<std::string>{"replay", "--genesis", genesis(), "--datadir", datadir(),
                                   chain()},
          std::vector<std::string>{"replay", "--datadir", datadir()}}) {
        const auto result = run_program(arguments);
        EXPECT_EQ(result.exit_code, 2);
        EXPECT_THAT(result.error, HasSubstr("files of another kind"));
    }
    EXPECT_TRUE(fs::exists(fs::path(datadir()) / "letter.txt"));
}

TEST_F(DataDirectory, is_closed_to_other_users) {
    const auto open_to = [](const std::string& path) { return fs::status(path).permissions(); };
    const auto closed = fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec;
    fill();
    EXPECT_EQ(open_to(datadir()), closed);

    const std::string with_slash = (folder_.path() / "a" / "b").native() + "/";
    const auto made = run_program({"init", "--genesis", genesis(), "--datadir", with_slash});
    ASSERT_EQ(made.exit_code, 0) << made.error;
    EXPECT_EQ(open_to(with_slash), closed);
}

TEST_F(DataDirectory, knows_its_genesis_file_again) {
    fill();
    const std::string known = read_text(fs::path(datadir()) / "genesis.known");
    EXPECT_EQ(known.size(), 3 * 67U);
    EXPECT_EQ(replay({"--genesis", genesis(), chain()}).exit_code, 0);
    EXPECT_EQ(read_text(fs::path(datadir()) / "genesis.known"), known);

    // Another text that says the same is looked at, and known from then on.
    const std::string other = folder_.write("other.json", read_text(genesis()) + "\n");
    EXPECT_EQ(replay({"--genesis", other, chain()}).exit_code, 0);
    EXPECT_NE(read_text(fs::path(datadir()) / "genesis.known"), known);
    EXPECT_EQ(result_lines(replay({"--genesis", other, chain()})), expected_);

    // One that is malformed is told, and nothing stays of what it was compared by.
    const std::string wrong = folder_.write("wrong.json", "{\"alloc\": {\"0x01\": 5}}");
    const auto refused = replay({"--genesis", wrong, chain()});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.error, HasSubstr("wrong.json"));
    EXPECT_FALSE(fs::exists(fs::path(datadir()) / "genesis.compared"));
}

TEST_F(DataDirectory, is_made_once) {
    fill();
    const auto again = run_program({"init", "--genesis", genesis(), "--datadir", datadir()});
    EXPECT_EQ(again.exit_code, 2);
    EXPECT_THAT(again.error, HasSubstr("there is a ledger already"));
}

TEST_F(DataDirectory, that_is_missing_is_named) {
    const auto result = replay();
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.error, HasSubstr(datadir()));
    EXPECT_THAT(result.error, HasSubstr("heddle init"));
}

TEST_F(DataDirectory, whose_files_are_damaged_is_refused) {
    fill();
    const fs::path database = fs::path(datadir()) / "ledger";
    fs::remove(database / "CURRENT");
    const auto result = replay({chain()});
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_THAT(result.error, HasSubstr("CURRENT"));
    EXPECT_THAT(result.error, HasSubstr("damaged"));
}

TEST_F(DataDirectory, takes_only_sensible_options) {
    const auto bad_sync = replay({"--genesis", genesis(), "--sync", "sometimes", chain()});
    EXPECT_EQ(bad_sync.exit_code, 2);
    EXPECT_THAT(bad_sync.error, HasSubstr("--sync sometimes: say `block`"));
    EXPECT_EQ(replay({"--genesis", genesis(), "--memory", "1", chain()}).exit_code, 2);
    EXPECT_EQ(replay({"--genesis", genesis(), "--archive", "--history", "5", chain()}).exit_code,
              2);
    EXPECT_FALSE(fs::exists(datadir()));
}

TEST_F(DataDirectory, is_what_options_about_it_need) {
    const std::vector<std::vector<std::string>> given = {
        {"--history", "90000"}, {"--archive"}, {"--access-list-history", "5"},
        {"--sync", "64"},       {"--no-sets"}, {"--report-durable"}};
    for (std::vector<std::string> arguments : given) {
        const std::string option = arguments.front();
        arguments.insert(arguments.begin(), {"replay", "--genesis", genesis(), chain()});
        const auto result = run_program(arguments);
        EXPECT_EQ(result.exit_code, 2) << option;
        EXPECT_THAT(result.error, HasSubstr(option + " goes with --datadir"));
    }
}

TEST_F(DataDirectory, says_which_blocks_it_would_not_execute_again) {
    fill();
    const auto with_files = replay({"--from", "5", chain()});
    EXPECT_EQ(with_files.exit_code, 2);
    EXPECT_THAT(with_files.error, HasSubstr("--from does not go with chain files"));
    const auto turned = replay({"--from", "5", "--to", "3"});
    EXPECT_EQ(turned.exit_code, 2);
    EXPECT_THAT(turned.error, HasSubstr("--to 3 is below --from 5"));
    const auto none = replay({"--to", "0"});
    EXPECT_EQ(none.exit_code, 2);
    EXPECT_THAT(none.error, HasSubstr("--to 0 is below the first block"));
}

TEST_F(DataDirectory, a_replay_that_is_told_to_stop_keeps_what_it_has_done) {
    bool has_stopped = false;
    for (int attempt = 0; attempt < 20 && !has_stopped; ++attempt) {
        fs::remove_all(datadir());
        RunningProgram program{{"replay", "--datadir", datadir(), "--genesis", genesis(),
                                "--scheduler", "serial", chain()}};
        // Before the ledger is made nothing is kept.
        while (program.is_running() && (!fs::exists(datadir() + "/ledger/CURRENT") ||
                                        fs::exists(datadir() + "/ledger.unfinished")))
            std::this_thread::sleep_for(std::chrono::milliseconds{1});
        ASSERT_EQ(program.end(SIGTERM), 0) << program.error();
        has_stopped = program.error().contains("stopped as asked");
        const auto rest = replay({chain()});
        ASSERT_EQ(rest.exit_code, 0) << rest.error;
        EXPECT_EQ(result_lines(rest), expected_);
    }
    EXPECT_TRUE(has_stopped);
}

}  // namespace
}  // namespace heddle::test
