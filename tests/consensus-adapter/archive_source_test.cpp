// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include <gtest/gtest.h>

#include <consensus_adapter/archive.hpp>

#include "fixtures.hpp"
#include "sample_blocks.hpp"
#include "scratch_file.hpp"

namespace heddle::consensus_adapter {
namespace {

std::vector<std::uint64_t> numbers_of(BlockSource& source) {
    std::vector<std::uint64_t> numbers;
    while (const auto block = source.next())
        numbers.push_back(block->start.header.number);
    return numbers;
}

TEST(ArchiveSource, reads_files_one_after_another_and_leaves_out_genesis) {
    const test::ScratchFile first{test::sample_chain(0, 3)};
    const test::ScratchFile second{test::sample_chain(4, 5)};
    auto source = make_archive_source({first.path(), second.path()});
    ASSERT_TRUE(source.has_value());

    EXPECT_EQ(numbers_of(**source), (std::vector<std::uint64_t>{1, 2, 3, 4, 5}));

    EXPECT_FALSE((*source)->error().has_value());
    const SourceProgress progress = (*source)->progress();
    EXPECT_EQ(progress.bytes_done, progress.bytes_total);
    EXPECT_EQ(progress.bytes_total,
              test::sample_chain(0, 3).size() + test::sample_chain(4, 5).size());
}

TEST(ArchiveSource, delivers_blocks_ready_for_import) {
    Block block = test::sample_block(1, 2);
    block.withdrawals.emplace();
    const test::ScratchFile file{test::encode(block)};
    auto source = make_archive_source({file.path()});
    ASSERT_TRUE(source.has_value());

    const auto ordered = (*source)->next();

    ASSERT_TRUE(ordered.has_value());
    EXPECT_EQ(ordered->start.mode, executor::BlockMode::import);
    EXPECT_EQ(ordered->start.header, block.header);
    EXPECT_EQ(ordered->start.withdrawals, block.withdrawals);
    EXPECT_EQ(ordered->start.encoded_size_bytes, test::encode(block).size());
    EXPECT_EQ(ordered->transactions, block.transactions);
}

TEST(ArchiveSource, starts_where_it_is_told) {
    const test::ScratchFile file{test::sample_chain(0, 5)};
    ArchiveOptions options;
    options.first_number = 4;
    auto source = make_archive_source({file.path()}, options);
    ASSERT_TRUE(source.has_value());

    EXPECT_EQ(numbers_of(**source), (std::vector<std::uint64_t>{4, 5}));
}

TEST(ArchiveSource, compares_genesis) {
    const test::ScratchFile file{test::sample_chain(0, 1)};
    ArchiveOptions options;
    options.genesis_hash = header_hash(test::sample_block(0).header);
    auto right = make_archive_source({file.path()}, options);
    ASSERT_TRUE(right.has_value());
    EXPECT_EQ(numbers_of(**right).size(), 1u);
    EXPECT_FALSE((*right)->error().has_value());

    options.genesis_hash = Hash{};
    auto wrong = make_archive_source({file.path()}, options);
    ASSERT_TRUE(wrong.has_value());
    EXPECT_TRUE(numbers_of(**wrong).empty());
    ASSERT_TRUE((*wrong)->error().has_value());
    EXPECT_EQ((*wrong)->error()->code, StreamFault::wrong_genesis);
}

TEST(ArchiveSource, no_file_begins_behind_a_gap) {
    const test::ScratchFile first{test::sample_chain(2, 4)};
    const test::ScratchFile next{test::sample_chain(5, 6)};
    const test::ScratchFile later{test::sample_chain(6, 7)};
    const auto read = [](std::vector<std::string> paths, std::uint64_t head) {
        ArchiveOptions options;
        options.head = head;
        auto source = make_archive_source(std::move(paths), options);
        (void)numbers_of(**source);
        return (*source)->error();
    };

    EXPECT_FALSE(read({first.path(), next.path(), later.path()}, 1).has_value());
    EXPECT_FALSE(read({later.path()}, 9).has_value()) << "blocks that are there are passed over";
    const auto at_begin = read({first.path()}, 0);
    ASSERT_TRUE(at_begin.has_value());
    EXPECT_EQ(at_begin->code, StreamFault::gap);
    EXPECT_EQ(at_begin->number, 2u);
    const auto between = read({first.path(), later.path()}, 1);
    ASSERT_TRUE(between.has_value());
    EXPECT_EQ(between->code, StreamFault::gap);
    EXPECT_EQ(between->file, later.path());
    EXPECT_NE(between->reason.find("ends with block 4"), std::string::npos);
}

TEST(ArchiveSource, refuses_files_it_does_not_know) {
    const test::ScratchFile text{{'h', 'e', 'l', 'l', 'o'}};
    const test::ScratchFile empty{Bytes{}};
    const std::pair<std::string, SourceErrorCode> refused[] = {
        {text.path(), ContentFault::unknown_format},
        {empty.path(), ContentFault::unknown_format},
        {"/no/such/file", FileFault::cannot_open}};
    for (const auto& [path, code] : refused) {
        const auto source = make_archive_source({path});
        ASSERT_FALSE(source.has_value());
        EXPECT_EQ(source.error().code, code);
        EXPECT_NE(to_string(source.error()).find(path), std::string::npos);
    }
}

TEST(ArchiveSource, stays_at_the_end_after_an_error) {
    Bytes content = test::sample_chain(1, 2);
    content.push_back(0xc0);
    const test::ScratchFile file{content};
    auto source = make_archive_source({file.path()});
    ASSERT_TRUE(source.has_value());

    EXPECT_EQ(numbers_of(**source).size(), 2u);
    EXPECT_TRUE((*source)->error().has_value());
    EXPECT_FALSE((*source)->next().has_value());
}

TEST(ArchiveSource, reads_the_first_era_of_real_chains) {
    const auto folder = heddle::test::fixture_archive("era");
    if (!folder) GTEST_SKIP() << heddle::test::missing_fixture_message("era");
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator{*folder}) {
        if (entry.path().extension() != ".era1") continue;
        ++files;
        auto source = make_archive_source({entry.path().string()});
        ASSERT_TRUE(source.has_value()) << to_string(source.error());
        EXPECT_EQ(numbers_of(**source).size(), 8'191u);
        EXPECT_FALSE((*source)->error().has_value()) << to_string(*(*source)->error());
    }
    EXPECT_GE(files, 2u);
}

// tests/vectors/ere: a chain of `heddle generate`, and what geth 1.17.8 exported of it
// (`geth export-history --era.format ere`).
TEST(ArchiveSource, reads_the_same_blocks_from_what_geth_has_exported_as_ere) {
    const std::string folder = HEDDLE_TEST_VECTORS "/ere/";
    auto chain = make_archive_source({folder + "chain.rlp"});
    auto era = make_archive_source({folder + "unknown-00000-42ff822d-noproofs.ere"});
    ASSERT_TRUE(chain.has_value() && era.has_value());
    std::size_t count = 0;
    while (const auto expected = (*chain)->next()) {
        const auto block = (*era)->next();
        ASSERT_TRUE(block.has_value()) << to_string((*era)->error().value_or(SourceError{}));
        EXPECT_EQ(block->start.header, expected->start.header);
        EXPECT_EQ(block->transactions, expected->transactions);
        EXPECT_EQ(block->start.withdrawals, expected->start.withdrawals);
        EXPECT_EQ(block->start.encoded_size_bytes, expected->start.encoded_size_bytes);
        ++count;
    }
    EXPECT_EQ(count, 3u);
    EXPECT_FALSE((*era)->next().has_value());
    EXPECT_FALSE((*era)->error().has_value());
    EXPECT_EQ((*era)->progress().bytes_done, (*era)->progress().bytes_total);
}

}  // namespace
}  // namespace heddle::consensus_adapter
