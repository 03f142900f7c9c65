// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "lanes/lane_methods.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <consensus_adapter/block_source.hpp>
#include <consensus_adapter/lanes/lane_store.hpp>

#include "rpc/envelope/arguments.hpp"

namespace heddle::node::lanes {
namespace {

using consensus_adapter::lanes::LaneApplication;
using consensus_adapter::lanes::LaneStore;

void write_status(const LaneApplication& lane, std::uint64_t now_us, JsonWriter& out) {
    const auto& rules = lane.rules();
    out.begin_object();
    out.key("lane");
    out.quantity(std::uint64_t{rules.head.lane});
    out.key("laneCount");
    out.quantity(std::uint64_t{rules.head.lane_count});
    out.key("leading");
    out.quantity(std::uint64_t{rules.head.leading});
    out.key("chainId");
    out.quantity(rules.chain_id);
    out.key("height");
    out.quantity(lane.store().height());
    out.key("waiting");
    out.quantity(std::uint64_t{lane.waiting()});
    out.key("timeUs");
    out.quantity(now_us);
    out.end_object();
}

void write_blocks(const LaneStore& store, std::uint64_t from, std::uint64_t most, JsonWriter& out) {
    if (from == 0) throw rpc::RpcError(rpc::Code::invalid_params, "heights begin at 1");
    if (const std::uint64_t given_up = store.given_up(); from <= given_up)
        throw rpc::RpcError(
            rpc::Code::invalid_params,
            fmt::format("heights up to {} were given up here (retainBlocks in lane.json); ask a "
                        "validator that keeps more, or begin with the checkpoint of a node",
                        given_up));
    out.begin_object();
    out.key("blocks");
    out.begin_array();
    const std::uint64_t height = store.height();
    std::size_t bytes = 0;
    for (std::uint64_t i = 0; i < std::min(most, kMostLaneBlocks); ++i) {
        if (from > height || i > height - from) break;
        const auto block = store.read(from + i);
        if (!block.has_value())
            throw rpc::RpcError(rpc::Code::internal_error,
                                "the lane's log cannot be read: " + to_string(block.error()));
        bytes += block->size();
        if (i != 0 && bytes > kMostLaneBytes) break;
        out.hex(*block);
    }
    out.end_array();
}

}  // namespace

void add_lane_log_methods(rpc::MethodTable& table, const LaneApplication& lane,
                          const std::function<std::uint64_t()>& clock) {
    table.add({"lane_status", rpc::at_most(0, [&lane, clock](const rpc::Call&, JsonWriter& out) {
                   write_status(lane, clock(), out);
               })});
    table.add({"lane_blocks",
               rpc::at_most(2,
                            [&lane, clock](const rpc::Call& call, JsonWriter& out) {
                                write_blocks(lane.store(), rpc::uint64_argument(call.params, 0),
                                             rpc::uint64_argument(call.params, 1), out);
                                // Of the moment in which it was answered.
                                out.key("height");
                                out.quantity(lane.store().height());
                                out.key("waiting");
                                out.quantity(std::uint64_t{lane.waiting()});
                                out.key("timeUs");
                                out.quantity(clock());
                                out.end_object();
                            }),
               rpc::Weight::heavy});
}

}  // namespace heddle::node::lanes
