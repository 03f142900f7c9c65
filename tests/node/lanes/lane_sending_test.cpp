// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What whole nodes hand to the CometBFT of lanes, and when they do so again.
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <openssl/evp.h>

#include "../cometbft/fake_comet_server.hpp"
#include "lane_engine_fixture.hpp"

namespace heddle::node {
namespace {

using testing::ElementsAre;

class SendingToLanes : public LaneEngineTest {
protected:
    void SetUp() override {
        LaneEngineTest::SetUp();
        // The end of each connection lets the next one be answered.
        for (auto& server : servers_)
            server =
                std::make_unique<heddle::test::FakeCometServer>([](const std::string& request) {
                    std::string answers;
                    for (std::size_t i = 0; i < entries_in(request).size(); ++i)
                        answers += (i == 0 ? "[" : ",") + std::string{R"({"jsonrpc":"2.0","id":)"} +
                                   std::to_string(i) + R"(,"result":{"code":0}})";
                    return heddle::test::FakeCometServer::Reply{
                        heddle::test::http_answer(answers + "]"), true};
                });
    }
    [[nodiscard]] std::unique_ptr<LanesNode> start_sending() {
        LanesNodeOptions options;
        for (const auto& server : servers_)
            options.taking.push_back(server->address());
        return start_node("node", options);
    }
    /// Entries that a lane has been handed, the first one first.
    [[nodiscard]] std::vector<Bytes> handed(LaneNumber lane) const {
        std::vector<Bytes> result;
        for (const std::string& request : servers_[lane]->requests())
            for (Bytes& entry : entries_in(request))
                result.push_back(std::move(entry));
        return result;
    }
    /// Of a request, which has several where the machine was too busy to send them one by one.
    [[nodiscard]] static std::vector<Bytes> entries_in(const std::string& request) {
        const std::string member = R"("tx":")";
        std::vector<Bytes> result;
        for (std::size_t at = request.find(member); at != std::string::npos;
             at = request.find(member, at)) {
            at += member.size();
            const std::string text = request.substr(at, request.find('"', at) - at);
            Bytes bytes(text.size() / 4 * 3);
            EXPECT_GE(
                EVP_DecodeBlock(bytes.data(),
                                reinterpret_cast<const unsigned char*>(text.data()),  // NOLINT
                                static_cast<int>(text.size())),
                0);
            bytes.resize(bytes.size() - static_cast<std::size_t>(std::ranges::count(text, '=')));
            result.push_back(std::move(bytes));
        }
        return result;
    }
    void wait_for_handed(LaneNumber lane, std::size_t count) const {
        wait_until([&] { return handed(lane).size() >= count; });
        EXPECT_EQ(handed(lane).size(), count);
    }
    /// Every lane orders, and the node merges it before the next height.
    void order_with(LanesNode& node, unsigned times = 1) {
        for (unsigned i = 0; i < times; ++i) {
            order();
            node.wait_for_merged(++merged_);
        }
    }

    std::array<std::unique_ptr<heddle::test::FakeCometServer>, kLanes> servers_;
    std::uint64_t merged_ = 0;
};

TEST_F(SendingToLanes, a_node_completes_a_half_of_somebody_else_that_can_be_paid_for) {
    const auto [a, b] = apart();
    const auto node = start_sending();
    const homes::Entry half = transfer(a, b);
    nonces_[a] += 100;
    const homes::Entry unpayable = transfer(a, b);
    put(half, home(b));
    put(unpayable, home(b));
    order_with(*node, 8);
    EXPECT_TRUE(servers_[home(b)]->requests().empty()) << "who placed it may do so first";
    order_with(*node);
    wait_for_handed(home(b), 1);
    EXPECT_THAT(handed(home(b)), ElementsAre(encode(half)));
    wait_until([&] { return node->engine().status().sent_again == 1; });
    next_[home(b)].push_back(handed(home(b)).front());
    order_with(*node, 12);
    EXPECT_EQ(node->transactions(), 1u);
    EXPECT_EQ(node->engine().status().rejected, 1u) << "the other one";
    EXPECT_TRUE(servers_[home(a)]->requests().empty());
}

TEST_F(SendingToLanes, a_node_sends_the_same_entry_again_and_another_one_when_it_is_rejected) {
    const auto [a, b] = apart();
    const auto node = start_sending();
    Bytes encoded;
    encode_transaction(signed_with(unsigned_transfer(0, account(b)), dev_accounts()[a].secret),
                       encoded);
    ASSERT_TRUE(node->mempool().add(encoded, Origin::submitted).has_value());
    wait_for_handed(home(a), 1);
    wait_for_handed(home(b), 1);
    const Bytes first = handed(home(a)).front();
    EXPECT_EQ(handed(home(b)).front(), first);

    // Both have lost it.
    order_with(*node, 6);
    wait_for_handed(home(a), 2);
    wait_for_handed(home(b), 2);
    EXPECT_EQ(handed(home(b)).back(), first);

    // One orders it, the other one never does.
    next_[home(a)].push_back(first);
    order_with(*node, 5);
    wait_for_handed(home(b), 3);
    order_with(*node, 4);
    wait_for_handed(home(b), 4);
    EXPECT_EQ(handed(home(b)).back(), first);
    EXPECT_EQ(node->engine().status().rejected, 0u);
    // At 12 cuts, and 12 blocks after the first time that all of it was sent again.
    order_with(*node, 8);
    EXPECT_EQ(node->engine().status().rejected, 1u);
    const std::size_t before = 6;
    wait_for_handed(home(b), before + 1);
    const Bytes second = handed(home(b)).back();
    EXPECT_EQ(handed(home(b)).at(before - 1), first);
    EXPECT_NE(second, first);
    next_[home(a)].push_back(second);
    next_[home(b)].push_back(second);
    order_with(*node);
    EXPECT_EQ(node->transactions(), 1u);
}

}  // namespace
}  // namespace heddle::node
