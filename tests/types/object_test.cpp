// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/object.hpp>

#include <gtest/gtest.h>

namespace heddle {
namespace {

constexpr AccessMode kModes[] = {AccessMode::read, AccessMode::add, AccessMode::debit,
                                 AccessMode::write};

ObjectId slot(std::uint64_t address, std::uint64_t index) {
    return {address_from_low64(address), ObjectKind::storage, Uint256{index}};
}

ObjectId balance(std::uint64_t address) {
    return {address_from_low64(address), ObjectKind::balance, {}};
}

/// Whether two transactions that access one object in these modes need no order between them.
/// Debit-Debit answers false: it holds only where cover is guaranteed, which modes alone cannot
/// say.
bool are_compatible(AccessMode a, AccessMode b) noexcept {
    switch (a) {
        case AccessMode::read:
            return b == AccessMode::read;
        case AccessMode::add:
            return b == AccessMode::add || b == AccessMode::debit;
        case AccessMode::debit:
            return b == AccessMode::add;
        case AccessMode::write:
            return false;
    }
    return false;
}

// Who accesses an object in two modes must wait at least for all that either mode waits for.
TEST(AccessMode, merged_mode_is_compatible_with_nothing_new) {
    for (const AccessMode a : kModes)
        for (const AccessMode b : kModes) {
            EXPECT_EQ(merge(a, b), merge(b, a));
            for (const AccessMode other : kModes)
                if (are_compatible(merge(a, b), other)) {
                    EXPECT_TRUE(are_compatible(a, other));
                    EXPECT_TRUE(are_compatible(b, other));
                }
        }
    EXPECT_EQ(merge(AccessMode::read, AccessMode::add), AccessMode::write);
    EXPECT_EQ(merge(AccessMode::add, AccessMode::debit), AccessMode::debit);
    EXPECT_EQ(merge(AccessMode::read, AccessMode::read), AccessMode::read);
}

TEST(ObjectId, orders_by_address_then_kind_then_slot) {
    EXPECT_LT(slot(1, 9), balance(2));
    EXPECT_LT(balance(1), slot(1, 0));
    EXPECT_LT(slot(1, 1), slot(1, 2));
    const ObjectId high{address_from_low64(1), ObjectKind::storage, Uint256{0, 0, 0, 1}};
    EXPECT_LT(slot(1, ~std::uint64_t{0}), high);
    EXPECT_EQ(slot(1, 1) <=> slot(1, 1), std::strong_ordering::equal);
}

TEST(ObjectSet, is_sorted_with_each_object_once) {
    const ObjectSet set({{slot(2, 1), AccessMode::read},
                         {balance(1), AccessMode::add},
                         {slot(2, 1), AccessMode::write},
                         {balance(1), AccessMode::debit},
                         {slot(2, 0), AccessMode::read}});

    ASSERT_EQ(set.accesses().size(), 3u);
    EXPECT_EQ(set.accesses()[0], (Access{balance(1), AccessMode::debit}));
    EXPECT_EQ(set.accesses()[1], (Access{slot(2, 0), AccessMode::read}));
    EXPECT_EQ(set.accesses()[2], (Access{slot(2, 1), AccessMode::write}));
}

TEST(ObjectSet, finds_what_it_holds) {
    const ObjectSet set({{balance(1), AccessMode::add}, {slot(2, 1), AccessMode::read}});

    ASSERT_NE(set.find(slot(2, 1)), nullptr);
    EXPECT_EQ(set.find(slot(2, 1))->mode, AccessMode::read);
    EXPECT_EQ(set.find(slot(2, 2)), nullptr);
    EXPECT_EQ(ObjectSet().find(balance(1)), nullptr);
}

}  // namespace
}  // namespace heddle
