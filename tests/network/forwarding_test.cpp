// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Transactions that come to a node which never proposes a block: they must get to those that do.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <types/bytes.hpp>

#include "chain/dev_chain.hpp"
#include "network.hpp"
#include "own_chain.hpp"

namespace heddle::test {
namespace {

// CometBFT sends a peer each transaction once, whatever became of it there.
TEST(Forwarding, what_the_validator_had_no_room_for_gets_into_a_block_later) {
    if (!find_cometbft().has_value()) GTEST_SKIP() << "cometbft is not installed";
    constexpr std::size_t kAccounts = 4;
    constexpr std::uint64_t kOfEach = 4;
    NetworkOptions options;
    options.validators = 1;
    options.block_interval = "200ms";
    Network network{options};
    std::vector<std::string> narrow = options.node_options;
    narrow.emplace_back("mempool.max_transactions=6");
    network.at(0).set_node_options(narrow);
    network.start();
    network.wait_for_block(2);
    Validator& node = network.add({});
    (void)network.wait_for_more(2);  // this starts it

    const auto accounts = node::dev_accounts();
    for (std::uint64_t nonce = 0; nonce < kOfEach; ++nonce)
        for (std::size_t i = 0; i < kAccounts; ++i) {
            const Bytes bytes = signed_bytes(make_call(nonce, accounts[i].address), accounts[i]);
            const auto taken = node.text("eth_sendRawTransaction", "[\"" + to_hex(bytes) + "\"]");
            ASSERT_TRUE(taken.has_value());
        }

    for (std::size_t i = 0; i < kAccounts; ++i)
        wait_until([&] {
            return network.at(0).text("eth_getTransactionCount",
                                      "[\"" + to_string(accounts[i].address) + "\",\"latest\"]") ==
                   "0x" + std::to_string(kOfEach);
        });
    EXPECT_EQ(network.disagreement(), "");
    EXPECT_EQ(network.complaints(), "");
    network.stop();
}

}  // namespace
}  // namespace heddle::test
