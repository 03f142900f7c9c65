// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "forking/fork_cache.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "file_size_limit.hpp"
#include "program/error.hpp"
#include "temporary_folder.hpp"

namespace heddle::node::forking {
namespace {

using testing::HasSubstr;
using testing::Not;

class ForkCacheTest : public testing::Test {
protected:
    [[nodiscard]] std::string path() const { return folder_ / "deep/er/cache"; }
    [[nodiscard]] std::string text() const {
        std::ifstream file{path(), std::ios::binary};
        return {std::istreambuf_iterator<char>{file}, {}};
    }
    void write(const std::string& text) const {
        std::ofstream{path(), std::ios::binary | std::ios::trunc} << text;
    }

    const heddle::test::TemporaryFolder folder_;
};

TEST_F(ForkCacheTest, keeps_values_beyond_its_life) {
    {
        ForkCache cache{path()};
        cache.put("a", "1");
        cache.put("b", "two words");
        cache.put("a", "3");
        EXPECT_EQ(cache.find("a"), "3");
    }
    const ForkCache cache{path()};
    EXPECT_EQ(cache.find("a"), "3");
    EXPECT_EQ(cache.find("b"), "two words");
    EXPECT_EQ(cache.find("c"), std::nullopt);
    EXPECT_EQ(cache.size(), 2U);
    EXPECT_EQ(cache.damaged(), 0U);
}

TEST_F(ForkCacheTest, has_nothing_that_is_not_as_it_was_written) {
    {
        ForkCache cache{path()};
        for (int i = 0; i < 20; ++i)
            cache.put("name" + std::to_string(i), "value" + std::to_string(100 + i));
    }
    const std::string whole = text();
    // Each byte once: at most the entry that it is in, and the one behind it, are gone.
    for (std::size_t at = 0; at < whole.size(); at += 3) {
        std::string broken = whole;
        broken[at] = static_cast<char>(broken[at] ^ 0x15);
        write(broken);
        const ForkCache cache{path()};
        int found = 0;
        for (int i = 0; i < 20; ++i) {
            const auto value = cache.find("name" + std::to_string(i));
            if (!value.has_value()) continue;
            ++found;
            ASSERT_EQ(*value, "value" + std::to_string(100 + i)) << at;
        }
        EXPECT_GE(found, 18) << at;
        EXPECT_GE(cache.damaged(), 1U) << at;
    }
}

/// Before, what came after it was gone with it once the process had ended.
TEST_F(ForkCacheTest, goes_on_after_a_line_for_which_the_disk_had_no_room) {
    {
        ForkCache cache{path()};
        cache.put("a", "1");
        {
            const test::FileSizeLimit limit{text().size() + 20};
            cache.put("b", "2, which ends here and goes on where there is no room");
        }
        EXPECT_EQ(cache.find("b"), std::nullopt);
        cache.put("c", "3");
        EXPECT_EQ(cache.find("c"), "3");
    }
    const ForkCache cache{path()};
    EXPECT_EQ(cache.find("a"), "1");
    EXPECT_EQ(cache.find("c"), "3");
    EXPECT_EQ(cache.size(), 2U);
    EXPECT_EQ(cache.damaged(), 1U);
}

/// Before, the file was said to be what is missing.
TEST_F(ForkCacheTest, says_why_its_folder_cannot_be_made) {
    std::filesystem::create_symlink("nothing", folder_ / "deep");
    try {
        const ForkCache cache{path()};
        ADD_FAILURE() << "it was made";
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), Not(HasSubstr("No such file")));
    }
}

TEST_F(ForkCacheTest, goes_on_after_a_line_that_was_cut_off) {
    {
        ForkCache cache{path()};
        cache.put("a", "1");
        cache.put("b", "2");
    }
    write(text().substr(0, text().size() - 4));
    {
        ForkCache cache{path()};
        EXPECT_EQ(cache.find("b"), std::nullopt);
        cache.put("c", "3");
        EXPECT_EQ(cache.find("c"), "3");
    }
    const ForkCache cache{path()};
    EXPECT_EQ(cache.find("a"), "1");
    EXPECT_EQ(cache.find("c"), "3");
    EXPECT_EQ(cache.damaged(), 1U);
}

TEST_F(ForkCacheTest, notices_damage_that_comes_while_it_is_open) {
    ForkCache cache{path()};
    cache.put("a", "1");
    std::string broken = text();
    broken[broken.size() - 2] = '7';
    write(broken);
    EXPECT_EQ(cache.find("a"), std::nullopt);
    EXPECT_EQ(cache.damaged(), 1U);
}

TEST_F(ForkCacheTest, is_shared_by_two_who_write) {
    ForkCache first{path()};
    ForkCache second{path()};
    for (int i = 0; i < 50; ++i) {
        first.put("first" + std::to_string(i), "1");
        second.put("second" + std::to_string(i), "2");
    }
    const ForkCache both{path()};
    EXPECT_EQ(both.size(), 100U);
    EXPECT_EQ(both.damaged(), 0U);
}

TEST_F(ForkCacheTest, keeps_no_more_than_it_may) {
    ForkCache cache{path(), 200};
    for (int i = 0; i < 50; ++i)
        cache.put("name" + std::to_string(i), "value");
    EXPECT_LE(text().size(), 200U);
    EXPECT_GE(cache.size(), 3U);
}

TEST_F(ForkCacheTest, keeps_nothing_without_a_path) {
    ForkCache cache{""};
    cache.put("a", "1");
    EXPECT_EQ(cache.find("a"), std::nullopt);
}

}  // namespace
}  // namespace heddle::node::forking
