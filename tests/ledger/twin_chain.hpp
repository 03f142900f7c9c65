// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The oracle of the durable ledger: the same chain in memory, made of random blocks, with every
// state it went through.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <ledger/durable_ledger.hpp>
#include <ledger/memory_ledger.hpp>

#include "random.hpp"
#include "random_blocks.hpp"

namespace heddle::test {

class TwinChain {
public:
    static constexpr std::size_t kAddresses = 15;
    static constexpr std::size_t kSlots = 6;

    TwinChain() {
        memory_.initialize(genesis());
        remember({});
    }

    [[nodiscard]] static Genesis genesis() {
        Genesis genesis;
        genesis.header.difficulty = 17;
        genesis.header.gas_limit = 5000;
        genesis.alloc.push_back({address_from_low64(1), 0, 100, {}, {}});
        genesis.alloc.push_back({address_from_low64(2), 1, 0, {0x60, 0x00}, {{1, 2}, {3, 4}}});
        return genesis;
    }

    /// Code comes with some of the accounts.
    [[nodiscard]] static StateDiff random_diff(Random& random) {
        StateDiff diff = random.diff(kAddresses, kSlots);
        for (AccountChange& change : diff.accounts) {
            if (!change.account.has_value()) continue;
            const Bytes code = random.bytes(random.below(4));
            change.account->code_hash = keccak256(code);
            if (!code.empty()) diff.codes.push_back({change.account->code_hash, code});
        }
        return diff;
    }

    /// A child of the head, its state root right.
    [[nodiscard]] FinishedBlock child(Random& random, StateDiff diff) {
        FinishedBlock block;
        block.block = random_block(random, head() + 1);
        block.block.header.parent_hash = memory_.head().hash;
        block.block.header.state_root = memory_.state_root_with(diff);
        block.receipts = random_receipts(random, block.block);
        if (random.one_in(2))
            block.object_sets = random_object_sets(random, block.block.transactions.size());
        if (block.block.header.block_access_list_hash.has_value())
            block.access_list = random.bytes(1 + random.below(50));
        block.diff = std::move(diff);
        return block;
    }

    /// Commits a child of the head here. @return the same block, for the other one.
    FinishedBlock grow(Random& random, StateDiff diff) {
        FinishedBlock block = child(random, std::move(diff));
        accept(block);
        return block;
    }
    /// Commits here what the other one has committed.
    void accept(FinishedBlock block) {
        EXPECT_TRUE(memory_.commit(block).has_value());
        remember(std::move(block));
    }
    FinishedBlock grow(Random& random) { return grow(random, random_diff(random)); }

    [[nodiscard]] std::uint64_t head() const { return memory_.head().header.number; }
    [[nodiscard]] const ledger::CommittedBlock& committed(std::uint64_t number) const {
        return *memory_.block(number);
    }
    [[nodiscard]] const ledger::MemoryState& state(std::uint64_t number) const {
        return states_[number];
    }
    [[nodiscard]] const FinishedBlock& block(std::uint64_t number) const { return blocks_[number]; }

private:
    void remember(FinishedBlock block) {
        states_.push_back(memory_.state());
        blocks_.push_back(std::move(block));
    }

