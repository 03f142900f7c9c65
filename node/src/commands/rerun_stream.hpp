// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The blocks that a recorded follower or backup has taken, into the same parts once more, one after
// the other.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include <consensus_adapter/application.hpp>
#include <executor/executor.hpp>

#include "follow/chain_stream.hpp"
#include "shim/block_shim.hpp"

namespace heddle::node {

/// What is asked and told while a block is executed: from the thread that keeps it, while the one
/// that called take() waits.
struct RerunStreamCalls {
    /// Whether the recorded node has kept the block that was executed, so that this one is to.
    std::function<bool()> may_commit;
    std::function<void(const consensus_adapter::BlockId&)> on_commit;
};

/// Thread safety: none.
class RerunStream {
public:
    /// @param shim  What came out is told to it. Everything outlives it.
    RerunStream(Chain& chain, Mempool& mempool, BlockShim& shim, follow::ChainStreamOptions options,
                RerunStreamCalls calls);
    ~RerunStream();

    /// Executes a block and keeps it, where that is wanted. @return a disk that failed here, in a
    /// sentence; what is wrong with the block is told to the shim.
    [[nodiscard]] std::optional<std::string> take(consensus_adapter::OrderedBlock block);

private:
    class Crossing;

    const std::unique_ptr<Crossing> crossing_;
    follow::ChainStream stream_;
    executor::Executor* executor_ = nullptr;  // null: the stream is to begin
};

}  // namespace heddle::node
