// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "program/durable_file.hpp"

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <iterator>
#include <string>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "program.hpp"
#include "temporary_folder.hpp"

namespace heddle::node {
namespace {

namespace fs = std::filesystem;

class CopyDurably : public testing::Test {
protected:
    const test::TemporaryFolder folder_;
    const std::string from_ = (folder_.path() / "from").string();
    const std::string to_ = (folder_.path() / "to").string();

    void SetUp() override { (void)folder_.write("from", std::string(10'000, 'x')); }
    [[nodiscard]] std::size_t files() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator{folder_.path()}, {}));
    }
};

TEST_F(CopyDurably, copies_all_of_it) {
    ASSERT_TRUE(copy_durably(from_, to_));
    EXPECT_EQ(test::read_text(to_), test::read_text(from_));
    EXPECT_EQ(files(), 2U);
}

TEST_F(CopyDurably, what_an_earlier_one_has_left_is_in_nobodys_way) {
    (void)folder_.write("to.new", "half of it");
    fs::permissions(to_ + ".new", fs::perms::owner_read);
    ASSERT_TRUE(copy_durably(from_, to_));
    EXPECT_EQ(test::read_text(to_), test::read_text(from_));
    EXPECT_EQ(files(), 2U);
}

// Half a genesis file beside a recording was taken for another chain's at the next start.
TEST_F(CopyDurably, leaves_nothing_where_the_disk_has_no_room) {
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{.rlim_cur = 4'096, .rlim_max = before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    const bool is_copied = copy_durably(from_, to_);
    const int reason = errno;
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    std::signal(SIGXFSZ, handler);

    EXPECT_FALSE(is_copied);
    EXPECT_EQ(reason, EFBIG);
    EXPECT_EQ(files(), 1U);
}

TEST_F(CopyDurably, says_why_there_is_nothing_to_copy) {
    EXPECT_FALSE(copy_durably(from_ + "s", to_));
    EXPECT_EQ(errno, ENOENT);
    EXPECT_EQ(files(), 1U);
}

}  // namespace
}  // namespace heddle::node
