// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <consensus_adapter/replication/acknowledgements.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::consensus_adapter::replication {
namespace {

using namespace std::chrono_literals;
using Kind = ReplicationEvent::Kind;
using Time = Acknowledgements::Time;

Time at(std::chrono::milliseconds since_begin) {
    return Time{} + 1h + since_begin;
}

AcknowledgementOptions of_two(std::size_t acks, OnTimeout on_timeout = OnTimeout::stop) {
    return {{"b", "c"}, acks, on_timeout, 1s, 4};
}

std::vector<Kind> kinds(Acknowledgements& acknowledgements) {
    std::vector<Kind> found;
    for (const ReplicationEvent& event : acknowledgements.take_events())
        found.push_back(event.kind);
    return found;
}

TEST(Acknowledgements, show_a_block_once_enough_backups_have_it) {
    Acknowledgements one{of_two(1), {10, 10, 11}, at(0ms)};
    Acknowledgements both{of_two(2), {10, 10, 11}, at(0ms)};
    for (Acknowledgements* each : {&one, &both}) {
        EXPECT_TRUE(each->joined("b", at(0ms)));
        EXPECT_TRUE(each->joined("c", at(0ms)));
        EXPECT_FALSE(each->joined("stranger", at(0ms)));
        each->kept(11, at(1ms));
        each->kept(12, at(2ms));
        EXPECT_EQ(each->shown(), 10u);
        each->acknowledged("stranger", 12, at(2ms));
        each->acknowledged("b", 12, at(3ms));
    }
    EXPECT_EQ(one.shown(), 12u);
    EXPECT_EQ(both.shown(), 10u);
    both.acknowledged("c", 11, at(4ms));
    EXPECT_EQ(both.shown(), 11u);
    both.acknowledged("c", 10, at(5ms));
    EXPECT_EQ(both.shown(), 11u) << "what was said once is not taken back";
    both.acknowledged("c", 99, at(5ms));
    EXPECT_EQ(both.shown(), 11u) << "there is no such block";
}

TEST(Acknowledgements, nobody_is_waited_for_where_none_is_asked_for) {
    Acknowledgements acknowledgements{of_two(0), {3, 5, 6}, at(0ms)};
    EXPECT_EQ(acknowledgements.shown(), 5u);
    acknowledgements.kept(6, at(0ms));
    EXPECT_EQ(acknowledgements.shown(), 6u);
    EXPECT_TRUE(acknowledgements.has_room());
}

TEST(Acknowledgements, blocks_of_earlier_epochs_wait_for_the_first_of_this_one) {
    Acknowledgements acknowledgements{of_two(1), {10, 12, 13}, at(0ms)};
    (void)acknowledgements.joined("b", at(0ms));
    acknowledgements.acknowledged("b", 12, at(0ms));
    EXPECT_EQ(acknowledgements.shown(), 10u) << "a chain that ends in a later epoch may still win";
    acknowledgements.kept(13, at(0ms));
    EXPECT_EQ(acknowledgements.shown(), 10u);
    acknowledgements.acknowledged("b", 13, at(0ms));
    EXPECT_EQ(acknowledgements.shown(), 13u);
}

TEST(Acknowledgements, the_first_block_of_an_epoch_may_always_be_made) {
    Acknowledgements acknowledgements{of_two(1), {10, 14, 15}, at(0ms)};
    acknowledgements.tick(at(2s));
    EXPECT_TRUE(acknowledgements.is_stopped());
    EXPECT_TRUE(acknowledgements.has_room());
    acknowledgements.kept(15, at(2s));
    EXPECT_FALSE(acknowledgements.has_room());
}

TEST(Acknowledgements, sealing_runs_ahead_by_the_window) {
    Acknowledgements acknowledgements{of_two(1), {0, 0, 1}, at(0ms)};
    (void)acknowledgements.joined("b", at(0ms));
    for (std::uint64_t number = 1; number <= 4; ++number) {
        EXPECT_TRUE(acknowledgements.has_room()) << number;
        acknowledgements.kept(number, at(0ms));
    }
    EXPECT_FALSE(acknowledgements.has_room());
    acknowledgements.acknowledged("b", 1, at(0ms));
    EXPECT_TRUE(acknowledgements.has_room());
}

TEST(Acknowledgements, stop_when_a_block_waits_too_long_and_go_on_when_it_is_there) {
    Acknowledgements acknowledgements{of_two(1), {0, 0, 1}, at(0ms)};
    (void)acknowledgements.joined("b", at(0ms));
    acknowledgements.kept(1, at(100ms));
    acknowledgements.kept(2, at(200ms));
    EXPECT_EQ(acknowledgements.next_tick(), at(1s)) << "the backup was heard at 0";
    acknowledgements.tick(at(1099ms));
    EXPECT_FALSE(acknowledgements.is_stopped());
    acknowledgements.tick(at(1100ms));
    EXPECT_TRUE(acknowledgements.is_stopped());
    EXPECT_FALSE(acknowledgements.has_room());
    EXPECT_EQ(acknowledgements.shown(), 0u);
    EXPECT_EQ(kinds(acknowledgements), (std::vector{Kind::joined, Kind::lost, Kind::stopped}));
    EXPECT_FALSE(acknowledgements.next_tick().has_value());

    acknowledgements.acknowledged("b", 1, at(3s));
    EXPECT_TRUE(acknowledgements.is_stopped()) << "block 2 has waited too long as well";
    acknowledgements.acknowledged("b", 2, at(3s));
    EXPECT_FALSE(acknowledgements.is_stopped());
    EXPECT_EQ(acknowledgements.shown(), 2u);
    EXPECT_EQ(kinds(acknowledgements), (std::vector{Kind::returned, Kind::restored}));
}

TEST(Acknowledgements, degrade_loudly_and_wait_again_once_backups_have_caught_up) {
    Acknowledgements acknowledgements{of_two(1, OnTimeout::degrade), {0, 0, 1}, at(0ms)};
    acknowledgements.kept(1, at(0ms));
    acknowledgements.tick(at(1s));
    EXPECT_TRUE(acknowledgements.is_degraded());
    EXPECT_EQ(acknowledgements.shown(), 1u);
    for (std::uint64_t number = 2; number <= 20; ++number)
        acknowledgements.kept(number, at(2s));
    EXPECT_EQ(acknowledgements.shown(), 20u);
    EXPECT_EQ(kinds(acknowledgements), (std::vector{Kind::degraded}));

    (void)acknowledgements.joined("c", at(3s));
    EXPECT_TRUE(acknowledgements.is_degraded()) << "it is too far behind";
    acknowledgements.acknowledged("c", 17, at(3s));
    EXPECT_TRUE(acknowledgements.is_degraded()) << "by more than half a window";
    acknowledgements.acknowledged("c", 19, at(4s));
    EXPECT_FALSE(acknowledgements.is_degraded());
    acknowledgements.kept(21, at(4s));
    EXPECT_EQ(acknowledgements.shown(), 20u) << "acknowledgements are waited for again";
    acknowledgements.acknowledged("c", 21, at(4s));
    EXPECT_EQ(acknowledgements.shown(), 21u);
    EXPECT_EQ(kinds(acknowledgements), (std::vector{Kind::joined, Kind::restored}));
}

TEST(Acknowledgements, a_backup_that_says_nothing_is_named_even_where_others_suffice) {
    Acknowledgements acknowledgements{of_two(1), {0, 0, 1}, at(0ms)};
    (void)acknowledgements.joined("b", at(0ms));
    (void)acknowledgements.joined("c", at(0ms));
    acknowledgements.kept(1, at(0ms));
    acknowledgements.acknowledged("b", 1, at(900ms));
    acknowledgements.tick(at(1s));

    const auto events = acknowledgements.take_events();
    ASSERT_EQ(events.size(), 3u);
    EXPECT_EQ(events.back().kind, Kind::lost);
    EXPECT_EQ(events.back().backup, "c");
    EXPECT_EQ(acknowledgements.shown(), 1u);
    EXPECT_TRUE(acknowledgements.backups().at(1).is_lost);

    acknowledgements.left("c", at(2s));
    acknowledgements.left("c", at(2s));
    EXPECT_EQ(kinds(acknowledgements), (std::vector{Kind::left})) << "once";
    EXPECT_FALSE(acknowledgements.backups().at(1).is_connected);
}

}  // namespace
}  // namespace heddle::consensus_adapter::replication
