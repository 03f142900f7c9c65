// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <types/counted.hpp>
#include <types/expected.hpp>
#include <types/object_codec.hpp>

#include <consensus_adapter/sidecar.hpp>

#include "archive/crc32c.hpp"
#include "archive/file_reader.hpp"
#include "sidecar/layout.hpp"

namespace heddle::consensus_adapter {

std::expected<SidecarReader, SourceError> SidecarReader::open(const std::string& path) {
    HEDDLE_TRY(FileReader reader, FileReader::open(path));
    HEDDLE_TRY(const BytesView head, reader.peek(kSidecarHeadBytes));
    if (head.size() < kSidecarHeadBytes || !equal(head.first(kSidecarMagic.size()), kSidecarMagic))
        return reader.error(SidecarFault::not_a_sidecar,
                            head.empty() ? "the file is empty" : "starts with " + to_hex(head));
    const auto version = load_le<std::uint32_t>(head.data() + kSidecarMagic.size());
    if (version != kSidecarVersion)
        return reader.error(
            SidecarFault::unknown_version,
            fmt::format("version {}, this program reads {}", version, kSidecarVersion));
    reader.skip(kSidecarHeadBytes);
    return SidecarReader{std::move(reader)};
}

SidecarReader::SidecarReader(FileReader reader)
    : reader_(std::make_unique<FileReader>(std::move(reader))) {}
SidecarReader::SidecarReader(SidecarReader&& other) noexcept = default;
SidecarReader::~SidecarReader() = default;

std::expected<std::optional<SidecarRecord>, SourceError> SidecarReader::next() {
    HEDDLE_TRY(const BytesView first, reader_->peek(1));
    if (first.empty()) return std::nullopt;
    HEDDLE_TRY(const BytesView head, reader_->peek_exactly(kRecordHeadBytes, "head of a record"));
    SidecarRecord record;
    record.offset = reader_->offset();
    record.number = load_le<std::uint64_t>(head.data());
    std::ranges::copy(head.subspan(8, record.hash.bytes.size()), record.hash.bytes.begin());
    const auto size = load_le<std::uint32_t>(head.data() + kRecordHeadBytes - 4);
    if (size > kMaxSidecarSetsBytes)
        return reader_->error(
            FileFault::too_large,
            fmt::format("object sets of {} bytes, at most {}", size, kMaxSidecarSetsBytes));

    const std::size_t covered = kRecordHeadBytes + size;
    HEDDLE_TRY(const BytesView bytes, reader_->peek_exactly(covered + kChecksumBytes, "record"));
    const auto stored = load_le<std::uint32_t>(bytes.data() + covered);
    const std::uint32_t computed = crc32c(bytes.first(covered));
    if (stored != computed)
        return reader_->error(
            SidecarFault::malformed_sets,
            fmt::format("the record's checksum is {:08x}, but should be {:08x}", stored, computed));
    const BytesView sets = bytes.subspan(kRecordHeadBytes, size);
    record.sets.assign(sets.begin(), sets.end());
    reader_->skip(covered + kChecksumBytes);
    return record;
}

std::expected<std::vector<ObjectSet>, SourceError> SidecarReader::decode(
    const SidecarRecord& record, std::optional<std::size_t> transaction_count) const {
    const auto malformed = [this, &record](std::string reason) {
        return std::unexpected(SourceError{SidecarFault::malformed_sets, reader_->path(),
                                           record.offset, record.number, std::move(reason)});
    };
    auto sets = decode_object_sets(record.sets);
    if (!sets.has_value()) return malformed(to_string(sets.error()));
    if (transaction_count.has_value() && sets->size() != *transaction_count)
        return malformed(fmt::format("{}, but the block has {}", counted(sets->size(), "set"),
                                     counted(*transaction_count, "transaction")));
    return *std::move(sets);
}

}  // namespace heddle::consensus_adapter
