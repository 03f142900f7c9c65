// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A log that is cut says where, one that was changed says where, and neither is ever read as
// something else.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forced_files.hpp"
#include "program.hpp"
#include "shim/event_codec.hpp"
#include "shim/file_log.hpp"
#include "shim/log_reader.hpp"
#include "shim/recorder.hpp"

namespace heddle::node {
namespace {

namespace fs = std::filesystem;
using heddle::test::read_text;
using heddle::test::TemporaryFolder;
using testing::HasSubstr;

using Kind = RecordingEnd::Kind;

class LogTest : public testing::Test {
protected:
    [[nodiscard]] std::string folder() const { return (folder_.path() / "log").string(); }
    [[nodiscard]] std::string file(std::uint64_t number = 1) const {
        return segment_path(folder(), number);
    }
    /// A record with so many admissions of one byte each.
    static Bytes admissions(EventEncoder& encoder, std::size_t count) {
        Bytes out;
        for (std::size_t i = 0; i < count; ++i) {
            const Bytes encoded{static_cast<std::uint8_t>(i)};
            Admission admission;
            admission.encoded = encoded;
            encoder.admission(admission, static_cast<std::int64_t>(i), out);
        }
        return out;
    }
    static void begin(FileLog& log, EventEncoder& encoder) {
        ASSERT_TRUE(log.begin_segment([&](const SegmentLink& link) {
                           RecordedStart start;
                           start.link = link;
                           Bytes out;
                           encoder.start(start, out);
                           return out;
                       })
                        .has_value());
    }
    void write(std::vector<std::size_t> records) {
        auto log = FileLog::open({.folder = folder()});
        ASSERT_TRUE(log.has_value());
        EventEncoder encoder;
        begin(**log, encoder);
        for (const std::size_t count : records)
            ASSERT_TRUE((*log)->append(admissions(encoder, count)).has_value());
    }
    struct Read {
        std::size_t events = 0;
        RecordingEnd end;
        std::size_t unfinished = 0;
    };
    [[nodiscard]] Read read() const {
        Read result;
        auto log = LogReader::open(folder(), 1);
        EXPECT_TRUE(log.has_value());
        for (; log->peek() != nullptr; ++result.events)
            (void)log->take();
        result.end = log->end().value();
        result.unfinished = log->unfinished().size();
        return result;
    }
    void overwrite(const std::string& content, std::uint64_t number = 1) const {
        std::ofstream(file(number), std::ios::binary | std::ios::trunc) << content;
    }

    TemporaryFolder folder_;
};

TEST_F(LogTest, what_is_written_is_read) {
    write({3, 0, 5});
    const Read all = read();
    EXPECT_EQ(all.events, 9u);  // with the start
    EXPECT_EQ(all.end.kind, Kind::complete);
    EXPECT_EQ(all.end.offset, read_text(file()).size());
}

/// A loss of power could take the whole recording with the name of its folder.
TEST_F(LogTest, names_of_the_file_and_of_the_folders_made_for_it_are_forced_to_the_disk) {
    heddle::test::forget_forced_files();
    const fs::path above = folder_.path() / "recordings";
    auto log = FileLog::open({.folder = (above / "log").string()});
    ASSERT_TRUE(log.has_value()) << log.error();
    EventEncoder encoder;
    begin(**log, encoder);

    EXPECT_TRUE(heddle::test::is_forced(folder_.path()));
    EXPECT_TRUE(heddle::test::is_forced(above));
    EXPECT_TRUE(heddle::test::is_forced(above / "log"));
}

// A record of few bytes may hold many events that take much memory each.
TEST_F(LogTest, events_of_a_record_are_read_when_they_are_asked_for) {
    {
        auto log = FileLog::open({.folder = folder()});
        ASSERT_TRUE(log.has_value());
        EventEncoder encoder;
        begin(**log, encoder);
        Bytes record = admissions(encoder, 2);
        record.push_back(0xff);  // no kind of event
        ASSERT_TRUE((*log)->append(record).has_value());
    }
    auto log = LogReader::open(folder(), 1);
    ASSERT_TRUE(log.has_value());
    ASSERT_NE(log->peek(2), nullptr);
    EXPECT_FALSE(log->end().has_value());
    EXPECT_EQ(log->peek(3), nullptr);
    EXPECT_EQ(log->end().value().kind, Kind::damaged);
}

TEST_F(LogTest, cut_at_any_byte_it_ends_with_the_last_whole_record) {
    write({3, 4});
    const std::string whole = read_text(file());
    std::size_t before = 0;
    std::vector<std::size_t> steps;
    for (std::size_t size = 0; size < whole.size(); ++size) {
        overwrite(whole.substr(0, size));
        const Read part = read();
        ASSERT_NE(part.end.kind, Kind::damaged) << size << ": " << to_string(part.end);
        ASSERT_GE(part.events, before) << size;
        if (part.end.kind == Kind::complete) EXPECT_EQ(part.end.offset, size);
        EXPECT_LE(part.end.offset, size);
        if (part.events != before) steps.push_back(part.events);
        before = part.events;
    }
    EXPECT_EQ(steps, (std::vector<std::size_t>{1, 4}));  // the start, the first record
}

TEST_F(LogTest, a_changed_byte_is_named_wherever_it_is) {
    write({3, 4});
    const std::string whole = read_text(file());
    for (std::size_t at = 0; at < whole.size(); ++at)
        for (const int bit : {0, 3, 7}) {
            std::string changed = whole;
            changed[at] = static_cast<char>(changed[at] ^ 1 << bit);
            overwrite(changed);
            const Read part = read();
            ASSERT_EQ(part.end.kind, Kind::damaged) << at;
            ASSERT_EQ(part.end.file, file());
            ASSERT_LE(part.end.offset, at);
            ASSERT_THAT(to_string(part.end), HasSubstr("damaged at byte"));
        }
}

TEST_F(LogTest, goes_on_in_a_new_segment_behind_what_was_left_unfinished) {
    write({2, 3});
    const std::string whole = read_text(file());
    overwrite(whole.substr(0, whole.size() - 1));
    write({5});
    const Read all = read();
    EXPECT_EQ(all.events, 1u + 2 + 1 + 5);
    EXPECT_EQ(all.end.kind, Kind::complete);
    EXPECT_EQ(all.unfinished, 1u);
}

TEST_F(LogTest, a_segment_that_was_cut_afterwards_is_named) {
    write({2, 3});
    write({1});
    overwrite(read_text(file()).substr(0, read_text(file()).size() - 1));
    const Read part = read();
    EXPECT_EQ(part.end.kind, Kind::damaged);
    EXPECT_EQ(part.end.file, file());
    EXPECT_THAT(part.end.detail, HasSubstr("goes on from something else"));
    EXPECT_EQ(part.events, 3u);
}

TEST_F(LogTest, a_missing_segment_is_named) {
    write({1});
    write({1});
    write({1});
    fs::remove(file(2));
    const Read part = read();
    EXPECT_EQ(part.end.kind, Kind::damaged);
    EXPECT_THAT(part.end.detail, HasSubstr("missing"));
    EXPECT_EQ(part.events, 2u);
}

TEST_F(LogTest, a_segment_of_another_recording_is_named) {
    write({1});
    const std::string mine = read_text(file());
    write({2});
    overwrite(mine, 2);
    EXPECT_EQ(read().end.kind, Kind::damaged);
}

TEST_F(LogTest, two_nodes_do_not_write_one_recording) {
    auto first = FileLog::open({.folder = folder()});
    auto second = FileLog::open({.folder = folder()});
    ASSERT_TRUE(first.has_value() && second.has_value());
    EventEncoder encoder;
    begin(**first, encoder);
    const auto refused = (*second)->begin_segment([](const SegmentLink&) { return Bytes{}; });
    ASSERT_FALSE(refused.has_value());
    EXPECT_THAT(refused.error(), HasSubstr("File exists"));
}

/// Fails as it is told to.
class FailingLog final : public LogSink {
public:
    FailingLog(Result appended, Result durable)
        : appended_(std::move(appended)), durable_(std::move(durable)) {}

