// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "simulation/overrides.hpp"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "chain/overlay_state.hpp"
#include "recorded_state.hpp"
#include "simulation/failure.hpp"

namespace heddle::node::simulation {
namespace {

constexpr Address kAccount = address_from_low64(0xc0de);
constexpr Address kDestination = address_from_low64(0xc0df);
constexpr Address kIdentity = address_from_low64(4);
constexpr std::string_view kAccountText = "0x000000000000000000000000000000000000c0de";
constexpr std::string_view kSlot1 =
    "0x0000000000000000000000000000000000000000000000000000000000000001";

class Overrides : public testing::Test {
protected:
    Overrides() {
        state.deploy(kAccount, {0x60});
        state.set_balance(kAccount, 7);
        state.set_storage(kAccount, 1, 11);
        state.set_storage(kAccount, 2, 22);
    }
    /// The state with the overrides of kAccount.
    OverlayState& with(const std::string& members) {
        JsonParser parser;
        const std::string text = "{\"" + std::string{kAccountText} + "\":{" + members + "}}";
        changed.apply(
            apply(parse_state_overrides(parser.parse(text, "overrides")), changed, table));
        return changed;
    }
    std::string failure(const StateOverrides& overrides) {
        try {
            (void)apply(overrides, state, table);
        } catch (const Failure& error) {
            return error.what();
        }
        return "accepted";
    }

