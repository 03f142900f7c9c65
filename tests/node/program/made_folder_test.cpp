// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "program/made_folder.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "temporary_folder.hpp"

namespace heddle::node {
namespace {

namespace fs = std::filesystem;

class MadeFolderTest : public testing::Test {
protected:
    void write(const std::string& name) const { std::ofstream{folder_ / name} << "text"; }
    [[nodiscard]] bool exists(const std::string& name) const { return fs::exists(folder_ / name); }

    test::TemporaryFolder folder_;
};

TEST_F(MadeFolderTest, goes_with_those_above_it_that_were_missing) {
    fs::create_directory(folder_ / "there");
    {
        const MadeFolder made(folder_ / "there/a/b/");
        EXPECT_FALSE(made.error());
        EXPECT_FALSE(made.was_there());
        EXPECT_TRUE(exists("there/a/b"));
    }
    EXPECT_TRUE(exists("there"));
    EXPECT_FALSE(exists("there/a"));
}

TEST_F(MadeFolderTest, stays_where_something_is_in_it_that_nobody_gave_it) {
    {
        MadeFolder made(folder_ / "a/b");
        made.add(folder_ / "a/b/mine");
        write("a/b/mine");
        write("a/b/letter");
    }
    EXPECT_FALSE(exists("a/b/mine"));
    EXPECT_TRUE(exists("a/b/letter"));
}

TEST_F(MadeFolderTest, takes_along_what_it_was_given) {
    {
        MadeFolder made(folder_ / "a");
        made.add(folder_ / "a/file");
        made.add(folder_ / "a/folder");
        made.add(folder_ / "a/never made");
        write("a/file");
        fs::create_directory(folder_ / "a/folder");
        write("a/folder/file");
    }
    EXPECT_FALSE(exists("a"));
}

TEST_F(MadeFolderTest, that_was_there_stays_without_what_it_was_given) {
    fs::create_directory(folder_ / "a");
    write("a/before");
    {
        MadeFolder made(folder_ / "a");
        EXPECT_TRUE(made.was_there());
        made.add(folder_ / "a/file");
        write("a/file");
    }
    EXPECT_TRUE(exists("a/before"));
    EXPECT_FALSE(exists("a/file"));
}

TEST_F(MadeFolderTest, that_is_kept_stays_as_it_is) {
    {
        MadeFolder made(folder_ / "a/b");
        made.add(folder_ / "a/b/file");
        write("a/b/file");
        made.keep();
    }
    EXPECT_TRUE(exists("a/b/file"));
    {
        MadeFolder made(folder_ / "empty");
        made.keep();
    }
    EXPECT_TRUE(exists("empty"));
}

TEST_F(MadeFolderTest, that_cannot_be_made_says_why_and_leaves_nothing) {
    {
        const MadeFolder made(folder_ / ("a/" + std::string(300, 'b')));
        EXPECT_EQ(made.error(), std::errc::filename_too_long);
        EXPECT_TRUE(exists("a"));
    }
    EXPECT_FALSE(exists("a"));
}

}  // namespace
}  // namespace heddle::node
