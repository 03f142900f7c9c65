// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Attacks on attempts ahead of their turn: blocks that are cheap in order and burn what they can
// out of order, and blocks with access lists that say what makes transactions burn. What is counted
// is gas, not time: all that was executed is at most twice what serial execution takes, and what
// attempts may lose is bounded whatever they do.
#include <algorithm>
#include <atomic>
#include <iterator>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <executor/schedule_observer.hpp>
#include <types/block_access_list.hpp>

#include "attack_chains.hpp"
#include "attack_parts.hpp"
#include "harness.hpp"
#include "work.hpp"

namespace heddle::test {
namespace {

using executor::ParallelStats;

/// An attack, under its own rules or under those of Amsterdam, with fewer transactions.
struct Case {
    std::string attack;
    bool is_amsterdam = false;

    [[nodiscard]] AttackPlan plan() const {
        if (!is_amsterdam) return {};
        return {.blocks = 2, .transactions = 50, .revision = Revision::amsterdam};
    }
    friend void PrintTo(const Case& one, std::ostream* out) {
        *out << one.attack << (one.is_amsterdam ? ", Amsterdam" : "");
    }
};

class Attacks : public testing::TestWithParam<Case> {
protected:
    Attacks() : chain_(make_attack(GetParam().attack, GetParam().plan())) {
        RunPlan plan;
        plan.scheduler = executor::kSerialScheduler;
        expected_ = Runner{plan}.run(chain_, nullptr);
        for (const BlockRecord& block : expected_.blocks)
            truth_.push_back(block.object_sets);
    }

    /// Runs the chain, compares with serial execution, counts.
    Work run(const RunPlan& plan, Lie lie) {
        ChainKnowledge told;
        for (std::vector<ObjectSet>& sets : tell(lie, truth_, chain_.plan.seed))
            told.push_back({.sets = std::move(sets), .access_list = {}});
        const RunRecord record = Runner{plan}.run(chain_, &told);
        EXPECT_EQ(difference(expected_, record), "");
        return work_of(record.summary.stats.parallel);
    }
    /// As the execution model states it, without the credit that an attempt has at its turn: what
    /// is cheap in order does not come to need it.
    [[nodiscard]] std::uint64_t bound(const Work& work, unsigned workers) const {
        return most_wasted(work.own, expected_, workers);
    }

