// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "ere_file.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <types/counted.hpp>
#include <types/expected.hpp>

#include "era_block.hpp"
#include "era_entries.hpp"

namespace heddle::consensus_adapter {
namespace {

/// Parts that a block may have, each in a stretch of the file of its own. The first two it must
/// have.
constexpr std::array kPartTypes = {EntryType::compressed_header, EntryType::compressed_body,
                                   EntryType::compressed_slim_receipts, EntryType::proof,
                                   EntryType::total_difficulty};
enum PartKind : std::uint8_t { header_part, body_part, receipts_part, proof_part, difficulty_part };

/// Where the parts of all blocks begin.
struct Index {
    std::uint64_t offset = 0;  // of the index itself
    std::uint64_t first_number = 0;
    std::size_t block_count = 0;
    std::size_t part_count = 0;  // of each block
    std::vector<std::uint64_t> part_offsets;

    [[nodiscard]] std::uint64_t at(std::size_t block, std::size_t part) const {
        return part_offsets[block * part_count + part];
    }
};

/// First number, offsets, number of parts, number of blocks, each in eight bytes.
constexpr std::size_t kWordBytes = 8;
constexpr std::size_t index_bytes(std::size_t blocks, std::size_t parts) noexcept {
    return kWordBytes * (blocks * parts + 3);
}

std::expected<Index, SourceError> read_index(EntryReader& entries) {
    const auto fails = [&](std::string reason) {
        return entries.error(EraFault::malformed_entry, std::move(reason));
    };
    // How long it is stands at its end, which is the file's.
    const std::uint64_t file_bytes = entries.file().size_bytes();
    const std::uint64_t counts_offset = file_bytes - std::min<std::uint64_t>(file_bytes, 16);
    HEDDLE_TRY(FileReader end, entries.file().duplicate());
    end.seek(counts_offset);
    HEDDLE_TRY(const BytesView counts, end.peek_exactly(2 * kWordBytes, "DynamicBlockIndex"));
    const std::uint64_t parts = load_le(counts, kWordBytes);
    const std::uint64_t blocks = load_le(counts.subspan(kWordBytes), kWordBytes);
    entries.seek(counts_offset);
    if (parts < 2 || parts > kPartTypes.size() || blocks == 0 || blocks > kMaxEraBlocks)
        return fails("no DynamicBlockIndex ends the file: is it cut off?");

    Index index;
    index.block_count = static_cast<std::size_t>(blocks);
    index.part_count = static_cast<std::size_t>(parts);
    const std::size_t size = index_bytes(index.block_count, index.part_count);
    if (kEntryHeaderBytes + size > file_bytes)
        return fails(fmt::format("DynamicBlockIndex of {} is longer than the file",
                                 counted(blocks, "block")));
    index.offset = file_bytes - kEntryHeaderBytes - size;
    entries.seek(index.offset);
    HEDDLE_TRY(const BytesView content, entries.read(EntryType::dynamic_block_index, size));
    if (content.size() != size)
        return fails("DynamicBlockIndex does not count " + counted(blocks, "block"));
    index.first_number = load_le(content, kWordBytes);
    for (std::size_t i = 1; i <= index.block_count * index.part_count; ++i) {
        // Offsets are relative to this entry, hence wrap to negative.
        const std::uint64_t offset =
            index.offset + load_le(content.subspan(kWordBytes * i), kWordBytes);
        if (offset >= index.offset) return fails("DynamicBlockIndex names what is not before it");
        index.part_offsets.push_back(offset);
    }
    return index;
}

class EreFile final : public HistoryFile {
public:
    EreFile(EntryReader tail, Index index, const ArchiveOptions& options)
        : tail_(std::move(tail)), index_(std::move(index)), options_(options) {}

    /// Finds out which parts blocks have.
    std::expected<void, SourceError> open_parts();
    std::expected<std::optional<StoredBlock>, SourceError> next(
        const GasPlausibility& plausibility) override;
    std::uint64_t offset() const noexcept override { return bytes_done_; }

private:
    using Check = std::expected<void, SourceError>;

    struct Part {
        EntryReader entries;
        std::size_t place = 0;  // among the parts of a block in the index
    };

    std::expected<StoredBlock, SourceError> read_block(const GasPlausibility& plausibility);
    Check read_receipts(const BlockHeader& header);
    Check read_difficulty(const BlockHeader& header);
    /// What lies between the last block's parts and the index.
    Check read_tail();

