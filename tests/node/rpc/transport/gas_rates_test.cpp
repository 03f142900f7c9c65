// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/transport/gas_rates.hpp"

#include <gtest/gtest.h>

namespace heddle::node::rpc {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint64_t kRate = 1'000;  // gas a second
constexpr std::uint64_t kClient = 7;
const GasRates::Clock::time_point kStart{std::chrono::hours{1}};

TEST(GasRates, ten_seconds_worth_may_be_used_at_once) {
    GasRates rates{kRate};
    std::uint64_t used = 0;
    for (int i = 0; i < 1'000 && rates.may_begin(kClient, kStart); ++i) {
        rates.charge(kClient, 100, kStart);
        used += 100;
    }
    EXPECT_EQ(used, kRate * GasRates::kBurstSeconds);
}

TEST(GasRates, what_comes_back_each_second_is_the_rate) {
    GasRates rates{kRate};
    rates.charge(kClient, kRate * GasRates::kBurstSeconds, kStart);
    std::uint64_t used = 0;
    for (milliseconds time{0}; time < seconds{60}; time += milliseconds{10})
        while (rates.may_begin(kClient, kStart + time)) {
            rates.charge(kClient, 50, kStart + time);
            used += 50;
        }
    EXPECT_NEAR(static_cast<double>(used), 60.0 * kRate, 0.01 * 60 * kRate);
}

TEST(GasRates, a_debt_is_paid_off_before_the_next_call) {
    GasRates rates{kRate};
    rates.charge(kClient, 50 * kRate, kStart);
    EXPECT_FALSE(rates.may_begin(kClient, kStart + seconds{39}));
    EXPECT_TRUE(rates.may_begin(kClient, kStart + seconds{41}));
}

TEST(GasRates, clients_have_rates_of_their_own) {
    GasRates rates{kRate};
    rates.charge(kClient, 1'000 * kRate, kStart);
    EXPECT_FALSE(rates.may_begin(kClient, kStart));
    EXPECT_TRUE(rates.may_begin(kClient + 1, kStart));
}

TEST(GasRates, remembers_only_those_whose_gas_is_not_whole) {
    GasRates rates{kRate};
    for (std::uint64_t client = 0; client < 1'000'000; ++client)
        rates.charge(client, kRate, kStart + milliseconds{client});  // a second each
    EXPECT_LE(rates.clients(), 4'000u) << "a thousand are in debt at any time";
}

TEST(GasRates, without_a_rate_remembers_nobody) {
    GasRates rates{0};
    rates.charge(kClient, ~std::uint64_t{0}, kStart);
    EXPECT_TRUE(rates.may_begin(kClient, kStart));
    EXPECT_EQ(rates.clients(), 0u);
}

}  // namespace
}  // namespace heddle::node::rpc
