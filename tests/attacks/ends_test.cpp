// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks of which everything is good but their end: a contract that the block calls itself fails or
// is not there, after transactions that have all been attempted, committed, or confirmed from a
// list that is true. Every scheduler is to say what serial execution says, and what follows such a
// block is to come to nothing.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <executor/schedulers.hpp>
#include <types/hash.hpp>
#include <vm/system_contracts.hpp>

#include "adversarial_programs.hpp"
#include "attack_chains.hpp"
#include "attack_parts.hpp"
#include "harness.hpp"

namespace heddle::test {
namespace {

using namespace vm;        // opcodes
using namespace vm::test;  // the bytecode DSL

constexpr std::size_t kFailing = 1;  // of three blocks
constexpr std::uint64_t kTransactions = 40;

/// Where its header says so, the block's own call fails. Otherwise the contract counts its calls,
/// those of transactions included, so that the end of a block depends on these.
Attack on_end(const Address& contract_called, const Bytecode& failure) {
    Attack attack = on_one(step_or_burn(burns()[0].code));
    const Bytecode is_block = OP_CALLDATASIZE + OP_ISZERO;  // transactions bring something along
    attack.contracts.push_back(
        contract(contract_called,
                 when(is_block + OP_PREVRANDAO + OP_MUL, failure) + add_to_slot(push(0), push(1))));
    attack.fill = [contract_called](Transaction& tx, std::uint64_t i) {
        tx.to = i % 2 == 0 ? contract_called : victim_at(0);
        tx.data = words({i / 2});
    };
    return attack;
}

RunRecord run_serially(const AdversarialChain& chain) {
    RunPlan plan;
    plan.scheduler = executor::kSerialScheduler;
    return Runner{plan}.run(chain, nullptr);
}

/// Every scheduler, told nothing, true sets, or true lists.
void expect_same_error(const AdversarialChain& chain, const ChainKnowledge& truth,
                       BlockErrorCode code) {
    const RunRecord expected = run_serially(chain);
    ASSERT_TRUE(expected.error.has_value());
    ASSERT_EQ(expected.error->code, code) << to_string(*expected.error);
    ChainKnowledge sets = truth;
    for (BlockKnowledge& known : sets)
        known.access_list.clear();
    unsigned turn = 0;
    for (const std::string& scheduler : executor::scheduler_names()) {
        if (!executor::is_parallel(scheduler)) continue;
        for (const ChainKnowledge& told : {ChainKnowledge{}, sets, truth}) {
            RunPlan plan;
            plan.scheduler = scheduler;
            plan.parallel.workers = 2 + 2 * (turn % 2);
            plan.parallel.delay_seed = turn % 3;
            plan.parallel.run_chains_inline = turn % 5 == 0;
            SCOPED_TRACE(fmt::format("{}, turn {}", to_string(plan), turn));
            ++turn;
            ASSERT_EQ(difference(expected, Runner{plan}.run(chain, &told)), "");
        }
    }
}

class Ends : public testing::TestWithParam<Revision> {
protected:
    [[nodiscard]] AdversarialChain make(const Address& called, const Bytecode& failure) const {
        return make_attack("end", on_end(called, failure),
                           {.blocks = 3, .transactions = kTransactions, .revision = GetParam()});
    }
};

TEST_P(Ends, that_fail_after_good_transactions_are_told_by_every_scheduler) {
    for (const SystemContract& called : system_contracts(SystemCallPlace::end_block, GetParam()))
        for (const Opcode how : {OP_INVALID, OP_JUMP}) {  // as good as any other that fails
            AdversarialChain chain = make(called.address, how);
            const RunRecord good = run_serially(chain);
            ASSERT_FALSE(good.error.has_value()) << to_string(*good.error);
            BlockHeader& header = chain.blocks[kFailing].header;
            header.prev_randao.bytes[31] = 1;
            chain.blocks[kFailing + 1].header.parent_hash = header_hash(header);
            expect_same_error(chain, recorded_knowledge(good), BlockErrorCode::system_call_failed);
        }
}

TEST_P(Ends, of_contracts_that_are_not_there_are_told_by_every_scheduler) {
    for (const SystemContract& called : system_contracts(SystemCallPlace::end_block, GetParam())) {
        AdversarialChain chain = make(called.address, OP_INVALID);
        const ChainKnowledge truth = recorded_knowledge(run_serially(chain));
        std::erase_if(chain.genesis.alloc, [&](const GenesisAccount& account) {
            return account.address == called.address;
        });
        expect_same_error(chain, truth, BlockErrorCode::system_contract_missing);
    }
}

INSTANTIATE_TEST_SUITE_P(All, Ends, testing::Values(Revision::prague, Revision::amsterdam),
                         [](const auto& info) {
                             return info.param == Revision::prague ? "prague" : "amsterdam";
                         });

}  // namespace
}  // namespace heddle::test
