// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/queries/fork_schedule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "made_node.hpp"

namespace heddle::node::rpc {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// FORK_HASH values of EIP-2124 and of go-ethereum's tests.
TEST(ForkSchedule, names_the_forks_of_mainnet) {
    const ChainConfig& config = mainnet_config();
    const Hash genesis =
        hash_from_hex("0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3").value();

    EXPECT_EQ(fork_id(config, genesis, 0, 0), 0xf0afd0e3U);              // Gray Glacier, Paris
    EXPECT_EQ(fork_id(config, genesis, 0, 1'681'338'455), 0xdce96c2dU);  // Shanghai
    EXPECT_EQ(fork_id(config, genesis, 0, 1'710'338'135), 0x9f3d2254U);  // Cancun
    EXPECT_EQ(fork_id(config, genesis, 0, 1'746'612'311), 0xc376cf8bU);  // Prague
}

// FORK_HASH of go-ethereum's `params/chainspecs/sepolia.json`.
TEST(ForkSchedule, names_amsterdam_of_sepolia) {
    const Hash genesis =
        hash_from_hex("0x25a5cc106eea7138acab33231d7160d69cb777ee0c2c553fcddf5138993e6dd9").value();

    EXPECT_EQ(fork_id(sepolia_config(), genesis, 1'633'267'481, 1'791'294'816), 0x6c1d9423U);
    EXPECT_NE(fork_id(sepolia_config(), genesis, 1'633'267'481, 1'791'294'815), 0x6c1d9423U);
}

TEST(ForkSchedule, names_the_contracts_that_amsterdam_brings) {
    const test::MadeNode node{Revision::amsterdam};

    const std::string text = node.call("eth_config");

    EXPECT_THAT(text, HasSubstr(R"("BUILDER_DEPOSIT_CONTRACT_ADDRESS":)"
                                R"("0x0000bff46984e3725691fa540a8c7589300d8282",)"
                                R"("BUILDER_EXIT_CONTRACT_ADDRESS":)"
                                R"("0x000064d678505ad48f8ccb093bc65613800e8282",)"));
}

TEST(ForkSchedule, says_what_holds_from_the_first_block_on) {
    const test::MadeNode node;

    const std::string text = node.call("eth_config");

    EXPECT_THAT(text, StartsWith(R"({"current":{"activationTime":0,"blobSchedule":)"
                                 R"({"target":6,"max":9,"baseFeeUpdateFraction":5007716},)"
                                 R"("chainId":"0x539","forkId":"0x)"));
    EXPECT_THAT(text, HasSubstr(R"("P256VERIFY":"0x0000000000000000000000000000000000000100")"));
    EXPECT_THAT(text, HasSubstr(R"("next":null,"last":null})"));
}

}  // namespace
}  // namespace heddle::node::rpc
