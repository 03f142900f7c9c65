// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "storage/folders.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <utility>

#include <gtest/gtest.h>

#include "durable/opening.hpp"
#include "forced_files.hpp"
#include "temporary_folder.hpp"
#include "tools/snapshot_folders.hpp"

namespace heddle::ledger {
namespace {

namespace fs = std::filesystem;

using test::is_forced;

class FoldersTest : public testing::Test {
protected:
    void SetUp() override { test::forget_forced_files(); }

    test::TemporaryFolder folder_;
};

TEST_F(FoldersTest, folder_is_made_with_those_above_it_and_each_name_is_forced) {
    ASSERT_TRUE(make_folder(folder_ / "a/b/c/", 0700).has_value());

    EXPECT_TRUE(is_forced(folder_.path()));
    EXPECT_TRUE(is_forced(folder_ / "a"));
    EXPECT_TRUE(is_forced(folder_ / "a/b"));
    EXPECT_EQ(fs::status(folder_ / "a/b/c").permissions(), fs::perms::owner_all);
    EXPECT_NE(fs::status(folder_ / "a/b").permissions(), fs::perms::owner_all);
}

/// Whoever made it may have been killed before the name was on the disk.
TEST_F(FoldersTest, name_of_a_folder_that_is_there_is_forced) {
    fs::create_directory(folder_ / "a");

    ASSERT_TRUE(make_folder(folder_ / "a").has_value());

    EXPECT_TRUE(is_forced(folder_.path()));
}

TEST_F(FoldersTest, nothing_is_made_of_no_name) {
    const auto made = make_folder("");
    ASSERT_FALSE(made.has_value());
    EXPECT_EQ(made.error().code, LedgerErrorCode::bad_path);
}

/// What a relative path is of, nobody can say then.
TEST_F(FoldersTest, nothing_can_be_made_in_a_working_folder_that_was_removed) {
    const fs::path before = fs::current_path();
    fs::create_directory(folder_ / "gone");
    fs::current_path(folder_ / "gone");
    fs::remove(folder_ / "gone");
    for (const char* path : {"a", "a/b/", "./a"}) {
        const auto made = make_folder(path);
        EXPECT_FALSE(made.has_value());
        EXPECT_EQ(made.error().code, LedgerErrorCode::bad_path) << path;
    }
    fs::current_path(before);
}

TEST_F(FoldersTest, file_in_the_place_of_a_folder_is_named) {
    std::ofstream{folder_ / "a"} << "a file";
    for (const char* path : {"a", "a/b"}) {
        const auto made = make_folder(folder_ / path);
        ASSERT_FALSE(made.has_value());
        EXPECT_EQ(made.error().code, LedgerErrorCode::not_a_ledger);
        EXPECT_NE(made.error().detail.find(folder_ / "a"), std::string::npos);
    }
}

/// After a loss of power the ledger, and all that it had acknowledged, was gone with its name.
TEST_F(FoldersTest, name_of_a_new_data_directory_is_forced) {
    auto fresh = NewDatabase::create(folder_ / "chains/data", std::size_t{32} << 20);
    ASSERT_TRUE(fresh.has_value()) << to_string(fresh.error());
    ASSERT_TRUE(std::move(*fresh).finish().has_value());

    EXPECT_TRUE(is_forced(folder_.path()));
    EXPECT_TRUE(is_forced(folder_ / "chains"));
    EXPECT_TRUE(is_forced(folder_ / "chains/data"));
    EXPECT_TRUE(is_forced(folder_ / "chains/data/ledger"));
}

/// The command failed, and the same again was refused because the folder was there.
TEST_F(FoldersTest, a_name_that_cannot_be_forced_is_taken_back) {
    const std::string from = folder_ / "from";
    const std::string to = folder_ / "to";
    ASSERT_TRUE(make_empty_folder(from).has_value());
    test::refuse_to_force(folder_.path());

    const auto renamed = rename_folder(from, to);

    ASSERT_FALSE(renamed.has_value());
    EXPECT_EQ(renamed.error().code, LedgerErrorCode::io_error);
    EXPECT_FALSE(fs::exists(to));
    EXPECT_TRUE(fs::exists(from));
    test::forget_forced_files();
    EXPECT_TRUE(rename_folder(from, to).has_value());
}

// Before, the disk had failed, and was to be seen to.
TEST(SystemFailure, that_is_no_fault_of_the_disk_says_what_to_do) {
    const auto expect = [](int reason, const char* problem, const char* what_to_do) {
        const std::string text = to_string(system_failure("opening a file", reason).error());
        EXPECT_TRUE(text.starts_with(std::string{problem} + ": opening a file: ")) << text;
        EXPECT_NE(text.find(what_to_do), std::string::npos) << text;
    };
    expect(EMFILE, "no more files can be opened", "(ulimit -n)");
    expect(ENFILE, "no more files can be opened", "the system's limit");
    expect(EROFS, "the file system is read-only", "mount it for writing");
    expect(ENAMETOOLONG, "the name is too long", "name another folder");
    expect(ENOTDIR, "what should be a folder is none", "name another folder");
    expect(ELOOP, "links lead to each other", "name another folder");
    expect(EIO, "the disk failed", "see to the disk");
}

// Before, it was the disk's fault, for which a node is started again and again.
TEST(SystemFailure, that_is_of_the_name_is_another_than_that_of_the_disk) {
    for (const int reason : {ENAMETOOLONG, ENOTDIR, ELOOP})
        EXPECT_EQ(system_failure("opening a file", reason).error().code, LedgerErrorCode::bad_path);
    for (const int reason : {EIO, EROFS, EMFILE})
        EXPECT_EQ(system_failure("opening a file", reason).error().code, LedgerErrorCode::io_error);
}

// Before, blocks were said to be safe of which there were none yet.
TEST(SystemFailure, tells_of_blocks_only_where_there_are_some) {
    for (const int reason : {EMFILE, EIO, ENOSPC}) {
        const LedgerError error = system_failure("opening a file", reason).error();
        EXPECT_NE(to_string(error).find("; acknowledged blocks are safe)"), std::string::npos);
        EXPECT_TRUE(to_string(error, LedgerStage::being_made).ends_with("start again)"))
            << to_string(error, LedgerStage::being_made);
    }
}

}  // namespace
}  // namespace heddle::ledger
