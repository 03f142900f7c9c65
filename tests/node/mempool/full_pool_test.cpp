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

/// One sender has as many as it may, all of them worse than what comes.
class DeepPoolTest : public TransactionPoolTest {
protected:
    static constexpr std::uint64_t kDepth = 2'000;

    DeepPoolTest() {
        MempoolOptions options;
        options.max_bytes = (kDepth + 1) * memory_of(*make({}));
        use(options);
        for (std::uint64_t nonce = 0; nonce < kDepth; ++nonce)
            EXPECT_TRUE(add({.from = 1, .nonce = nonce, .tip = 1}));
        EXPECT_TRUE(add({.from = 2, .tip = 50}));
    }
    /// The look at what comes included.
    template <typename Work>
    std::uint64_t looks_of(const Work& work) {
        const std::uint64_t before = pool_->looks();
        work();
        return pool_->looks() - before;
    }
};

TEST_F(DeepPoolTest, making_room_looks_at_nobody_who_stays) {
    constexpr std::size_t kVictims = 100;
    const std::size_t size = kVictims * memory_of(*make({})) - memory_of(*make({.size = 0}));
    EXPECT_LE(looks_of([&] { EXPECT_TRUE(add({.from = 3, .size = size})); }), 1u);
    EXPECT_EQ(changes_.evicted, kVictims);
    EXPECT_EQ(nonces(1).size(), kDepth - kVictims);
}

TEST_F(DeepPoolTest, refusing_looks_once_at_each_that_had_to_go) {
    const std::size_t size = kDepth * memory_of(*make({}));
    EXPECT_LE(looks_of([&] { EXPECT_FALSE(add({.from = 3, .size = size})); }), kDepth);
    EXPECT_EQ(nonces(1).size(), kDepth);
}

TEST_F(DeepPoolTest, a_replacement_looks_at_nobody_else) {
    EXPECT_LE(
        looks_of([&] { EXPECT_TRUE(add({.from = 1, .nonce = 7, .tip = 2, .fee_cap = 200})); }), 1u);
    EXPECT_EQ(nonces(1).size(), kDepth);
}

}  // namespace
}  // namespace heddle::node
