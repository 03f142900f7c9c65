// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "chain/dev_chain.hpp"
#include "chain/read_scope.hpp"
#include "queries/made_node.hpp"
#include "rpc/queries/block_fees.hpp"
#include "rpc/queries/gas_oracle.hpp"
#include "rpc_node.hpp"

namespace heddle::test {
namespace {

using testing::HasSubstr;

class FeeMethods : public testing::Test {
protected:
    /// A block of one transaction for each tip, which use this much gas each.
    void commit(const std::vector<std::uint64_t>& tips, std::uint64_t gas = 21'000) {
        TestChain::Plan plan;
        plan.gas_used = 0;
        for (const std::uint64_t tip : tips) {
            plan.transactions.push_back(transfer({.tip = Uint256{tip}}));
            Receipt& receipt = plan.receipts.emplace_back();
            receipt.gas_used = gas;
            plan.gas_used += gas;
        }
        (void)node_.made().commit(std::move(plan));
    }

    MadeNode node_;
};

TEST_F(FeeMethods, without_offers_a_small_fee_is_suggested) {
    EXPECT_EQ(node_.call("eth_maxPriorityFeePerGas"), R"("0xf4240")");
    // The base fee of the head is one gwei.
    EXPECT_EQ(node_.call("eth_gasPrice"), R"("0x3baa0c40")");

    commit({});
    EXPECT_EQ(node_.call("eth_maxPriorityFeePerGas"), R"("0xf4240")");
}

TEST_F(FeeMethods, a_fee_in_the_upper_half_of_the_cheapest_offers_is_suggested) {
    // Of each block the three lowest count: 10, 20, 30 and 40, 50, 60; tips of one wei do not.
    commit({1, 30, 10, 99, 20});
    commit({60, 50, 1'000, 40});

    // The sixth part from below of six, counted from zero: 5 * 60 / 100.
    EXPECT_EQ(node_.call("eth_maxPriorityFeePerGas"), R"("0x28")");

    commit({70, 80, 90});
    EXPECT_EQ(node_.call("eth_maxPriorityFeePerGas"), R"("0x32")");
}

/// What was looked at for earlier heads is kept; a fee must not depend on that.
TEST_F(FeeMethods, who_asks_at_every_block_is_told_the_same_as_who_asks_once) {
    std::mt19937_64 random{1};
    for (int block = 0; block < 150; ++block) {
        std::vector<std::uint64_t> tips(1 + random() % 5);
        for (std::uint64_t& tip : tips)
            tip = 2 + random() % 1'000;
        commit(tips);
        if (random() % 8 == 0) continue;  // some heads are never asked about
        node::rpc::GasOracle anew{node_.chain()};
        ASSERT_EQ(node_.call("eth_maxPriorityFeePerGas"), '"' + to_hex(anew.priority_fee()) + '"')
            << "block " << block;
    }
}

/// As after a restart, or where nobody has asked for many blocks.
TEST_F(FeeMethods, blocks_that_are_not_in_memory_are_left_to_who_may_wait) {
    commit({10, 20, 30});
    commit({40, 50, 60});
    node::rpc::GasOracle oracle{node_.chain()};
    {
        const node::ReadScope reads{node::ReadScope::Mode::hurry};
        (void)oracle.priority_fee();
        EXPECT_TRUE(reads.is_postponed());
    }

    EXPECT_EQ(oracle.priority_fee(), Uint256{40}) << "of both blocks";
    const node::ReadScope reads{node::ReadScope::Mode::hurry};
    EXPECT_EQ(oracle.priority_fee(), Uint256{40});
    EXPECT_FALSE(reads.is_postponed());
    for (const char* const name : {"eth_gasPrice", "eth_maxPriorityFeePerGas"})
        EXPECT_EQ(node_.methods().find(name)->weight, node::rpc::Weight::reading);
}

TEST_F(FeeMethods, rewards_are_percentiles_of_the_gas_used) {
    commit({30, 10, 20, 40}, 25'000);

    EXPECT_THAT(node_.call("eth_feeHistory", R"(["0x1","latest",[0,25,26,50,75.5,100]])"),
                HasSubstr(R"("reward":[["0xa","0xa","0x14","0x14","0x28","0x28"]])"));
}

TEST_F(FeeMethods, a_history_ends_with_the_price_of_the_next_block) {
    commit({}, 0);

    // An empty block lowers the base fee by an eighth.
    EXPECT_EQ(node_.call("eth_feeHistory", R"([2,"latest",[]])"),
              R"({"oldestBlock":"0x0","baseFeePerGas":["0x3b9aca00","0x342770c0","0x2da282a8"],)"
              R"("gasUsedRatio":[0,0],"baseFeePerBlobGas":["0x1","0x1","0x1"],)"
              R"("blobGasUsedRatio":[0,0]})");
    EXPECT_EQ(node_.call("eth_baseFee"), R"("0x2da282a8")");
    EXPECT_EQ(node_.call("eth_blobBaseFee"), R"("0x1")");
}

// A price of zero would say that blobs cost nothing.
TEST(BlobBaseFee, there_is_none_before_there_are_blobs) {
    Genesis genesis = node::dev_genesis(Revision::shanghai);
    genesis.header.blob_gas_used.reset();
    genesis.header.excess_blob_gas.reset();
    genesis.header.parent_beacon_block_root.reset();
    const RpcNode node{genesis};

    EXPECT_EQ(node.call("eth_blobBaseFee"), "null");
}

TEST_F(FeeMethods, a_history_of_the_pending_block_goes_one_further) {
    commit({5});

    EXPECT_THAT(node_.call("eth_feeHistory", R"(["0x2","pending",[50]])"),
                HasSubstr(R"({"oldestBlock":"0x1","reward":[["0x5"],["0x0"]])"));
}

TEST_F(FeeMethods, a_history_of_nothing_is_empty) {
    EXPECT_EQ(node_.call("eth_feeHistory", R"(["0x0","latest",[]])"),
              R"({"oldestBlock":"0x0","gasUsedRatio":null})");
    // As geth: nothing else of the question is looked at.
    EXPECT_EQ(node_.call("eth_feeHistory", R"(["0x0","0x5",[101,50]])"),
              R"({"oldestBlock":"0x0","gasUsedRatio":null})");
}

// --- What was paid in a block is read once ------------------------------------------------------

constexpr std::size_t kPlenty = std::size_t{1} << 20;

TEST_F(FeeMethods, a_block_is_read_once_for_all_who_ask_for_its_fees) {
    for (std::uint64_t tip = 1; tip <= 20; ++tip)
        commit({tip, tip + 1});
    node::rpc::BlockFeesCache cache{node_.chain(), kPlenty};

    for (int client = 0; client < 50; ++client)
        for (std::uint64_t number = 0; number <= 20; ++number)
            ASSERT_NE(cache.get(number), nullptr);
    EXPECT_EQ(cache.read_count(), 21U);

    // Whoever asks at each new head makes the node read that one.
    commit({7});
    for (std::uint64_t number = 2; number <= 21; ++number)
        ASSERT_NE(cache.get(number), nullptr);
    EXPECT_EQ(cache.read_count(), 22U);
    EXPECT_EQ(cache.get(22), nullptr) << "there is none yet";
}

TEST_F(FeeMethods, fees_that_there_is_no_room_for_are_read_again_and_the_same) {
    std::mt19937_64 random{2};
    for (int block = 0; block < 30; ++block) {
        std::vector<std::uint64_t> tips(random() % 40);
        for (std::uint64_t& tip : tips)
            tip = 1 + random() % 1'000;
        commit(tips);
    }
    node::rpc::BlockFeesCache roomy{node_.chain(), kPlenty};
    node::rpc::BlockFeesCache narrow{node_.chain(), 4'000};

    for (int question = 0; question < 1'000; ++question) {
        const std::uint64_t number = random() % 31;
        const double percentile = static_cast<double>(random() % 1'001) / 10;
        const auto kept = roomy.get(number);
        const auto read = narrow.get(number);
        ASSERT_NE(kept, nullptr);
        ASSERT_NE(read, nullptr);
        ASSERT_EQ(kept->tip_at(percentile), read->tip_at(percentile)) << "block " << number;
    }
    EXPECT_EQ(roomy.read_count(), 31U);
    EXPECT_GT(narrow.read_count(), 500U);
}

TEST_F(FeeMethods, what_is_asked_of_a_history_is_checked) {
    const auto problem = [&](const std::string& last, const std::string& percentiles) {
        return node_.failure("eth_feeHistory", "[1,\"" + last + "\"," + percentiles + "]");
    };

    EXPECT_EQ(node_.failure("eth_feeHistory", R"(["0x","latest",[]])"),
              "-32602: invalid argument 0: hex string \"0x\"");
    for (const char* count : {"1.0", "1e0", "1.5"})  // as geth 1.17
        EXPECT_EQ(node_.failure("eth_feeHistory", fmt::format(R"([{},"latest",[]])", count)),
                  "-32602: invalid argument 0: expected an integer");
    EXPECT_EQ(problem("0x5", "[]"), "-32000: request beyond head block: requested 5, head 0");
    EXPECT_EQ(problem("latest", "[101]"), "-32000: invalid reward percentile: 101.000000");
    EXPECT_EQ(problem("latest", "[-1]"), "-32000: invalid reward percentile: -1.000000");
    EXPECT_EQ(problem("latest", "[50,10]"),
              "-32000: invalid reward percentile: #0:50.000000 >= #1:10.000000");
    std::string many = "0";
    for (int i = 1; i <= 100; ++i)
        many += "," + std::to_string(i);
    EXPECT_EQ(problem("latest", "[" + many + "]"),
              "-32000: invalid reward percentile: over the query limit 100");
    EXPECT_EQ(problem("latest", "null"), "-32602: missing value for required argument 2");
}

}  // namespace
}  // namespace heddle::test
