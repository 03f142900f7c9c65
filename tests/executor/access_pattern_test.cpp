// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "state/access_pattern.hpp"

#include <array>
#include <vector>

#include <gtest/gtest.h>

#include "state/access_forecaster.hpp"
#include "state/access_patterns.hpp"

namespace heddle::executor {
namespace {

const Address kContract = address_from_low64(0xc0de);
const Address kOther = address_from_low64(0x07e4);

Address person(std::uint64_t number) {
    return address_from_low64(0xaaaa'0000 + number);
}

Hash pair_hash(const Uint256& first, const Uint256& second) {
    std::array<std::uint8_t, 64> input;
    store_be(first, input.data());
    store_be(second, input.data() + 32);
    return keccak256(input);
}

Transaction call(const Address& sender, std::vector<Uint256> arguments,
                 std::uint8_t selector = 0xa9) {
    Transaction tx;
    tx.sender = sender;
    tx.to = kContract;
    tx.data.assign(4 + 32 * arguments.size(), selector);
    for (std::size_t i = 0; i < arguments.size(); ++i)
        store_be(arguments[i], tx.data.data() + 4 + 32 * i);
    return tx;
}

/// What a contract does that hashes pairs and reads slots.
class Execution {
public:
    Uint256 hash(const Uint256& first, const Uint256& second) {
        std::array<std::uint8_t, 64> input;
        store_be(first, input.data());
        store_be(second, input.data() + 32);
        notes.hashes.add(vm::ShortInput{input}, keccak256(input));
        return to_word(keccak256(input));
    }
    void read(const Uint256& slot, const Address& contract = kContract) {
        notes.read.push_back({contract, slot, Uint256{1}});
    }
    [[nodiscard]] AccessPattern pattern(const Transaction& tx) const {
        return AccessPattern::of(tx, notes.hashes.all(), notes.read);
    }

    CallNotes notes;
};

/// What is foreseen of `next` after `tx` has been seen to do this.
struct Foreseen {
    std::vector<SlotValue> slots;
    std::vector<vm::KnownHash> hashes;
};
Foreseen foreseen(const Transaction& tx, const Execution& execution, const Transaction& next) {
    AccessPatterns patterns;
    EXPECT_TRUE(patterns.wants(tx));
    patterns.learn(tx, execution.notes);
    patterns.publish();
    AccessForecaster forecaster;
    forecaster.begin(std::span(&next, 1), patterns);
    Foreseen result;
    forecaster.tell_slots(0, result.slots, 100);
    forecaster.tell_hashes(0, result.hashes);
    for (const vm::KnownHash& known : result.hashes)
        EXPECT_EQ(known.hash, keccak256(known.input.bytes()));
    return result;
}

TEST(AccessPattern, keys_that_are_the_sender_or_an_argument_are_told) {
    const Transaction tx = call(person(1), {to_word(person(2)), Uint256{500}});
    Execution execution;
    execution.read(execution.hash(to_word(person(1)), Uint256{4}));
    execution.read(execution.hash(to_word(person(2)), Uint256{4}));

    const auto [slots, hashes] =
        foreseen(tx, execution, call(person(7), {to_word(person(8)), Uint256{9}}));

    ASSERT_EQ(slots.size(), 2u);
    EXPECT_EQ(slots[0].address, kContract);
    EXPECT_EQ(slots[0].slot, to_word(pair_hash(to_word(person(7)), Uint256{4})));
    EXPECT_EQ(slots[1].slot, to_word(pair_hash(to_word(person(8)), Uint256{4})));
    EXPECT_EQ(hashes.size(), 2u);
}

TEST(AccessPattern, mappings_of_mappings_and_members_of_structures_are_told) {
    const Transaction tx = call(person(1), {to_word(person(2))});
    Execution execution;
    const Uint256 outer = execution.hash(to_word(person(2)), Uint256{5});
    const Uint256 inner = execution.hash(to_word(person(1)), outer);
    execution.read(inner + Uint256{2});

    const auto [slots, hashes] = foreseen(tx, execution, call(person(3), {to_word(person(4))}));

    const Hash allowances = pair_hash(to_word(person(4)), Uint256{5});
    const Hash allowance = pair_hash(to_word(person(3)), to_word(allowances));
    ASSERT_EQ(slots.size(), 1u);
    EXPECT_EQ(slots[0].slot, to_word(allowance) + Uint256{2});
    EXPECT_EQ(hashes.size(), 2u);
}

TEST(AccessPattern, a_contract_that_is_an_argument_is_that_of_the_next_call) {
    const Transaction tx = call(person(1), {to_word(kOther)});
    Execution execution;
    execution.read(execution.hash(to_word(person(1)), Uint256{0}), kOther);

    EXPECT_EQ(foreseen(tx, execution, call(person(1), {to_word(person(9))})).slots.at(0).address,
              person(9));
    EXPECT_TRUE(foreseen(tx, execution, call(person(1), {Uint256::max()})).slots.empty())
        << "that is no address";
}

TEST(AccessPattern, what_is_the_same_in_each_call_is_left_out) {
    const Transaction tx = call(person(1), {Uint256{3}});
    Execution execution;
    execution.read(execution.hash(Uint256{3}, Uint256{1}));  // small: no argument but a position
    execution.read(Uint256{6});
    EXPECT_TRUE(execution.pattern(tx).is_empty());

    execution.read(execution.hash(to_word(person(1)), Uint256{1}));
    execution.read(execution.hash(to_word(person(1)), Uint256{1}));
    EXPECT_EQ(execution.pattern(tx).pair_count, 1);
    EXPECT_EQ(execution.pattern(tx).slot_count, 2);
}

TEST(AccessPattern, what_the_next_call_does_not_hand_over_is_not_told) {
    const Uint256 large{0, 1, 0, 0};
    const Transaction tx = call(person(1), {large, large + Uint256{1}});
    Execution execution;
    const Uint256 missing = execution.hash(large + Uint256{1}, Uint256{0});
    execution.read(missing);
    execution.read(execution.hash(large, missing));
    execution.read(execution.hash(large, Uint256{0}));

    const auto [slots, hashes] = foreseen(tx, execution, call(person(1), {large}));

    ASSERT_EQ(slots.size(), 1u) << "nor what depends on it";
    EXPECT_EQ(slots[0].slot, to_word(pair_hash(large, Uint256{0})));
}

TEST(AccessPattern, a_creation_and_one_without_a_sender_have_none) {
    Transaction tx = call(person(1), {});
    Execution execution;
    execution.read(execution.hash(to_word(person(1)), Uint256{1}));
    EXPECT_FALSE(execution.pattern(tx).is_empty());

    tx.to.reset();
    EXPECT_TRUE(execution.pattern(tx).is_empty());
    tx = call(person(1), {});
    tx.sender.reset();
    EXPECT_TRUE(execution.pattern(tx).is_empty());
}

TEST(AccessPatterns, what_was_learned_is_found_when_it_is_published) {
    const Transaction tx = call(person(1), {});
    Execution execution;
    execution.read(execution.hash(to_word(person(1)), Uint256{1}));
    AccessPatterns patterns;
    ASSERT_TRUE(patterns.wants(tx));
    patterns.learn(tx, execution.notes);
    EXPECT_EQ(patterns.find(tx), nullptr) << "others may be looking";

    patterns.publish();
    ASSERT_NE(patterns.find(tx), nullptr);
    EXPECT_EQ(*patterns.find(tx), execution.pattern(tx));
    EXPECT_NE(patterns.find(call(person(2), {Uint256{1}})), nullptr) << "the same function";
    EXPECT_EQ(patterns.find(call(person(1), {}, 0xaa)), nullptr) << "another function";
    Transaction elsewhere = tx;
    elsewhere.to = kOther;
    EXPECT_EQ(patterns.find(elsewhere), nullptr);
    elsewhere.to.reset();
    EXPECT_EQ(patterns.find(elsewhere), nullptr);
}

TEST(AccessPatterns, a_function_is_looked_at_now_and_then) {
    AccessPatterns patterns;
    const Transaction tx = call(person(1), {});
    std::vector<int> looked_at;
    for (int i = 0; i < 130; ++i)
        if (patterns.wants(tx)) looked_at.push_back(i);
    EXPECT_EQ(looked_at, (std::vector{0, 64, 128}));

    Transaction plain = tx;
    plain.data.resize(3);
    EXPECT_FALSE(patterns.wants(plain)) << "it names no function";
}

TEST(AccessPatterns, a_pattern_that_has_changed_takes_the_place_of_the_old_one) {
    const Transaction tx = call(person(1), {});
    AccessPatterns patterns;
    for (const std::uint64_t position : {1U, 2U}) {
        Execution execution;
        execution.read(execution.hash(to_word(person(1)), Uint256{position}));
        patterns.learn(tx, execution.notes);
        patterns.publish();
        EXPECT_EQ(patterns.find(tx)->pairs[0].second.literal, Uint256{position});
    }
    patterns.learn(tx, {});
    patterns.publish();
    EXPECT_EQ(patterns.find(tx), nullptr);
}

TEST(AccessPatterns, functions_that_hash_nothing_take_no_place) {
    const Transaction tx = call(person(1), {});
    Execution execution;
    execution.read(execution.hash(to_word(person(1)), Uint256{1}));
    AccessPatterns patterns;
    patterns.learn(tx, execution.notes);
    patterns.publish();
    for (std::uint64_t i = 0; i < 3'000; ++i) {
        Transaction other = tx;
        other.to = person(i);
        patterns.learn(other, {});
        if (i % 40 == 0) patterns.publish();
    }
    patterns.publish();
    EXPECT_NE(patterns.find(tx), nullptr);
}

TEST(AccessPatterns, however_many_functions_are_called_few_calls_are_looked_at) {
    AccessPatterns patterns;
    for (int block = 0; block < 3; ++block) {
        std::size_t looked_at = 0;
        for (std::uint64_t i = 0; i < 2'000; ++i) {
            Transaction tx = call(person(1), {});
            tx.to = person(i);
            looked_at += patterns.wants(tx) ? 1U : 0U;
        }
        EXPECT_EQ(looked_at, 48u);
        patterns.publish();
    }
}

TEST(AccessForecaster, hashes_of_many_calls_are_those_of_each) {
    const Transaction first = call(person(0), {to_word(person(1))});
    Execution execution;
    const Uint256 outer = execution.hash(to_word(person(0)), Uint256{5});
    execution.read(execution.hash(to_word(person(1)), outer));
    AccessPatterns patterns;
    patterns.learn(first, execution.notes);
    patterns.publish();
    std::vector<Transaction> calls;
    for (std::uint64_t i = 0; i < AccessForecaster::kMostTransactions; ++i) {
        calls.push_back(call(person(10 + i), {to_word(person(50 + i))}));
        if (i % 3 == 1) calls.back().to = kOther;  // of which nothing is known
    }
    AccessForecaster forecaster;
    for (int times = 0; times < 2; ++times) {
        forecaster.begin(calls, patterns);
        ASSERT_FALSE(forecaster.is_empty());
        for (std::uint64_t i = 0; i < calls.size(); ++i) {
            std::vector<SlotValue> slots;
            std::vector<vm::KnownHash> hashes;
            forecaster.tell_slots(i, slots, 100);
            forecaster.tell_hashes(i, hashes);
            if (i % 3 == 1) {
                EXPECT_TRUE(slots.empty() && hashes.empty());
                continue;
            }
            const Hash outer_hash = pair_hash(to_word(person(10 + i)), Uint256{5});
            const Hash inner = pair_hash(to_word(person(50 + i)), to_word(outer_hash));
            ASSERT_EQ(slots.size(), 1u);
            EXPECT_EQ(slots[0].slot, to_word(inner));
            ASSERT_EQ(hashes.size(), 2u);
            EXPECT_EQ(hashes[0].hash, outer_hash);
            EXPECT_EQ(hashes[1].hash, inner);
        }
    }
    calls.assign(2, call(person(1), {}, 0x11));
    forecaster.begin(calls, patterns);
    EXPECT_TRUE(forecaster.is_empty());
}

}  // namespace
}  // namespace heddle::executor
