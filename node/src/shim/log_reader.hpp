// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A recording, event by event over all its segments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shim/event_codec.hpp"
#include "shim/log_frames.hpp"
#include "shim/recording_folder.hpp"

namespace heddle::node {

/// Why there are no more events.
struct RecordingEnd {
    enum class Kind : std::uint8_t {
        complete,
        cut,      // in the middle of a record that nobody has finished writing
        damaged,  // what is there is not what was written, or something is missing
    };
    Kind kind = Kind::complete;
    std::string file;
    std::uint64_t offset = 0;  // in bytes
    std::string detail;        // of damage
};
/// One sentence: file, offset, what.
[[nodiscard]] std::string to_string(const RecordingEnd& end);

/// Reads ahead as far as it is asked to. Memory: one record, and the events that were looked at and
/// not taken, however many there are in a record. Thread safety: none.
class LogReader {
public:
    /// @param first  The number of the segment to begin with.
    /// Errors: why the folder cannot be read, or that it has no such segment.
    [[nodiscard]] static std::expected<LogReader, std::string> open(const std::string& folder,
                                                                    std::uint64_t first);

    /// The `ahead`-th event that has not been taken; null: there are not as many.
    [[nodiscard]] const Event* peek(std::size_t ahead = 0);
    /// Takes the next one; there is one.
    Event take();
    /// Once there are no more.
    [[nodiscard]] const std::optional<RecordingEnd>& end() const noexcept { return end_; }
    /// Parts that were being written when the recorded process ended, and that it did not go on
    /// from.
    [[nodiscard]] const std::vector<RecordingEnd>& unfinished() const noexcept {
        return unfinished_;
    }

private:
    explicit LogReader(std::vector<SegmentFile> segments) : segments_(std::move(segments)) {}
    void read_on();
    void read_frame();
    void open_segment();
    void leave_segment(const FrameEnd& ended);
    void read_event();
    void stop(RecordingEnd::Kind kind, std::uint64_t offset, std::string detail);

    std::vector<SegmentFile> segments_;
    std::size_t current_ = 0;
    std::unique_ptr<FrameReader> frames_;
    Bytes frame_;                          // the payload of the one read last
    std::size_t frame_at_ = 0;             // of its next event
    bool is_at_start_ = true;              // of the segment: the next event is a start
    std::optional<SegmentLink> expected_;  // of it; nullopt: any
    std::optional<FrameEnd> before_;       // how the segment before it ended
    EventDecoder decoder_;
    std::deque<Event> events_;
    std::optional<RecordingEnd> end_;
    std::vector<RecordingEnd> unfinished_;
};

/// How a segment begins; nullopt: its start was never finished. Errors: why it cannot be read.
[[nodiscard]] std::expected<std::optional<RecordedStart>, std::string> read_start(
    const SegmentFile& segment);
/// How the segments begin, ascending; those without a whole start are left out.
/// Errors: as LogReader::open(); a start that cannot be read is one as well.
[[nodiscard]] std::expected<std::vector<RecordedStart>, std::string> read_starts(
    const std::string& folder);

}  // namespace heddle::node
