// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A recorded run and another one on the same inputs are the same: for every number of workers and
// scheduler, over restarts, from every segment. And where they are not, it is said where.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.hpp"
#include "shim/log_reader.hpp"

#include "recorded_node.hpp"

namespace heddle::node {
namespace {

namespace fs = std::filesystem;
using heddle::test::TemporaryFolder;
using testing::HasSubstr;

class RerunTest : public testing::Test {
protected:
    [[nodiscard]] fs::path node() const { return folder_.path() / "node"; }
    [[nodiscard]] fs::path recording() const { return node() / "recording"; }
    /// A fresh data directory.
    [[nodiscard]] fs::path fresh() { return folder_.path() / std::to_string(++fresh_); }

    /// Expects the same, up to the end.
    void expect_same(const RerunResult& result, const consensus_adapter::BlockId& head) {
        const RerunReport& report = result.report;
        EXPECT_EQ(report.differences, 0u) << to_string(report.first.value_or(Difference{}));
        EXPECT_EQ(report.stopped, "");
        EXPECT_EQ(report.head.number, head.number);
        EXPECT_EQ(report.head.hash, head.hash);
        ASSERT_TRUE(result.end.has_value());
        EXPECT_EQ(result.end->kind, RecordingEnd::Kind::complete) << to_string(*result.end);
    }
    static consensus_adapter::BlockId head_of(RecordedNode& node) {
        const ledger::StoredHeader head = node.chain().head();
        return {head.header.number, head.hash};
    }

