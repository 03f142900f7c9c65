// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "replication/member_files.hpp"

#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <consensus_adapter/replication/epoch.hpp>

#include "program.hpp"
#include "program/error.hpp"
#include "test_chain.hpp"

namespace heddle::node::replication {
namespace {

using consensus_adapter::replication::MemberState;
using consensus_adapter::replication::Role;
using consensus_adapter::replication::with_epoch;
using testing::HasSubstr;

class MemberFilesTest : public testing::Test {
protected:
    [[nodiscard]] std::string folder() const { return folder_.path().native(); }
    [[nodiscard]] std::string failure(const std::string& member = "a") const {
        try {
            (void)MemberFiles{folder(), member}.load();
        } catch (const StorageError& error) {
            return error.what();
        }
        return "";
    }
    test::TemporaryFolder folder_;
};

TEST_F(MemberFilesTest, keep_what_was_promised_last) {
    MemberFiles files{folder(), "a"};
    EXPECT_FALSE(files.load().has_value());
    ASSERT_TRUE(files.save({1, "a", Role::primary}));
    ASSERT_TRUE(files.save({7, "node-2", Role::backup}));

    EXPECT_EQ(MemberFiles(folder(), "a").load(), (MemberState{7, "node-2", Role::backup}));
}

TEST_F(MemberFilesTest, a_promise_that_cannot_be_read_is_none) {
    ASSERT_TRUE(MemberFiles(folder(), "a").save({12, "b", Role::backup}));
    const auto path = folder_.path() / "replication.state";
    const std::string good = test::read_text(path);
    for (std::size_t i = 0; i < good.size(); ++i) {
        std::string bad = good;
        bad[i] = static_cast<char>(bad[i] ^ 1);
        std::ofstream{path} << bad;
        EXPECT_THAT(failure(), HasSubstr("is damaged")) << "byte " << i;
        std::ofstream{path} << good.substr(0, i);
        EXPECT_THAT(failure(), HasSubstr("is damaged")) << i << " bytes";
    }
    std::ofstream{path} << good;
    EXPECT_EQ(failure(), "");
}

TEST_F(MemberFilesTest, a_copy_of_another_members_directory_is_found_out) {
    ASSERT_TRUE(MemberFiles(folder(), "a").save({1, "a", Role::primary}));
    EXPECT_THAT(failure("b"), HasSubstr("is that of member a, and this is b"));
}

TEST_F(MemberFilesTest, a_disk_that_fails_changes_nothing) {
    MemberFiles files{folder(), "a"};
    ASSERT_TRUE(files.save({1, "a", Role::primary}));
    std::filesystem::create_directory(folder_.path() / "replication.state.unfinished");
    EXPECT_FALSE(files.save({2, "b", Role::backup}));
    EXPECT_EQ(files.load(), (MemberState{1, "a", Role::primary}));
}

TEST_F(MemberFilesTest, know_what_was_shown_unless_the_note_was_half_written) {
    {
        MemberFiles files{folder(), "a"};
        EXPECT_FALSE(files.shown().has_value());
        files.note_shown(41);
        files.note_shown(0x0102030405);
    }
    EXPECT_EQ(MemberFiles(folder(), "a").shown(), 0x0102030405u);
    std::filesystem::resize_file(folder_.path() / "replication.shown", 9);
    EXPECT_FALSE(MemberFiles(folder(), "a").shown().has_value());
    std::ofstream{folder_.path() / "replication.shown"} << "0123456789abcdef";
    EXPECT_FALSE(MemberFiles(folder(), "a").shown().has_value());
}

/// What is shown of a chain whose blocks have these epochs, where no note says so.
std::uint64_t shown_of(const std::vector<std::uint64_t>& epochs, std::uint64_t most_held = 100) {
    test::TestChain chain;
    for (const std::uint64_t epoch : epochs) {
        Bytes extra_data{1, 2, 3};
        if (epoch != 0) extra_data = with_epoch(extra_data, epoch);
        (void)chain.commit({.extra_data = std::move(extra_data)});
    }
    return shown_without_note(chain.chain(), most_held);
}

TEST(ShownWithoutNote, is_what_was_made_before_there_were_members) {
    EXPECT_EQ(shown_of({}), 0u);
    EXPECT_EQ(shown_of({0, 0, 0}), 3u);
}

TEST(ShownWithoutNote, is_nothing_that_members_may_not_have_acknowledged) {
    EXPECT_EQ(shown_of({1, 1, 1}), 0u);
    EXPECT_EQ(shown_of({0, 0, 1, 2}), 2u);
    EXPECT_EQ(shown_of({1, 1, 1, 1, 1}, 2), 3u) << "no more than that can be held back";
    EXPECT_EQ(shown_of({1, 1, 0}), 3u) << "it was a chain without members since";
}

}  // namespace
}  // namespace heddle::node::replication
