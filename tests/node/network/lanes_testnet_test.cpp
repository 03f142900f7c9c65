// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "network/lanes_testnet.hpp"

#include <filesystem>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "file_size_limit.hpp"
#include "lanes/lane_home.hpp"
#include "program/error.hpp"
#include "service/node_config.hpp"
#include "temporary_folder.hpp"

namespace heddle::node {
namespace {

namespace fs = std::filesystem;

class LanesTestnet : public testing::Test {
protected:
    [[nodiscard]] LanesTestnetOptions options() const {
        LanesTestnetOptions result;
        result.network.out = folder_ / "net";
        result.network.validators = 2;
        result.network.seed = 5;
        result.lanes = 3;
        result.nodes = 2;
        return result;
    }
    [[nodiscard]] std::string refusal(const LanesTestnetOptions& options) const {
        try {
            (void)write_lanes_testnet(options);
        } catch (const InputError& error) {
            EXPECT_FALSE(fs::exists(options.network.out)) << "something was written";
            return error.what();
        }
        return {};
    }

    const heddle::test::TemporaryFolder folder_;
};

TEST_F(LanesTestnet, has_validators_of_each_lane_and_nodes_that_know_them) {
    LanesTestnetOptions wanted = options();
    wanted.mover = "0x00000000000000000000000000000000000000aa";
    const LanesTestnetPlan plan = write_lanes_testnet(wanted);
    const fs::path net = wanted.network.out;
    ASSERT_EQ(plan.lanes.size(), 3u);
    ASSERT_EQ(plan.nodes.size(), 2u);
    EXPECT_EQ(plan.nodes[0].address, "127.0.0.1");
    EXPECT_EQ(plan.lanes[0][0].address, "127.0.0.3");
    EXPECT_EQ(plan.lanes[2][1].address, "127.0.0.8");
    std::set<std::string> networks;
    for (std::size_t lane = 0; lane < 3; ++lane)
        for (const TestnetPeer& peer : plan.lanes[lane]) {
            const lanes::LaneHome home = lanes::LaneHome::load(net / peer.name);
            EXPECT_EQ(home.head.lane, lane);
            EXPECT_EQ(home.head.lane_count, 3);
            EXPECT_EQ(home.chain_id, plan.chain_id);
            EXPECT_EQ(home.address, peer.address);
            EXPECT_EQ(home.nodes.size(), plan.nodes.size());
            EXPECT_EQ(home.mover, address_from_hex(wanted.mover));
            EXPECT_TRUE(fs::exists(net / peer.name / "cometbft/config/genesis.json"));
            EXPECT_TRUE(fs::exists(net / peer.name / "cometbft/config/priv_validator_key.json"));
            networks.insert(home.comet_chain_id);
        }
    EXPECT_EQ(networks.size(), 3u);
    for (const TestnetPeer& node : plan.nodes) {
        NodeConfig config;
        read_config((net / node.name / "heddle.toml").string(), config);
        EXPECT_EQ(config.consensus.engine, "lanes");
        EXPECT_EQ(config.lanes.addresses.size(), 3u);
        EXPECT_EQ(config.lanes.comets.size(), 3u);
        EXPECT_EQ(config.lanes.mover, wanted.mover);
        EXPECT_EQ(config.rpc.address, node.address);
    }
    // The nodes ask different validators of a lane.
    NodeConfig first;
    NodeConfig second;
    read_config((net / "node1/heddle.toml").string(), first);
    read_config((net / "node2/heddle.toml").string(), second);
    EXPECT_NE(first.lanes.addresses, second.lanes.addresses);
}

TEST_F(LanesTestnet, that_cannot_be_leaves_nothing) {
    const auto with = [this](auto change) {
        LanesTestnetOptions wanted = options();
        change(wanted);
        return refusal(wanted);
    };
    using testing::HasSubstr;
    EXPECT_THAT(with([](auto& o) { o.lanes = 0; }), HasSubstr("--lanes 0: from 1 to 16"));
    EXPECT_THAT(with([](auto& o) { o.nodes = 99; }), HasSubstr("--nodes 99: from 1 to 32"));
    EXPECT_THAT(with([](auto& o) { o.mover = "nobody"; }), HasSubstr("--mover nobody"));
    EXPECT_THAT(with([](auto& o) { o.network.addresses = {"127.0.0.1"}; }),
                HasSubstr("1 address for 8 nodes and validators"));
    EXPECT_THAT(with([](auto& o) { o.network.block_interval_ms = 1; }),
                HasSubstr("--block-interval"));
}

/// Those above it stayed, empty.
TEST_F(LanesTestnet, that_cannot_be_written_leaves_no_folder) {
    LanesTestnetOptions wanted = options();
    wanted.network.out = folder_ / "above/it/net";
    {
        const heddle::test::FileSizeLimit limit(0);
        EXPECT_NE(refusal(wanted), "");
    }
    EXPECT_FALSE(fs::exists(folder_ / "above"));
}

}  // namespace
}  // namespace heddle::node
