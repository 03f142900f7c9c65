// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The blooms of past headers, turned so that a question about many blocks looks at a few rows of
// bits. Kept in memory for the sections asked about last; nothing of it is on disk.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "chain/chain.hpp"
#include "rpc/envelope/method.hpp"
#include "rpc/queries/log_filter.hpp"

namespace heddle::node::rpc {

/// Thread safety: any. Memory: 256 bytes for each block of the sections that are kept.
class BloomIndex {
public:
    static constexpr std::uint64_t kSectionBlocks = 1'024;
    /// A bit for each block of a section, the first one lowest.
    using BlockBits = std::array<std::uint64_t, kSectionBlocks / 64>;

    /// @param max_sections  Kept at once, but for those in use; at least 1.
    /// What a section takes: a bit of each block for each bit of a bloom.
    static constexpr std::size_t kSectionBytes = 2'048 * kSectionBlocks / 8;

    BloomIndex(const Chain& chain, std::size_t max_sections)
        : chain_(chain), max_sections_(max_sections) {}

    /// Blocks of a section, up to block `last`, that may have logs of this filter. Reads the
    /// headers of a section the first time. Errors: RpcError timed_out, internal_error.
    /// @param last  Not above the head.
    [[nodiscard]] BlockBits candidates(std::uint64_t section, std::uint64_t last,
                                       const LogFilter& filter, const Call& call);

    /// Of the sections that are kept.
    [[nodiscard]] std::size_t kept_bytes() const {
        const std::scoped_lock lock{mutex_};
        return sections_.size() * kSectionBytes;
    }

private:
    struct Section {
        std::mutex mutex;  // guards what follows
        std::uint64_t filled = 0;
        std::uint64_t rewinds = 0;            // Chain::rewind_count() when it was made; set once
        std::array<BlockBits, 2'048> rows{};  // of each bit of the blooms
        BlockBits has_logs{};                 // any bit set
    };
    using Order = std::list<std::uint64_t>;
    struct Kept {
        std::shared_ptr<Section> section;  // with those who are looking at it
        Order::iterator place;
    };

    [[nodiscard]] std::shared_ptr<Section> section(std::uint64_t number);
    void fill(Section& section, std::uint64_t number, std::uint64_t last, const Call& call) const;

    const Chain& chain_;
    const std::size_t max_sections_;
    mutable std::mutex mutex_;  // guards what follows
    Order order_;               // the section used last first
    std::unordered_map<std::uint64_t, Kept> sections_;
};

}  // namespace heddle::node::rpc
