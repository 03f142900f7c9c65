// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "keccak_cache.hpp"

namespace heddle::vm {
namespace {

/// Addresses and topics of a few contracts, mostly.
std::vector<Bytes> random_inputs(std::mt19937_64& random, std::size_t count, std::size_t distinct) {
    std::vector<Bytes> inputs;
    for (std::size_t i = 0; i < count; ++i) {
        std::mt19937_64 content(random() % distinct);
        Bytes& input = inputs.emplace_back(1 + content() % 64);
        for (std::uint8_t& byte : input)
            byte = static_cast<std::uint8_t>(content());
    }
    return inputs;
}

std::set<Hash> hashes_of(const std::vector<Bytes>& inputs) {
    std::set<Hash> hashes;
    for (const Bytes& input : inputs)
        hashes.insert(keccak256(input));
    return hashes;
}

TEST(KeccakCache, gives_the_hash_whether_it_remembers_it_or_not) {
    std::mt19937_64 random(1);
    KeccakCache cache;
    for (const Bytes& input : random_inputs(random, 20'000, 5'000))
        ASSERT_EQ(cache.hash(input), keccak256(input));
    const Bytes longer(100, 0x5a);
    EXPECT_EQ(cache.hash(longer), keccak256(longer));
    EXPECT_EQ(cache.hash({}), kEmptyCodeHash);
}

TEST(KeccakCache, inputs_that_differ_in_zeros_at_the_end_are_different) {
    KeccakCache cache;
    for (std::size_t size = 1; size <= 64; ++size)
        EXPECT_EQ(cache.hash(Bytes(size, 0)), keccak256(Bytes(size, 0)));
}

TEST(KeccakCache, notes_what_is_hashed_whether_it_remembers_it_or_not) {
    KeccakCache cache;
    HashNotes notes{3};
    const Bytes pair(64, 1);
    const Bytes word(32, 2);
    (void)cache.hash(pair);
    cache.note(&notes);
    (void)cache.hash(pair);
    (void)cache.hash(Bytes(65, 3));
    (void)cache.hash(word);
    (void)cache.hash(word);
    (void)cache.hash(Bytes(20, 4));
    cache.note(nullptr);

    ASSERT_EQ(notes.all().size(), 3u) << "the first ones of them";
    EXPECT_EQ(notes.all()[0].input, ShortInput{pair});
    EXPECT_EQ(notes.all()[0].hash, keccak256(pair));
    EXPECT_EQ(notes.all()[1].input, ShortInput{word});
    EXPECT_EQ(notes.all()[2].input, ShortInput{word});
    notes.clear();
    (void)cache.hash(pair);
    EXPECT_TRUE(notes.all().empty());
}

TEST(KeccakCache, does_not_hash_what_it_was_told) {
    KeccakCache cache;
    const Bytes pair(64, 1);
    cache.remember({ShortInput{pair}, keccak256(pair)});
    cache.remember({ShortInput{pair}, keccak256(pair)});
    EXPECT_EQ(cache.hash(pair), keccak256(pair));
    EXPECT_EQ(cache.made(), 0u);
    EXPECT_EQ(cache.told(), 1u) << "the second time it was remembered";

    EXPECT_EQ(cache.hash(Bytes(63, 1)), keccak256(Bytes(63, 1)));
    EXPECT_EQ(cache.made(), 1u);
}

TEST(KeccakCache, visits_the_hashes_of_a_set_however_many_were_remembered) {
    std::mt19937_64 random(2);
    KeccakCache cache;
    // The last ones are more than there are entries, so that some take another's place meanwhile.
    for (const std::size_t distinct : {1u, 5u, 40u, 3'000u, 100'000u}) {
        for (int round = 0; round < 20; ++round) {
            const std::vector<Bytes> inputs = random_inputs(random, random() % 600, distinct);
            std::set<Hash> visited;
            const auto visit = [&](const Hash& hash) { visited.insert(hash); };
            for (const Bytes& input : inputs)
                cache.visit_later(input, visit);
            cache.visit_rest(visit);
            ASSERT_EQ(visited, hashes_of(inputs));
            for (const Bytes& input : inputs)
                ASSERT_EQ(cache.hash(input), keccak256(input));
        }
    }
}

}  // namespace
}  // namespace heddle::vm
