// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A recording of an earlier version runs as it was recorded: who changes what a node does, or how a
// recording is read, meets it here. One that is meant to differ gets a new recording beside the old
// one where old recordings are still to be read: HEDDLE_MAKE_RECORDING names a folder to make.
#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "program.hpp"

#include "recorded_node.hpp"

namespace heddle::node {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHead = "0xbf4e8638ad19519e2265e8bd40424622070bd30191eb7e8f83f9953089a47946";
constexpr std::uint64_t kBlocks = 12;

Genesis golden_genesis() {
    return genesis_before_amsterdam(8);
}

/// One block as validators make it: judged, with somebody's transaction that cannot be executed.
void decide(RecordedNode& node) {
    const BlockPlan plan = node.plan();
    auto proposal = node.engine().prepare(plan);
    ASSERT_TRUE(proposal.has_value());
    BlockPlan early = plan;
    early.timestamp = 1;
    Proposal refused = *proposal;
    EXPECT_FALSE(node.engine().process(early, refused).has_value());
    Transaction unexecutable = transfer(9, 1'000, 1);
    proposal->transactions.push_back(unexecutable);
    proposal->object_sets.emplace_back();
    BlockPlan roomy = plan;
    roomy.max_bytes = std::size_t{1} << 20;
    ASSERT_TRUE(node.engine().process(roomy, *proposal).has_value());
    OrderedBlock block = RecordedNode::block_of(plan, *proposal);
    ASSERT_TRUE(node.engine().finalize(block, Unexecutable::left_out).has_value());
    const auto finalized = node.engine().finalize(std::move(block), Unexecutable::left_out);
    ASSERT_TRUE(finalized.has_value());
    EXPECT_EQ(finalized->left_out.size(), 1u);
    ASSERT_TRUE(node.engine().commit().has_value());
}

/// Everything that can be in a recording: refusals, restarts, segments, decided lists, a fork.
std::string make_recording(const fs::path& folder) {
    RecordedNodeOptions options;
    options.segment_bytes = 3'000;
    std::vector<Sender> senders{{21, 1}, {22, 2}};
    std::string head;
    for (int run = 0; run < 2; ++run) {
        RecordedNode node(folder, golden_genesis(), options);
        for (std::uint64_t block = 0; block < kBlocks / 2; ++block) {
            for (Sender& sender : senders)
                sender.send(node.mempool());
            if (run == 0)
                (void)node.seal();
            else
                decide(node);
        }
        head = to_string(node.chain().head().hash);
    }
    return head;
}

TEST(GoldenRecording, runs_as_it_was_recorded) {
    const heddle::test::TemporaryFolder folder;
    if (const char* const made = std::getenv("HEDDLE_MAKE_RECORDING")) {
        const std::string head = make_recording(folder.path() / "node");
        fs::copy(folder.path() / "node" / "recording", made);
        FAIL() << "made " << made << ", whose head is " << head;
    }
    int fresh = 0;
    for (const char* const scheduler : {"", "serial", "dag", "auto"}) {
        SCOPED_TRACE(scheduler);
        RerunOptions options;
        if (*scheduler != '\0') options.scheduler = scheduler;
        const RerunResult result =
            rerun_recording(HEDDLE_GOLDEN_RECORDING, folder.path() / std::to_string(++fresh),
                            golden_genesis(), options);
        EXPECT_EQ(result.report.differences, 0u)
            << to_string(result.report.first.value_or(Difference{}));
        EXPECT_EQ(result.report.stopped, "");
        EXPECT_EQ(result.report.head.number, kBlocks);
        EXPECT_EQ(to_string(result.report.head.hash), kHead);
        EXPECT_EQ(result.end->kind, RecordingEnd::Kind::complete);
    }
}

}  // namespace
}  // namespace heddle::node