    AdversarialChain chain_;
    RunRecord expected_;
    AttackSets truth_;
};

TEST_P(Attacks, cost_no_more_than_the_blocks_are_worth) {
    for (const Lie lie : kLies)
        for (const unsigned workers : {2U, 4U, 8U}) {
            SCOPED_TRACE(fmt::format("{}, {} workers", to_string(lie), workers));
            RunPlan plan;
            plan.parallel.workers = workers;
            const Work work = run(plan, lie);
            EXPECT_LE(work.wasted, bound(work, workers)) << work.own << " own";
        }
}

/// Where attempts are taken back and made again.
TEST_P(Attacks, cost_no_more_with_any_scheduler) {
    for (const std::string& scheduler : executor::scheduler_names()) {
        if (!executor::is_parallel(scheduler) || scheduler == executor::kDefaultScheduler) continue;
        for (const unsigned workers : {2U, 8U}) {
            SCOPED_TRACE(fmt::format("{}, {} workers", scheduler, workers));
            RunPlan plan;
            plan.scheduler = scheduler;
            plan.parallel.workers = workers;
            plan.parallel.delay_seed = workers;
            plan.parallel.knowledge = executor::Knowledge::unknown;
            const Work work = run(plan, Lie::says_nothing);
            EXPECT_LE(work.wasted, bound(work, workers)) << work.own << " own";
        }
    }
}

/// Each scheduler is told another lie, and with the next attack the next one.
TEST_P(Attacks, cost_no_more_with_any_scheduler_that_is_lied_to) {
    std::size_t turn = static_cast<std::size_t>(
        std::ranges::find(attack_names(), GetParam().attack) - attack_names().begin());
    for (const std::string& scheduler : executor::scheduler_names()) {
        if (!executor::is_parallel(scheduler) || scheduler == executor::kDefaultScheduler) continue;
        const Lie lie = kLies[turn++ % std::size(kLies)];
        SCOPED_TRACE(fmt::format("{}, {}", scheduler, to_string(lie)));
        RunPlan plan;
        plan.scheduler = scheduler;
        plan.parallel.workers = 4;
        const Work work = run(plan, lie);
        EXPECT_LE(work.wasted, bound(work, plan.parallel.workers)) << work.own << " own";
    }
}

TEST_P(Attacks, lose_no_more_than_is_allowed_whatever_the_timing) {
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
        SCOPED_TRACE(fmt::format("delays {}", seed));
        RunPlan plan;
        plan.parallel.workers = 4;
        plan.parallel.delay_seed = seed;
        plan.parallel.knowledge = executor::Knowledge::unknown;
        const Work work = run(plan, Lie::says_nothing);
        EXPECT_LE(work.wasted, bound(work, plan.parallel.workers)) << work.own << " own";
    }
}

/// Lists that lie about a change: the first, one in the middle or the last one of the block.
ChainKnowledge lying_lists(const RunRecord& run, double where) {
    ChainKnowledge told;
    for (const BlockRecord& block : run.blocks) {
        BlockKnowledge& known = told.emplace_back();
        if (block.access_list.empty()) continue;
        BlockAccessList list = *decode_block_access_list(block.access_list);
        std::vector<ListedChange<Uint256>*> changes;
        for (ListedAccount& account : list.accounts) {
            for (ListedChange<Uint256>& change : account.balance_changes)
                changes.push_back(&change);
            for (ListedSlot& slot : account.storage_changes)
                for (ListedChange<Uint256>& change : slot.changes)
                    changes.push_back(&change);
        }
        std::ranges::sort(changes, {}, &ListedChange<Uint256>::index);
        const auto last = static_cast<double>(changes.size() - 1);
        changes[static_cast<std::size_t>(where * last)]->value += Uint256{1};
        encode_block_access_list(list, known.access_list);
    }
    return told;
}

TEST_P(Attacks, by_lists_that_lie_cost_no_more_than_serial_execution_again) {
    RunPlan serial;
    serial.scheduler = executor::kSerialScheduler;
    serial.mode = executor::BlockMode::decided;  // what a proposer says is not in the header
    const RunRecord expected = Runner{serial}.run(chain_, nullptr);
    for (const double where : {0.0, 0.5, 1.0})
        for (const unsigned workers : {1U, 2U, 4U}) {
            SCOPED_TRACE(fmt::format("lie at {}, {} workers", where, workers));
            RunPlan plan;
            plan.parallel.workers = workers;
            plan.parallel.run_chains_inline = false;
            plan.mode = serial.mode;
            const ChainKnowledge told = lying_lists(expected, where);
            const RunRecord record = Runner{plan}.run(chain_, &told);
            EXPECT_EQ(difference(expected, record), "");
            const ParallelStats& stats = record.summary.stats.parallel;
            EXPECT_EQ(stats.listed_blocks, 0u);
            EXPECT_EQ(stats.refuted_lists, expected.blocks.size());
            // What several workers lose, they lose beside the one that keeps the block's order: how
            // much, is a matter of time.
            if (workers == 1) EXPECT_LE(stats.wasted_gas, stats.in_order_gas);
        }
}

/// Keeps what is found of a block's first transaction back until another one has ended: a list that
/// lies about its changes is refuted no earlier.
class FirstWaits final : public executor::ScheduleObserver {
public:
    void on_block(std::uint64_t /*number*/) noexcept override { has_other_ended_ = false; }
    void on_event(const executor::ScheduleEvent& event) noexcept override {
        if (event.kind == executor::ScheduleEvent::Kind::in_order) return;
        if (event.index == 0) return has_other_ended_.wait(false);
        has_other_ended_ = true;
        has_other_ended_.notify_all();
    }

private:
    std::atomic<bool> has_other_ended_{false};
};

/// Every one of a block's transactions but the first is made to burn all its gas, by lies that the
/// first one's end would refute.
TEST(LyingLists, have_no_more_executed_than_the_block_can_have_paid_for) {
    const AdversarialChain chain =
        make_attack("burn: loop", {.blocks = 2, .transactions = 40, .revision = Revision::prague});
    RunPlan plan;
    plan.scheduler = executor::kSerialScheduler;
    const RunRecord expected = Runner{plan}.run(chain, nullptr);
    ChainKnowledge told = recorded_knowledge(expected);
    for (BlockKnowledge& known : told) {
        BlockAccessList list = *decode_block_access_list(known.access_list);
        for (ListedAccount& account : list.accounts)
            for (ListedSlot& slot : account.storage_changes)
                for (ListedChange<Uint256>& change : slot.changes)
                    if (change.index != 0) change.value += Uint256{1};  // 0: by system calls
        known.access_list.clear();
        encode_block_access_list(list, known.access_list);
    }

    plan.scheduler = "values";
    plan.parallel.workers = 4;
    plan.parallel.run_chains_inline = false;
    FirstWaits observer;
    const auto make = [&observer](const std::string& scheduler, executor::Options options) {
        return executor::make_executor(scheduler, std::move(options), &observer);
    };
    const RunRecord record = Runner{plan, make}.run(chain, &told);

    EXPECT_EQ(difference(expected, record), "");
    const ParallelStats& stats = record.summary.stats.parallel;
    EXPECT_EQ(stats.refuted_lists, expected.blocks.size());
    std::uint64_t bound = 0;
    for (const BlockRecord& block : expected.blocks) {
        constexpr std::uint64_t kBetweenLooks = 70'000;
        bound += 2 * block.header.gas_used + plan.parallel.workers * kBetweenLooks;
    }
    EXPECT_LE(stats.wasted_gas, bound);
    EXPECT_LT(bound, expected.blocks.size() * 12'000'000) << "what a single one may burn";
}

/// Where gas has two dimensions, and state that comes and goes was paid with gas that comes back:
/// nothing was executed for it (EIP-8037).
class StateGas : public testing::TestWithParam<std::string> {
protected:
    StateGas()
        : chain_(make_attack(GetParam(),
                             {.blocks = 2, .transactions = 40, .revision = Revision::amsterdam})) {
        RunPlan plan;
        plan.scheduler = executor::kSerialScheduler;
        expected_ = Runner{plan}.run(chain_, nullptr);
    }
    [[nodiscard]] std::uint64_t gas_of_blocks() const {
        std::uint64_t gas = 0;
        for (const BlockRecord& block : expected_.blocks)
            gas += block.header.gas_used;
        return gas;
    }

