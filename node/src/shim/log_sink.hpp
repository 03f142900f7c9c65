// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Where what is recorded goes: files. Whoever writes a recording does not know what keeps it, and
// tests have sinks of their own.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <string>

#include <types/bytes.hpp>

#include "shim/digest.hpp"

namespace heddle::node {

/// How a segment is tied to the one before it.
struct SegmentLink {
    std::uint64_t number = 1;
    Digest previous;  // of the last record before it; zero: there is none
    friend bool operator==(const SegmentLink&, const SegmentLink&) = default;
};

/// Errors are sentences, and are final: whoever gets one cannot go on.
/// Thread safety: one caller at a time for begin_segment(), append() and request_durable();
/// wait_durable() beside them.
class LogSink {
public:
    using Result = std::expected<void, std::string>;

    virtual ~LogSink() = default;
    /// What is appended from now on can be read without what came before. Drops the oldest segments
    /// where there are too many.
    /// @param make_start  Gives the first record.
    [[nodiscard]] virtual Result begin_segment(
        const std::function<Bytes(const SegmentLink&)>& make_start) = 0;
    /// One record. When it returns, the end of the process cannot take it back.
    [[nodiscard]] virtual Result append(BytesView record) = 0;
    /// Everything appended so far is to become durable soon. Never waits.
    virtual void request_durable() = 0;
    /// Waits until a loss of power cannot take back what was appended before the last
    /// request_durable().
    [[nodiscard]] virtual Result wait_durable() = 0;
    /// Of the segment.
    [[nodiscard]] virtual std::uint64_t segment_bytes() const = 0;
};

}  // namespace heddle::node
