// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "era1_file.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include <types/counted.hpp>
#include <types/expected.hpp>

#include "era_block.hpp"
#include "era_entries.hpp"

namespace heddle::consensus_adapter {
namespace {

class Era1File final : public HistoryFile {
public:
    Era1File(FileReader file, const ArchiveOptions& options)
        : entries_(std::move(file)), options_(options) {}

    std::expected<std::optional<StoredBlock>, SourceError> next(
        const GasPlausibility& plausibility) override;
    std::uint64_t offset() const noexcept override { return entries_.end(); }

private:
    using Check = std::expected<void, SourceError>;

    std::expected<StoredBlock, SourceError> read_block(const GasPlausibility& plausibility);
    Check read_receipts(const BlockHeader& header);
    Check read_tail();
    Check check_index();

    EntryReader entries_;
    const ArchiveOptions options_;
    bool is_at_start_ = true;
    bool is_at_end_ = false;
    std::optional<std::uint64_t> next_number_;
    std::uint64_t first_number_ = 0;
    std::vector<std::uint64_t> block_offsets_;
    EraBlock block_;
    EraDifficulties difficulties_;
    Bytes receipts_;
};

std::expected<std::optional<StoredBlock>, SourceError> Era1File::next(
    const GasPlausibility& plausibility) {
    if (is_at_end_) return std::nullopt;
    if (std::exchange(is_at_start_, false)) HEDDLE_CHECK(entries_.read(EntryType::version, 0));
    HEDDLE_TRY(const std::optional<EntryReader::Entry> entry, entries_.peek());
    if (!entry.has_value()) return entries_.error(FileFault::truncated, "Accumulator is missing");
    if (entry->type != EntryType::compressed_header) {
        HEDDLE_CHECK(read_tail());
        is_at_end_ = true;
        return std::nullopt;
    }
    HEDDLE_TRY(StoredBlock block, read_block(plausibility));
    return block;
}

std::expected<StoredBlock, SourceError> Era1File::read_block(const GasPlausibility& plausibility) {
    if (block_offsets_.size() == kMaxEraBlocks)
        return entries_.error(EraFault::malformed_entry, "more than 8192 blocks");
    HEDDLE_TRY(StoredBlock stored, block_.read(entries_, entries_, plausibility,
                                               options_.max_block_bytes, next_number_));
    const BlockHeader& header = stored.block.header;
    if (block_offsets_.empty()) first_number_ = header.number;
    entries_.set_number(header.number);
    HEDDLE_CHECK(read_receipts(header));
    HEDDLE_CHECK(difficulties_.read(entries_, header));

    difficulties_.count(block_.hash());
    block_offsets_.push_back(stored.offset);
    next_number_ = header.number + 1;
    entries_.set_number(next_number_);
    return stored;
}

Era1File::Check Era1File::read_receipts(const BlockHeader& header) {
    HEDDLE_CHECK(entries_.read_compressed(EntryType::compressed_receipts,
                                          options_.max_receipts_bytes, receipts_));
    if (!options_.verify_receipts) return {};
    return check_receipts(receipts_root(receipts_), header, entries_);
}

Era1File::Check Era1File::read_tail() {
    HEDDLE_CHECK(difficulties_.read_accumulator(entries_));
    HEDDLE_CHECK(check_index());
    HEDDLE_TRY(const std::optional<EntryReader::Entry> more, entries_.peek());
    if (more.has_value()) return entries_.error(EraFault::malformed_entry, "more after BlockIndex");
    return {};
}

Era1File::Check Era1File::check_index() {
    const std::size_t count = block_offsets_.size();
    const std::size_t expected_size = 8 * (count + 2);
    HEDDLE_TRY(const BytesView content, entries_.read(EntryType::block_index, expected_size));
    if (content.size() != expected_size || load_le(content.last(8), 8) != count)
        return entries_.error(EraFault::malformed_entry,
                              "BlockIndex does not count " + counted(count, "block"));
    if (load_le(content, 8) != first_number_)
        return entries_.error(EraFault::malformed_entry,
                              fmt::format("BlockIndex does not start at block {}", first_number_));
    for (std::size_t i = 0; i < count; ++i)
        // Offsets are relative to this entry, hence wrap to negative.
        if (entries_.offset() + load_le(content.subspan(8 * (i + 1)), 8) != block_offsets_[i])
            return entries_.error(EraFault::malformed_entry,
                                  fmt::format("BlockIndex is wrong of its block {}", i));
    return {};
}

}  // namespace

std::unique_ptr<HistoryFile> open_era1_file(FileReader file, const ArchiveOptions& options) {
    return std::make_unique<Era1File>(std::move(file), options);
}

}  // namespace heddle::consensus_adapter
