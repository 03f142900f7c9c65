// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/queries/bloom_index.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "rpc/queries/block_selector.hpp"

namespace heddle::node::rpc {
namespace {

using BlockBits = BloomIndex::BlockBits;

void set(BlockBits& bits, std::uint64_t block) noexcept {
    bits[block / 64] |= std::uint64_t{1} << (block % 64);
}

void intersect(BlockBits& bits, const BlockBits& others) noexcept {
    for (std::size_t i = 0; i < bits.size(); ++i)
        bits[i] &= others[i];
}

void unite(BlockBits& bits, const BlockBits& others) noexcept {
    for (std::size_t i = 0; i < bits.size(); ++i)
        bits[i] |= others[i];
}

}  // namespace

std::shared_ptr<BloomIndex::Section> BloomIndex::section(std::uint64_t number) {
    const std::uint64_t rewinds = chain_.rewind_count();
    std::shared_ptr<Section> dropped;  // freed outside the lock
    const std::scoped_lock lock{mutex_};
    if (const auto found = sections_.find(number); found != sections_.end()) {
        order_.splice(order_.begin(), order_, found->second.place);
        if (found->second.section->rewinds != rewinds) {
            dropped = std::exchange(found->second.section, std::make_shared<Section>());
            found->second.section->rewinds = rewinds;
        }
        return found->second.section;
    }
    if (sections_.size() >= max_sections_) {
        const auto last = sections_.find(order_.back());
        dropped = std::move(last->second.section);
        sections_.erase(last);
        order_.pop_back();
    }
    order_.push_front(number);
    auto section = std::make_shared<Section>();
    section->rewinds = rewinds;
    sections_.emplace(number, Kept{section, order_.begin()});
    return section;
}

void BloomIndex::fill(Section& section, std::uint64_t number, std::uint64_t last,
                      const Call& call) const {
    const std::uint64_t first = number * kSectionBlocks;
    const std::uint64_t wanted = std::min(last - first + 1, kSectionBlocks);
    while (section.filled < wanted) {
        if (section.filled % 64 == 0) call.check_deadline();
        const std::uint64_t block = section.filled;
        // Below what a restored ledger holds there are no headers, and no logs to be found.
        if (first + block >= chain_.ledger().first_block()) {
            const auto header = take(chain_.header(first + block));
            if (!header.has_value()) return;
            const auto& bloom = header->header.logs_bloom.bytes;
            for (std::size_t at = 0; at < bloom.size(); at += 8) {
                std::uint64_t word = 0;
                std::memcpy(&word, bloom.data() + at, sizeof word);
                if (word == 0) continue;
                set(section.has_logs, block);
                // The bytes of a bloom are in big-endian order.
                word = __builtin_bswap64(word);
                const std::size_t base = 2'048 - 8 * (at + 8);
                for (; word != 0; word &= word - 1)
                    set(section.rows[base + static_cast<std::size_t>(std::countr_zero(word))],
                        block);
            }
        }
        ++section.filled;
    }
}

BloomIndex::BlockBits BloomIndex::candidates(std::uint64_t number, std::uint64_t last,
                                             const LogFilter& filter, const Call& call) {
    const std::shared_ptr<Section> kept = section(number);
    const std::scoped_lock lock{kept->mutex};
    fill(*kept, number, last, call);
    BlockBits result = kept->has_logs;
    for (const auto& clause : filter.bloom_clauses()) {
        BlockBits any{};
        for (const LogFilter::BloomBits& alternative : clause) {
            BlockBits all = kept->rows[alternative[0]];
            intersect(all, kept->rows[alternative[1]]);
            intersect(all, kept->rows[alternative[2]]);
            unite(any, all);
        }
        intersect(result, any);
    }
    return result;
}

}  // namespace heddle::node::rpc
