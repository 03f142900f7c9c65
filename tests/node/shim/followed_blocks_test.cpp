// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a follower or a backup takes from its source is recorded and runs again the same: on any
// workers and schedulers, over restarts and segments, with blocks that are wrong; and a recording
// of an earlier version, as golden_test.cpp. HEDDLE_MAKE_RECORDING names a folder to make one.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "program.hpp"

#include "recorded_follower.hpp"

namespace heddle::node {
namespace {

namespace fs = std::filesystem;
using consensus_adapter::BlockId;

constexpr const char* kGoldenHead =
    "0x5d3a64efd00b94599ac31d2efb4eec18bd445149809783d9e9891f75232c36e1";
constexpr std::uint64_t kGoldenBlocks = 10;
constexpr std::uint64_t kGoldenShown = 9;

Genesis followed_genesis() {
    return genesis_before_amsterdam(5);
}

/// A state root that is not the block's.
OrderedBlock wrong_block(const SourceBlock& source) {
    OrderedBlock block = streamed_block(source, false);
    block.start.header.state_root = keccak256(Bytes{1});
    return block;
}

/// Everything that can be in such a recording: streams with sets and without, a wrong block with
/// others behind it, transactions, restarts, segments.
BlockId record(const fs::path& folder, const std::vector<SourceBlock>& blocks,
               RecordedNodeOptions options) {
    options.is_member = true;
    options.segment_bytes = 4'000;
    Sender sender{7, 4};
    BlockId head;
    for (const std::size_t first : {std::size_t{0}, blocks.size() / 2}) {
        const std::size_t end = first == 0 ? blocks.size() / 2 : blocks.size();
        RecordedFollower follower(folder, followed_genesis(), options);
        std::vector<OrderedBlock> several;
        for (std::size_t i = first; i < end; ++i) {
            sender.send(follower.mempool());
            if (i == first + 1) {
                const auto refused =
                    follower.take({wrong_block(blocks[i]), streamed_block(blocks[i + 1], true)});
                EXPECT_FALSE(refused.has_value());
            }
            several.push_back(streamed_block(blocks[i], i % 2 == 0));
            if (i % 3 != 0 && i + 1 != end) continue;
            EXPECT_TRUE(follower.take(std::exchange(several, {})).has_value());
            follower.show(blocks[i].block.header.number - (i + 1 == blocks.size() ? 1 : 0));
        }
        head = follower.head();
    }
    return head;
}

class FollowedBlocksTest : public testing::Test {
protected:
    [[nodiscard]] fs::path folder(const std::string& name) const { return folder_.path() / name; }
    [[nodiscard]] fs::path fresh() { return folder(std::to_string(++fresh_)); }
    static void expect_same(const RerunResult& result, const BlockId& head) {
        EXPECT_EQ(result.report.differences, 0u)
            << to_string(result.report.first.value_or(Difference{}));
        EXPECT_EQ(result.report.stopped, "");
        EXPECT_EQ(result.report.head, head);
        ASSERT_TRUE(result.end.has_value());
        EXPECT_EQ(result.end->kind, RecordingEnd::Kind::complete) << to_string(*result.end);
    }

