// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Proposals: what is prepared here, and what is agreed to of others.
#include "cometbft/block_calls.hpp"

#include <gtest/gtest.h>

#include <consensus_adapter/block_rules.hpp>

#include "abci_fixture.hpp"

namespace heddle::consensus_adapter::cometbft {
namespace {

using BlockCallsProposal = AbciFixture;

TEST_F(BlockCallsProposal, a_prepared_block_follows_the_rules_of_the_chain) {
    host.application.to_propose = {{make_transaction(0)}, {make_set(1, 2)}};
    options.gas_limit = 60'000'000;

    const std::vector<Bytes> items = prepared(prepare_request(1, 1'700'000'000, 1'000'000));

    ASSERT_EQ(items.size(), 2u);
    const auto first = decode_preamble(items[0]);
    ASSERT_TRUE(first.has_value());
    EXPECT_EQ(first->preamble.beneficiary, options.beneficiary);
    EXPECT_EQ(first->preamble.gas_limit, next_gas_limit(kGenesisGasLimit, 60'000'000));
    EXPECT_EQ(first->preamble.object_sets, std::vector<ObjectSet>{make_set(1, 2)});
    EXPECT_EQ(items[1], encoded(make_transaction(0)));
    const BlockPlan& plan = host.application.last_plan;
    EXPECT_EQ(plan.timestamp, 1'700'000'000u);
    EXPECT_EQ(plan.beneficiary, options.beneficiary);
    EXPECT_EQ(plan.prev_randao, prev_randao_after(host.application.committed().head));
    EXPECT_EQ(plan.extra_data, Bytes(20, 'p'));
    EXPECT_EQ(plan.gas_limit, first->preamble.gas_limit);
    EXPECT_EQ(plan.max_bytes, 750'000u);
    ASSERT_EQ(proposals.size(), 1u);
    EXPECT_TRUE(proposals[0].is_own);
    EXPECT_EQ(proposals[0].number, 1u);
    EXPECT_EQ(proposals[0].transactions, 1u);
}

TEST_F(BlockCallsProposal, without_a_wish_the_gas_limit_stays) {
    const std::vector<Bytes> items = prepared(prepare_request(1, 2'000));
    ASSERT_EQ(items.size(), 1u);
    EXPECT_EQ(decode_preamble(items[0])->preamble.gas_limit, kGenesisGasLimit);
}

TEST_F(BlockCallsProposal, a_timestamp_is_at_least_one_above_the_parents) {
    for (const auto& [seconds, timestamp] :
         std::initializer_list<std::pair<std::int64_t, std::uint64_t>>{
             {INT64_MIN, kGenesisTime + 1},
             {0, kGenesisTime + 1},
             {static_cast<std::int64_t>(kGenesisTime), kGenesisTime + 1},
             {static_cast<std::int64_t>(kGenesisTime) + 1, kGenesisTime + 1},
             {static_cast<std::int64_t>(kGenesisTime) + 2, kGenesisTime + 2},
             {INT64_MAX, INT64_MAX}}) {
        (void)prepared(prepare_request(1, seconds));
        EXPECT_EQ(host.application.last_plan.timestamp, timestamp);
        EXPECT_TRUE(accepts(process_request(1, seconds, {preamble()})));
        EXPECT_EQ(host.application.last_plan.timestamp, timestamp);
    }
}

TEST_F(BlockCallsProposal, no_room_gives_no_items_and_little_room_no_transactions) {
    host.application.to_propose = {{make_transaction(0)}, {make_set(1, 2)}};
    EXPECT_TRUE(prepared(prepare_request(1, 2'000, -1)).empty());
    EXPECT_TRUE(prepared(prepare_request(1, 2'000, 31)).empty());
    EXPECT_EQ(prepared(prepare_request(1, 2'000, 32)).size(), 1u);
    EXPECT_EQ(prepared(prepare_request(1, 2'000, 4'000)).size(), 2u);
}

TEST_F(BlockCallsProposal, a_block_that_cannot_be_made_is_empty_and_told_of) {
    BlockError error;
    error.code = BlockErrorCode::execution_halted;
    host.application.prepare_error = error;
    EXPECT_EQ(prepared(prepare_request(1, 2'000)).size(), 1u);
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_EQ(warnings[0].find("an empty block is proposed"), 0u) << warnings[0];
}

TEST_F(BlockCallsProposal, what_was_prepared_is_accepted_without_being_read_again) {
    host.application.to_propose = {{make_transaction(0), make_transaction(1)},
                                   {make_set(1, 2), make_set(2, 1)}};
    const std::vector<Bytes> items = prepared(prepare_request(1, 2'000));
    EXPECT_TRUE(accepts(process_request(1, 2'000, items)));
    EXPECT_EQ(host.application.last_processed.transactions,
              host.application.to_propose.transactions);
    EXPECT_EQ(host.application.last_processed.object_sets, host.application.to_propose.object_sets);
    // Again, now read.
    EXPECT_TRUE(accepts(process_request(1, 2'000, items)));
    EXPECT_EQ(host.application.last_processed.transactions,
              without_senders(host.application.to_propose.transactions));
}

/// Each round may bring a proposal as large as a block may be.
TEST_F(BlockCallsProposal, accepted_proposals_are_kept_within_their_memory) {
    BlockCalls calls{host, options};
    constexpr std::size_t kData = 100'000;
    const auto process = [&](std::uint64_t nonce, const std::string& hash) {
        Transaction tx = make_transaction(nonce);
        tx.data.resize(kData);
        abci::ResponseProcessProposal response;
        const abci::Request request = process_request(1, 2'000, {preamble(), encoded(tx)}, hash);
        EXPECT_TRUE(calls.process(request.process_proposal(), response).has_value());
        EXPECT_EQ(response.status(), 1);
    };
    for (std::uint64_t round = 0; round < 6; ++round)
        process(round, "round " + std::to_string(round));
    EXPECT_GT(calls.kept_bytes(), 4 * kData);
    EXPECT_LT(calls.kept_bytes(), 5 * kData) << "four rounds are enough";

    options.max_proposal_bytes = 3 * kData;
    process(6, "round 6");
    EXPECT_GT(calls.kept_bytes(), 2 * kData);
    EXPECT_LE(calls.kept_bytes(), options.max_proposal_bytes);

    options.max_proposal_bytes = 1;
    process(7, "round 7");
    process(7, "round 7");
    EXPECT_GT(calls.kept_bytes(), kData) << "the last one in any case";
    EXPECT_LT(calls.kept_bytes(), 2 * kData);
}

TEST_F(BlockCallsProposal, a_list_is_judged_by_what_it_says_not_by_whether_it_executes) {
    const Bytes good = encoded(make_transaction(0));
    struct Case {
        const char* name;
        std::vector<Bytes> items;
        const char* rejection;  // part of it; null: accepted
    };
    const std::uint64_t step = kGenesisGasLimit / 1024 - 1;
    Bytes broken_sets = preamble();
    broken_sets.push_back(0x99);
    Bytes large(kMaxPreambleBytes + 1);
    std::ranges::copy(preamble(), large.begin());
    const std::vector<Case> cases{
        {"nothing", {}, nullptr},
        {"no preamble", {good}, nullptr},
        {"a preamble", {preamble()}, nullptr},
        {"sets", {preamble({make_set(1, 1)}), good}, nullptr},
        {"sets that lie", {preamble({make_set(77, 9)}), good}, nullptr},
        {"no sets", {preamble(), good, good}, nullptr},
        {"not executable", {preamble(), encoded(make_transaction(kTooHighNonce))}, nullptr},
        {"twice the same", {preamble(), good, good}, nullptr},
        {"too many sets",
         {preamble({make_set(1, 1), make_set(2, 1)}), good},
         "2 object sets for 1"},
        {"too few sets", {preamble({make_set(1, 1)}), good, good}, "1 object sets for 2"},
        {"broken sets", {broken_sets, good}, "object sets of the preamble"},
        {"a large preamble", {large, good}, "the preamble has"},
        {"a broken preamble", {Bytes{0x80, 1}, good}, "item 0: the preamble has 2 bytes"},
        {"no transaction", {preamble(), good, Bytes{1, 2, 3}}, "item 2: "},
        {"an empty item", {preamble(), Bytes{}}, "item 1: "},
        {"the highest gas limit", {preamble({}, kGenesisGasLimit + step)}, nullptr},
        {"the lowest gas limit", {preamble({}, kGenesisGasLimit - step)}, nullptr},
        {"above it", {preamble({}, kGenesisGasLimit + step + 1)}, "the gas limit"},
        {"below it", {preamble({}, kGenesisGasLimit - step - 1)}, "the gas limit"},
    };
    for (const Case& c : cases) {
        const bool accepted = accepts(process_request(1, 2'000, c.items));
        EXPECT_EQ(accepted, c.rejection == nullptr) << c.name << ": " << proposals.back().rejection;
        EXPECT_FALSE(proposals.back().is_own);
        if (c.rejection == nullptr) {
            EXPECT_EQ(proposals.back().rejection, "") << c.name;
        } else {
            EXPECT_NE(proposals.back().rejection.find(c.rejection), std::string::npos)
                << c.name << ": " << proposals.back().rejection;
        }
    }
}

// From Amsterdam on an empty block has more accesses than a low gas limit lets its list have: once
// such a block is decided, none can ever be.
TEST_F(BlockCallsProposal, nobody_takes_the_gas_limit_below_what_blocks_need) {
    struct Case {
        std::uint64_t parent;
        std::uint64_t lowest;  // that is proposed and agreed to
    };
    for (const auto& [parent, lowest] : {Case{2'000'100, 2'000'000}, Case{2'000'000, 2'000'000},
                                         Case{50'000, 50'000}, Case{2'002'000, 2'000'046}}) {
        host.application.set_head_gas_limit(parent);
        options.gas_limit = 5'000;
        const std::vector<Bytes> items = prepared(prepare_request(1, 2'000));
        EXPECT_EQ(decode_preamble(items[0])->preamble.gas_limit, lowest) << parent;
        EXPECT_TRUE(accepts(process_request(1, 2'000, items))) << parent;
        EXPECT_FALSE(accepts(process_request(1, 2'000, {preamble({}, lowest - 1)}))) << parent;
        EXPECT_NE(proposals.back().rejection.find("the gas limit"), std::string::npos);
    }
    // What was decided all the same is executed.
    host.application.set_head_gas_limit(50'000);
    (void)decide(1, 2'000, {preamble({}, 49'999)}, "another");
    EXPECT_EQ(host.application.committed().head_gas_limit, 49'999u);
}

TEST_F(BlockCallsProposal, the_application_may_refuse) {
    host.application.process_error = ProposalError{ProposalErrorCode::early_timestamp, 5, 7};
    EXPECT_FALSE(accepts(process_request(1, 2'000, {preamble()})));
    EXPECT_EQ(proposals.back().rejection, "the timestamp 5 is not above the parent's, 7");
}

TEST_F(BlockCallsProposal, proposals_leave_no_trace) {
    const Committed before = host.application.committed();
    for (int i = 0; i < 20; ++i) {
        (void)prepared(prepare_request(1, 2'000));
        (void)accepts(process_request(1, 2'000 + i, {preamble()}, std::to_string(i)));
    }
    EXPECT_EQ(host.application.committed().head, before.head);
    EXPECT_EQ(exception_of(commit_request()),
              "there is nothing to commit: FinalizeBlock comes before Commit");
    (void)decide(1, 2'000, {preamble()});
    EXPECT_EQ(host.application.committed().head.number, 1u);
}

TEST_F(BlockCallsProposal, calls_for_another_height_are_out_of_turn) {
    for (const std::int64_t height :
         {INT64_MIN, std::int64_t{-1}, std::int64_t{0}, std::int64_t{2}, INT64_MAX}) {
        const std::string expected = "the block of height " + std::to_string(height) +
                                     " is out of turn; expected is height 1";
        EXPECT_EQ(exception_of(prepare_request(height, 2'000)), expected);
        EXPECT_EQ(exception_of(process_request(height, 2'000, {})), expected);
        EXPECT_EQ(exception_of(finalize_request(height, 2'000, {})), expected);
    }
    EXPECT_TRUE(failures.empty());
}

TEST_F(BlockCallsProposal, without_a_chain_there_are_no_blocks) {
    host.has_chain = false;
    EXPECT_NE(exception_of(prepare_request(1, 2'000)).find("no chain here yet"), std::string::npos);
    EXPECT_NE(exception_of(finalize_request(1, 2'000, {})).find("no chain here yet"),
              std::string::npos);
    EXPECT_NE(exception_of(commit_request()), "");
}

}  // namespace
}  // namespace heddle::consensus_adapter::cometbft
