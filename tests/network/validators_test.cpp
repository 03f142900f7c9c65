// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Validators that a contract names: a node that joined becomes one, one of the first is ended, and
// one gets more power, while the chain goes on.
#include <algorithm>
#include <csignal>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "cometbft/owned_validators.hpp"
#include "formats/json.hpp"
#include "network.hpp"
#include "own_chain.hpp"
#include "validator_calls.hpp"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;
using Member = consensus_adapter::cometbft::Validator;

constexpr Address contract_address() {
    Address address;
    address.bytes[0] = 0x5e;
    address.bytes.back() = 1;
    return address;
}
constexpr Address kContract = contract_address();
constexpr std::string_view kSeed = "7";

/// RFC 4648, section 4, with padding.
Bytes from_base64(std::string_view text) {
    constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    Bytes bytes;
    std::uint32_t bits = 0;
    unsigned count = 0;
    for (const char digit : text) {
        if (digit == '=') break;
        bits = bits << 6 | static_cast<std::uint32_t>(kDigits.find(digit));
        count += 6;
        if (count < 8) continue;
        count -= 8;
        bytes.push_back(static_cast<std::uint8_t>(bits >> count));
    }
    return bytes;
}

/// What a CometBFT signs with.
struct Signer {
    Bytes key;
    std::string address;  // as CometBFT prints it
};
Signer signer_of(const fs::path& home) {
    node::JsonParser parser;
    const auto file =
        parser.parse_file((home / "cometbft/config/priv_validator_key.json").native());
    return {from_base64(file.at("pub_key").at("value").string()),
            std::string{file.at("address").string()}};
}

class Validators : public testing::Test {
protected:
    void SetUp() override {
        if (!find_cometbft().has_value()) GTEST_SKIP() << "cometbft is not installed";
        Genesis genesis = node::dev_genesis();
        genesis.alloc.push_back(
            node::owned_validators_account(kContract, owner().address, first_members()));
        NetworkOptions options;
        options.block_interval = "300ms";
        options.arguments = {"--seed", std::string{kSeed}, "--genesis",
                             write_genesis(folder_, genesis,
                                           R"({"validatorContract":")" + to_string(kContract) +
                                               R"(","epochBlocks":4})")};
        network_ = std::make_unique<Network>(options);
    }
    void TearDown() override {
        if (network_) network_->stop();
    }

    static const node::DevAccount& owner() { return node::dev_accounts().front(); }

    /// A network's keys, made beforehand: its genesis names them.
    [[nodiscard]] std::vector<Member> first_members() const {
        const fs::path draft = folder_.path() / "draft";
        const ProgramResult written =
            run_program({"testnet", "--out", draft.native(), "--seed", std::string{kSeed}});
        EXPECT_EQ(written.exit_code, 0) << written.error;
        std::vector<Member> members;
        for (const char* const name : {"validator1", "validator2", "validator3", "validator4"})
            members.push_back({signer_of(draft / name).key, 10});
        return members;
    }
    /// The owner's transaction, by way of a node.
    void set_validator(const Validator& by, const Signer& who, std::int64_t power) {
        Transaction tx = make_call(nonce_++, kContract, 200'000);
        tx.data = set_validator_call({who.key, power});
        const auto hash = by.text("eth_sendRawTransaction",
                                  "[\"" + to_hex(signed_bytes(std::move(tx), owner())) + "\"]");
        ASSERT_TRUE(hash.has_value());
        wait_until([&] {
            return by.call("eth_getTransactionReceipt", "[\"" + *hash + "\"]")
                       .find(R"("status":"0x1")") != std::string::npos;
        });
    }
    /// Those who vote now, as a CometBFT says.
    static std::vector<std::string> members(const Validator& at) {
        node::JsonParser parser;
        const std::string answer = at.ask_comet("/validators");
        if (answer.empty()) return {};
        const auto list = parser.parse(answer, "validators").at("result").at("validators");
        std::vector<std::string> addresses;
        for (std::size_t i = 0; i < list.size(); ++i)
            addresses.emplace_back(list.element(i).at("address").string());
        return addresses;
    }
    static bool has_member(const Validator& at, const Signer& who) {
        return std::ranges::count(members(at), who.address) != 0;
    }
    /// As a CometBFT says; 0: it does not vote.
    static std::uint64_t power_of(const Validator& at, const Signer& who) {
        node::JsonParser parser;
        const std::string answer = at.ask_comet("/validators");
        if (answer.empty()) return 0;
        const auto list = parser.parse(answer, "validators").at("result").at("validators");
        for (std::size_t i = 0; i < list.size(); ++i)
            if (list.element(i).at("address").string() == who.address)
                return list.element(i).at("voting_power").uint64();
        return 0;
    }
    /// Whether the signatures below the newest block have this one.
    static bool has_signed(const Validator& at, const Signer& who) {
        return at.ask_comet("/block").find(R"("validator_address":")" + who.address) !=
               std::string::npos;
    }
    /// Whether the newest block is of this proposer.
    static bool has_proposed(const Validator& at, const Signer& who) {
        std::string data = at.call("eth_getBlockByNumber", R"(["latest",false])");
        std::ranges::transform(data, data.begin(), [](unsigned char c) { return std::toupper(c); });
        return data.find(R"("EXTRADATA":"0X)" + who.address) != std::string::npos;
    }

    const TemporaryFolder folder_;
    std::unique_ptr<Network> network_;
    std::uint64_t nonce_ = 0;
};

