// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "chain/code_shelf.hpp"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "program/temporary_folder.hpp"

namespace heddle::node {
namespace {

/// Of the process, in bytes: memory of files that it has mapped and looked at.
std::size_t resident_file_bytes() {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
        std::size_t kibibytes = 0;
        if (word == "RssFile:" && status >> kibibytes) return kibibytes << 10;
    }
    return 0;
}

class FileShelfTest : public ::testing::Test {
protected:
    static constexpr std::size_t kBytes = 82'000;
    struct Piece {
        std::byte* begin;
        std::byte value;
    };
    std::vector<Piece> fill(FileShelf& shelf, std::size_t count) {
        std::vector<Piece> pieces;
        for (std::size_t i = 0; i < count; ++i) {
            std::byte* const begin = shelf.take(kBytes);
            if (begin == nullptr) break;
            pieces.push_back({begin, static_cast<std::byte>(i % 251)});
            shelf.look_at(begin, kBytes);
            std::fill_n(begin, kBytes, pieces.back().value);
        }
        return pieces;
    }

    const TemporaryFolder folder_{"heddle-shelf-", "set TMPDIR"};
};

TEST_F(FileShelfTest, what_is_put_away_is_found_again) {
    FileShelf shelf(folder_.path(), 10 * kBytes);

    const std::vector<Piece> pieces = fill(shelf, 1'000);

    ASSERT_EQ(pieces.size(), 1'000u);
    for (unsigned round = 0; round < 2; ++round) {
        for (const Piece& piece : pieces) {
            shelf.look_at(piece.begin, kBytes);
            ASSERT_TRUE(std::all_of(piece.begin, piece.begin + kBytes,
                                    [&](std::byte found) { return found == piece.value; }));
        }
    }
}

/// The pages of the others are the system's, as of any file.
TEST_F(FileShelfTest, of_what_was_looked_at_a_part_is_in_the_processs_memory) {
    FileShelf shelf(folder_.path());
    const std::size_t before = resident_file_bytes();
    const std::vector<Piece> pieces = fill(shelf, 1'000);
    std::size_t most = 0;

    for (std::size_t i = 0; i < 5'000; ++i) {
        const Piece& piece = pieces[i * 7 % pieces.size()];
        shelf.look_at(piece.begin, kBytes);
        for (std::size_t at = 0; at < kBytes; at += 4'096)
            ASSERT_EQ(piece.begin[at], piece.value);
        if (i % 50 == 0) most = std::max(most, resident_file_bytes());
    }

    EXPECT_GE(shelf.size_bytes(), 1'000 * kBytes);
    // Around a page that is looked at the system maps what it has of the same 64 KiB.
    EXPECT_LT(most, before + 3 * FileShelf::kMappedBytes);
}

TEST_F(FileShelfTest, what_is_cleared_leaves_no_file_and_can_be_filled_again) {
    FileShelf shelf(folder_.path());
    for (unsigned round = 0; round < 3; ++round) {
        EXPECT_EQ(fill(shelf, 300).size(), 300u);
        EXPECT_GT(shelf.size_bytes(), 300 * kBytes);

        shelf.clear();

        EXPECT_EQ(shelf.size_bytes(), 0u);
    }
}

TEST_F(FileShelfTest, one_that_is_larger_than_usual_has_room) {
    constexpr std::size_t kLarge = std::size_t{40} << 20;
    FileShelf shelf(folder_.path());
    (void)fill(shelf, 1);

    std::byte* const begin = shelf.take(kLarge);

    ASSERT_NE(begin, nullptr);
    begin[kLarge - 1] = std::byte{7};
    EXPECT_EQ(begin[kLarge - 1], std::byte{7});
}

TEST_F(FileShelfTest, without_a_folder_there_is_no_room) {
    FileShelf shelf(folder_.path() + "/missing");
    EXPECT_EQ(shelf.take(kBytes), nullptr);
    shelf.clear();
}

}  // namespace
}  // namespace heddle::node
