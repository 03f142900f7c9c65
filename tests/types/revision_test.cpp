// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/revision.hpp>

#include <set>

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(Revision, order_is_the_order_of_activation) {
    EXPECT_LT(Revision::frontier, Revision::homestead);
    EXPECT_LT(Revision::london, Revision::paris);
    EXPECT_EQ(kLatestRevision, Revision::amsterdam);
}

TEST(Revision, each_has_its_own_name) {
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < kRevisionCount; ++i)
        names.insert(to_string(static_cast<Revision>(i)));

    EXPECT_EQ(names.size(), kRevisionCount);
    EXPECT_FALSE(names.contains("unknown"));
}

}  // namespace
}  // namespace heddle
