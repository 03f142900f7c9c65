// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "inputs/recording_sink.hpp"

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/witness_file.hpp"
#include "program.hpp"
#include "program/error.hpp"

namespace heddle::node {
namespace {

using test::TemporaryFolder;
using testing::HasSubstr;

/// A block of one transaction with its set.
FinishedBlock block_of(std::uint64_t number) {
    FinishedBlock block;
    block.block.header.number = number;
    block.block.transactions.resize(1);
    block.object_sets.push_back(
        ObjectSet{{{{address_from_low64(number), ObjectKind::balance, {}}, AccessMode::write}}});
    return block;
}

/// Rejects every block, and tells whether it was given sets.
class RejectingSink final : public BlockSink {
public:
    [[nodiscard]] std::expected<Hash, BlockError> commit(FinishedBlock block) override {
        has_seen_sets = !block.object_sets.empty();
        BlockError error;
        error.code = BlockErrorCode::state_root_mismatch;
        return std::unexpected(error);
    }
    [[nodiscard]] Hash state_root_with(const StateDiff&) override { return {}; }

    bool has_seen_sets = false;
};

TEST(RecordingSink, keeps_the_sets_of_accepted_blocks) {
    DiscardingSink inner;
    std::vector<std::uint64_t> numbers;
    RecordingSink sink(inner, [&](const BlockHeader& header, const Hash& hash, const auto& sets) {
        numbers.push_back(header.number);
        EXPECT_EQ(hash, header_hash(header));
        EXPECT_EQ(sets.size(), 1u);
        return true;
    });

    EXPECT_TRUE(sink.commit(block_of(1)).has_value());
    EXPECT_TRUE(sink.commit(block_of(2)).has_value());

    EXPECT_THAT(numbers, testing::ElementsAre(1, 2));
}

TEST(RecordingSink, keeps_nothing_of_a_rejected_block) {
    RejectingSink inner;
    RecordingSink sink(inner, [](const auto&...) {
        ADD_FAILURE();
        return true;
    });

    const auto result = sink.commit(block_of(1));

    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().code, BlockErrorCode::state_root_mismatch);
    EXPECT_FALSE(inner.has_seen_sets);
}

TEST(RecordingSink, ends_the_stream_when_sets_cannot_be_kept) {
    DiscardingSink inner;
    RecordingSink sink(inner, [](const auto&...) { return false; });

    const auto result = sink.commit(block_of(7));

    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().code, BlockErrorCode::execution_halted);
    EXPECT_EQ(result.error().number, 7u);
}

TEST(SidecarRecorder, writes_a_repeated_block_once) {
    const TemporaryFolder folder;
    const std::string path = (folder.path() / "sets").native();
    const FinishedBlock block = block_of(3);
    const Hash hash = header_hash(block.block.header);
    SidecarRecorder recorder(path);
    for (int i = 0; i < 3; ++i)
        EXPECT_TRUE(recorder.add(3, hash, block.object_sets));

    recorder.finish();

    auto reader = consensus_adapter::SidecarReader::open(path);
    ASSERT_TRUE(reader.has_value());
    EXPECT_EQ((*reader->next())->number, 3u);
    EXPECT_FALSE(reader->next()->has_value());
}

TEST(SidecarRecorder, says_what_it_cannot_write) {
    const TemporaryFolder folder;
    EXPECT_THROW(SidecarRecorder{folder.path().native()}, InputError);

    const std::string path = (folder.path() / "sets").native();
    std::filesystem::create_symlink("/dev/full", path + ".part");
    SidecarRecorder recorder(path);
    std::vector<Access> accesses;
    accesses.reserve(200'000);
    for (std::uint64_t slot = 0; slot < 200'000; ++slot)
        accesses.push_back({{Address{}, ObjectKind::storage, ~Uint256{slot}}, AccessMode::write});
    const std::vector<ObjectSet> sets{ObjectSet{std::move(accesses)}};

    EXPECT_FALSE(recorder.add(1, Hash{}, sets));
    EXPECT_FALSE(recorder.add(2, Hash{}, sets));

    try {
        recorder.finish();
        ADD_FAILURE();
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), HasSubstr("cannot be written"));
        EXPECT_THAT(error.what(), HasSubstr("make room"));
    }
}

}  // namespace
}  // namespace heddle::node