    [[nodiscard]] Result begin_segment(
        const std::function<Bytes(const SegmentLink&)>& make_start) override {
        (void)make_start({});
        return {};
    }
    [[nodiscard]] Result append(BytesView /*record*/) override { return appended_; }
    void request_durable() override {}
    [[nodiscard]] Result wait_durable() override { return durable_; }
    [[nodiscard]] std::uint64_t segment_bytes() const override { return 0; }

private:
    const Result appended_;
    const Result durable_;
};

TEST_F(LogTest, what_cannot_be_written_or_kept_is_an_error_of_the_commit) {
    const LogSink::Result full = std::unexpected("/full: No space left on device");
    for (const bool is_written : {false, true}) {
        const LogSink::Result good;
        auto recorder = Recorder::begin(
            std::make_unique<FailingLog>(is_written ? good : full, is_written ? full : good), {});
        ASSERT_TRUE(recorder.has_value());
        const auto committed = (*recorder)->commit_begins();
        ASSERT_FALSE(committed.has_value());
        EXPECT_EQ(committed.error().code, BlockErrorCode::storage_failed);
        EXPECT_THAT(to_string(committed.error()),
                    HasSubstr("/full: No space left on device (see to its disk and start again"));
    }
}

TEST_F(LogTest, who_is_refused_for_nothing_does_not_fill_the_log) {
    auto log = FileLog::open({.folder = folder()});
    ASSERT_TRUE(log.has_value());
    {
        auto recorder = Recorder::begin(*std::move(log), {});
        ASSERT_TRUE(recorder.has_value());
        const Bytes nonsense(10'000, 0xff);
        const Admission::Refusal why{0, "malformed"};
        Admission admission;
        admission.encoded = nonsense;
        admission.why = &why;
        for (int i = 0; i < 1'000; ++i)
            (*recorder)->admitted(admission);
        admission.has_changed = true;  // what moved others counts
        (*recorder)->admitted(admission);
    }
    EXPECT_LT(fs::file_size(file()), kMostRefusedBytes + 3 * 10'000);
    auto read = LogReader::open(folder(), 1);
    std::uint64_t admissions = 0;
    std::uint64_t omitted = 0;
    while (read->peek() != nullptr) {
        const Event event = read->take();
        admissions += std::holds_alternative<RecordedAdmission>(event) ? 1 : 0;
        if (const auto* const some = std::get_if<OmittedAdmissions>(&event)) omitted += some->count;
    }
    EXPECT_EQ(admissions + omitted, 1'001u);
    EXPECT_GT(omitted, 800u);
}

}  // namespace
}  // namespace heddle::node
