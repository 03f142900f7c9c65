// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Nodes that come later: by state sync, by state sync with a death on the way, and by replay of
// every block. All see the chain that the validators see.
#include <atomic>
#include <csignal>
#include <iostream>
#include <memory>
#include <random>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <types/hash.hpp>

#include "abci_proxy.hpp"
#include "announced_seed.hpp"
#include "cometbft/abci_messages.hpp"
#include "formats/json.hpp"
#include "network.hpp"
#include "own_chain.hpp"
#include "sender.hpp"

namespace heddle::test {
namespace {

namespace abci = consensus_adapter::cometbft::abci;

constexpr std::size_t kAccounts = 100'000;
constexpr std::uint16_t kAbciPort = 26658;
constexpr std::uint16_t kBehindProxy = 36658;

/// Nobody has their keys.
Address account(std::uint64_t index) {
    const std::string name = "account " + std::to_string(index);
    const Hash hash =
        keccak256(BytesView{reinterpret_cast<const std::uint8_t*>(name.data()),  // NOLINT
                            name.size()});
    Address address;
    std::copy_n(hash.bytes.begin(), address.bytes.size(), address.bytes.begin());
    return address;
}

std::string hex(std::uint64_t number) {
    std::ostringstream text;
    text << "0x" << std::hex << number;
    return text.str();
}

class Joining : public testing::Test {
protected:
    void SetUp() override {
        if (!find_cometbft().has_value()) GTEST_SKIP() << "cometbft is not installed";
        random_.seed(announced_seed());
        Genesis genesis = node::dev_genesis();
        for (std::uint64_t i = 0; i < kAccounts; ++i)
            genesis.alloc.push_back({account(i), 0, Uint256{1 + random_()}, {}, {}});
        NetworkOptions options;
        options.arguments = {"--snapshot-interval", "10", "--genesis",
                             write_genesis(folder_, genesis)};
        // Each is there until whoever was offered it has it.
        options.node_options.emplace_back("cometbft.snapshots_kept=20");
        network_ = std::make_unique<Network>(options);
    }
    void TearDown() override {
        if (network_) network_->stop();
        proxy_.reset();
    }

    [[nodiscard]] bool has_snapshot() {
        return network_->at(0).node_log().find("snapshot of block") != std::string::npos;
    }
    /// A node that dies, with its CometBFT, when it is about to have the first chunk, and again
    /// when a chunk is done and CometBFT does not know it yet.
    Validator& add_one_that_dies() {
        Validator& node = network_->add({"--state-sync"});
        auto options = node.node_options();
        options.push_back("cometbft.abci=tcp://" + node.address() + ":" +
                          std::to_string(kBehindProxy));
        node.set_node_options(std::move(options));
        proxy_ = std::make_unique<AbciProxy>(
            node.address(), kAbciPort, kBehindProxy, [this, &node](AbciProxy::Message& message) {
                if (deaths_ == 2 || !is_chunk(message)) return;
                if ((message.direction == AbciProxy::Direction::response) != (deaths_ == 1)) return;
                ++deaths_;
                message.is_lost = true;
                node.comet().signal(SIGKILL);
                node.node().signal(SIGKILL);
            });
        return node;
    }
    static bool is_chunk(const AbciProxy::Message& message) {
        const auto size = static_cast<int>(message.bytes.size());
        if (message.direction == AbciProxy::Direction::request) {
            abci::Request request;
            return request.ParseFromArray(message.bytes.data(), size) &&
                   request.has_apply_snapshot_chunk();
        }
        abci::Response response;
        return response.ParseFromArray(message.bytes.data(), size) &&
               response.has_apply_snapshot_chunk();
    }
    /// The least block that it shows, of those after the genesis.
    [[nodiscard]] static std::uint64_t first_block(const Validator& node) {
        std::uint64_t number = 1;
        while (!node.block_hash(number).has_value() && number < node.head().value())
            ++number;
        return number;
    }
    void expect_equal_blocks(const Validator& node) {
        const std::uint64_t last = network_->least_head();
        const std::uint64_t first = first_block(node);
        std::cout << node.home().filename() << " has blocks " << first << " to " << last << '\n'
                  << std::flush;
        for (std::uint64_t number = first; number <= last; ++number)
            EXPECT_EQ(node.block_hash(number), network_->at(0).block_hash(number)) << number;
    }
    /// A proof, or what is said in its place. It waits for the block that is being written, which a
    /// busy disk may hold up for longer than one call has patience.
    [[nodiscard]] static std::string proof_of(const Validator& node, const std::string& params) {
        std::string answer;
        for (int i = 0; i < 12 && answer.empty(); ++i)
            answer = node.call("eth_getProof", params);
        return answer;
    }
    /// Balances and proofs at one block that all have.
    void expect_equal_state() {
        const std::string number = hex(network_->least_head());
        node::JsonParser parser;
        const std::string block =
            network_->at(0).call("eth_getBlockByNumber", "[\"" + number + "\",false]");
        const Hash state_root = parser.parse(block, "block").at("result").at("stateRoot").hash();
        for (int i = 0; i < 50; ++i) {
            const std::string who = to_string(account(random_() % kAccounts));
            const std::string balance_params = fmt::format(R"(["{}","{}"])", who, number);
            const std::string proof_params = fmt::format(R"(["{}",[],"{}"])", who, number);
            const auto balance = network_->at(0).text("eth_getBalance", balance_params);
            const std::string proof = proof_of(network_->at(0), proof_params);
            ASSERT_TRUE(balance.has_value() && *balance != "0x0");
            const auto nodes = parser.parse(proof, "proof").at("result").at("accountProof");
            EXPECT_EQ(keccak256(nodes.element(0).bytes()), state_root);
            for (std::size_t other = 1; other < network_->size(); ++other) {
                EXPECT_EQ(network_->at(other).text("eth_getBalance", balance_params), balance);
                EXPECT_EQ(proof_of(network_->at(other), proof_params), proof);
            }
        }
    }

    const TemporaryFolder folder_;
    std::mt19937_64 random_;
    std::unique_ptr<Network> network_;
    std::atomic<unsigned> deaths_ = 0;
    std::unique_ptr<AbciProxy> proxy_;  // uses the above
};

TEST_F(Joining, nodes_from_snapshots_and_from_the_first_block_see_the_same_chain) {
    network_->start();
    network_->wait_for_block(2);
    const Validator& synced = network_->add({"--state-sync"});
    const Validator& restarted = add_one_that_dies();
    const Validator& replayed = network_->add({});
    Sender sender{*network_, 20, random_()};
    wait_until([this] { return has_snapshot(); });

    // This starts them.
    network_->wait_for_more(3);
    sender.stop();
    network_->wait_for_more(2);

    EXPECT_EQ(deaths_, 2u);
    for (const Validator* node : {&synced, &restarted}) {
        EXPECT_GT(first_block(*node), 1u) << node->home();
        expect_equal_blocks(*node);
    }
    EXPECT_EQ(first_block(replayed), 1u);
    expect_equal_blocks(replayed);
    expect_equal_state();
    EXPECT_EQ(network_->complaints(), "");
}

}  // namespace
}  // namespace heddle::test
