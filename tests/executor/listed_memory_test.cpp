// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// How much memory a list takes that claims more than gas pays for.
#include <cstddef>
#include <cstdint>

#include <gtest/gtest.h>

#include <types/block_access_list.hpp>

#include "fakes.hpp"
#include "values/listed_state.hpp"

namespace heddle::executor {
namespace {

constexpr std::size_t kTransactions = 3;
constexpr std::uint64_t kGasLimit = 1'000'000;

/// The parameter: into how many parts lists are cut.
class ListedMemory : public testing::TestWithParam<std::size_t> {
protected:
    /// What is held of a list when it has been read and found to claim too much.
    static std::size_t bytes_until_refused(const BlockAccessList& list,
                                           std::size_t transaction_count) {
        Bytes encoded;
        encode_block_access_list(list, encoded);
        const test::FakeState base;
        ListedState fresh;
        EXPECT_TRUE(fresh.begin(encoded, base, transaction_count, kGasLimit, GetParam()));
        const std::size_t empty = fresh.memory_bytes();
        for (std::size_t part = 0; part < fresh.part_count(); ++part)
            fresh.fill(part);
        EXPECT_FALSE(fresh.finish());
        return fresh.memory_bytes() - empty;
    }
    [[nodiscard]] static bool takes(const BlockAccessList& list, std::size_t transaction_count,
                                    std::uint64_t gas_limit) {
        Bytes encoded;
        encode_block_access_list(list, encoded);
        const test::FakeState base;
        ListedState state;
        if (!state.begin(encoded, base, transaction_count, gas_limit, GetParam())) return false;
        for (std::size_t part = 0; part < state.part_count(); ++part)
            state.fill(part);
        return state.finish();
    }
};

// Whoever sends a list has paid for no more rows than its gas limit allows.
TEST_P(ListedMemory, is_none_for_many_more_items_than_are_allowed) {
    for (const bool is_one_account : {false, true}) {
        BlockAccessList list;
        for (std::uint64_t i = 1; i <= 100'000; ++i) {
            if (!is_one_account || i == 1)
                list.accounts.emplace_back().address = address_from_low64(i);
            list.accounts.back().storage_reads.push_back(Uint256{i});
        }
        // 500 items, and in each part up to 64 that were not counted yet; 1 KiB a row is plenty.
        EXPECT_LE(bytes_until_refused(list, kTransactions), 1024 * (500 + 64 * (GetParam() + 1)));
    }
}

// Of one slot there may be as many changes as there are transactions.
TEST_P(ListedMemory, is_none_for_many_more_changes_than_gas_can_make) {
    constexpr std::uint32_t kMany = 1'000;  // transactions
    BlockAccessList list;
    for (std::uint64_t i = 1; i <= 400; ++i) {
        if (i % 100 == 1) list.accounts.emplace_back().address = address_from_low64(i);
        ListedSlot& slot = list.accounts.back().storage_changes.emplace_back();
        slot.slot = Uint256{i};
        for (std::uint32_t index = 1; index <= kMany; ++index)
            slot.changes.push_back({index, Uint256{index}});
    }
    // A million gas makes 4,000; and in each part there are some that were not counted yet.
    EXPECT_LE(bytes_until_refused(list, kMany), 1024 * (4'256 + 64 * (GetParam() + 1)));
}

// Counted a few dozen at a time, to the last one all the same.
TEST_P(ListedMemory, is_for_as_many_items_as_are_allowed) {
    BlockAccessList list;
    for (std::uint64_t i = 1; i <= 64; ++i) {
        list.accounts.emplace_back().address = address_from_low64(i);
        list.accounts.back().storage_reads = {Uint256{i}};
    }
    EXPECT_TRUE(takes(list, kTransactions, 128 * kAccessListItemGas));
    EXPECT_FALSE(takes(list, kTransactions, 128 * kAccessListItemGas - 1));
}

TEST_P(ListedMemory, is_for_as_many_changes_as_gas_can_make) {
    constexpr std::uint64_t kGas = 32'000;  // makes 384, of 16 items
    const auto takes_changes = [](std::uint32_t count, std::size_t bytes_of_code) {
        BlockAccessList list;
        for (std::uint32_t slot = 0; slot < 12; ++slot) {
            if (slot % 3 == 0) list.accounts.emplace_back().address = address_from_low64(1 + slot);
            ListedSlot& listed = list.accounts.back().storage_changes.emplace_back();
            listed.slot = Uint256{slot};
            const std::uint32_t last = slot == 11 ? count : 32 * (slot + 1);
            for (std::uint32_t index = 0; index < last - 32 * slot; ++index)
                listed.changes.push_back({index, Uint256{1}});
        }
        if (bytes_of_code != 0)
            list.accounts.back().code_changes = {{1, Bytes(bytes_of_code, std::uint8_t{1})}};
        return takes(list, 32, kGas);
    };
    EXPECT_TRUE(takes_changes(383, 0));
    EXPECT_TRUE(takes_changes(384, 0));
    EXPECT_FALSE(takes_changes(385, 0));
    EXPECT_TRUE(takes_changes(360, 100)) << "code is bought by the byte";
    EXPECT_FALSE(takes_changes(360, 240));
}

// A list that claims as much of everything as gas can change.
BlockAccessList large_list(std::uint32_t transaction_count) {
    BlockAccessList list;
    for (std::uint64_t i = 1; i <= 100; ++i) {
        ListedAccount& account = list.accounts.emplace_back();
        account.address = address_from_low64(i);
        for (std::uint32_t index = 1; index <= transaction_count; index += 2) {
            account.nonce_changes.push_back({index, index});
            account.balance_changes.push_back({index, Uint256{index}});
            // Code goes again, and its account with it.
            account.code_changes.push_back({index, index % 4 == 1 ? Bytes(32, 1) : Bytes{}});
        }
        account.nonce_changes.back().value = 0;
        account.balance_changes.back().value = 0;
        for (std::uint64_t slot = 1; slot <= 200; ++slot)
            account.storage_reads.push_back(Uint256{slot});
    }
    return list;
}

// Whoever sends one large list must not have the memory of it for ever.
TEST_P(ListedMemory, of_a_large_list_is_given_back) {
    constexpr std::uint64_t kGas = 1'000'000'000;
    const test::FakeState base;
    ListedState state;
    const auto read = [&](const BlockAccessList& list, std::size_t transaction_count) {
        Bytes encoded;
        encode_block_access_list(list, encoded);
        EXPECT_TRUE(state.begin(encoded, base, transaction_count, kGas, GetParam()));
        for (std::size_t part = 0; part < state.part_count(); ++part)
            state.fill(part);
        EXPECT_TRUE(state.finish());
    };
    BlockAccessList small;
    small.accounts.emplace_back().address = address_from_low64(1);
    read(small, kTransactions);
    const std::size_t before = state.memory_bytes();

    constexpr std::uint32_t kMany = 2'000;  // transactions
    read(large_list(kMany), kMany);
    EXPECT_GT(state.memory_bytes(), 20'000'000u) << "otherwise nothing is shown";
    // The next one may need as much; when it does not, what follows does not.
    for (int i = 0; i < 3; ++i)
        read(small, kTransactions);

    EXPECT_LE(state.memory_bytes(), before + (GetParam() + 1) * (64U << 10));
}

INSTANTIATE_TEST_SUITE_P(Parts, ListedMemory, testing::Values(1, 2, 3, ListTables::kMostParts));

}  // namespace
}  // namespace heddle::executor
