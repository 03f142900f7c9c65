// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a balancer is told: whether reads at this node are as good as elsewhere.
#include "service/node_pages.hpp"

#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "chain/dev_chain.hpp"
#include "rpc_node.hpp"

namespace heddle::node {
namespace {

using testing::HasSubstr;

struct ToldNetwork final : NetworkView {
    bool is_heard = true;
    std::optional<SyncProgress> progress;

    [[nodiscard]] std::uint64_t peers() const override { return is_heard ? 1 : 0; }
    [[nodiscard]] bool is_listening() const override { return is_heard; }
    [[nodiscard]] std::optional<SyncProgress> catching_up() const override { return progress; }
};

class ReadyPage : public testing::Test {
protected:
    [[nodiscard]] rpc::Page ready() {
        NodePages parts;
        parts.metrics = [] { return std::string{}; };
        parts.chain = &node_.chain();
        parts.mempool = &node_.mempool();
        parts.network = network;
        parts.failure = [this] { return failure; };
        const rpc::Pages pages = make_pages(std::move(parts));
        return pages.at("/health/ready").make();
    }

    ToldNetwork told;
    const NetworkView* network = &told;
    std::optional<std::string> failure;

private:
    test::RpcNode node_{dev_genesis()};
};

TEST_F(ReadyPage, a_node_that_makes_its_blocks_alone_is_ready) {
    network = nullptr;
    EXPECT_EQ(ready().status, 200u);
}

TEST_F(ReadyPage, a_node_that_can_commit_nothing_says_why_it_is_not_ready) {
    failure = "the disk is full";
    EXPECT_EQ(ready().status, 503u);
    EXPECT_EQ(ready().body, R"({"ready":false,"reason":"the disk is full"})");
}

TEST_F(ReadyPage, a_node_is_ready_until_it_is_more_than_eight_blocks_behind) {
    told.progress = SyncProgress{0, 8};
    EXPECT_EQ(ready().status, 200u);
    told.progress = SyncProgress{0, 9};
    EXPECT_EQ(ready().status, 503u);
    EXPECT_THAT(ready().body, HasSubstr("it is 9 blocks behind"));
}

TEST_F(ReadyPage, a_node_that_hears_nobody_is_not_ready) {
    told.is_heard = false;
    EXPECT_EQ(ready().status, 503u);
    EXPECT_THAT(ready().body, HasSubstr("nothing tells it of new blocks"));
}

}  // namespace
}  // namespace heddle::node
