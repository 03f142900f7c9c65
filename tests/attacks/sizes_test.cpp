// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Attacks by the size of transactions: ten thousand that do nearly nothing, each with the next one,
// blocks of a single one that takes all of their gas, hundreds of blocks of one or two, and
// transactions that are little else than what they bring along: access lists, authorizations.
#include <iterator>
#include <utility>

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <types/assert.hpp>
#include <types/signing.hpp>

#include "adversarial_contracts.hpp"
#include "attack_chains.hpp"
#include "attack_parts.hpp"
#include "harness.hpp"
#include "work.hpp"

namespace heddle::test {
namespace {

RunRecord run_serially(const AdversarialChain& chain) {
    RunPlan plan;
    plan.scheduler = executor::kSerialScheduler;
    return Runner{plan}.run(chain, nullptr);
}

/// Every scheduler with few and with many workers, told something else each time.
void expect_bounded(const AdversarialChain& chain) {
    const RunRecord expected = run_serially(chain);
    ASSERT_FALSE(expected.error.has_value());
    AttackSets truth;
    for (const BlockRecord& block : expected.blocks)
        truth.push_back(block.object_sets);
    std::size_t turn = 0;
    for (const std::string& scheduler : executor::scheduler_names()) {
        if (!executor::is_parallel(scheduler)) continue;
        for (const unsigned workers : {2U, 8U}) {
            const Lie lie = kLies[turn++ % std::size(kLies)];
            SCOPED_TRACE(fmt::format("{}, {} workers, {}", scheduler, workers, to_string(lie)));
            ChainKnowledge told;
            for (std::vector<ObjectSet>& sets : tell(lie, truth, chain.plan.seed))
                told.push_back({.sets = std::move(sets), .access_list = {}});
            RunPlan plan;
            plan.scheduler = scheduler;
            plan.parallel.workers = workers;
            const RunRecord record = Runner{plan}.run(chain, &told);
            ASSERT_EQ(difference(expected, record), "");
            const Work work = work_of(record.summary.stats.parallel);
            EXPECT_LE(work.wasted, most_wasted(work.own, expected, workers)) << work.own << " own";
        }
    }
}

TEST(Sizes, of_ten_thousand_transfers_each_with_the_next_cost_what_they_may) {
    expect_bounded(make_attack("ring", {.blocks = 1, .transactions = 10'000}));
}

TEST(Sizes, of_one_transaction_that_takes_a_block_cost_what_they_may) {
    Attack attack;
    attack.fill = [](Transaction& tx, std::uint64_t /*i*/) {
        tx.to = kBurner;
        tx.gas_limit = 60'000'000;
        tx.data = words({100'000});
    };
    expect_bounded(make_attack("whole blocks", attack, {.blocks = 4, .transactions = 1}));
}

TEST(Sizes, of_blocks_of_two_that_depend_on_the_last_one_cost_what_they_may) {
    expect_bounded(make_attack("burn: loop", {.blocks = 300, .transactions = 2}));
}

/// Thousands of slots, of the contract itself and of another one, one of them used: what else is
/// named, nobody is to wait for or to look for.
TEST(Sizes, of_access_lists_of_thousands_cost_what_they_may) {
    constexpr std::uint64_t kSlots = 2'500;
    Attack attack = on_one(step_or_burn(burns()[0].code));
    attack.fill = [](Transaction& tx, std::uint64_t i) {
        tx.to = victim_at(0);
        tx.data = words({i});
        for (std::uint64_t account = 0; account < 2; ++account) {
            AccessListEntry& entry = tx.access_list.emplace_back();
            entry.address = victim_at(account);
            for (std::uint64_t slot = 0; slot < kSlots; ++slot)
                entry.storage_keys.push_back(to_hash(Uint256{1 + slot + account * i * kSlots}));
        }
    };
    expect_bounded(make_attack("long lists", attack, {.blocks = 2, .transactions = 30}));
}

/// One account says hundreds of times in each transaction whose code it runs; the last time counts.
TEST(Sizes, of_authorizations_by_the_hundred_cost_what_they_may) {
    constexpr std::uint64_t kEach = 300;
    const Hash secret = to_hash(Uint256{0xa117});
    Attack attack;
    for (std::uint64_t i = 0; i < 2; ++i)
        attack.contracts.push_back(contract(victim_at(i), step_or_burn(burns()[0].code)));
    attack.fill = [secret](Transaction& tx, std::uint64_t i) {
        tx.type = TransactionType::set_code;
        tx.to = *address_from_secret(secret);
        tx.data = words({i});
        for (std::uint64_t j = 0; j < kEach; ++j) {
            Authorization& authorization = tx.authorization_list.emplace_back();
            authorization.chain_id = 1'337;
            authorization.address = victim_at((i + j) % 2);
            authorization.nonce = i * kEach + j;
            HEDDLE_ASSERT(sign_authorization(authorization, secret));
        }
    };
    expect_bounded(make_attack("long authorizations", attack, {.blocks = 2, .transactions = 10}));
}

}  // namespace
}  // namespace heddle::test
