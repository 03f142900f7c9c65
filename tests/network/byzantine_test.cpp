// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A validator whose proposals are not what Heddle prepared. The network goes on, agrees on every
// block with its receipts, and each validator counts what was wrong.
#include <algorithm>
#include <csignal>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "abci_proxy.hpp"
#include "announced_seed.hpp"
#include "cometbft/abci_messages.hpp"
#include "false_proposals.hpp"
#include "network.hpp"
#include "sender.hpp"

namespace heddle::test {
namespace {

namespace abci = consensus_adapter::cometbft::abci;
using consensus_adapter::cometbft::as_bytes;
using consensus_adapter::cometbft::as_field;
using Direction = AbciProxy::Direction;

constexpr std::uint16_t kAbciPort = 26658;
constexpr std::uint16_t kBehindProxy = 36658;
constexpr std::int32_t kAccept = 1;
constexpr std::int32_t kReject = 2;

template <typename Message>
std::optional<Message> parsed(const AbciProxy::Message& message) {
    Message result;
    if (!result.ParseFromArray(message.bytes.data(), static_cast<int>(message.bytes.size())))
        return std::nullopt;
    return result;
}

template <typename Items>
std::vector<Bytes> items_of(const Items& fields) {
    std::vector<Bytes> items;
    for (const std::string& field : fields)
        items.emplace_back(as_bytes(field).begin(), as_bytes(field).end());
    return items;
}

/// The value of a line of /metrics; 0: there is none.
std::uint64_t metric(const Validator& validator, const std::string& name) {
    const std::string page = http_exchange(validator.address(), 8545, "/metrics");
    const auto found = page.find("\n" + name + " ");
    if (found == std::string::npos) return 0;
    return static_cast<std::uint64_t>(std::stod(page.substr(found + name.size() + 2)));
}

class Byzantine : public testing::Test {
protected:
    /// A lie that was proposed.
    struct Told {
        Lie lie;
        FalseProposal proposal;
    };
    enum class Mood : std::uint8_t { honest, lying, suicidal };
    struct Outcome {
        unsigned told = 0;
        unsigned rejected = 0;
        unsigned decided = 0;
    };

    void SetUp() override {
        if (!find_cometbft().has_value()) GTEST_SKIP() << "cometbft is not installed";
        const std::uint64_t seed = announced_seed();
        random_.seed(seed);
        liar_.emplace(seed);
        NetworkOptions options;
        options.block_interval = "300ms";
        options.arguments = {"--genesis", write_genesis(folder_, liar_->genesis())};
        network_ = std::make_unique<Network>(options);
    }
    void TearDown() override {
        if (network_) network_->stop();
        proxies_.clear();
    }

    /// @param everybody_lies  Each validator, and all accept whatever is proposed; else the first.
    void start(bool everybody_lies) {
        everybody_lies_ = everybody_lies;
        for (std::size_t i = 0; i < (everybody_lies ? network_->size() : 1); ++i) {
            Validator& validator = network_->at(i);
            auto options = validator.node_options();
            options.push_back("cometbft.abci=tcp://" + validator.address() + ":" +
                              std::to_string(kBehindProxy));
            validator.set_node_options(std::move(options));
            proxies_.push_back(std::make_unique<AbciProxy>(
                validator.address(), kAbciPort, kBehindProxy,
                [this, i](AbciProxy::Message& message) { on_message(i, message); }));
        }
        network_->start();
    }

