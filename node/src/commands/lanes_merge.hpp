// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Recorded logs of lanes, merged and executed: the chain that every node makes of them.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include <consensus_adapter/application.hpp>
#include <consensus_adapter/lanes/lane_feed.hpp>
#include <consensus_adapter/lanes/lane_log.hpp>
#include <executor/schedulers.hpp>
#include <ledger/durable_ledger.hpp>

#include "building/chain_application.hpp"
#include "chain/chain.hpp"
#include "inputs/memory_plan.hpp"
#include "lanes/merged_chain.hpp"
#include "mempool/mempool.hpp"

namespace heddle::node {

/// Where the time of merging recorded logs goes. Ordering goes on beside execution, as in a node.
struct MergeTimes {
    // Of the thread that orders.
    std::chrono::nanoseconds reading{};   // of logs, and what their blocks are
    std::chrono::nanoseconds checking{};  // entries: decoded, hashed, compared with what they say
    std::chrono::nanoseconds ordering{};  // cuts, the graph, its order
    // Of the thread that executes.
    std::chrono::nanoseconds waiting{};    // for the next merged block
    std::chrono::nanoseconds executing{};  // homes, execution, roots, keeping
};

/// Executes merged blocks on a chain, through the executor, and keeps them
/// (lanes/merged_chain.hpp).
///
/// Thread safety: none.
class LaneChain {
public:
    /// @param ledger  At its genesis; outlives it.
    /// @param memory  plan_replay_memory(): the executor's part of it is kept to.
    LaneChain(ledger::DurableLedger& ledger, lanes::MergedChainRules rules,
              const std::string& scheduler, unsigned workers, const MemoryPlan& memory);

    /// Errors: InputError where a block cannot be executed; StorageError where it cannot be kept.
    void execute(consensus_adapter::lanes::MergedBlock merged);
    [[nodiscard]] const lanes::LanesReport& report() const noexcept { return merged_.report(); }

private:
    Chain chain_;
    Mempool mempool_;
    ChainApplication application_;
    lanes::MergedChain merged_;
};

/// One log of each lane, opened, in the order of the lanes.
/// Errors: InputError where a file is none, or they are not those of all lanes of one chain.
[[nodiscard]] std::vector<consensus_adapter::lanes::LaneLogReader> open_lane_logs(
    const std::vector<std::string>& paths);

/// Reads, merges and executes as far as the logs go, or until StopSignal is raised: a merged block
/// is ordered, on a thread of its own, while the one before it is executed.
/// @param times  Counts up.
/// @return  Which log ended it, or that it was to stop, as a sentence.
/// Errors: InputError where a log is damaged, with file and offset, after all before is executed.
[[nodiscard]] std::string merge_logs(std::vector<consensus_adapter::lanes::LaneLogReader>& logs,
                                     LaneChain& chain, MergeTimes& times);

}  // namespace heddle::node