    ledger::MemoryLedger memory_{{.header_count = 256, .keep_blocks = true}};
    std::vector<ledger::MemoryState> states_;
    std::vector<FinishedBlock> blocks_;
};

/// Small, checkpoints often, keeps all history, syncs when asked.
inline ledger::DurableLedgerOptions options_for(std::string directory) {
    ledger::DurableLedgerOptions options;
    options.directory = std::move(directory);
    options.sync = {.blocks = 1'000'000, .interval = std::chrono::hours(24)};
    options.memory_bytes = std::size_t{64} << 20;
    options.history_blocks = ledger::kArchive;
    options.checkpoint_blocks = 4;
    options.threads = 2;
    return options;
}

inline std::unique_ptr<ledger::DurableLedger> must_create(ledger::DurableLedgerOptions options) {
    auto made = ledger::DurableLedger::create(std::move(options), TwinChain::genesis(), Bytes{7});
    EXPECT_TRUE(made.has_value()) << to_string(made.error());
    return *std::move(made);
}

inline std::unique_ptr<ledger::DurableLedger> must_open(ledger::DurableLedgerOptions options) {
    auto opened = ledger::DurableLedger::open(std::move(options));
    EXPECT_TRUE(opened.has_value()) << to_string(opened.error());
    return *std::move(opened);
}

inline void must_commit(ledger::DurableLedger& ledger, FinishedBlock block) {
    const Hash claimed = block.block.header.state_root;
    const auto root = ledger.commit(std::move(block));
    ASSERT_TRUE(root.has_value()) << to_string(root.error());
    ASSERT_EQ(*root, claimed);
}

/// Every value of the addresses and slots that random chains use.
inline void expect_same_state(const StateView& actual, const ledger::MemoryState& expected) {
    for (std::uint64_t i = 0; i <= TwinChain::kAddresses + 1; ++i) {
        const Address address = address_from_low64(i);
        const auto account = expected.account(address);
        ASSERT_EQ(actual.account(address), account) << "account " << i;
        ASSERT_EQ(actual.has_storage(address), expected.has_storage(address)) << "account " << i;
        for (std::uint64_t slot = 0; slot <= TwinChain::kSlots; ++slot)
            ASSERT_EQ(actual.storage(address, slot), expected.storage(address, slot))
                << "slot " << slot << " of account " << i;
        if (!account.has_value()) continue;
        ASSERT_TRUE(equal(actual.code(account->code_hash), expected.code(account->code_hash)));
    }
}

/// A walk over the state comes to all that is there, in order, wherever it begins.
inline void expect_same_walk(const ledger::PastState& actual, const ledger::MemoryState& expected,
                             const Hash& from) {
    std::map<Hash, Address> addresses;
    for (std::uint64_t i = 0; i <= TwinChain::kAddresses + 1; ++i)
        addresses.emplace(keccak256(address_from_low64(i).view()), address_from_low64(i));
    std::map<Hash, std::uint64_t> slots;
    for (std::uint64_t slot = 0; slot <= TwinChain::kSlots; ++slot)
        slots.emplace(keccak256(to_hash(Uint256{slot}).view()), slot);
    auto next = addresses.lower_bound(from);
    const auto skip_absent = [&] {
        while (next != addresses.end() && !expected.account(next->second).has_value())
            ++next;
    };
    const auto visited = actual.visit_accounts(from, [&](const ledger::VisitedAccount& found) {
        if (!found.account.has_value()) return true;
        skip_absent();
        EXPECT_TRUE(next != addresses.end() && next->first == found.key.hash);
        if (testing::Test::HasFailure()) return false;
        EXPECT_EQ(found.account, expected.account(next->second));
        EXPECT_EQ(found.key.address.value_or(next->second), next->second);
        EXPECT_EQ(found.storage_root != kEmptyTrieRoot, expected.has_storage(next->second));
        std::map<Hash, Uint256> present;
        for (const auto& [hash, slot] : slots)
            if (const Uint256 value = expected.storage(next->second, slot); !value.is_zero())
                if (hash >= from) present.emplace(hash, value);
        const auto walked =
            actual.visit_slots(found.key, from, [&](const ledger::VisitedSlot& slot) {
                if (slot.value.is_zero()) return true;
                EXPECT_EQ(slot.slot.value_or(slots.at(slot.hash)), slots.at(slot.hash));
                EXPECT_TRUE(!present.empty() && present.begin()->first == slot.hash);
                EXPECT_EQ(present[slot.hash], slot.value);
                present.erase(slot.hash);
                return true;
            });
        EXPECT_TRUE(walked.has_value());
        EXPECT_TRUE(present.empty());
        ++next;
        return !testing::Test::HasFailure();
    });
    EXPECT_TRUE(visited.has_value());
    skip_absent();
    ASSERT_TRUE(next == addresses.end() || testing::Test::HasFailure());
    ASSERT_FALSE(testing::Test::HasFailure());
}

/// Head and state of the ledger are those of block `number`.
inline void expect_stands_at(const ledger::DurableLedger& ledger, const TwinChain& twin,
                             std::uint64_t number) {
    const ledger::StoredHeader head = ledger.head();
    ASSERT_EQ(head.header.number, number);
    ASSERT_EQ(head.hash, twin.committed(number).hash);
    ASSERT_EQ(head.header, twin.committed(number).header);
    ASSERT_EQ(head.total_difficulty, twin.committed(number).total_difficulty);
    expect_same_state(ledger.state(), twin.state(number));
}

}  // namespace heddle::test