    AdversarialChain chain_;
    RunRecord expected_;
};

TEST_P(StateGas, refutes_no_list_that_is_true) {
    const ChainKnowledge told = recorded_knowledge(expected_);
    for (const unsigned workers : {1U, 2U, 4U}) {
        SCOPED_TRACE(workers);
        RunPlan plan;
        plan.scheduler = "values";
        plan.parallel.workers = workers;
        plan.parallel.run_chains_inline = false;
        const RunRecord record = Runner{plan}.run(chain_, &told);
        EXPECT_EQ(difference(expected_, record), "");
        const ParallelStats& stats = record.summary.stats.parallel;
        EXPECT_EQ(stats.refuted_lists, 0u);
        EXPECT_EQ(stats.listed_blocks, expected_.blocks.size());
        EXPECT_LE(stats.attempted_gas, gas_of_blocks());
    }
}

TEST_P(StateGas, counts_as_executed_with_no_scheduler) {
    for (const std::string& scheduler : executor::scheduler_names()) {
        if (!executor::is_parallel(scheduler)) continue;
        SCOPED_TRACE(scheduler);
        RunPlan plan;
        plan.scheduler = scheduler;
        plan.parallel.workers = 4;
        plan.parallel.knowledge = executor::Knowledge::unknown;
        plan.parallel.run_chains_inline = false;
        const RunRecord record = Runner{plan}.run(chain_, nullptr);
        EXPECT_EQ(difference(expected_, record), "");
        const Work work = work_of(record.summary.stats.parallel);
        EXPECT_GT(work.own, 0u);
        EXPECT_LE(work.own, gas_of_blocks());
        EXPECT_LE(work.wasted, most_wasted(work.own, expected_, plan.parallel.workers));
    }
}

/// Lists that are true but for as many slots as the gas limit admits, which nobody reads.
ChainKnowledge inflated_lists(const RunRecord& run) {
    ChainKnowledge told;
    for (const BlockRecord& block : run.blocks) {
        BlockKnowledge& known = told.emplace_back();
        BlockAccessList list = *decode_block_access_list(block.access_list);
        std::vector<Uint256>& reads = list.accounts.back().storage_reads;
        const std::uint64_t room = max_item_count(block.header.gas_limit) - item_count(list);
        for (std::uint64_t i = 0; i < room; ++i)
            reads.push_back((Uint256{1} << 200) + Uint256{i});
        std::ranges::sort(reads);
        encode_block_access_list(list, known.access_list);
    }
    return told;
}

TEST(InflatedLists, are_found_out_as_soon_as_gas_cannot_pay_for_them) {
    AttackPlan attack;
    attack.transactions = 600;
    attack.revision = Revision::amsterdam;
    const AdversarialChain chain = make_attack("burn: loop", attack);
    RunPlan plan;
    plan.scheduler = executor::kSerialScheduler;
    plan.mode = executor::BlockMode::decided;  // what a proposer says is not in the header
    const RunRecord expected = Runner{plan}.run(chain, nullptr);
    plan.scheduler = executor::kDefaultScheduler;
    plan.parallel.workers = 1;
    plan.parallel.run_chains_inline = false;
    const ChainKnowledge told = inflated_lists(expected);
    const RunRecord record = Runner{plan}.run(chain, &told);

    EXPECT_EQ(difference(expected, record), "");
    const ParallelStats& stats = record.summary.stats.parallel;
    EXPECT_EQ(stats.refuted_lists, expected.blocks.size());
    std::uint64_t bound = 0;
    std::uint64_t all = 0;
    for (const BlockRecord& block : expected.blocks) {
        std::uint64_t peak = 0;
        for (const Receipt& receipt : block.receipts)
            peak = std::max(peak, receipt.gas_used);
        // A thousand items may be accessed without gas.
        const std::uint64_t items = item_count(*decode_block_access_list(block.access_list));
        bound += (items + 1'000) * kAccessListItemGas + peak;
        all += block.header.gas_used;
    }
    EXPECT_LE(stats.wasted_gas, bound);
    EXPECT_LT(bound, all / 2);  // or what is counted shows nothing
}

/// Adds more changes than the gas limit admits, of few enough items.
void claim_many_changes(BlockAccessList& list, std::uint64_t gas_limit, std::uint32_t last_index) {
    ListedAccount& account = list.accounts.emplace_back();
    account.address.bytes.fill(0xff);  // the last of all
    for (std::uint64_t i = 0; i <= gas_limit / 250 / last_index + 1; ++i) {
        ListedSlot& slot = account.storage_changes.emplace_back();
        slot.slot = Uint256{i};
        for (std::uint32_t index = 1; index <= last_index; ++index)
            slot.changes.push_back({index, Uint256{index}});
    }
}

/// Whatever it costs to read, nothing is executed by a list that cannot be the block's; what is
/// wrong with it is told by whoever executes the block.
TEST(InflatedLists, of_changes_that_no_gas_can_make_are_not_tried) {
    for (const Revision revision : {Revision::prague, Revision::amsterdam}) {
        AdversarialChain chain =
            make_attack("fees", {.blocks = 1, .transactions = 200, .revision = revision});
        RunPlan plan;
        plan.scheduler = executor::kSerialScheduler;
        const RunRecord honest = Runner{plan}.run(chain, nullptr);
        BlockAccessList list = *decode_block_access_list(honest.blocks[0].access_list);
        BlockHeader& header = chain.blocks[0].header;
        claim_many_changes(list, header.gas_limit, 200);
        ChainKnowledge told(1);
        encode_block_access_list(list, told[0].access_list);
        if (revision == Revision::amsterdam)
            header.block_access_list_hash = keccak256(told[0].access_list);
        const RunRecord expected = Runner{plan}.run(chain, &told);
        EXPECT_EQ(expected.error.has_value(), revision == Revision::amsterdam);

        plan.scheduler = "values";
        plan.parallel.run_chains_inline = false;
        for (const unsigned workers : {1U, 4U}) {
            plan.parallel.workers = workers;
            const RunRecord record = Runner{plan}.run(chain, &told);
            EXPECT_EQ(difference(expected, record), "");
            EXPECT_EQ(record.summary.stats.parallel.attempted_gas, 0u);
        }
    }
}

std::string letters(const std::string& text) {
    std::string name;
    for (const char c : text)
        name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    return name;
}

/// Without those that Amsterdam's prices and its self-destruction do not let begin.
std::vector<std::string> attacks_of_amsterdam() {
    std::vector<std::string> names = attack_names();
    for (const char* const left_out : {"hand to hand", "self-destruction", "mortal beneficiary"})
        std::erase(names, left_out);
    return names;
}
std::vector<Case> cases() {
    std::vector<Case> list;
    for (const std::string& name : attack_names())
        list.push_back({name});
    std::vector<std::string> others = attacks_of_amsterdam();
    for (const auto& [name, make] : amsterdam_attacks())
        std::erase(others, name);  // they are there already
    for (const std::string& name : others)
        list.push_back({name, true});
    return list;
}
INSTANTIATE_TEST_SUITE_P(All, Attacks, testing::ValuesIn(cases()), [](const auto& info) {
    return letters(info.param.attack) + (info.param.is_amsterdam ? "_under_Amsterdam" : "");
});

/// Without one in which nothing is executed, and one of which lists cannot tell all (ADR 16).
std::vector<std::string> attacks_on_state_gas() {
    std::vector<std::string> names = attacks_of_amsterdam();
    for (const char* const left_out : {"ring", "empty accounts"})
        std::erase(names, left_out);
    return names;
}
INSTANTIATE_TEST_SUITE_P(All, StateGas, testing::ValuesIn(attacks_on_state_gas()),
                         [](const auto& info) { return letters(info.param); });

}  // namespace
}  // namespace heddle::test
