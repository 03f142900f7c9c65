// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "rpc/queries/subscriptions.hpp"

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "log_methods.hpp"
#include "rpc/queries/codec.hpp"

namespace heddle::node::rpc {
namespace {

using test::log_of;
using test::LogMethods;
using test::quoted;
using test::quoted_address;
using test::RecordingSession;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::string envelope(const std::string& id, const std::string& result) {
    return R"({"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":")" + id +
           R"(","result":)" + result + "}}";
}

class SubscriptionsTest : public testing::Test {
protected:
    std::string subscribe(const std::string& params,
                          const std::shared_ptr<RecordingSession>& session) {
        return methods_.id("eth_subscribe", params, session);
    }
    Transaction add(std::uint64_t nonce) {
        Transaction tx = test::transfer({.from = 2, .nonce = nonce});
        EXPECT_TRUE(methods_.mempool.add(test::encoded(tx), Origin::local).has_value());
        return tx;
    }

    LogMethods methods_;
    std::shared_ptr<RecordingSession> session_ = std::make_shared<RecordingSession>();
};

TEST_F(SubscriptionsTest, new_heads_come_as_headers) {
    const std::string id = subscribe(R"(["newHeads"])", session_);
    const SharedBlock block = methods_.commit({});
    std::string header;
    JsonWriter out{header, JsonWriter::Style::compact};
    out.begin_object();
    write_header_members(block->block.header, block->hash, out);
    header += R"(,"blockAccessListHash":null,"slotNumber":null})";
    EXPECT_THAT(session_->messages(1), ElementsAre(envelope(id, header)));
    EXPECT_THAT(header, HasSubstr("\"parentHash\""));
    EXPECT_THAT(header, testing::Not(HasSubstr("\"transactions\"")));
}

TEST_F(SubscriptionsTest, no_head_is_left_out_and_each_comes_in_order) {
    subscribe(R"(["newHeads"])", session_);
    std::vector<std::string> hashes;
    hashes.reserve(60);
    for (int i = 0; i < 60; ++i)
        hashes.push_back(to_string(methods_.commit({})->hash));
    const std::vector<std::string> messages = session_->messages(hashes.size());
    ASSERT_EQ(messages.size(), hashes.size());
    for (std::size_t i = 0; i < hashes.size(); ++i)
        EXPECT_THAT(messages[i], HasSubstr("\"hash\":\"" + hashes[i] + '"'));
}

/// A development chain goes back while others are still being told of the blocks that are gone.
TEST_F(SubscriptionsTest, no_head_is_left_out_that_comes_after_the_chain_went_back) {
    Chain& chain = methods_.chain.chain();
    chain.become_development([](const ledger::StoredHeader& head) { return head.header; });
    subscribe(R"(["newHeads"])", session_);
    methods_.commit({});
    (void)session_->messages(1);
    session_->hold(true);
    methods_.commit({});
    (void)session_->messages(2);  // they wait in it
    methods_.commit({});

    ASSERT_TRUE(chain.rewind(0, nullptr).has_value());
    std::vector<std::string> hashes;
    for (int i = 0; i < 3; ++i)
        hashes.push_back(to_string(methods_.commit({})->hash));
    session_->hold(false);
    hashes.push_back(to_string(methods_.commit({})->hash));

    std::size_t count = 3;
    while (session_->messages(count)[count - 1].find(hashes.back()) == std::string::npos)
        ++count;
    ASSERT_EQ(count, 2 + hashes.size());
    const std::vector<std::string> messages = session_->messages(count);
    for (std::size_t i = 0; i < hashes.size(); ++i)
        EXPECT_THAT(messages[2 + i], HasSubstr("\"hash\":\"" + hashes[i] + '"'));
}

/// As geth where its chain is reorganised: oldest first, before what comes in their place.
TEST_F(SubscriptionsTest, logs_of_blocks_taken_back_come_once_more_as_removed) {
    Chain& chain = methods_.chain.chain();
    chain.become_development([](const ledger::StoredHeader& head) { return head.header; });
    subscribe(R"(["logs",{"address":)" + quoted_address(1) + "}]", session_);
    const Hash first = methods_.commit({{log_of(1, {}), log_of(2, {})}})->hash;
    const Hash second = methods_.commit({{log_of(1, {})}})->hash;
    (void)session_->messages(2);

    ASSERT_TRUE(chain.rewind(0, nullptr).has_value());
    const Hash other = methods_.commit({{log_of(1, {5})}})->hash;

    const std::vector<std::string> messages = session_->messages(5);
    ASSERT_EQ(messages.size(), 5u);
    const auto is_of = [](const Hash& block, std::string_view removed) {
        return testing::AllOf(HasSubstr(to_string(block)),
                              HasSubstr(R"("removed":)" + std::string{removed}));
    };
    EXPECT_THAT(messages[2], is_of(first, "true"));
    EXPECT_THAT(messages[3], is_of(second, "true"));
    EXPECT_THAT(messages[4], is_of(other, "false"));
}