    const Genesis genesis_ = genesis_with_contracts();
    TemporaryFolder folder_;
    int fresh_ = 0;
};

TEST_F(RerunTest, a_crowd_and_restarts_run_again_the_same_on_any_workers_and_schedulers) {
    RecordedNodeOptions options;
    options.mempool.max_transactions = 60;  // so that some make room for others
    options.mempool.max_per_sender = 24;
    options.mempool.waiting_lifetime = std::chrono::milliseconds{20};
    std::vector<Sender> senders{{1, 1}, {2, 2}, {3, 3}};
    consensus_adapter::BlockId head;
    for (int run = 0; run < 3; ++run) {
        RecordedNode recorded(node(), genesis_, options);
        const Crowd crowd(recorded.mempool(), senders);
        for (int block = 0; block < 12; ++block) {
            std::this_thread::sleep_for(std::chrono::milliseconds{2});
            (void)recorded.seal();
        }
        head = head_of(recorded);
    }
    ASSERT_EQ(head.number, 36u);
    expect_same(rerun_recording(recording(), fresh(), genesis_), head);
    for (const char* const scheduler : {"serial", "dag", "auto"})
        for (const unsigned workers : {1U, 2U, 4U, 8U}) {
            SCOPED_TRACE(std::string{scheduler} + " on " + std::to_string(workers));
            RerunOptions how;
            how.scheduler = scheduler;
            how.workers = workers;
            expect_same(rerun_recording(recording(), fresh(), genesis_, how), head);
        }
}

TEST_F(RerunTest, a_run_begins_at_every_segment_with_what_the_mempool_held) {
    RecordedNodeOptions options;
    options.segment_bytes = 6'000;
    std::vector<Sender> senders{{4, 1}, {5, 2}};
    consensus_adapter::BlockId head;
    std::vector<std::uint64_t> copied;
    {
        RecordedNode recorded(node(), genesis_, options);
        const Crowd crowd(recorded.mempool(), senders);
        for (int block = 0; block < 20; ++block) {
            std::this_thread::sleep_for(std::chrono::milliseconds{2});
            (void)recorded.seal();
        }
        head = head_of(recorded);
    }
    const auto starts = read_starts(recording().string());
    ASSERT_TRUE(starts.has_value());
    ASSERT_GE(starts->size(), 4u);
    std::size_t waiting = 0;
    for (const RecordedStart& start : *starts) {
        SCOPED_TRACE(start.link.number);
        // The state there: what a run makes of all before it.
        const fs::path datadir = fresh();
        if (start.head.number != 0) {
            RerunOptions before;
            before.stop = LogicalTime{start.head.number + 1, 0};
            const RerunResult made = rerun_recording(recording(), datadir, genesis_, before);
            ASSERT_EQ(made.report.head, start.head);
        }
        waiting += start.pool.senders.size();
        expect_same(rerun_recording(recording(), datadir, genesis_, {}, start.link.number), head);
    }
    EXPECT_GT(waiting, 0u);
}

TEST_F(RerunTest, the_oldest_segments_go_where_there_are_too_many) {
    RecordedNodeOptions options;
    options.segment_bytes = 2'000;
    options.limit_bytes = 12'000;
    std::vector<Sender> senders{{6, 1}};
    {
        RecordedNode recorded(node(), genesis_, options);
        for (int block = 0; block < 40; ++block) {
            senders[0].send(recorded.mempool());
            senders[0].send(recorded.mempool());
            (void)recorded.seal();
        }
    }
    const auto segments = find_segments(recording().string());
    ASSERT_TRUE(segments.has_value());
    EXPECT_GT(segments->front().number, 1u);
    std::uint64_t bytes = 0;
    for (const SegmentFile& segment : *segments)
        bytes += segment.bytes;
    EXPECT_LT(bytes, options.limit_bytes + 2 * options.segment_bytes);
    EXPECT_FALSE(LogReader::open(recording().string(), 1).has_value());
}

TEST_F(RerunTest, stops_where_it_is_told_to) {
    consensus_adapter::BlockId third;
    {
        RecordedNode recorded(node(), genesis_);
        for (std::uint64_t nonce = 0; nonce < 6; ++nonce) {
            Bytes encoded;
            encode_transaction(transfer(0, nonce, 1), encoded);
            ASSERT_TRUE(recorded.mempool().add(encoded, Origin::local).has_value());
            (void)recorded.seal();
            if (nonce == 2) third = head_of(recorded);
        }
    }
    RerunOptions options;
    options.stop = LogicalTime{4, 0};
    const RerunResult behind = rerun_recording(recording(), fresh(), genesis_, options);
    EXPECT_EQ(behind.report.head, third);
    EXPECT_FALSE(behind.report.ends_inside_block);

    options.stop = LogicalTime{4, 2};
    const RerunResult inside = rerun_recording(recording(), fresh(), genesis_, options);
    EXPECT_EQ(inside.report.head, third);
    EXPECT_TRUE(inside.report.ends_inside_block);
    EXPECT_EQ(inside.report.differences, 0u);
}

/// Says something else of one block than what it is.
class Liar final : public consensus_adapter::Application {
public:
    Liar(consensus_adapter::Application& inner, std::uint64_t number)
        : inner_(inner), number_(number) {}

