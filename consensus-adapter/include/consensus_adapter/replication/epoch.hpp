// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The epoch of a block: under which leader's rule it was made. It stands at the end of its extra
// data, where every client reads it and none but ours looks for it (ADR 24).
#pragma once

#include <cstddef>
#include <cstdint>

#include <types/bytes.hpp>

namespace heddle::consensus_adapter::replication {

/// `00 45 50 31` and the epoch, big-endian.
inline constexpr std::size_t kEpochBytes = 12;

/// 0: the block was made without replication.
[[nodiscard]] std::uint64_t epoch_of(BytesView extra_data) noexcept;

/// `text` with the epoch behind it. Extra data has 32 bytes at most (YP 4.3.4), so there are 20 for
/// the text.
[[nodiscard]] Bytes with_epoch(BytesView text, std::uint64_t epoch);

/// Whether a block may come after its parent, from a leader who rules in `leader`.
[[nodiscard]] constexpr bool is_epoch_in_order(std::uint64_t parent, std::uint64_t block,
                                               std::uint64_t leader) noexcept {
    return parent <= block && block <= leader;
}

}  // namespace heddle::consensus_adapter::replication
