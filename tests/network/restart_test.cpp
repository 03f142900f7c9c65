// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A validator dies at every point of a block's way between CometBFT and its application. After its
// restart the two have to find together again, whichever of them is behind.
#include <array>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include <gtest/gtest.h>

#include "cometbft/abci_messages.hpp"
#include "proxied_network.hpp"
#include "sender.hpp"

namespace heddle::test {
namespace {

namespace abci = consensus_adapter::cometbft::abci;
using Direction = AbciProxy::Direction;

/// Messages at which a validator dies.
struct Point {
    const char* name;
    Direction direction;
    int call;      // field number in Request or Response
    bool is_lost;  // the message does not arrive
};
constexpr std::array kProposingPoints{
    Point{"before PrepareProposal reaches the node", Direction::request,
          abci::Request::kPrepareProposalFieldNumber, true},
    Point{"when the node makes a proposal", Direction::request,
          abci::Request::kPrepareProposalFieldNumber, false},
    Point{"before CometBFT has the proposal", Direction::response,
          abci::Response::kPrepareProposalFieldNumber, true},
    Point{"when CometBFT has the proposal", Direction::response,
          abci::Response::kPrepareProposalFieldNumber, false},
    Point{"before ProcessProposal reaches the node", Direction::request,
          abci::Request::kProcessProposalFieldNumber, true},
    Point{"when the node judges a proposal", Direction::request,
          abci::Request::kProcessProposalFieldNumber, false},
    Point{"before CometBFT has the judgement", Direction::response,
          abci::Response::kProcessProposalFieldNumber, true},
    Point{"when CometBFT has the judgement", Direction::response,
          abci::Response::kProcessProposalFieldNumber, false},
};
constexpr std::array kDecidingPoints{
    Point{"before FinalizeBlock reaches the node", Direction::request,
          abci::Request::kFinalizeBlockFieldNumber, true},
    Point{"when the node executes", Direction::request, abci::Request::kFinalizeBlockFieldNumber,
          false},
    Point{"before CometBFT has the result", Direction::response,
          abci::Response::kFinalizeBlockFieldNumber, true},
    Point{"when CometBFT has the result", Direction::response,
          abci::Response::kFinalizeBlockFieldNumber, false},
    Point{"before Commit reaches the node", Direction::request, abci::Request::kCommitFieldNumber,
          true},
    Point{"when the node commits", Direction::request, abci::Request::kCommitFieldNumber, false},
    Point{"before CometBFT knows that it is committed", Direction::response,
          abci::Response::kCommitFieldNumber, true},
    Point{"when CometBFT knows", Direction::response, abci::Response::kCommitFieldNumber, false},
};

struct Victim {
    const char* name;
    bool node;
    bool comet;
};
constexpr std::array kVictims{Victim{"the node", true, false}, Victim{"CometBFT", false, true},
                              Victim{"both", true, true}};

int call_of(const AbciProxy::Message& message) {
    const auto size = static_cast<int>(message.bytes.size());
    if (message.direction == Direction::request) {
        abci::Request request;
        return request.ParseFromArray(message.bytes.data(), size)
                   ? static_cast<int>(request.value_case())
                   : 0;
    }
    abci::Response response;
    return response.ParseFromArray(message.bytes.data(), size)
               ? static_cast<int>(response.value_case())
               : 0;
}

class Restart : public ProxiedNetwork {
protected:
    void on_message(AbciProxy::Message& message) {
        const std::scoped_lock lock{mutex_};
        if (!armed_.has_value()) return;
        const auto& [point, victim] = *armed_;
        if (message.direction != point.direction || call_of(message) != point.call) return;
        message.is_lost = point.is_lost;
        if (victim.node) first().node().signal(SIGKILL);
        if (victim.comet) first().comet().signal(SIGKILL);
        armed_.reset();
    }
    void strike(const Point& point, const Victim& victim) {
        {
            const std::scoped_lock lock{mutex_};
            armed_ = {point, victim};
        }
        wait_until([this] {
            const std::scoped_lock lock{mutex_};
            return !armed_.has_value();
        });
    }
    void die_at_each(std::span<const Point> points) {
        start([this](AbciProxy::Message& message) { on_message(message); });
        network_->wait_for_block(2);
        const Sender sender{*network_, 20, 1};
        for (const Point& point : points) {
            for (const Victim& victim : kVictims) {
                SCOPED_TRACE(std::string{point.name} + ", " + victim.name + " dies");
                std::cout << point.name << ", " << victim.name << " dies\n" << std::flush;
                strike(point, victim);
                (void)network_->wait_for_more(2);
            }
        }
        EXPECT_EQ(network_->disagreement(), "");
        EXPECT_EQ(network_->complaints(), "");
    }

    std::mutex mutex_;
    std::optional<std::pair<Point, Victim>> armed_;  // guarded by mutex_
};

TEST_F(Restart, goes_on_from_every_point_of_proposing_and_judging) {
    die_at_each(kProposingPoints);
}

TEST_F(Restart, goes_on_from_every_point_between_finalize_and_commit) {
    die_at_each(kDecidingPoints);
}

class Handshake : public ProxiedNetwork {};

TEST_F(Handshake, gives_a_node_that_is_behind_the_blocks_it_lacks) {
    start([](AbciProxy::Message&) {});
    network_->wait_for_block(8);
    first().stop();
    const std::uint64_t head = network_->at(1).head().value();
    const auto rolled_back = run_program(
        {"db", "rollback", "--datadir", (first().home() / "ledger").native(), "--to", "3"});
    ASSERT_EQ(rolled_back.exit_code, 0) << rolled_back.error;

    first().start();
    network_->wait_for_block(head + 3);

    EXPECT_EQ(network_->disagreement(), "");
    EXPECT_EQ(network_->complaints(), "");
}

TEST_F(Handshake, gives_a_node_without_data_every_block) {
    start([](AbciProxy::Message&) {});
    network_->wait_for_block(8);
    first().stop();
    std::filesystem::remove_all(first().home() / "ledger");

    first().start();
    (void)network_->wait_for_more(3);

    EXPECT_EQ(network_->disagreement(), "");
    EXPECT_EQ(network_->complaints(), "");
}

TEST_F(Handshake, ends_with_a_reason_where_the_node_is_ahead_and_goes_on_after_a_rollback) {
    namespace fs = std::filesystem;
    start([](AbciProxy::Message&) {});
    network_->wait_for_block(4);
    first().stop();
    // What CometBFT has at this time is all that it will have later; but what it signed must stay
    // known to it.
    const fs::path data = first().home() / "cometbft" / "data";
    const fs::path old_data = first().home() / "old_data";
    fs::copy(data, old_data, fs::copy_options::recursive);
    first().start();
    (void)network_->wait_for_more(4);
    first().stop();
    fs::copy_file(data / "priv_validator_state.json", old_data / "priv_validator_state.json",
                  fs::copy_options::overwrite_existing);
    fs::remove_all(data);
    fs::rename(old_data, data);

    first().start();
    EXPECT_NE(first().comet().wait(), 0);
    EXPECT_NE(first().comet_log().find("is higher than core"), std::string::npos);
    first().stop();
    const auto rolled_back = run_program(
        {"db", "rollback", "--datadir", (first().home() / "ledger").native(), "--to", "3"});
    ASSERT_EQ(rolled_back.exit_code, 0) << rolled_back.error;
    first().start();
    (void)network_->wait_for_more(3);

    EXPECT_EQ(network_->disagreement(), "");
}

}  // namespace
}  // namespace heddle::test
