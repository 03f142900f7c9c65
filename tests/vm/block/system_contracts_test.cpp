// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <vm/system_contracts.hpp>

#include <vector>

#include <gtest/gtest.h>

namespace heddle::vm {
namespace {

std::vector<std::string> addresses(SystemCallPlace place, Revision revision) {
    std::vector<std::string> result;
    for (const SystemContract& contract : system_contracts(place, revision))
        result.push_back(to_string(contract.address));
    return result;
}

// Addresses: EIP-4788, 2935, 7002, 7251, 8282.
TEST(SystemContracts, begin_blocks_from_cancun_on) {
    using enum SystemCallPlace;
    const std::string roots = "0x000f3df6d732807ef1319fb7b8bb8522d0beac02";
    const std::string hashes = "0x0000f90827f1c53a10cb7a02335b175320002935";

    EXPECT_TRUE(addresses(begin_block, Revision::shanghai).empty());
    EXPECT_EQ(addresses(begin_block, Revision::cancun), std::vector{roots});
    EXPECT_EQ(addresses(begin_block, Revision::prague), (std::vector{roots, hashes}));
    EXPECT_EQ(addresses(begin_block, Revision::osaka), (std::vector{roots, hashes}));
}

TEST(SystemContracts, end_blocks_from_prague_on) {
    using enum SystemCallPlace;
    const std::string withdrawals = "0x00000961ef480eb55e80d19ad83579a64c007002";
    const std::string consolidations = "0x0000bbddc7ce488642fb579f8b00f3a590007251";

    EXPECT_TRUE(addresses(end_block, Revision::cancun).empty());
    EXPECT_EQ(addresses(end_block, Revision::prague), (std::vector{withdrawals, consolidations}));
    EXPECT_EQ(addresses(end_block, Revision::amsterdam),
              (std::vector{withdrawals, consolidations,
                           std::string{"0x0000bff46984e3725691fa540a8c7589300d8282"},
                           std::string{"0x000064d678505ad48f8ccb093bc65613800e8282"}}));
}

TEST(SystemContracts, requests_are_collected_in_the_order_of_their_types) {  // EIP-7685
    unsigned last = 0;
    for (const SystemContract& contract :
         system_contracts(SystemCallPlace::end_block, kLatestRevision)) {
        EXPECT_GT(contract.request_type, last);
        last = contract.request_type;
    }
    EXPECT_EQ(last, 4u);
}

}  // namespace
}  // namespace heddle::vm
