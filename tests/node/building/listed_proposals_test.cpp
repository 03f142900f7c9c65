// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Proposals that come with their access lists: whoever executes them gets the proposer's block,
// from the list if it is good, and without it if it is not.
#include <functional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <types/block_access_list.hpp>

#include "building/chain_application_fixture.hpp"

namespace heddle::node {
namespace {

using consensus_adapter::FinalizedBlock;

constexpr std::size_t kTransactions = 6;

/// A proposer and a validator on the same chain; the validator executes on two workers.
class ListedProposals : public ChainApplicationTest {
protected:
    ChainApplicationOptions options() {
        ChainApplicationOptions result;
        result.executions = &log_;
        result.executor.parallel.workers = 2;
        result.executor.parallel.run_chains_inline = false;
        return result;
    }
    BlockPlan listed_plan() {
        BlockPlan result = plan();
        result.wants_access_list = true;
        return result;
    }
    Proposal propose() {
        for (std::size_t i = 0; i < kTransactions; ++i)
            pool(i % 2 == 0 ? count(i, 0) : transfer(i, 0, 9, 7));
        auto proposal = application_.prepare(listed_plan());
        EXPECT_TRUE(proposal.has_value());
        return proposal.value_or(Proposal{});
    }
    /// What the validator makes of the proposal.
    FinalizedBlock judge(const Proposal& proposal) {
        const auto finalized =
            validator_.finalize(block_of(listed_plan(), proposal), Unexecutable::left_out);
        EXPECT_TRUE(finalized.has_value());
        return finalized.value_or(FinalizedBlock{});
    }
    /// A validator with a list that was changed.
    FinalizedBlock judge(Proposal proposal,
                         const std::function<void(std::vector<ListedAccount>&)>& change) {
        auto list = decode_block_access_list(proposal.access_list);
        EXPECT_TRUE(list.has_value());
        change(list->accounts);
        proposal.access_list.clear();
        encode_block_access_list(*list, proposal.access_list);
        return judge(proposal);
    }
    static ListedAccount& account(std::vector<ListedAccount>& accounts, const Address& address) {
        const auto found = std::ranges::find(accounts, address, &ListedAccount::address);
        EXPECT_NE(found, accounts.end());
        return *found;
    }

    /// How many of its transactions ended like this, as the validator's log has it.
    std::size_t final_runs(const Hash& block, executor::ScheduleEvent::Kind kind) const {
        const auto found = log_.find(block);
        EXPECT_TRUE(found.has_value());
        if (!found.has_value()) return 0;
        return static_cast<std::size_t>(std::ranges::count_if(
            *found->runs,
            [kind](const TransactionRun& run) { return run.is_final && run.kind == kind; }));
    }

