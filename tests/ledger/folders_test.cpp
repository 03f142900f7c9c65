// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "storage/folders.hpp"

#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <utility>

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "durable/opening.hpp"
#include "temporary_folder.hpp"

namespace {

using Identity = std::pair<dev_t, ino_t>;

/// What this process has forced to the disk.
struct Forced {
    std::mutex mutex;
    std::set<Identity> files;
};

Forced& forced() {
    static Forced all;
    return all;
}

}  // namespace

/// In the place of the C library's, for the whole of this program.
extern "C" int fsync(int file) {
    struct stat found{};
    if (::fstat(file, &found) == 0) {
        const std::lock_guard lock{forced().mutex};
        forced().files.emplace(found.st_dev, found.st_ino);
    }
    return static_cast<int>(::syscall(SYS_fsync, file));
}

namespace heddle::ledger {
namespace {

namespace fs = std::filesystem;

class FoldersTest : public testing::Test {
protected:
    void SetUp() override {
        const std::lock_guard lock{forced().mutex};
        forced().files.clear();
    }
    static bool is_forced(const fs::path& path) {
        struct stat found{};
        EXPECT_EQ(::stat(path.c_str(), &found), 0) << path;
        const std::lock_guard lock{forced().mutex};
        return forced().files.contains({found.st_dev, found.st_ino});
    }

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

}  // namespace
}  // namespace heddle::ledger
