// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include <types/expected.hpp>
#include <types/object_codec.hpp>

#include <consensus_adapter/sidecar.hpp>

#include "archive/crc32c.hpp"
#include "archive/file_writer.hpp"
#include "sidecar/layout.hpp"

namespace heddle::consensus_adapter {

namespace {

std::size_t count_accesses(std::span<const ObjectSet> sets) noexcept {
    std::size_t count = 0;
    for (const ObjectSet& set : sets)
        count += set.accesses().size();
    return count;
}

}  // namespace

std::expected<SidecarWriter, SourceError> SidecarWriter::create(std::string path) {
    HEDDLE_TRY(FileWriter file, FileWriter::create(std::move(path)));
    Bytes head(kSidecarMagic.begin(), kSidecarMagic.end());
    append_le(kSidecarVersion, head);
    HEDDLE_CHECK(file.append(head));
    return SidecarWriter{std::make_unique<FileWriter>(std::move(file))};
}

SidecarWriter::SidecarWriter(std::unique_ptr<FileWriter> file) : file_(std::move(file)) {}
SidecarWriter::SidecarWriter(SidecarWriter&& other) noexcept = default;
SidecarWriter::~SidecarWriter() = default;

std::uint64_t SidecarWriter::size_bytes() const noexcept {
    return file_->size_bytes();
}

std::expected<void, SourceError> SidecarWriter::append(std::uint64_t number, const Hash& hash,
                                                       std::span<const ObjectSet> sets) {
    if (count_accesses(sets) > kMaxAccessesPerBlock) return {};
    Bytes encoded;
    encode_object_sets(sets, encoded);
    if (encoded.size() > kMaxSidecarSetsBytes) return {};

    Bytes record;
    append_le(number, record);
    record.insert(record.end(), hash.bytes.begin(), hash.bytes.end());
    append_le(static_cast<std::uint32_t>(encoded.size()), record);
    record.insert(record.end(), encoded.begin(), encoded.end());
    append_le(crc32c(record), record);
    ++block_count_;
    return file_->append(record);
}

std::expected<void, SourceError> SidecarWriter::finish() {
    return file_->finish();
}

}  // namespace heddle::consensus_adapter
