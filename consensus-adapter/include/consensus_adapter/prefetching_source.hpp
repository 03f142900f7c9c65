// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads ahead of execution: another source's blocks, decoded and with their senders recovered while
// earlier ones execute. Changes when work is done, never what is delivered.
#pragma once

#include <cstddef>
#include <memory>

#include <consensus_adapter/block_source.hpp>

namespace heddle::consensus_adapter {

struct PrefetchOptions {
    /// Bounds of what is held ready, the last block not counted, and of a batch in hand beside it,
    /// which is not read before there is room for a block more.
    std::size_t max_blocks = 1024;
    std::size_t max_transactions = 16384;
    /// Of memory for transactions, and for what is declared of what they touch.
    std::size_t max_bytes = std::size_t{64} << 20;
    /// Senders are recovered in parallel on as many threads as the machine has; false: not at all.
    bool recover_senders = true;
};

/// Ownership: takes `source`, which is then called from a thread of its own.
[[nodiscard]] std::unique_ptr<BlockSource> make_prefetching_source(
    std::unique_ptr<BlockSource> source, PrefetchOptions options = {});

}  // namespace heddle::consensus_adapter
