// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/queries/log_search.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "rpc/queries/block_selector.hpp"

namespace heddle::node::rpc {
namespace {

std::size_t sections_in(std::size_t bytes) noexcept {
    return std::max<std::size_t>(bytes / BloomIndex::kSectionBytes, 1);
}

}  // namespace

SharedBlockLogs make_block_logs(const ledger::StoredBlock& block, bool is_removed) {
    auto logs = std::make_shared<BlockLogs>();
    LogPlace place;
    place.block_hash = block.hash;
    place.block_number = block.block.header.number;
    place.block_timestamp = block.block.header.timestamp;
    place.is_removed = is_removed;
    std::size_t count = 0;
    for (const Receipt& receipt : block.receipts)
        count += receipt.logs.size();
    logs->entries.reserve(count);
    logs->bytes = sizeof(BlockLogs) + count * sizeof(BlockLogs::Entry);
    for (std::size_t i = 0; i < block.receipts.size(); ++i) {
        const Receipt& receipt = block.receipts[i];
        if (receipt.logs.empty()) continue;
        place.transaction_hash = transaction_hash(block.block.transactions[i]);
        place.transaction_index = static_cast<std::uint32_t>(i);
        for (const Log& log : receipt.logs) {
            logs->entries.push_back({log, place});
            logs->bytes += log.data.size();
            ++place.log_index;
        }
    }
    return logs;
}

LogSearch::LogSearch(const Chain& chain, std::size_t log_bytes, std::size_t bloom_bytes)
    : chain_(chain), max_bytes_(log_bytes), blooms_(chain, sections_in(bloom_bytes)) {}

void LogSearch::drop_outdated(std::uint64_t rewinds) {
    if (rewinds_ == rewinds) return;
    rewinds_ = rewinds;
    kept_.clear();
    order_.clear();
    bytes_ = 0;
}

SharedBlockLogs LogSearch::logs_of(std::uint64_t number) {
    const std::uint64_t rewinds = chain_.rewind_count();
    {
        const std::scoped_lock lock{mutex_};
        drop_outdated(rewinds);
        if (const auto found = kept_.find(number); found != kept_.end()) {
            order_.splice(order_.begin(), order_, found->second.place);
            return found->second.logs;
        }
    }
    const auto block = take(chain_.block(number));
    if (!block.has_value()) return std::make_shared<const BlockLogs>();
    SharedBlockLogs logs = make_block_logs(*block);
    std::vector<SharedBlockLogs> dropped;  // freed outside the lock
    const std::scoped_lock lock{mutex_};
    if (rewinds != chain_.rewind_count() || kept_.contains(number)) return logs;
    order_.push_front(number);
    kept_.emplace(number, Kept{logs, order_.begin()});
    bytes_ += logs->bytes;
    while (bytes_ > max_bytes_ && order_.size() > 1) {
        const auto last = kept_.find(order_.back());
        bytes_ -= last->second.logs->bytes;
        dropped.push_back(std::move(last->second.logs));
        kept_.erase(last);
        order_.pop_back();
    }
    return logs;
}

bool LogSearch::search_source(const LogFilter& filter, std::uint64_t from, std::uint64_t to,
                              const Found& found) {
    if (from == to) {
        // Of one block all are fetched, which its header proves.
        const SharedBlockLogs logs = logs_of(from);
        return std::ranges::all_of(logs->entries, [&](const BlockLogs::Entry& entry) {
            return !filter.matches(entry.log) || found(entry);
        });
    }
    auto logs = take(chain_.fork_base()->logs({from, to, filter.addresses(), filter.topics()}));
    return std::ranges::all_of(logs, [&](SourceLog& log) {
        BlockLogs::Entry entry;
        entry.log = std::move(log.log);
        entry.place = {.block_hash = log.block_hash,
                       .block_number = log.block_number,
                       .block_timestamp = log.block_timestamp,
                       .transaction_hash = log.transaction_hash,
                       .transaction_index = log.transaction_index,
                       .log_index = log.log_index};
        return found(entry);
    });
}

void LogSearch::search(const LogFilter& filter, std::uint64_t from, std::uint64_t to,
                       const Call& call, const Found& found) {
    constexpr std::uint64_t kBlocks = BloomIndex::kSectionBlocks;
    if (const ForkBase* const base = chain_.fork_base(); base && from <= base->number()) {
        if (!search_source(filter, from, std::min(to, base->number()), found)) return;
        if (to <= base->number()) return;
        from = base->number() + 1;
    }
    for (std::uint64_t section = from / kBlocks; section <= to / kBlocks; ++section) {
        call.check_deadline();
        const BloomIndex::BlockBits bits = blooms_.candidates(section, to, filter, call);
        for (std::size_t word = 0; word < bits.size(); ++word) {
            for (std::uint64_t left = bits[word]; left != 0; left &= left - 1) {
                const std::uint64_t number = section * kBlocks + 64 * word +
                                             static_cast<std::uint64_t>(std::countr_zero(left));
                if (number < from || number > to) continue;
                call.check_deadline();
                const SharedBlockLogs logs = logs_of(number);
                for (const BlockLogs::Entry& entry : logs->entries)
                    if (filter.matches(entry.log) && !found(entry)) return;
            }
        }
    }
}

}  // namespace heddle::node::rpc
