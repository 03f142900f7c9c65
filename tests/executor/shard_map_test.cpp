// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "early/shard_map.hpp"

#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace heddle::executor {
namespace {

constexpr unsigned kShards = 4;

/// Accounts in two different shards, and what is requested of them.
class ShardMapTest : public testing::Test {
protected:
    ShardMapTest() {
        a_.address = address_from_low64(1);
        b_.address = address_from_low64(2);
        for (std::uint64_t low = 2; map_.shard_of(a_.address) == map_.shard_of(b_.address); ++low)
            b_.address = address_from_low64(low);
        slot_.account = &a_;
    }
    [[nodiscard]] static ObjectRequest request(AccountCell& account, ObjectKind kind,
                                               AccessMode mode) {
        return {.kind = kind, .mode = mode, .account = &account};
    }
    [[nodiscard]] ObjectRequest slot(const Uint256& number, AccessMode mode) {
        slot_.slot = number;
        return {.kind = ObjectKind::storage, .mode = mode, .account = &a_, .slot = &slot_};
    }
    [[nodiscard]] std::string name(const std::vector<ObjectRequest>& requests,
                                   bool is_known = true) const {
        return map_.classes().name(map_.class_of(requests, is_known));
    }

    const ShardMap map_{{.shards = kShards, .pins = {}}};
    AccountCell a_;
    AccountCell b_;
    SlotCell slot_;
};

TEST_F(ShardMapTest, one_shard_makes_a_local_request) {
    const unsigned shard = map_.shard_of(a_.address);
    EXPECT_EQ(name({slot(Uint256{7}, AccessMode::read)}), fmt::format("read-{}", shard));
    EXPECT_EQ(name({slot(Uint256{7}, AccessMode::read),
                    request(a_, ObjectKind::balance, AccessMode::write)}),
              fmt::format("write-{}", shard));
}

TEST_F(ShardMapTest, several_shards_make_a_global_one) {
    const ObjectRequest read_a = request(a_, ObjectKind::balance, AccessMode::read);
    EXPECT_EQ(name({read_a, request(b_, ObjectKind::nonce, AccessMode::read)}), "read-global");
    EXPECT_EQ(name({read_a, request(b_, ObjectKind::nonce, AccessMode::write)}), "write-global");
}

TEST_F(ShardMapTest, what_is_only_moved_is_in_no_shard) {
    const std::vector<ObjectRequest> transfer = {
        request(a_, ObjectKind::nonce, AccessMode::add),
        request(a_, ObjectKind::balance, AccessMode::debit),
        request(a_, ObjectKind::code, AccessMode::read),
        request(b_, ObjectKind::code, AccessMode::read),
        request(b_, ObjectKind::balance, AccessMode::add)};
    EXPECT_EQ(name(transfer), "moves");

    const ShardMap strict({.shards = kShards, .moves_count_as_writes = true, .pins = {}});
    EXPECT_EQ(strict.class_of(transfer, true), strict.classes().global_write());
}

TEST_F(ShardMapTest, who_writes_code_or_all_storage_conflicts_with_all) {
    EXPECT_EQ(name({request(a_, ObjectKind::code, AccessMode::write)}), "write-global");
    EXPECT_EQ(name({request(a_, ObjectKind::storage_all, AccessMode::write)}), "write-global");
    EXPECT_EQ(name({request(a_, ObjectKind::storage_all, AccessMode::read)}), "moves");
}

TEST_F(ShardMapTest, what_is_not_known_conflicts_with_all) {
    EXPECT_EQ(name({}, false), "write-global");
    EXPECT_EQ(name({slot(Uint256{7}, AccessMode::read)}, false), "write-global");
}

TEST_F(ShardMapTest, by_key_parts_the_slots_of_one_contract) {
    const ShardMap by_key({.shards = kShards, .by = ShardKey::key, .pins = {}});
    std::set<unsigned> shards;
    for (std::uint64_t i = 0; i < kShards; ++i)
        shards.insert(by_key.shard_of(a_.address, Uint256{0, 0, 0, (i << 62) + 1}));
    EXPECT_EQ(shards.size(), kShards);
    EXPECT_EQ(by_key.shard_of(a_.address, Uint256{1}), by_key.shard_of(a_.address));

    for (std::uint64_t i = 0; i < kShards; ++i)
        EXPECT_EQ(map_.shard_of(a_.address, Uint256{0, 0, 0, i << 62}), map_.shard_of(a_.address));
}

TEST_F(ShardMapTest, of_what_is_pinned_the_first_that_fits_counts) {
    const ShardMap pinned(
        {.shards = kShards,
         .pins = {{.address = a_.address,
                   .first_slot = Uint256{10},
                   .last_slot = Uint256{20},
                   .is_range = true,
                   .shard = 3},
                  {.address = a_.address, .first_slot = {}, .shard = 2},
                  {.address = a_.address, .first_slot = {}, .is_range = true, .shard = 1}}});
    EXPECT_EQ(pinned.shard_of(a_.address), 2U) << "of an account no range";
    for (const auto& [slot, shard] : {std::pair{9U, 2U}, {10U, 3U}, {20U, 3U}, {21U, 2U}})
        EXPECT_EQ(pinned.shard_of(a_.address, Uint256{slot}), shard) << slot;
    EXPECT_EQ(pinned.shard_of(b_.address), map_.shard_of(b_.address));
}

TEST_F(ShardMapTest, accounts_are_spread_over_all_shards) {
    std::vector<unsigned> counts(kShards);
    for (std::uint64_t low = 0; low < 4'000; ++low)
        ++counts[map_.shard_of(address_from_low64(low))];
    for (const unsigned count : counts)
        EXPECT_NEAR(count, 1'000, 200);
}

}  // namespace
}  // namespace heddle::executor
