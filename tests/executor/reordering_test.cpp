// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Rules and order against a formulation that looks at every pair, and against every order there is.
#include "aria/reordering.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include <workload/random.hpp>

#include "aria/unit_making.hpp"

namespace heddle::executor {
namespace {

using workload::Random;

constexpr Touch read(std::uint32_t object) {
    return {object, false, TouchMode::read};
}
constexpr Touch write(std::uint32_t object) {
    return {object, false, TouchMode::write};
}
constexpr Touch move(std::uint32_t object) {
    return {object, false, TouchMode::move};
}

/// Sets `x = f(y)`: Aria reads y and writes x, which is not read.
std::vector<bool> committing(const std::vector<Footprint>& units) {
    FirstTouches touches;
    touches.begin_batch();
    for (std::uint32_t i = 0; i < units.size(); ++i)
        touches.reserve(i, units[i]);
    std::vector<bool> result;
    for (std::uint32_t i = 0; i < units.size(); ++i)
        result.push_back(touches.commits(i, units[i]));
    return result;
}

std::vector<const Footprint*> chosen(const std::vector<Footprint>& units,
                                     const std::vector<bool>& are_in) {
    std::vector<const Footprint*> result;
    for (std::size_t i = 0; i < units.size(); ++i)
        if (are_in[i]) result.push_back(&units[i]);
    return result;
}

bool touches(const Footprint& unit, const Touch& other, bool (*does)(TouchMode)) {
    return std::ranges::any_of(unit, [&](const Touch& touch) {
        return touch.object == other.object && touch.is_slot == other.is_slot && does(touch.mode);
    });
}
/// Whether `a` reads what `b` changes.
bool depends(const Footprint& a, const Footprint& b) {
    return std::ranges::any_of(
        a, [&](const Touch& touch) { return reads(touch.mode) && touches(b, touch, changes); });
}
/// Whether nobody reads what one before it changes.
bool is_serial(const std::vector<const Footprint*>& units,
               const std::vector<std::uint32_t>& order) {
    for (std::size_t later = 0; later < order.size(); ++later)
        for (std::size_t before = 0; before < later; ++before)
            if (depends(*units[order[later]], *units[order[before]])) return false;
    return true;
}

Footprint draw_unit(Random& random) {
    Footprint unit;
    for (std::uint32_t i = 0; i < 1 + random.below(4); ++i)
        unit.push_back(
            {random.below(6), random.below(2) == 0, static_cast<TouchMode>(random.below(3))});
    return unit;
}

TEST(Reordering, lets_a_chain_of_readers_commit_backwards) {
    // T_i reads record i and moves record i + 1 (Aria §3).
    std::vector<Footprint> units;
    for (std::uint32_t i = 0; i < 5; ++i)
        units.push_back({read(i), move(i + 1)});

    const std::vector<bool> are_in = committing(units);

    EXPECT_EQ(are_in, std::vector<bool>(5, true));
    EXPECT_EQ(order_units(chosen(units, are_in)), (std::vector<std::uint32_t>{4, 3, 2, 1, 0}));
}

TEST(Reordering, aborts_what_reads_and_is_read) {
    // T1: y = x; T2: x = z; T3: z = y (Aria §5.3, example 3): all three make a cycle.
    const std::vector<Footprint> units = {
        {read(0), move(1)}, {read(2), move(0)}, {read(1), move(2)}};

    EXPECT_EQ(committing(units), (std::vector<bool>{true, true, false}));
}

TEST(Reordering, lets_one_writer_of_an_object_commit) {
    const std::vector<Footprint> units(4, Footprint{write(3)});

    EXPECT_EQ(committing(units), (std::vector<bool>{true, false, false, false}));
}

TEST(Reordering, lets_all_movers_of_a_balance_commit_as_they_come) {
    const std::vector<Footprint> units(4, Footprint{move(3)});
    const std::vector<bool> are_in = committing(units);

    EXPECT_EQ(are_in, std::vector<bool>(4, true));
    EXPECT_EQ(order_units(chosen(units, are_in)), (std::vector<std::uint32_t>{0, 1, 2, 3}));
}

TEST(Reordering, commits_what_every_pair_allows) {
    Random random{1};
    for (int turn = 0; turn < 20'000; ++turn) {
        std::vector<Footprint> units(2 + random.below(6));
        for (Footprint& unit : units)
            unit = draw_unit(random);

        const std::vector<bool> are_in = committing(units);

        for (std::size_t i = 0; i < units.size(); ++i) {
            bool reads_earlier = false;
            bool is_read_earlier = false;
            for (std::size_t j = 0; j < i; ++j) {
                reads_earlier |= depends(units[i], units[j]);
                is_read_earlier |= depends(units[j], units[i]);
            }
            ASSERT_EQ(are_in[i], !(reads_earlier && is_read_earlier)) << "turn " << turn;
        }
    }
}

TEST(Reordering, gives_the_first_of_all_orders_that_are_serial) {
    Random random{2};
    unsigned reordered = 0;
    for (int turn = 0; turn < 3'000; ++turn) {
        std::vector<Footprint> units(2 + random.below(5));
        for (Footprint& unit : units)
            unit = draw_unit(random);
        const std::vector<const Footprint*> in = chosen(units, committing(units));

        const std::vector<std::uint32_t> order = order_units(in);

        std::vector<std::uint32_t> candidate(in.size());
        std::iota(candidate.begin(), candidate.end(), 0u);
        // In lexicographic order, so that the first that will do is the one.
        while (!is_serial(in, candidate))
            ASSERT_TRUE(std::ranges::next_permutation(candidate).found) << "turn " << turn;
        ASSERT_EQ(order, candidate) << "turn " << turn;
        reordered += order.front() != 0 ? 1 : 0;
    }
    EXPECT_GT(reordered, 100u);
}

// --- Units ---------------------------------------------------------------------------------------

Transaction from_to(std::uint64_t sender, std::uint64_t recipient) {
    Transaction tx;
    tx.sender = address_from_low64(sender);
    tx.to = address_from_low64(recipient);
    return tx;
}

std::vector<std::vector<std::uint32_t>> trials_of(const std::vector<Unit>& units) {
    std::vector<std::vector<std::uint32_t>> result;
    for (const Unit& unit : units)
        result.push_back(unit.trials);
    return result;
}
using Trials = std::vector<std::vector<std::uint32_t>>;

TEST(Units, are_made_of_the_transactions_of_one_sender) {
    const std::array txs = {from_to(1, 9), from_to(2, 9), from_to(1, 8), from_to(3, 7)};
    std::vector<Trial> trials(txs.size());
    for (std::size_t i = 0; i < txs.size(); ++i)
        trials[i].tx = &txs[i];

    EXPECT_EQ(trials_of(units_by_sender(trials, {})), (Trials{{0, 2}, {1}, {3}}));
}

TEST(Units, are_joined_where_a_recipient_has_aborted_most_of_late) {
    BusyRecipients busy;
    for (int i = 0; i < 4; ++i) {
        busy.note(from_to(1, 9), i != 0);
        busy.note(from_to(1, 8), i == 0);
        busy.note(from_to(1, 7), i % 2 == 0);  // half is not most
    }
    const std::array txs = {from_to(1, 9), from_to(2, 9), from_to(3, 8),
                            from_to(4, 8), from_to(5, 7), from_to(6, 7)};
    std::vector<Trial> trials(txs.size());
    for (std::size_t i = 0; i < txs.size(); ++i)
        trials[i].tx = &txs[i];
    // The first that goes in is not noted: most recipients are met once.
    busy.note(from_to(1, 9), true);

    EXPECT_EQ(trials_of(units_by_sender(trials, busy)), (Trials{{0, 1}, {2}, {3}, {4}, {5}}));
    for (int i = 0; i < 3; ++i)
        busy.fade();
    EXPECT_EQ(trials_of(units_by_sender(trials, busy)), (Trials{{0}, {1}, {2}, {3}, {4}, {5}}));
}

TEST(Units, of_what_was_aborted_are_those_that_disturb_each_other) {
    std::vector<Unit> aborted(5);
    for (std::uint32_t i = 0; i < aborted.size(); ++i)
        aborted[i].trials = {10 - 2 * i, 20 + i};
    aborted[0].footprint = {write(1)};
    aborted[1].footprint = {move(2), read(5)};
    aborted[2].footprint = {read(1)};
    aborted[3].footprint = {move(2), read(5)};             // moves and reads disturb nobody
    aborted[4].footprint = {{1, true, TouchMode::write}};  // another object of the same number

    EXPECT_EQ(trials_of(units_by_conflict(aborted)),
              (Trials{{2, 24}, {4, 23}, {6, 10, 20, 22}, {8, 21}}));
}

}  // namespace
}  // namespace heddle::executor