    [[nodiscard]] consensus_adapter::Committed committed() const override {
        return inner_.committed();
    }
    [[nodiscard]] std::expected<Proposal, BlockError> prepare(const BlockPlan& plan) override {
        return inner_.prepare(plan);
    }
    [[nodiscard]] std::expected<void, consensus_adapter::ProposalError> process(
        const BlockPlan& plan, Proposal& proposal) override {
        return inner_.process(plan, proposal);
    }
    [[nodiscard]] std::expected<consensus_adapter::FinalizedBlock, BlockError> finalize(
        OrderedBlock block, Unexecutable unexecutable) override {
        auto result = inner_.finalize(std::move(block), unexecutable);
        if (result.has_value() && result->header.number == number_) ++result->receipts[1].gas_used;
        return result;
    }
    [[nodiscard]] std::expected<consensus_adapter::BlockId, BlockError> commit() override {
        return inner_.commit();
    }

private:
    consensus_adapter::Application& inner_;
    const std::uint64_t number_;
};

TEST_F(RerunTest, the_first_difference_is_named_with_block_and_transaction) {
    constexpr std::uint64_t kWrong = 3;
    {
        const auto ledger = open_test_ledger((node() / "data").string(), genesis_);
        Chain chain(*ledger, stored_chain_config(*ledger), {.blocks = ledger::kArchive});
        auto log = FileLog::open({.folder = recording().string()});
        ASSERT_TRUE(log.has_value());
        RecordedStart start;
        start.chain = ledger->chain();
        start.genesis_hash = start.head.hash = ledger->block_hash(0);
        start.head_timestamp = chain.head().header.timestamp;
        auto recorder = Recorder::begin(*std::move(log), start);
        ASSERT_TRUE(recorder.has_value());
        Mempool mempool({}, chain, **recorder);
        ChainApplication application(chain, mempool, {});
        Liar liar(application, kWrong);
        ShimmedApplication engine(liar, **recorder);
        for (std::uint64_t number = 1; number <= 5; ++number) {
            for (std::size_t from = 0; from < 3; ++from) {
                Bytes encoded;
                encode_transaction(transfer(from, number - 1, 5), encoded);
                ASSERT_TRUE(mempool.add(encoded, Origin::local).has_value());
            }
            BlockPlan plan;
            plan.timestamp = chain.head().header.timestamp + 1;
            plan.gas_limit = chain.head().header.gas_limit;
            auto proposal = engine.prepare(plan);
            ASSERT_TRUE(proposal.has_value());
            ASSERT_TRUE(engine
                            .finalize(RecordedNode::block_of(plan, *std::move(proposal)),
                                      Unexecutable::refused)
                            .has_value());
            ASSERT_TRUE(engine.commit().has_value());
        }
    }
    RerunOptions options;
    options.until_difference = true;
    const RerunResult stopped = rerun_recording(recording(), fresh(), genesis_, options);
    ASSERT_TRUE(stopped.report.first.has_value());
    EXPECT_EQ(stopped.report.first->at.height, kWrong);
    EXPECT_EQ(stopped.report.first->what, "the receipt of transaction 1");
    EXPECT_NE(stopped.report.first->recorded, stopped.report.first->found);
    EXPECT_EQ(stopped.report.head.number, kWrong - 1);

    const RerunResult whole = rerun_recording(recording(), fresh(), genesis_);
    EXPECT_EQ(whole.report.differences, 1u);
    EXPECT_EQ(whole.report.head.number, 5u);
    EXPECT_EQ(whole.report.stopped, "");
}

TEST_F(RerunTest, a_recording_of_another_state_is_refused) {
    {
        RecordedNode recorded(node(), genesis_);
    }
    Genesis other = genesis_;
    other.header.timestamp += 1;
    const RerunResult result = rerun_recording(recording(), fresh(), other);
    EXPECT_THAT(result.report.stopped, HasSubstr("goes on after block 0"));
}

TEST_F(RerunTest, a_block_made_without_recording_is_a_gap_that_is_named) {
    {
        RecordedNode recorded(node(), genesis_);
        (void)recorded.seal();
    }
    {
        RecordedNodeOptions elsewhere;
        const fs::path kept = folder_.path() / "kept";
        fs::rename(recording(), kept);
        {
            RecordedNode unrecorded(node(), genesis_, elsewhere);
            (void)unrecorded.seal();
        }
        fs::remove_all(recording());
        fs::rename(kept, recording());
    }
    {
        RecordedNode recorded(node(), genesis_);
        (void)recorded.seal();
    }
    const RerunResult result = rerun_recording(recording(), fresh(), genesis_);
    EXPECT_THAT(result.report.stopped, HasSubstr("goes on after block 2"));
    EXPECT_EQ(result.report.head.number, 1u);
}

/// A block that is executed and not committed.
void finalize_next(RecordedNode& node) {
    const BlockPlan plan = node.plan();
    auto proposal = node.engine().prepare(plan);
    ASSERT_TRUE(proposal.has_value());
    ASSERT_TRUE(
        node.engine()
            .finalize(RecordedNode::block_of(plan, *std::move(proposal)), Unexecutable::refused)
            .has_value());
}

TEST_F(RerunTest, a_block_that_the_process_did_not_live_to_commit_is_left_out) {
    std::vector<Sender> senders{{8, 1}};
    {
        RecordedNode recorded(node(), genesis_);
        senders[0].send(recorded.mempool());
        (void)recorded.seal();
        senders[0].send(recorded.mempool());
        finalize_next(recorded);
        ASSERT_TRUE(recorded.recorder().commit_begins().has_value());
    }
    consensus_adapter::BlockId head;
    {
        RecordedNode recorded(node(), genesis_);
        ASSERT_EQ(head_of(recorded).number, 1u);
        (void)recorded.seal();
        head = head_of(recorded);
    }
    const RerunResult result = rerun_recording(recording(), fresh(), genesis_);
    expect_same(result, head);
    EXPECT_EQ(result.report.blocks, 2u);
    EXPECT_EQ(result.report.taken_back, 0u) << "it was committed, and had to go again";
}

TEST_F(RerunTest, a_block_whose_commit_was_not_written_any_more_is_run_all_the_same) {
    std::vector<Sender> senders{{9, 1}};
    const fs::path file = segment_path(recording().string(), 1);
    // What is on the disk when the proposal is made, and when it is decided.
    for (const bool is_decided : {false, true}) {
        fs::remove_all(node());
        std::string without_commit;
        {
            RecordedNode recorded(node(), genesis_);
            senders[0].send(recorded.mempool());
            (void)recorded.seal();
            senders[0].send(recorded.mempool());
            const BlockPlan plan = recorded.plan();
            auto proposal = recorded.engine().prepare(plan);
            ASSERT_TRUE(proposal.has_value());
            if (!is_decided) without_commit = heddle::test::read_text(file);
            ASSERT_TRUE(recorded.engine()
                            .finalize(RecordedNode::block_of(plan, *std::move(proposal)),
                                      Unexecutable::refused)
                            .has_value());
            if (is_decided) without_commit = heddle::test::read_text(file);
            ASSERT_TRUE(recorded.engine().commit().has_value());
        }
        std::ofstream(file, std::ios::binary | std::ios::trunc) << without_commit;
        consensus_adapter::BlockId head;
        {
            RecordedNode recorded(node(), genesis_);
            ASSERT_EQ(head_of(recorded).number, 2u);
            (void)recorded.seal();
            head = head_of(recorded);
        }
        expect_same(rerun_recording(recording(), fresh(), genesis_), head);
    }
}

TEST_F(RerunTest, cut_anywhere_a_recording_runs_to_the_last_whole_block) {
    std::vector<Sender> senders{{7, 1}};
    {
        RecordedNode recorded(node(), genesis_);
        for (int block = 0; block < 3; ++block) {
            senders[0].send(recorded.mempool());
            (void)recorded.seal();
        }
    }
    const fs::path file = segment_path(recording().string(), 1);
    const std::string whole = heddle::test::read_text(file);
    std::uint64_t last = 0;
    std::size_t inside = 0;
    // Every byte is the log's own test; here the blocks are made as well.
    for (std::size_t size = whole.size() % 211; size <= whole.size(); size += 211) {
        std::ofstream(file, std::ios::binary | std::ios::trunc) << whole.substr(0, size);
        const auto starts = read_starts(recording().string());
        ASSERT_TRUE(starts.has_value());
        if (starts->empty()) continue;
        const RerunResult result = rerun_recording(recording(), fresh(), genesis_);
        EXPECT_EQ(result.report.differences, 0u);
        EXPECT_EQ(result.report.stopped, "");
        EXPECT_GE(result.report.head.number, last);
        last = result.report.head.number;
        inside += result.end->kind == RecordingEnd::Kind::cut ? 1 : 0;
    }
    EXPECT_EQ(last, 3u);
    EXPECT_GT(inside, 0u);
}

}  // namespace
}  // namespace heddle::node
