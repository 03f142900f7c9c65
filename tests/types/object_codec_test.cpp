// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/object_codec.hpp>

#include <gtest/gtest.h>

#include "random.hpp"

namespace heddle {
namespace {

using Code = ObjectCodecErrorCode;

ObjectId object(std::uint64_t address, ObjectKind kind, const Uint256& slot = {}) {
    return {address_from_low64(address), kind, slot};
}

Bytes encode(const std::vector<ObjectSet>& sets) {
    Bytes bytes;
    encode_object_sets(sets, bytes);
    return bytes;
}

Code error_of(const Bytes& bytes) {
    const auto sets = decode_object_sets(bytes);
    EXPECT_FALSE(sets.has_value()) << to_hex(bytes);
    return sets.has_value() ? Code{} : sets.error().code;
}

/// Two transactions over two accounts.
std::vector<ObjectSet> small_sets() {
    return {
        ObjectSet{{{object(1, ObjectKind::balance), AccessMode::debit},
                   {object(1, ObjectKind::nonce), AccessMode::write},
                   {object(2, ObjectKind::code), AccessMode::read},
                   {object(2, ObjectKind::storage, 0), AccessMode::write},
                   {object(2, ObjectKind::storage, 0x1234), AccessMode::read}}},
        ObjectSet{},
        ObjectSet{{{object(2, ObjectKind::storage, 0x1234), AccessMode::write},
                   {object(2, ObjectKind::storage_all), AccessMode::read},
                   {object(1, ObjectKind::balance), AccessMode::add}}},
    };
}

// Version, three sets, two accounts; account 1 with balance and nonce; account 2 with code, slots 0
// and 0x1234, and storage_all; then the sets.
const char* const kSmallSets =
    "0x010302"
    "000000000000000000000000000000000000000103"
    "00000000000000000000000000000000000000021c0200021234"
    "050203000300"
    "00"
    "03010f00";

/// Few accounts and slots, so that sets share many objects.
std::vector<ObjectSet> random_sets(test::Random& random) {
    std::vector<ObjectSet> sets(random.below(6));
    for (ObjectSet& set : sets) {
        std::vector<Access> accesses(random.below(12));
        for (Access& access : accesses) {
            const auto kind = static_cast<ObjectKind>(random.below(5));
            const Uint256 slot =
                random.below(2) == 0 ? Uint256{random.below(3)} : random.edge_uint256();
            access.object =
                object(random.below(4), kind, kind == ObjectKind::storage ? slot : Uint256{});
            access.mode = static_cast<AccessMode>(random.below(4));
        }
        set = ObjectSet{std::move(accesses)};
    }
    return sets;
}

TEST(ObjectCodec, bytes_are_pinned) {
    EXPECT_EQ(to_hex(encode(small_sets())), kSmallSets);
    EXPECT_EQ(decode_object_sets(*from_hex(kSmallSets)), small_sets());
    EXPECT_EQ(count_object_sets(*from_hex(kSmallSets)), small_sets().size());
}

TEST(ObjectCodec, a_block_without_transactions_takes_three_bytes) {
    EXPECT_EQ(to_hex(encode({})), "0x010000");
    EXPECT_EQ(decode_object_sets(encode({}))->size(), 0u);
}

TEST(ObjectCodec, sets_come_back_as_they_were) {
    const std::uint64_t seed = test::test_seed();
    SCOPED_TRACE(seed);
    test::Random random(seed);
    for (int round = 0; round < 2000; ++round) {
        const auto sets = random_sets(random);
        ASSERT_EQ(decode_object_sets(encode(sets)), sets);
    }
}

TEST(ObjectCodec, appends_behind_what_is_there) {
    Bytes bytes{0xff};
    encode_object_sets(small_sets(), bytes);
    EXPECT_EQ(bytes[0], 0xff);
    EXPECT_EQ(Bytes(bytes.begin() + 1, bytes.end()), encode(small_sets()));
}

TEST(ObjectCodec, memory_that_is_taken_is_about_what_is_written) {
    for (const Uint256& first : {Uint256{1}, Uint256{1} << 255}) {
        std::vector<ObjectSet> sets;
        for (std::uint64_t i = 0; i < 1'000; ++i)
            sets.push_back(
                ObjectSet{{{object(i, ObjectKind::balance), AccessMode::write},
                           {object(0, ObjectKind::storage, first + i), AccessMode::read}}});
        const Bytes bytes = encode(sets);
        EXPECT_LE(bytes.capacity(), bytes.size() + bytes.size() / 5) << byte_width(first);
    }
}

TEST(ObjectCodec, many_objects_need_longer_varints) {
    std::vector<Access> accesses;
    accesses.reserve(40000);
    for (std::uint64_t slot = 0; slot < 40000; ++slot)
        accesses.push_back({object(1, ObjectKind::storage, slot), AccessMode::write});
    const std::vector<ObjectSet> sets{ObjectSet{accesses}, ObjectSet{{accesses[39999]}},
                                      ObjectSet{{accesses[100], accesses[0]}}};

    EXPECT_EQ(decode_object_sets(encode(sets)), sets);
}

TEST(ObjectCodec, every_truncation_is_refused) {
    const Bytes bytes = encode(small_sets());
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        const Code code = error_of(Bytes(bytes.begin(), bytes.begin() + static_cast<long>(size)));
        EXPECT_TRUE(code == Code::truncated || code == Code::too_many) << size;
    }
}

// One encoding for each value: what decodes, encodes to the same bytes.
TEST(ObjectCodec, damaged_bytes_give_an_error_or_another_valid_set) {
    const std::uint64_t seed = test::test_seed();
    SCOPED_TRACE(seed);
    test::Random random(seed);
    for (int round = 0; round < 20000; ++round) {
        Bytes bytes = encode(random_sets(random));
        for (std::uint64_t flips = 1 + random.below(3); flips-- > 0;)
            bytes[random.below(bytes.size())] ^= static_cast<std::uint8_t>(1 + random.below(255));
        if (random.below(4) == 0) bytes.resize(random.below(bytes.size() + 1));

        const auto sets = decode_object_sets(bytes);

        if (sets.has_value()) {
            ASSERT_EQ(encode(*sets), bytes);
        } else {
            ASSERT_LE(sets.error().offset, bytes.size());
        }
    }
}

TEST(ObjectCodec, random_bytes_never_ask_for_much) {
    const std::uint64_t seed = test::test_seed();
    SCOPED_TRACE(seed);
    test::Random random(seed);
    for (int round = 0; round < 20000; ++round) {
        Bytes bytes = random.bytes(1 + random.below(64));
        bytes[0] = kObjectCodecVersion;
        const auto sets = decode_object_sets(bytes);
        if (sets.has_value()) ASSERT_EQ(encode(*sets), bytes);
    }
}

TEST(ObjectCodec, counts_beyond_the_bytes_left_are_refused_before_memory_is_taken) {
    // 2^63 sets, 2^63 accounts, 2^63 slots, 2^63 accesses.
    const std::string huge = "80808080808080808001";
    const std::string account = "000000000000000000000000000000000000000108";
    EXPECT_EQ(error_of(*from_hex("0x01" + huge + "0000")), Code::too_many);
    EXPECT_EQ(error_of(*from_hex("0x0100" + huge + "00")), Code::too_many);
    EXPECT_EQ(error_of(*from_hex("0x010101" + account + huge + "00")), Code::too_many);
    EXPECT_EQ(error_of(*from_hex("0x010100" + huge)), Code::too_many);
}

TEST(ObjectCodec, names_what_is_wrong) {
    const std::string one = "0000000000000000000000000000000000000001";
    const std::string two = "0000000000000000000000000000000000000002";
    EXPECT_EQ(error_of({}), Code::truncated);
    EXPECT_EQ(error_of({0x02, 0x00, 0x00}), Code::unknown_version);
    EXPECT_EQ(error_of({0x01, 0x80, 0x00, 0x00}), Code::non_canonical);
    EXPECT_EQ(error_of(*from_hex("0x01ffffffffffffffffff0200")), Code::non_canonical);
    EXPECT_EQ(error_of(*from_hex("0x010101" + one + "000100")), Code::invalid_kinds);
    EXPECT_EQ(error_of(*from_hex("0x010101" + one + "200100")), Code::invalid_kinds);
    EXPECT_EQ(error_of(*from_hex("0x010101" + one + "080000")), Code::invalid_kinds);
    EXPECT_EQ(error_of(*from_hex("0x010102" + two + "01" + one + "01020000")), Code::out_of_order);
    EXPECT_EQ(error_of(*from_hex("0x010102" + one + "01" + one + "01020000")), Code::out_of_order);
    EXPECT_EQ(error_of(*from_hex("0x010101" + one + "0802010101010200")), Code::out_of_order);
    EXPECT_EQ(error_of(*from_hex("0x010101" + one + "080101000100")), Code::non_canonical);
    EXPECT_EQ(error_of(*from_hex("0x010101" + one + "08012100")), Code::non_canonical);
    EXPECT_EQ(error_of(*from_hex("0x010101" + one + "010104")), Code::unknown_object);
    EXPECT_EQ(error_of(*from_hex("0x010101" + one + "01020000")), Code::too_many);
    EXPECT_EQ(error_of(*from_hex("0x010101" + one + "0100")), Code::unused_object);
    EXPECT_EQ(error_of(*from_hex("0x01000000")), Code::trailing_bytes);
    EXPECT_EQ(to_string(ObjectCodecError{Code::trailing_bytes, 3}),
              "object sets: bytes after the last set at byte 3");
}

}  // namespace
}  // namespace heddle
