// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "network/testnet_parts.hpp"
#include "program.hpp"
#include "program/error.hpp"

// Folders of networks that have not got their names yet, and what kills leave of them.
namespace heddle::node {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

void write(const fs::path& file, const std::string& text) {
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
}

class UnfinishedFolderTest : public ::testing::Test {
protected:
    /// @return what was said.
    [[nodiscard]] std::string refusal() const {
        try {
            const UnfinishedFolder folder{network()};
        } catch (const InputError& error) {
            return error.what();
        }
        return "nothing was wrong";
    }
    [[nodiscard]] std::ptrdiff_t entries() const {
        return std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator());
    }
    [[nodiscard]] fs::path network() const { return folder_.path() / "network"; }
    [[nodiscard]] const test::TemporaryFolder& folder() const { return folder_; }

private:
    test::TemporaryFolder folder_;
};

TEST_F(UnfinishedFolderTest, gets_its_name_at_the_end_and_holds_what_was_written_alone) {
    UnfinishedFolder made{network()};
    write(made.path() / "keys", "new");
    made.finish();

    EXPECT_EQ(test::read_text(network() / "keys"), "new");
    EXPECT_EQ(std::distance(fs::directory_iterator(network()), fs::directory_iterator()), 1);
    EXPECT_EQ(entries(), 1);
}

// Each attempt that was killed left one more folder, by its process's number, with private keys.
TEST_F(UnfinishedFolderTest, that_a_kill_has_left_goes_with_the_next_attempt) {
    {
        const UnfinishedFolder killed{network()};
        write(killed.path() / "keys", "old");
        fs::copy(killed.path(), folder().path() / "left", fs::copy_options::recursive);
    }
    ASSERT_EQ(entries(), 1) << "what fails leaves nothing but the copy";
    fs::rename(folder().path() / "left", network().string() + ".unfinished");

    UnfinishedFolder made{network()};
    EXPECT_FALSE(fs::exists(made.path() / "keys"));
    made.finish();
    EXPECT_EQ(entries(), 1);
}

TEST_F(UnfinishedFolderTest, that_a_kill_has_left_goes_with_an_attempt_that_fails_too) {
    write(folder().path() / "network.unfinished/.unfinished", "");
    write(folder().path() / "network.unfinished/validator1/keys", "old");

    EXPECT_EQ(refusal(), "nothing was wrong");
    EXPECT_EQ(entries(), 0);
}

TEST_F(UnfinishedFolderTest, of_somebody_at_work_is_left_alone) {
    UnfinishedFolder made{network()};
    write(made.path() / "keys", "new");

    EXPECT_THAT(refusal(), HasSubstr("network.unfinished: another process is making it"));
    made.finish();
    EXPECT_EQ(test::read_text(network() / "keys"), "new");
}

TEST_F(UnfinishedFolderTest, that_nobody_has_marked_is_somebody_elses) {
    write(folder().path() / "network.unfinished/mine", "text");

    EXPECT_THAT(refusal(), HasSubstr("exists already; remove it, or choose another --out"));
    EXPECT_TRUE(fs::exists(folder().path() / "network.unfinished/mine"));
}

}  // namespace
}  // namespace heddle::node
