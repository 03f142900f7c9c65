// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "cometbft/ordering_calls.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace heddle::consensus_adapter::cometbft {
namespace {

/// Keeps how many items each height had. An item is good unless it is empty.
class FakeOrder final : public OrderingHost {
public:
    [[nodiscard]] OrderedHead committed() const override {
        return {kept.size(), Bytes(kept.empty() ? 0 : 32, static_cast<std::uint8_t>(kept.size()))};
    }
    [[nodiscard]] std::expected<void, std::string> begin(const ChainStart& start) override {
        if (start.chain_id == "right") return {};
        return std::unexpected("another network");
    }
    [[nodiscard]] std::vector<std::expected<std::uint64_t, Refusal>> check_all(
        std::span<const BytesView> items) override {
        most_together = std::max(most_together, items.size());
        std::vector<std::expected<std::uint64_t, Refusal>> result;
        for (const BytesView item : items) {
            if (item.empty())
                result.emplace_back(std::unexpected(Refusal{3, "empty"}));
            else
                result.emplace_back(7);
        }
        return result;
    }
    [[nodiscard]] std::vector<Bytes> propose(const OrderingTurn& turn,
                                             std::span<const BytesView> pending,
                                             std::size_t max_bytes) override {
        proposed = turn;
        room = max_bytes;
        std::vector<Bytes> result;
        for (const BytesView item : pending)
            result.emplace_back(item.begin(), item.end());
        std::ranges::reverse(result);
        return result;
    }
    [[nodiscard]] std::expected<void, std::string> judge(
        const OrderingTurn&, std::span<const BytesView> items) override {
        if (items.size() < 3) return {};
        return std::unexpected("too many");
    }
    [[nodiscard]] std::expected<OrderedItems, std::string> finalize(
        const OrderingTurn& turn, std::span<const BytesView> items) override {
        proposed = turn;
        finalized = items.size();
        OrderedItems result;
        for (const BytesView item : items)
            result.is_good.push_back(!item.empty());
        result.app_hash = Bytes(32, static_cast<std::uint8_t>(kept.size() + 1));
        return result;
    }
    [[nodiscard]] std::expected<std::uint64_t, std::string> commit() override {
        if (is_disk_full) return std::unexpected("the disk is full");
        kept.push_back(finalized);
        return kept.size() / 2;
    }

    std::vector<std::size_t> kept;
    std::size_t finalized = 0;
    OrderingTurn proposed;
    std::size_t room = 0;
    std::size_t most_together = 0;  // items, checked
    bool is_disk_full = false;
};

class OrderingCallsTest : public testing::Test {
protected:
    abci::Response ask(const abci::Request& request) {
        abci::Response response;
        failure_ = calls_.answer(request, response);
        return response;
    }
    abci::Response finalize(std::int64_t height, const std::vector<std::string>& items) {
        abci::Request request;
        auto& call = *request.mutable_finalize_block();
        call.set_height(height);
        call.mutable_time()->set_seconds(5);
        call.mutable_time()->set_nanos(7'900'000);
        for (const std::string& item : items)
            call.add_txs(item);
        return ask(request);
    }
    abci::Response commit() {
        abci::Request request;
        request.mutable_commit();
        return ask(request);
    }

