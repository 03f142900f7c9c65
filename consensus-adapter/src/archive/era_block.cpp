// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "era_block.hpp"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <types/expected.hpp>
#include <types/ordered_root.hpp>
#include <types/receipt.hpp>
#include <types/receipt_codec.hpp>

namespace heddle::consensus_adapter {

std::expected<StoredBlock, SourceError> EraBlock::read(EntryReader& headers, EntryReader& bodies,
                                                       const GasPlausibility& plausibility,
                                                       std::size_t max_bytes,
                                                       std::optional<std::uint64_t> number) {
    HEDDLE_CHECK(headers.read_compressed(EntryType::compressed_header, kMaxHeaderBytes, header_));
    const std::uint64_t offset = headers.offset();
    HEDDLE_CHECK(bodies.read_compressed(EntryType::compressed_body, max_bytes, body_));
    HEDDLE_TRY(StoredBlock stored, decode(bodies, plausibility));
    stored.offset = offset;
    const BlockHeader& header = stored.block.header;
    if (number.has_value() && header.number != *number)
        return bodies.error(EraFault::wrong_number, fmt::format("found {}", header.number));
    return stored;
}

std::expected<StoredBlock, SourceError> EraBlock::decode(const EntryReader& bodies,
                                                         const GasPlausibility& plausibility) {
    // The block as it was on the wire: its header and the items of its body in one list.
    rlp::Reader outer{body_};
    auto items = outer.read_list();
    if (!items.has_value() || !outer.at_end())
        return bodies.error(ContentFault::malformed_block, "the body is not one list");
    block_.clear();
    const std::size_t payload_bytes = body_.size() - items->offset();
    rlp::encode_list_header(header_.size() + payload_bytes, block_);
    const std::size_t prefix_bytes = block_.size();
    block_.insert(block_.end(), header_.begin(), header_.end());
    block_.insert(block_.end(), body_.end() - static_cast<std::ptrdiff_t>(payload_bytes),
                  body_.end());

    auto decoded = plausibility.decode(block_);
    if (!decoded.has_value())
        return bodies.error(
            decoded.error().fault,
            fmt::format("{}, counted in the decompressed block, whose prefix is {} bytes",
                        decoded.error().reason, prefix_bytes));
    return StoredBlock{std::move(decoded->block), block_.size(), decoded->transaction_count, 0};
}

std::expected<void, SourceError> EraDifficulties::read(EntryReader& entries,
                                                       const BlockHeader& header) {
    HEDDLE_TRY(const BytesView content, entries.read_word(EntryType::total_difficulty));
    const Bytes big_endian(content.rbegin(), content.rend());
    const Uint256 stored = load_be(big_endian.data());
    // Of a file from the middle of history the first value has nothing to be compared with, but
    // the accumulator covers it.
    const bool is_comparable = !std::exchange(is_first_, false) || header.number == 0;
    const Uint256 computed = total_ + header.difficulty;
    if (is_comparable && stored != computed)
        return entries.error(
            EraFault::total_difficulty_mismatch,
            fmt::format("file says {}, computed {}", to_decimal(stored), to_decimal(computed)));
    total_ = stored;
    return {};
}

std::expected<void, SourceError> EraDifficulties::read_accumulator(EntryReader& entries) const {
    HEDDLE_TRY(const BytesView content, entries.read_word(EntryType::accumulator));
    entries.set_number(std::nullopt);  // what follows is about no single block
    const Hash root = accumulator_.root();
    if (!equal(content, root.view()))
        return entries.error(
            EraFault::accumulator_mismatch,
            fmt::format("file says {}, computed {}", to_hex(content), to_string(root)));
    return {};
}

rlp::Result<Hash> receipts_root(BytesView encoded) {
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

rlp::Result<Hash> slim_receipts_root(BytesView encoded) {
    rlp::Reader outer{encoded};
    HEDDLE_TRY(rlp::Reader list, outer.read_list());
    HEDDLE_CHECK(outer.expect_end());
    std::vector<Bytes> receipts;
    while (!list.at_end()) {
        HEDDLE_TRY(Receipt receipt, decode_slim_receipt(list));
        receipt.bloom = logs_bloom(receipt.logs);
        encode_receipt(receipt, receipts.emplace_back());
    }
    return ordered_root(receipts);
}

std::expected<void, SourceError> check_receipts(const rlp::Result<Hash>& root,
                                                const BlockHeader& header,
                                                const EntryReader& entries) {
    if (!root.has_value())
        return entries.error(EraFault::malformed_entry, "receipts: " + to_string(root.error()));
    if (*root != header.receipts_root)
        return entries.error(EraFault::receipts_mismatch,
                             fmt::format("root {}, header says {}", to_string(*root),
                                         to_string(header.receipts_root)));
    return {};
}

}  // namespace heddle::consensus_adapter