    EntryReader tail_;
    const Index index_;
    const ArchiveOptions options_;
    std::array<std::optional<Part>, kPartTypes.size()> parts_;
    std::size_t block_ = 0;  // that comes next
    bool is_at_end_ = false;
    std::uint64_t bytes_done_ = 0;
    EraBlock parts_of_block_;
    EraDifficulties difficulties_;
    Bytes receipts_;
};

std::expected<void, SourceError> EreFile::open_parts() {
    for (std::size_t place = 0; place < index_.part_count; ++place) {
        HEDDLE_TRY(FileReader file, tail_.file().duplicate());
        EntryReader entries{std::move(file)};
        entries.seek(index_.at(0, place));
        HEDDLE_TRY(const std::optional<EntryReader::Entry> entry, entries.peek());
        const auto* const kind =
            entry.has_value() ? std::ranges::find(kPartTypes, entry->type) : kPartTypes.end();
        if (kind == kPartTypes.end())
            return entries.error(EraFault::malformed_entry,
                                 "DynamicBlockIndex names what is no part of a block");
        auto& part = parts_[static_cast<std::size_t>(kind - kPartTypes.begin())];
        if (part.has_value())
            return entries.error(
                EraFault::malformed_entry,
                fmt::format("DynamicBlockIndex names {} of a block twice", name_of(*kind)));
        part.emplace(Part{std::move(entries), place});
    }
    for (const PartKind needed : {header_part, body_part})
        if (!parts_[needed].has_value())
            return tail_.error(
                EraFault::malformed_entry,
                fmt::format("DynamicBlockIndex names no {}", name_of(kPartTypes[needed])));
    return {};
}

std::expected<std::optional<StoredBlock>, SourceError> EreFile::next(
    const GasPlausibility& plausibility) {
    if (is_at_end_) return std::nullopt;
    if (block_ == index_.block_count) {
        HEDDLE_CHECK(read_tail());
        is_at_end_ = true;
        bytes_done_ = tail_.file().size_bytes();
        return std::nullopt;
    }
    HEDDLE_TRY(StoredBlock block, read_block(plausibility));
    return block;
}

std::expected<StoredBlock, SourceError> EreFile::read_block(const GasPlausibility& plausibility) {
    const std::uint64_t number = index_.first_number + block_;
    for (auto& part : parts_) {
        if (!part.has_value()) continue;
        part->entries.seek(index_.at(block_, part->place));
        part->entries.set_number(number);
    }
    HEDDLE_TRY(StoredBlock stored,
               parts_of_block_.read(parts_[header_part]->entries, parts_[body_part]->entries,
                                    plausibility, options_.max_block_bytes, number));
    HEDDLE_CHECK(read_receipts(stored.block.header));
    HEDDLE_CHECK(read_difficulty(stored.block.header));
    for (const auto& part : parts_)
        if (part.has_value()) bytes_done_ += part->entries.end() - part->entries.offset();
    ++block_;
    return stored;
}

EreFile::Check EreFile::read_receipts(const BlockHeader& header) {
    auto& part = parts_[receipts_part];
    if (!part.has_value() || !options_.verify_receipts) return {};
    EntryReader& entries = part->entries;
    HEDDLE_CHECK(entries.read_compressed(EntryType::compressed_slim_receipts,
                                         options_.max_receipts_bytes, receipts_));
    return check_receipts(slim_receipts_root(receipts_), header, entries);
}

EreFile::Check EreFile::read_difficulty(const BlockHeader& header) {
    auto& part = parts_[difficulty_part];
    if (!part.has_value()) return {};
    HEDDLE_CHECK(difficulties_.read(part->entries, header));
    // From the merge on blocks add nothing, and the accumulator leaves them out.
    if (!header.difficulty.is_zero()) difficulties_.count(parts_of_block_.hash());
    return {};
}

EreFile::Check EreFile::read_tail() {
    std::uint64_t offset = 0;
    for (std::size_t place = 0; place < index_.part_count; ++place)
        offset = std::max(offset, index_.at(index_.block_count - 1, place));
    // What is read first is the last part of the last block.
    for (bool is_part = true; offset != index_.offset; is_part = false) {
        tail_.seek(offset);
        HEDDLE_TRY(const std::optional<EntryReader::Entry> entry, tail_.peek());
        const bool is_whole =
            entry.has_value() && kEntryHeaderBytes + entry->size <= index_.offset - offset;
        if (!is_whole)
            return tail_.error(EraFault::malformed_entry, "reaches into DynamicBlockIndex");
        const bool is_accumulator = !is_part && entry->type == EntryType::accumulator;
        if (is_accumulator && parts_[difficulty_part].has_value())
            HEDDLE_CHECK(difficulties_.read_accumulator(tail_));
        offset += kEntryHeaderBytes + entry->size;
    }
    return {};
}

}  // namespace

std::expected<std::unique_ptr<HistoryFile>, SourceError> open_ere_file(
    const FileReader& file, const ArchiveOptions& options) {
    HEDDLE_TRY(FileReader another, file.duplicate());
    EntryReader tail{std::move(another)};
    HEDDLE_TRY(Index index, read_index(tail));
    auto opened = std::make_unique<EreFile>(std::move(tail), std::move(index), options);
    HEDDLE_CHECK(opened->open_parts());
    return opened;
}

}  // namespace heddle::consensus_adapter
