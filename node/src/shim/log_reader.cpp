// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "shim/log_reader.hpp"

#include <utility>

#include <fmt/format.h>

#include <types/assert.hpp>
#include <types/expected.hpp>

namespace heddle::node {

std::string to_string(const RecordingEnd& end) {
    using Kind = RecordingEnd::Kind;
    switch (end.kind) {
        case Kind::complete:
            return fmt::format("{} ends at byte {}", end.file, end.offset);
        case Kind::cut:
            return fmt::format("{} ends in the middle of a record, which begins at byte {}",
                               end.file, end.offset);
        case Kind::damaged:
            break;
    }
    return fmt::format("{} is damaged at byte {}: {}", end.file, end.offset, end.detail);
}

std::expected<LogReader, std::string> LogReader::open(const std::string& folder,
                                                      std::uint64_t first) {
    HEDDLE_TRY(std::vector<SegmentFile> segments, find_segments(folder));
    std::erase_if(segments, [first](const SegmentFile& one) { return one.number < first; });
    if (segments.empty() || segments.front().number != first)
        return std::unexpected(
            fmt::format("{}: there is no {}", folder, segment_path(folder, first)));
    return LogReader(std::move(segments));
}

void LogReader::stop(RecordingEnd::Kind kind, std::uint64_t offset, std::string detail) {
    end_ = RecordingEnd{kind, segments_[current_].path, offset, std::move(detail)};
}

void LogReader::open_segment() {
    const SegmentFile& segment = segments_[current_];
    if (current_ != 0 && segment.number != segments_[current_ - 1].number + 1) {
        --current_;
        return stop(RecordingEnd::Kind::damaged, segments_[current_].bytes,
                    "the segment that follows is missing");
    }
    frames_ = std::make_unique<FrameReader>(segment.path);
    is_at_start_ = true;
}

/// The next segment says whether it goes on from here.
void LogReader::leave_segment(const FrameEnd& ended) {
    if (ended.kind == FrameEnd::Kind::unreadable)
        return stop(RecordingEnd::Kind::damaged, ended.offset, ended.detail);
    if (current_ + 1 == segments_.size()) {
        const bool is_cut = ended.kind == FrameEnd::Kind::cut;
        const bool is_complete = ended.kind == FrameEnd::Kind::complete;
        return stop(is_complete ? RecordingEnd::Kind::complete
                    : is_cut    ? RecordingEnd::Kind::cut
                                : RecordingEnd::Kind::damaged,
                    ended.offset, ended.detail);
    }
    before_ = ended;
    expected_ = {segments_[current_ + 1].number, frames_->digest()};
    ++current_;
    open_segment();
}

void LogReader::read_event() {
    FieldReader fields(BytesView{frame_}.subspan(frame_at_));
    auto event = decoder_.next(fields);
    if (!event.has_value())
        return stop(RecordingEnd::Kind::damaged, frames_->frame_offset(), std::move(event).error());
    frame_at_ = frame_.size() - fields.left().size();
    const auto* const start = std::get_if<RecordedStart>(&*event);
    if ((start != nullptr) != is_at_start_)
        return stop(RecordingEnd::Kind::damaged, frames_->frame_offset(),
                    "a start out of place, or none");
    if (start != nullptr && expected_.has_value()) {
        const std::size_t before = current_ - 1;
        const bool was_complete = before_->kind == FrameEnd::Kind::complete;
        if (start->link != *expected_) {
            current_ = before;
            return stop(RecordingEnd::Kind::damaged, before_->offset,
                        before_->kind == FrameEnd::Kind::damaged
                            ? before_->detail
                            : "the segment that follows goes on from something else");
        }
        if (!was_complete)
            unfinished_.push_back({RecordingEnd::Kind::cut, segments_[before].path, before_->offset,
                                   before_->detail});
    }
    is_at_start_ = false;
    events_.push_back(*std::move(event));
}

void LogReader::read_frame() {
    if (!frames_) {
        open_segment();
        if (end_.has_value()) return;
    }
    auto frame = frames_->next();
    if (!frame.has_value()) return leave_segment(frame.error());
    frame_ = *std::move(frame);
    frame_at_ = 0;
}

/// One event at a time: a record of few bytes may name large transactions again and again.
void LogReader::read_on() {
    if (frame_at_ != frame_.size())
        read_event();
    else
        read_frame();
}

const Event* LogReader::peek(std::size_t ahead) {
    while (events_.size() <= ahead && !end_.has_value())
        read_on();
    return ahead < events_.size() ? &events_[ahead] : nullptr;
}

Event LogReader::take() {
    HEDDLE_ASSERT(peek() != nullptr);
    Event event = std::move(events_.front());
    events_.pop_front();
    return event;
}

std::expected<std::optional<RecordedStart>, std::string> read_start(const SegmentFile& segment) {
    FrameReader frames(segment.path);
    const auto frame = frames.next();
    if (!frame.has_value()) {
        const FrameEnd& ended = frame.error();
        // Ended while the segment was being made.
        if (ended.kind == FrameEnd::Kind::cut || ended.kind == FrameEnd::Kind::complete)
            return std::nullopt;
        return std::unexpected(to_string(
            RecordingEnd{RecordingEnd::Kind::damaged, segment.path, ended.offset, ended.detail}));
    }
    FieldReader fields(*frame);
    EventDecoder decoder;
    auto event = decoder.next(fields);
    if (!event.has_value()) return std::unexpected(segment.path + ": " + event.error());
    auto* const start = std::get_if<RecordedStart>(&*event);
    if (start == nullptr) return std::unexpected(segment.path + ": begins with no start");
    return std::move(*start);
}

std::expected<std::vector<RecordedStart>, std::string> read_starts(const std::string& folder) {
    constexpr std::string_view kMaker = "`heddle node --record FOLDER` makes";
    const auto segments = find_segments(folder);
    if (!segments.has_value())
        return std::unexpected(fmt::format("{}; {} a recording", segments.error(), kMaker));
    if (segments->empty())
        return std::unexpected(
            fmt::format("{}: there is no recording here; {} one", folder, kMaker));
    std::vector<RecordedStart> starts;
    for (const SegmentFile& segment : *segments) {
        HEDDLE_TRY(std::optional<RecordedStart> start, read_start(segment));
        if (start.has_value()) starts.push_back(*std::move(start));
    }
    return starts;
}

}  // namespace heddle::node