/// What is told takes no room of what comes next: together these are more than 16 MiB.
TEST_F(SubscriptionsTest, logs_taken_back_are_told_however_many_were_told_before) {
    Chain& chain = methods_.chain.chain();
    chain.become_development([](const ledger::StoredHeader& head) { return head.header; });
    subscribe(R"(["logs",{}])", session_);
    for (std::size_t round = 1; round <= 3; ++round) {
        methods_.commit({{log_of(1, {}, std::size_t{6} << 20)}});
        (void)session_->messages(3 * round - 2);
        ASSERT_TRUE(chain.rewind(round - 1, nullptr).has_value());
        methods_.commit({{log_of(2, {})}});  // of which is told in any case
        const std::vector<std::string> messages = session_->messages(3 * round - 1);
        ASSERT_TRUE(messages[3 * round - 2].contains(R"("removed":true)"));
    }
}

/// Blocks that wait to be told of when they are taken back are passed over.
TEST_F(SubscriptionsTest, logs_that_nobody_was_told_of_are_not_removed) {
    Chain& chain = methods_.chain.chain();
    chain.become_development([](const ledger::StoredHeader& head) { return head.header; });
    subscribe(R"(["logs",{}])", session_);
    methods_.commit({{log_of(1, {})}});
    (void)session_->messages(1);
    session_->hold(true);
    methods_.commit({{log_of(2, {})}});
    (void)session_->messages(2);  // it waits in it
    methods_.commit({{log_of(3, {})}});

    ASSERT_TRUE(chain.rewind(1, nullptr).has_value());
    methods_.commit({{log_of(4, {})}});
    session_->hold(false);

    const std::vector<std::string> messages = session_->messages(4);
    ASSERT_EQ(messages.size(), 4u);
    const auto logger_of = [](std::uint64_t number) {
        return HasSubstr(R"("address":)" + quoted_address(number));
    };
    EXPECT_THAT(messages[2], testing::AllOf(logger_of(2), HasSubstr(R"("removed":true)")));
    EXPECT_THAT(messages[3], testing::AllOf(logger_of(4), HasSubstr(R"("removed":false)")));
}

TEST_F(SubscriptionsTest, receipts_come_as_one_list_a_block) {
    const std::string all = subscribe(R"(["transactionReceipts"])", session_);
    methods_.commit({});  // has none, and is not told of
    const SharedBlock block = methods_.commit({{log_of(1, {5})}, {}});
    const std::string first = to_string(transaction_hash(block->block.transactions[0]));
    const std::string second = to_string(transaction_hash(block->block.transactions[1]));

    EXPECT_THAT(session_->messages(1),
                ElementsAre(testing::AllOf(StartsWith(envelope(all, "").substr(0, 40)),
                                           HasSubstr(first), HasSubstr(second))));
}

TEST_F(SubscriptionsTest, receipts_are_those_of_the_transactions_asked_for) {
    const std::string nobody = "\"0x" + std::string(64, '7') + "\"";
    std::string many = nobody;
    for (std::size_t i = 0; i < Subscriptions::kMaxReceipts; ++i)
        many += "," + nobody;

    EXPECT_THROW((void)subscribe(R"(["transactionReceipts",{"transactionHashes":[)" + many + "]}]",
                                 session_),
                 RpcError);
    subscribe(R"(["transactionReceipts",{"transactionHashes":[)" + nobody + "]}]", session_);
    const std::string heads = subscribe(R"(["newHeads"])", session_);
    methods_.commit({{log_of(1, {5})}});

    // Nothing but the head.
    EXPECT_THAT(session_->messages(1), ElementsAre(StartsWith(envelope(heads, "").substr(0, 40))));
}

