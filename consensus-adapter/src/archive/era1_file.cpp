// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "era1_file.hpp"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <types/expected.hpp>
#include <types/ordered_root.hpp>
#include <types/rlp.hpp>

#include "accumulator.hpp"
#include "snappy_frames.hpp"

namespace heddle::consensus_adapter {

namespace {

/// Entry types of e2store and era1.
enum class EntryType : std::uint16_t {
    version = 0x3265,
    compressed_header = 0x03,
    compressed_body = 0x04,
    compressed_receipts = 0x05,
    total_difficulty = 0x06,
    accumulator = 0x07,
    block_index = 0x3266,
};

/// Type in two bytes, length in four, two of zero.
constexpr std::size_t kEntryHeaderBytes = 8;
constexpr std::array<std::uint8_t, kEntryHeaderBytes> kVersionEntry = {0x65, 0x32, 0, 0,
                                                                       0,    0,    0, 0};
constexpr std::size_t kMaxHeaderBytes = 65'536;

std::uint64_t load_le(BytesView bytes, std::size_t count) noexcept {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count; ++i)
        value |= std::uint64_t{bytes[i]} << (8 * i);
    return value;
}

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
        case EntryType::block_index:
            return "BlockIndex";
    }
    return "unknown";
}

/// Root of the receipts stored as a list, in the form of the wire.
rlp::Result<Hash> stored_receipts_root(BytesView encoded) {
    rlp::Reader outer{encoded};
    HEDDLE_TRY(rlp::Reader list, outer.read_list());
    HEDDLE_CHECK(outer.expect_end());
    std::vector<Bytes> receipts;
    while (!list.at_end()) {
        // A typed receipt is a string that holds its canonical form, a legacy one is that form.
        const bool is_legacy = list.next_is_list();
        HEDDLE_TRY(const BytesView receipt, is_legacy ? list.read_raw() : list.read_string());
        if (receipt.empty()) return list.error(rlp::ErrorCode::wrong_size);
        receipts.emplace_back(receipt.begin(), receipt.end());
    }
    return ordered_root(receipts);
}

class Era1File final : public HistoryFile {
public:
    Era1File(FileReader reader, const ArchiveOptions& options)
        : reader_(std::move(reader)), options_(options) {}

    std::expected<std::optional<StoredBlock>, SourceError> next(
        const GasPlausibility& plausibility) override;
    std::uint64_t offset() const noexcept override { return reader_.offset(); }

private:
    using Check = std::expected<void, SourceError>;

    struct Entry {
        EntryType type{};
        std::size_t size = 0;
    };
    /// The header of the entry that comes next; nullopt at the end of the file.
    std::expected<std::optional<Entry>, SourceError> peek_entry();
    /// Content of the next entry, which must be of this type. Valid until the next read.
    std::expected<BytesView, SourceError> read_entry(EntryType type, std::size_t max_size);
    Check read_compressed(EntryType type, std::size_t max_size, Bytes& out);

    Check read_version();
    std::expected<StoredBlock, SourceError> read_block(const GasPlausibility& plausibility);
    std::expected<StoredBlock, SourceError> decode_stored_block(
        std::uint64_t offset, const GasPlausibility& plausibility);
    Check check_receipts(const BlockHeader& header);
    Check check_total_difficulty(const BlockHeader& header);
    Check read_tail();
    Check check_index();

    std::unexpected<SourceError> error(SourceErrorCode code, std::string reason) const {
        auto failure = reader_.error(code, std::move(reason));
        failure.error().offset = entry_offset_;
        failure.error().number = next_number_;
        return failure;
    }

    FileReader reader_;
    const ArchiveOptions options_;
    bool is_at_start_ = true;
    bool is_at_end_ = false;
    std::uint64_t entry_offset_ = 0;  // of the entry at hand
    std::size_t entry_bytes_ = 0;     // to be skipped before the next entry
    std::optional<std::uint64_t> next_number_;
    std::uint64_t first_number_ = 0;
    Uint256 total_difficulty_;
    Accumulator accumulator_;
    std::vector<std::uint64_t> block_offsets_;
    // Reused from block to block.
    Bytes header_;
    Bytes body_;
    Bytes receipts_;
    Bytes block_;
};

