// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/methods/lanes_api.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "rpc/envelope/arguments.hpp"

namespace heddle::node::rpc {
namespace {

using lanes::LanesStatus;
using lanes::LaneState;
using lanes::LanesView;

void member(std::string_view name, std::uint64_t value, JsonWriter& out) {
    out.key(name);
    out.quantity(value);
}

void text_or_null(std::string_view name, const std::string& text, JsonWriter& out) {
    out.key(name);
    if (text.empty())
        out.null();
    else
        out.string(text);
}

void write(const LaneState& lane, std::uint64_t number, JsonWriter& out) {
    out.begin_object();
    member("lane", number, out);
    out.key("address");
    out.string(lane.address);
    out.key("connected");
    out.boolean(lane.is_connected);
    out.key("silent");
    out.boolean(lane.is_silent);
    member("height", lane.height, out);
    member("kept", lane.kept, out);
    member("merged", lane.merged, out);
    member("waitingEntries", lane.waiting, out);
    member("roundTripUs", lane.round_trip_us, out);
    out.key("offsetUs");  // it may be negative
    out.raw(std::to_string(lane.offset_us));
    text_or_null("fault", lane.fault, out);
    text_or_null("trouble", lane.trouble, out);
    out.end_object();
}

void write(const LanesStatus& status, JsonWriter& out) {
    out.begin_object();
    member("mergedNumber", status.merged_number, out);
    member("leading", status.leading, out);
    out.key("lanes");
    out.begin_array();
    for (std::size_t i = 0; i < status.lanes.size(); ++i)
        write(status.lanes[i], i, out);
    out.end_array();
    member("waiting", status.waiting, out);
    member("incomplete", status.incomplete, out);
    member("transactions", status.transactions, out);
    member("severalHomes", status.several_homes, out);
    member("components", status.components, out);
    member("rejected", status.rejected, out);
    member("refused", status.refused, out);
    member("wrongHome", status.wrong_home, out);
    member("leftOut", status.left_out, out);
    member("moves", status.moves, out);
    member("sentAgain", status.sent_again, out);
    out.end_object();
}

void write_homes(const LanesView& lanes, const Address& address, JsonWriter& out) {
    out.begin_array();
    for (const LanesView::UnitHome& home : lanes.homes_of(address)) {
        out.begin_object();
        out.key("firstSlot");
        out.quantity(home.unit.first_slot);
        member("lane", home.home.lane, out);
        member("moves", home.home.moves, out);
        out.end_object();
    }
    out.end_array();
}

void write_placement(const LanesView& lanes, const Hash& hash, JsonWriter& out) {
    const auto placed = lanes.placed(hash);
    if (!placed.has_value()) return out.null();
    out.begin_object();
    out.key("lanes");
    out.begin_array();
    for (const std::uint64_t lane : placed->lanes)
        out.quantity(lane);
    out.end_array();
    text_or_null("error", placed->outcome, out);
    out.end_object();
}

using lanes::JoinOffer;
using lanes::JoinPart;

void write(const JoinOffer& offer, JsonWriter& out) {
    out.begin_object();
    member("number", offer.number, out);
    out.key("hash");
    out.hex(offer.block_hash.view());
    member("manifestBytes", offer.manifest_bytes, out);
    member("chunks", offer.chunks, out);
    member("checkpointBytes", offer.checkpoint_bytes, out);
    out.key("checkpointHash");
    out.hex(offer.checkpoint_hash.view());
    out.end_object();
}

/// `"manifest"`, `"checkpoint"`, or a chunk's index as a quantity.
JoinPart to_join_part(const JsonView& json) {
    if (json.is_string() && json.string() == "manifest") return {JoinPart::Kind::manifest};
    if (json.is_string() && json.string() == "checkpoint") return {JoinPart::Kind::checkpoint};
    const std::uint64_t index = json.uint64();
    if (index > std::numeric_limits<std::uint32_t>::max()) json.fail("no index of a chunk");
    return {JoinPart::Kind::chunk, static_cast<std::uint32_t>(index)};
}

void write_part(lanes::JoinSource* source, const Call& call, JsonWriter& out) {
    const std::uint64_t number = uint64_argument(call.params, 0);
    const JoinPart part = argument(call.params, 1, to_join_part);
    const std::uint64_t offset = uint64_argument(call.params, 2);
    const auto bytes = source != nullptr ? source->part(number, part, offset) : std::nullopt;
    if (!bytes.has_value())
        throw RpcError(Code::not_found, "there is no such part of a snapshot of block " +
                                            std::to_string(number) +
                                            " here (any more); heddle_snapshots names those that "
                                            "there are");
    out.hex(*bytes);
}

}  // namespace

void add_join_methods(MethodTable& table, lanes::JoinSource* source) {
    table.add({"heddle_snapshots",
               at_most(0,
                       [source](const Call&, JsonWriter& out) {
                           out.begin_array();
                           if (source != nullptr)
                               for (const JoinOffer& offer : source->offers())
                                   write(offer, out);
                           out.end_array();
                       }),
               Weight::heavy});
    table.add(
        {"heddle_snapshotPart",
         at_most(3, [source](const Call& call, JsonWriter& out) { write_part(source, call, out); }),
         Weight::heavy});
}

void add_lanes_methods(MethodTable& table, const LanesView& lanes) {
    table.add({"heddle_lanes",
               at_most(0, [&lanes](const Call&, JsonWriter& out) { write(lanes.status(), out); })});
    table.add({"heddle_homes", at_most(1, [&lanes](const Call& call, JsonWriter& out) {
                   write_homes(lanes, address_argument(call.params, 0), out);
               })});
    table.add({"heddle_placement", at_most(1, [&lanes](const Call& call, JsonWriter& out) {
                   write_placement(lanes, hash_argument(call.params, 0), out);
               })});
}

}  // namespace heddle::node::rpc
