// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/queries/fee_history.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include <vm/block.hpp>
#include <vm/validate.hpp>

namespace heddle::node::rpc {
namespace {

using Tag = BlockSelector::Tag;

constexpr std::size_t kMaxPercentiles = 100;

/// What the history says of one block.
struct HistoryEntry {
    Uint256 base_fee;            // wei; zero before London
    Uint256 next_base_fee;       // of a block on top
    Uint256 blob_base_fee;       // wei; zero before Cancun
    Uint256 next_blob_base_fee;  // of a block on top
    double gas_used_ratio = 0;
    double blob_gas_used_ratio = 0;
    std::vector<Uint256> rewards;  // one for each percentile
};

void check_percentiles(const std::vector<double>& percentiles) {
    const auto fail = [](const std::string& what) {
        throw RpcError(Code::server_error, "invalid reward percentile: " + what);
    };
    if (percentiles.size() > kMaxPercentiles)
        fail(fmt::format("over the query limit {}", kMaxPercentiles));
    for (std::size_t i = 0; i < percentiles.size(); ++i) {
        const double percentile = percentiles[i];
        if (!(percentile >= 0 && percentile <= 100)) fail(fmt::format("{:f}", percentile));
        if (i > 0 && percentile <= percentiles[i - 1])
            fail(fmt::format("#{}:{:f} >= #{}:{:f}", i - 1, percentiles[i - 1], i, percentile));
    }
}

/// Blocks from `first` on; `count` may be zero. `last` may be one above the head: the pending one.
struct Range {
    std::uint64_t first = 0;
    std::uint64_t count = 0;
};

Range resolve(const Services& services, const FeeHistoryRequest& request, std::uint64_t head) {
    std::uint64_t last = head;
    switch (request.last.tag) {
        case Tag::none:
            last = request.last.number;
            if (last > head)
                throw RpcError(
                    Code::server_error,
                    fmt::format("request beyond head block: requested {}, head {}", last, head));
            break;
        case Tag::pending:
            last = head + 1;
            break;
        case Tag::earliest:
            last = services.chain.first_block();
            break;
        default:
            break;
    }
    const std::uint64_t lowest = services.chain.first_block();
    if (last < lowest) return {};
    const std::uint64_t most = services.limits.fee_history_blocks;
    const std::uint64_t count = std::min({request.block_count, most, last + 1 - lowest});
    return {last + 1 - count, count};
}

double ratio(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

HistoryEntry entry_of(const BlockHeader& header, const ChainConfig& config) {
    HistoryEntry fees;
    fees.base_fee = header.base_fee_per_gas.value_or(Uint256{});
    if (config.london_block.has_value() && header.number + 1 >= *config.london_block)
        fees.next_base_fee = vm::next_base_fee(header, config);
    fees.gas_used_ratio = ratio(header.gas_used, header.gas_limit);
    const BlobParameters* blobs = config.blob_parameters(header.timestamp);
    if (blobs == nullptr || !header.excess_blob_gas.has_value()) return fees;
    const std::uint64_t fraction = blobs->base_fee_update_fraction;
    fees.blob_base_fee = vm::blob_base_fee(*header.excess_blob_gas, fraction);
    fees.next_blob_base_fee =
        vm::blob_base_fee(vm::next_excess_blob_gas(header, header.timestamp, config), fraction);
    fees.blob_gas_used_ratio =
        ratio(header.blob_gas_used.value_or(0), blobs->max * vm::kGasPerBlob);
    return fees;
}

HistoryEntry entry_of(const BlockFees& fees, const std::vector<double>& percentiles,
                      const ChainConfig& config) {
    HistoryEntry entry = entry_of(fees.header, config);
    entry.rewards.reserve(percentiles.size());
    for (const double percentile : percentiles)
        entry.rewards.push_back(fees.tip_at(percentile));
    return entry;
}

/// Of the block that would be made now; where none can be, of one without transactions.
BlockFees fees_of_pending(const FeeSources& sources, const Call& call) {
    if (const auto made = sources.pending.find(call))
        return fees_of((*made)->block, (*made)->receipts);
    const Chain& chain = sources.services.chain;
    const ledger::StoredHeader head = chain.head();
    return {.header = chain.next_header(head, head.header.timestamp + 1), .paid = {}};
}

HistoryEntry read_entry(const FeeSources& sources, const FeeHistoryRequest& request,
                        std::uint64_t number) {
    const Chain& chain = sources.services.chain;
    const auto missing = [&] {
        return RpcError(Code::server_error, fmt::format("block {} is not kept here", number));
    };
    if (request.percentiles.empty()) {
        const auto header = take(chain.header(number));
        if (!header.has_value()) throw missing();
        return entry_of(header->header, chain.config());
    }
    const SharedBlockFees fees = sources.cache.get(number);
    if (!fees) throw missing();
    return entry_of(*fees, request.percentiles, chain.config());
}

template <typename Member>
void write_prices(const char* name, const std::vector<HistoryEntry>& fees, Member now, Member next,
                  JsonWriter& out) {
    out.key(name);
    out.begin_array();
    for (const HistoryEntry& block : fees)
        out.quantity(block.*now);
    out.quantity(fees.back().*next);
    out.end_array();
}

void write_ratios(const char* name, const std::vector<HistoryEntry>& fees,
                  double HistoryEntry::* ratio, JsonWriter& out) {
    out.key(name);
    out.begin_array();
    for (const HistoryEntry& block : fees)
        out.raw(fmt::format("{}", block.*ratio));
    out.end_array();
}

void write_rewards(const std::vector<HistoryEntry>& fees, JsonWriter& out) {
    out.key("reward");
    out.begin_array();
    for (const HistoryEntry& block : fees) {
        out.begin_array();
        for (const Uint256& reward : block.rewards)
            out.quantity(reward);
        out.end_array();
    }
    out.end_array();
}

}  // namespace

void write_fee_history(const FeeSources& sources, const FeeHistoryRequest& request,
                       const Call& call, JsonWriter& out) {
    if (request.block_count != 0) check_percentiles(request.percentiles);
    std::optional<BlockFees> pending;  // where it is asked for; the head is what it stands on
    Range range;
    if (request.block_count != 0) {
        if (request.last.tag == Tag::pending) pending = fees_of_pending(sources, call);
        const std::uint64_t head = pending
                                       ? pending->header.number - 1
                                       : sources.services.chain.head_block()->block.header.number;
        range = resolve(sources.services, request, head);
    }
    std::vector<HistoryEntry> fees;
    fees.reserve(range.count);
    for (std::uint64_t number = range.first; number - range.first < range.count; ++number) {
        call.check_deadline();
        const bool is_pending = pending && number == pending->header.number;
        fees.push_back(
            is_pending ? entry_of(*pending, request.percentiles, sources.services.chain.config())
                       : read_entry(sources, request, number));
    }
    out.begin_object();
    out.key("oldestBlock");
    out.quantity(range.first);
    if (fees.empty()) {
        out.key("gasUsedRatio");
        out.null();
        return out.end_object();
    }
    if (!request.percentiles.empty()) write_rewards(fees, out);
    write_prices("baseFeePerGas", fees, &HistoryEntry::base_fee, &HistoryEntry::next_base_fee, out);
    write_ratios("gasUsedRatio", fees, &HistoryEntry::gas_used_ratio, out);
    write_prices("baseFeePerBlobGas", fees, &HistoryEntry::blob_base_fee,
                 &HistoryEntry::next_blob_base_fee, out);
    write_ratios("blobGasUsedRatio", fees, &HistoryEntry::blob_gas_used_ratio, out);
    out.end_object();
}

}  // namespace heddle::node::rpc
