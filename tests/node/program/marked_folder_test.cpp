// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Folders of what is not complete yet, and what kills leave of them.
#include "program/marked_folder.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.hpp"
#include "program/error.hpp"
#include "temporary_folder.hpp"

namespace heddle::node {
namespace {

namespace fs = std::filesystem;
using heddle::test::read_text;
using testing::HasSubstr;

constexpr const char* kMark = "heddle-test.unfinished";

void write(const fs::path& file, const std::string& text) {
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
}

std::ptrdiff_t entries(const fs::path& folder) {
    return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

class MarkedFolderTest : public ::testing::Test {
protected:
    /// @return what was said.
    [[nodiscard]] std::string refusal() const {
        try {
            const MarkedFolder folder{unfinished(), kMark};
        } catch (const InputError& error) {
            return error.what();
        }
        return "nothing was wrong";
    }
    [[nodiscard]] const fs::path& folder() const { return folder_.path(); }
    [[nodiscard]] fs::path named() const { return folder() / "network"; }
    [[nodiscard]] fs::path unfinished() const { return folder() / "network.unfinished"; }

private:
    heddle::test::TemporaryFolder folder_;
};

TEST_F(MarkedFolderTest, gets_its_name_at_the_end_and_holds_what_was_written_alone) {
    MarkedFolder made{unfinished(), kMark};
    write(made.path() / "keys", "new");
    made.finish(named());

    EXPECT_EQ(read_text(named() / "keys"), "new");
    EXPECT_EQ(entries(named()), 1);
    EXPECT_EQ(entries(folder()), 1);
}

TEST_F(MarkedFolderTest, leaves_nothing_where_it_gets_no_name) {
    {
        const MarkedFolder made{folder() / "above/network.unfinished", kMark};
        write(made.path() / "validator1/keys", "new");
    }
    EXPECT_EQ(entries(folder()), 0);
}

// Each attempt that was killed left one more folder, by its process's number, with private keys.
TEST_F(MarkedFolderTest, that_a_kill_has_left_goes_with_the_next_attempt) {
    {
        const MarkedFolder killed{unfinished(), kMark};
        write(killed.path() / "keys", "old");
        fs::copy(killed.path(), folder() / "left", fs::copy_options::recursive);
    }
    ASSERT_EQ(entries(folder()), 1) << "what fails leaves nothing but the copy";
    fs::rename(folder() / "left", unfinished());

    MarkedFolder made{unfinished(), kMark};
    EXPECT_FALSE(fs::exists(made.path() / "keys"));
    made.finish(named());
    EXPECT_EQ(entries(folder()), 1);
}

TEST_F(MarkedFolderTest, that_a_kill_has_left_goes_with_an_attempt_that_fails_too) {
    write(unfinished() / kMark, "");
    write(unfinished() / "validator1/keys", "old");

    EXPECT_EQ(refusal(), "nothing was wrong");
    EXPECT_EQ(entries(folder()), 0);
}

TEST_F(MarkedFolderTest, of_somebody_at_work_is_left_alone) {
    MarkedFolder made{unfinished(), kMark};
    write(made.path() / "keys", "new");

    EXPECT_THAT(refusal(), HasSubstr("network.unfinished: another process is making it"));
    made.finish(named());
    EXPECT_EQ(read_text(named() / "keys"), "new");
}

TEST_F(MarkedFolderTest, that_nobody_has_marked_is_somebody_elses) {
    write(unfinished() / "mine", "text");

    EXPECT_THAT(refusal(), HasSubstr("exists already; remove it, or choose another --out"));
    EXPECT_TRUE(fs::exists(unfinished() / "mine"));
}

TEST_F(MarkedFolderTest, is_not_taken_over_for_a_file_of_the_marks_name_that_is_none) {
    write(unfinished() / kMark, "somebody's text");
    EXPECT_THAT(refusal(), HasSubstr("exists already"));
    EXPECT_EQ(read_text(unfinished() / kMark), "somebody's text");

    // What a link names is somebody else's, and would be locked and emptied.
    fs::remove(unfinished() / kMark);
    for (const std::string text : {"somebody's text", ""}) {
        write(folder() / "elsewhere", text);
        fs::create_symlink(folder() / "elsewhere", unfinished() / kMark);
        write(unfinished() / "mine", "text");
        EXPECT_THAT(refusal(), HasSubstr("exists already"));
        EXPECT_EQ(read_text(folder() / "elsewhere"), text);
        EXPECT_TRUE(fs::exists(unfinished() / "mine"));
        fs::remove(unfinished() / kMark);
    }
}

}  // namespace
}  // namespace heddle::node