    vm::test::RecordedState state;
    OverlayState changed{state};
    vm::PrecompileTable table = vm::make_precompile_table(Revision::osaka);
};

TEST_F(Overrides, null_overrides_nothing) {
    JsonParser parser;
    const std::string text = "{\"" + std::string{kAccountText} + "\":null}";
    changed.apply(apply(parse_state_overrides(parser.parse(text, "overrides")), changed, table));
    EXPECT_EQ(changed.account(kAccount)->balance, Uint256{7});
}

TEST_F(Overrides, fields_that_are_not_named_stay) {
    const Account account = *with(R"("nonce":"0x5")").account(kAccount);
    EXPECT_EQ(account.nonce, 5u);
    EXPECT_EQ(account.balance, 7u);
    EXPECT_TRUE(account.has_code());
    EXPECT_EQ(changed.storage(kAccount, 1), 11u);
}

TEST_F(Overrides, code_and_balance_are_replaced) {
    const Account account =
        *with(R"("balance":"0x64","code":"0x6001","stateDiff":{})").account(kAccount);
    EXPECT_EQ(account.balance, 100u);
    EXPECT_TRUE(std::ranges::equal(changed.code(account.code_hash), Bytes{0x60, 0x01}));
    EXPECT_FALSE(with(R"("code":"0x")").account(kAccount)->has_code());
}

TEST_F(Overrides, state_replaces_all_slots_and_state_diff_some) {
    with("\"stateDiff\":{\"" + std::string{kSlot1} + "\":\"" + std::string{kSlot1} + "\"}");
    EXPECT_EQ(changed.storage(kAccount, 1), 1u);
    EXPECT_EQ(changed.storage(kAccount, 2), 22u);
    with("\"state\":{\"" + std::string{kSlot1} + "\":\"" + std::string{kSlot1} + "\"}");
    EXPECT_EQ(changed.storage(kAccount, 1), 1u);
    EXPECT_EQ(changed.storage(kAccount, 2), 0u);
}

TEST_F(Overrides, an_empty_override_makes_no_account) {
    StateOverrides overrides;
    overrides[kDestination] = {};
    EXPECT_TRUE(apply(overrides, state, table).empty());
}

TEST_F(Overrides, a_precompile_moves_and_leaves_its_place) {
    StateOverrides overrides;
    overrides[kIdentity].move_precompile_to = kDestination;
    (void)apply(overrides, state, table);
    EXPECT_FALSE(table.contains(kIdentity));
    EXPECT_EQ(table.at(kDestination), 4u);
}

TEST_F(Overrides, a_precompile_that_is_overridden_is_one_no_more) {
    StateOverrides overrides;
    overrides[kIdentity].balance = 1;
    (void)apply(overrides, state, table);
    EXPECT_FALSE(table.contains(kIdentity));
}

TEST_F(Overrides, contradictions_are_refused) {
    StateOverrides both;
    both[kAccount].state.emplace();
    both[kAccount].state_diff.emplace();
    EXPECT_EQ(failure(both),
              "account " + to_checksum_string(kAccount) + " has both 'state' and 'stateDiff'");
    StateOverrides nothing_there;
    nothing_there[kAccount].move_precompile_to = kDestination;
    EXPECT_EQ(failure(nothing_there),
              "account " + to_checksum_string(kAccount) + " is not a precompile");
    StateOverrides taken;
    taken[kIdentity].move_precompile_to = kAccount;
    taken[kAccount] = {};
    EXPECT_EQ(failure(taken), "account " + to_checksum_string(kAccount) + " is already overridden");
}

TEST(BlockOverrides, move_the_fork_with_the_time) {
    JsonParser parser;
    ChainConfig config = mainnet_config();
    BlockEnv env;
    env.revision = Revision::prague;
    apply(parse_block_overrides(parser.parse(
              R"({"number":"0x1100000","time":"0x64000000","difficulty":"0x5"})", "block")),
          config, env);
    EXPECT_EQ(env.revision, Revision::paris);
    EXPECT_EQ(env.number, 0x1100000u);
    EXPECT_TRUE(env.difficulty.is_zero());
}

/// As geth's: blocks below London's have the rules of their number, whenever they are.
TEST(BlockOverrides, no_fork_of_the_time_is_in_force_below_londons_block) {
    ChainConfig config;
    config.homestead_block = 0;
    config.london_block = 100;
    config.shanghai_time = 1'000;
    BlockEnv env;
    env.number = 200;
    env.timestamp = 2'000;
    env.revision = Revision::shanghai;
    BlockOverrides overrides;
    overrides.number = Uint256{99};
    apply(overrides, config, env);
    EXPECT_EQ(env.revision, Revision::homestead);
}

/// A first block without difficulty is merged by that, and may come before London's.
TEST(BlockOverrides, a_block_below_londons_is_held_to_its_number_and_no_other_is) {
    ChainConfig config;
    config.homestead_block = 0;
    config.london_block = 1;
    config.shanghai_time = 0;
    BlockEnv env;
    env.revision = Revision::shanghai;
    EXPECT_EQ(held_to_number(config, env), Revision::homestead);
    apply({}, config, env);
    EXPECT_EQ(env.revision, Revision::homestead);

    env.revision = Revision::shanghai;
    env.number = 1;
    EXPECT_EQ(held_to_number(config, env), Revision::shanghai);
    config.london_block.reset();
    EXPECT_EQ(held_to_number(config, env), Revision::homestead);
    env.revision = Revision::frontier;
    EXPECT_EQ(held_to_number(config, env), Revision::frontier);
}

TEST(BlockOverrides, randomness_is_that_of_a_block_after_the_merge) {
    ChainConfig config;
    config.london_block = 100;
    config.shanghai_time = 1'000;
    BlockEnv env;
    env.number = 150;
    env.timestamp = 500;
    env.revision = Revision::london;
    BlockOverrides overrides;
    overrides.prev_randao = Hash{};
    apply(overrides, config, env);
    EXPECT_EQ(env.revision, Revision::paris);
    overrides.time = 1'000;
    apply(overrides, config, env);
    EXPECT_EQ(env.revision, Revision::shanghai);
}

TEST(BlockOverrides, randomness_leaves_a_chain_without_london_as_it_is) {
    ChainConfig config;
    config.homestead_block = 10;
    BlockEnv env;
    env.number = 9;
    env.revision = Revision::frontier;
    BlockOverrides overrides;
    overrides.prev_randao = Hash{};
    apply(overrides, config, env);
    EXPECT_EQ(env.revision, Revision::frontier);
    overrides.number = Uint256{10};
    apply(overrides, config, env);
    EXPECT_EQ(env.revision, Revision::homestead);
}

TEST(BlockOverrides, of_the_body_are_refused_for_calls) {
    BlockEnv env;
    BlockOverrides overrides;
    overrides.withdrawals.emplace();
    EXPECT_THROW(apply(overrides, mainnet_config(), env), Failure);
    overrides = {};
    overrides.beacon_root.emplace();
    EXPECT_THROW(apply(overrides, mainnet_config(), env), Failure);
    overrides = {};
    overrides.number = Uint256::max();
    EXPECT_THROW(apply(overrides, mainnet_config(), env), Failure);
}

}  // namespace
}  // namespace heddle::node::simulation
