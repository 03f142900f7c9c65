// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/methods/trace_filter.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "rpc/envelope/arguments.hpp"
#include "rpc/methods/block_replays.hpp"
#include "rpc/methods/flat_traces.hpp"
#include "rpc/methods/simulation_failures.hpp"
#include "rpc/queries/block_selector.hpp"
#include "rpc/queries/log_filter.hpp"

namespace heddle::node::rpc {
namespace {

/// Of a transaction's calls those are wanted whose two sides are among these.
struct TraceCriteria {
    BlockSelector from{};
    BlockSelector to{};
    std::vector<Address> callers;  // ascending; empty: whoever
    std::vector<Address> callees;  // the same
    bool is_either = false;        // one side is enough where both are named
    std::uint64_t after = 0;       // so many that match are passed over
    std::uint64_t count = std::numeric_limits<std::uint64_t>::max();
};

std::vector<Address> to_addresses(const std::optional<JsonView>& list) {
    std::vector<Address> addresses;
    if (!list.has_value()) return addresses;
    if (!list->is_array()) fail_input("expected a list of addresses");
    if (list->size() > kMaxLogAlternatives)
        fail_input("{} addresses; at most {} are looked for", list->size(), kMaxLogAlternatives);
    for (std::size_t i = 0; i < list->size(); ++i)
        addresses.push_back(to_address(list->element(i)));
    std::ranges::sort(addresses);
    return addresses;
}

/// `union` or `intersection`, as erigon and reth have it; OpenEthereum had the latter alone.
bool to_is_either(const JsonView& mode) {
    const bool is_either = mode.is_string() && mode.string() == "union";
    if (!is_either && (!mode.is_string() || mode.string() != "intersection"))
        fail_input("mode: expected `union` or `intersection`");
    return is_either;
}

TraceCriteria to_criteria(const JsonView& object) {
    if (!object.is_object()) fail_input("expected an object");
    TraceCriteria criteria;
    if (const auto from = object.find("fromBlock")) criteria.from = to_number_selector(*from);
    if (const auto to = object.find("toBlock")) criteria.to = to_number_selector(*to);
    criteria.callers = to_addresses(object.find("fromAddress"));
    criteria.callees = to_addresses(object.find("toAddress"));
    if (const auto mode = object.find("mode"))
        criteria.is_either =
            to_is_either(*mode) && !criteria.callers.empty() && !criteria.callees.empty();
    if (const auto after = object.find("after")) criteria.after = after->uint64();
    if (const auto count = object.find("count")) criteria.count = count->uint64();
    return criteria;
}

std::uint64_t require_number(const Chain& chain, const BlockSelector& selector) {
    return require_block(chain, selector)->block.header.number;
}

/// Whether this one is wanted; a creation that failed has nobody on its other side.
class Matcher {
public:
    explicit Matcher(TraceCriteria criteria) : criteria_(std::move(criteria)) {}

    [[nodiscard]] bool is_full() const noexcept { return criteria_.count == 0; }
    [[nodiscard]] bool wants(const RecordedCall& call) {
        const auto is_among = [](const std::vector<Address>& wanted, const Address& address) {
            return wanted.empty() || std::ranges::binary_search(wanted, address);
        };
        const bool has_callee = !is_creation(call.kind) || call.error.empty();
        const bool is_from = is_among(criteria_.callers, call.from);
        const bool is_to =
            has_callee ? is_among(criteria_.callees, call.to) : criteria_.callees.empty();
        if (criteria_.is_either ? !is_from && !is_to : !is_from || !is_to) return false;
        if (criteria_.after > 0) {
            --criteria_.after;
            return false;
        }
        if (criteria_.count == 0) return false;
        --criteria_.count;
        return true;
    }

private:
    TraceCriteria criteria_;
};

void filter_traces(const Services& services, const Call& call, JsonWriter& out) {
    expect_at_most(call.params, 1);
    TraceCriteria criteria = argument(call.params, 0, to_criteria);
    const std::uint64_t from = require_number(services.chain, criteria.from);
    const std::uint64_t to = require_number(services.chain, criteria.to);
    if (from > to) throw RpcError(Code::invalid_params, "invalid block range params");
    if (to - from >= services.limits.trace_blocks)
        throw RpcError(Code::limit_exceeded,
                       fmt::format("a range of {} blocks; at most {} are executed again, ask in "
                                   "parts",
                                   to - from + 1, services.limits.trace_blocks));
    Matcher matcher(std::move(criteria));
    FlatTraces traces(call, services.chain, true);
    out.begin_array();
    for (std::uint64_t number = std::max<std::uint64_t>(from, 1); number <= to; ++number) {
        const auto replay = start_replay(
            services.chain,
            require_block(services.chain, {.tag = BlockSelector::Tag::none, .number = number}));
        while (replay->next_index() < replay->block().block.transactions.size()) {
            if (matcher.is_full()) return out.end_array();
            call.check_deadline();
            (void)traces.execute(*replay);
            traces.tracer().write_some(
                [&](const RecordedCall& recorded) { return matcher.wants(recorded); }, out);
            replay->finish_next();
        }
    }
    out.end_array();
}

}  // namespace

Method trace_filter_method(const Services& services) {
    return {.name = "trace_filter",
            .handler = with_failures_told([services](const Call& call, JsonWriter& out) {
                filter_traces(services, call, out);
            }),
            .weight = Weight::executing};
}

}  // namespace heddle::node::rpc
