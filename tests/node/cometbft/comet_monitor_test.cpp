// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "cometbft/comet_monitor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/json.hpp"
#include "rpc/methods/all_methods.hpp"
#include "service/node_metrics.hpp"
#include "test_chain.hpp"

namespace heddle::node {
namespace {

using consensus_adapter::cometbft::CometError;
using consensus_adapter::cometbft::CometErrorCode;
using consensus_adapter::cometbft::CometStatus;
using testing::HasSubstr;
using testing::Not;

std::unexpected<CometError> gone(std::string sentence) {
    return std::unexpected(CometError{CometErrorCode::unreachable, std::move(sentence)});
}

/// A CometBFT that says what it is told to, and lets a test wait until it was asked.
class FakeComet {
public:
    using Answer = std::expected<CometStatus, CometError>;

    [[nodiscard]] CometMonitor::Ask ask() {
        return [this]() -> Answer {
            const std::scoped_lock lock{mutex_};
            ++asked_;
            changed_.notify_all();
            return answer_;
        };
    }
    /// Returns once the monitor has taken in what it is answered from now on.
    void say(Answer answer) {
        std::unique_lock lock{mutex_};
        answer_ = std::move(answer);
        // The first question may be answered while this is written, the second comes after the
        // first answer was taken in.
        const std::uint64_t target = asked_ + 2;
        changed_.wait(lock, [&] { return asked_ >= target; });
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::uint64_t asked_ = 0;
    Answer answer_ = gone("CometBFT cannot be reached");
};

CometStatus status_at(std::uint64_t height, bool is_catching_up = false) {
    CometStatus status;
    status.network = "heddle-1337";
    status.version = "0.38.26";
    status.latest_height = height;
    status.is_catching_up = is_catching_up;
    status.voting_power = 10;
    status.peers = 3;
    return status;
}

class CometMonitorTest : public testing::Test {
protected:
    [[nodiscard]] std::string call(std::string_view name) {
        const rpc::Method* method = methods_.find(name);
        HEDDLE_ASSERT(method != nullptr);
        JsonParser parser;
        std::string result;
        JsonWriter out(result, JsonWriter::Style::compact);
        method->handler({.params = rpc::Params{parser.parse("[]", "params")},
                         .deadline = std::chrono::steady_clock::time_point::max(),
                         .max_result_bytes = std::size_t{1} << 20,
                         .session = nullptr},
                        out);
        return result;
    }
    void SetUp() override { rpc::add_all_methods(methods_, services_); }

    FakeComet comet_;
    CometMonitor monitor_{comet_.ask(), {.interval = std::chrono::milliseconds{1}, .network = {}}};
    test::TestChain chain_;
    Mempool mempool_{MempoolOptions{}, chain_.chain()};
    const rpc::Services services_{chain_.chain(), mempool_, "heddle/test", {}, &monitor_};
    rpc::MethodTable methods_;
};

TEST_F(CometMonitorTest, what_cometbft_said_last_is_kept_when_it_goes_away) {
    EXPECT_FALSE(monitor_.view().at.has_value());

    comet_.say(status_at(7));
    EXPECT_TRUE(monitor_.view().is_reachable);
    EXPECT_EQ(monitor_.view().status.latest_height, 7u);

    comet_.say(gone("gone"));
    EXPECT_FALSE(monitor_.view().is_reachable);
    EXPECT_EQ(monitor_.view().error, "gone");
    EXPECT_EQ(monitor_.view().status.latest_height, 7u);
}

TEST_F(CometMonitorTest, peers_are_those_of_a_cometbft_that_answers) {
    EXPECT_EQ(call("net_peerCount"), R"("0x0")");
    EXPECT_EQ(call("net_listening"), "false");

    comet_.say(status_at(7));
    EXPECT_EQ(call("net_peerCount"), R"("0x3")");
    EXPECT_EQ(call("net_listening"), "true");

    comet_.say(gone("gone"));
    EXPECT_EQ(call("net_peerCount"), R"("0x0")");
    EXPECT_EQ(call("net_listening"), "false");
}

TEST_F(CometMonitorTest, a_node_is_syncing_while_cometbft_catches_up) {
    EXPECT_EQ(call("eth_syncing"), "false");

    comet_.say(status_at(0, true));
    (void)chain_.commit({});
    comet_.say(status_at(9, true));
    EXPECT_EQ(call("eth_syncing"),
              R"({"startingBlock":"0x0","currentBlock":"0x1","highestBlock":"0x9"})");

    comet_.say(status_at(10));
    EXPECT_EQ(call("eth_syncing"), "false");
}

TEST_F(CometMonitorTest, metrics_tell_the_same) {
    NodeMetrics metrics;
    EXPECT_THAT(metrics.page(), Not(HasSubstr("heddle_consensus_peers")));
    comet_.say(status_at(9, true));

    metrics.watch({.chain = &chain_.chain(), .mempool = &mempool_, .comet = &monitor_});
    const std::string page = metrics.page();

    EXPECT_THAT(page, HasSubstr("\nheddle_consensus_peers 3\n"));
    EXPECT_THAT(page, HasSubstr("\nheddle_consensus_height 9\n"));
    EXPECT_THAT(page, HasSubstr("\nheddle_consensus_catching_up 1\n"));
    EXPECT_THAT(page, HasSubstr("\nheddle_consensus_voting_power 10\n"));
    EXPECT_THAT(page, HasSubstr("\nheddle_consensus_reachable 1\n"));
}

TEST_F(CometMonitorTest, metrics_count_proposals_and_decisions) {
    NodeMetrics metrics;
    const auto proposal = [&](bool is_own, const std::string& rejection) {
        consensus_adapter::cometbft::ProposalReport report;
        report.is_own = is_own;
        report.rejection = rejection;
        metrics.on_proposal(report);
    };
    proposal(true, "");
    proposal(false, "");
    proposal(false, "");
    proposal(false, "too large");
    consensus_adapter::cometbft::DecisionReport decision;
    decision.left_out = 4;
    decision.declared = 9;
    decision.wrongly_declared = 2;
    metrics.on_decision(decision);

    const std::string page = metrics.page();

    EXPECT_THAT(page, HasSubstr("heddle_consensus_proposals_total{result=\"prepared\"} 1\n"));
    EXPECT_THAT(page, HasSubstr("heddle_consensus_proposals_total{result=\"accepted\"} 2\n"));
    EXPECT_THAT(page, HasSubstr("heddle_consensus_proposals_total{result=\"rejected\"} 1\n"));
    EXPECT_THAT(page, HasSubstr("heddle_consensus_process_seconds_count 3\n"));
    EXPECT_THAT(page, HasSubstr("heddle_consensus_prepare_seconds_count 1\n"));
    EXPECT_THAT(page, HasSubstr("heddle_consensus_finalize_seconds_count 1\n"));
    EXPECT_THAT(page, HasSubstr("heddle_consensus_left_out_transactions_total 4\n"));
    EXPECT_THAT(page, HasSubstr("heddle_consensus_declared_transactions_total 9\n"));
    EXPECT_THAT(page, HasSubstr("heddle_consensus_wrongly_declared_transactions_total 2\n"));
}

}  // namespace
}  // namespace heddle::node
