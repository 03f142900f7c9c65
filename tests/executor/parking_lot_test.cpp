// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// On real threads. All interleavings of small cases: tests/schedule.
#include "workers/parking_lot.hpp"

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <executor/executor.hpp>

namespace heddle::executor {
namespace {

TEST(ParkingLot, notifying_nobody_says_so) {
    ParkingLot lot;
    EXPECT_FALSE(lot.notify());
}

TEST(ParkingLot, nobody_sleeps_who_sees_work_at_the_last_look) {
    ParkingLot lot;
    lot.park([] { return true; });
    EXPECT_FALSE(lot.notify()) << "nobody is there any more";
}

TEST(ParkingLot, waiting_for_what_is_there_returns_at_once) {
    ParkingLot lot;
    lot.wait([] { return true; });
    EXPECT_FALSE(lot.notify());
}

TEST(ParkingLot, wakes_who_sleeps) {
    ParkingLot lot;
    std::atomic<bool> has_work{false};
    std::thread sleeper([&] {
        while (!has_work)
            lot.park([&] { return has_work.load(); });
    });
    std::this_thread::yield();
    has_work = true;
    lot.notify();
    sleeper.join();
}

// Regression: whoever waited yielded thousands of times, each time for a whole time slice of who
// else wanted the processor, and was not asleep, to be woken ahead of that one, for seconds.
TEST(ParkingLot, who_shares_a_processor_sleeps_soon) {
    ParkingLot lot;
    std::atomic<bool> has_work{false};
    std::atomic<bool> is_over{false};
    std::thread other([&] {
        bind_this_thread(0);
        while (!is_over)
            pause_briefly();
    });
    std::thread waiting([&] {
        bind_this_thread(0);
        lot.wait([&] { return has_work.load(); });
    });
    // Looks are counted, not seconds, in which all threads may have been kept from running.
    constexpr int kMostLooks = 200;
    bool was_asleep = false;
    for (int look = 0; look < kMostLooks && !was_asleep; ++look) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        was_asleep = lot.notify();
    }
    has_work = true;
    lot.notify();
    waiting.join();
    is_over = true;
    other.join();
    EXPECT_TRUE(was_asleep);
}

TEST(ParkingLot, two_threads_pass_a_ball_to_and_fro) {
    constexpr unsigned kRounds = 2'000;
    ParkingLot lots[2];
    std::atomic<unsigned> ball{0};
    const auto play = [&](unsigned side) {
        const auto is_mine = [&] { return ball.load() % 2 == side || ball.load() >= kRounds; };
        for (;;) {
            while (!is_mine())
                lots[side].park(is_mine);
            if (ball.load() >= kRounds) return;
            ball.fetch_add(1);
            lots[1 - side].notify();
        }
    };

    std::thread other([&] { play(1); });
    play(0);
    lots[1].notify();
    other.join();

    EXPECT_GE(ball.load(), kRounds);
}

TEST(ParkingLot, wakes_all_to_go_home) {
    ParkingLot lot;
    std::atomic<bool> is_over{false};
    std::vector<std::thread> sleepers;
    sleepers.reserve(4);
    for (int i = 0; i < 4; ++i)
        sleepers.emplace_back([&] {
            while (!is_over)
                lot.park([&] { return is_over.load(); });
        });
    std::this_thread::yield();
    is_over = true;
    while (lot.notify()) {
    }
    for (std::thread& sleeper : sleepers)
        sleeper.join();
}

}  // namespace
}  // namespace heddle::executor
