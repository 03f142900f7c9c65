// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/transport/write_deadline.hpp"

#include <string>

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
    constexpr std::size_t kBytes = 24'000'000;
    constexpr milliseconds kWriteTime{2'000};
    constexpr std::chrono::nanoseconds kByteTime{260};
    TestClock clock;
    const WireServer server({.io_threads = 1,
                             .max_buffered_bytes = 8 * kBytes,
                             .idle_timeout = kWriteTime + milliseconds(200),
                             .write_timeout = kWriteTime,
                             .now = TestClock::now});
    HttpClient idle(server.port());  // who is late is looked for when this one has been found
    const std::string short_call = call_text("test_bytes", "[1]");
    EXPECT_EQ(idle.post(short_call).status, 200u);
    HttpClient client(server.port());
    // What the machine holds between the two, 4 MB, is taken in less than kWriteTime.
    client.read_little_ahead();
    client.send(post_text(call_text("test_bytes", "[24000000]"), "Connection: close\r\n"));

    std::size_t bytes = 0;
    bool is_looked_for = false;
    for (std::string part; !(part = client.receive_part()).empty();) {
        bytes += part.size();
        clock.pass(kByteTime * part.size());
        if (!is_looked_for && bytes > kBytes * 2 / 5) {  // 2.5 seconds, and most is to come
            idle.wait_for_end();
            is_looked_for = true;
        }
    }
    EXPECT_GT(bytes, kBytes);
    EXPECT_EQ(server.server.counters().timed_out, 1u);
}

}  // namespace
}  // namespace heddle::node::rpc
