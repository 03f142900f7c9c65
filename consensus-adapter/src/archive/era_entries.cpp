// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "era_entries.hpp"

#include <fmt/format.h>

#include <types/counted.hpp>
#include <types/expected.hpp>

#include "snappy_frames.hpp"

namespace heddle::consensus_adapter {

std::string_view name_of(EntryType type) noexcept {
    switch (type) {
        case EntryType::version:
            return "Version";
        case EntryType::compressed_header:
            return "CompressedHeader";
        case EntryType::compressed_body:
            return "CompressedBody";
        case EntryType::compressed_receipts:
            return "CompressedReceipts";
        case EntryType::total_difficulty:
            return "TotalDifficulty";
        case EntryType::accumulator:
            return "Accumulator";
        case EntryType::compressed_slim_receipts:
            return "CompressedSlimReceipts";
        case EntryType::proof:
            return "Proof";
        case EntryType::block_index:
            return "BlockIndex";
        case EntryType::dynamic_block_index:
            return "DynamicBlockIndex";
    }
    return "unknown";
}

std::uint64_t load_le(BytesView bytes, std::size_t count) noexcept {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count; ++i)
        value |= std::uint64_t{bytes[i]} << (8 * i);
    return value;
}

std::expected<std::optional<EntryReader::Entry>, SourceError> EntryReader::peek() {
    file_.skip(std::exchange(unread_, 0));
    offset_ = file_.offset();
    HEDDLE_TRY(const BytesView first, file_.peek(1));
    if (first.empty()) return std::nullopt;
    HEDDLE_TRY(const BytesView header, file_.peek_exactly(kEntryHeaderBytes, "entry header"));
    if (header[6] != 0 || header[7] != 0)
        return error(EraFault::malformed_entry, "reserved bytes are not zero");
    return Entry{static_cast<EntryType>(load_le(header, 2)),
                 static_cast<std::size_t>(load_le(header.subspan(2), 4))};
}

std::expected<BytesView, SourceError> EntryReader::read(EntryType type, std::size_t max_size) {
    HEDDLE_TRY(const std::optional<Entry> entry, peek());
    if (!entry.has_value())
        return error(FileFault::truncated, fmt::format("{} is missing", name_of(type)));
    if (entry->type != type)
        return error(EraFault::malformed_entry,
                     fmt::format("entry of type 0x{:04x} in place of {}",
                                 static_cast<std::uint16_t>(entry->type), name_of(type)));
    if (entry->size > max_size)
        return error(FileFault::too_large, fmt::format("{} of {} bytes, at most {}", name_of(type),
                                                       entry->size, max_size));
    const std::size_t size = kEntryHeaderBytes + entry->size;
    HEDDLE_TRY(const BytesView bytes, file_.peek_exactly(size, name_of(type)));
    unread_ = size;
    return bytes.subspan(kEntryHeaderBytes);
}

std::expected<BytesView, SourceError> EntryReader::read_word(EntryType type) {
    HEDDLE_TRY(const BytesView content, read(type, 32));
    if (content.size() != 32)
        return error(EraFault::malformed_entry,
                     fmt::format("{} of {}", name_of(type), counted(content.size(), "byte")));
    return content;
}

std::expected<void, SourceError> EntryReader::read_compressed(EntryType type, std::size_t max_size,
                                                              Bytes& out) {
    HEDDLE_TRY(const BytesView compressed, read(type, max_size));
    const auto result = decompress_frames(compressed, max_size, out);
    if (result.has_value()) return {};
    const SnappyError cause = result.error();
    SourceErrorCode code = EraFault::bad_compression;
    if (cause == SnappyError::bad_checksum) code = EraFault::bad_checksum;
    if (cause == SnappyError::too_large) code = FileFault::too_large;
    return error(code, fmt::format("{}: {}", name_of(type), to_string(cause)));
}

void EntryReader::seek(std::uint64_t offset) noexcept {
    unread_ = 0;
    file_.seek(offset);
    offset_ = offset;
}

std::unexpected<SourceError> EntryReader::error(SourceErrorCode code, std::string reason) const {
    auto failure = file_.error(code, std::move(reason));
    failure.error().offset = offset_;
    failure.error().number = number_;
    return failure;
}

}  // namespace heddle::consensus_adapter
