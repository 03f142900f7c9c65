// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "lane_network.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include <consensus_adapter/lanes/cut.hpp>
#include <consensus_adapter/lanes/merger.hpp>
#include <consensus_adapter/lanes/opportunistic.hpp>
#include <measure/statistics.hpp>
#include <workload/random.hpp>

namespace heddle::bench {

namespace {

using namespace consensus_adapter::lanes;
using workload::Random;

using Micros = std::uint64_t;

/// us-east-1, us-east-2, eu-west-1, eu-west-2, ap-northeast-1, ap-northeast-2, ap-southeast-1,
/// ap-southeast-2.
constexpr std::array<std::array<double, kRegions>, kRegions> kRoundTripMs = {{
    {0, 12, 67, 75, 148, 173, 211, 197},
    {12, 0, 77, 85, 132, 160, 197, 187},
    {67, 77, 0, 11, 202, 229, 183, 254},
    {75, 85, 11, 0, 209, 236, 171, 263},
    {148, 132, 202, 209, 0, 32, 71, 128},
    {173, 160, 229, 236, 32, 0, 72, 148},
    {211, 197, 183, 171, 71, 72, 0, 91},
    {197, 187, 254, 263, 128, 148, 91, 0},
}};
/// us-east-2: where the paper has its orderer, and here the leading lane is.
constexpr std::size_t kCentre = 1;

/// One, so that an estimate of nothing is not mistaken for a place in time.
constexpr Micros kBeginning = 1'000'000;

Micros to_micros(double ms) {
    return static_cast<Micros>(std::llround(ms * 1'000));
}

struct SimulatedTransaction {
    Micros sent = 0;
    std::size_t from = 0;
    std::array<std::size_t, 2> homes{};  // the same twice: one home
    std::array<std::uint32_t, 2> objects{};
    Micros ordered = 0;   // in `from`; 0: not yet
    std::size_t cut = 0;  // from 1; 0: in no block

    [[nodiscard]] bool is_multi_home() const { return homes[0] != homes[1]; }
};

/// One final block of one lane.
struct Batch {
    Micros final = 0;
    MergeBlock block;
    std::array<Micros, kRegions> arrival{};
};

class Simulation {
public:
    explicit Simulation(const LaneNetwork& network) : network_(network), random_(network.seed) {}

    LaneNetworkResult run();

private:
    /// An entry on its way into a lane.
    struct Sent {
        Micros arrival = 0;
        Micros insert_at = 0;
        std::size_t transaction = 0;
    };

    void draw_directions();
    void draw_transactions();
    std::size_t draw_home(std::size_t from);
    Micros delay(std::size_t from, std::size_t to);
    Micros majority_round_trip();
    void order_globally();
    void send_to_lanes();
    void send_in_order();
    std::vector<std::pair<Micros, std::vector<std::size_t>>> order_at_centre(
        bool (*is_wanted)(const SimulatedTransaction&));
    void fill_lanes();
    void broadcast(std::vector<Batch>& lane, std::size_t from);
    void merge_at(std::size_t region, LaneNetworkResult& result);
    void merge_cuts(LaneNetworkResult& result);
    [[nodiscard]] MergeBlock make_block(std::size_t lane,
                                        const std::vector<std::size_t>& transactions) const;
    void summarize(LaneNetworkResult& result) const;

    const LaneNetwork network_;
    Random random_;
    std::array<std::array<double, kRegions>, kRegions> one_way_ms_{};
    std::vector<SimulatedTransaction> transactions_;
    std::array<std::vector<Sent>, kRegions> sent_;
    std::array<std::vector<Batch>, kRegions> lanes_;
    /// By merged block from 1 on: when it is whole in each region.
    std::vector<std::array<Micros, kRegions>> cut_arrival_;
};

void Simulation::draw_directions() {
    for (std::size_t a = 0; a < kRegions; ++a)
        for (std::size_t b = a + 1; b < kRegions; ++b) {
            const bool is_forward = random_.below(2) == 0;
            const double slow = kRoundTripMs[a][b] * network_.asymmetry;
            const double fast = kRoundTripMs[a][b] - slow;
            one_way_ms_[a][b] = is_forward ? slow : fast;
            one_way_ms_[b][a] = is_forward ? fast : slow;
        }
}

/// Own region first, then by distance, each half as likely as one before it of double the rank
/// (the paper's clients weigh regions by a Zipfian distribution).
std::size_t Simulation::draw_home(std::size_t from) {
    std::array<std::size_t, kRegions> by_distance{};
    for (std::size_t i = 0; i < kRegions; ++i)
        by_distance[i] = i;
    std::ranges::sort(by_distance, {},
                      [&](std::size_t region) { return kRoundTripMs[from][region]; });
    double sum = 0;
    for (std::size_t rank = 1; rank <= kRegions; ++rank)
        sum += 1 / static_cast<double>(rank);
    double drawn = sum * random_.below(1'000'000) / 1e6;
    for (std::size_t rank = 1; rank <= kRegions; ++rank) {
        drawn -= 1 / static_cast<double>(rank);
        if (drawn < 0) return by_distance[rank - 1];
    }
    return from;
}

void Simulation::draw_transactions() {
    const auto count =
        static_cast<std::size_t>(network_.seconds * network_.transactions_per_second);
    transactions_.resize(count);
    const auto span = static_cast<std::uint32_t>(network_.seconds * 1e6);
    for (SimulatedTransaction& transaction : transactions_) {
        transaction.sent = kBeginning + random_.below(span);
        transaction.from = random_.below(kRegions);
        transaction.homes = {transaction.from, transaction.from};
        if (random_.below(100) < network_.multi_home_percent) {
            transaction.homes[0] = draw_home(transaction.from);
            do
                transaction.homes[1] = draw_home(transaction.from);
            while (transaction.homes[1] == transaction.homes[0]);
        }
        for (std::uint32_t& object : transaction.objects)
            object = random_.below(network_.hot_objects);
    }
    std::ranges::sort(transactions_, {}, &SimulatedTransaction::sent);
}

/// Of one message. Within a region everything is there after half a millisecond.
Micros Simulation::delay(std::size_t from, std::size_t to) {
    if (from == to) return 500;
    const auto jitter = static_cast<std::uint32_t>(network_.jitter_ms * 1'000);
    return to_micros(one_way_ms_[from][to]) + (jitter == 0 ? 0 : random_.below(jitter));
}

void Simulation::send_to_lanes() {
    std::array<std::array<DelayEstimate, kRegions>, kRegions> estimates;
    Micros probed = 0;
    for (std::size_t i = 0; i < transactions_.size(); ++i) {
        const SimulatedTransaction& transaction = transactions_[i];
        if (transaction.sent >= probed + 50'000) {
            probed = transaction.sent;
            for (std::size_t from = 0; from < kRegions; ++from)
                for (std::size_t to = 0; to < kRegions; ++to)
                    estimates[from][to].add(static_cast<std::int64_t>(delay(from, to)));
        }
        Micros insert_at = 0;
        if (transaction.is_multi_home() && network_.ordering == Ordering::opportunistic) {
            std::array<std::int64_t, 2> offsets{};
            for (std::size_t h = 0; h < 2; ++h)
                offsets[h] = estimates[transaction.from][transaction.homes[h]].offset_us();
            insert_at =
                insertion_time_us(transaction.sent, offsets, to_micros(network_.overshoot_ms));
        }
        for (std::size_t h = 0; h < (transaction.is_multi_home() ? 2 : 1); ++h) {
            const std::size_t home = transaction.homes[h];
            sent_[home].push_back({transaction.sent + delay(transaction.from, home), insert_at, i});
        }
    }
}

/// Until the centre knows that most regions, itself among them, have what it sends them.
Micros Simulation::majority_round_trip() {
    std::vector<Micros> answers;
    for (std::size_t region = 0; region < kRegions; ++region) {
        if (region == kCentre) continue;
        const Micros there = delay(kCentre, region);
        answers.push_back(there + delay(region, kCentre));
    }
    constexpr std::size_t kOthers = kRegions / 2;  // with the centre they are more than half
    std::ranges::nth_element(answers, answers.begin() + (kOthers - 1));
    return answers[kOthers - 1];
}

/// Batches of the orderer in the centre: when each is final, and what it has.
std::vector<std::pair<Micros, std::vector<std::size_t>>> Simulation::order_at_centre(
    bool (*is_wanted)(const SimulatedTransaction&)) {
    std::vector<std::pair<Micros, std::size_t>> arrivals;
    for (std::size_t i = 0; i < transactions_.size(); ++i)
        if (is_wanted(transactions_[i]))
            arrivals.emplace_back(transactions_[i].sent + delay(transactions_[i].from, kCentre), i);
    std::ranges::sort(arrivals);
    const Micros interval = to_micros(network_.batch_ms);
    std::vector<std::pair<Micros, std::vector<std::size_t>>> batches;
    Micros end = kBeginning;
    for (const auto& [arrival, transaction] : arrivals) {
        if (batches.empty() || arrival > end) {
            while (arrival > end)
                end += interval;
            Micros final = end + to_micros(network_.consensus_ms);
            if (network_.ordering == Ordering::replicated) final += majority_round_trip();
            if (!batches.empty()) final = std::max(final, batches.back().first);
            batches.push_back({final, {}});
        }
        batches.back().second.push_back(transaction);
    }
    return batches;
}

void Simulation::send_in_order() {
    const auto batches = order_at_centre(
        [](const SimulatedTransaction& transaction) { return transaction.is_multi_home(); });
    std::array<Micros, kRegions> last{};
    for (const auto& [final, members] : batches)
        for (std::size_t region = 0; region < kRegions; ++region) {
            last[region] = std::max(last[region] + 1, final + delay(kCentre, region));
            for (const std::size_t i : members)
                if (transactions_[i].homes[0] == region || transactions_[i].homes[1] == region)
                    sent_[region].push_back({last[region], 0, i});
        }
    for (std::size_t i = 0; i < transactions_.size(); ++i) {
        const SimulatedTransaction& transaction = transactions_[i];
        if (!transaction.is_multi_home())
            sent_[transaction.from].push_back(
                {transaction.sent + delay(transaction.from, transaction.from), 0, i});
    }
}

MergeBlock Simulation::make_block(std::size_t lane,
                                  const std::vector<std::size_t>& transactions) const {
    MergeBlock block;
    for (const std::size_t i : transactions) {
        const SimulatedTransaction& transaction = transactions_[i];
        MergeEntry entry;
        entry.id = {transaction.sent, static_cast<LaneNumber>(transaction.from)};
        const std::uint64_t number = i + 1;
        std::memcpy(entry.digest.bytes.data(), &number, sizeof number);
        entry.content = number;
        std::array<LaneAccess, 2> accesses;
        std::size_t count = 0;
        for (std::size_t h = 0; h < 2; ++h) {
            entry.lanes.add(static_cast<LaneNumber>(transaction.homes[h]));
            if (transaction.homes[h] != lane) continue;
            if (count == 1 && transaction.objects[0] == transaction.objects[1]) continue;
            accesses[count++].object.address =
                address_from_low64(std::uint64_t{lane} << 32 | transaction.objects[h]);
        }
        block.add(entry, std::span{accesses}.first(count));
    }
    return block;
}

/// Each lane takes what has come and is due, batch by batch, by the node's own queue.
void Simulation::fill_lanes() {
    const Micros interval = to_micros(network_.batch_ms);
    for (std::size_t lane = 0; lane < kRegions; ++lane) {
        auto& sent = sent_[lane];
        std::ranges::sort(sent, {},
                          [](const Sent& one) { return std::pair{one.arrival, one.transaction}; });
        InsertionQueue<std::size_t> queue;
        std::size_t next = 0;
        const Micros phase = random_.below(static_cast<std::uint32_t>(interval));
        const Micros last = kBeginning + to_micros(network_.seconds * 1e3);
        for (Micros end = kBeginning + phase;
             next < sent.size() || queue.size() != 0 || end <= last; end += interval) {
            for (; next < sent.size() && sent[next].arrival <= end; ++next) {
                const SimulatedTransaction& transaction = transactions_[sent[next].transaction];
                queue.add(sent[next].arrival, sent[next].insert_at,
                          {transaction.sent, static_cast<LaneNumber>(transaction.from)},
                          sent[next].transaction);
            }
            Batch& batch = lanes_[lane].emplace_back();
            batch.final = end + to_micros(network_.consensus_ms);
            batch.block = make_block(lane, queue.take_due(end));
        }
        broadcast(lanes_[lane], lane);
    }
}

/// Links keep the order of what goes over them.
void Simulation::broadcast(std::vector<Batch>& lane, std::size_t from) {
    std::array<Micros, kRegions> last{};
    for (Batch& batch : lane)
        for (std::size_t to = 0; to < kRegions; ++to)
            last[to] = batch.arrival[to] = std::max(last[to], batch.final + delay(from, to));
}

MergeRules patient_rules() {
    MergeRules rules;
    rules.lane_count = kRegions;
    rules.max_age_cuts = rules.max_held_cuts = std::uint64_t{1} << 40;
    rules.max_waiting = std::size_t{1} << 40;
    return rules;
}

/// What a region knows before any cut (Detock): it merges whatever comes when it comes.
void Simulation::merge_at(std::size_t region, LaneNetworkResult& result) {
    std::vector<std::pair<Micros, std::pair<std::size_t, std::size_t>>> arrivals;
    for (std::size_t lane = 0; lane < kRegions; ++lane)
        for (std::size_t i = 0; i < lanes_[lane].size(); ++i)
            arrivals.push_back({lanes_[lane][i].arrival[region], {lane, i}});
    std::ranges::sort(arrivals);
    Merger merger(patient_rules());
    std::vector<std::vector<const MergeBlock*>> blocks(kRegions);
    for (const auto& [time, place] : arrivals) {
        const auto& [lane, batch] = place;
        blocks[lane] = {&lanes_[lane][batch].block};
        const MergedCut merged = merger.merge(blocks);
        blocks[lane].clear();
        for (const MergedTransaction& ordered : merged.order) {
            SimulatedTransaction& transaction = transactions_[ordered.content - 1];
            if (transaction.from == region) transaction.ordered = time;
        }
        result.most_waiting = std::max<std::uint64_t>(result.most_waiting, merger.memory().waiting);
    }
}

/// What the chain is made of: the centre's lane says up to where it has seen the others.
void Simulation::merge_cuts(LaneNetworkResult& result) {
    MergeRules rules;
    rules.lane_count = kRegions;
    rules.max_age_cuts = 400;  // two seconds, for lanes whose blocks are 5 ms apart
    rules.max_held_cuts = 400;
    rules.max_waiting = std::size_t{1} << 24;
    Merger merger(rules);
    std::array<std::size_t, kRegions> taken{};
    cut_arrival_.emplace_back();
    for (const Batch& leading : lanes_[kCentre]) {
        // A proposal has what its proposer knew when it began.
        const Micros known = leading.final - to_micros(network_.consensus_ms);
        std::vector<std::vector<const MergeBlock*>> blocks(kRegions);
        auto& whole = cut_arrival_.emplace_back(leading.arrival);
        for (std::size_t lane = 0; lane < kRegions; ++lane)
            for (auto& at = taken[lane]; at < lanes_[lane].size(); ++at) {
                const Batch& batch = lanes_[lane][at];
                if (lane == kCentre ? &batch > &leading : batch.arrival[kCentre] > known) break;
                blocks[lane].push_back(&batch.block);
                for (std::size_t region = 0; region < kRegions; ++region)
                    whole[region] = std::max(whole[region], batch.arrival[region]);
            }
        const MergedCut merged = merger.merge(blocks);
        result.components += merged.components;
        result.in_components_percent += static_cast<double>(merged.component_members);
        result.largest_component = std::max(result.largest_component, merged.largest_component);
        result.rejected += merged.rejected.size();
        for (const MergedTransaction& ordered : merged.order)
            transactions_[ordered.content - 1].cut = cut_arrival_.size() - 1;
    }
}

void Simulation::order_globally() {
    const auto batches = order_at_centre([](const SimulatedTransaction&) { return true; });
    std::array<Micros, kRegions> last{};
    for (const auto& [final, members] : batches) {
        for (std::size_t region = 0; region < kRegions; ++region)
            last[region] = std::max(last[region], final + delay(kCentre, region));
        for (const std::size_t i : members)
            transactions_[i].ordered = last[transactions_[i].from];
    }
}

Latency latency_of(std::vector<double> values) {
    if (values.empty()) return {};
    const std::span<double> all{values};
    return {measure::percentile(all, 0.5), measure::percentile(all, 0.99)};
}

void Simulation::summarize(LaneNetworkResult& result) const {
    std::vector<double> single;
    std::vector<double> multi;
    std::vector<double> all;
    std::vector<double> block;
    const Micros end = kBeginning + to_micros(network_.seconds * 1e3);
    std::uint64_t in_time = 0;
    for (const SimulatedTransaction& transaction : transactions_) {
        if (transaction.ordered != 0 && transaction.ordered <= end) ++in_time;
        if (transaction.sent < kBeginning + to_micros(network_.seconds * 500)) continue;
        // One that never is ordered has waited for as long as there was something to wait for.
        const Micros ordered = transaction.ordered != 0 ? transaction.ordered : 2 * end;
        const double ms = static_cast<double>(ordered - transaction.sent) / 1e3;
        (transaction.is_multi_home() ? multi : single).push_back(ms);
        all.push_back(ms);
        if (transaction.cut != 0)
            block.push_back(static_cast<double>(cut_arrival_[transaction.cut][transaction.from] -
                                                transaction.sent) /
                            1e3);
    }
    result.transactions = transactions_.size();
    result.ordered_per_second = static_cast<double>(in_time) / network_.seconds;
    result.single_home = latency_of(std::move(single));
    result.multi_home = latency_of(std::move(multi));
    result.all = latency_of(std::move(all));
    result.block = latency_of(std::move(block));
    result.in_components_percent *= 100 / static_cast<double>(transactions_.size());
}

LaneNetworkResult Simulation::run() {
    LaneNetworkResult result;
    draw_directions();
    draw_transactions();
    if (network_.ordering == Ordering::global || network_.ordering == Ordering::replicated) {
        order_globally();
        summarize(result);
        return result;
    }
    if (network_.ordering == Ordering::slog)
        send_in_order();
    else
        send_to_lanes();
    fill_lanes();
    for (std::size_t region = 0; region < kRegions; ++region)
        merge_at(region, result);
    merge_cuts(result);
    summarize(result);
    return result;
}

}  // namespace

std::string_view to_string(Ordering ordering) noexcept {
    switch (ordering) {
        case Ordering::lanes:
            return "lanes";
        case Ordering::opportunistic:
            return "lanes, opportunistic";
        case Ordering::slog:
            return "SLOG";
        case Ordering::global:
            return "global";
        case Ordering::replicated:
            return "global, replicated";
    }
    return "unknown";
}

LaneNetworkResult simulate(const LaneNetwork& network) {
    return Simulation(network).run();
}

}  // namespace heddle::bench
