// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "cometbft/framing.hpp"

#include <algorithm>

#include <types/assert.hpp>

namespace heddle::consensus_adapter::cometbft {
namespace {

constexpr std::size_t kReadBytes = std::size_t{64} << 10;
/// What a connection keeps between messages.
constexpr std::size_t kKeptBytes = std::size_t{1} << 20;
/// A varint of 64 bits has ten bytes at most.
constexpr std::size_t kMaxLengthBytes = 10;

}  // namespace

std::span<std::uint8_t> FrameReader::room() {
    if (begin_ == end_) {
        begin_ = end_ = 0;
        if (buffer_.size() > kKeptBytes) Bytes{}.swap(buffer_);
    }
    if (buffer_.size() - end_ < kReadBytes) {
        // Moved only where that at least halves what is held, so that no byte is moved often.
        if (begin_ >= end_ - begin_) {
            std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
                      buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
            end_ -= begin_;
            begin_ = 0;
        }
        if (buffer_.size() - end_ < kReadBytes) buffer_.resize(2 * end_ + kReadBytes);
    }
    return std::span{buffer_}.subspan(end_);
}

void FrameReader::received(std::size_t count) {
    HEDDLE_ASSERT(count <= buffer_.size() - end_);
    end_ += count;
}

std::expected<std::optional<BytesView>, std::string> FrameReader::next() {
    const BytesView held = BytesView{buffer_}.subspan(begin_, end_ - begin_);
    std::uint64_t length = 0;
    for (std::size_t i = 0; i < held.size(); ++i) {
        if (i == kMaxLengthBytes || (i == kMaxLengthBytes - 1 && held[i] > 1))
            return std::unexpected("the length of a message does not end within 64 bits");
        length |= std::uint64_t{held[i] & 0x7fu} << (7 * i);
        if ((held[i] & 0x80) != 0) continue;
        if (length > max_message_bytes_)
            return std::unexpected("a message of " + std::to_string(length) +
                                   " bytes; the most is " + std::to_string(max_message_bytes_));
        const std::size_t head = i + 1;
        if (held.size() - head < length) return std::nullopt;
        begin_ += head + static_cast<std::size_t>(length);
        return held.subspan(head, static_cast<std::size_t>(length));
    }
    return std::nullopt;
}

void append_length(std::uint64_t size, Bytes& out) {
    while (size >= 0x80) {
        out.push_back(static_cast<std::uint8_t>(size | 0x80));
        size >>= 7;
    }
    out.push_back(static_cast<std::uint8_t>(size));
}

std::size_t length_size(std::uint64_t size) noexcept {
    std::size_t bytes = 1;
    for (; size >= 0x80; size >>= 7)
        ++bytes;
    return bytes;
}

}  // namespace heddle::consensus_adapter::cometbft
