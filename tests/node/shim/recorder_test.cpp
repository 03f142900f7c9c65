// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Who adds to a recording while another thread writes it neither waits for the disk nor gets out of
// order; what is durable before a block is committed, and what a decided block is taken for.
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include <types/object.hpp>
#include <types/transaction.hpp>

#include "program.hpp"
#include "shim/file_log.hpp"
#include "shim/log_reader.hpp"
#include "shim/recorder.hpp"
#include "test_chain.hpp"

namespace heddle::node {
namespace {

namespace fs = std::filesystem;
using heddle::test::TemporaryFolder;

void admit(Recorder& recorder, const Bytes& encoded) {
    Admission admission;
    admission.encoded = encoded;
    admission.has_changed = true;
    (void)recorder.now();
    recorder.admitted(admission);
}

/// What becomes of what it is given: all of it before a wait that follows its request is durable.
class CountedLog final : public LogSink {
public:
    struct Counts {
        std::size_t written = 0;    // bytes
        std::size_t requested = 0;  // of these
        std::size_t durable = 0;    // of these
    };
    explicit CountedLog(Counts& counts) : counts_(counts) {}

    [[nodiscard]] Result begin_segment(
        const std::function<Bytes(const SegmentLink&)>& make_start) override {
        return append(make_start({}));
    }
    [[nodiscard]] Result append(BytesView record) override {
        counts_.written += record.size();
        return {};
    }
    void request_durable() override { counts_.requested = counts_.written; }
    [[nodiscard]] Result wait_durable() override {
        counts_.durable = counts_.requested;
        return {};
    }
    [[nodiscard]] std::uint64_t segment_bytes() const override { return counts_.written; }

private:
    Counts& counts_;
};

/// Does something before each record.
class WatchedLog final : public LogSink {
public:
    WatchedLog(std::unique_ptr<LogSink> log, std::function<void()> before)
        : log_(std::move(log)), before_(std::move(before)) {}

    [[nodiscard]] Result begin_segment(
        const std::function<Bytes(const SegmentLink&)>& make_start) override {
        return log_->begin_segment(make_start);
    }
    [[nodiscard]] Result append(BytesView record) override {
        before_();
        return log_->append(record);
    }
    void request_durable() override { log_->request_durable(); }
    [[nodiscard]] Result wait_durable() override { return log_->wait_durable(); }
    [[nodiscard]] std::uint64_t segment_bytes() const override { return log_->segment_bytes(); }

private:
    const std::unique_ptr<LogSink> log_;
    const std::function<void()> before_;
};

class RecorderTest : public testing::Test {
protected:
    [[nodiscard]] std::unique_ptr<Recorder> begin(std::function<void()> before) const {
        auto log = FileLog::open({.folder = folder()});
        EXPECT_TRUE(log.has_value());
        auto recorder =
            Recorder::begin(std::make_unique<WatchedLog>(*std::move(log), std::move(before)), {});
        EXPECT_TRUE(recorder.has_value());
        return *std::move(recorder);
    }
    [[nodiscard]] std::vector<Bytes> admissions() const {
        std::vector<Bytes> all;
        auto log = LogReader::open(folder(), 1);
        while (log->peek() != nullptr) {
            const Event event = log->take();
            if (const auto* const one = std::get_if<RecordedAdmission>(&event))
                all.push_back(*one->encoded);
        }
        EXPECT_EQ(log->end()->kind, RecordingEnd::Kind::complete);
        return all;
    }
    [[nodiscard]] std::string folder() const { return (folder_.path() / "log").string(); }