TEST_F(SubscriptionsTest, receipts_come_once_and_in_the_order_of_the_block_however_asked_for) {
    std::vector<std::string> hashes;
    for (std::uint64_t nonce = 0; nonce < 3; ++nonce)
        hashes.push_back('"' + to_string(transaction_hash(test::transfer({.nonce = nonce}))) + '"');
    subscribe(R"(["transactionReceipts",{"transactionHashes":[)" + hashes[2] + ',' + hashes[0] +
                  ',' + hashes[2] + "]}]",
              session_);
    methods_.commit({{}, {}, {}});

    const std::vector<std::string> messages = session_->messages(1);
    ASSERT_EQ(messages.size(), 1u);
    const std::string key = "\"transactionHash\":";
    const std::size_t first = messages[0].find(key + hashes[0]);
    const std::size_t third = messages[0].find(key + hashes[2]);
    ASSERT_NE(first, std::string::npos);
    ASSERT_NE(third, std::string::npos);
    EXPECT_LT(first, third);
    EXPECT_EQ(messages[0].find(key + hashes[1]), std::string::npos);
    EXPECT_EQ(messages[0].find(key + hashes[2], third + 1), std::string::npos);
}

TEST_F(SubscriptionsTest, logs_come_one_by_one_where_they_match) {
    const std::string all = subscribe(R"(["logs",{}])", session_);
    const auto other = std::make_shared<RecordingSession>();
    const std::string some = subscribe(R"(["logs",{"address":)" + quoted_address(2) + "}]", other);
    methods_.commit({{log_of(1, {5}), log_of(2, {})}, {log_of(2, {6})}});
    const std::vector<std::string> messages = session_->messages(3);
    ASSERT_EQ(messages.size(), 3u);
    for (const std::string& message : messages)
        EXPECT_THAT(message, StartsWith(envelope(all, "").substr(0, 40)));
    const std::vector<std::string> others = other->messages(2);
    ASSERT_EQ(others.size(), 2u);
    EXPECT_THAT(others[0], HasSubstr(R"("logIndex":"0x1","removed":false}}})"));
    EXPECT_THAT(others[1], HasSubstr(R"("transactionIndex":"0x1")"));
    EXPECT_THAT(others[1], HasSubstr(some));
}

TEST_F(SubscriptionsTest, logs_of_other_blocks_than_asked_for_are_left_out) {
    subscribe(R"(["logs",{"fromBlock":"0x2","toBlock":"0x3"}])", session_);
    const auto all = std::make_shared<RecordingSession>();
    subscribe(R"(["logs",{}])", all);
    for (int i = 0; i < 4; ++i)
        methods_.commit({{log_of(1, {})}});
    (void)all->messages(4);
    EXPECT_EQ(session_->messages(2).size(), 2u);
}

TEST_F(SubscriptionsTest, pending_transactions_come_as_hashes_or_in_full) {
    const std::string id = subscribe(R"(["newPendingTransactions"])", session_);
    const auto other = std::make_shared<RecordingSession>();
    const std::string full_id = subscribe(R"(["newPendingTransactions",true])", other);
    const Transaction tx = add(0);
    const std::string hash = '"' + to_string(transaction_hash(tx)) + '"';
    EXPECT_THAT(session_->messages(1), ElementsAre(envelope(id, hash)));
    std::string full;
    JsonWriter out{full, JsonWriter::Style::compact};
    write_transaction(tx, transaction_hash(tx), std::nullopt, out);
    EXPECT_THAT(other->messages(1), ElementsAre(envelope(full_id, full)));
}

TEST_F(SubscriptionsTest, nothing_is_ever_synchronised) {
    subscribe(R"(["syncing"])", session_);
    const std::string id = subscribe(R"(["newHeads"])", session_);
    methods_.commit({});
    EXPECT_THAT(session_->messages(1), ElementsAre(HasSubstr(id)));
}

TEST_F(SubscriptionsTest, an_ended_one_tells_nothing_more) {
    const std::string id = subscribe(R"(["newHeads"])", session_);
    const std::string other = subscribe(R"(["newHeads"])", session_);
    methods_.commit({});
    (void)session_->messages(2);
    EXPECT_EQ(methods_.call("eth_unsubscribe", "[\"" + id + "\"]", session_), "true");
    EXPECT_EQ(methods_.error("eth_unsubscribe", "[\"" + id + "\"]", session_),
              "-32000 subscription not found");
    methods_.commit({});
    const std::vector<std::string> messages = session_->messages(3);
    ASSERT_EQ(messages.size(), 3u);
    EXPECT_THAT(messages[2], HasSubstr(other));
}

