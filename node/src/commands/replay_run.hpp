// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks from a source through an executor, watched and summed up: what every kind of replay does,
// wherever its blocks come from and go to.
#pragma once

#include <consensus_adapter/block_source.hpp>
#include <consensus_adapter/sidecar.hpp>
#include <executor/executor.hpp>
#include <types/block_sink.hpp>
#include <types/chain_config.hpp>
#include <types/state_view.hpp>

#include "inputs/memory_plan.hpp"
#include "program/error.hpp"

namespace heddle::node {

struct ReplayOptions;

/// What a replay works on, be it in memory or on disk.
struct ReplayTarget {
    const ChainConfig& config;
    const StateView& state;
    const BlockHashes& block_hashes;
    BlockSink& sink;
    executor::ChainHead head;
    /// What the executor keeps counts into it; nullopt: state and chain are in memory anyway.
    std::optional<MemoryPlan> memory = std::nullopt;
};

/// Replays what the source has and says on standard output how it went. With --record-sets, the
/// sets go to the file.
/// @param records_sets  Whether the sink wants object sets.
[[nodiscard]] ExitCode replay_source(const ReplayOptions& options, const ReplayTarget& chain,
                                     bool records_sets, consensus_adapter::BlockSource& source,
                                     const consensus_adapter::DeclaredCounts& declared);

void print_head(const BlockHeader& header, const Hash& hash);

}  // namespace heddle::node
