// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The generator and the comparison themselves: a test that compares nothing with nothing passes
// too.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "adversarial_transactions.hpp"
#include "harness.hpp"

namespace heddle::test {
namespace {

AdversarialChain chain_of(std::uint64_t seed, std::uint64_t kinds = ~std::uint64_t{0}) {
    AdversarialPlan plan;
    plan.seed = seed;
    plan.blocks = 4;
    plan.max_transactions = 30;
    plan.kinds = kinds;
    return make_adversarial_chain(plan);
}

RunRecord run_serially(const AdversarialChain& chain) {
    RunPlan plan;
    plan.scheduler = executor::kSerialScheduler;
    return Runner{plan}.run(chain, nullptr);
}

TEST(AdversarialChain, follows_from_its_plan) {
    const AdversarialChain once = chain_of(5);
    const AdversarialChain again = chain_of(5);

    EXPECT_EQ(once.genesis, again.genesis);
    EXPECT_EQ(once.blocks, again.blocks);
    EXPECT_NE(once.blocks, chain_of(6).blocks);
}

TEST(AdversarialChain, has_every_kind_of_transaction) {
    for (std::size_t kind = 0; kind < kAdversarialKinds; ++kind) {
        std::size_t count = 0;
        for (std::uint64_t seed = 1; seed < 60 && count == 0; ++seed)
            for (const Block& block : chain_of(seed, std::uint64_t{1} << kind).blocks)
                count += block.transactions.size();
        EXPECT_GT(count, 0u) << kAdversarialKindTable[kind].name;
    }
}

TEST(AdversarialChain, goes_through_every_fork_and_many_errors) {
    std::set<std::string> forks;
    std::set<std::string> errors;
    for (std::uint64_t seed = 1; seed <= 250; ++seed) {
        const AdversarialChain chain = chain_of(seed);
        forks.insert(chain.description.substr(0, chain.description.find(',')));
        const RunRecord run = run_serially(chain);
        ASSERT_EQ(run.error.has_value(), chain.flawed.has_value()) << chain.description;
        ASSERT_EQ(run.blocks.size(), chain.flawed.value_or(chain.blocks.size()));
        if (!run.error.has_value()) continue;
        std::string name{to_string(run.error->code)};
        if (run.error->transaction.has_value()) name += to_string(*run.error->transaction);
        errors.insert(name);
    }
    for (std::size_t i = 0; i < kRevisionCount; ++i)
        EXPECT_TRUE(forks.contains(std::string{to_string(static_cast<Revision>(i))})) << i;
    EXPECT_GE(forks.size(), kRevisionCount + 5) << "few changes of fork within a chain";
    EXPECT_GE(errors.size(), 11u);
}

class DifferenceTest : public testing::Test {
protected:
    const RunRecord run_ = run_serially(chain_of(4));

    /// What the comparison says of a copy that `change` was made to.
    template <typename Change>
    std::string after(Change change) {
        RunRecord other = run_;
        change(other, other.blocks.at(2));
        return difference(run_, other);
    }
};

TEST_F(DifferenceTest, notices_any_field) {
    ASSERT_EQ(difference(run_, run_), "");
    const auto differs = [&](const char* words, auto change) {
        EXPECT_NE(after(change).find(words), std::string::npos) << words << ": " << after(change);
    };
    differs("success", [](RunRecord&, BlockRecord& b) { b.receipts.at(0).success ^= true; });
    differs("gas used", [](RunRecord&, BlockRecord& b) { b.receipts.at(0).gas_used += 1; });
    differs("logs", [](RunRecord&, BlockRecord& b) { b.receipts.at(0).logs.emplace_back(); });
    differs("receipts became", [](RunRecord&, BlockRecord& b) { b.receipts.pop_back(); });
    differs("created address",
            [](RunRecord&, BlockRecord& b) { b.receipts.at(0).effective_gas_price += 1; });
    differs("account", [](RunRecord&, BlockRecord& b) { b.diff.accounts.at(0).account.reset(); });
    differs("changed accounts", [](RunRecord&, BlockRecord& b) { b.diff.accounts.pop_back(); });
    differs("storage",
            [](RunRecord&, BlockRecord& b) { b.diff.accounts.at(0).storage_cleared ^= true; });
    differs("codes", [](RunRecord&, BlockRecord& b) { b.diff.codes.emplace_back(); });
    differs("state root", [](RunRecord&, BlockRecord& b) { b.state_root.bytes[0] ^= 1; });
    differs("hash", [](RunRecord&, BlockRecord& b) { b.hash.bytes[0] ^= 1; });
    differs("header", [](RunRecord&, BlockRecord& b) { b.header.gas_used += 1; });
    differs("too much", [](RunRecord&, BlockRecord& b) {
        b.object_sets.at(0) = ObjectSet{{{{kTree, ObjectKind::nonce, {}}, AccessMode::add}}};
    });
    differs("blocks became", [](RunRecord& r, BlockRecord&) { r.blocks.pop_back(); });
    differs("became", [](RunRecord& r, BlockRecord&) { r.error.emplace(); });
    differs("summary", [](RunRecord& r, BlockRecord&) { r.summary.stats.gas_used += 1; });
}

TEST_F(DifferenceTest, of_a_prefix_asks_for_no_more_than_is_there) {
    RunRecord prefix = run_;
    prefix.blocks.resize(2);
    prefix.summary.stats.blocks = 2;
    prefix.summary.head_hash = prefix.blocks[1].hash;
    prefix.summary.state_root = prefix.blocks[1].state_root;
    EXPECT_EQ(prefix_difference(run_, prefix), "");

    prefix.blocks[1].receipts.clear();
    EXPECT_NE(prefix_difference(run_, prefix), "");
}

TEST_F(DifferenceTest, wrong_sets_are_wrong) {
    const ChainKnowledge sets = recorded_knowledge(run_);
    const ChainKnowledge wrong = wrong_sets(sets, 200'000, 1);
    ASSERT_EQ(wrong.size(), sets.size());
    EXPECT_NE(wrong, sets);
    EXPECT_EQ(wrong, wrong_sets(sets, 200'000, 1));
}

}  // namespace
}  // namespace heddle::test
