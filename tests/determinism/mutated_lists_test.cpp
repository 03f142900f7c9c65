// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks whose access lists have one thing wrong: every scheduler, with any number of workers, says
// what serial execution says of them, and a list that is no more than advice changes nothing and
// costs no more than it may.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <types/block_access_list.hpp>
#include <types/hash.hpp>
#include <workload/random.hpp>

#include "announced_seed.hpp"
#include "harness.hpp"
#include "list_mutations.hpp"

namespace heddle::test {
namespace {

using workload::Random;

constexpr unsigned kWorkers[] = {1, 2, 4, 8};

RunRecord run_serially(const AdversarialChain& chain, const ChainKnowledge* knowledge) {
    RunPlan plan;
    plan.scheduler = executor::kSerialScheduler;
    return Runner{plan}.run(chain, knowledge);
}

/// Half of them run small blocks in order, as by default.
RunPlan plan_for(const std::string& scheduler, unsigned workers, std::uint64_t seed) {
    RunPlan plan;
    plan.scheduler = scheduler;
    plan.parallel.workers = workers;
    plan.parallel.run_chains_inline = seed % 2 == 0;
    plan.parallel.delay_seed = seed % 3;
    return plan;
}

/// Something wrong with a list. @return what; empty: nothing.
std::string mutate_encoded(Bytes& encoded, std::size_t transactions, Random& random) {
    const Bytes before = encoded;
    std::string what;
    if (random.below(5) == 0) {
        what = mutate(encoded, random);
    } else {
        BlockAccessList list = *decode_block_access_list(encoded);
        for (std::uint32_t left = 1 + random.below(2); left != 0; --left)
            if (const std::string one =
                    mutate(list, static_cast<std::uint32_t>(transactions + 1), random);
                !one.empty())
                what += (what.empty() ? "" : ", ") + one;
        encoded.clear();
        encode_block_access_list(list, encoded);
    }
    return encoded == before ? std::string{} : what;
}

/// HEDDLE_MUTATED_LISTS: how many chains.
std::uint64_t chains_wanted() {
    const char* const count = std::getenv("HEDDLE_MUTATED_LISTS");
    return count != nullptr ? std::strtoull(count, nullptr, 0) : 10;
}

/// Chains of four blocks, with lists that headers claim or do not.
template <typename Check>
void for_each_chain(bool are_claimed, const Check& check) {
    const std::uint64_t first = announced_seed(1);
    std::uint64_t left = chains_wanted();
    for (std::uint64_t seed = first; left != 0 && !testing::Test::HasFailure(); ++seed) {
        const AdversarialChain chain =
            make_adversarial_chain({.seed = seed, .blocks = 4, .with_flaws = false});
        if (chain.genesis.config.amsterdam_time.has_value() != are_claimed) continue;
        --left;
        SCOPED_TRACE(fmt::format("HEDDLE_TEST_SEED={}: {}", seed, chain.description));
        check(chain);
    }
}

/// The chain up to the block, and what is said of it.
struct Rejected {
    AdversarialChain chain;
    ChainKnowledge knowledge;
};

TEST(MutatedLists, are_refused_in_the_same_words_by_everybody) {
    std::size_t runs = 0;
    for_each_chain(true, [&](const AdversarialChain& chain) {
        const RunRecord honest = run_serially(chain, nullptr);
        ASSERT_FALSE(honest.error.has_value());
        Random random{chain.plan.seed};
        for (std::size_t at = 0; at < chain.blocks.size(); ++at) {
            if (!chain.blocks[at].header.block_access_list_hash.has_value()) continue;
            Rejected made{chain, recorded_knowledge(honest)};
            Block& block = made.chain.blocks[at];
            Bytes& encoded = made.knowledge[at].access_list;
            const std::string what = mutate_encoded(encoded, block.transactions.size(), random);
            if (what.empty()) continue;
            // One that has not even the hash is not looked at.
            const bool is_hashed = random.below(8) != 0;
            if (is_hashed) block.header.block_access_list_hash = keccak256(encoded);
            SCOPED_TRACE(fmt::format("block {}: {}", at + 1, what));

            const RunRecord expected = run_serially(made.chain, &made.knowledge);
            ASSERT_TRUE(expected.error.has_value());
            ASSERT_EQ(expected.blocks.size(), at);
            EXPECT_EQ(expected.error->code, BlockErrorCode::invalid_access_list);
            EXPECT_EQ(!expected.error->detail.empty(), is_hashed) << to_string(*expected.error);
            const auto expect_the_same = [&](const std::string& scheduler, unsigned workers) {
                const RunPlan plan = plan_for(scheduler, workers, runs++);
                EXPECT_EQ(difference(expected, Runner{plan}.run(made.chain, &made.knowledge)), "")
                    << to_string(plan);
            };
            for (const std::string& scheduler : executor::scheduler_names())
                if (executor::is_parallel(scheduler))
                    expect_the_same(scheduler, kWorkers[runs % std::size(kWorkers)]);
            for (const unsigned workers : kWorkers)
                expect_the_same("values", workers);
        }
    });
    EXPECT_GE(runs, chains_wanted());
}

/// What a block does before its first transaction and behind its last one is compared with the
/// list by whoever puts it together, and is little of what lists say: each of it is tried.
TEST(MutatedLists, are_refused_for_anything_wrong_at_the_ends_of_a_block) {
    std::size_t before = 0;
    std::size_t behind = 0;
    std::size_t left_out = 0;
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        AdversarialChain chain = make_adversarial_chain(
            {.seed = seed, .blocks = 1, .revision = Revision::amsterdam, .with_flaws = false});
        const RunRecord honest = run_serially(chain, nullptr);
        ASSERT_FALSE(honest.error.has_value());
        ChainKnowledge knowledge = recorded_knowledge(honest);
        const BlockAccessList list = *decode_block_access_list(knowledge[0].access_list);
        const std::size_t last = chain.blocks[0].transactions.size() + 1;
        const auto refuse = [&](const BlockAccessList& wrong) {
            Bytes& encoded = knowledge[0].access_list;
            encoded.clear();
            encode_block_access_list(wrong, encoded);
            chain.blocks[0].header.block_access_list_hash = keccak256(encoded);
            const RunRecord expected = run_serially(chain, &knowledge);
            ASSERT_TRUE(expected.error.has_value());
            const RunRecord record = Runner{plan_for("values", 2, 1)}.run(chain, &knowledge);
            EXPECT_EQ(difference(expected, record), "") << "seed " << seed;
        };
        BlockAccessList wrong = list;
        const auto alter = [&](std::vector<ListedChange<Uint256>>& changes) {
            for (ListedChange<Uint256>& change : changes) {
                if (change.index != 0 && change.index != last) continue;
                change.value += Uint256{1};
                refuse(wrong);
                change.value -= Uint256{1};
                ++(change.index == 0 ? before : behind);
            }
        };
        for (ListedAccount& account : wrong.accounts) {
            alter(account.balance_changes);
            for (ListedSlot& slot : account.storage_changes)
                alter(slot.changes);
        }
        for (std::size_t i = 0; i < list.accounts.size(); ++i) {
            const std::vector<Uint256>& reads = list.accounts[i].storage_reads;
            for (std::size_t read = 0; read < reads.size(); ++read, ++left_out) {
                wrong = list;
                auto& kept = wrong.accounts[i].storage_reads;
                kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(read));
                refuse(wrong);
            }
        }
    }
    EXPECT_GE(before, 30u);
    EXPECT_GE(behind, 4u);
    EXPECT_GE(left_out, 20u);
}

