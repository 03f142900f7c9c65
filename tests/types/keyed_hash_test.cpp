// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What an attacker can do to the tables: lengths of buckets under keys made to meet in one of them.
#include <types/keyed_hash.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <types/address.hpp>
#include <types/hash.hpp>
#include <types/uint256.hpp>

namespace heddle {
namespace {

constexpr std::size_t kBuckets = 4096;
/// With as many uniform hashes as buckets, a longer one comes up once in 10^11 times.
constexpr std::size_t kLongestBucket = 16;

/// Entries in the fullest of kBuckets, which are told apart by the hash's bits from `shift` on.
std::size_t longest_bucket(const std::vector<std::uint64_t>& hashes, unsigned shift) {
    std::vector<std::size_t> lengths(kBuckets);
    for (const std::uint64_t hash : hashes)
        ++lengths[(hash >> shift) % kBuckets];
    return std::ranges::max(lengths);
}

void expect_spread(const std::vector<std::uint64_t>& hashes) {
    ASSERT_LE(hashes.size(), kBuckets);
    // Tables use the low bits for places and the high ones for tags.
    for (const unsigned shift : {0u, 17u, 32u, 52u})
        EXPECT_LE(longest_bucket(hashes, shift), kLongestBucket) << "from bit " << shift;
}

template <typename Make>
std::vector<std::uint64_t> hashes_of(std::size_t count, Make&& make) {
    std::vector<std::uint64_t> hashes;
    hashes.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i)
        hashes.push_back(make(i));
    return hashes;
}

/// The hash of words that tables used before it was keyed, and how far it was when only the last
/// word was missing.
struct UnkeyedHash {
    static std::uint64_t before_last(const Uint256& value) {
        std::uint64_t h = (value.words[0] ^ 0x9e3779b97f4a7c15) * 0xff51afd7ed558ccd;
        h = (h ^ h >> 32 ^ value.words[1]) * 0xc4ceb9fe1a85ec53;
        h = (h ^ h >> 32 ^ value.words[2]) * 0x9e3779b97f4a7c15;
        return h ^ h >> 32;
    }
    static std::uint64_t of(const Uint256& value) {
        const std::uint64_t h = (before_last(value) ^ value.words[3]) * 0xff51afd7ed558ccd;
        return h ^ h >> 32;
    }
    /// All of them have one hash.
    static Uint256 colliding(std::uint64_t i) {
        Uint256 value{i, 0, 0, 0};
        value.words[3] = before_last(value);
        return value;
    }
};

TEST(KeyedHash, slots_made_to_meet_without_a_key_are_spread) {
    const auto unkeyed = hashes_of(
        kBuckets, [](std::uint64_t i) { return UnkeyedHash::of(UnkeyedHash::colliding(i)); });
    ASSERT_EQ(longest_bucket(unkeyed, 0), kBuckets) << "the attack is none";

    expect_spread(hashes_of(
        kBuckets, [](std::uint64_t i) { return Uint256Hasher{}(UnkeyedHash::colliding(i)); }));
}

TEST(KeyedHash, inputs_made_for_a_known_key_are_spread_by_another) {
    const HashKey known = make_hash_key();
    // A factor that vanishes takes the other one with it.
    const auto vanishing = [&](std::uint64_t i) {
        return HashedWords{{0 - known.words[0], i, 0, 0}};
    };
    ASSERT_EQ(
        longest_bucket(
            hashes_of(kBuckets, [&](std::uint64_t i) { return keyed_hash(known, vanishing(i)); }),
            0),
        kBuckets)
        << "the attack is none";

    expect_spread(
        hashes_of(kBuckets, [&](std::uint64_t i) { return keyed_hash(kHashKey, vanishing(i)); }));
}

TEST(KeyedHash, inputs_found_by_trying_a_known_key_are_spread_by_another) {
    const HashKey known = make_hash_key();
    std::vector<HashedWords> met;
    for (std::uint64_t i = 0; met.size() < 256; ++i)
        if (const HashedWords words{{i, 0, 0, 0}}; keyed_hash(known, words) % kBuckets == 0)
            met.push_back(words);

    expect_spread(
        hashes_of(met.size(), [&](std::uint64_t i) { return keyed_hash(kHashKey, met[i]); }));
}

TEST(KeyedHash, two_that_meet_say_nothing_of_others_at_their_distance) {
    // Under a known key the first pair is found; what follows at the same distance does not follow
    // it into the bucket.
    const HashKey known = make_hash_key();
    const auto at = [&](std::uint64_t i) { return keyed_hash(known, HashedWords{{i, 0, 0, 0}}); };
    std::uint64_t distance = 1;
    while (at(distance) % kBuckets != at(0) % kBuckets)
        ++distance;

    expect_spread(hashes_of(kBuckets, [&](std::uint64_t i) { return at(i * distance); }));
}

TEST(KeyedHash, neighbours_are_spread) {
    expect_spread(hashes_of(
        kBuckets, [](std::uint64_t i) { return AddressHasher{}(address_from_low64(i)); }));
    expect_spread(hashes_of(kBuckets, [](std::uint64_t i) {
        Address address;  // counted at the front
        address.bytes[0] = static_cast<std::uint8_t>(i >> 8);
        address.bytes[1] = static_cast<std::uint8_t>(i);
        return AddressHasher{}(address);
    }));
    for (std::size_t word = 0; word < 4; ++word)
        expect_spread(hashes_of(kBuckets, [&](std::uint64_t i) {
            Uint256 slot;
            slot.words[word] = i;
            return Uint256Hasher{}(slot);
        }));
}

TEST(KeyedHash, one_slot_of_many_accounts_is_spread) {
    for (const std::uint64_t step : {1u, 4096u, 1u << 20})
        expect_spread(hashes_of(
            kBuckets, [&](std::uint64_t i) { return Uint256Hasher{}(Uint256{7}, i * step); }));
}

TEST(KeyedHash, hashes_that_agree_in_what_can_be_tried_out_are_spread) {
    expect_spread(hashes_of(kBuckets, [](std::uint64_t i) {
        Hash hash;  // eight bytes are the same in all
        hash.bytes[0] = static_cast<std::uint8_t>(i >> 8);
        hash.bytes[1] = static_cast<std::uint8_t>(i);
        return HashHasher{}(hash);
    }));
}

TEST(KeyedHash, every_key_is_another) {
    EXPECT_NE(make_hash_key().words, make_hash_key().words);
    EXPECT_NE(make_hash_key().words, kHashKey.words);
    EXPECT_EQ(std::ranges::count(kHashKey.words, 0u), 0);
}

// Made while the objects of this file are, in no known order among files.
const std::size_t kEarlyHash = AddressHasher{}(address_from_low64(1));

TEST(KeyedHash, key_is_there_before_objects_of_other_files) {
    EXPECT_EQ(kEarlyHash, AddressHasher{}(address_from_low64(1)));
}

}  // namespace
}  // namespace heddle
