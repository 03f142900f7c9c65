// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Work on data directories as their users do it: export, verify, db, snapshot; and what is said of
// what cannot be done.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.hpp"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;
using testing::ContainsRegex;
using testing::HasSubstr;

class MaintenanceCommands : public testing::Test {
protected:
    static void SetUpTestSuite() {
        shared_ = new TemporaryFolder;
        const auto made =
            run_program({"generate", "--blocks", "20", "--txs", "10", "--accounts", "40", "--seed",
                         "5", "--force", "--out", shared_->path().native()});
        ASSERT_EQ(made.exit_code, 0) << made.error;
        const auto filled = run_program({"replay", "--genesis", at("genesis.json"), "--datadir",
                                         at("full"), "--sync", "100", at("chain.rlp")});
        ASSERT_EQ(filled.exit_code, 0) << filled.error;
        head_ = head_of(filled.out);
        ASSERT_FALSE(head_.empty());
    }
    static void TearDownTestSuite() {
        delete shared_;
        shared_ = nullptr;
    }

    static std::string at(const std::string& name) { return (shared_->path() / name).native(); }
    /// `block 20, hash 0x…`
    static std::string head_of(const std::string& text) {
        const auto begin = text.find("block 20, hash ");
        if (begin == std::string::npos) return {};
        return text.substr(begin, text.find('\n', begin) - begin);
    }

    void SetUp() override { fs::copy(at("full"), data_, fs::copy_options::recursive); }

    static ProgramResult run(const std::vector<std::string>& arguments) {
        return run_program(arguments);
    }
    void expect_sound() const {
        const auto result = run({"verify", "--datadir", data_, "--deep", "--senders"});
        EXPECT_EQ(result.exit_code, 0) << result.out << result.error;
        EXPECT_THAT(result.out, HasSubstr("nothing is wrong"));
    }
    static void expect_error(const ProgramResult& result, int exit_code, const std::string& text) {
        EXPECT_EQ(result.exit_code, exit_code) << result.error;
        EXPECT_TRUE(result.error.starts_with("heddle: ")) << result.error;
        EXPECT_THAT(result.error, HasSubstr(text));
    }

    static inline TemporaryFolder* shared_ = nullptr;
    static inline std::string head_;
    TemporaryFolder folder_;
    const std::string data_ = (folder_.path() / "data").native();
};

TEST_F(MaintenanceCommands, exported_chain_is_the_file_that_was_replayed) {
    const std::string file = (folder_.path() / "out.rlp").native();

    const auto result = run({"export", "--datadir", data_, file});

    EXPECT_EQ(result.exit_code, 0) << result.error;
    EXPECT_THAT(result.out, HasSubstr("20 blocks, 1 to 20"));
    EXPECT_TRUE(read_text(file) == read_text(at("chain.rlp")));
    EXPECT_FALSE(fs::exists(file + ".unfinished"));
}

TEST_F(MaintenanceCommands, exported_parts_make_the_whole) {
    const auto first = run({"export", "--datadir", data_, "--to", "7", "-"});
    const auto second = run({"export", "--datadir", data_, "--from", "8", "-"});

    EXPECT_EQ(first.exit_code, 0) << first.error;
    EXPECT_EQ(second.exit_code, 0) << second.error;
    EXPECT_TRUE(first.out + second.out == read_text(at("chain.rlp")));
}

TEST_F(MaintenanceCommands, exported_ere_files_are_replayed_as_the_chain_was) {
    const fs::path files = folder_.path() / "files";

    const auto result = run({"export", "--datadir", data_, "--format", "ere", files.native()});

    EXPECT_EQ(result.exit_code, 0) << result.error;
    EXPECT_THAT(result.out, HasSubstr("21 blocks, 0 to 20, 1 file"));
    const std::string hash = head_.substr(head_.find("0x") + 2);
    const std::string name = "unknown-00000-" + hash.substr(0, 8) + "-noproofs.ere";
    ASSERT_TRUE(fs::exists(files / name)) << result.out;
    EXPECT_EQ(read_text((files / "checksums.txt").native()).size(), 66u);
    const auto replayed = run({"replay", "--genesis", at("genesis.json"), (files / name).native()});
    EXPECT_EQ(replayed.exit_code, 0) << replayed.error;
    EXPECT_THAT(replayed.out, HasSubstr(head_));
}

