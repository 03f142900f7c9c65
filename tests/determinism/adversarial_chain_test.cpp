// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The generator and the comparison themselves: a test that compares nothing with nothing passes
// too.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include <types/block_access_list.hpp>
#include <vm/system_contracts.hpp>

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

/// Where the logs of transfers come from (EIP-7708).
const Address kTransferLogger = [] {
    Address address;
    address.bytes.fill(0xff);
    address.bytes.back() = 0xfe;
    return address;
}();

/// What the blocks of chains under Amsterdam's rules have shown.
struct Growth {
    std::set<Address> loggers;
    std::size_t largest_code = 0;  // bytes
    bool has_reservoir = false;    // more gas than a transaction executes with
    bool has_failed_reservoir = false;
    bool has_two_kinds_of_gas = false;
    bool clears_slots = false;
    bool misses_slots = false;

    void look_at(const Block& block, const BlockRecord& record) {
        static constexpr std::uint64_t kExecutionCap = 1 << 24;
        std::uint64_t paid = 0;
        for (std::size_t i = 0; i < record.receipts.size(); ++i) {
            const Receipt& receipt = record.receipts[i];
            paid += receipt.gas_used;
            for (const Log& log : receipt.logs)
                loggers.insert(log.address);
            if (block.transactions[i].gas_limit <= kExecutionCap) continue;
            (receipt.success ? has_reservoir : has_failed_reservoir) = true;
        }
        has_two_kinds_of_gas |= block.header.gas_used < paid;
        if (record.access_list.empty()) return;  // of the fork before
        for (const ListedAccount& account :
             decode_block_access_list(record.access_list).value().accounts) {
            for (const auto& change : account.code_changes)
                largest_code = std::max(largest_code, change.value.size());
            for (const ListedSlot& slot : account.storage_changes)
                clears_slots |= slot.changes.back().value == Uint256{};
        }
    }
};

// Amsterdam's own: two kinds of gas, code of up to 64 KB, logs of transfers, four kinds of requests
// and deposits, slots.
TEST(AdversarialChain, grows_the_state_in_every_way_that_amsterdam_has_a_price_for) {
    Growth growth;
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        AdversarialPlan plan;
        plan.seed = seed;
        plan.blocks = 12;
        plan.with_flaws = false;
        plan.revision = Revision::amsterdam;
        const AdversarialChain chain = make_adversarial_chain(plan);
        const RunRecord run = run_serially(chain);
        ASSERT_EQ(run.blocks.size(), chain.blocks.size());
        EXPECT_TRUE(chain.blocks.back().header.slot_number.has_value());
        for (std::size_t i = 0; i < chain.blocks.size(); ++i)
            growth.look_at(chain.blocks[i], run.blocks[i]);
        for (std::size_t i = 1; i < chain.blocks.size(); ++i)
            growth.misses_slots |= chain.blocks[i].header.slot_number >
                                   chain.blocks[i - 1].header.slot_number.value_or(0) + 1;
    }

    for (const Address& address :
         {vm::kWithdrawalRequestAddress, vm::kConsolidationRequestAddress,
          vm::kBuilderDepositAddress, vm::kBuilderExitAddress, kDepositBox, kTransferLogger})
        EXPECT_TRUE(growth.loggers.contains(address)) << to_string(address);
    EXPECT_GT(growth.largest_code, 60'000u);
    EXPECT_TRUE(growth.has_reservoir);
    EXPECT_TRUE(growth.has_failed_reservoir);
    EXPECT_TRUE(growth.has_two_kinds_of_gas);
    EXPECT_TRUE(growth.clears_slots);
    EXPECT_TRUE(growth.misses_slots);
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