TEST_F(SubscriptionsTest, only_its_own_connection_can_end_one) {
    const std::string id = subscribe(R"(["newHeads"])", session_);
    const auto other = std::make_shared<RecordingSession>();
    EXPECT_EQ(methods_.error("eth_unsubscribe", "[\"" + id + "\"]", other),
              "-32000 subscription not found");
}

TEST_F(SubscriptionsTest, a_closed_connection_is_let_go_of) {
    subscribe(R"(["newHeads"])", session_);
    subscribe(R"(["logs",{}])", session_);
    session_->close();
    EXPECT_EQ(session_.use_count(), 1);
    methods_.commit({});
    EXPECT_TRUE(session_->messages_so_far().empty());
    subscribe(R"(["newHeads"])", session_);
    EXPECT_EQ(session_.use_count(), 1) << "it was closed before";
}

TEST_F(SubscriptionsTest, connections_may_outlive_the_methods) {
    const auto session = std::make_shared<RecordingSession>();
    {
        LogMethods methods;
        (void)methods.id("eth_subscribe", R"(["newHeads"])", session);
    }
    session->close();
    EXPECT_EQ(session.use_count(), 1);
}

TEST_F(SubscriptionsTest, what_is_not_understood_is_refused) {
    EXPECT_EQ(methods_.error("eth_subscribe", R"(["newHeads"])"),
              "-32601 notifications not supported");
    EXPECT_EQ(methods_.error("eth_unsubscribe", R"(["0x1"])"),
              "-32601 notifications not supported");
    EXPECT_EQ(methods_.error("eth_subscribe", "[]", session_),
              "-32602 expected subscription name as first argument");
    EXPECT_EQ(methods_.error("eth_subscribe", R"(["newFoo"])", session_),
              "-32601 no \"newFoo\" subscription in eth namespace");
    EXPECT_THAT(methods_.error("eth_subscribe", R"(["logs",{"address":"0x1"}])", session_),
                StartsWith("-32602 invalid argument 1"));
    EXPECT_EQ(methods_.error("eth_subscribe", R"(["logs"])", session_),
              "-32602 missing value for required argument 1");
    EXPECT_EQ(methods_.error("eth_subscribe", R"(["logs",{"fromBlock":"0x9","toBlock":"0x1"}])",
                             session_),
              "-32602 invalid block range params");
}

TEST_F(SubscriptionsTest, a_connection_may_have_so_many) {
    MethodLimits limits;
    limits.filters = 3;
    LogMethods methods{limits};
    const auto session = std::make_shared<RecordingSession>();
    for (int i = 0; i < 3; ++i)
        (void)methods.id("eth_subscribe", R"(["newHeads"])", session);
    EXPECT_EQ(methods.error("eth_subscribe", R"(["newHeads"])", session),
              "-32005 too many subscriptions on this connection: 3");
    session->close();
}

TEST_F(SubscriptionsTest, what_a_connection_waits_for_is_bounded_in_sum) {
    std::string hashes;
    for (std::size_t i = 0; i < Subscriptions::kMaxReceipts; ++i)
        hashes += (i == 0 ? "" : ",") + quoted(i);
    const std::string params = R"(["transactionReceipts",{"transactionHashes":[)" + hashes + "]}]";
    std::size_t count = 0;
    std::string error;
    while ((error = methods_.error("eth_subscribe", params, session_)).starts_with("no error"))
        ASSERT_LT(++count, 100U);
    EXPECT_GT(count, 10U);
    EXPECT_EQ(error, "-32005 too many addresses, topics and transactions on this connection");
    (void)methods_.id("eth_subscribe", R"(["newHeads"])", session_);
}