TEST_F(Validators, join_and_leave_by_transactions) {
    network_->start();
    network_->wait_for_block(2);
    Validator& fifth = network_->add({});
    network_->wait_for_block(4);
    const Signer first_signer = signer_of(network_->at(0).home());
    const Signer fifth_signer = signer_of(fifth.home());
    EXPECT_FALSE(has_member(network_->at(1), fifth_signer));

    set_validator(fifth, fifth_signer, 10);
    wait_until([&] { return has_member(network_->at(1), fifth_signer); });
    wait_until([&] { return has_signed(network_->at(1), fifth_signer); });
    wait_until([&] { return has_proposed(network_->at(1), fifth_signer); });
    wait_until([&] { return members(fifth).size() == 5; });

    set_validator(network_->at(2), first_signer, 0);
    wait_until([&] { return !has_member(network_->at(1), first_signer); });
    // The nodes see a block one after the other: what one of them shows, another may not show yet.
    wait_until([&] { return members(fifth).size() == 4; });
    // Were the first one still counted, three of five would not be enough.
    for (const std::size_t out : {0u, 1u}) {
        (void)network_->at(out).comet().end(SIGKILL);
        (void)network_->at(out).node().end(SIGKILL);
    }
    const std::uint64_t alone = fifth.head().value();
    wait_until([&] { return fifth.head().value_or(0) >= alone + 5; });

    network_->wait_for_more(3);
    EXPECT_FALSE(has_signed(network_->at(1), first_signer));
    EXPECT_EQ(network_->disagreement(), "");
    EXPECT_EQ(network_->complaints(), "");
}

TEST_F(Validators, decide_by_the_power_that_the_contract_says) {
    network_->start();
    network_->wait_for_block(2);
    Validator& first = network_->at(0);
    const Signer first_signer = signer_of(first.home());
    wait_until([&] { return power_of(first, first_signer) == 10; });

    set_validator(network_->at(1), first_signer, 100);
    wait_until([&] { return power_of(first, first_signer) == 100; });
    // 100 of 130 are more than two thirds.
    for (const std::size_t out : {1u, 2u, 3u}) {
        (void)network_->at(out).comet().end(SIGKILL);
        (void)network_->at(out).node().end(SIGKILL);
    }
    const std::uint64_t alone = first.head().value();
    wait_until([&] { return first.head().value_or(0) >= alone + 5; });
    network_->wait_for_more(3);

    set_validator(network_->at(1), first_signer, 10);
    wait_until([&] { return power_of(network_->at(1), first_signer) == 10; });
    // And without it the others go on, who have 30 of 40 now.
    (void)first.comet().end(SIGKILL);
    (void)first.node().end(SIGKILL);
    const std::uint64_t without = network_->at(1).head().value();
    wait_until([&] { return network_->at(1).head().value_or(0) >= without + 5; });

    network_->wait_for_more(3);
    EXPECT_EQ(network_->disagreement(), "");
    EXPECT_EQ(network_->complaints(), "");
}

}  // namespace
}  // namespace heddle::test