    void on_message(std::size_t validator, AbciProxy::Message& message) {
        const std::scoped_lock lock{mutex_};
        if (message.direction == Direction::request) {
            if (validator == 0) note_request(message);
            return;
        }
        auto response = parsed<abci::Response>(message);
        if (!response.has_value()) return;
        if (response->has_prepare_proposal()) return tell_a_lie(message, *response);
        if (!response->has_process_proposal()) return;
        if (validator == 0) note_judgement(response->process_proposal().status());
        if (!everybody_lies_) return;
        response->mutable_process_proposal()->set_status(kAccept);
        replace(message, *response);
    }
    void note_judgement(std::int32_t status) {
        if (!processed_.has_value() || status != kReject) return;
        const Lie lie = told_[*processed_].lie;
        if (++outcomes_[lie].rejected == 1)
            std::cout << traits(lie).name << ": rejected" << '\n' << std::flush;
    }
    void note_request(const AbciProxy::Message& message) {
        const auto request = parsed<abci::Request>(message);
        if (!request.has_value()) return;
        if (request->has_process_proposal())
            processed_ = find_told(items_of(request->process_proposal().txs()));
        if (!request->has_finalize_block()) return;
        const auto decided = find_told(items_of(request->finalize_block().txs()));
        if (!decided.has_value()) return;
        const auto& [lie, proposal] = told_[*decided];
        if (++outcomes_[lie].decided == 1)
            std::cout << traits(lie).name << ": decided in block "
                      << request->finalize_block().height() << '\n'
                      << std::flush;
        left_out_ += proposal.left_out;
        wrongly_declared_ += proposal.wrongly_declared;
        wrong_lists_ += proposal.has_wrong_list ? 1 : 0;
    }
    void tell_a_lie(AbciProxy::Message& message, abci::Response& response) {
        if (mood_ == Mood::honest) return;
        auto& txs = *response.mutable_prepare_proposal()->mutable_txs();
        const Lie lie = mood_ == Mood::suicidal ? Lie::too_large : next_lie();
        Told told{lie, liar_->make(lie, items_of(txs))};
        txs.Clear();
        for (const Bytes& item : told.proposal.items)
            *txs.Add() = as_field(item);
        ++outcomes_[lie].told;
        told_.push_back(std::move(told));
        replace(message, response);
    }
    static void replace(AbciProxy::Message& message, const abci::Response& response) {
        const std::string changed = response.SerializeAsString();
        message.bytes.assign(as_bytes(changed).begin(), as_bytes(changed).end());
    }

    void set_mood(Mood mood) {
        const std::scoped_lock lock{mutex_};
        mood_ = mood;
    }
    static const LieTraits& traits(Lie lie) { return kLies.at(static_cast<std::size_t>(lie)); }
    /// One whose fate is not sealed yet, if there is one.
    Lie next_lie() {
        std::vector<Lie> open;
        for (const LieTraits& lie : kLies)
            if (!is_settled(lie)) open.push_back(lie.lie);
        if (open.empty()) return Lie::empty_sets;
        return open[random_() % open.size()];
    }
    [[nodiscard]] bool is_settled(const LieTraits& lie) {
        const Outcome& outcome = outcomes_[lie.lie];
        if (lie.fate == Fate::fatal) return true;  // is told last
        return lie.fate == Fate::decided || everybody_lies_ ? outcome.decided > 0
                                                            : outcome.rejected > 0;
    }
    std::optional<std::size_t> find_told(const std::vector<Bytes>& items) {
        const auto found = std::ranges::find(
            told_, items,
            [](const Told& told) -> const std::vector<Bytes>& { return told.proposal.items; });
        if (found == told_.end()) return std::nullopt;
        return static_cast<std::size_t>(found - told_.begin());
    }

