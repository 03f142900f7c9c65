// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <consensus_adapter/ere_writer.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include <types/assert.hpp>
#include <types/receipt_codec.hpp>
#include <types/rlp.hpp>

#include "accumulator.hpp"
#include "era_entries.hpp"
#include "snappy_frames.hpp"

namespace heddle::consensus_adapter {
namespace {

static_assert(kEreBlocks == kMaxEraBlocks);

void append_le(std::uint64_t value, std::size_t count, Bytes& out) {
    for (std::size_t i = 0; i < count; ++i)
        out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

}  // namespace

class EreWriter::Impl {
public:
    explicit Impl(Sink sink) : sink_(std::move(sink)) { add_entry(EntryType::version, {}); }

    void add_header(const BlockHeader& header) {
        HEDDLE_ASSERT(headers_.size() < kEreBlocks && bodies_.empty());
        if (headers_.empty()) first_number_ = header.number;
        HEDDLE_ASSERT(header.number == first_number_ + headers_.size());
        plain_.clear();
        encode_header(header, plain_);
        const bool is_mined = !header.difficulty.is_zero();
        has_difficulties_ |= is_mined;
        mined_.push_back(is_mined ? std::optional{keccak256(plain_)} : std::nullopt);
        add_part(EntryType::compressed_header, headers_);
    }
    void add_body(const Block& block) {
        HEDDLE_ASSERT(bodies_.size() < headers_.size() && receipts_.empty());
        plain_.clear();
        encode_body(block, plain_);
        rlp::wrap_list(0, plain_);
        add_part(EntryType::compressed_body, bodies_);
    }
    void add_receipts(std::span<const Receipt> receipts) {
        HEDDLE_ASSERT(receipts_.size() < bodies_.size() && bodies_.size() == headers_.size());
        plain_.clear();
        for (const Receipt& receipt : receipts)
            encode_slim_receipt(receipt, plain_);
        rlp::wrap_list(0, plain_);
        add_part(EntryType::compressed_slim_receipts, receipts_);
    }
    bool has_difficulties() const noexcept { return has_difficulties_; }
    void add_total_difficulty(const Uint256& total) {
        HEDDLE_ASSERT(receipts_.size() == headers_.size());
        if (const auto& hash = mined_[difficulties_.size()]) accumulator_.add(*hash, total);
        difficulties_.push_back(size_);
        std::array<std::uint8_t, 32> content{};
        store_be(total, content.data());
        std::ranges::reverse(content);
        add_entry(EntryType::total_difficulty, content);
    }
    void finish() {
        HEDDLE_ASSERT(receipts_.size() == headers_.size());
        if (has_difficulties()) {
            HEDDLE_ASSERT(difficulties_.size() == headers_.size());
            add_entry(EntryType::accumulator, accumulator_.root().view());
        }
        add_index();
    }

private:
    using Offsets = std::vector<std::uint64_t>;

    /// What is in `plain_`.
    void add_part(EntryType type, Offsets& offsets) {
        offsets.push_back(size_);
        compress_frames(plain_, compressed_);
        add_entry(type, compressed_);
    }
    void add_entry(EntryType type, BytesView content) {
        entry_.clear();
        append_le(static_cast<std::uint16_t>(type), 2, entry_);
        append_le(content.size(), 4, entry_);
        append_le(0, 2, entry_);
        entry_.insert(entry_.end(), content.begin(), content.end());
        sink_(entry_);
        size_ += entry_.size();
    }
    /// Offsets are relative to the index itself, hence wrap to negative.
    void add_index() {
        Bytes index;
        append_le(first_number_, 8, index);
        for (std::size_t i = 0; i < headers_.size(); ++i) {
            for (const Offsets* part : {&headers_, &bodies_, &receipts_})
                append_le((*part)[i] - size_, 8, index);
            if (has_difficulties()) append_le(difficulties_[i] - size_, 8, index);
        }
        append_le(has_difficulties() ? 4 : 3, 8, index);
        append_le(headers_.size(), 8, index);
        add_entry(EntryType::dynamic_block_index, index);
    }

    const Sink sink_;
    std::uint64_t size_ = 0;  // of the file so far, in bytes
    std::uint64_t first_number_ = 0;
    Offsets headers_;
    Offsets bodies_;
    Offsets receipts_;
    Offsets difficulties_;
    std::vector<std::optional<Hash>> mined_;  // hash of each block that has a difficulty
    bool has_difficulties_ = false;
    Accumulator accumulator_;
    // Reused.
    Bytes plain_;
    Bytes compressed_;
    Bytes entry_;
};

EreWriter::EreWriter(Sink sink) : impl_(std::make_unique<Impl>(std::move(sink))) {}

EreWriter::~EreWriter() = default;

void EreWriter::add_header(const BlockHeader& header) {
    impl_->add_header(header);
}

void EreWriter::add_body(const Block& block) {
    impl_->add_body(block);
}

void EreWriter::add_receipts(std::span<const Receipt> receipts) {
    impl_->add_receipts(receipts);
}

bool EreWriter::has_difficulties() const noexcept {
    return impl_->has_difficulties();
}

void EreWriter::add_total_difficulty(const Uint256& total_difficulty) {
    impl_->add_total_difficulty(total_difficulty);
}

void EreWriter::finish() {
    impl_->finish();
}

}  // namespace heddle::consensus_adapter
