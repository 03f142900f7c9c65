// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Three lanes under CometBFT and nodes that merge them: ether, tokens and swaps across homes, while
// lanes and nodes are killed, stopped and started again. HEDDLE_SOAK_SECONDS makes it longer than
// three minutes or shorter, HEDDLE_TEST_SEED another one.
#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <iostream>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <consensus_adapter/lanes/directory.hpp>
#include <consensus_adapter/lanes/move.hpp>
#include <types/signing.hpp>
#include <types/uint256.hpp>
#include <workload/bytecode.hpp>

#include "announced_seed.hpp"
#include "chain/dev_chain.hpp"
#include "lanes_network.hpp"

namespace heddle::test {
namespace {

using node::dev_accounts;
using std::chrono::seconds;

std::uint64_t number_of(const char* variable, std::uint64_t usual) {
    const char* const given = std::getenv(variable);
    return given == nullptr ? usual : std::strtoull(given, nullptr, 10);
}

class RunningLanes : public testing::Test {
protected:
    void SetUp() override {
        if (!find_cometbft().has_value())
            GTEST_SKIP() << "there is no CometBFT: HEDDLE_COMETBFT, scripts/install-cometbft.sh";
    }
    /// Sends a transaction of a development account to a node. @return its hash; empty: refused.
    /// @param to  nullopt: it creates a contract.
    std::string send(Validator& node, std::size_t from, const std::optional<Address>& to,
                     Bytes data = {}) {
        Transaction tx;
        tx.type = TransactionType::dynamic_fee;
        tx.chain_id = 1337;
        tx.nonce = nonces_[from];
        tx.max_fee_per_gas = Uint256{std::uint64_t{10'000'000'000}};
        tx.max_priority_fee_per_gas = Uint256{std::uint64_t{1'000'000'000}};
        tx.gas_limit = !to.has_value() ? 3'000'000 : data.empty() ? 21'000 : 300'000;
        tx.to = to;
        tx.value = data.empty() ? Uint256{std::uint64_t{1}} : Uint256{};
        tx.data = std::move(data);
        EXPECT_TRUE(sign_transaction(tx, dev_accounts()[from].secret));
        Bytes encoded;
        encode_transaction(tx, encoded);
        const auto hash = node.text("eth_sendRawTransaction", R"([")" + to_hex(encoded) + R"("])");
        if (!hash.has_value()) return {};
        ++nonces_[from];
        return *hash;
    }
    std::string send(Validator& node, std::size_t from, std::size_t to) {
        return send(node, from, dev_accounts()[to].address);
    }
    static bool has_receipt(const Validator& node, const std::string& hash) {
        return node.call("eth_getTransactionReceipt", R"([")" + hash + R"("])")
                   .find("\"status\":\"0x1\"") != std::string::npos;
    }
    /// Stops a lane and waits until it is named as silent, so that what needs only others goes on.
    /// A cut may have named a block of it that nobody else has got: then all wait for that block
    /// until the lane is back, as they have to. So it starts and stops until that was not so.
    static void stop_lane_that_is_not_missed(LanesNetwork& network, Validator& node,
                                             std::size_t lane) {
        constexpr std::uint64_t kBehind = 100;  // blocks of the leading lane; silence takes fewer
        while (true) {
            network.lane(lane).stop();
            bool is_silent = false;
            wait_until([&] {
                network.tend(lane);
                const std::string lanes = node.call("heddle_lanes");
                is_silent = lanes.find("\"silent\":true") != std::string::npos;
                return is_silent ||
                       number_after(lanes, "kept") > number_after(lanes, "merged") + kBehind;
            });
            if (is_silent) return;
            const std::uint64_t merged = number_after(node.call("heddle_lanes"), "merged");
            network.lane(lane).start();
            wait_until([&] {
                network.tend();
                return number_after(node.call("heddle_lanes"), "merged") > merged;
            });
        }
    }
    /// The first quantity of this name, which is that of the leading lane; 0 where there is none.
    static std::uint64_t number_after(const std::string& json, const std::string& name) {
        const std::string member = "\"" + name + "\":\"0x";
        const std::size_t at = json.find(member);
        if (at == std::string::npos) return 0;
        return std::strtoull(json.c_str() + at + member.size(), nullptr, 16);
    }
    static void wait_for_receipts(LanesNetwork& network, const std::vector<std::string>& hashes) {
        for (std::size_t i = 0; i < network.nodes(); ++i)
            for (const std::string& hash : hashes)
                wait_until([&] {
                    network.tend();
                    return has_receipt(network.node(i), hash);
                });
    }

    /// Two tokens and a pool of both: who trades touches objects of as many homes as there are.
    struct Market {
        std::array<Address, 2> tokens;
        Address pool;
    };
    static constexpr std::size_t kMaker = 8;
    static constexpr std::size_t kTraders = 4;  // development accounts 0 to 3

    /// Each step when all nodes have the one before: of two senders any may come first.
    Market open_market(LanesNetwork& network) {
        Validator& node = network.node(0);
        std::vector<std::string> sent;
        const auto step_ends = [&] {
            ASSERT_EQ(std::ranges::count(sent, ""), 0);
            wait_for_receipts(network, sent);
            sent.clear();
        };
        const auto create = [&](const workload::CompiledContract& contract,
                                std::initializer_list<Uint256> arguments) {
            const Address address = create_address(dev_accounts()[kMaker].address, nonces_[kMaker]);
            sent.push_back(send(node, kMaker, std::nullopt, creation_code(contract, arguments)));
            return address;
        };
        Market market;
        for (Address& token : market.tokens)
            token = create(workload::kToken, {kSupply});
        market.pool =
            create(workload::kPair, {to_word(market.tokens[0]), to_word(market.tokens[1])});
        step_ends();
        for (const Address& token : market.tokens) {
            for (std::size_t trader = 0; trader < kTraders; ++trader)
                sent.push_back(send(node, kMaker, token,
                                    call_data(workload::token::kTransfer,
                                              {to_word(dev_accounts()[trader].address), kShare})));
            for (const std::size_t owner : {0UL, 1UL, 2UL, 3UL, kMaker})
                sent.push_back(send(
                    node, owner, token,
                    call_data(workload::token::kApprove, {to_word(market.pool), Uint256::max()})));
        }
        step_ends();
        sent.push_back(send(node, kMaker, market.pool,
                            call_data(workload::pair::kAddLiquidity, {kShare, kShare})));
        step_ends();
        return market;
    }
    /// Of an account: ether, and of traders also tokens or a swap.
    std::string send_something(Validator& node, std::size_t from, const Market& market,
                               std::mt19937_64& random) {
        const Address to = dev_accounts()[random() % 10].address;
        const Address& token = market.tokens[random() % 2];
        const Uint256 amount{1 + random() % 1'000};
        switch (from < kTraders ? random() % 3 : 0) {
            case 1:
                return send(node, from, token,
                            call_data(workload::token::kTransfer, {to_word(to), amount}));
            case 2:
                return send(node, from, market.pool,
                            call_data(workload::pair::kSwap,
                                      {to_word(token), amount, Uint256{}, to_word(to)}));
            default:
                return send(node, from, to);
        }
    }

    std::vector<std::uint64_t> nonces_ = std::vector<std::uint64_t>(10);

private:
    static constexpr Uint256 kShare{std::uint64_t{1'000'000'000'000}};
    static constexpr Uint256 kSupply{std::uint64_t{100'000'000'000'000}};

    static Uint256 to_word(const Address& address) { return load_be_partial(address.bytes); }
    static void append_words(std::initializer_list<Uint256> words, Bytes& out) {
        for (const Uint256& word : words) {
            const Hash bytes = to_hash(word);
            out.insert(out.end(), bytes.bytes.begin(), bytes.bytes.end());
        }
    }
    static Bytes call_data(std::uint32_t selector, std::initializer_list<Uint256> words) {
        Bytes data;
        for (int shift = 24; shift >= 0; shift -= 8)
            data.push_back(static_cast<std::uint8_t>(selector >> shift));
        append_words(words, data);
        return data;
    }
    static Bytes creation_code(const workload::CompiledContract& contract,
                               std::initializer_list<Uint256> arguments) {
        Bytes code = from_hex(contract.creation_hex).value();
        append_words(arguments, code);
        return code;
    }
};

TEST_F(RunningLanes, make_one_chain_of_transactions_across_homes_while_they_are_killed) {
    const std::uint64_t seed = announced_seed();
    std::mt19937_64 random{seed};
    LanesNetwork network{3, 3};
    network.start();
    network.wait_for_block(2);
    const Market market = open_market(network);

    std::vector<std::string> sent;
    const auto end =
        std::chrono::steady_clock::now() + seconds{number_of("HEDDLE_SOAK_SECONDS", 180)};
    for (unsigned round = 0; round < 4 || std::chrono::steady_clock::now() < end; ++round) {
        for (std::size_t from = 0; from < 8; ++from) {
            const std::string hash = send_something(network.node(0), from, market, random);
            if (!hash.empty()) sent.push_back(hash);
        }
        switch (round % 4) {
            case 0:
                network.node(1 + random() % 2).node().signal(SIGKILL);
                break;
            case 1:
                network.lane(random() % 3).application().signal(SIGKILL);
                break;
            case 2:
                network.lane(random() % 3).comet().signal(SIGKILL);
                break;
            default:
                network.node(0).node().signal(SIGKILL);
                break;
        }
        network.wait_for_block(network.least_head() + 3);
    }
    ASSERT_FALSE(sent.empty());
    wait_for_receipts(network, sent);
    EXPECT_EQ(network.disagreement(), "");
    const std::string status = network.node(1).call("heddle_lanes");
    EXPECT_EQ(status.find("\"severalHomes\":\"0x0\""), std::string::npos) << status;
    std::cout << sent.size() << " transactions in " << network.least_head() << " blocks\n"
              << status << "\n";
    network.stop();

    // Recorded logs of a node give the chain that it has.
    std::vector<std::string> merge{"lanes", "merge", "--genesis",
                                   (network.folder() / "genesis.json").native()};
    for (int lane = 0; lane < 3; ++lane)
        merge.push_back(
            (network.folder() / "node1/ledger/lanes" / ("lane-" + std::to_string(lane) + ".log"))
                .native());
    const ProgramResult merged = run_program(merge);
    EXPECT_EQ(merged.exit_code, 0) << merged.error;
}

TEST_F(RunningLanes, go_on_without_one_that_is_gone_and_with_it_when_it_is_back) {
    LanesNetwork network{2, 1};
    network.start();
    network.wait_for_block(2);
    Validator& node = network.node(0);
    stop_lane_that_is_not_missed(network, node, 1);
    const consensus_adapter::lanes::RangeDirectory directory{
        consensus_adapter::lanes::make_even_ranges(2)};
    std::string near;
    for (std::size_t i = 0; i < 10 && near.empty(); ++i)
        if (directory.home_of({dev_accounts()[i].address, {}}).lane == 0) near = send(node, i, i);
    ASSERT_FALSE(near.empty());
    wait_until([&] {
        network.tend(1);
        return has_receipt(node, near);
    });
    network.lane(1).start();
    // An answer, for a node that does not answer says nothing of silence either.
    wait_until([&] {
        network.tend();
        const std::string lanes = node.call("heddle_lanes");
        return lanes.find("\"silent\":false") != std::string::npos &&
               lanes.find("\"silent\":true") == std::string::npos;
    });
    network.stop();
}

TEST_F(RunningLanes, move_a_home_by_a_transaction_that_anybody_can_send) {
    LanesNetwork network{2, 1};
    network.start();
    network.wait_for_block(1);
    Validator& node = network.node(0);
    const Address account = dev_accounts()[0].address;
    const consensus_adapter::lanes::RangeDirectory directory{
        consensus_adapter::lanes::make_even_ranges(2)};
    const auto home = directory.home_of({account, {}}).lane;
    const auto to = static_cast<consensus_adapter::lanes::LaneNumber>(1 - home);
    const std::string hash = send(node, 0, consensus_adapter::lanes::homes_address(),
                                  consensus_adapter::lanes::encode_move({{account, {}}, to, 0}));
    ASSERT_FALSE(hash.empty());
    wait_for_receipts(network, {hash});
    const std::string homes = node.call("heddle_homes", R"([")" + to_string(account) + R"("])");
    EXPECT_NE(homes.find("\"moves\":\"0x1\""), std::string::npos) << homes;
    // It goes on from there.
    wait_for_receipts(network, {send(node, 0, 1)});
    network.stop();
}

TEST_F(RunningLanes, are_joined_by_a_node_that_trusts_one_block) {
    LanesNetwork network{2, 2};
    for (std::size_t lane = 0; lane < network.lanes(); ++lane)
        network.lane(lane).start();
    Validator& first = network.node(0);
    std::vector<std::string> options = first.node_options();
    options.emplace_back("lanes.snapshot_interval=8");
    first.set_node_options(std::move(options));
    first.start_node();
    wait_until([&] {
        return first.call("heddle_snapshots").find("\"number\"") != std::string::npos &&
               first.head().value_or(0) >= 10;
    });
    const std::uint64_t trusted = first.head().value();
    const std::string hash = to_string(first.block_hash(trusted).value());

    Validator& second = network.node(1);
    const auto join = [&](const std::string& trust_hash) {
        std::vector<std::string> joining = network.node(1).node_options();
        joining.insert(joining.end(), {"lanes.join=http://" + first.address() + ":8545",
                                       "lanes.trust_number=" + std::to_string(trusted),
                                       "lanes.trust_hash=" + trust_hash});
        second.set_node_options(std::move(joining));
        second.start_node();
    };
    join("0x" + std::string(64, '1'));
    wait_until([&] { return !second.node().is_running(); });
    EXPECT_NE(second.node_log().find("and lanes.trust_hash is"), std::string::npos)
        << second.node_log();
    join(hash);
    const std::string sent = send(first, 0, 1);
    ASSERT_FALSE(sent.empty());
    wait_for_receipts(network, {sent});
    network.wait_for_block(trusted + 3);
    EXPECT_EQ(network.disagreement(trusted - 1), "") << "whole blocks are there above the snapshot";
    EXPECT_NE(second.node_log().find("joined after block 8 "), std::string::npos)
        << second.node_log();
    // Lanes are followed from the snapshot on, with signatures checked.
    const std::string status = second.call("heddle_lanes");
    EXPECT_EQ(status.find("\"fault\":\""), std::string::npos) << status;
    network.stop();
}

}  // namespace
}  // namespace heddle::test
