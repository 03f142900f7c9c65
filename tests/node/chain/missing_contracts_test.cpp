// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "chain/missing_contracts.hpp"

#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vm/system_contracts.hpp>
#include <workload/world.hpp>

namespace heddle::node {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kNow = 5'000;

ChainConfig merged(std::optional<std::uint64_t> prague, std::optional<std::uint64_t> amsterdam) {
    ChainConfig config;
    config.terminal_total_difficulty = Uint256{};
    config.shanghai_time = 0;
    config.cancun_time = 0;
    config.prague_time = prague;
    config.amsterdam_time = amsterdam;
    return config;
}

bool nothing(const Address& /*address*/) {
    return false;
}

std::vector<Address> addresses(const std::vector<MissingContract>& missing) {
    std::vector<Address> found;
    for (const MissingContract& contract : missing)
        found.push_back(contract.address);
    return found;
}

TEST(MissingContracts, are_those_whose_output_is_a_request) {
    EXPECT_TRUE(missing_contracts(nothing, merged({}, {})).empty());
    const auto of_prague = missing_contracts(nothing, merged(9'000, {}));
    EXPECT_EQ(of_prague, (std::vector<MissingContract>{
                             {vm::kWithdrawalRequestAddress, "pragueTime", 9'000},
                             {vm::kConsolidationRequestAddress, "pragueTime", 9'000}}));
    const auto of_both = missing_contracts(nothing, merged(9'000, 12'000));
    ASSERT_EQ(of_both.size(), 4U);
    EXPECT_EQ(of_both[1].field, "pragueTime");
    EXPECT_EQ(of_both[3], (MissingContract{vm::kBuilderExitAddress, "amsterdamTime", 12'000}));
}

TEST(MissingContracts, are_looked_for_in_the_state) {
    const std::set<Address> there{vm::kWithdrawalRequestAddress, vm::kBuilderExitAddress};
    const auto missing = missing_contracts(
        [&](const Address& address) { return there.contains(address); }, merged(9'000, 12'000));
    EXPECT_EQ(addresses(missing),
              (std::vector<Address>{vm::kConsolidationRequestAddress, vm::kBuilderDepositAddress}));
}

TEST(MissingContracts, of_no_chain_that_is_made_here) {
    for (std::size_t i = 0; i < kRevisionCount; ++i) {
        const auto revision = static_cast<Revision>(i);
        if (revision < Revision::paris) continue;
        const workload::Options options{.revision = revision};
        const Genesis genesis =
            workload::make_genesis(workload::system_contracts(revision), options, 30'000'000);
        EXPECT_TRUE(missing_contracts(code_in(genesis), genesis.config).empty())
            << to_string(revision);
    }
}

TEST(MissingContracts, an_account_without_code_is_none) {
    Genesis genesis;
    genesis.config = merged(0, {});
    genesis.alloc.push_back({vm::kWithdrawalRequestAddress, 1, Uint256{1}, {}, {}});
    genesis.alloc.push_back({vm::kConsolidationRequestAddress, 1, Uint256{}, {0x00}, {}});
    EXPECT_EQ(addresses(missing_contracts(code_in(genesis), genesis.config)),
              (std::vector<Address>{vm::kWithdrawalRequestAddress}));
}

TEST(MissingContracts, the_sentence_says_when_and_what_to_do) {
    EXPECT_EQ(describe_missing_contracts(nothing, merged({}, {}), kNow), std::nullopt);
    const std::string coming = describe_missing_contracts(nothing, merged(9'000, {}), kNow).value();
    EXPECT_THAT(coming, HasSubstr("no block from pragueTime 9000 on can be made without code at "
                                  "0x00000961ef480eb55e80d19ad83579a64c007002 "
                                  "0x0000bbddc7ce488642fb579f8b00f3a590007251:"));
    EXPECT_THAT(coming, HasSubstr("genesis file"));
    const std::string both = describe_missing_contracts(nothing, merged(0, 9'000), kNow).value();
    EXPECT_THAT(both, HasSubstr("no block can be made under the rules of pragueTime"));
    EXPECT_THAT(both, HasSubstr(", and none from amsterdamTime 9000 on can be made"));
    const std::string past = describe_missing_contracts(nothing, merged(0, kNow), kNow).value();
    EXPECT_THAT(past, HasSubstr(", and none can be made under the rules of amsterdamTime"));
}

}  // namespace
}  // namespace heddle::node
