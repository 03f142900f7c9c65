// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "commands/lanes_merge.hpp"

#include <chrono>
#include <cstddef>
#include <exception>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>

#include <types/counted.hpp>

#include "inputs/chain_input.hpp"
#include "inputs/ledger_flags.hpp"
#include "lanes/handover.hpp"
#include "program/error.hpp"
#include "program/stop_signal.hpp"

namespace heddle::node {

namespace {

using consensus_adapter::lanes::FeedRules;
using consensus_adapter::lanes::LaneFeed;
using consensus_adapter::lanes::LaneLogReader;
using consensus_adapter::lanes::MergedBlock;
using consensus_adapter::lanes::PreparedBlock;

/// Of merged blocks that wait to be executed. A node lets less wait (lanes::kMostOrderedBytes):
/// logs bring everything at once, and then the executor would run out of blocks while the thread
/// that orders has no processor.
constexpr std::size_t kMostAhead = std::size_t{16} << 20;

ChainMemory chain_memory(const MemoryPlan& memory) {
    return {.code = memory.executor_code, .served = memory.served_blocks};
}

/// Nothing is sent to it.
MempoolOptions mempool_options(const MemoryPlan& memory) {
    MempoolOptions options;
    options.max_bytes = memory.mempool;
    return options;
}

/// One cache of code for all: nobody calls anything beside execution.
ChainApplicationOptions application_options(const Chain& chain, const std::string& scheduler,
                                            unsigned workers, const MemoryPlan& memory) {
    ChainApplicationOptions options;
    options.scheduler = scheduler;
    options.executor.parallel.workers = workers;
    bound_executor(memory, options.executor.parallel);
    options.executor.code_cache = chain.code_cache();
    return options;
}

/// What `work` returns, and its time.
template <typename Work>
auto timed(std::chrono::nanoseconds& total, Work work) {
    const auto begin = std::chrono::steady_clock::now();
    const auto add = [&] { total += std::chrono::steady_clock::now() - begin; };
    if constexpr (std::is_void_v<decltype(work())>) {
        work();
        add();
    } else {
        auto result = work();
        add();
        return result;
    }
}

}  // namespace

LaneChain::LaneChain(ledger::DurableLedger& ledger, lanes::MergedChainRules rules,
                     const std::string& scheduler, unsigned workers, const MemoryPlan& memory)
    : chain_(ledger, stored_chain_config(ledger), sync_nothing(), chain_memory(memory)),
      mempool_(mempool_options(memory), chain_),
      application_(chain_, mempool_, application_options(chain_, scheduler, workers, memory)),
      merged_(chain_, application_, std::move(rules)) {}

void LaneChain::execute(MergedBlock merged) {
    const auto executed = merged_.execute(std::move(merged));
    if (executed.has_value()) return;
    if (executed.error().fault == lanes::MergedChainFault::storage_failed)
        throw StorageError(executed.error().sentence);
    fail_input("{}", executed.error().sentence);
}

std::vector<LaneLogReader> open_lane_logs(const std::vector<std::string>& paths) {
    std::vector<std::optional<LaneLogReader>> by_lane;
    for (const std::string& path : paths) {
        auto opened = LaneLogReader::open(path);
        if (!opened.has_value()) fail_input("{}", describe(opened.error()));
        const auto head = opened->head();
        if (by_lane.empty()) by_lane.resize(head.lane_count);
        if (head.lane_count != paths.size())
            fail_input("{}: is of a chain of {}; name the log of each of them, not {}", path,
                       counted(head.lane_count, "lane"), paths.size());
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

namespace {

/// Gives the merged blocks of logs one after another, to the end of the first log that ends.
/// @return  Which one, as a sentence; empty: it was to stop.
std::string order_logs(std::vector<LaneLogReader>& logs, lanes::Handover<MergedBlock>& handover,
                       MergeTimes& times) {
    FeedRules rules;
    rules.merge.lane_count = rules.cut.lane_count = logs.size();
    rules.cut.leading = logs.front().head().leading;
    LaneFeed feed(rules);
    while (!StopSignal::is_raised()) {
        while (auto merged = timed(times.ordering, [&] { return feed.next(); })) {
            const std::size_t weight = memory_of(*merged);
            if (!handover.give(*std::move(merged), weight)) return {};
        }
        const auto missing = timed(times.ordering, [&] { return feed.missing(); });
        LaneLogReader& log = logs[missing->lane];
        const auto block = timed(times.reading, [&] { return log.next(); });
        if (!block.has_value()) fail_input("{}", describe(block.error()));
        if (!block->has_value())
            return missing->lane == rules.cut.leading
                       ? fmt::format("the leading lane's log ends at height {}", log.height())
                       : fmt::format("{} ends at height {}, and the next cut goes beyond",
                                     log.path(), log.height());
        auto prepared = timed(times.checking, [&] { return PreparedBlock{**block, logs.size()}; });
        const auto offered = timed(times.ordering, [&] { return feed.offer(std::move(prepared)); });
        if (!offered.has_value()) fail_input("{}: {}", log.path(), to_string(offered.error()));
    }
    return {};
}

}  // namespace

std::string merge_logs(std::vector<LaneLogReader>& logs, LaneChain& chain, MergeTimes& times) {
    lanes::Handover<MergedBlock> handover{kMostAhead};
    std::string end;
    std::exception_ptr failure;
    MergeTimes of_ordering;
    std::jthread ordering{[&] {
        try {
            end = order_logs(logs, handover, of_ordering);
        } catch (...) {
            failure = std::current_exception();
        }
        handover.close();
    }};
    bool is_all = false;
    try {
        while (!is_all && !StopSignal::is_raised()) {
            auto merged = timed(times.waiting, [&] { return handover.take(); });
            is_all = !merged.has_value();
            if (!is_all) timed(times.executing, [&] { chain.execute(*std::move(merged)); });
        }
        if (!is_all) handover.refuse();
    } catch (...) {
        handover.refuse();
        throw;
    }
    ordering.join();
    times.reading += of_ordering.reading;
    times.checking += of_ordering.checking;
    times.ordering += of_ordering.ordering;
    if (failure != nullptr) std::rethrow_exception(failure);
    return is_all && !end.empty() ? end : "stopped as asked, before the end of the logs";
}

}  // namespace heddle::node