    /// Goes on until every lie was told and came to its end, then a little further without lies.
    void run() {
        network_->wait_for_block(1);
        Sender sender{*network_, 20, random_()};
        wait_until([this] {
            const std::scoped_lock lock{mutex_};
            return std::ranges::all_of(kLies,
                                       [this](const LieTraits& lie) { return is_settled(lie); });
        });
        set_mood(Mood::honest);
        network_->wait_for_more(2);
        sender.stop();
        network_->wait_for_more(2);
        EXPECT_EQ(network_->disagreement(), "");
        EXPECT_EQ(network_->complaints(), "");
        expect_equal_receipts();
        expect_fates();
        expect_counted();
    }
    /// CometBFT (v0.38.26) ends its consensus, and not its process, where its application's
    /// proposal is larger than a block: whoever does that is out until it is started again.
    void tell_what_is_fatal() {
        Validator& liar = network_->at(0);
        set_mood(Mood::suicidal);
        wait_until([&] { return liar.comet_log().find("CONSENSUS FAILURE") != std::string::npos; });
        set_mood(Mood::honest);
        const std::uint64_t before = network_->greatest_head();
        wait_until([&] { return network_->greatest_head() >= before + 4; });
        (void)liar.comet().end(SIGKILL);
        network_->wait_for_more(2);
        EXPECT_EQ(network_->disagreement(), "");
    }
    void expect_equal_receipts() {
        std::size_t failed = 0;
        for (std::uint64_t number = 1; number <= network_->least_head(); ++number) {
            std::ostringstream params;
            params << "[\"0x" << std::hex << number << "\"]";
            const auto ask = [&](std::size_t i) {
                return network_->at(i).call("eth_getBlockReceipts", params.str());
            };
            const std::string expected = ask(0);
            EXPECT_NE(expected.find("\"result\":["), std::string::npos) << expected;
            for (std::size_t i = 1; i < network_->size(); ++i)
                EXPECT_EQ(ask(i), expected) << "block " << number << ", validator " << i + 1;
            if (expected.find(R"("status":"0x0")") != std::string::npos) ++failed;
        }
        EXPECT_GE(failed, 2u);  // out of gas, reverted
    }
    void expect_fates() {
        const std::scoped_lock lock{mutex_};
        for (const LieTraits& lie : kLies) {
            if (lie.fate == Fate::fatal) continue;
            const Outcome& outcome = outcomes_[lie.lie];
            std::cout << lie.name << ": told " << outcome.told << ", rejected " << outcome.rejected
                      << ", decided " << outcome.decided << "\n";
            EXPECT_GT(outcome.told, 0u) << lie.name;
            EXPECT_EQ(lie.fate == Fate::rejected, outcome.rejected > 0) << lie.name;
        }
    }
    /// In the honest validators' metrics.
    void expect_counted() {
        const std::scoped_lock lock{mutex_};
        for (std::size_t i = 1; i < network_->size(); ++i) {
            const Validator& validator = network_->at(i);
            EXPECT_EQ(metric(validator, "heddle_consensus_left_out_transactions_total"), left_out_);
            EXPECT_GE(metric(validator, "heddle_consensus_wrongly_declared_transactions_total"),
                      wrongly_declared_);
            EXPECT_EQ(metric(validator, "heddle_consensus_wrong_lists_total"), wrong_lists_);
            EXPECT_GT(metric(validator, R"(heddle_consensus_proposals_total{result="rejected"})"),
                      0u);
        }
    }

    const TemporaryFolder folder_;
    std::unique_ptr<Network> network_;
    bool everybody_lies_ = false;

    std::mutex mutex_;
    // Guarded by mutex_.
    std::mt19937_64 random_;
    std::optional<Liar> liar_;
    Mood mood_ = Mood::lying;
    std::vector<Told> told_;
    std::map<Lie, Outcome> outcomes_;
    std::optional<std::size_t> processed_;  // of told_, in the answer awaited
    std::size_t left_out_ = 0;
    std::size_t wrongly_declared_ = 0;
    std::size_t wrong_lists_ = 0;

    std::vector<std::unique_ptr<AbciProxy>> proxies_;  // use all of the above: end first
};

TEST_F(Byzantine, proposer_cannot_stop_or_divide_the_network) {
    start(false);
    run();
    tell_what_is_fatal();
}

// More liars than the protocol bears: now everything is decided, and still has to be executed, and
// the same way by all.
TEST_F(Byzantine, majority_can_decide_anything_and_all_execute_it_alike) {
    start(true);
    run();
}

}  // namespace
}  // namespace heddle::test