/// Where headers claim no lists.
TEST(MutatedLists, that_are_advice_change_nothing_and_cost_what_they_may) {
    std::size_t runs = 0;
    std::uint64_t refuted = 0;
    for_each_chain(false, [&](const AdversarialChain& chain) {
        const RunRecord expected = run_serially(chain, nullptr);
        ASSERT_FALSE(expected.error.has_value());
        Random random{chain.plan.seed};
        ChainKnowledge knowledge = recorded_knowledge(expected);
        std::uint64_t gas = 0;
        std::string what;
        for (std::size_t at = 0; at < chain.blocks.size(); ++at) {
            gas += chain.blocks[at].header.gas_used;
            if (knowledge[at].access_list.empty()) continue;
            what += mutate_encoded(knowledge[at].access_list, chain.blocks[at].transactions.size(),
                                   random) +
                    "; ";
        }
        SCOPED_TRACE(what);
        for (const char* const scheduler : {"values", "auto"})
            for (const unsigned workers : kWorkers) {
                const RunPlan plan = plan_for(scheduler, workers, runs++);
                const RunRecord record = Runner{plan}.run(chain, &knowledge);
                EXPECT_EQ(difference(expected, record), "") << to_string(plan);
                const executor::ParallelStats& stats = record.summary.stats.parallel;
                refuted += stats.refuted_lists;
                // Drawn at once, and between two looks.
                constexpr std::uint64_t kBetweenLooks = 70'000;
                EXPECT_LE(stats.wasted_gas,
                          2 * gas + chain.blocks.size() * workers * kBetweenLooks);
                EXPECT_LE(stats.in_order_gas + stats.attempted_gas - stats.wasted_gas, 2 * gas);
            }
    });
    EXPECT_GE(refuted, chains_wanted());
}

}  // namespace
}  // namespace heddle::test
