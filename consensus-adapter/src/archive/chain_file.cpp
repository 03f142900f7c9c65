// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "chain_file.hpp"

#include <utility>

#include <fmt/format.h>

#include <types/expected.hpp>

namespace heddle::consensus_adapter {

namespace {

constexpr std::uint8_t kShortList = 0xc0;
constexpr std::uint8_t kLongList = 0xf7;
/// Prefix byte and at most eight bytes of length.
constexpr std::size_t kMaxPrefixBytes = 9;

class ChainFile final : public HistoryFile {
public:
    ChainFile(FileReader reader, std::size_t max_block_bytes) noexcept
        : reader_(std::move(reader)), max_block_bytes_(max_block_bytes) {}

    std::expected<std::optional<StoredBlock>, SourceError> next(
        const GasPlausibility& plausibility) override {
        HEDDLE_TRY(const BytesView prefix, reader_.peek(kMaxPrefixBytes));
        if (prefix.empty()) return std::nullopt;
        HEDDLE_TRY(const std::size_t size, item_size(prefix));
        HEDDLE_TRY(const BytesView bytes, reader_.peek_exactly(size, "block"));

        auto decoded = plausibility.decode(bytes);
        if (!decoded.has_value())
            return reader_.error(decoded.error().fault, std::move(decoded.error().reason));
        StoredBlock stored{std::move(decoded->block), size, decoded->transaction_count,
                           reader_.offset()};
        reader_.skip(size);
        return stored;
    }

    std::uint64_t offset() const noexcept override { return reader_.offset(); }

private:
    /// Size of the list that starts with `prefix`, its prefix included.
    std::expected<std::size_t, SourceError> item_size(BytesView prefix) const {
        const std::uint8_t first = prefix.front();
        if (first < kShortList)
            return reader_.error(ContentFault::malformed_block,
                                 fmt::format("byte 0x{:02x} does not start a list", first));
        if (first <= kLongList) return std::size_t{1} + (first - kShortList);
        const std::size_t length_bytes = first - kLongList;
        if (prefix.size() < 1 + length_bytes)
            return reader_.error(FileFault::truncated, "length of a block");
        std::uint64_t length = 0;
        for (std::size_t i = 1; i <= length_bytes; ++i)
            length = length << 8 | prefix[i];
        if (length > max_block_bytes_)
            return reader_.error(FileFault::too_large, fmt::format("block of {} bytes, at most {}",
                                                                   length, max_block_bytes_));
        return 1 + length_bytes + static_cast<std::size_t>(length);
    }

    FileReader reader_;
    std::size_t max_block_bytes_;
};

}  // namespace

bool is_chain_file(BytesView bytes) noexcept {
    return !bytes.empty() && bytes.front() >= kShortList;
}

std::unique_ptr<HistoryFile> open_chain_file(FileReader reader, std::size_t max_block_bytes) {
    return std::make_unique<ChainFile>(std::move(reader), max_block_bytes);
}

}  // namespace heddle::consensus_adapter
