// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "lanes/payer_source.hpp"

#include <atomic>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../follow/hostile_server.hpp"

namespace heddle::node::lanes {
namespace {

/// Has one nonce and one balance for everybody.
class Node {
public:
    explicit Node(std::string nonce, const std::string& chain_id = R"("0x539")") {
        server.on("eth_chainId", [this, chain_id](const rpc::Call&, JsonWriter& out) {
            ++asked;
            out.raw(chain_id);
        });
        server.on(
            "eth_getTransactionCount",
            [nonce = std::move(nonce)](const rpc::Call&, JsonWriter& out) { out.raw(nonce); });
        server.on("eth_getBalance",
                  [](const rpc::Call&, JsonWriter& out) { out.raw(R"("0xde0b6b3a7640000")"); });
        server.start();
    }
    std::atomic<int> asked = 0;
    follow::test::PoliteServer server;
};

class PayerSourceTest : public testing::Test {
protected:
    /// The nonce that is told of each of them.
    [[nodiscard]] static std::vector<std::uint64_t> ask(PayerSource& source, std::size_t count) {
        std::vector<Address> addresses;
        for (std::size_t i = 0; i < count; ++i)
            addresses.push_back(address_from_low64(i + 1));
        std::vector<std::uint64_t> result;
        const auto states = source.look_up(addresses);
        if (!states.has_value()) return result;
        for (const AccountState& state : *states) {
            EXPECT_EQ(state.balance, Uint256{std::uint64_t{1'000'000'000'000'000'000}});
            result.push_back(state.nonce);
        }
        return result;
    }
    std::stop_source stop_;
};

/// Of at most 16 calls, which a node answers beside those that take long.
TEST_F(PayerSourceTest, has_a_state_of_each_account_out_of_small_batches) {
    Node node{R"("0x7")"};
    PayerSource source{{node.server.endpoint(false)}, 1337, stop_.get_token()};
    EXPECT_EQ(ask(source, 64), std::vector<std::uint64_t>(64, 7));
    EXPECT_EQ(node.asked, 10);
}

TEST_F(PayerSourceTest, asks_another_node_where_one_is_of_another_chain_or_makes_no_sense) {
    for (const char* nonce : {R"("many")", "null", R"("0x10000000000000000")", "{}"}) {
        Node wrong{nonce};
        Node other{R"("0x5")", R"("0x53a")"};
        Node right{R"("0x8")"};
        PayerSource source{{wrong.server.endpoint(false), other.server.endpoint(false),
                            right.server.endpoint(false)},
                           1337,
                           stop_.get_token()};
        EXPECT_EQ(ask(source, 2), std::vector<std::uint64_t>(2, 8)) << nonce;
        EXPECT_EQ(ask(source, 1), std::vector<std::uint64_t>(1, 8)) << nonce;
        EXPECT_EQ(wrong.asked, 1) << "it rests";
        EXPECT_EQ(right.asked, 2);
    }
}

TEST_F(PayerSourceTest, says_that_nobody_answers) {
    follow::Endpoint nobody;
    nobody.host = "127.0.0.1";
    nobody.port = 1;
    PayerSource source{{nobody}, 1337, stop_.get_token()};
    EXPECT_TRUE(ask(source, 1).empty());
    PayerSource none{{}, 1337, stop_.get_token()};
    EXPECT_TRUE(ask(none, 1).empty());
}

}  // namespace
}  // namespace heddle::node::lanes