    ExecutionLog log_;
    ChainApplication validator_{chain_, node_.mempool(), options()};
};

TEST_F(ListedProposals, tell_how_they_ran_with_their_lists_and_without) {
    using Kind = executor::ScheduleEvent::Kind;
    const Proposal proposal = propose();
    const FinalizedBlock listed = judge(proposal);
    ASSERT_TRUE(listed.is_listed);
    EXPECT_EQ(final_runs(listed.hash, Kind::confirmed), kTransactions);

    const FinalizedBlock judged = judge(proposal, [](std::vector<ListedAccount>& accounts) {
        account(accounts, kCounterAddress).storage_changes.front().changes.front().value +=
            Uint256{1};
    });
    EXPECT_EQ(judged.hash, listed.hash);
    EXPECT_TRUE(judged.has_wrong_list);
    EXPECT_EQ(final_runs(judged.hash, Kind::in_order), kTransactions);
    EXPECT_EQ(final_runs(judged.hash, Kind::confirmed), 0u);
}

TEST_F(ListedProposals, are_executed_from_their_lists) {
    const Proposal proposal = propose();
    ASSERT_FALSE(proposal.access_list.empty());
    const auto own = finalize(block_of(listed_plan(), proposal), Unexecutable::left_out);
    ASSERT_TRUE(own.has_value());
    EXPECT_EQ(own->executions, 0u) << "whoever has proposed it has its result";
    EXPECT_FALSE(own->has_wrong_list);
    Proposal silent = proposal;
    silent.access_list.clear();
    const FinalizedBlock without = judge(silent);

    const FinalizedBlock block = judge(proposal);

    EXPECT_EQ(block.hash, own->hash);
    EXPECT_EQ(without.hash, own->hash);
    EXPECT_TRUE(block.is_listed);
    EXPECT_FALSE(block.has_wrong_list);
    EXPECT_FALSE(without.is_listed);
    EXPECT_EQ(block.executions, 1u);
    EXPECT_EQ(block.wrongly_declared, 0u);
}

TEST_F(ListedProposals, that_lie_give_the_same_block_and_are_told) {
    const Proposal proposal = propose();
    const Hash expected = judge(proposal).hash;
    using Accounts = std::vector<ListedAccount>;
    const std::vector<std::function<void(Accounts&)>> lies = {
        [](Accounts& list) {
            account(list, kCounterAddress).storage_changes[0].changes[0].value += 1;
        },
        [](Accounts& list) {
            account(list, kCounterAddress).storage_changes[0].changes.pop_back();
        },
        [](Accounts& list) { account(list, kCounterAddress).storage_changes.clear(); },
        [](Accounts& list) { account(list, kCounterAddress).storage_reads = {77}; },
        [](Accounts& list) { account(list, dev_accounts()[0].address).nonce_changes[0].value = 9; },
        [](Accounts& list) {
            account(list, dev_accounts()[1].address).balance_changes[0].value = 0;
        },
        [](Accounts& list) {
            account(list, dev_accounts()[9].address).code_changes = {{1, {0x00}}};
        },
        [](Accounts& list) { list.pop_back(); },
        [](Accounts& list) {
            list.push_back({.address = address_from_low64(0)});
            std::ranges::sort(list, {}, &ListedAccount::address);
        },
        [](Accounts& list) { list.clear(); },
    };
    for (std::size_t i = 0; i < lies.size(); ++i) {
        const FinalizedBlock block = judge(proposal, lies[i]);
        EXPECT_EQ(block.hash, expected) << i;
        EXPECT_TRUE(block.has_wrong_list) << i;
        EXPECT_FALSE(block.is_listed) << i;
        EXPECT_TRUE(block.left_out.empty()) << i;
    }
    Proposal garbage = proposal;
    garbage.access_list.resize(garbage.access_list.size() / 2);
    const FinalizedBlock block = judge(garbage);
    EXPECT_EQ(block.hash, expected);
    EXPECT_TRUE(block.has_wrong_list);
}

TEST_F(ListedProposals, with_transactions_that_are_left_out_are_made_of_the_others) {
    Proposal proposal = propose();
    const Transaction late = transfer(0, 40, 1);
    proposal.transactions.insert(proposal.transactions.begin() + 2, late);
    proposal.object_sets.clear();
    Proposal silent = proposal;
    silent.access_list.clear();
    const FinalizedBlock expected = judge(silent);

    const FinalizedBlock block = judge(proposal);

    EXPECT_EQ(block.hash, expected.hash);
    ASSERT_EQ(block.left_out.size(), 1u);
    EXPECT_EQ(block.left_out[0].index, 2u);
    EXPECT_TRUE(block.has_wrong_list);
    EXPECT_FALSE(block.is_listed);
    EXPECT_FALSE(expected.has_wrong_list);
}

TEST_F(ListedProposals, follow_each_other) {
    for (std::uint64_t round = 0; round < 4; ++round) {
        for (std::size_t i = 0; i < kTransactions; ++i)
            pool(count(i, round));
        const BlockPlan wanted = listed_plan();
        auto proposal = application_.prepare(wanted);
        ASSERT_TRUE(proposal.has_value());
        if (round == 2) proposal->access_list.clear();
        const auto block =
            validator_.finalize(block_of(wanted, *std::move(proposal)), Unexecutable::left_out);
        ASSERT_TRUE(block.has_value());
        EXPECT_EQ(block->is_listed, round != 2) << round;
        ASSERT_TRUE(validator_.commit().has_value());
    }
    EXPECT_EQ(counter(), 4 * kTransactions);
}

TEST_F(ListedProposals, leave_no_list_in_the_ledger_unless_it_is_wanted) {
    ChainApplicationOptions storing = options();
    storing.stores_lists = true;
    ChainApplication keeper{chain_, node_.mempool(), storing};
    const Proposal first = propose();
    ASSERT_FALSE(chain_.config().amsterdam_time.has_value());
    (void)judge(first);
    ASSERT_TRUE(validator_.commit().has_value());
    EXPECT_FALSE(chain_.ledger().access_list(1).value().has_value());

    pool(count(0, 1));
    auto second = keeper.prepare(plan());
    ASSERT_TRUE(second.has_value());
    ASSERT_TRUE(
        keeper.finalize(block_of(plan(), *std::move(second)), Unexecutable::refused).has_value());
    ASSERT_TRUE(keeper.commit().has_value());
    EXPECT_TRUE(chain_.ledger().access_list(2).value().has_value());
}

TEST_F(ListedProposals, have_no_list_unless_it_is_wanted) {
    pool(count(0, 0));
    const auto proposal = application_.prepare(plan());
    ASSERT_TRUE(proposal.has_value());
    EXPECT_TRUE(proposal->access_list.empty());
}

}  // namespace
}  // namespace heddle::node
