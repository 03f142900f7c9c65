// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Snappy's framing format: a stream identifier, then chunks of at most 64 KiB, each with a
// checksum. Only whole streams in memory, as era1 and ere files have
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string_view>

#include <types/bytes.hpp>

namespace heddle::consensus_adapter {

enum class SnappyError : std::uint8_t {
    no_identifier,  // does not begin with a stream identifier
    truncated,      // ends inside a chunk
    unknown_chunk,  // a chunk type that must not be skipped
    bad_chunk,      // data that does not decompress, or above 64 KiB
    bad_checksum,
    too_large,  // more than the caller takes
};
[[nodiscard]] std::string_view to_string(SnappyError error) noexcept;

/// Replaces `out` by the decompressed stream. Memory is bounded by `max_size` and the input.
[[nodiscard]] std::expected<void, SnappyError> decompress_frames(BytesView input,
                                                                 std::size_t max_size, Bytes& out);

/// Replaces `out` by a stream that decompress_frames() makes `input` of again.
void compress_frames(BytesView input, Bytes& out);

}  // namespace heddle::consensus_adapter