std::expected<std::optional<Era1File::Entry>, SourceError> Era1File::peek_entry() {
    reader_.skip(std::exchange(entry_bytes_, 0));
    entry_offset_ = reader_.offset();
    HEDDLE_TRY(const BytesView first, reader_.peek(1));
    if (first.empty()) return std::nullopt;
    HEDDLE_TRY(const BytesView header, reader_.peek_exactly(kEntryHeaderBytes, "entry header"));
    if (header[6] != 0 || header[7] != 0)
        return error(Era1Fault::malformed_entry, "reserved bytes are not zero");
    return Entry{static_cast<EntryType>(load_le(header, 2)),
                 static_cast<std::size_t>(load_le(header.subspan(2), 4))};
}

std::expected<BytesView, SourceError> Era1File::read_entry(EntryType type, std::size_t max_size) {
    HEDDLE_TRY(const std::optional<Entry> entry, peek_entry());
    if (!entry.has_value())
        return error(FileFault::truncated, fmt::format("{} is missing", name_of(type)));
    if (entry->type != type)
        return error(Era1Fault::malformed_entry,
                     fmt::format("entry of type 0x{:04x} in place of {}",
                                 static_cast<std::uint16_t>(entry->type), name_of(type)));
    if (entry->size > max_size)
        return error(FileFault::too_large, fmt::format("{} of {} bytes, at most {}", name_of(type),
                                                       entry->size, max_size));
    const std::size_t size = kEntryHeaderBytes + entry->size;
    HEDDLE_TRY(const BytesView bytes, reader_.peek_exactly(size, name_of(type)));
    entry_bytes_ = size;
    return bytes.subspan(kEntryHeaderBytes);
}

std::expected<void, SourceError> Era1File::read_compressed(EntryType type, std::size_t max_size,
                                                           Bytes& out) {
    HEDDLE_TRY(const BytesView compressed, read_entry(type, max_size));
    const auto result = decompress_frames(compressed, max_size, out);
    if (result.has_value()) return {};
    const SnappyError cause = result.error();
    SourceErrorCode code = Era1Fault::bad_compression;
    if (cause == SnappyError::bad_checksum) code = Era1Fault::bad_checksum;
    if (cause == SnappyError::too_large) code = FileFault::too_large;
    return error(code, fmt::format("{}: {}", name_of(type), to_string(cause)));
}

std::expected<void, SourceError> Era1File::read_version() {
    HEDDLE_TRY(const BytesView content, read_entry(EntryType::version, 0));
    static_cast<void>(content);
    return {};
}

std::expected<std::optional<StoredBlock>, SourceError> Era1File::next(
    const GasPlausibility& plausibility) {
    if (is_at_end_) return std::nullopt;
    if (std::exchange(is_at_start_, false)) HEDDLE_CHECK(read_version());
    HEDDLE_TRY(const std::optional<Entry> entry, peek_entry());
    if (!entry.has_value()) return error(FileFault::truncated, "Accumulator is missing");
    if (entry->type != EntryType::compressed_header) {
        HEDDLE_CHECK(read_tail());
        is_at_end_ = true;
        return std::nullopt;
    }
    HEDDLE_TRY(StoredBlock block, read_block(plausibility));
    return block;
}

std::expected<StoredBlock, SourceError> Era1File::read_block(const GasPlausibility& plausibility) {
    const std::uint64_t offset = reader_.offset();
    if (accumulator_.size() == kMaxEra1Blocks)
        return error(Era1Fault::malformed_entry, "more than 8192 blocks");
    HEDDLE_CHECK(read_compressed(EntryType::compressed_header, kMaxHeaderBytes, header_));
    HEDDLE_CHECK(read_compressed(EntryType::compressed_body, options_.max_block_bytes, body_));
    HEDDLE_TRY(StoredBlock stored, decode_stored_block(offset, plausibility));
    const BlockHeader& header = stored.block.header;
    if (next_number_.has_value() && header.number != *next_number_)
        return error(Era1Fault::wrong_number, fmt::format("found {}", header.number));
    if (accumulator_.size() == 0) first_number_ = header.number;
    next_number_ = header.number;

    HEDDLE_CHECK(
        read_compressed(EntryType::compressed_receipts, options_.max_receipts_bytes, receipts_));
    if (options_.verify_receipts) HEDDLE_CHECK(check_receipts(header));
    HEDDLE_CHECK(check_total_difficulty(header));

    block_offsets_.push_back(offset);
    accumulator_.add(keccak256(header_), total_difficulty_);
    next_number_ = header.number + 1;
    return stored;
}

