// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "service/lane_metrics.hpp"

#include <cstdint>
#include <string>

#include <prometheus/counter.h>
#include <prometheus/gauge.h>

#include "service/metric_group.hpp"

namespace heddle::node {
namespace {

using prometheus::Counter;
using prometheus::Family;
using prometheus::Gauge;

}  // namespace

struct LaneMetrics::Impl : MetricGroup {
    using MetricGroup::MetricGroup;

    Gauge& number = gauge("heddle_lanes_merged_number", "The last merged block.");
    Gauge& waiting =
        gauge("heddle_lanes_waiting_transactions", "Transactions not in the order yet.");
    Gauge& incomplete = gauge("heddle_lanes_incomplete_transactions",
                              "Of these, those that miss an entry of a lane.");
    Family<Gauge>& heights = gauges("heddle_lanes_height", "Height of a lane, as it says.");
    Family<Gauge>& merged = gauges("heddle_lanes_merged_height", "As far as it is merged.");
    Family<Gauge>& delays =
        gauges("heddle_lanes_round_trip_seconds", "Of the last question to a lane.");
    Family<Gauge>& entries =
        gauges("heddle_lanes_waiting_entries", "Entries that wait for a place in a lane.");
    Family<Gauge>& states =
        gauges("heddle_lanes_state", "0: good, 1: silent, 2: not connected, 3: at fault.");
    Counter& transactions =
        counter("heddle_lanes_transactions_total", "Executed out of merged blocks.");
    Counter& rejected = counter("heddle_lanes_rejected_total", "Placed in a part of its lanes.");
    Counter& refused = counter("heddle_lanes_refused_total", "Items of lanes that are no entries.");
    Counter& wrong_home = counter("heddle_lanes_wrong_home_total", "Placed by a wrong home.");
    Counter& sent_again = counter("heddle_lanes_sent_again_total",
                                  "Entries sent once more, to lanes that lacked them or might.");
    Counter& components =
        counter("heddle_lanes_components_total", "Transactions that lanes disagreed about.");
};

LaneMetrics::LaneMetrics(prometheus::Registry& registry)
    : impl_(std::make_unique<Impl>(registry)) {}
LaneMetrics::~LaneMetrics() = default;

void LaneMetrics::look(const lanes::LanesStatus& status) {
    const auto number = [](std::uint64_t value) { return static_cast<double>(value); };
    impl_->number.Set(number(status.merged_number));
    impl_->waiting.Set(number(status.waiting));
    impl_->incomplete.Set(number(status.incomplete));
    for (std::size_t i = 0; i < status.lanes.size(); ++i) {
        const lanes::LaneState& lane = status.lanes[i];
        const prometheus::Labels label{{"lane", std::to_string(i)}};
        impl_->heights.Add(label).Set(number(lane.height));
        impl_->merged.Add(label).Set(number(lane.merged));
        impl_->delays.Add(label).Set(number(lane.round_trip_us) / 1e6);
        impl_->entries.Add(label).Set(number(lane.waiting));
        const double state = !lane.fault.empty()  ? 3
                             : !lane.is_connected ? 2
                             : lane.is_silent     ? 1
                                                  : 0;
        impl_->states.Add(label).Set(state);
    }
    catch_up(impl_->transactions, status.transactions);
    catch_up(impl_->rejected, status.rejected);
    catch_up(impl_->refused, status.refused);
    catch_up(impl_->wrong_home, status.wrong_home);
    catch_up(impl_->components, status.components);
    catch_up(impl_->sent_again, status.sent_again);
}

}  // namespace heddle::node
