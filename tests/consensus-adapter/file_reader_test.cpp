// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "file_reader.hpp"

#include <filesystem>

#include <sys/stat.h>

#include <gtest/gtest.h>

#include "scratch_file.hpp"

namespace heddle::consensus_adapter {
namespace {

TEST(FileReader, says_what_it_cannot_open) {
    const auto missing = FileReader::open("/no/such/file");
    ASSERT_FALSE(missing.has_value());
    EXPECT_EQ(missing.error().code, FileFault::cannot_open);
    EXPECT_EQ(missing.error().file, "/no/such/file");

    const auto folder = FileReader::open(std::filesystem::temp_directory_path().string());
    ASSERT_FALSE(folder.has_value());
    EXPECT_EQ(folder.error().code, FileFault::cannot_open);
    EXPECT_EQ(folder.error().reason, "a folder, not a file");

    // Before, it waited for somebody to write to it.
    const test::ScratchFile file{Bytes{}};
    std::filesystem::remove(file.path());
    ASSERT_EQ(::mkfifo(file.path().c_str(), 0600), 0);
    const auto pipe = FileReader::open(file.path());
    ASSERT_FALSE(pipe.has_value());
    EXPECT_EQ(pipe.error().code, FileFault::cannot_open);
    EXPECT_EQ(pipe.error().reason,
              "not a regular file: write what comes through a pipe into a file first");
}

/// Before, it was only said that there is no such file.
TEST(FileReader, says_that_standard_input_is_no_file) {
    ASSERT_FALSE(std::filesystem::exists("-"));
    const auto standard_input = FileReader::open("-");
    ASSERT_FALSE(standard_input.has_value());
    EXPECT_EQ(standard_input.error().reason,
              "standard input is not read: write what comes through a pipe into a file first");
}

TEST(FileReader, shows_bytes_in_order_whatever_the_portions) {
    Bytes content(3'000'000);
    for (std::size_t i = 0; i < content.size(); ++i)
        content[i] = static_cast<std::uint8_t>(i * 7 + (i >> 8));
    const test::ScratchFile file{content};
    auto reader = FileReader::open(file.path());
    ASSERT_TRUE(reader.has_value());
    EXPECT_EQ(reader->size_bytes(), content.size());

    std::size_t at = 0;
    for (std::size_t portion = 1; at < content.size(); portion = portion * 3 + 1) {
        const auto bytes = reader->peek(portion);
        ASSERT_TRUE(bytes.has_value());
        ASSERT_EQ(bytes->size(), std::min(portion, content.size() - at));
        ASSERT_TRUE(equal(*bytes, BytesView{content}.subspan(at, bytes->size())));
        at += bytes->size();
        reader->skip(bytes->size());
        ASSERT_EQ(reader->offset(), at);
    }
    EXPECT_TRUE(reader->peek(1)->empty());
}

TEST(FileReader, believes_no_length_that_the_file_does_not_have) {
    const test::ScratchFile file{Bytes(100, 1)};
    auto reader = FileReader::open(file.path());
    ASSERT_TRUE(reader.has_value());

    const auto bytes = reader->peek_exactly(std::size_t{1} << 60, "block");

    ASSERT_FALSE(bytes.has_value());
    EXPECT_EQ(bytes.error().code, FileFault::truncated);
}

}  // namespace
}  // namespace heddle::consensus_adapter