    FakeOrder order_;
    AbciServerOptions options_;
    OrderingCalls calls_{order_, options_};
    std::optional<std::string> failure_;
};

TEST_F(OrderingCallsTest, keep_one_height_after_the_other) {
    const auto decided = finalize(1, {"a", ""});
    ASSERT_TRUE(decided.has_finalize_block());
    ASSERT_EQ(decided.finalize_block().tx_results_size(), 2);
    EXPECT_EQ(decided.finalize_block().tx_results(0).code(), 0u);
    EXPECT_EQ(decided.finalize_block().tx_results(1).code(), 1u);
    EXPECT_EQ(decided.finalize_block().app_hash(), std::string(32, 1));
    EXPECT_EQ(order_.proposed.time_ms, 5'007u);
    const abci::Response first = commit();
    EXPECT_TRUE(first.has_commit());
    EXPECT_EQ(first.commit().retain_height(), 0) << "CometBFT keeps all";
    EXPECT_EQ(order_.kept, std::vector<std::size_t>{2});

    abci::Request info;
    info.mutable_info()->set_version("0.38.26");
    const auto said = ask(info);
    EXPECT_EQ(said.info().last_block_height(), 1);
    EXPECT_EQ(said.info().last_block_app_hash(), std::string(32, 1));
    EXPECT_TRUE(finalize(2, {}).has_finalize_block());
    EXPECT_EQ(commit().commit().retain_height(), 1) << "what the host has given up is not needed";
}

TEST_F(OrderingCallsTest, refuse_what_is_out_of_turn) {
    EXPECT_TRUE(commit().has_exception());
    EXPECT_TRUE(finalize(2, {}).has_exception());
    EXPECT_TRUE(finalize(-1, {}).has_exception());
    EXPECT_TRUE(finalize(1, {}).has_finalize_block());
    EXPECT_TRUE(finalize(1, {"other"}).has_finalize_block()) << "again, before it is kept";
    EXPECT_TRUE(commit().has_commit());
    EXPECT_TRUE(commit().has_exception());
    EXPECT_EQ(order_.kept, std::vector<std::size_t>{1});
    EXPECT_FALSE(failure_.has_value());
    abci::Request nothing;
    EXPECT_TRUE(ask(nothing).has_exception());
}

TEST_F(OrderingCallsTest, give_proposers_the_pending_items_and_judge_others) {
    abci::Request request;
    auto& prepare = *request.mutable_prepare_proposal();
    prepare.set_height(1);
    prepare.set_max_tx_bytes(99);
    prepare.add_txs("a");
    prepare.add_txs("b");
    const auto proposal = ask(request).prepare_proposal();
    ASSERT_EQ(proposal.txs_size(), 2);
    EXPECT_EQ(proposal.txs(0), "b");
    EXPECT_EQ(order_.room, 99u);

    abci::Request judged;
    judged.mutable_process_proposal()->set_height(1);
    EXPECT_EQ(ask(judged).process_proposal().status(), 1);
    for (const char* const item : {"a", "b", "c"})
        judged.mutable_process_proposal()->add_txs(item);
    EXPECT_EQ(ask(judged).process_proposal().status(), 2);
}

TEST_F(OrderingCallsTest, check_items_alone_and_together) {
    abci::Request good;
    good.mutable_check_tx()->set_tx("a");
    abci::Request bad;
    bad.mutable_check_tx();
    EXPECT_EQ(ask(good).check_tx().gas_wanted(), 7);
    abci::Response first;
    abci::Response second;
    const std::vector<const abci::Request*> requests{&good, &bad};
    const std::vector<abci::Response*> responses{&first, &second};
    calls_.answer_new(requests, responses);
    EXPECT_EQ(first.check_tx().code(), 0u);
    EXPECT_EQ(second.check_tx().code(), 3u);
    EXPECT_EQ(second.check_tx().log(), "empty");
    EXPECT_EQ(order_.most_together, 2u);
}

TEST_F(OrderingCallsTest, begin_the_right_network_at_height_1_and_once) {
    abci::Request request;
    auto& start = *request.mutable_init_chain();
    start.set_initial_height(1);
    start.set_chain_id("right");
    EXPECT_TRUE(ask(request).has_init_chain());
    start.set_initial_height(2);
    EXPECT_TRUE(ask(request).has_exception());
    start.set_initial_height(1);
    start.set_chain_id("wrong");
    EXPECT_EQ(ask(request).exception().error(), "another network");
    start.set_chain_id("right");
    (void)finalize(1, {});
    (void)commit();
    EXPECT_TRUE(ask(request).has_exception());
}

TEST_F(OrderingCallsTest, tell_once_that_a_height_cannot_be_kept_and_go_on_no_more) {
    order_.is_disk_full = true;
    EXPECT_TRUE(finalize(1, {}).has_finalize_block());
    EXPECT_EQ(commit().exception().error(), "the disk is full");
    EXPECT_EQ(failure_, "the disk is full");
    EXPECT_TRUE(finalize(1, {}).has_exception());
    EXPECT_FALSE(failure_.has_value());
}

TEST_F(OrderingCallsTest, serve_no_version_whose_messages_differ) {
    abci::Request info;
    info.mutable_info()->set_version("1.0.0");
    EXPECT_TRUE(ask(info).has_exception());
}

}  // namespace
}  // namespace heddle::consensus_adapter::cometbft
