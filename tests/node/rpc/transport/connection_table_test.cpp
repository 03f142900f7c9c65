// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/transport/connection_table.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace heddle::node::rpc {
namespace {

using std::chrono::milliseconds;
using Clock = ConnectionTable::Clock;

constexpr milliseconds kPatience{1'000};
const Client kA{1, false};
const Client kB{2, false};
const Client kC{3, false};

Client of(const std::string& address) {
    return client_of(boost::asio::ip::make_address(address));
}

/// A table and a clock that goes when it is told to.
class ConnectionTableTest : public testing::Test {
protected:
    /// Opens one and remembers it under the number that is returned; -1: refused.
    int open(const Client& client) {
        auto [slot, give_up] = table_.take(client, now_);
        if (give_up) give_up();
        if (!slot) return -1;
        const int number = static_cast<int>(slots_.size());
        slot->on_give_up([this, number] { given_up_.push_back(number); });
        slots_.push_back(std::move(slot));
        return number;
    }
    void pass(milliseconds time) { now_ += time; }

    ConnectionTable table_{{.connections = 6, .per_client = 3, .patience = kPatience}};
    Clock::time_point now_{std::chrono::hours{1}};
    std::vector<std::unique_ptr<ConnectionSlot>> slots_;
    std::vector<int> given_up_;
};

TEST_F(ConnectionTableTest, one_client_cannot_have_more_than_its_share) {
    for (int i = 0; i < 100; ++i)
        (void)open(kA);
    EXPECT_EQ(table_.open(), 3u);
    EXPECT_NE(open(kB), -1);
}

TEST_F(ConnectionTableTest, nobody_makes_room_before_having_waited_for_a_while) {
    for (int i = 0; i < 3; ++i)
        (void)open(kA);
    pass(kPatience - milliseconds{1});
    EXPECT_EQ(open(kA), -1);
    pass(milliseconds{1});
    EXPECT_NE(open(kA), -1);
    EXPECT_EQ(given_up_, std::vector<int>{0});
}

TEST_F(ConnectionTableTest, the_one_that_has_waited_longest_makes_room) {
    for (int i = 0; i < 3; ++i) {
        (void)open(kA);
        pass(milliseconds{10});
    }
    pass(kPatience);
    slots_[0]->wait(now_);  // has just been answered
    (void)open(kA);
    (void)open(kA);
    EXPECT_EQ(given_up_, (std::vector<int>{1, 2}));
    EXPECT_EQ(open(kA), -1) << "the others are young";
    EXPECT_EQ(table_.open(), 3u);
}

TEST_F(ConnectionTableTest, one_that_is_being_answered_stays) {
    for (int i = 0; i < 3; ++i)
        slots_[static_cast<std::size_t>(open(kA))]->work();
    pass(std::chrono::hours{1});
    EXPECT_EQ(open(kA), -1);
    slots_[1]->wait(now_);
    pass(kPatience);
    EXPECT_NE(open(kA), -1);
    EXPECT_EQ(given_up_, std::vector<int>{1});
}

TEST_F(ConnectionTableTest, a_client_at_its_bound_takes_nobody_elses_place) {
    (void)open(kB);
    for (int i = 0; i < 3; ++i)
        (void)open(kA);
    pass(kPatience);
    (void)open(kA);
    EXPECT_EQ(given_up_, std::vector<int>{1}) << "its own, though another has waited longer";
    EXPECT_EQ(table_.open(), 4u);
}

TEST_F(ConnectionTableTest, sockets_that_do_nothing_lock_nobody_out) {
    for (int i = 0; i < 3; ++i) {
        (void)open(kA);
        (void)open(kB);
    }
    EXPECT_EQ(open(kC), -1);
    pass(kPatience);
    EXPECT_NE(open(kC), -1);
    EXPECT_EQ(table_.open(), 6u);
    EXPECT_EQ(given_up_, std::vector<int>{0});
}

TEST_F(ConnectionTableTest, what_is_closed_or_given_up_counts_no_longer) {
    for (int i = 0; i < 3; ++i)
        (void)open(kA);
    pass(kPatience);
    (void)open(kA);     // in place of the first
    slots_[0].reset();  // which closes when it gets to it
    EXPECT_EQ(table_.open(), 3u);
    slots_.clear();
    EXPECT_EQ(table_.open(), 0u);
    table_.wait_until_empty(milliseconds{0});
    for (int i = 0; i < 3; ++i)
        EXPECT_NE(open(kA), -1) << "its whole share is free again";
}

TEST_F(ConnectionTableTest, one_that_nobody_can_end_yet_is_not_given_up) {
    for (int i = 0; i < 3; ++i)
        slots_.push_back(table_.take(kA, now_).slot);
    pass(kPatience);
    EXPECT_EQ(open(kA), -1);
}

TEST(Client, is_an_ipv4_address_or_an_ipv6_network) {
    EXPECT_EQ(of("10.1.2.3").key, of("10.1.2.3").key);
    EXPECT_NE(of("10.1.2.3").key, of("10.1.2.4").key);
    EXPECT_EQ(of("::ffff:10.1.2.3").key, of("10.1.2.3").key) << "over a socket for both";
    EXPECT_EQ(of("2001:db8:1:2::1").key, of("2001:db8:1:2:ffff::").key);
    EXPECT_NE(of("2001:db8:1:2::1").key, of("2001:db8:1:3::1").key);
    EXPECT_NE(of("0.0.0.1").key, of("::1").key);
}

TEST(Client, on_this_machine_is_known_as_such) {
    for (const char* const address : {"127.0.0.1", "127.8.9.1", "::1", "::ffff:127.0.0.1"})
        EXPECT_TRUE(of(address).is_loopback) << address;
    for (const char* const address : {"10.0.0.1", "128.0.0.1", "2001:db8::1", "::ffff:10.0.0.1"})
        EXPECT_FALSE(of(address).is_loopback) << address;
}

}  // namespace
}  // namespace heddle::node::rpc
