// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <chrono>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "log_methods.hpp"
#include "rpc/queries/filters.hpp"

namespace heddle::node::rpc {
namespace {

using test::count_of;
using test::log_of;
using test::LogMethods;
using test::quoted_address;
using testing::HasSubstr;

class FiltersTest : public testing::Test {
protected:
    std::string changes(const std::string& id) {
        return methods_.call("eth_getFilterChanges", "[\"" + id + "\"]");
    }
    std::string logs(const std::string& id) {
        return methods_.call("eth_getFilterLogs", "[\"" + id + "\"]");
    }
    static std::size_t logs_in(const std::string& result) {
        return count_of(result, "\"logIndex\"");
    }
    /// Logs in all that is new, which may be more than one answer holds.
    struct Told {
        std::size_t added = 0;
        std::size_t removed = 0;
        friend bool operator==(const Told&, const Told&) = default;
    };
    Told all_changes(const std::string& id) {
        Told told;
        for (std::string part = changes(id); part != "[]"; part = changes(id)) {
            told.added += count_of(part, R"("removed":false)");
            told.removed += count_of(part, R"("removed":true)");
        }
        return told;
    }
    /// Three of them are kept for filters, and no fourth one.
    static constexpr std::size_t kLargeLog = std::size_t{5} << 20;

    Hash add(std::uint64_t nonce) {
        const Transaction tx = test::transfer({.from = 2, .nonce = nonce});
        EXPECT_TRUE(methods_.mempool.add(test::encoded(tx), Origin::local).has_value());
        return transaction_hash(tx);
    }

