// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "lanes/entry_sender.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace heddle::node::lanes {
namespace {

namespace homes = consensus_adapter::lanes;
using consensus_adapter::cometbft::BroadcastResult;
using consensus_adapter::cometbft::CometError;
using homes::LaneNumber;
using homes::LaneSet;

/// Lanes that count what they are handed.
class Lanes {
public:
    std::atomic<bool> is_away{false};
    std::atomic<bool> is_held{false};
    std::atomic<bool> is_asked{false};

    [[nodiscard]] LanePlacer::Send send() {
        return [this](LaneNumber lane, std::span<const Bytes> entries)
                   -> std::expected<std::vector<BroadcastResult>, CometError> {
            is_asked = true;
            while (is_held)
                std::this_thread::yield();
            if (is_away) return std::unexpected(CometError{{}, "away"});
            const std::scoped_lock lock{mutex_};
            handed_[lane] += entries.size();
            return std::vector<BroadcastResult>(entries.size(), BroadcastResult::accepted);
        };
    }
    [[nodiscard]] std::size_t handed(LaneNumber lane) {
        const std::scoped_lock lock{mutex_};
        return handed_[lane];
    }

private:
    std::mutex mutex_;
    std::map<LaneNumber, std::size_t> handed_;  // guarded by mutex_
};

SentEntry entry(std::uint8_t number, LaneSet lanes) {
    SentEntry result;
    result.digest.bytes[0] = number;
    result.entry = Bytes(100, number);
    result.lanes = lanes;
    return result;
}

void wait_until(const auto& is_so) {
    while (!is_so())
        std::this_thread::sleep_for(std::chrono::milliseconds{1});
}

TEST(EntrySender, hands_each_lane_what_is_for_it_and_says_who_has_it) {
    Lanes lanes;
    OpenPlacements open;
    open.placed({}, entry(1, LaneSet{3}));
    EntrySender sender{lanes.send(), open};
    sender.give({entry(1, LaneSet{3}), entry(2, LaneSet{2})});
    wait_until([&] { return sender.counters().sent == 3; });
    EXPECT_EQ(lanes.handed(0), 1u);
    EXPECT_EQ(lanes.handed(1), 2u);
    EXPECT_EQ(open.find({})->lanes, LaneSet{3}) << "all have taken it";
}

TEST(EntrySender, drops_what_a_lane_that_does_not_answer_should_have_and_leaves_it_alone) {
    Lanes lanes;
    lanes.is_away = true;
    OpenPlacements open;
    EntrySenderOptions options;
    options.rest = std::chrono::hours{1};
    EntrySender sender{lanes.send(), open, options};
    sender.give({entry(1, LaneSet{1})});
    wait_until([&] { return sender.counters().dropped == 1; });
    EXPECT_EQ(open.failing(), LaneSet{1});
    lanes.is_away = false;
    sender.give({entry(1, LaneSet{1}), entry(2, LaneSet{2})});
    wait_until([&] { return sender.counters().sent == 1; });
    EXPECT_EQ(lanes.handed(0), 0u);
    EXPECT_EQ(sender.counters().dropped, 2u);
}

TEST(EntrySender, keeps_no_more_than_it_may_and_stops_with_what_waits) {
    Lanes lanes;
    lanes.is_held = true;
    OpenPlacements open;
    EntrySenderOptions options;
    options.most_waiting = 3;
    options.most_bytes = 250;
    EntrySender sender{lanes.send(), open, options};
    for (std::uint8_t i = 0; i < 10; ++i)
        sender.give({entry(i, LaneSet{1})});
    EXPECT_GE(sender.counters().dropped, 7u) << "one may be on its way";
    lanes.is_held = false;
    sender.stop();
}

// A lane does not answer - the sender is stopped - every further lane of the batch was asked first,
// each for as long as it may take.
TEST(EntrySender, asks_no_other_lane_once_it_is_stopped) {
    std::atomic<std::uint64_t> calls{0};
    std::atomic<bool> is_stopping{false};
    OpenPlacements open;
    EntrySender sender{[&](LaneNumber, std::span<const Bytes> entries)
                           -> std::expected<std::vector<BroadcastResult>, CometError> {
                           ++calls;
                           wait_until([&] { return is_stopping.load(); });
                           return std::vector<BroadcastResult>(entries.size(),
                                                               BroadcastResult::accepted);
                       },
                       open};
    sender.give({entry(1, LaneSet{7})});
    wait_until([&] { return calls == 1; });
    sender.give({entry(2, LaneSet{3})});
    std::jthread stopping([&] { sender.stop(); });
    // What waits is dropped at once.
    wait_until([&] { return sender.counters().dropped == 2; });
    is_stopping = true;
    stopping.join();

    EXPECT_EQ(calls, 1u);
    EXPECT_EQ(sender.counters().sent, 1u);
    EXPECT_EQ(sender.counters().dropped, 4u);
}

// What was sent counted once for each lane, and so did what a lane refused; what never came so far
// counted once.
TEST(EntrySender, counts_an_entry_once_for_each_lane_wherever_it_is_dropped) {
    Lanes lanes;
    lanes.is_held = true;
    OpenPlacements open;
    EntrySenderOptions options;
    options.most_waiting = 2;
    EntrySender sender{lanes.send(), open, options};
    sender.give({entry(0, LaneSet{7})});
    wait_until([&] { return lanes.is_asked.load(); });
    for (std::uint8_t i = 1; i <= 5; ++i)
        sender.give({entry(i, LaneSet{7})});
    EXPECT_EQ(sender.counters().dropped, 9u) << "two wait";
    lanes.is_held = false;
    wait_until([&] { return sender.counters().sent == 9; });
    sender.stop();
    sender.give({entry(6, LaneSet{3})});
    EXPECT_EQ(sender.counters().dropped, 11u);
}

TEST(EntrySender, takes_entries_from_many_threads) {
    Lanes lanes;
    OpenPlacements open;
    EntrySender sender{lanes.send(), open};
    constexpr std::uint64_t kThreads = 4;
    constexpr std::uint64_t kEntries = 100;
    std::vector<std::jthread> threads;
    for (std::uint64_t i = 0; i < kThreads; ++i)
        threads.emplace_back([&] {
            for (std::uint64_t j = 0; j < kEntries; ++j) {
                sender.give({entry(1, LaneSet{1})});
                (void)open.on_block(j, {}, [](const Hash&) { return true; });
            }
        });
    threads.clear();
    wait_until([&] {
        const EntrySenderCounters counters = sender.counters();
        return counters.sent + counters.dropped == kThreads * kEntries;
    });
    EXPECT_EQ(sender.counters().sent, lanes.handed(0));
}

}  // namespace
}  // namespace heddle::node::lanes
