// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Who stays in a pool without room, and who does not come in.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pool_fixture.hpp"

namespace heddle::node {
namespace {

using test::TransactionPoolTest;
using testing::ElementsAre;

/// The worst of a full pool is replaced by a larger one - its sender is told so - it is evicted.
TEST_F(TransactionPoolTest, a_replacement_that_a_full_pool_has_no_room_for_is_refused) {
    MempoolOptions options;
    options.max_bytes = 2 * memory_of(*make({}));
    use(options);
    EXPECT_TRUE(add({.from = 1}));
    const Hash old_one = last_->hash;
    EXPECT_TRUE(add({.from = 2, .tip = 50, .fee_cap = 500}));
    const Plan larger{.from = 1, .tip = 20, .fee_cap = 200, .size = 101};
    EXPECT_EQ(error_of(larger), AdmissionCode::underpriced);
    EXPECT_NE(pool_->find(old_one), nullptr) << "the one before stays";
    EXPECT_TRUE(add({.from = 1, .tip = 20, .fee_cap = 200})) << "needs no room";
    EXPECT_TRUE(add({.from = 1, .tip = 60, .fee_cap = 600, .size = 101})) << "is worth more";
    EXPECT_EQ(changes_.evicted, 1u);
}

/// A large one is worth more than some, which go - it is refused for want of room - they are gone.
TEST_F(TransactionPoolTest, nobody_goes_for_one_that_stays_out) {
    MempoolOptions options;
    options.max_bytes = 3 * memory_of(*make({}));
    use(options);
    EXPECT_TRUE(add({.from = 1, .tip = 1}));
    EXPECT_TRUE(add({.from = 1, .nonce = 1, .tip = 2}));
    EXPECT_TRUE(add({.from = 2, .tip = 50}));
    EXPECT_EQ(error_of({.from = 3, .size = 1'000'000}), AdmissionCode::underpriced);
    EXPECT_THAT(nonces(1), ElementsAre(0, 1));
    EXPECT_EQ(changes_.evicted, 0u);
    EXPECT_EQ(changes_.executable.size(), 3u);
    EXPECT_TRUE(add({.from = 3})) << "fits in place of one";
    EXPECT_THAT(nonces(1), ElementsAre(0));
}

}  // namespace
}  // namespace heddle::node
