// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "durable/stored_codes.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace heddle::ledger {
namespace {

constexpr std::size_t kCodeSize = 1'000;
constexpr std::size_t kRoom = 100'000;
/// More than any code takes, with its entry.
constexpr std::size_t kOneCode = 2'000;

Bytes code_number(std::uint64_t number) {
    Bytes code(kCodeSize);
    for (std::size_t i = 0; i < sizeof(number); ++i)
        code[i] = static_cast<std::uint8_t>(number >> (8 * i));
    return code;
}
Hash hash_of(std::uint64_t number) {
    return keccak256(code_number(number));
}
CodeChange change_number(std::uint64_t number) {
    return {hash_of(number), code_number(number)};
}

TEST(StoredCodes, what_was_offered_is_found) {
    StoredCodes codes(kRoom);
    EXPECT_EQ(codes.find(hash_of(1)), nullptr);
    EXPECT_EQ(*codes.offer(hash_of(1), code_number(1)), code_number(1));
    ASSERT_NE(codes.find(hash_of(1)), nullptr);
    EXPECT_EQ(*codes.find(hash_of(1)), code_number(1));
}

TEST(StoredCodes, two_who_offer_the_same_get_the_same) {
    StoredCodes codes(kRoom);
    const auto first = codes.offer(hash_of(1), code_number(1));
    EXPECT_EQ(codes.offer(hash_of(1), code_number(1)), first);
}

TEST(StoredCodes, memory_is_bounded_by_the_room_and_not_by_history) {
    StoredCodes codes(kRoom);
    std::size_t most = 0;
    for (std::uint64_t i = 0; i < 10'000; ++i) {
        static_cast<void>(codes.offer(hash_of(i), code_number(i)));
        most = std::max(most, codes.size_bytes());
    }
    EXPECT_LE(most, kRoom + kOneCode);
    EXPECT_GE(most, kRoom / 2);
    EXPECT_EQ(codes.find(hash_of(0)), nullptr);
    EXPECT_NE(codes.find(hash_of(9'999)), nullptr);
}

TEST(StoredCodes, what_is_in_use_stays) {
    StoredCodes codes(kRoom);
    static_cast<void>(codes.offer(hash_of(0), code_number(0)));
    for (std::uint64_t i = 1; i < 10'000; ++i) {
        static_cast<void>(codes.offer(hash_of(i), code_number(i)));
        ASSERT_NE(codes.find(hash_of(0)), nullptr) << i;
    }
}

TEST(StoredCodes, what_is_dropped_lives_as_long_as_it_is_held) {
    StoredCodes codes(kRoom);
    const auto held = codes.offer(hash_of(0), code_number(0));
    for (std::uint64_t i = 1; i < 1'000; ++i)
        static_cast<void>(codes.offer(hash_of(i), code_number(i)));
    ASSERT_EQ(codes.find(hash_of(0)), nullptr);
    EXPECT_EQ(*held, code_number(0));
    EXPECT_EQ(held.use_count(), 1);
}

TEST(StoredCodes, what_the_database_does_not_have_is_kept_beyond_the_room) {
    StoredCodes codes(kRoom);
    constexpr std::uint64_t kDeployed = 500;
    for (std::uint64_t i = 0; i < kDeployed; ++i)
        codes.write(std::vector{change_number(i)}, i + 1);
    for (std::uint64_t i = 0; i < kDeployed; ++i)
        ASSERT_NE(codes.find(hash_of(i)), nullptr) << i;
    EXPECT_GT(codes.size_bytes(), kDeployed * kCodeSize);
}

TEST(StoredCodes, what_was_deployed_goes_once_the_database_has_it) {
    StoredCodes codes(kRoom);
    constexpr std::uint64_t kDeployed = 500;
    for (std::uint64_t i = 0; i < kDeployed; ++i)
        codes.write(std::vector{change_number(i)}, i + 1);

    codes.set_persisted(kDeployed);
    for (std::uint64_t i = kDeployed; i < 2 * kDeployed; ++i)
        static_cast<void>(codes.offer(hash_of(i), code_number(i)));

    EXPECT_LE(codes.size_bytes(), kRoom + kOneCode);
    EXPECT_EQ(codes.find(hash_of(0)), nullptr);
}

/// A block may deploy what is there, and then be all that the code is written with.
TEST(StoredCodes, what_is_deployed_again_is_pinned_again) {
    StoredCodes codes(kRoom);
    codes.write(std::vector{change_number(0)}, 1);
    codes.set_persisted(1);
    codes.write(std::vector{change_number(0)}, 2);
    for (std::uint64_t i = 1; i < 1'000; ++i)
        static_cast<void>(codes.offer(hash_of(i), code_number(i)));
    EXPECT_NE(codes.find(hash_of(0)), nullptr);
}

}  // namespace
}  // namespace heddle::ledger
