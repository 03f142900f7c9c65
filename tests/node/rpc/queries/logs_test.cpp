// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "announced_seed.hpp"
#include "log_methods.hpp"
#include "rpc/queries/bloom_index.hpp"
#include "rpc/queries/codec.hpp"
#include "rpc/queries/log_search.hpp"

namespace heddle::node::rpc {
namespace {

using test::count_of;
using test::log_of;
using test::LogMethods;
using test::quoted;
using test::quoted_address;
using testing::HasSubstr;
using testing::StartsWith;

std::size_t logs_in(const std::string& result) {
    return count_of(result, "\"logIndex\"");
}

TEST(EthGetLogs, tells_where_each_log_is) {
    LogMethods methods;
    methods.commit({});
    const SharedBlock block =
        methods.commit({{log_of(1, {7})}, {}, {log_of(2, {8}), log_of(1, {7, 9}, 3)}});
    const std::string result =
        methods.call("eth_getLogs", R"([{"fromBlock":"0x1","address":)" + quoted_address(1) + "}]");
    EXPECT_EQ(logs_in(result), 2u);
    const Transaction& last = block->block.transactions[2];
    EXPECT_THAT(
        result,
        HasSubstr(R"({"address":)" + quoted_address(1) + R"(,"topics":[)" + quoted(7) + "," +
                  quoted(9) + R"(],"data":"0xababab","blockNumber":"0x2","transactionHash":")" +
                  to_string(transaction_hash(last)) +
                  R"(","transactionIndex":"0x2","blockHash":")" + to_string(block->hash) + '"'));
    EXPECT_THAT(result, HasSubstr(R"("logIndex":"0x2","removed":false})"));
}

TEST(LogSearch, keeps_no_more_than_it_may_and_finds_the_same) {
    constexpr std::size_t kBytes = 50'000;
    constexpr std::uint64_t kBlocks = 100;
    LogMethods methods;
    std::size_t largest = 0;
    for (std::uint64_t i = 1; i <= kBlocks; ++i)
        largest =
            std::max(largest, make_block_logs(*methods.commit({{log_of(i, {i}, 1'000)}}))->bytes);
    LogSearch search(methods.chain.chain(), kBytes, 1);

    for (int round = 0; round < 2; ++round) {
        for (std::uint64_t i = 1; i <= kBlocks; ++i) {
            ASSERT_EQ(search.logs_of(i)->entries.size(), 1u);
            ASSERT_EQ(search.logs_of(i)->entries[0].log.address, address_from_low64(i));
            ASSERT_LE(search.kept_bytes(), kBytes + largest);
        }
        EXPECT_GE(search.kept_bytes(), kBytes - largest);
    }
}

TEST(EthGetLogs, takes_the_head_where_no_block_is_named) {
    LogMethods methods;
    methods.commit({{log_of(1, {7})}});
    EXPECT_EQ(logs_in(methods.call("eth_getLogs", "[{}]")), 1u);
    methods.commit({});
    EXPECT_EQ(methods.call("eth_getLogs", "[{}]"), "[]");
    EXPECT_EQ(logs_in(methods.call("eth_getLogs", R"([{"fromBlock":"earliest"}])")), 1u);
}

TEST(EthGetLogs, matches_topics_by_place_with_alternatives_and_gaps) {
    LogMethods methods;
    methods.commit({{log_of(1, {}), log_of(1, {5}), log_of(1, {5, 6}), log_of(1, {6, 5, 7})}});
    const auto count = [&](const std::string& topics) {
        return logs_in(methods.call("eth_getLogs", R"([{"topics":)" + topics + "}]"));
    };
    EXPECT_EQ(count("[]"), 4u);
    EXPECT_EQ(count("null"), 4u);
    EXPECT_EQ(count("[null]"), 3u) << "a place is there, whatever it holds";
    EXPECT_EQ(count("[" + quoted(5) + "]"), 2u);
    EXPECT_EQ(count("[[" + quoted(5) + "," + quoted(6) + "]]"), 3u);
    EXPECT_EQ(count("[[" + quoted(5) + ",null]]"), 3u) << "null among alternatives is any";
    EXPECT_EQ(count("[null," + quoted(5) + "]"), 1u);
    EXPECT_EQ(count("[[]," + quoted(6) + "]"), 1u);
    EXPECT_EQ(count("[null,null,null,null]"), 0u);
}

TEST(EthGetLogs, finds_a_block_by_its_hash) {
    LogMethods methods;
    const SharedBlock block = methods.commit({{log_of(1, {})}});
    methods.commit({{log_of(1, {})}});
    const std::string hash = '"' + to_string(block->hash) + '"';
    EXPECT_EQ(logs_in(methods.call("eth_getLogs", R"([{"blockHash":)" + hash + "}]")), 1u);
    EXPECT_EQ(methods.error("eth_getLogs", R"([{"blockHash":)" + quoted(1) + "}]"),
              "-32000 unknown block");
    EXPECT_EQ(
        methods.error("eth_getLogs", R"([{"fromBlock":"0x1","blockHash":)" + hash + "}]"),
        "-32602 invalid argument 0: cannot specify both BlockHash and FromBlock/ToBlock, choose "
        "one or the other");
}

TEST(EthGetLogs, refuses_ranges_that_make_no_sense) {
    LogMethods methods;
    for (int i = 0; i < 3; ++i)
        methods.commit({});
    const auto error = [&](const std::string& range) {
        return methods.error("eth_getLogs", "[{" + range + "}]");
    };
    EXPECT_EQ(error(R"("fromBlock":"0x3","toBlock":"0x2")"), "-32602 invalid block range params");
    EXPECT_EQ(error(R"("fromBlock":"latest","toBlock":"0x2")"),
              "-32602 invalid block range params");
    EXPECT_EQ(error(R"("fromBlock":"0x1","toBlock":"0x4")"),
              "-32602 block range extends beyond current head block");
    EXPECT_EQ(error(R"("fromBlock":"0x4","toBlock":"0x5")"),
              "-32602 block range extends beyond current head block");
    // Its end is the head, which is before its beginning.
    EXPECT_EQ(error(R"("fromBlock":"0x4")"), "-32602 invalid block range params");
    EXPECT_EQ(error(R"("fromBlock":"pending")"), "-32602 pending logs are not supported");
    EXPECT_EQ(error(R"("topics":[[],[],[],[],[]])"),
              "-32602 invalid argument 0: exceed max topics");
    EXPECT_THAT(error(R"("address":"0x12")"), StartsWith("-32602 invalid argument 0"));
    EXPECT_THAT(error(R"("topics":["0x12"])"), StartsWith("-32602 invalid argument 0"));
    EXPECT_EQ(methods.error("eth_getLogs", "[]"), "-32602 missing value for required argument 0");
    std::string addresses = quoted_address(0);
    for (int i = 0; i < 1'000; ++i)
        addresses += "," + quoted_address(1);
    EXPECT_EQ(error(R"("address":[)" + addresses + "]"),
              "-32000 exceed max addresses or topics per search position");
}

TEST(EthGetLogs, refuses_more_blocks_and_results_than_allowed) {
    MethodLimits limits;
    limits.logs_blocks = 3;
    limits.logs_results = 4;
    LogMethods methods{limits};
    for (int i = 0; i < 4; ++i)
        methods.commit({{log_of(1, {}), log_of(2, {})}});
    EXPECT_EQ(methods.error("eth_getLogs", R"([{"fromBlock":"0x1"}])"),
              "-32005 exceed maximum block range: 3");
    EXPECT_EQ(methods.error("eth_getLogs", R"([{"fromBlock":"0x1","toBlock":"0x3"}])"),
              "-32005 query exceeds max results 4, retry with the range 1-2");
    EXPECT_EQ(logs_in(methods.call("eth_getLogs", R"([{"fromBlock":"0x1","toBlock":"0x2"}])")), 4u);
}

TEST(EthGetLogs, refuses_results_that_are_too_large) {
    LogMethods methods;
    methods.commit({{log_of(1, {}, 5 << 20), log_of(1, {}, 5 << 20)}});
    EXPECT_EQ(methods.error("eth_getLogs", "[{}]"), "-32003 response too large");
}

TEST(EthGetLogs, stops_at_its_deadline) {
    LogMethods methods;
    methods.commit({{log_of(1, {})}});
    try {
        (void)methods.call("eth_getLogs", R"([{"fromBlock":"0x0"}])", nullptr,
                           std::chrono::milliseconds{-1});
        FAIL() << "no error";
    } catch (const RpcError& error) {
        EXPECT_EQ(error.code(), static_cast<int>(Code::timed_out));
    }
    EXPECT_EQ(logs_in(methods.call("eth_getLogs", R"([{"fromBlock":"0x0"}])")), 1u);
}

/// Every log of the chain is looked at.
std::string plain_answer(const std::vector<SharedBlock>& blocks, std::size_t from, std::size_t to,
                         const std::vector<std::uint64_t>& addresses,
                         const std::vector<std::vector<std::uint64_t>>& topics) {
    std::string text;
    JsonWriter out{text, JsonWriter::Style::compact};
    out.begin_array();
    for (std::size_t number = from; number <= to; ++number) {
        LogPlace place;
        const ledger::StoredBlock& block = *blocks[number];
        place.block_hash = block.hash;
        place.block_number = number;
        place.block_timestamp = block.block.header.timestamp;
        for (std::size_t i = 0; i < block.receipts.size(); ++i) {
            place.transaction_index = static_cast<std::uint32_t>(i);
            place.transaction_hash = transaction_hash(block.block.transactions[i]);
            for (const Log& log : block.receipts[i].logs) {
                bool is_match = addresses.empty();
                for (const std::uint64_t address : addresses)
                    is_match = is_match || log.address == address_from_low64(address);
                for (std::size_t at = 0; at < topics.size(); ++at) {
                    bool is_any = at < log.topics.size() && topics[at].empty();
                    for (const std::uint64_t topic : topics[at])
                        is_any = is_any || (at < log.topics.size() &&
                                            log.topics[at] == to_hash(Uint256{topic}));
                    is_match = is_match && is_any;
                }
                if (is_match) write_log(log, place, out);
                ++place.log_index;
            }
        }
    }
    out.end_array();
    return text;
}

TEST(EthGetLogs, finds_what_a_plain_scan_finds) {
    std::mt19937_64 random{heddle::test::announced_seed()};
    const auto below = [&](std::uint64_t bound) { return random() % bound; };
    LogMethods methods;
    std::vector<SharedBlock> blocks{methods.chain.chain().head_block()};
    // More than one section, with questions in between so that the last one is extended.
    while (blocks.size() < BloomIndex::kSectionBlocks + 200) {
        std::vector<std::vector<Log>> logs(below(4) == 0 ? 1 + below(3) : 0);
        for (auto& of_one : logs)
            for (std::uint64_t i = below(3); i > 0; --i) {
                std::vector<std::uint64_t> topics(below(5));
                for (std::uint64_t& topic : topics)
                    topic = below(6);
                of_one.push_back(log_of(below(8), topics));
            }
        blocks.push_back(methods.commit(logs));
        if (blocks.size() % 50 != 0) continue;

        const std::uint64_t head = blocks.size() - 1;
        const std::uint64_t from = below(head + 1);
        const std::uint64_t to = from + below(head - from + 1);
        std::vector<std::uint64_t> addresses(below(3));
        for (std::uint64_t& address : addresses)
            address = below(8);
        std::vector<std::vector<std::uint64_t>> topics(below(4));
        std::string topic_text;
        for (auto& alternatives : topics) {
            alternatives.resize(below(3));
            std::string text;
            for (std::uint64_t& topic : alternatives) {
                topic = below(6);
                text += (text.empty() ? "" : ",") + quoted(topic);
            }
            topic_text += (topic_text.empty() ? "[" : ",[") + text + "]";
        }
        std::string address_text;
        for (const std::uint64_t address : addresses)
            address_text += (address_text.empty() ? "" : ",") + quoted_address(address);
        const std::string params = R"([{"fromBlock":")" + to_quantity(from) + R"(","toBlock":")" +
                                   to_quantity(to) + R"(","address":[)" + address_text +
                                   R"(],"topics":[)" + topic_text + "]}]";
        ASSERT_EQ(methods.call("eth_getLogs", params),
                  plain_answer(blocks, from, to, addresses, topics))
            << params;
    }
}

}  // namespace
}  // namespace heddle::node::rpc
