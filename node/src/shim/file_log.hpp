// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A recording in files.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <string>

#include "shim/log_sink.hpp"

namespace heddle::node {

struct FileLogOptions {
    std::string folder;  // is made where there is none
    /// Of all segments together, in bytes; 0: any. Where there are more the oldest are removed,
    /// never the one that is written.
    std::uint64_t limit_bytes = 0;
};

/// Goes on in a folder that has segments: with a new one, whatever the end of the last one is.
class FileLog final : public LogSink {
public:
    /// Errors: why the folder cannot be used; a segment that is damaged is named.
    [[nodiscard]] static std::expected<std::unique_ptr<FileLog>, std::string> open(
        FileLogOptions options);
    ~FileLog() override;

    [[nodiscard]] Result begin_segment(
        const std::function<Bytes(const SegmentLink&)>& make_start) override;
    [[nodiscard]] Result append(BytesView record) override;
    void request_durable() override;
    [[nodiscard]] Result wait_durable() override;
    [[nodiscard]] std::uint64_t segment_bytes() const override;

private:
    struct Impl;
    explicit FileLog(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace heddle::node
