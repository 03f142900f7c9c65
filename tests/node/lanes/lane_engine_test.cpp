// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "chain/block_tries.hpp"

#include <filesystem>
#include "lane_engine_fixture.hpp"

namespace heddle::node {
namespace {

TEST_F(LaneEngineTest, makes_the_same_blocks_on_every_node) {
    const auto first = start_node("first");
    const auto second = start_node("second");
    for (std::size_t round = 0; round < 5; ++round) {
        for (std::size_t from = 0; from < 9; ++from)
            put(transfer(from, (from + round + 1) % 9));
        order();
    }
    first->wait_for_merged(5);
    second->wait_for_merged(5);
    EXPECT_EQ(first->transactions(), 45u);
    EXPECT_EQ(first->hashes(), second->hashes());
    EXPECT_EQ(first->hashes().size(), 6u);

    // One that begins when all is over makes them, too.
    const auto third = start_node("third");
    third->wait_for_merged(5);
    EXPECT_EQ(third->hashes(), first->hashes());
    const auto status = third->engine().status();
    EXPECT_EQ(status.transactions, 45u);
    EXPECT_GT(status.several_homes, 0u);
    EXPECT_EQ(status.waiting, 0u);
}

TEST_F(LaneEngineTest, goes_on_where_it_was_with_lanes_that_do_not_answer) {
    std::vector<Hash> before;
    {
        const auto node = start_node();
        put(transfer(0, 1));
        order();
        put(transfer(1, 2));
        order();
        node->wait_for_merged(2);
        before = node->hashes();
    }
    for (const auto& lane : lanes_)
        lane->stop();
    const auto node = start_node();
    node->wait_for_merged(2);
    EXPECT_EQ(node->hashes(), before);
    EXPECT_EQ(node->engine().status().transactions, 0u) << "executed again";
    for (const auto& lane : lanes_)
        lane->start_again();
    put(transfer(0, 3));
    order();
    node->wait_for_merged(3);
    EXPECT_EQ(node->transactions(), 3u);
}

TEST_F(LaneEngineTest, asks_again_for_what_a_crash_took_from_its_logs) {
    for (int round = 0; round < 4; ++round) {
        put(transfer(0, 1));
        order();
    }
    std::vector<Hash> before;
    {
        const auto node = start_node();
        node->wait_for_merged(4);
        before = node->hashes();
    }
    // Every log loses its end, and one the whole of itself.
    const std::string logs = folder_ / "node/lanes/lane-";
    for (int lane = 0; lane < 2; ++lane) {
        const std::string log = logs + std::to_string(lane) + ".log";
        std::filesystem::resize_file(log, std::filesystem::file_size(log) / 2 + 3);
    }
    std::filesystem::remove(logs + "2.log");
    const auto node = start_node();
    node->wait_for_merged(4);
    EXPECT_EQ(node->hashes(), before);
}

TEST_F(LaneEngineTest, names_a_lane_that_decides_a_height_twice_and_follows_it_no_more) {
    const auto node = start_node();
    order();
    order();
    node->wait_for_merged(2);
    // It has lost its log, and decides otherwise.
    lanes_[1]->start_anew(folder_ / "other-1.log");
    lanes_[1]->order({});
    lanes_[1]->order({Bytes(3, 3)});
    wait_until([&] { return !node->engine().status().lanes[1].fault.empty(); });
    EXPECT_THAT(node->engine().status().lanes[1].fault,
                HasSubstr("lane 1 has two blocks of height 2: 0x"));
    EXPECT_EQ(node->failure(), "");
    // The others go on, as the leading lane names it as silent.
    put(transfer(0, 0));
    LaneSet silent;
    silent.add(1);
    order(silent);
    node->wait_for_merged(3);
}

TEST_F(LaneEngineTest, follows_no_lane_that_is_another_one) {
    std::swap(lanes_[1], lanes_[2]);
    const auto node = start_node();
    wait_until([&] { return !node->engine().status().lanes[1].fault.empty(); });
    EXPECT_THAT(node->engine().status().lanes[1].fault,
                HasSubstr("is lane 2 of 3 led by 0 for chain 1337, and should be lane 1"));
    EXPECT_TRUE(node->engine().status().lanes[0].fault.empty());
}

TEST_F(LaneEngineTest, waits_for_a_lane_whose_blocks_a_cut_names_and_goes_on_with_them) {
    order();
    lanes_[2]->order({});
    const std::uint64_t there = lanes_[2]->height();
    lanes_[2]->stop();
    lanes_[0]->cut({0, lanes_[1]->height(), there});
    const auto node = start_node();
    wait_until([&] {
        const auto status = node->engine().status();
        return status.lanes[0].kept == 2 && !status.lanes[2].trouble.empty();
    });
    EXPECT_EQ(node->engine().status().merged_number, 0u);
    lanes_[2]->start_again();
    node->wait_for_merged(2);
    EXPECT_EQ(node->engine().status().lanes[2].merged, there);
    EXPECT_EQ(node->engine().status().lanes[2].trouble, "");
}

TEST_F(LaneEngineTest, rejects_a_half_alike_everywhere_and_goes_on) {
    const auto [a, b] = apart();
    const auto first = start_node("first");
    const homes::Entry half = transfer(a, b);
    put(half, home(b));
    order();
    put(transfer(b, b));  // it is not kept by the half: they share nothing in its own lane
    for (int i = 0; i < 20; ++i)
        order();
    const auto second = start_node("second");
    first->wait_for_merged(21);
    second->wait_for_merged(21);
    EXPECT_EQ(first->hashes(), second->hashes());
    EXPECT_EQ(first->transactions(), 1u);
    EXPECT_EQ(first->engine().status().rejected, 1u);
    EXPECT_EQ(first->engine().status().waiting, 0u);
}

TEST_F(LaneEngineTest, rejects_other_code_in_two_lanes_alike_everywhere) {
    const auto [a, b] = apart();
    const auto node = start_node();
    homes::Entry one = transfer(a, b);
    homes::Entry other = one;
    other.placement.insert_at_us = 5;  // says otherwise
    next_[home(a)].push_back(encode(one));
    next_[home(b)].push_back(encode(other));
    for (int i = 0; i < 18; ++i)
        order();
    node->wait_for_merged(18);
    EXPECT_EQ(node->engine().status().rejected, 2u);
    EXPECT_EQ(node->transactions(), 0u);
}

TEST_F(LaneEngineTest, rejects_at_once_what_misses_an_entry_of_a_silent_lane) {
    const auto [a, b] = apart();
    const auto node = start_node();
    put(transfer(a, b), home(b));
    LaneSet silent;
    silent.add(home(b));
    order(silent);
    node->wait_for_merged(1);
    EXPECT_EQ(node->engine().status().rejected, 1u);
    EXPECT_TRUE(node->engine().status().lanes[home(b)].is_silent);
}

TEST_F(LaneEngineTest, moves_a_home_when_its_owner_says_so_and_then_fails_the_old_one) {
    const auto [a, b] = apart();
    const auto first = start_node("first");
    const auto second = start_node("second");
    const HomeUnit unit{account(b), {}};
    put(move(b, unit, home(a)));
    order();
    const homes::Entry stale = transfer(b, b);
    --nonces_[b];
    put(stale);
    order();
    directory_.move(unit, {home(a), 1});
    put(transfer(b, b));
    order();
    first->wait_for_merged(3);
    second->wait_for_merged(3);
    EXPECT_EQ(first->hashes(), second->hashes());
    const auto status = first->engine().status();
    EXPECT_EQ(status.moves, 1u);
    EXPECT_EQ(status.wrong_home, 1u);
    EXPECT_EQ(first->transactions(), 2u) << "the move, which is paid for, and the last one";
    const auto now = first->engine().homes_of(account(b));
    ASSERT_EQ(now.size(), 1u);
    EXPECT_EQ(now.front().home, (homes::Home{home(a), 1}));
}

TEST_F(LaneEngineTest, keeps_homes_in_the_state_and_finds_them_there_after_a_start) {
    const auto [a, b] = apart();
    const HomeUnit unit{account(b), {}};
    const homes::Entry stale = transfer(b, b);
    --nonces_[b];
    {
        const auto node = start_node();
        put(move(b, unit, home(a)));
        order();
        node->wait_for_merged(1);
        EXPECT_EQ(node->chain().state().storage(homes::homes_address(), homes::home_slot(unit)),
                  Uint256{std::uint64_t{256} + home(a)});
        EXPECT_EQ(homes::moves_in(node->chain().state()), Uint256{std::uint64_t{1}});
        const auto proof = node::BlockTries(node->chain(), 1, {})
                               .prove(homes::homes_address(), {homes::home_slot(unit)});
        ASSERT_TRUE(proof.has_value()) << "so that anybody can be shown where it is";
    }
    put(stale);
    order();
    directory_.move(unit, {home(a), 1});
    put(transfer(b, b));
    order();
    const auto node = start_node();
    const auto other = start_node("other");
    node->wait_for_merged(3);
    other->wait_for_merged(3);
    EXPECT_EQ(node->engine().status().wrong_home, 1u);
    EXPECT_EQ(node->transactions(), 2u);
    EXPECT_EQ(node->hashes(), other->hashes());
}

TEST_F(LaneEngineTest, moves_a_home_from_the_next_merged_block_on) {
    const auto [a, b] = apart();
    const auto node = start_node();
    const HomeUnit unit{account(b), {}};
    put(move(b, unit, home(a)));
    put(transfer(b, b));  // by the old home, and after the move: it counts as before
    order();
    node->wait_for_merged(1);
    EXPECT_EQ(node->transactions(), 2u);
    EXPECT_EQ(node->engine().status().wrong_home, 0u);
}

TEST_F(LaneEngineTest, moves_nothing_by_a_move_that_fails) {
    const auto [a, b] = apart();
    const auto node = start_node();
    const HomeUnit unit{account(b), {}};
    put(move(b, unit, home(a), 30'000));  // too little gas for what it writes
    order();
    put(transfer(b, b));
    order();
    node->wait_for_merged(2);
    EXPECT_EQ(node->engine().status().moves, 0u);
    EXPECT_EQ(node->engine().homes_of(account(b)).front().home.moves, 0u);
    EXPECT_EQ(node->transactions(), 2u) << "paid for, and the next one by the home that it has";
}

TEST_F(LaneEngineTest, sees_a_move_that_lanes_ordered_as_something_else) {
    const auto [a, b] = apart();
    const auto node = start_node();
    const HomeUnit unit{account(b), {}};
    put(move(a, {account(a), {}}, home(b)));
    order();
    node->wait_for_merged(1);
    // Any transaction may call the contract; this one is placed as a transfer to it.
    const Transaction hidden =
        signed_with(unsigned_move(nonces_[b]++, {unit, home(a), 0}), dev_accounts()[b].secret);
    const homes::Entry stale = transfer(b, b);
    put(make_entry(homes::place(directory_, transfer_objects(hidden)), hidden, ++id_));
    order();
    put(stale);
    order();
    node->wait_for_merged(3);
    EXPECT_EQ(node->engine().homes_of(account(b)).front().home, (homes::Home{home(a), 1}));
    EXPECT_EQ(node->engine().status().wrong_home, 1u) << "what was looked up before is not used";
}

TEST_F(LaneEngineTest, moves_no_home_for_somebody_else) {
    const auto [a, b] = apart();
    const auto node = start_node();
    const HomeUnit unit{account(b), {}};
    put(move(a, unit, home(a)));
    order();
    node->wait_for_merged(1);
    EXPECT_EQ(node->engine().homes_of(account(b)).front().home.moves, 0u);
    EXPECT_EQ(node->engine().status().refused, 1u);
    put(move(9, unit, home(a)));  // whom the chain names
    order();
    node->wait_for_merged(2);
    EXPECT_EQ(node->engine().homes_of(account(b)).front().home.moves, 1u);
}

TEST_F(LaneEngineTest, refuses_a_folder_whose_chain_comes_from_other_logs) {
    {
        const auto node = start_node();
        put(transfer(0, 1));
        order();
        node->wait_for_merged(1);
    }
    // Lanes that begin anew, and a folder whose logs are gone.
    std::filesystem::remove_all(folder_ / "node/lanes");
    for (LaneNumber lane = 0; lane < kLanes; ++lane)
        lanes_[lane]->start_anew(folder_ / "new-" + std::to_string(lane) + ".log");
    order();
    const auto node = start_node();
    wait_until([&] { return !node->failure().empty(); });
    EXPECT_THAT(node->failure(), HasSubstr("block 1 of the chain in this folder was made from "
                                           "another order"));
}

}  // namespace
}  // namespace heddle::node