    TemporaryFolder folder_;
};

TEST_F(RecorderTest, who_adds_does_not_wait_for_a_write) {
    const Bytes before{1};
    const Bytes meanwhile{2};
    Recorder* recorder = nullptr;
    bool has_added = false;
    std::future<void> adding;
    std::unique_ptr<Recorder> owner = begin([&] {
        if (adding.valid()) return;
        adding = std::async(std::launch::async, [&] { admit(*recorder, meanwhile); });
        has_added = adding.wait_for(std::chrono::minutes{4}) == std::future_status::ready;
    });
    recorder = owner.get();
    admit(*recorder, before);
    recorder->reached(PoolStep::chose, {});
    recorder->after(PoolStep::chose);
    EXPECT_TRUE(has_added);
    adding.get();
    owner.reset();
    EXPECT_EQ(admissions(), (std::vector{before, meanwhile}));
}

// What is forced to the disk while a proposal is put together is all that it is made of, and its
// block is committed behind it.
TEST_F(RecorderTest, a_proposal_is_durable_before_its_block_is_committed) {
    CountedLog::Counts counts;
    auto recorder = *Recorder::begin(std::make_unique<CountedLog>(counts), {});
    const Bytes first(1'000, 1);
    const Bytes second(1'000, 2);
    admit(*recorder, first);
    recorder->reached(PoolStep::chose, {});
    recorder->after(PoolStep::chose);
    EXPECT_GT(counts.requested, first.size());
    admit(*recorder, second);  // for the next block
    EXPECT_EQ(counts.written, counts.requested);
    recorder->prepare_ends(consensus_adapter::Proposal{});
    recorder->finalize_begins({}, consensus_adapter::Unexecutable::refused);
    EXPECT_GT(counts.written, first.size() + second.size());
    recorder->finalize_ends(consensus_adapter::FinalizedBlock{});
    const std::size_t before_commit = counts.written;
    ASSERT_TRUE(recorder->commit_begins().has_value());
    EXPECT_GT(counts.written, before_commit);  // that it was decided, and the answers
    EXPECT_GT(counts.durable, first.size());

    // One that was made elsewhere is all that its block is made of.
    recorder->commit_ends(consensus_adapter::BlockId{});
    consensus_adapter::OrderedBlock given;
    given.start.access_list = Bytes(1'000, 3);
    recorder->finalize_begins(given, consensus_adapter::Unexecutable::refused);
    const std::size_t with_block = counts.written;
    EXPECT_GT(with_block, before_commit + given.start.access_list.size());
    recorder->finalize_ends(consensus_adapter::FinalizedBlock{});
    ASSERT_TRUE(recorder->commit_begins().has_value());
    EXPECT_GE(counts.durable, with_block);
}

// An engine that hands on what was prepared is believed, as far as the transactions are the same.
TEST_F(RecorderTest, a_decided_block_is_known_by_what_its_engine_may_change) {
    using Kind = ProposalSource::Kind;
    const Transaction tx = heddle::test::transfer({.from = 1});
    const Transaction other = heddle::test::transfer({.from = 2});
    const std::vector<ObjectSet> sets{ObjectSet{{{.object = {}, .mode = AccessMode::write}}}};
    const auto source_of = [&](bool keeps, const Transaction& decided, bool has_sets) {
        fs::remove_all(folder());
        auto recorder =
            *Recorder::begin(*FileLog::open({.folder = folder()}), {}, {.keeps_prepared = keeps});
        recorder->prepare_ends(
            consensus_adapter::Proposal{.transactions = {tx}, .object_sets = sets});
        consensus_adapter::OrderedBlock block;
        block.transactions = {decided};
        if (has_sets) block.object_sets = sets;
        recorder->finalize_begins(block, consensus_adapter::Unexecutable::refused);
        recorder.reset();
        auto log = LogReader::open(folder(), 1);
        while (log->peek() != nullptr) {
            const Event event = log->take();
            if (const auto* const one = std::get_if<FinalizeBegins>(&event))
                return one->source.kind;
        }
        ADD_FAILURE() << "it is not there";
        return Kind::given;
    };
    for (const bool keeps : {false, true}) {
        EXPECT_EQ(source_of(keeps, tx, true), Kind::prepared);
        EXPECT_EQ(source_of(keeps, other, true), Kind::given);
    }
    EXPECT_EQ(source_of(false, tx, false), Kind::given);
}

// Admissions come one at a time, as under the mempool's lock; some fill what is gathered, so that
// their threads write beside the one that commits.
TEST_F(RecorderTest, threads_that_write_beside_each_other_keep_the_order) {
    constexpr unsigned kThreads = 3;
    constexpr std::uint32_t kAdmissions = 60;
    constexpr std::size_t kMostBytes = 1'500'000;
    for (const unsigned seed : {1U, 2U}) {
        std::mutex pool;
        std::uint32_t next = 0;
        std::mt19937 pauses{seed};  // the writing thread's: one at a time
        std::unique_ptr<Recorder> recorder = begin([&pauses] {
            std::this_thread::sleep_for(std::chrono::microseconds{pauses() % 3'000});
        });
        std::vector<std::jthread> threads;
        for (unsigned thread = 0; thread < kThreads; ++thread)
            threads.emplace_back([&, chance = std::mt19937{seed * kThreads + thread}]() mutable {
                while (true) {
                    const std::scoped_lock lock{pool};
                    if (next == kAdmissions) return;
                    Bytes encoded(4 + chance() % kMostBytes);
                    encoded[0] = static_cast<std::uint8_t>(next++);
                    admit(*recorder, encoded);
                }
            });
        for (int block = 0; block < 10; ++block) {
            {
                const std::scoped_lock lock{pool};
                recorder->reached(PoolStep::chose, {});
            }
            recorder->after(PoolStep::chose);
            EXPECT_TRUE(recorder->commit_begins().has_value());
            recorder->commit_ends(consensus_adapter::BlockId{});
        }
        threads.clear();
        recorder.reset();
        const std::vector<Bytes> all = admissions();
        ASSERT_EQ(all.size(), kAdmissions) << "seed " << seed;
        for (std::uint32_t i = 0; i < kAdmissions; ++i)
            EXPECT_EQ(all[i].front(), i) << "seed " << seed;
        fs::remove_all(folder());
    }
}

}  // namespace
}  // namespace heddle::node