/// Each of a thousand connections may have many, and all are held against each new block.
TEST_F(SubscriptionsTest, all_connections_together_ask_for_no_more_than_so_much) {
    std::string params = R"(["logs",{"address":[)" + quoted_address(1);
    for (std::uint64_t i = 2; i <= 1'000; ++i)
        params += ',' + quoted_address(i);
    params += "]}]";
    std::vector<std::shared_ptr<RecordingSession>> sessions;
    std::vector<std::string> last;  // of the last connection
    std::string refusal;
    std::size_t taken = 0;
    while (refusal.empty()) {
        if (taken % 16 == 0) {
            sessions.push_back(std::make_shared<RecordingSession>());
            last.clear();
            methods_.client = sessions.size();
        }
        // The last one may have as much as there is room left then.
        if (taken == 251)
            refusal = methods_.error("eth_subscribe", params, sessions.back());
        else
            last.push_back(subscribe(params, sessions.back()));
        ++taken;
        ASSERT_LT(taken, 1'000u);
    }
    EXPECT_EQ(refusal,
              "-32005 too many subscriptions on this node: 251, with 251000 addresses, topics and "
              "transactions");

    // What is given up makes room, by itself or with its connection.
    (void)methods_.call("eth_unsubscribe", "[\"" + last.back() + "\"]", sessions.back());
    last.back() = subscribe(params, sessions.back());
    sessions.front()->close();
    methods_.client = 0;
    subscribe(R"(["newHeads"])", session_);
    for (int i = 0; i < 8; ++i)
        subscribe(params, session_);
    methods_.client = 2;
    EXPECT_THAT(methods_.error("eth_subscribe", params, sessions[1]),
                HasSubstr("too many addresses, topics and transactions on this connection"));
    for (const auto& session : sessions)
        session->close();
}

/// By as many connections as it likes.
TEST_F(SubscriptionsTest, no_client_takes_all_of_them) {
    std::vector<std::shared_ptr<RecordingSession>> sessions;
    methods_.client = 1;
    std::size_t taken = 0;
    for (std::string error = "no error"; error.starts_with("no error"); ++taken) {
        if (taken % 1'024 == 0) sessions.push_back(std::make_shared<RecordingSession>());
        error = methods_.error("eth_subscribe", R"(["newHeads"])", sessions.back());
        ASSERT_LE(taken, Subscriptions::kMaxInAll / 2);
    }
    methods_.client = 2;
    subscribe(R"(["newHeads"])", session_);
    for (const auto& session : sessions)
        session->close();
}

TEST_F(SubscriptionsTest, receipts_go_to_everybody_who_wants_them) {
    const std::string first = subscribe(R"(["transactionReceipts"])", session_);
    const std::string second = subscribe(R"(["transactionReceipts"])", session_);
    const SharedBlock block = methods_.commit({{log_of(1, {5})}, {}});
    const std::vector<std::string> messages = session_->messages(2);
    std::string one = messages[0];
    std::string other = messages[1];
    for (std::string* message : {&one, &other})
        for (const std::string& id : {first, second})
            if (const auto at = message->find(id); at != std::string::npos)
                message->erase(at, id.size());
    EXPECT_EQ(one, other);
    EXPECT_THAT(one, HasSubstr(to_string(transaction_hash(block->block.transactions[1]))));
}

TEST_F(SubscriptionsTest, connections_come_and_go_while_blocks_and_transactions_do) {
    std::vector<std::thread> threads;
    threads.reserve(3);
    for (int i = 0; i < 3; ++i)
        threads.emplace_back([&] {
            for (int round = 0; round < 30; ++round) {
                const auto session = std::make_shared<RecordingSession>();
                subscribe(R"(["newHeads"])", session);
                subscribe(R"(["newPendingTransactions"])", session);
                const std::string id = subscribe(R"(["logs",{}])", session);
                if (round % 2 == 0)
                    (void)methods_.call("eth_unsubscribe", "[\"" + id + "\"]", session);
                session->close();
            }
        });
    subscribe(R"(["logs",{}])", session_);
    for (std::uint64_t i = 0; i < 30; ++i) {
        methods_.commit({{log_of(1, {})}});
        add(i);
    }
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(session_->messages(30).size(), 30u);
}

TEST_F(SubscriptionsTest, stay_where_another_chain_takes_the_place_of_the_first) {
    const auto subscribers = std::make_shared<SubscriberRegistry>();
    auto first = std::make_unique<LogMethods>(MethodLimits{}, subscribers);
    const std::string id = first->id("eth_subscribe", R"(["newHeads"])", session_);
    const std::string gone = first->id("eth_subscribe", R"(["newHeads"])", session_);
    LogMethods second{{}, subscribers};
    EXPECT_EQ(second.call("eth_unsubscribe", "[\"" + gone + "\"]", session_), "true");
    first.reset();

    const SharedBlock block = second.commit({});

    const std::vector<std::string> messages = session_->messages(1);
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_THAT(messages[0], HasSubstr(id));
    EXPECT_THAT(messages[0], HasSubstr(to_string(block->hash)));
    session_->close();
    EXPECT_TRUE(subscribers->sessions.empty());
}

}  // namespace
}  // namespace heddle::node::rpc
