// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Messages in a stream of bytes, as CometBFT's socket protocol has them: the length as an unsigned
// varint, then so many bytes. What the bytes mean is not its business.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>

#include <types/bytes.hpp>

namespace heddle::consensus_adapter::cometbft {

/// Takes bytes in as they come, gives messages out.
///
/// Memory: at most twice what was received and not yet given out, and one read; never what a length
/// claims. Thread safety: one caller at a time.
class FrameReader {
public:
    explicit FrameReader(std::size_t max_message_bytes) : max_message_bytes_(max_message_bytes) {}

    /// Where the next bytes are to be put; not empty. Views that next() gave are no longer valid.
    [[nodiscard]] std::span<std::uint8_t> room();
    /// So many were put there.
    void received(std::size_t count);

    /// The next message. nullopt: more bytes are needed.
    /// Errors: the stream makes no sense from here on: why.
    [[nodiscard]] std::expected<std::optional<BytesView>, std::string> next();

private:
    const std::size_t max_message_bytes_;
    Bytes buffer_;
    std::size_t begin_ = 0;  // of what was not given out
    std::size_t end_ = 0;    // of what was received
};

/// Appends the length of a message that is `size` bytes long.
void append_length(std::uint64_t size, Bytes& out);

/// Bytes that append_length() takes.
[[nodiscard]] std::size_t length_size(std::uint64_t size) noexcept;

}  // namespace heddle::consensus_adapter::cometbft
