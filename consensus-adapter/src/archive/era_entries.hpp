// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The entries of era1 and ere files (e2store): type in two bytes, length in four, two of zero, then
// the content. Of a block they hold header, body and receipts, compressed and each by itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <types/bytes.hpp>

#include <consensus_adapter/block_source.hpp>

#include "file_reader.hpp"

namespace heddle::consensus_adapter {

enum class EntryType : std::uint16_t {
    version = 0x3265,
    compressed_header = 0x03,
    compressed_body = 0x04,
    compressed_receipts = 0x05,
    total_difficulty = 0x06,
    accumulator = 0x07,
    compressed_slim_receipts = 0x0a,
    proof = 0x0b,
    block_index = 0x3266,
    dynamic_block_index = 0x3267,
};
[[nodiscard]] std::string_view name_of(EntryType type) noexcept;

inline constexpr std::size_t kEntryHeaderBytes = 8;
/// Most bytes of a block's header.
inline constexpr std::size_t kMaxHeaderBytes = 65'536;

/// A number of `count` bytes, at most eight, the lowest first.
[[nodiscard]] std::uint64_t load_le(BytesView bytes, std::size_t count) noexcept;

/// One entry after the other, from wherever the reader stands.
/// Thread safety: none.
class EntryReader {
public:
    explicit EntryReader(FileReader file) noexcept : file_(std::move(file)) {}

    struct Entry {
        EntryType type{};
        std::size_t size = 0;  // of its content, in bytes
    };
    /// The header of the entry that comes next; nullopt at the end of the file.
    /// Errors: read_failed, truncated, malformed_entry.
    [[nodiscard]] std::expected<std::optional<Entry>, SourceError> peek();
    /// Content of the next entry, which must be of this type. Valid until the next call.
    /// Errors: those of peek(); too_large above `max_size`.
    [[nodiscard]] std::expected<BytesView, SourceError> read(EntryType type, std::size_t max_size);
    /// The same of 32 bytes.
    [[nodiscard]] std::expected<BytesView, SourceError> read_word(EntryType type);
    /// The same, decompressed into `out`.
    /// Errors: those of read(); bad_compression, bad_checksum.
    [[nodiscard]] std::expected<void, SourceError> read_compressed(EntryType type,
                                                                   std::size_t max_size,
                                                                   Bytes& out);
    /// Goes on there.
    void seek(std::uint64_t offset) noexcept;

    /// Where the entry at hand begins.
    [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }
    /// Where the one behind it begins.
    [[nodiscard]] std::uint64_t end() const noexcept { return file_.offset() + unread_; }
    [[nodiscard]] const FileReader& file() const noexcept { return file_; }

    /// Errors are about this block from here on.
    void set_number(std::optional<std::uint64_t> number) noexcept { number_ = number; }
    /// An error at the entry at hand.
    [[nodiscard]] std::unexpected<SourceError> error(SourceErrorCode code,
                                                     std::string reason) const;

private:
    FileReader file_;
    std::uint64_t offset_ = 0;
    std::size_t unread_ = 0;  // bytes of the entry at hand, which the next call passes over
    std::optional<std::uint64_t> number_;
};

}  // namespace heddle::consensus_adapter