std::expected<StoredBlock, SourceError> Era1File::decode_stored_block(
    std::uint64_t offset, const GasPlausibility& plausibility) {
    // The block as it was on the wire: its header and the items of its body in one list.
    rlp::Reader outer{body_};
    auto items = outer.read_list();
    if (!items.has_value() || !outer.at_end())
        return error(ContentFault::malformed_block, "the body is not one list");
    block_.clear();
    const std::size_t payload_bytes = body_.size() - items->offset();
    rlp::encode_list_header(header_.size() + payload_bytes, block_);
    const std::size_t prefix_bytes = block_.size();
    block_.insert(block_.end(), header_.begin(), header_.end());
    block_.insert(block_.end(), body_.end() - static_cast<std::ptrdiff_t>(payload_bytes),
                  body_.end());

    auto decoded = plausibility.decode(block_);
    if (!decoded.has_value())
        return error(decoded.error().fault,
                     fmt::format("{}, counted in the decompressed block, whose prefix is {} bytes",
                                 decoded.error().reason, prefix_bytes));
    return StoredBlock{std::move(decoded->block), block_.size(), decoded->transaction_count,
                       offset};
}

std::expected<void, SourceError> Era1File::check_receipts(const BlockHeader& header) {
    const auto root = stored_receipts_root(receipts_);
    if (!root.has_value())
        return error(Era1Fault::malformed_entry, "receipts: " + to_string(root.error()));
    if (*root != header.receipts_root)
        return error(Era1Fault::receipts_mismatch,
                     fmt::format("root {}, header says {}", to_string(*root),
                                 to_string(header.receipts_root)));
    return {};
}

std::expected<void, SourceError> Era1File::check_total_difficulty(const BlockHeader& header) {
    HEDDLE_TRY(const BytesView content, read_entry(EntryType::total_difficulty, 32));
    if (content.size() != 32)
        return error(Era1Fault::malformed_entry,
                     fmt::format("TotalDifficulty of {} bytes", content.size()));
    const Bytes big_endian(content.rbegin(), content.rend());
    const Uint256 stored = load_be(big_endian.data());
    // Of a file from the middle of history the first value has nothing to be compared with, but
    // the accumulator covers it.
    const bool is_comparable = accumulator_.size() > 0 || header.number == 0;
    const Uint256 computed = total_difficulty_ + header.difficulty;
    if (is_comparable && stored != computed)
        return error(
            Era1Fault::total_difficulty_mismatch,
            fmt::format("file says {}, computed {}", to_decimal(stored), to_decimal(computed)));
    total_difficulty_ = stored;
    return {};
}

std::expected<void, SourceError> Era1File::read_tail() {
    HEDDLE_TRY(const BytesView content, read_entry(EntryType::accumulator, 32));
    if (content.size() != 32)
        return error(Era1Fault::malformed_entry,
                     fmt::format("Accumulator of {} bytes", content.size()));
    next_number_.reset();  // what follows is about no single block
    const Hash root = accumulator_.root();
    if (!equal(content, root.view()))
        return error(Era1Fault::accumulator_mismatch,
                     fmt::format("file says {}, computed {}", to_hex(content), to_string(root)));
    HEDDLE_CHECK(check_index());
    HEDDLE_TRY(const std::optional<Entry> more, peek_entry());
    if (more.has_value()) return error(Era1Fault::malformed_entry, "more after BlockIndex");
    return {};
}

std::expected<void, SourceError> Era1File::check_index() {
    const std::size_t count = block_offsets_.size();
    const std::size_t expected_size = 8 * (count + 2);
    HEDDLE_TRY(const BytesView content, read_entry(EntryType::block_index, expected_size));
    if (content.size() != expected_size || load_le(content.last(8), 8) != count)
        return error(Era1Fault::malformed_entry,
                     fmt::format("BlockIndex does not count {} blocks", count));
    if (load_le(content, 8) != first_number_)
        return error(Era1Fault::malformed_entry,
                     fmt::format("BlockIndex does not start at block {}", first_number_));
    for (std::size_t i = 0; i < count; ++i)
        // Offsets are relative to this entry, hence wrap to negative.
        if (entry_offset_ + load_le(content.subspan(8 * (i + 1)), 8) != block_offsets_[i])
            return error(Era1Fault::malformed_entry,
                         fmt::format("BlockIndex is wrong of its block {}", i));
    return {};
}

}  // namespace

bool is_era1_file(BytesView bytes) noexcept {
    return bytes.size() >= kVersionEntry.size() &&
           equal(bytes.first(kVersionEntry.size()), kVersionEntry);
}

std::unique_ptr<HistoryFile> open_era1_file(FileReader reader, const ArchiveOptions& options) {
    return std::make_unique<Era1File>(std::move(reader), options);
}

}  // namespace heddle::consensus_adapter
