// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a block access list is for (EIP-7928): the state after a block follows from the state before
// it and the list alone.

#include <map>
#include <utility>

#include <gtest/gtest.h>

#include <ledger/memory_state.hpp>
#include <types/block_access_list.hpp>

#include "harness.hpp"

namespace heddle::test {
namespace {

/// What the list says of the state after its block.
StateDiff diff_of(const BlockAccessList& list, const StateView& before) {
    StateDiff diff;
    for (const ListedAccount& listed : list.accounts) {
        AccountChange change;
        change.address = listed.address;
        const std::optional<Account> old = before.account(listed.address);
        Account account = old.value_or(Account{});
        if (!listed.balance_changes.empty()) account.balance = listed.balance_changes.back().value;
        if (!listed.nonce_changes.empty()) account.nonce = listed.nonce_changes.back().value;
        if (!listed.code_changes.empty()) {
            const Bytes& code = listed.code_changes.back().value;
            account.code_hash = code.empty() ? kEmptyCodeHash : keccak256(code);
            if (!code.empty()) diff.codes.push_back({account.code_hash, code});
        }
        for (const ListedSlot& slot : listed.storage_changes)
            change.storage.push_back({slot.slot, slot.changes.back().value});
        const bool is_there = !account.is_empty();
        if (!is_there && !old.has_value()) continue;
        if (is_there) change.account = account;
        diff.accounts.push_back(std::move(change));
    }
    return diff;
}

/// What `state` has of accounts that are not empty. Of an empty one, which no public chain has any
/// more, a list does not tell whether it was touched and is gone (EIP-161). Nor does it tell of
/// storage that an account without nonce and code had `before` whether it went: with a contract
/// that was made there and destroyed in the same transaction.
std::map<Address, std::pair<Account, std::map<Uint256, Uint256>>> contents(
    const ledger::MemoryState& state, const ledger::MemoryState& before) {
    std::map<Address, std::pair<Account, std::map<Uint256, Uint256>>> accounts;
    state.for_each_account([&](const Address& address, const Account& account) {
        if (account.is_empty()) return;
        const std::optional<Account> old = before.account(address);
        if (old && old->nonce == 0 && !old->has_code() && before.has_storage(address)) return;
        auto& entry = accounts[address];
        entry.first = account;
        state.for_each_slot(address, [&](const Uint256& slot, const Uint256& value) {
            entry.second.emplace(slot, value);
        });
    });
    return accounts;
}

/// @return blocks that were looked at.
std::size_t expect_states_to_follow(const AdversarialChain& chain, const RunRecord& run) {
    std::size_t count = 0;
    ledger::MemoryState state;
    for (const GenesisAccount& account : chain.genesis.alloc)
        state.add(account);
    for (const BlockRecord& block : run.blocks) {
        if (!block.header.block_access_list_hash.has_value()) {
            state.apply(block.diff);
            continue;
        }
        const auto list = decode_block_access_list(block.access_list);
        EXPECT_TRUE(list.has_value());
        if (!list.has_value()) return count;
        EXPECT_EQ(keccak256(block.access_list), block.header.block_access_list_hash);
        const auto form = check_form(*list, block.receipts.size(), block.header.gas_limit);
        EXPECT_TRUE(form.has_value()) << to_string(form.error());
        const ledger::MemoryState before = state;
        ledger::MemoryState listed = state;
        listed.apply(diff_of(*list, before));
        state.apply(block.diff);
        EXPECT_EQ(contents(listed, before), contents(state, before))
            << chain.description << ", block " << block.header.number;
        ++count;
    }
    return count;
}

TEST(AccessLists, applied_to_the_state_before_give_the_state_after) {
    std::size_t blocks = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const AdversarialChain chain =
            make_adversarial_chain({.seed = seed, .blocks = 4, .with_flaws = false});
        if (!chain.genesis.config.amsterdam_time.has_value()) continue;
        RunPlan plan;
        plan.scheduler = "serial";
        Runner runner(plan);
        const RunRecord run = runner.run(chain, nullptr);
        ASSERT_FALSE(run.error.has_value()) << to_string(*run.error);
        blocks += expect_states_to_follow(chain, run);
    }
    EXPECT_GE(blocks, 20u);
}

}  // namespace
}  // namespace heddle::test
