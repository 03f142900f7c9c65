// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks that are executed from their access lists: true ones change nothing, and what is wrong
// with others is told in the words of the serial executor.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include <types/block_access_list.hpp>
#include <vm/block.hpp>
#include <workload/random.hpp>

#include "harness.hpp"

namespace heddle::test {
namespace {

using workload::Random;

RunPlan serial_plan() {
    RunPlan plan;
    plan.scheduler = executor::kSerialScheduler;
    return plan;
}

/// One that executes from lists, whatever the blocks' size.
RunPlan listed_plan(unsigned workers, std::uint64_t delay_seed) {
    RunPlan plan;
    plan.parallel.workers = workers;
    plan.parallel.knowledge = executor::Knowledge::values;
    plan.parallel.run_chains_inline = false;
    plan.parallel.delay_seed = delay_seed;
    return plan;
}

/// One that runs small blocks in order, as it is by default.
RunPlan small_plan(unsigned workers) {
    RunPlan plan = listed_plan(workers, 0);
    plan.parallel.run_chains_inline = true;
    return plan;
}

/// Whose blocks.
enum class Lists : std::uint8_t {
    claimed,  // by their headers: from Amsterdam on
    advised,  // by nobody's but ours
};

/// Calls `check` with chains whose last block has a list.
void for_each_listed_chain(
    Lists lists, std::size_t wanted,
    const std::function<void(const AdversarialChain&, const RunRecord&)>& check) {
    Runner serial(serial_plan());
    for (std::uint64_t seed = 1; wanted != 0; ++seed) {
        const AdversarialChain chain =
            make_adversarial_chain({.seed = seed, .blocks = 4, .with_flaws = false});
        const bool is_amsterdam = chain.genesis.config.amsterdam_time.has_value();
        if (is_amsterdam != (lists == Lists::claimed)) continue;
        const RunRecord expected = serial.run(chain, nullptr);
        ASSERT_FALSE(expected.error.has_value()) << to_string(*expected.error);
        if (expected.blocks.empty() || expected.blocks.back().access_list.empty()) continue;
        check(chain, expected);
        --wanted;
    }
}

struct ListedCounts {
    std::uint64_t listed = 0;
    std::uint64_t refuted = 0;
};

/// Executes chains from the lists that serial execution has made of them.
ListedCounts compare_with_serial(Lists lists, std::size_t chains) {
    ListedCounts counts;
    for_each_listed_chain(lists, chains,
                          [&](const AdversarialChain& chain, const RunRecord& expected) {
                              const ChainKnowledge knowledge = recorded_knowledge(expected);
                              for (const unsigned workers : {1U, 2U, 4U, 8U}) {
                                  const RunPlan plan = listed_plan(workers, chain.plan.seed % 3);
                                  const RunRecord record = Runner{plan}.run(chain, &knowledge);
                                  EXPECT_EQ(difference(expected, record), "")
                                      << "seed " << chain.plan.seed << ", " << to_string(plan);
                                  counts.listed += record.summary.stats.parallel.listed_blocks;
                                  counts.refuted += record.summary.stats.parallel.refuted_lists;
                              }
                          });
    return counts;
}

// What no list tells, so that serial execution decides, is frequent in these chains only: that an
// empty account comes to its end, that storage goes with an account that has no code.
TEST(ListedExecution, gives_what_serial_execution_gives) {
    const ListedCounts counts = compare_with_serial(Lists::claimed, 40);
    EXPECT_GE(counts.listed, 300u);
    EXPECT_LE(counts.refuted, counts.listed);
}

TEST(ListedExecution, gives_what_serial_execution_gives_where_headers_claim_no_lists) {
    const ListedCounts counts = compare_with_serial(Lists::advised, 60);
    EXPECT_GE(counts.listed, 300u);
    EXPECT_LE(counts.refuted, counts.listed);
}

// Transactions are set apart for each of them, as far as the ticket has places.
TEST(ListedExecution, takes_more_workers_than_places_for_what_is_set_apart) {
    std::size_t large = 0;
    for_each_listed_chain(
        Lists::claimed, 12, [&](const AdversarialChain& chain, const RunRecord& expected) {
            const ChainKnowledge knowledge = recorded_knowledge(expected);
            const RunPlan plan = listed_plan(12, chain.plan.seed % 3);
            EXPECT_EQ(difference(expected, Runner{plan}.run(chain, &knowledge)), "")
                << "seed " << chain.plan.seed << ", " << to_string(plan);
            large += static_cast<std::size_t>(
                std::ranges::count_if(chain.blocks, [](const Block& block) {
                    return block.transactions.size() >= 24;  // two for each
                }));
        });
    EXPECT_GE(large, 12u);
}

// What a block stands on while the one before is finished does not go back for ever.
TEST(ListedExecution, takes_many_blocks_each_on_the_one_before) {
    Runner serial(serial_plan());
    std::size_t found = 0;
    for (std::uint64_t seed = 1; found < 2; ++seed) {
        const AdversarialChain chain =
            make_adversarial_chain({.seed = seed, .blocks = 24, .with_flaws = false});
        if (!chain.genesis.config.amsterdam_time.has_value()) continue;
        ++found;
        const RunRecord expected = serial.run(chain, nullptr);
        ASSERT_FALSE(expected.error.has_value()) << to_string(*expected.error);
        const ChainKnowledge knowledge = recorded_knowledge(expected);
        for (const unsigned workers : {2U, 4U}) {
            RunPlan plan = listed_plan(workers, 0);
            plan.is_slow = true;  // so that there is one before
            EXPECT_EQ(difference(expected, Runner{plan}.run(chain, &knowledge)), "")
                << "seed " << seed << ", " << to_string(plan);
        }
    }
}

TEST(ListedExecution, goes_on_in_the_stream_where_lists_are_missing_and_comes_back) {
    std::uint64_t listed = 0;
    std::uint64_t streamed = 0;
    for_each_listed_chain(
        Lists::claimed, 15, [&](const AdversarialChain& chain, const RunRecord& expected) {
            for (std::size_t missing = 0; missing < 2; ++missing) {
                ChainKnowledge knowledge = recorded_knowledge(expected);
                for (std::size_t i = missing; i < knowledge.size(); i += 2)
                    knowledge[i].access_list.clear();
                const RunPlan plan = listed_plan(3, chain.plan.seed % 3);
                const RunRecord record = Runner{plan}.run(chain, &knowledge);
                EXPECT_EQ(difference(expected, record), "")
                    << "seed " << chain.plan.seed << ", " << to_string(plan);
                const executor::ParallelStats& stats = record.summary.stats.parallel;
                listed += stats.listed_blocks + stats.refuted_lists;
                streamed += record.summary.stats.blocks - stats.listed_blocks - stats.refuted_lists;
            }
        });
    EXPECT_GE(listed, 30u);
    EXPECT_GE(streamed, 30u);
}

// Each chain is a stream of its own through the same executors: nothing of one is in the next.
TEST(ListedExecution, small_blocks_in_between_are_run_in_order_and_change_nothing) {
    std::uint64_t listed = 0;
    std::uint64_t in_order_gas = 0;
    Runner with_two{small_plan(2)};
    Runner with_four{small_plan(4)};
    for (const Lists lists : {Lists::claimed, Lists::advised})
        for_each_listed_chain(
            lists, 40, [&](const AdversarialChain& chain, const RunRecord& expected) {
                const ChainKnowledge knowledge = recorded_knowledge(expected);
                for (Runner* const runner : {&with_two, &with_four}) {
                    const RunRecord record = runner->run(chain, &knowledge);
                    EXPECT_EQ(difference(expected, record), "")
                        << "seed " << chain.plan.seed << ", " << to_string(small_plan(2));
                    listed += record.summary.stats.parallel.listed_blocks;
                    in_order_gas += record.summary.stats.parallel.in_order_gas;
                }
            });
    EXPECT_GT(listed, 0u);
    EXPECT_GT(in_order_gas, 0u);
}

TEST(ListedExecution, lists_of_blocks_that_are_too_old_for_them_are_left_aside) {
    Runner serial(serial_plan());
    std::size_t found = 0;
    for (std::uint64_t seed = 1; found < 5; ++seed) {
        const AdversarialChain chain =
            make_adversarial_chain({.seed = seed, .blocks = 4, .with_flaws = false});
        if (chain.genesis.config.revision(1, chain.blocks.front().header.timestamp, false) >=
            Revision::byzantium)
            continue;
        ++found;
        const RunRecord expected = serial.run(chain, nullptr);
        ChainKnowledge knowledge = recorded_knowledge(expected);
        for (BlockKnowledge& block : knowledge)
            if (block.access_list.empty()) block.access_list = {0xc0};
        for (const RunPlan& plan : {listed_plan(2, 0), small_plan(2)})
            EXPECT_EQ(difference(expected, Runner{plan}.run(chain, &knowledge)), "")
                << "seed " << seed << ", " << to_string(plan);
    }
}

/// Changes the list somewhere. @return whether it has changed.
bool damage(BlockAccessList& list, Random& random) {
    const auto pick = [&](auto& from) -> auto& {
        return from[random.below(static_cast<std::uint32_t>(from.size()))];
    };
    if (list.accounts.empty()) return false;
    ListedAccount& account = pick(list.accounts);
    switch (random.below(9)) {
        case 0:
            list.accounts.erase(list.accounts.begin() + (&account - list.accounts.data()));
            return true;
        case 1:
            if (account.balance_changes.empty()) return false;
            pick(account.balance_changes).value += Uint256{1};
            return true;
        case 2:
            if (account.balance_changes.empty()) return false;
            account.balance_changes.pop_back();
            return true;
        case 3:
            if (account.nonce_changes.empty()) return false;
            ++pick(account.nonce_changes).value;
            return true;
        case 4:
            if (account.storage_changes.empty()) return false;
            pick(pick(account.storage_changes).changes).value += Uint256{1};
            return true;
        case 5:
            if (account.storage_reads.empty()) return false;
            account.storage_reads.pop_back();
            return true;
        case 6:
            account.storage_reads.push_back(Uint256::max());
            return true;
        case 7:
            if (account.storage_changes.empty()) return false;
            account.storage_changes.pop_back();
            return true;
        default:
            if (account.code_changes.empty()) return false;
            pick(account.code_changes).value.push_back(0);
            return true;
    }
}

TEST(ListedExecution, tells_what_is_wrong_with_a_list_as_serial_execution_does) {
    Random random{5};
    std::size_t refused = 0;
    for_each_listed_chain(
        Lists::claimed, 25, [&](const AdversarialChain& chain, const RunRecord& expected) {
            for (int i = 0; i < 4; ++i) {
                // The last block, for the others follow from its header.
                AdversarialChain changed = chain;
                ChainKnowledge knowledge = recorded_knowledge(expected);
                BlockAccessList list = *decode_block_access_list(knowledge.back().access_list);
                if (!damage(list, random)) continue;
                knowledge.back().access_list.clear();
                encode_block_access_list(list, knowledge.back().access_list);
                changed.blocks[knowledge.size() - 1].header.block_access_list_hash =
                    keccak256(knowledge.back().access_list);
                changed.blocks.resize(knowledge.size());

                const RunRecord serial = Runner{serial_plan()}.run(changed, &knowledge);
                ASSERT_TRUE(serial.error.has_value());
                const auto is_the_same = [&](const RunPlan& plan) {
                    EXPECT_EQ(difference(serial, Runner{plan}.run(changed, &knowledge)), "")
                        << "seed " << chain.plan.seed << ", " << to_string(plan);
                };
                for (const unsigned workers : {1U, 3U})
                    is_the_same(listed_plan(workers, static_cast<std::uint64_t>(i)));
                is_the_same(small_plan(2));
                ++refused;
            }
        });
    EXPECT_GE(refused, 30u);
}

// What such a transaction changes is what the list says.
TEST(ListedExecution,
     finds_that_a_block_has_no_room_for_a_transaction_that_does_what_its_list_says) {
    std::size_t found = 0;
    const auto check = [&](const AdversarialChain& chain, const RunRecord& expected) {
        const ChainKnowledge knowledge = recorded_knowledge(expected);
        AdversarialChain changed = chain;
        Block& block = changed.blocks.back();
        if (block.transactions.size() < 2) return;
        block.transactions.back().gas_limit = block.header.gas_limit;
        block.header.transactions_root = vm::transactions_root(block.transactions);
        const RunRecord serial = Runner{serial_plan()}.run(changed, &knowledge);
        if (!serial.error.has_value() ||
            serial.error->transaction != TransactionError::gas_limit_above_block)
            return;
        for (const unsigned workers : {1U, 3U})
            EXPECT_EQ(difference(serial, Runner{listed_plan(workers, 0)}.run(changed, &knowledge)),
                      "")
                << "seed " << chain.plan.seed;
        ++found;
    };
    for (const Lists lists : {Lists::claimed, Lists::advised})
        for_each_listed_chain(lists, 12, check);
    EXPECT_GE(found, 12u);
}

// Once this was the end of the process.
TEST(ListedExecution, refuses_what_follows_a_wrong_block_though_it_has_no_list) {
    std::size_t rejected = 0;
    const auto check = [&](const AdversarialChain& chain, const RunRecord& expected) {
        ChainKnowledge knowledge = recorded_knowledge(expected);
        const std::size_t wrong = knowledge.size() - 2;
        if (knowledge[wrong].access_list.empty()) return;
        AdversarialChain changed = chain;
        changed.blocks[wrong].header.gas_used ^= 1;
        knowledge[wrong + 1].access_list.clear();
        const RunRecord serial = Runner{serial_plan()}.run(changed, &knowledge);
        ASSERT_TRUE(serial.error.has_value());
        for (const char* scheduler : {"values", "auto"}) {
            RunPlan plan = listed_plan(3, chain.plan.seed % 3);
            plan.scheduler = scheduler;
            Runner runner{plan};
            EXPECT_EQ(difference(serial, runner.run(changed, &knowledge)), "");
            EXPECT_EQ(difference(expected, runner.run(chain, &knowledge)), "") << "the next stream";
        }
        ++rejected;
    };
    for (const Lists lists : {Lists::claimed, Lists::advised})
        for_each_listed_chain(lists, 10, check);
    EXPECT_GE(rejected, 15u);
}

TEST(ListedExecution, takes_no_harm_from_wrong_advice) {
    Random random{6};
    std::size_t wrong = 0;
    for_each_listed_chain(
        Lists::advised, 25, [&](const AdversarialChain& chain, const RunRecord& expected) {
            ChainKnowledge knowledge = recorded_knowledge(expected);
            for (std::size_t i = 0; i < knowledge.size(); ++i) {
                Bytes& encoded = knowledge[i].access_list;
                if (encoded.empty()) continue;
                if (i % 3 == 2) {
                    encoded.resize(encoded.size() - 1);  // no RLP any more
                } else {
                    BlockAccessList list = *decode_block_access_list(encoded);
                    if (!damage(list, random)) continue;
                    encoded.clear();
                    encode_block_access_list(list, encoded);
                }
                ++wrong;
            }
            for (const RunPlan& plan : {listed_plan(1, chain.plan.seed % 3),
                                        listed_plan(3, chain.plan.seed % 3), small_plan(2)})
                EXPECT_EQ(difference(expected, Runner{plan}.run(chain, &knowledge)), "")
                    << "seed " << chain.plan.seed << ", " << to_string(plan);
        });
    EXPECT_GE(wrong, 30u);
}

/// No RLP any more: given up before anybody has looked at a transaction.
void break_lists(ChainKnowledge& knowledge) {
    for (BlockKnowledge& known : knowledge)
        if (!known.access_list.empty()) known.access_list.pop_back();
}

// Accesses are recorded for object sets alone.
TEST(ListedExecution, tells_object_sets_where_advice_is_wrong_and_no_lists_are_made) {
    const auto make_without_lists = [](const std::string& scheduler, executor::Options options) {
        options.make_access_lists = false;
        return executor::make_executor(scheduler, std::move(options));
    };
    Runner serial(serial_plan(), make_without_lists);
    std::uint64_t refuted = 0;
    for_each_listed_chain(
        Lists::advised, 8, [&](const AdversarialChain& chain, const RunRecord& with_lists) {
            const RunRecord expected = serial.run(chain, nullptr);
            ChainKnowledge knowledge = recorded_knowledge(with_lists);
            break_lists(knowledge);
            for (const RunPlan& plan : {listed_plan(1, 0), listed_plan(3, 0), small_plan(2)}) {
                const RunRecord record = Runner(plan, make_without_lists).run(chain, &knowledge);
                EXPECT_EQ(difference(expected, record), "")
                    << "seed " << chain.plan.seed << ", " << to_string(plan);
                refuted += record.summary.stats.parallel.refuted_lists;
            }
        });
    EXPECT_GE(refuted, 20u);
}

TEST(ListedExecution, recovers_the_senders_that_nobody_has_recovered_for_a_list) {
    Runner serial(serial_plan());
    std::uint64_t refuted = 0;
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        const AdversarialChain chain = make_adversarial_chain({.seed = seed,
                                                               .blocks = 3,
                                                               .revision = Revision::osaka,
                                                               .with_flaws = false,
                                                               .is_signed = true});
        const RunRecord expected = serial.run(chain, nullptr);
        ASSERT_FALSE(expected.error.has_value()) << to_string(*expected.error);
        ChainKnowledge knowledge = recorded_knowledge(expected);
        break_lists(knowledge);
        for (RunPlan plan : {listed_plan(1, 0), listed_plan(3, 0), small_plan(2)}) {
            plan.hides_senders = true;
            const RunRecord record = Runner{plan}.run(chain, &knowledge);
            EXPECT_EQ(difference(expected, record), "") << "seed " << seed;
            refuted += record.summary.stats.parallel.refuted_lists;
        }
    }
    EXPECT_GE(refuted, 9u);
}

/// Runs blocks whose headers are being made, from lists that `change` may have changed.
ListedCounts compare_decided(Lists lists, std::size_t chains,
                             const std::function<void(ChainKnowledge&)>& change) {
    ListedCounts counts;
    for_each_listed_chain(lists, chains,
                          [&](const AdversarialChain& chain, const RunRecord& expected) {
                              ChainKnowledge knowledge = recorded_knowledge(expected);
                              change(knowledge);
                              RunPlan serial = serial_plan();
                              serial.mode = executor::BlockMode::decided;
                              const RunRecord made = Runner{serial}.run(chain, nullptr);
                              ASSERT_EQ(made.blocks.size(), expected.blocks.size());
                              EXPECT_EQ(made.blocks.back().hash, expected.blocks.back().hash);
                              for (const unsigned workers : {1U, 2U, 4U}) {
                                  RunPlan plan = listed_plan(workers, chain.plan.seed % 3);
                                  plan.mode = executor::BlockMode::decided;
                                  const RunRecord record = Runner{plan}.run(chain, &knowledge);
                                  EXPECT_EQ(difference(made, record), "")
                                      << "seed " << chain.plan.seed << ", " << to_string(plan);
                                  counts.listed += record.summary.stats.parallel.listed_blocks;
                                  counts.refuted += record.summary.stats.parallel.refuted_lists;
                              }
                          });
    return counts;
}

TEST(ListedExecution, makes_the_headers_that_serial_execution_makes) {
    for (const Lists lists : {Lists::claimed, Lists::advised}) {
        const ListedCounts counts = compare_decided(lists, 20, [](ChainKnowledge&) {});
        EXPECT_GE(counts.listed, 100u);
        EXPECT_LE(counts.refuted, counts.listed);
    }
}

TEST(ListedExecution, makes_right_headers_from_wrong_lists) {
    Random random{7};
    const auto damage_all = [&](ChainKnowledge& knowledge) {
        for (std::size_t i = 0; i < knowledge.size(); ++i) {
            Bytes& encoded = knowledge[i].access_list;
            // Some are right, some are missing, some are no RLP any more.
            if (encoded.empty() || random.below(4) == 0) continue;
            if (random.below(4) == 0) encoded.clear();
            if (random.below(4) == 0) encoded.resize(encoded.size() / 2);
            auto list = decode_block_access_list(encoded);
            if (!list.has_value() || !damage(*list, random)) continue;
            encoded.clear();
            encode_block_access_list(*list, encoded);
        }
    };
    for (const Lists lists : {Lists::claimed, Lists::advised}) {
        const ListedCounts counts = compare_decided(lists, 20, damage_all);
        EXPECT_GE(counts.refuted, 40u);
        EXPECT_GE(counts.listed, 20u);
    }
}

/// Only what makes lists confirms one that is to become the header's.
TEST(ListedExecution, is_for_headers_that_are_made_only_where_lists_are_made) {
    for_each_listed_chain(Lists::claimed, 6,
                          [&](const AdversarialChain& chain, const RunRecord& expected) {
                              const ChainKnowledge knowledge = recorded_knowledge(expected);
                              RunPlan plan = listed_plan(2, 0);
                              plan.mode = executor::BlockMode::decided;
                              plan.makes_lists = false;
                              const RunRecord record = Runner{plan}.run(chain, &knowledge);
                              ASSERT_EQ(record.blocks.size(), expected.blocks.size());
                              EXPECT_EQ(record.blocks.back().hash, expected.blocks.back().hash);
                              EXPECT_EQ(record.summary.stats.parallel.listed_blocks, 0u);
                          });
}

}  // namespace
}  // namespace heddle::test
