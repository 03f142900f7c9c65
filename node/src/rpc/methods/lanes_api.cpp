// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/methods/lanes_api.hpp"

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

}  // namespace

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
