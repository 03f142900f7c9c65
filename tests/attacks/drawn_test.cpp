// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Attacks that are drawn: contracts that count, and burn in one way or another where they do not
// find the number that they were told; transactions that step, look, do so with several of them or
// have nothing to do with it, by turns. Run by schedulers with settings that are drawn as well.
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <workload/random.hpp>

#include "adversarial_programs.hpp"
#include "announced_seed.hpp"
#include "attack_chains.hpp"
#include "attack_parts.hpp"
#include "harness.hpp"
#include "work.hpp"

namespace heddle::test {
namespace {

using namespace vm;        // opcodes
using namespace vm::test;  // the bytecode DSL

constexpr std::uint32_t kCounters = 24;
const Address kSeveral = victim_at(9'998);
const Address kBusy = victim_at(9'999);

/// Calls counters: of each its address, what it has to find and what it is to add.
constexpr unsigned kTogether = 3;
Bytecode call_several() {
    Bytecode code;
    for (unsigned i = 0; i < kTogether; ++i)
        code += mstore(0, arg(3 * i + 1)) + mstore(32, arg(3 * i + 2)) +
                drop(CallCode{.to = arg(3 * i), .input_size = 64});
    return code;
}

/// Makes the transactions, knowing what each counter is at by then.
class Drawn {
public:
    explicit Drawn(std::uint64_t seed) : random_(seed), counts_(kCounters) {}

    [[nodiscard]] std::vector<GenesisAccount> contracts() {
        const std::vector<Burn> kinds = burns();
        std::vector<GenesisAccount> list;
        for (std::uint32_t i = 0; i < kCounters; ++i) {
            const Bytecode before = random_.below(4) == 0 ? count_down() : Bytecode{};
            const Burn& burn = kinds[random_.below(static_cast<std::uint32_t>(kinds.size()))];
            list.push_back(contract(victim_at(i),
                                    good_or_burn(before + sload(0) + arg(0) + OP_EQ,
                                                 sstore(0, arg(0) + arg(1) + OP_ADD), burn.code)));
        }
        list.push_back(contract(kSeveral, call_several()));
        list.push_back(contract(kBusy, count_down() + OP_STOP));
        return list;
    }
    void fill(Transaction& tx, std::uint64_t i) {
        if (left_of_turn_ == 0) begin_turn();
        --left_of_turn_;
        constexpr std::uint64_t kLimits[] = {2'000'000, 5'000'000, kAttackGas};
        tx.gas_limit = kLimits[random_.below(3)];
        const std::uint32_t kind = random_.below(4) == 0 ? random_.below(kKinds) : usual_kind_;
        switch (kind) {
            case 0:
                return use_one(tx, 1);
            case 1:
                return use_one(tx, 0);
            case 2:
                return use_several(tx);
            case 3:
                tx.to = kBusy;
                return;
            case 4:
                tx.to = address_from_low64(0x77'0000 + i);
                tx.value = 1;
                return;
            default:
                use_one(tx, random_.below(2));
                add_list(tx);
        }
    }

private:
    static constexpr std::uint32_t kKinds = 6;

    void begin_turn() {
        left_of_turn_ = 1 + random_.below(60);
        hot_ = random_.below(kCounters);
        usual_kind_ = random_.below(kKinds);
    }
    [[nodiscard]] std::uint32_t pick() {
        return random_.below(3) == 0 ? random_.below(kCounters) : hot_;
    }
    void use_one(Transaction& tx, std::uint64_t step) {
        const std::uint32_t counter = pick();
        tx.to = victim_at(counter);
        tx.data = words({counts_[counter], step});
        counts_[counter] += step;
    }
    void use_several(Transaction& tx) {
        tx.to = kSeveral;
        tx.gas_limit = kAttackGas;
        for (unsigned i = 0; i < kTogether; ++i) {
            const std::uint32_t counter = pick();
            const std::uint64_t step = random_.below(2);
            const Bytes call = words({to_word(victim_at(counter)), counts_[counter], step});
            tx.data.insert(tx.data.end(), call.begin(), call.end());
            counts_[counter] += step;
        }
    }
    void add_list(Transaction& tx) {
        AccessListEntry& entry = tx.access_list.emplace_back();
        entry.address = *tx.to;
        entry.storage_keys.emplace_back();
        for (std::uint32_t left = random_.below(200); left != 0; --left)
            entry.storage_keys.push_back(to_hash(Uint256{random_.next()}));
    }

    workload::Random random_;
    std::vector<std::uint64_t> counts_;
    std::uint32_t left_of_turn_ = 0;
    std::uint32_t hot_ = 0;
    std::uint32_t usual_kind_ = 0;
};

Attack make_drawn(std::uint64_t seed) {
    const auto drawn = std::make_shared<Drawn>(seed);
    return {.contracts = drawn->contracts(),
            .fill = [drawn](Transaction& tx, std::uint64_t i) { drawn->fill(tx, i); }};
}

/// By the bound of the execution model, with the credit that an attempt has at its turn; and the
/// other bounds that are numbers.
void expect_bounded(const executor::ParallelStats& stats, const RunRecord& expected,
                    unsigned workers) {
    const Work work = work_of(stats);
    const std::uint64_t limit = most_wasted(0, expected, workers) - most_wasted(0, expected, 0);
    EXPECT_LE(work.wasted, most_wasted(work.own, expected, workers) + limit / 4)
        << work.own << " own";
    std::uint64_t positions = 0;
    std::uint64_t transactions = 0;
    for (const BlockRecord& block : expected.blocks) {
        transactions += block.receipts.size();
        positions += block.receipts.size() + 2;
    }
    constexpr std::uint64_t kMostAttempts = 16;
    constexpr std::uint64_t kLooksEach = 16;
    constexpr std::uint64_t kSavedLooks = 512;
    EXPECT_LE(stats.executed, kMostAttempts * transactions);
    EXPECT_LE(stats.checked, kLooksEach * positions + kSavedLooks);
}

/// HEDDLE_DRAWN_ATTACKS: how many chains.
TEST(DrawnAttacks, cost_no_more_than_the_blocks_are_worth) {
    const char* const count = std::getenv("HEDDLE_DRAWN_ATTACKS");
    const std::uint64_t chains = count != nullptr ? std::strtoull(count, nullptr, 0) : 3;
    const std::uint64_t first = announced_seed(1);
    for (std::uint64_t seed = first; seed < first + chains; ++seed) {
        workload::Random random{seed};
        constexpr Revision kRevisions[] = {Revision::shanghai, Revision::prague, Revision::osaka,
                                           Revision::amsterdam};
        const AdversarialChain chain = make_attack("drawn", make_drawn(seed),
                                                   {.seed = seed,
                                                    .blocks = 1 + random.below(4),
                                                    .transactions = 20 + random.below(120),
                                                    .revision = kRevisions[random.below(4)]});
        RunPlan serial;
        serial.scheduler = executor::kSerialScheduler;
        const RunRecord expected = Runner{serial}.run(chain, nullptr);
        AttackSets truth;
        for (const BlockRecord& block : expected.blocks)
            truth.push_back(block.object_sets);
        for (std::uint64_t turn = 0; turn < 6; ++turn) {
            RunPlan plan = draw_run_plan(turn, random);
            plan.parallel.workers = 1 + random.below(8);
            const Lie lie = kLies[random.below(std::size(kLies))];
            ChainKnowledge told;
            for (std::vector<ObjectSet>& sets : tell(lie, truth, seed))
                told.push_back({.sets = std::move(sets), .access_list = {}});
            SCOPED_TRACE(fmt::format("seed {}, {}, {}", seed, to_string(plan), to_string(lie)));
            const RunRecord record = Runner{plan}.run(chain, &told);
            ASSERT_EQ(difference(expected, record), "");
            expect_bounded(record.summary.stats.parallel, expected, plan.parallel.workers);
        }
    }
}

}  // namespace
}  // namespace heddle::test
