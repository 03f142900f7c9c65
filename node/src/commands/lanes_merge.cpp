// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "commands/lanes_merge.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <consensus_adapter/block_rules.hpp>

#include "inputs/chain_input.hpp"
#include "inputs/ledger_flags.hpp"
#include "program/error.hpp"

namespace heddle::node {

namespace {

using consensus_adapter::lanes::FeedRules;
using consensus_adapter::lanes::HomeRanges;
using consensus_adapter::lanes::LaneFeed;
using consensus_adapter::lanes::LaneLogReader;
using consensus_adapter::lanes::lanes_of;
using consensus_adapter::lanes::MergedBlock;
using consensus_adapter::lanes::OrderedEntry;
using consensus_adapter::lanes::Placement;
using consensus_adapter::lanes::UnitPlacement;

/// They can be merged again.
ledger::SyncPolicy no_sync() {
    return {.blocks = ledger::kArchive, .interval = std::chrono::hours{24}};
}

ChainApplicationOptions application_options(const std::string& scheduler, unsigned workers) {
    ChainApplicationOptions options;
    options.scheduler = scheduler;
    options.executor.parallel.workers = workers;
    return options;
}

/// What its sender says that the transaction accesses: a help for the executor, which checks.
ObjectSet objects_of(const Placement& placement) {
    std::vector<Access> accesses;
    for (const UnitPlacement& unit : placement.units)
        accesses.insert(accesses.end(), unit.accesses.begin(), unit.accesses.end());
    return ObjectSet{std::move(accesses)};
}

/// Nullopt: nothing that a block without blobs can have.
std::optional<Transaction> transaction_of(BytesView payload) {
    auto decoded = decode_transaction(payload);
    if (!decoded.has_value() || decoded->type == TransactionType::blob) return std::nullopt;
    return *std::move(decoded);
}

[[noreturn]] void fail_block(std::uint64_t number, const BlockError& error) {
    if (error.code == BlockErrorCode::storage_failed) throw StorageError(to_string(error));
    fail_input("merged block {} cannot be executed: {}", number, to_string(error));
}

}  // namespace

LaneChain::LaneChain(ledger::DurableLedger& ledger, HomeRanges homes, const std::string& scheduler,
                     unsigned workers)
    : chain_(ledger, stored_chain_config(ledger), no_sync()),
      mempool_(MempoolOptions{}, chain_),
      application_(chain_, mempool_, application_options(scheduler, workers)),
      directory_(std::move(homes)) {}

void LaneChain::execute(MergedBlock merged) {
    ++report_.merged_blocks;
    report_.components += merged.components;
    report_.largest_component = std::max(report_.largest_component, merged.largest_component);
    report_.rejected += merged.rejected.size();
    report_.refused += merged.refused.size();
    report_.ignored += merged.ignored_entries;
    const std::uint64_t gas_limit = chain_.head().header.gas_limit;
    std::vector<Part> parts(1);
    for (OrderedEntry& entry : merged.order)
        add(parts, std::move(entry), gas_limit);
    for (Part& part : parts)
        commit(std::move(part), merged.time_ms);
}

void LaneChain::add(std::vector<Part>& parts, OrderedEntry entry, std::uint64_t gas_limit) {
    if (!settle(directory_, entry.placement).has_value()) {
        ++report_.wrong_home;
        return;
    }
    if (entry.placement.new_home.has_value()) {
        ++report_.moves;
        return;
    }
    auto transaction = transaction_of(entry.payload);
    if (!transaction.has_value()) {
        ++report_.refused;
        return;
    }
    if (lanes_of(entry.placement).size() > 1) ++report_.several_homes;
    const std::uint64_t gas = transaction->gas_limit;
    const bool fits = gas <= gas_limit && parts.back().gas <= gas_limit - gas;
    if (!fits && !parts.back().transactions.empty()) parts.emplace_back();
    Part& part = parts.back();
    part.gas += std::min(gas, gas_limit);
    part.object_sets.push_back(objects_of(entry.placement));
    part.transactions.push_back(*std::move(transaction));
}

void LaneChain::commit(Part part, std::uint64_t time_ms) {
    const consensus_adapter::Committed parent = application_.committed();
    consensus_adapter::BlockPlan plan;
    plan.timestamp =
        std::max(time_ms / 1000, parent.head_timestamp + (parent.may_repeat_timestamp ? 0 : 1));
    plan.prev_randao = consensus_adapter::prev_randao_after(parent.head);
    plan.gas_limit = parent.head_gas_limit;
    consensus_adapter::OrderedBlock block;
    block.start = consensus_adapter::block_start(plan);
    block.start.mode = executor::BlockMode::decided;
    block.start.transaction_count = part.transactions.size();
    block.transactions = std::move(part.transactions);
    block.object_sets = std::move(part.object_sets);
    const auto finalized =
        application_.finalize(std::move(block), consensus_adapter::Unexecutable::left_out);
    if (!finalized.has_value()) fail_block(parent.head.number + 1, finalized.error());
    const auto committed = application_.commit();
    if (!committed.has_value()) fail_block(parent.head.number + 1, committed.error());
    ++report_.blocks;
    report_.transactions += finalized->receipts.size();
    report_.left_out += finalized->left_out.size();
}

std::vector<LaneLogReader> open_lane_logs(const std::vector<std::string>& paths) {
    std::vector<std::optional<LaneLogReader>> by_lane;
    for (const std::string& path : paths) {
        auto opened = LaneLogReader::open(path);
        if (!opened.has_value()) fail_input("{}", describe(opened.error()));
        const auto head = opened->head();
        if (by_lane.empty()) by_lane.resize(head.lane_count);
        if (head.lane_count != paths.size())
            fail_input("{}: is of a chain of {} lanes; name the log of each of them, not {}", path,
                       head.lane_count, paths.size());
        if (by_lane[head.lane].has_value())
            fail_input("{}: is of lane {}, and so is {}", path, head.lane,
                       by_lane[head.lane]->path());
        by_lane[head.lane].emplace(*std::move(opened));
    }
    std::vector<LaneLogReader> result;
    result.reserve(by_lane.size());
    for (std::optional<LaneLogReader>& log : by_lane)
        result.push_back(*std::move(log));
    for (const LaneLogReader& log : result)
        if (log.head().leading != result.front().head().leading)
            fail_input("{}: says that lane {} leads, and {} says lane {}", log.path(),
                       log.head().leading, result.front().path(), result.front().head().leading);
    return result;
}

std::string merge_logs(std::vector<LaneLogReader>& logs, LaneChain& chain) {
    FeedRules rules;
    rules.merge.lane_count = rules.cut.lane_count = logs.size();
    rules.cut.leading = logs.front().head().leading;
    LaneFeed feed(rules);
    for (;;) {
        while (auto merged = feed.next())
            chain.execute(*std::move(merged));
        const auto missing = feed.missing();
        LaneLogReader& log = logs[missing->lane];
        auto block = log.next();
        if (!block.has_value()) fail_input("{}", describe(block.error()));
        if (!block->has_value())
            return missing->lane == rules.cut.leading
                       ? fmt::format("the leading lane's log ends at height {}", log.height())
                       : fmt::format("{} ends at height {}, and the next cut goes beyond",
                                     log.path(), log.height());
        if (const auto offered = feed.offer(**std::move(block)); !offered.has_value())
            fail_input("{}: {}", log.path(), to_string(offered.error()));
    }
}

}  // namespace heddle::node
