// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The snapshots of a development chain, within bounds of number and memory. It keeps what
// ChainControl gives it; going back is ChainControl's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <types/address.hpp>
#include <types/hash.hpp>
#include <types/uint256.hpp>

#include "chain/state_overlay.hpp"
#include "mempool/mempool.hpp"

namespace heddle::node {

/// What the user of a development chain has set about blocks.
struct BlockSettings {
    std::optional<Address> beneficiary;
    std::optional<std::uint64_t> gas_limit;
    // Of the next block.
    std::optional<Uint256> base_fee;
    std::optional<Hash> prev_randao;
};

struct ChainSnapshot {
    using Pool = std::vector<SharedTransaction>;

    std::uint64_t number = 0;  // of its head
    SharedOverlay amendment;   // null: nothing was set on top of the head
    std::shared_ptr<const Pool> pool = std::make_shared<const Pool>();
    BlockSettings settings;
    std::uint64_t time = 0;  // of the clock, in seconds
};

/// Thread safety: none.
class ChainSnapshots {
public:
    static constexpr std::size_t kMost = 100'000;
    static constexpr std::size_t kMostBytes = std::size_t{256} << 20;

    /// @param most_bytes  What all of them together may hold.
    explicit ChainSnapshots(std::size_t most_bytes = kMostBytes) noexcept
        : most_bytes_(most_bytes) {}

    /// Snapshots that follow each other share what is the same in both: values that were set, and
    /// the transactions of the pool. What a snapshot does not share counts against the bound.
    /// @return its number, from 1 on, never the same again.
    /// Errors: a sentence, where it would be one too many or hold too much.
    [[nodiscard]] std::expected<std::uint64_t, std::string> add(ChainSnapshot snapshot);
    /// nullptr: there is none. Until something is dropped.
    [[nodiscard]] const ChainSnapshot* find(std::uint64_t id) const;
    /// This one and all that were added after it.
    void drop_from(std::uint64_t id);
    /// Those whose head is above this block.
    void drop_above(std::uint64_t number);
    void clear() { drop_from(0); }

    [[nodiscard]] std::size_t size() const noexcept { return kept_.size(); }
    /// What they hold and do not share.
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

private:
    struct Kept {
        ChainSnapshot snapshot;
        std::size_t bytes = 0;
    };

    const std::size_t most_bytes_;
    std::map<std::uint64_t, Kept> kept_;
    std::uint64_t last_ = 0;
    std::size_t bytes_ = 0;
};

}  // namespace heddle::node