    LogMethods methods_;
};

TEST_F(FiltersTest, a_log_filter_gives_new_logs_once) {
    methods_.commit({{log_of(1, {})}});
    const std::string id =
        methods_.id("eth_newFilter", R"([{"address":)" + quoted_address(1) + "}]");
    EXPECT_EQ(changes(id), "[]") << "what was before is not new";
    methods_.commit({{log_of(1, {}), log_of(2, {})}});
    methods_.commit({{log_of(1, {})}});
    EXPECT_EQ(logs_in(changes(id)), 2u);
    EXPECT_EQ(changes(id), "[]");
    EXPECT_EQ(logs_in(logs(id)), 1u) << "of the head, where no block is named";
}

TEST_F(FiltersTest, all_logs_of_a_filter_can_be_asked_for_again) {
    const std::string id = methods_.id("eth_newFilter", R"([{"fromBlock":"0x1"}])");
    methods_.commit({{log_of(1, {})}});
    methods_.commit({{log_of(1, {})}});
    EXPECT_EQ(logs_in(changes(id)), 2u);
    EXPECT_EQ(logs_in(logs(id)), 2u);
    EXPECT_EQ(logs_in(logs(id)), 2u);
}

TEST_F(FiltersTest, a_log_filter_keeps_to_its_blocks) {
    const std::string id = methods_.id("eth_newFilter", R"([{"fromBlock":"0x2","toBlock":"0x3"}])");
    for (int i = 0; i < 4; ++i)
        methods_.commit({{log_of(1, {})}});
    EXPECT_EQ(logs_in(changes(id)), 2u);
    EXPECT_EQ(methods_.error("eth_newFilter", R"([{"fromBlock":"0x3","toBlock":"0x2"}])"),
              "-32602 invalid block range params");
    for (const char* const from : {"earliest", "latest", "0x3"})
        EXPECT_EQ(
            methods_.error("eth_newFilter",
                           fmt::format(R"([{{"fromBlock":"{}","toBlock":"earliest"}}])", from)),
            "-32602 invalid block range params")
            << from;
    EXPECT_EQ(methods_.error("eth_newFilter", R"([{"toBlock":"pending"}])"),
              "-32602 pending logs are not supported");
}

TEST_F(FiltersTest, more_logs_than_one_answer_holds_come_in_whole_blocks) {
    MethodLimits limits;
    limits.logs_results = 3;
    LogMethods methods{limits};
    const std::string id = methods.id("eth_newFilter", "[{}]");
    for (int i = 0; i < 5; ++i)
        methods.commit({{log_of(1, {}), log_of(1, {})}});
    std::vector<std::size_t> counts;
    for (int i = 0; i < 4; ++i)
        counts.push_back(logs_in(methods.call("eth_getFilterChanges", "[\"" + id + "\"]")));
    EXPECT_THAT(counts, testing::ElementsAre(4, 4, 2, 0));
}

TEST_F(FiltersTest, a_block_filter_gives_the_hashes_of_new_blocks) {
    methods_.commit({});
    const std::string id = methods_.id("eth_newBlockFilter", "[]");
    EXPECT_EQ(changes(id), "[]");
    const SharedBlock first = methods_.commit({});
    const SharedBlock second = methods_.commit({});
    EXPECT_EQ(changes(id),
              "[\"" + to_string(first->hash) + "\",\"" + to_string(second->hash) + "\"]");
    EXPECT_EQ(changes(id), "[]");
    EXPECT_EQ(methods_.error("eth_getFilterLogs", "[\"" + id + "\"]"), "-32000 filter not found");
}

TEST_F(FiltersTest, a_transaction_filter_gives_what_became_pending) {
    const Hash before = add(0);
    const std::string id = methods_.id("eth_newPendingTransactionFilter", "[]");
    const Hash first = add(1);
    add(3);  // waits
    EXPECT_EQ(changes(id), "[\"" + to_string(first) + "\"]");
    EXPECT_EQ(changes(id), "[]");
    EXPECT_NE(before, first);
}

TEST_F(FiltersTest, transactions_can_be_had_in_full_even_from_a_block) {
    const std::string id = methods_.id("eth_newPendingTransactionFilter", "[true]");
    const Hash hash = add(0);
    const std::string pending = changes(id);
    EXPECT_THAT(pending, HasSubstr("\"hash\":\"" + to_string(hash) + '"'));
    EXPECT_THAT(pending, HasSubstr("\"blockHash\":null"));

    const Hash mined = add(1);
    test::TestChain::Plan plan;
    plan.transactions = {methods_.mempool.find(hash)->tx, methods_.mempool.find(mined)->tx};
    test::TestChain::set_account(plan.diff, test::account_of(2), 2, test::kEther);
    methods_.chain.commit(std::move(plan));
    ASSERT_EQ(methods_.mempool.find(mined), nullptr);
    EXPECT_THAT(changes(id), HasSubstr("\"hash\":\"" + to_string(mined) + '"'));
}

TEST_F(FiltersTest, an_uninstalled_filter_is_gone) {
    const std::string id = methods_.id("eth_newBlockFilter", "[]");
    EXPECT_EQ(methods_.call("eth_uninstallFilter", "[\"" + id + "\"]"), "true");
    EXPECT_EQ(methods_.call("eth_uninstallFilter", "[\"" + id + "\"]"), "false");
    EXPECT_EQ(methods_.error("eth_getFilterChanges", "[\"" + id + "\"]"),
              "-32000 filter not found");
}

TEST_F(FiltersTest, ids_are_long_and_differ) {
    const std::string first = methods_.id("eth_newBlockFilter", "[]");
    const std::string second = methods_.id("eth_newBlockFilter", "[]");
    EXPECT_NE(first, second);
    EXPECT_GT(first.size(), 20u);
    EXPECT_EQ(first.substr(0, 2), "0x");
}

TEST_F(FiltersTest, there_is_room_for_so_many_and_unused_ones_go) {
    MethodLimits limits;
    limits.filters = 2;
    limits.filter_timeout_seconds = 3'600;
    LogMethods methods{limits};
    const std::string id = methods.id("eth_newBlockFilter", "[]");
    (void)methods.id("eth_newFilter", "[{}]");
    EXPECT_EQ(methods.error("eth_newPendingTransactionFilter", "[]"),
              "-32005 too many filters: 2 are installed");
    (void)methods.call("eth_uninstallFilter", "[\"" + id + "\"]");
    (void)methods.id("eth_newPendingTransactionFilter", "[]");
}

TEST_F(FiltersTest, nobody_takes_all_of_them_for_itself) {
    MethodLimits limits;
    limits.filters = 4;
    limits.filter_timeout_seconds = 3'600;
    LogMethods methods{limits};
    const auto ask = [&](std::uint64_t client, const std::string& id) {
        methods.client = client;
        return methods.error("eth_getFilterChanges", "[\"" + id + "\"]");
    };
    std::vector<std::string> greedy;
    methods.client = 1;
    for (int i = 0; i < 4; ++i)
        greedy.push_back(methods.id("eth_newBlockFilter", "[]"));
    EXPECT_EQ(methods.error("eth_newBlockFilter", "[]"), "-32005 too many filters: 4 are installed")
        << "none of its own seems forgotten";
    (void)ask(1, greedy[0]);

    methods.client = 2;
    const std::string first = methods.id("eth_newBlockFilter", "[]");
    const std::string second = methods.id("eth_newFilter", "[{}]");
    EXPECT_EQ(methods.error("eth_newBlockFilter", "[]"), "-32005 too many filters: 4 are installed")
        << "each has two";

    EXPECT_EQ(ask(2, first), "no error: []");
    EXPECT_EQ(ask(2, second), "no error: []");
    EXPECT_EQ(ask(1, greedy[0]), "no error: []");
    EXPECT_EQ(ask(1, greedy[1]), "-32000 filter not found") << "it was left alone longest";
    EXPECT_EQ(ask(1, greedy[2]), "-32000 filter not found");
    EXPECT_EQ(ask(1, greedy[3]), "no error: []");
}

TEST_F(FiltersTest, nobody_takes_all_that_filters_may_ask_for_together) {
    std::string addresses = quoted_address(1);
    for (int i = 1; i < 1'000; ++i)
        addresses += "," + quoted_address(1);
    const std::string params = R"([{"address":[)" + addresses + "]}]";
    methods_.client = 1;
    while (methods_.error("eth_newFilter", params).starts_with("no error"))
        continue;
    methods_.client = 2;
    EXPECT_THAT(methods_.error("eth_newFilter", params), HasSubstr("no error"));
}

TEST_F(FiltersTest, more_transactions_than_one_answer_holds_come_next_time) {
    const std::string id = methods_.id("eth_newPendingTransactionFilter", "[true]");
    for (std::uint64_t nonce = 0; nonce < 40; ++nonce)
        add(nonce);
    methods_.max_result_bytes = 10'000;
    std::size_t told = 0;
    std::size_t answers = 0;
    for (std::size_t count = 1; count != 0; ++answers) {
        const std::string answer = changes(id);
        EXPECT_LT(answer.size(), methods_.max_result_bytes);
        told += count = count_of(answer, "\"hash\":");
    }
    EXPECT_EQ(told, 40u);
    EXPECT_GT(answers, 3u);
}

TEST_F(FiltersTest, one_that_nobody_asks_goes) {
    MethodLimits limits;
    limits.filter_timeout_seconds = 0;
    LogMethods methods{limits};
    const std::string id = methods.id("eth_newBlockFilter", "[]");
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
    EXPECT_EQ(methods.error("eth_getFilterChanges", "[\"" + id + "\"]"), "-32000 filter not found");
}

TEST_F(FiltersTest, what_all_filters_ask_for_together_is_bounded) {
    std::string addresses = quoted_address(1);
    for (int i = 1; i < 1'000; ++i)
        addresses += "," + quoted_address(1);
    const std::string params = R"([{"address":[)" + addresses + "]}]";
    std::size_t installed = 0;
    while (methods_.error("eth_newFilter", params).starts_with("no error"))
        ASSERT_LT(++installed, 1'024u);
    EXPECT_GT(installed, 100u);
}

TEST_F(FiltersTest, many_threads_share_filters_while_blocks_come) {
    const std::string log_id = methods_.id("eth_newFilter", "[{}]");
    const std::string block_id = methods_.id("eth_newBlockFilter", "[]");
    const std::string transaction_id = methods_.id("eth_newPendingTransactionFilter", "[]");
    std::atomic<std::size_t> logs{0};
    std::atomic<std::size_t> blocks{0};
    std::atomic<std::size_t> transactions{0};
    const auto poll = [&] {
        logs += logs_in(changes(log_id));
        blocks += count_of(changes(block_id), "0x");
        transactions += count_of(changes(transaction_id), "0x");
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i)
        threads.emplace_back([&] {
            for (int round = 0; round < 50; ++round)
                poll();
        });
    for (std::uint64_t i = 0; i < 30; ++i) {
        methods_.commit({{log_of(1, {}), log_of(2, {})}});
        add(i);
    }
    for (std::thread& thread : threads)
        thread.join();
    poll();
    EXPECT_EQ(logs, 60u);
    EXPECT_EQ(blocks, 30u);
    EXPECT_EQ(transactions, 30u);
}

TEST_F(FiltersTest, blocks_in_place_of_those_taken_back_are_new) {
    Chain& chain = methods_.chain.chain();
    chain.become_development(nullptr);
    methods_.commit({});
    const std::string asked = methods_.id("eth_newBlockFilter", "[]");
    methods_.commit({});
    EXPECT_THAT(changes(asked), HasSubstr("0x"));

    ASSERT_TRUE(chain.rewind(0, nullptr).has_value());
    const std::string first = to_string(methods_.commit({})->hash);
    const std::string second = to_string(methods_.commit({})->hash);

    EXPECT_EQ(changes(asked), R"([")" + first + R"(",")" + second + R"("])");
    EXPECT_EQ(changes(asked), "[]");
}

TEST_F(FiltersTest, blocks_in_place_of_those_taken_back_twice_are_new_from_the_lowest_on) {
    Chain& chain = methods_.chain.chain();
    chain.become_development(nullptr);
    const std::string asked = methods_.id("eth_newBlockFilter", "[]");
    methods_.commit({});
    methods_.commit({});
    EXPECT_THAT(changes(asked), HasSubstr("0x"));

    ASSERT_TRUE(chain.rewind(0, nullptr).has_value());
    const std::string first = to_string(methods_.commit({})->hash);
    const std::string second = to_string(methods_.commit({})->hash);
    methods_.commit({});
    ASSERT_TRUE(chain.rewind(2, nullptr).has_value());

    EXPECT_EQ(changes(asked), R"([")" + first + R"(",")" + second + R"("])");
}

TEST_F(FiltersTest, logs_of_blocks_taken_back_come_once_more_as_removed) {
    Chain& chain = methods_.chain.chain();
    chain.become_development(nullptr);
    methods_.commit({{log_of(1, {})}});
    const std::string asked =
        methods_.id("eth_newFilter", R"([{"address":)" + quoted_address(1) + "}]");
    const Hash second = methods_.commit({{log_of(1, {}), log_of(2, {})}})->hash;
    const Hash third = methods_.commit({{log_of(1, {})}})->hash;
    EXPECT_EQ(logs_in(changes(asked)), 2u);

    ASSERT_TRUE(chain.rewind(1, nullptr).has_value());
    const Hash other = methods_.commit({{log_of(1, {5})}})->hash;

    const std::string told = changes(asked);
    EXPECT_EQ(logs_in(told), 3u);
    EXPECT_EQ(count_of(told, R"("removed":true)"), 2u);
    const std::size_t first_removed = told.find(to_string(second));
    const std::size_t second_removed = told.find(to_string(third));
    const std::size_t added = told.find(to_string(other));
    EXPECT_LT(first_removed, second_removed);
    EXPECT_LT(second_removed, told.find(R"("removed":false)"));
    EXPECT_LT(second_removed, added);
    EXPECT_NE(added, std::string::npos);
    EXPECT_EQ(changes(asked), "[]");
    EXPECT_EQ(count_of(logs(asked), R"("removed":true)"), 0u);
}

TEST_F(FiltersTest, logs_that_nobody_was_told_of_are_not_removed) {
    Chain& chain = methods_.chain.chain();
    chain.become_development(nullptr);
    methods_.commit({});
    const std::string asked = methods_.id("eth_newFilter", "[{}]");
    methods_.commit({{log_of(1, {})}});
    EXPECT_EQ(logs_in(changes(asked)), 1u);
    for (int round = 0; round < 3; ++round) {
        ASSERT_TRUE(chain.rewind(1, nullptr).has_value());
        methods_.commit({{log_of(2, {})}});
        methods_.commit({{log_of(2, {})}});
    }

    const std::string told = changes(asked);
    EXPECT_EQ(count_of(told, R"("removed":true)"), 1u);
    EXPECT_EQ(count_of(told, R"("removed":false)"), 2u);
    ASSERT_TRUE(chain.rewind(0, nullptr).has_value());
    EXPECT_EQ(count_of(changes(asked), R"("removed":true)"), 2u);
    EXPECT_EQ(changes(asked), "[]");
}

/// The lowest. Before, a filter for which there were too many was told of none.
TEST_F(FiltersTest, of_logs_taken_back_as_many_are_told_of_as_there_is_room_for) {
    Chain& chain = methods_.chain.chain();
    chain.become_development(nullptr);
    const std::string asked = methods_.id("eth_newFilter", "[{}]");
    for (int i = 0; i < 4; ++i)
        methods_.commit({{log_of(1, {}, kLargeLog)}});
    EXPECT_EQ(all_changes(asked), (Told{.added = 4, .removed = 0}));

    ASSERT_TRUE(chain.rewind(0, nullptr).has_value());
    EXPECT_EQ(all_changes(asked), (Told{.added = 0, .removed = 3})) << "of 16 MiB";
}

TEST_F(FiltersTest, logs_that_no_filter_wants_take_no_room) {
    Chain& chain = methods_.chain.chain();
    chain.become_development(nullptr);
    const std::string asked =
        methods_.id("eth_newFilter", R"([{"address":)" + quoted_address(1) + "}]");
    for (int i = 0; i < 4; ++i)
        methods_.commit({{log_of(2, {}, kLargeLog)}});
    methods_.commit({{log_of(1, {})}});
    EXPECT_EQ(all_changes(asked), (Told{.added = 1, .removed = 0}));

    ASSERT_TRUE(chain.rewind(0, nullptr).has_value());
    EXPECT_EQ(all_changes(asked), (Told{.added = 0, .removed = 1}));
}

TEST_F(FiltersTest, a_new_one_is_told_nothing_of_what_was_taken_back_before) {
    Chain& chain = methods_.chain.chain();
    chain.become_development(nullptr);
    const std::string other = methods_.id("eth_newFilter", "[{}]");
    methods_.commit({{log_of(1, {})}});
    EXPECT_EQ(all_changes(other), (Told{.added = 1, .removed = 0}));
    ASSERT_TRUE(chain.rewind(0, nullptr).has_value());
    methods_.commit({});
    methods_.commit({});

    const std::string asked = methods_.id("eth_newFilter", "[{}]");
    EXPECT_EQ(all_changes(asked), Told{});
    EXPECT_EQ(all_changes(other), (Told{.added = 0, .removed = 1}));
}

TEST_F(FiltersTest, logs_taken_back_earlier_make_room_for_those_taken_back_later) {
    Chain& chain = methods_.chain.chain();
    chain.become_development(nullptr);
    const std::string forgotten = methods_.id("eth_newFilter", "[{}]");
    const std::string asked = methods_.id("eth_newFilter", "[{}]");
    for (const std::size_t removed : {0u, 2u}) {
        for (int i = 0; i < 2; ++i)
            methods_.commit({{log_of(1, {}, kLargeLog)}});
        EXPECT_EQ(all_changes(asked), (Told{.added = 2, .removed = removed}));
        if (removed == 0) EXPECT_EQ(all_changes(forgotten), (Told{.added = 2, .removed = 0}));
        ASSERT_TRUE(chain.rewind(0, nullptr).has_value());
    }
    EXPECT_EQ(all_changes(forgotten), Told{});
    EXPECT_EQ(all_changes(asked), (Told{.added = 0, .removed = 2}));
}

/// What does not fit into one result comes with the next ones.
TEST(Filters, tell_of_removed_logs_block_by_block) {
    test::LogMethods methods{{.logs_results = 1}};
    Chain& chain = methods.chain.chain();
    chain.become_development(nullptr);
    const auto changes = [&, id = methods.id("eth_newFilter", "[{}]")] {
        return methods.call("eth_getFilterChanges", "[\"" + id + "\"]");
    };
    methods.commit({{log_of(1, {}), log_of(1, {})}});
    methods.commit({{log_of(2, {})}});
    EXPECT_EQ(count_of(changes(), "logIndex"), 2u);
    EXPECT_EQ(count_of(changes(), "logIndex"), 1u);

    ASSERT_TRUE(chain.rewind(0, nullptr).has_value());
    methods.commit({{log_of(3, {})}});
    EXPECT_EQ(count_of(changes(), R"("removed":true)"), 2u);
    EXPECT_EQ(count_of(changes(), R"("removed":true)"), 1u);
    EXPECT_EQ(count_of(changes(), R"("removed":false)"), 1u);
    EXPECT_EQ(changes(), "[]");
}

/// A head is read - its block is taken back - the hash of nothing is told.
TEST_F(FiltersTest, blocks_that_are_taken_back_while_they_are_told_of_have_no_hash_of_zeros) {
    Chain& chain = methods_.chain.chain();
    chain.become_development(nullptr);
    for (int round = 0; round < 8; ++round) {
        std::vector<std::string> ids;
        for (int i = 0; i < 40; ++i)
            ids.push_back(methods_.id("eth_newBlockFilter", "[]"));
        for (int block = 0; block < 100; ++block)
            methods_.commit({});
        std::thread asker{[&] {
            for (const std::string& id : ids)
                EXPECT_THAT(changes(id), testing::Not(HasSubstr("0x0000000000000000")));
        }};
        ASSERT_TRUE(chain.rewind(0, nullptr).has_value());
        asker.join();
    }
}

/// Somebody asks a filter, which takes as long as a call may - the chain goes back - it waited.
TEST(Filters, do_not_hold_up_a_chain_that_goes_back) {
    // With it the mempool's lock can be held.
    class Ordered final : public Shim {
        [[nodiscard]] bool keeps_order() const noexcept override { return true; }
    } shim;
    test::TestChain chain;
    chain.chain().become_development(nullptr);
    (void)chain.commit({});
    Mempool mempool{MempoolOptions{}, chain.chain(), shim};
    const Services services{chain.chain(), mempool, "heddle/test", {}};
    Filters filters{services, std::make_shared<LogSearch>(chain.chain(), 1U << 20, 1U << 20)};
    const std::string id = filters.add_transactions(true, 0);
    ASSERT_TRUE(mempool.add(test::encoded(test::transfer({})), Origin::local).has_value());

    std::jthread asker;
    mempool.while_shown([&] {
        asker = std::jthread{[&] {
            std::string text;
            JsonWriter out{text, JsonWriter::Style::compact};
            Call call;
            call.deadline = std::chrono::steady_clock::time_point::max();
            filters.write_changes(id, call, out);  // looks for the transaction in the mempool
        }};
        std::this_thread::sleep_for(std::chrono::milliseconds{20});
        // Where it waits for the asker, it does so for ever.
        EXPECT_TRUE(chain.chain().rewind(0, nullptr).has_value());
    });
}

}  // namespace
}  // namespace heddle::node::rpc
