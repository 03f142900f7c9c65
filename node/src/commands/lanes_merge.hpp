// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Recorded logs of lanes, merged and executed: the chain that every node makes of them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <consensus_adapter/application.hpp>
#include <consensus_adapter/lanes/directory.hpp>
#include <consensus_adapter/lanes/lane_feed.hpp>
#include <consensus_adapter/lanes/lane_log.hpp>
#include <executor/schedulers.hpp>
#include <ledger/durable_ledger.hpp>

#include "building/chain_application.hpp"
#include "chain/chain.hpp"
#include "mempool/mempool.hpp"

namespace heddle::node {

/// What merging and executing came to.
struct LanesReport {
    std::uint64_t merged_blocks = 0;
    std::uint64_t blocks = 0;  // of the chain
    std::uint64_t transactions = 0;
    std::uint64_t several_homes = 0;  // of these
    std::uint64_t moves = 0;          // of homes
    std::uint64_t components = 0;
    std::uint64_t largest_component = 0;
    std::uint64_t rejected = 0;  // incomplete for too long
    std::uint64_t refused = 0;   // items that are no entries, or whose payload is no transaction
    std::uint64_t wrong_home = 0;
    std::uint64_t left_out = 0;  // cannot be executed at their places
    std::uint64_t ignored = 0;   // entries
};

/// Executes merged blocks on a chain, through the executor, and keeps them. A merged block is one
/// block of the chain, or several where the gas limits of its transactions do not fit into one.
///
/// Thread safety: none.
class LaneChain {
public:
    /// @param ledger  At its genesis; outlives it.
    LaneChain(ledger::DurableLedger& ledger, consensus_adapter::lanes::HomeRanges homes,
              const std::string& scheduler, unsigned workers);

    /// Errors: InputError where a block cannot be executed or kept.
    void execute(consensus_adapter::lanes::MergedBlock merged);
    [[nodiscard]] const LanesReport& report() const noexcept { return report_; }

private:
    /// Transactions in their order, as far as a block has room for them.
    struct Part {
        std::vector<Transaction> transactions;
        std::vector<ObjectSet> object_sets;
        std::uint64_t gas = 0;  // of their limits
    };
    void add(std::vector<Part>& parts, consensus_adapter::lanes::OrderedEntry entry,
             std::uint64_t gas_limit);
    void commit(Part part, std::uint64_t time_ms);

    Chain chain_;
    Mempool mempool_;
    ChainApplication application_;
    consensus_adapter::lanes::RangeDirectory directory_;
    LanesReport report_;
};

/// One log of each lane, opened, in the order of the lanes.
/// Errors: InputError where a file is none, or they are not those of all lanes of one chain.
[[nodiscard]] std::vector<consensus_adapter::lanes::LaneLogReader> open_lane_logs(
    const std::vector<std::string>& paths);

/// Reads, merges and executes as far as the logs go.
/// @return  Which log ended it, as a sentence.
/// Errors: InputError where a log is damaged, with file and offset.
[[nodiscard]] std::string merge_logs(std::vector<consensus_adapter::lanes::LaneLogReader>& logs,
                                     LaneChain& chain);

}  // namespace heddle::node
