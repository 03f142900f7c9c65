// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/queries/log_picker.hpp"

#include <memory>
#include <random>
#include <utility>

#include <gtest/gtest.h>

#include "announced_seed.hpp"
#include "log_methods.hpp"

namespace heddle::node::rpc {
namespace {

using test::log_of;

SharedBlockLogs logs_of(std::vector<Log> logs) {
    auto block = std::make_shared<BlockLogs>();
    for (Log& log : logs)
        block->entries.push_back({std::move(log), {}});
    return block;
}

LogFilter filter_of(const std::vector<std::uint64_t>& addresses,
                    const std::vector<std::vector<std::uint64_t>>& topics) {
    std::vector<Address> from;
    for (const std::uint64_t address : addresses)
        from.push_back(address_from_low64(address));
    std::vector<std::vector<Hash>> places;
    for (const auto& alternatives : topics) {
        auto& place = places.emplace_back();
        for (const std::uint64_t topic : alternatives)
            place.push_back(to_hash(Uint256{topic}));
    }
    return {std::move(from), std::move(places)};
}

std::vector<std::uint32_t> plain_pick(const BlockLogs& logs, const LogFilter& filter) {
    std::vector<std::uint32_t> picked;
    for (std::uint32_t i = 0; i < logs.entries.size(); ++i)
        if (filter.matches(logs.entries[i].log)) picked.push_back(i);
    return picked;
}

TEST(LogPicker, picks_what_each_filter_matches) {
    std::mt19937_64 random{heddle::test::announced_seed()};
    // Low ones are common, so that some values are in many logs and some in one.
    const auto some = [&](std::uint64_t bound) {
        const std::uint64_t drawn = random();
        return drawn % (1 + random() % bound);
    };
    for (const std::size_t size : {0U, 1U, 63U, 64U, 65U, 1'000U}) {
        std::vector<Log> logs;
        for (std::size_t i = 0; i < size; ++i) {
            std::vector<std::uint64_t> topics(random() % 5);
            for (std::uint64_t& topic : topics)
                topic = some(40);
            logs.push_back(log_of(some(10), topics));
        }
        LogPicker picker{logs_of(std::move(logs))};
        for (std::size_t i = 0; i < LogPicker::kPlain + 200; ++i) {
            std::vector<std::uint64_t> addresses(random() % 3);
            for (std::uint64_t& address : addresses)
                address = some(12);
            std::vector<std::vector<std::uint64_t>> topics(random() % 6);
            for (auto& alternatives : topics) {
                alternatives.resize(random() % 3);
                for (std::uint64_t& topic : alternatives)
                    topic = some(50);
            }
            const LogFilter filter = filter_of(addresses, topics);
            ASSERT_EQ(picker.pick(filter), plain_pick(picker.logs(), filter)) << size << ", " << i;
        }
    }
}

/// A block of logs that all are nearly what thousands of subscriptions ask for: no value is rare.
TEST(LogPicker, filters_that_nearly_match_every_log_cost_little) {
    constexpr std::size_t kLogs = 20'000;
    constexpr std::size_t kFilters = 10'000;
    std::vector<Log> logs;
    for (std::size_t i = 0; i < kLogs; ++i)
        logs.push_back(log_of(
            1, i % 2 == 0 ? std::vector<std::uint64_t>{1, 1} : std::vector<std::uint64_t>{2, 2}));
    LogPicker picker{logs_of(std::move(logs))};

    for (std::size_t i = 0; i < kFilters; ++i)
        ASSERT_TRUE(picker.pick(filter_of({1, 100 + i}, {{1}, {2}})).empty());

    EXPECT_LE(picker.steps(), kLogs * kFilters / 5) << "of 200 million one by one";
}

}  // namespace
}  // namespace heddle::node::rpc
