// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/transport/write_deadline.hpp"

#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "wire_clients.hpp"

namespace heddle::node::rpc {
namespace {

using std::chrono::milliseconds;

constexpr WriteDeadline::Time kBegin{};
constexpr milliseconds kTime{30'000};
constexpr std::size_t kPart = 480'000;

TEST(WriteDeadline, is_that_of_a_short_answer_while_nothing_is_taken) {
    WriteDeadline deadline;
    deadline.begin(kBegin, kTime, kPart);
    EXPECT_EQ(deadline.get(), kBegin + kTime);
    deadline.note(kBegin + milliseconds(29'000), 0);
    EXPECT_EQ(deadline.get(), kBegin + kTime);
}

/// A 25 MB answer at 20 KB a second takes twenty minutes.
TEST(WriteDeadline, moves_on_with_who_takes_a_large_answer_slowly) {
    constexpr std::size_t kAnswer = 25'000'000;
    WriteDeadline deadline;
    deadline.begin(kBegin, kTime, kPart);
    WriteDeadline::Time now = kBegin;
    for (std::size_t taken = 0; taken < kAnswer; taken += 20'000, now += milliseconds(1'000)) {
        deadline.note(now, taken);
        ASSERT_GT(deadline.get(), now) << taken;
    }
    EXPECT_GT(now, kBegin + 40 * kTime);
}

TEST(WriteDeadline, does_not_move_for_who_drips) {
    WriteDeadline deadline;
    deadline.begin(kBegin, kTime, kPart);
    WriteDeadline::Time now = kBegin;
    for (std::size_t taken = 0; now < deadline.get(); taken += 100, now += milliseconds(10))
        deadline.note(now, taken);
    EXPECT_EQ(now, kBegin + kTime);
}

TEST(WriteDeadline, gives_each_answer_and_its_end_the_whole_time) {
    WriteDeadline deadline;
    deadline.begin(kBegin, kTime, kPart);
    deadline.note(kBegin + milliseconds(20'000), kPart + 7);
    deadline.note(kBegin + milliseconds(40'000), 2 * kPart);
    EXPECT_EQ(deadline.get(), kBegin + milliseconds(20'000) + kTime)
        << "seven bytes are missing of the second part";
    deadline.end();
    EXPECT_EQ(deadline.get(), WriteDeadline::Time::max());
    deadline.begin(kBegin + milliseconds(90'000), kTime, kPart);
    EXPECT_EQ(deadline.get(), kBegin + milliseconds(90'000) + kTime);
}

// An answer had `write_timeout` as a whole, however large it was and however steadily it was taken.
TEST(ServerLimits, give_who_takes_a_large_answer_slowly_all_of_it) {
    constexpr std::size_t kBytes = 20'000'000;
    constexpr milliseconds kWriteTime{2'000};
    const WireServer server({.write_timeout = kWriteTime});
    HttpClient client(server.port());

    client.send(post_text(call_text("test_bytes", "[20000000]"), "Connection: close\r\n"));

    const auto begin = std::chrono::steady_clock::now();
    std::size_t bytes = 0;
    for (std::string part; !(part = client.receive_part()).empty();) {
        bytes += part.size();
        std::this_thread::sleep_for(milliseconds(11));  // 64 KiB each: three seconds in all
    }
    EXPECT_GT(bytes, kBytes);
    EXPECT_GT(std::chrono::steady_clock::now() - begin, kWriteTime) << "otherwise nothing is shown";
    EXPECT_EQ(server.server.counters().timed_out, 0u);
}

}  // namespace
}  // namespace heddle::node::rpc