TEST_F(MaintenanceCommands, export_of_ere_files_says_what_is_in_its_way) {
    const std::string folder = (folder_.path() / "files").native();
    const auto exported = [&](const std::vector<std::string>& more) {
        std::vector<std::string> words{"export", "--datadir", data_, "--format", "ere"};
        words.insert(words.end(), more.begin(), more.end());
        return run(words);
    };
    expect_error(exported({"--from", "7", folder}), 2, "ere files begin at multiples of 8192");
    expect_error(exported({"--from", "8192", folder}), 2, "no ere file begins between");
    expect_error(exported({"--to", "21", folder}), 2, "the head is block 20");
    expect_error(exported({"-"}), 2, "need a folder");
    expect_error(exported({"--access-lists", "lists", folder}), 2, "--format rlp");
    expect_error(exported({"/dev/null"}), 2, "cannot make the folder");
    EXPECT_FALSE(fs::exists(folder));
    ASSERT_EQ(exported({folder}).exit_code, 0);
    expect_error(exported({folder}), 2, "name another folder");
}

/// Before, a file took the place of the pipe, or of /dev/null.
TEST_F(MaintenanceCommands, export_leaves_a_pipe_or_a_device_what_it_is) {
    const std::string pipe = (folder_.path() / "pipe").native();
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    const int reader = ::open(pipe.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
    ASSERT_GE(reader, 0);
    const auto piped = run({"export", "--datadir", data_, "--to", "3", pipe});
    EXPECT_EQ(piped.exit_code, 0) << piped.error;
    EXPECT_TRUE(fs::is_fifo(pipe));
    std::string read(std::size_t{1} << 16, '\0');
    const ssize_t size = ::read(reader, read.data(), read.size());
    ::close(reader);
    ASSERT_GT(size, 0);
    read.resize(static_cast<std::size_t>(size));
    EXPECT_TRUE(read == run({"export", "--datadir", data_, "--to", "3", "-"}).out);

    const std::string link = (folder_.path() / "link").native();
    fs::create_symlink("/dev/full", link);
    expect_error(run({"export", "--datadir", data_, link}), 2, "No space left on device");
    EXPECT_TRUE(fs::is_symlink(link));
}

/// Before, both wrote into one file, and what got the name was a mixture.
TEST_F(MaintenanceCommands, exports_to_one_file_do_not_meet) {
    const std::string file = (folder_.path() / "out.rlp").native();
    const int other = ::open((file + ".unfinished").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    ASSERT_EQ(::write(other, "half", 4), 4);
    ASSERT_EQ(::flock(other, LOCK_EX | LOCK_NB), 0);

    expect_error(run({"export", "--datadir", data_, file}), 2,
                 "out.rlp.unfinished: another process is writing it");
    expect_error(run({"inspect", "--datadir", data_, "--block", "3", "--out", file}), 2,
                 "out.rlp: cannot write: another process is writing it");
    EXPECT_EQ(read_text(file + ".unfinished"), "half");
    EXPECT_FALSE(fs::exists(file));

    // One that was killed leaves its file, and nobody who has it.
    ::close(other);
    EXPECT_EQ(run({"export", "--datadir", data_, file}).exit_code, 0);
    EXPECT_TRUE(read_text(file) == read_text(at("chain.rlp")));
}

TEST_F(MaintenanceCommands, access_lists_on_standard_output_are_nothing_but_lists) {
    const std::string file = (folder_.path() / "out.rlp").native();
    const auto result = run({"export", "--datadir", data_, "--access-lists", "-", file});
    EXPECT_EQ(result.exit_code, 0) << result.error;
    EXPECT_EQ(result.out, "") << "the blocks are from before there were lists";
    EXPECT_THAT(result.error, HasSubstr("20 blocks, 1 to 20"));
}

TEST_F(MaintenanceCommands, a_chain_without_blocks_is_exported_as_such) {
    ASSERT_EQ(run({"db", "rollback", "--datadir", data_, "--to", "0"}).exit_code, 0);
    const auto result = run({"export", "--datadir", data_, "-"});
    EXPECT_EQ(result.exit_code, 0) << result.error;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.error, "0 blocks, 0 B\n");  // it was `0 blocks, 1 to 0`
}

TEST_F(MaintenanceCommands, exports_that_make_no_sense_are_refused) {
    const std::string file = (folder_.path() / "out.rlp").native();
    expect_error(run({"export", "--datadir", data_, "--to", "21", file}), 2,
                 "the head is block 20");
    expect_error(run({"export", "--datadir", data_, "--from", "9", "--to", "8", file}), 2,
                 "there are none");
    expect_error(run({"export", "--datadir", data_, "--from", "21", file}), 2,
                 "there are none: the head is block 20");
    // Before, it made an empty file; so it did below the first block of a restored snapshot.
    expect_error(run({"export", "--datadir", data_, "--to", "0", file}), 2, "there are none");
    expect_error(run({"export", "--datadir", data_ + "x", file}), 2, "there is no ledger");
    expect_error(run({"export", "--datadir", data_, (folder_.path() / "no/such").native()}), 2,
                 "cannot make");
    EXPECT_FALSE(fs::exists(file));
}

TEST_F(MaintenanceCommands, stats_tell_head_and_tables) {
    const auto text = run({"db", "stats", "--datadir", data_});
    const auto json = run({"db", "stats", "--datadir", data_, "--json"});

    EXPECT_EQ(text.exit_code, 0) << text.error;
    EXPECT_EQ(head_of(text.out), head_);
    EXPECT_THAT(text.out, HasSubstr("trie_nodes"));
    EXPECT_EQ(json.exit_code, 0) << json.error;
    EXPECT_THAT(json.out, HasSubstr("\"head\": 20"));
    EXPECT_THAT(json.out, HasSubstr("\"name\": \"accounts\""));
    EXPECT_THAT(json.out, ContainsRegex("\"files\": [1-9]"));
}

TEST_F(MaintenanceCommands, stats_tell_who_has_the_most_slots) {
    const auto text = run({"db", "stats", "--datadir", data_, "--largest", "3"});
    const auto json = run({"db", "stats", "--datadir", data_, "--largest", "1", "--json"});

    EXPECT_EQ(text.exit_code, 0) << text.error;
    const auto list = text.out.find("accounts with the most slots");
    ASSERT_NE(list, std::string::npos);
    EXPECT_EQ(std::ranges::count(text.out.substr(list), '\n'), 4);
    EXPECT_EQ(json.exit_code, 0) << json.error;
    const auto address = json.out.find("\"address\": \"0x");
    ASSERT_NE(address, std::string::npos);
    EXPECT_THAT(text.out.substr(list), HasSubstr(json.out.substr(address + 12, 42)));
    expect_error(run({"db", "stats", "--datadir", data_, "--largest", "0"}), 2, "--largest");
}

TEST_F(MaintenanceCommands, rolled_back_chain_is_replayed_to_the_same_head) {
    const auto back = run({"db", "rollback", "--datadir", data_, "--to", "6"});

    EXPECT_EQ(back.exit_code, 0) << back.error;
    EXPECT_THAT(back.out, HasSubstr("14 blocks taken back"));
    EXPECT_THAT(back.out, HasSubstr("head: block 6,"));
    expect_sound();
    const auto again = run({"replay", "--datadir", data_, at("chain.rlp")});
    EXPECT_EQ(again.exit_code, 0) << again.error;
    EXPECT_EQ(head_of(again.out), head_);
    expect_sound();
}

TEST_F(MaintenanceCommands, what_was_pruned_is_no_longer_the_way_back) {
    const auto pruned = run({"db", "prune", "--datadir", data_, "--keep", "5"});
    EXPECT_EQ(pruned.exit_code, 0) << pruned.error;
    EXPECT_THAT(pruned.out, HasSubstr("from block 15 on"));
    EXPECT_EQ(run({"db", "compact", "--datadir", data_}).exit_code, 0);
    expect_sound();

    expect_error(run({"db", "rollback", "--datadir", data_, "--to", "14"}), 2, "down to block 15");
    expect_error(run({"db", "rollback", "--datadir", data_, "--to", "21"}), 2, "the head is");
    EXPECT_EQ(run({"db", "rollback", "--datadir", data_, "--to", "15"}).exit_code, 0);
    expect_sound();
}

TEST_F(MaintenanceCommands, pruning_wants_to_know_how_much) {
    expect_error(run({"db", "prune", "--datadir", data_}), 2, "--before N or --keep N");
    expect_error(run({"db", "prune", "--datadir", data_, "--keep", "1", "--before", "2"}), 2,
                 "--keep");
    expect_error(run({"db", "prune", "--datadir", data_, "--before", "21"}), 2, "the head is");
}

TEST_F(MaintenanceCommands, snapshot_makes_a_directory_that_goes_on) {
    ASSERT_EQ(run({"db", "rollback", "--datadir", data_, "--to", "12"}).exit_code, 0);
    const std::string snapshot = (folder_.path() / "snapshot").native();
    const auto created = run({"snapshot", "create", "--datadir", data_, "--out", snapshot});
    ASSERT_EQ(created.exit_code, 0) << created.error;
    const auto verified = run({"snapshot", "verify", snapshot});
    EXPECT_EQ(verified.exit_code, 0) << verified.error;
    EXPECT_EQ(verified.out, created.out);
    fs::remove_all(data_);

    const auto restored = run({"snapshot", "restore", "--datadir", data_, snapshot});

    EXPECT_EQ(restored.exit_code, 0) << restored.error;
    EXPECT_EQ(restored.out, created.out);
    expect_sound();
    const auto on = run({"replay", "--datadir", data_, at("chain.rlp")});
    EXPECT_EQ(on.exit_code, 0) << on.error;
    EXPECT_EQ(head_of(on.out), head_);
    expect_sound();
    expect_error(run({"snapshot", "restore", "--datadir", data_, snapshot}), 2, "already");
    expect_error(run({"snapshot", "create", "--datadir", data_, "--out", snapshot}), 2, "exists");
}

TEST_F(MaintenanceCommands, restored_directory_goes_on_with_a_file_that_begins_with_genesis) {
    const std::string whole = (folder_.path() / "whole.rlp").native();
    ASSERT_EQ(run({"export", "--datadir", data_, "--from", "0", whole}).exit_code, 0);
    ASSERT_EQ(run({"db", "rollback", "--datadir", data_, "--to", "12"}).exit_code, 0);
    const std::string snapshot = (folder_.path() / "snapshot").native();
    ASSERT_EQ(run({"snapshot", "create", "--datadir", data_, "--out", snapshot}).exit_code, 0);
    fs::remove_all(data_);
    ASSERT_EQ(run({"snapshot", "restore", "--datadir", data_, snapshot}).exit_code, 0);

    const auto on = run({"replay", "--datadir", data_, whole});

    EXPECT_EQ(on.exit_code, 0) << on.error;
    EXPECT_EQ(head_of(on.out), head_);
}

TEST_F(MaintenanceCommands, numbers_are_taken_as_they_stand_or_not_at_all) {
    expect_error(run({"db", "rollback", "--datadir", data_, "--to", "-1"}), 2,
                 "must not be negative: -1");
    expect_error(run({"db", "rollback", "--datadir", data_, "--to", "18446744073709551616"}), 2,
                 "is too large: 18446744073709551616");
    // Octal digits would mean block 8.
    expect_error(run({"db", "rollback", "--datadir", data_, "--to", "010"}), 2,
                 "must not begin with 0: 010");
    expect_error(run({"export", "--datadir", data_, "--from", "-1", "-"}), 2,
                 "must not be negative: -1");
}

TEST_F(MaintenanceCommands, exported_blocks_and_lists_need_two_files) {
    const std::string file = (folder_.path() / "x.rlp").native();
    const std::string same = (folder_.path() / "." / "x.rlp").native();
    expect_error(run({"export", "--datadir", data_, file, "--access-lists", same}), 2,
                 "need files of their own");
    EXPECT_FALSE(fs::exists(file));
}

TEST_F(MaintenanceCommands, damaged_snapshot_is_refused_by_name) {
    const std::string snapshot = (folder_.path() / "snapshot").native();
    ASSERT_EQ(run({"snapshot", "create", "--datadir", data_, "--out", snapshot}).exit_code, 0);
    const std::string other = (folder_.path() / "other").native();
    expect_error(run({"snapshot", "restore", "--datadir", other, "--hash",
                      "0x" + std::string(64, '1'), snapshot}),
                 2, "is of block 20");
    std::string chunk = read_text(snapshot + "/chunk-000000");
    chunk[chunk.size() / 2] = static_cast<char>(chunk[chunk.size() / 2] ^ 1);
    std::ofstream(snapshot + "/chunk-000000", std::ios::binary) << chunk;

    expect_error(run({"snapshot", "verify", snapshot}), 1, "chunk-000000");
    expect_error(run({"snapshot", "restore", "--datadir", other, snapshot}), 2, "chunk-000000");

    expect_error(run({"db", "stats", "--datadir", other}), 2, "unfinished");
    expect_error(run({"node", "--datadir", other}), 2, "unfinished");
    fs::remove(snapshot + "/chunk-000000");
    expect_error(run({"snapshot", "verify", snapshot}), 1, "chunk-000000 is missing");
    fs::remove(snapshot + "/manifest");
    expect_error(run({"snapshot", "verify", snapshot}), 1, "there is no file");
    fs::remove(snapshot + "/id");
    expect_error(run({"snapshot", "verify", snapshot}), 2, snapshot + " holds no snapshot");
    expect_error(run({"snapshot", "verify", data_}), 2, data_ + " holds no snapshot");
    expect_error(run({"snapshot", "restore", "--datadir", other, data_}), 2, "holds no snapshot");
}

/// Nothing was said of it, and a configuration with a flipped bit taken for the chain's.
TEST_F(MaintenanceCommands, snapshot_without_an_id_is_told_of) {
    const std::string snapshot = (folder_.path() / "snapshot").native();
    ASSERT_EQ(run({"snapshot", "create", "--datadir", data_, "--out", snapshot}).exit_code, 0);
    EXPECT_EQ(run({"snapshot", "verify", snapshot}).error, "");
    fs::remove(snapshot + "/id");

    const auto verified = run({"snapshot", "verify", snapshot});
    const auto restored =
        run({"snapshot", "restore", "--datadir", (folder_.path() / "other").native(), snapshot});

    EXPECT_EQ(verified.exit_code, 0);
    EXPECT_THAT(verified.error, HasSubstr("has no file `id`"));
    EXPECT_EQ(restored.exit_code, 0);
    EXPECT_THAT(restored.error, HasSubstr("has no file `id`"));
}

/// It was restored, and no command could open what it had become.
TEST_F(MaintenanceCommands, snapshot_without_a_configuration_that_can_be_read_is_refused) {
    const std::string snapshot = (folder_.path() / "snapshot").native();
    ASSERT_EQ(run({"snapshot", "create", "--datadir", data_, "--out", snapshot}).exit_code, 0);
    const std::string other = (folder_.path() / "other").native();
    std::string manifest = read_text(snapshot + "/manifest");
    manifest.at(manifest.find("chainId") - 1) ^= 1;  // a quotation mark
    std::ofstream(snapshot + "/manifest", std::ios::binary) << manifest;
    expect_error(run({"snapshot", "verify", snapshot}), 1, "/id is not the hash of the file");
    expect_error(run({"snapshot", "restore", "--datadir", other, snapshot}), 2, "/id is not");
    fs::remove(snapshot + "/id");  // as of an earlier version

    expect_error(run({"snapshot", "verify", snapshot}), 1, "configuration of the chain");
    expect_error(run({"snapshot", "restore", "--datadir", other, snapshot}), 2,
                 "configuration of the chain");
    EXPECT_FALSE(fs::exists(other));
}

TEST_F(MaintenanceCommands, damaged_files_are_found_and_named) {
    ASSERT_EQ(run({"db", "compact", "--datadir", data_}).exit_code, 0);
    std::size_t tried = 0;
    for (const auto& entry : fs::directory_iterator(fs::path(data_) / "ledger")) {
        if (entry.path().extension() != ".sst" || ++tried > 3) continue;
        const std::string good = read_text(entry.path());
        std::string bad = good;
        bad[30] = static_cast<char>(bad[30] ^ 4);
        std::ofstream(entry.path(), std::ios::binary) << bad;

        const auto result = run({"verify", "--datadir", data_});

        EXPECT_TRUE(result.exit_code == 1 || result.exit_code == 3) << result.exit_code;
        EXPECT_THAT(result.out + result.error, HasSubstr(entry.path().filename().native()));
        std::ofstream(entry.path(), std::ios::binary) << good;
    }
    EXPECT_GE(tried, 3u);
    expect_sound();
}

/// As of a variable of the shell that is not set. Before, a rollback went back to block 0.
TEST_F(MaintenanceCommands, take_no_empty_number) {
    for (const std::vector<std::string>& options :
         {std::vector<std::string>{"rollback", "--to", ""},
          {"rollback", "--to="},
          {"prune", "--keep", ""},
          {"prune", "--before", ""},
          {"stats", "--largest", ""}}) {
        std::vector<std::string> arguments{"db"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        arguments.insert(arguments.end(), {"--datadir", data_});
        expect_error(run(arguments), 2, options[1].substr(0, options[1].find('=')) + ": ");
    }
    EXPECT_EQ(run({"replay", "--datadir", data_, "--from", "20"}).exit_code, 0);
}

/// Before, acknowledged blocks were said to be safe, of which there were none.
TEST_F(MaintenanceCommands, that_cannot_make_a_directory_tell_of_no_blocks) {
    const std::string limit = R"(ulimit -f 1; exec "$0" init --datadir "$1" --genesis "$2")";
    const ProgramResult result =
        run_program_at("/bin/sh", {"-c", limit, HEDDLE_PROGRAM, at("made"), at("genesis.json")});
    expect_error(result, 3, "start again)");
    EXPECT_FALSE(fs::exists(at("made")));
}

}  // namespace
}  // namespace heddle::test