    heddle::test::TemporaryFolder folder_;
    int fresh_ = 0;
};

TEST_F(FollowedBlocksTest, run_again_the_same_on_any_workers_and_schedulers) {
    const auto blocks = make_blocks(folder("source"), followed_genesis(), 12);
    const BlockId head = record(folder("node"), blocks, {});
    ASSERT_EQ(head.number, 12u);
    for (const char* const scheduler : {"", "serial", "dag", "auto"})
        for (const unsigned workers : {1U, 2U, 4U, 8U}) {
            SCOPED_TRACE(std::string{scheduler} + " on " + std::to_string(workers));
            RerunOptions options;
            options.workers = workers;
            if (*scheduler != '\0') options.scheduler = scheduler;
            const RerunResult result =
                rerun_recording(folder("node") / "recording", fresh(), followed_genesis(), options);
            expect_same(result, head);
            EXPECT_EQ(result.report.blocks, 12u);
            EXPECT_EQ(result.report.shown, 11u);
        }
}

TEST_F(FollowedBlocksTest, run_again_from_every_segment) {
    const auto blocks = make_blocks(folder("source"), followed_genesis(), 12);
    const BlockId head = record(folder("node"), blocks, {});
    const auto starts = read_starts((folder("node") / "recording").string());
    ASSERT_TRUE(starts.has_value());
    ASSERT_GE(starts->size(), 4u);
    for (const RecordedStart& start : *starts) {
        SCOPED_TRACE(start.link.number);
        const fs::path datadir = fresh();
        if (start.head.number != 0) {
            RerunOptions before;
            before.stop = LogicalTime{start.head.number + 1, 0};
            ASSERT_EQ(
                rerun_recording(folder("node") / "recording", datadir, followed_genesis(), before)
                    .report.head,
                start.head);
        }
        expect_same(rerun_recording(folder("node") / "recording", datadir, followed_genesis(), {},
                                    start.link.number),
                    head);
    }
}

// Whatever byte is the last that reached the disk: all blocks that are whole in it, and no other.
TEST_F(FollowedBlocksTest, that_are_cut_run_up_to_the_last_whole_one) {
    const auto blocks = make_blocks(folder("source"), followed_genesis(), 4);
    {
        RecordedFollower follower(folder("node"), followed_genesis());
        for (const SourceBlock& block : blocks)
            ASSERT_TRUE(follower.take({streamed_block(block, true)}).has_value());
    }
    const fs::path whole = folder("node") / "recording" / "segment-00000001.rec";
    const auto size = fs::file_size(whole);
    std::uint64_t last = 0;
    for (std::uintmax_t length = size / 3; length < size; length += size / 17) {
        SCOPED_TRACE(length);
        const fs::path cut = fresh();
        fs::create_directories(cut);
        fs::copy_file(whole, cut / "segment-00000001.rec");
        fs::resize_file(cut / "segment-00000001.rec", length);
        const RerunResult result = rerun_recording(cut, fresh(), followed_genesis());
        EXPECT_EQ(result.report.differences, 0u);
        const std::uint64_t number = result.report.head.number;
        EXPECT_GE(number, last);
        last = number;
        if (number != 0) EXPECT_EQ(result.report.head.hash, blocks[number - 1].hash);
    }
    EXPECT_GT(last, 0u);
}

// As a program with other rules would have recorded it.
TEST_F(FollowedBlocksTest, a_block_that_differs_is_named_and_not_kept) {
    const auto blocks = make_blocks(folder("source"), followed_genesis(), 1);
    {
        const auto ledger =
            open_test_ledger((folder("node") / "data").string(), followed_genesis());
        const auto recorder = begin_recording(*ledger, (folder("node") / "recording").string(), {});
        OrderedBlock block = streamed_block(blocks[0], false);
        GivenBlockWriter writer;
        writer.begin(block.start);
        for (const Transaction& tx : block.transactions)
            writer.add(tx, std::nullopt);
        recorder->block_begins(writer.finish());
        recorder->block_ends(TakenBlock{blocks[0].hash, {1, 2, 3}});
        EXPECT_TRUE(recorder->commit_begins().has_value());
        recorder->commit_ends(BlockId{1, blocks[0].hash});
    }
    RerunOptions options;
    options.until_difference = true;
    const RerunResult result =
        rerun_recording(folder("node") / "recording", fresh(), followed_genesis(), options);
    ASSERT_TRUE(result.report.first.has_value());
    EXPECT_EQ(result.report.first->at, (LogicalTime{1, 1}));
    EXPECT_EQ(result.report.first->what, "the receipt of transaction 0");
    EXPECT_EQ(result.report.first->recorded, "00000001");
    EXPECT_EQ(result.report.blocks, 0u);
    EXPECT_EQ(result.report.head.number, 0u);
}

// A member that led, or followed another, goes on below where it was.
TEST_F(FollowedBlocksTest, that_were_taken_back_at_a_restart_are_taken_back) {
    const auto blocks = make_blocks(folder("source"), followed_genesis(), 6);
    {
        RecordedFollower follower(folder("node"), followed_genesis());
        for (const SourceBlock& block : blocks)
            ASSERT_TRUE(follower.take({streamed_block(block, true)}).has_value());
    }
    {
        const auto ledger =
            open_test_ledger((folder("node") / "data").string(), followed_genesis());
        ASSERT_TRUE(ledger->rewind(4).has_value());
    }
    BlockId head;
    {
        RecordedFollower follower(folder("node"), followed_genesis());
        ASSERT_TRUE(follower.take({streamed_block(blocks[4], false)}).has_value());
        head = follower.head();
    }
    const RerunResult result =
        rerun_recording(folder("node") / "recording", fresh(), followed_genesis());
    expect_same(result, head);
    EXPECT_EQ(head.number, 5u);
    EXPECT_EQ(result.report.taken_back, 2u);
}

TEST_F(FollowedBlocksTest, of_an_earlier_version_run_as_they_were_recorded) {
    if (const char* const made = std::getenv("HEDDLE_MAKE_RECORDING")) {
        const auto blocks = make_blocks(folder("source"), followed_genesis(), kGoldenBlocks);
        const BlockId head = record(folder("node"), blocks, {});
        fs::copy(folder("node") / "recording", made);
        FAIL() << "made " << made << ", whose head is " << to_string(head.hash);
    }
    for (const char* const scheduler : {"serial", "dag", "auto"}) {
        SCOPED_TRACE(scheduler);
        RerunOptions options;
        options.scheduler = scheduler;
        const RerunResult result =
            rerun_recording(HEDDLE_GOLDEN_FOLLOWER, fresh(), followed_genesis(), options);
        expect_same(result, {kGoldenBlocks, result.report.head.hash});
        EXPECT_EQ(to_string(result.report.head.hash), kGoldenHead);
        EXPECT_EQ(result.report.shown, kGoldenShown);
    }
}

}  // namespace
}  // namespace heddle::node
