// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a transaction costs depends on whom it goes to, and its sender is found last (EIP-2780).
#include <optional>

#include <gtest/gtest.h>

#include <types/signing.hpp>

#include "mempool/mempool.hpp"
#include "test_chain.hpp"

namespace heddle::node {
namespace {

TEST(MempoolOfAmsterdam, too_little_gas_is_told_what_is_needed) {
    test::TestChain chain{Revision::amsterdam};
    Mempool pool{MempoolOptions{}, chain.chain()};
    const auto error_of = [&](const std::optional<Address>& to, std::uint64_t gas_limit) {
        Transaction tx = test::transfer({});
        tx.value = Uint256{1};
        tx.data.assign(100, 1);
        tx.gas_limit = gas_limit;
        tx.to = to;
        EXPECT_TRUE(sign_transaction(tx, test::secret_of(1)));
        const auto added = pool.add(test::encoded(tx), Origin::remote);
        return added.has_value() ? "admitted" : added.error().message;
    };
    const Address sender = test::account_of(1);
    const Address other = test::account_of(2);
    EXPECT_EQ(error_of(other, 12'000), "intrinsic gas too low: gas 12000, minimum needed 22600");
    EXPECT_EQ(error_of(other, 22'599), "intrinsic gas too low: gas 22599, minimum needed 22600");
    EXPECT_EQ(error_of(other, 22'600),
              "insufficient gas for floor data gas cost: gas 22600, minimum needed 27400");
    EXPECT_EQ(error_of(sender, 12'000), "intrinsic gas too low: gas 12000, minimum needed 13600");
    EXPECT_EQ(error_of(sender, 18'400), "admitted");
}

}  // namespace
}  // namespace heddle::node
