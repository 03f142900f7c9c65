// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "snappy_frames.hpp"

#include <algorithm>
#include <array>

#include <snappy.h>

#include <types/expected.hpp>

#include "crc32c.hpp"

namespace heddle::consensus_adapter {

namespace {

constexpr std::uint8_t kCompressedChunk = 0x00;
constexpr std::uint8_t kPlainChunk = 0x01;
constexpr std::uint8_t kFirstSkippable = 0x80;  // padding and what later versions may add
constexpr std::uint8_t kIdentifierChunk = 0xff;
constexpr std::array<std::uint8_t, 10> kIdentifier = {0xff, 0x06, 0x00, 0x00, 's',
                                                      'N',  'a',  'P',  'p',  'Y'};
constexpr std::size_t kHeaderBytes = 4;  // type, length in three bytes
constexpr std::size_t kChecksumBytes = 4;
constexpr std::size_t kMaxChunkBytes = 65'536;

std::uint32_t load_le(BytesView bytes, std::size_t count) noexcept {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < count; ++i)
        value |= std::uint32_t{bytes[i]} << (8 * i);
    return value;
}

/// Appends the data of one chunk, checksum first.
std::expected<void, SnappyError> append_chunk(BytesView chunk, bool is_compressed,
                                              std::size_t max_size, Bytes& out) {
    if (chunk.size() < kChecksumBytes) return std::unexpected(SnappyError::truncated);
    const std::uint32_t checksum = load_le(chunk, kChecksumBytes);
    const BytesView data = chunk.subspan(kChecksumBytes);
    const auto* chars = reinterpret_cast<const char*>(data.data());

    std::size_t size = data.size();
    if (is_compressed && !snappy::GetUncompressedLength(chars, data.size(), &size))
        return std::unexpected(SnappyError::bad_chunk);
    if (size > kMaxChunkBytes) return std::unexpected(SnappyError::bad_chunk);
    if (size > max_size - out.size()) return std::unexpected(SnappyError::too_large);

    const std::size_t begin = out.size();
    if (is_compressed) {
        out.resize(begin + size);
        if (!snappy::RawUncompress(chars, data.size(), reinterpret_cast<char*>(out.data() + begin)))
            return std::unexpected(SnappyError::bad_chunk);
    } else {
        out.insert(out.end(), data.begin(), data.end());
    }
    if (mask_crc(crc32c(BytesView{out}.subspan(begin))) != checksum)
        return std::unexpected(SnappyError::bad_checksum);
    return {};
}

void append_le(std::size_t value, std::size_t count, Bytes& out) {
    for (std::size_t i = 0; i < count; ++i)
        out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

/// One chunk, as it is where compressing it does not save an eighth.
void append_frame(BytesView part, Bytes& out) {
    const auto* chars = reinterpret_cast<const char*>(part.data());
    Bytes compressed(snappy::MaxCompressedLength(part.size()));
    std::size_t size = 0;
    snappy::RawCompress(chars, part.size(), reinterpret_cast<char*>(compressed.data()), &size);
    const bool is_compressed = size < part.size() - part.size() / 8;
    const BytesView data = is_compressed ? BytesView{compressed}.first(size) : part;
    out.push_back(is_compressed ? kCompressedChunk : kPlainChunk);
    append_le(kChecksumBytes + data.size(), 3, out);
    append_le(mask_crc(crc32c(part)), kChecksumBytes, out);
    out.insert(out.end(), data.begin(), data.end());
}

}  // namespace

std::string_view to_string(SnappyError error) noexcept {
    switch (error) {
        case SnappyError::no_identifier:
            return "no snappy stream identifier";
        case SnappyError::truncated:
            return "snappy stream ends inside a chunk";
        case SnappyError::unknown_chunk:
            return "snappy chunk of unknown type";
        case SnappyError::bad_chunk:
            return "snappy chunk does not decompress";
        case SnappyError::bad_checksum:
            return "snappy chunk with a wrong checksum";
        case SnappyError::too_large:
            return "decompressed data above the size limit";
    }
    return "unknown snappy error";
}

std::expected<void, SnappyError> decompress_frames(BytesView input, std::size_t max_size,
                                                   Bytes& out) {
    out.clear();
    if (input.size() < kIdentifier.size() ||
        !std::ranges::equal(input.first(kIdentifier.size()), kIdentifier))
        return std::unexpected(SnappyError::no_identifier);
    while (!input.empty()) {
        if (input.size() < kHeaderBytes) return std::unexpected(SnappyError::truncated);
        const std::uint8_t type = input.front();
        const std::size_t size = load_le(input.subspan(1), 3);
        if (size > input.size() - kHeaderBytes) return std::unexpected(SnappyError::truncated);
        const BytesView chunk = input.subspan(kHeaderBytes, size);

        if (type == kCompressedChunk || type == kPlainChunk)
            HEDDLE_CHECK(append_chunk(chunk, type == kCompressedChunk, max_size, out));
        else if (type == kIdentifierChunk &&
                 !std::ranges::equal(chunk, BytesView{kIdentifier}.subspan(4)))
            return std::unexpected(SnappyError::no_identifier);
        else if (type < kFirstSkippable)
            return std::unexpected(SnappyError::unknown_chunk);
        input = input.subspan(kHeaderBytes + size);
    }
    return {};
}

void compress_frames(BytesView input, Bytes& out) {
    out.assign(kIdentifier.begin(), kIdentifier.end());
    while (!input.empty()) {
        const BytesView part = input.first(std::min(input.size(), kMaxChunkBytes));
        append_frame(part, out);
        input = input.subspan(part.size());
    }
}

}  // namespace heddle::consensus_adapter
