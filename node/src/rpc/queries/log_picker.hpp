// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Which logs of one block each of many filters wants. The first few filters are held against every
// log. From then on there is an index, with which a filter costs what it names and a sixty-fourth
// of the logs: thousands of filters on a block of tens of thousands of logs take milliseconds.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "rpc/queries/log_filter.hpp"
#include "rpc/queries/log_search.hpp"

namespace heddle::node::rpc {

/// Thread safety: one thread at a time.
class LogPicker {
public:
    /// @param logs  Not null.
    explicit LogPicker(SharedBlockLogs logs);

    /// Which entries of the block's match, ascending; until the next call.
    /// Complexity: of filters beyond the first kPlain, a step for each address and topic that the
    /// filter names and for each 64 logs of the block, of one that occurs in the block at most as
    /// many again.
    [[nodiscard]] const std::vector<std::uint32_t>& pick(const LogFilter& filter);

    [[nodiscard]] const BlockLogs& logs() const noexcept { return *logs_; }
    /// Filters that are held against every log: an index costs as much as some of them.
    static constexpr std::size_t kPlain = 16;
    /// Logs, and words of 64 of them, that were looked at so far; making the index is left out.
    [[nodiscard]] std::uint64_t steps() const noexcept { return steps_; }

private:
    /// One for each log.
    using Bits = std::vector<std::uint64_t>;
    /// What the logs have at one place, which is that of the address or of a topic. Values are
    /// known by their keyed hashes: nobody can make many that meet.
    struct Place {
        struct Seat {
            std::size_t value;
            std::uint32_t log;
            friend auto operator<=>(const Seat&, const Seat&) = default;
        };
        struct Popular {
            std::size_t value;
            Bits logs;
        };
        std::vector<Seat> seats;       // ascending
        std::vector<Popular> popular;  // values that more logs have than there are words; ascending
    };

    void scan(const LogFilter& filter);
    void look_up(const LogFilter& filter);
    void make_index();
    void sort(Place& place) const;
    /// Leaves those in found_ that have one of the values at the place.
    template <typename Value, typename Hasher>
    void narrow(const Place& place, const std::vector<Value>& values, const Hasher& hasher);
    void mark(const Place& place, std::size_t value);

    [[nodiscard]] std::size_t words() const noexcept {
        return (logs_->entries.size() + kBitsInWord - 1) / kBitsInWord;
    }

    static constexpr std::size_t kBitsInWord = 64;
    static constexpr std::size_t kTopics = 4;  // of one log at most

    const SharedBlockLogs logs_;
    std::size_t picks_ = 0;
    std::uint64_t steps_ = 0;
    Place addresses_;
    std::array<Place, kTopics> topics_;
    std::array<Bits, kTopics + 1> having_;  // so many topics at least
    // Of the filter at hand.
    Bits found_;
    Bits marked_;
    std::vector<std::uint32_t> picked_;
};

}  // namespace heddle::node::rpc
