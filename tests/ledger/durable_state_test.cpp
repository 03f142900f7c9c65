// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The head's state in other ways than value by value: read ahead, explained.

#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <ledger/durable_ledger.hpp>

#include "temporary_folder.hpp"
#include "twin_chain.hpp"

namespace heddle::ledger {
namespace {

using test::expect_same_state;
using test::expect_stands_at;
using test::must_commit;
using test::must_create;
using test::must_open;
using test::options_for;
using test::Random;
using test::TwinChain;

class DurableStateTest : public testing::Test {
protected:
    test::TemporaryFolder folder_;
    const std::string directory_ = folder_ / "data";
    Random random_{14};
    TwinChain twin_;
};

/// Of what random chains use, and of what is nowhere.
ObjectSet random_objects(Random& random) {
    std::vector<Access> accesses;
    for (std::size_t i = random.below(30); i != 0; --i) {
        ObjectId object{address_from_low64(random.below(TwinChain::kAddresses + 3)),
                        static_cast<ObjectKind>(random.below(5)),
                        {}};
        if (object.kind == ObjectKind::storage) object.slot = random.below(TwinChain::kSlots + 2);
        accesses.push_back({object, AccessMode::read});
    }
    return ObjectSet(std::move(accesses));
}

TEST_F(DurableStateTest, reading_ahead_changes_no_value) {
    auto options = options_for(directory_);
    auto ledger = must_create(options);
    // Next to no cache: what is read ahead is dropped, too.
    options.memory_bytes = std::size_t{1} << 10;
    ledger.reset();
    ledger = must_open(options);
    for (std::uint64_t number = 1; number <= 150; ++number) {
        for (int i = 0; i < 5; ++i)
            ledger->state().prefetch(random_objects(random_));
        must_commit(*ledger, twin_.grow(random_));
        expect_stands_at(*ledger, twin_, number);
        if (HasFatalFailure()) return;
    }
}

TEST_F(DurableStateTest, says_what_can_be_read_without_the_disk) {
    auto options = options_for(directory_);
    auto ledger = must_create(options);
    for (std::uint64_t number = 1; number <= 20; ++number)
        must_commit(*ledger, twin_.grow(random_));
    ledger.reset();
    ledger = must_open(options);
    const std::vector<ObjectId> objects = {
        {address_from_low64(1), ObjectKind::balance, {}},
        {address_from_low64(2), ObjectKind::storage, Uint256(1)}};
    EXPECT_TRUE(ledger->state().are_at_hand({}));
    EXPECT_FALSE(ledger->state().are_at_hand(objects));
    (void)ledger->state().account(objects[0].address);
    EXPECT_TRUE(ledger->state().are_at_hand(std::span(objects).first(1)));
    EXPECT_FALSE(ledger->state().are_at_hand(objects));
    (void)ledger->state().storage(objects[1].address, objects[1].slot);
    EXPECT_TRUE(ledger->state().are_at_hand(objects));
}

TEST_F(DurableStateTest, more_is_asked_for_than_is_read_ahead) {
    const auto ledger = must_create(options_for(directory_));
    std::vector<Access> accesses;
    for (std::uint64_t i = 0; i < 100'000; ++i)
        accesses.push_back(
            {{address_from_low64(2), ObjectKind::storage, Uint256(i)}, AccessMode::read});
    const ObjectSet many(std::move(accesses));
    for (int i = 0; i < 20; ++i) {
        ledger->state().prefetch(many);
        ledger->state().prefetch(random_objects(random_));
    }
    expect_same_state(ledger->state(), twin_.state(0));
}

TEST_F(DurableStateTest, mismatch_is_explained_and_blamed_on_the_block) {
    auto options = options_for(directory_);
    options.explains_mismatches = true;
    const auto ledger = must_create(options);
    for (std::uint64_t number = 1; number <= 10; ++number) {
        StateDiff diff;
        // A storage of its own, of which nothing stands in the table.
        diff.accounts.push_back(
            {address_from_low64(0x77), Account{number, 5}, false, {{1, number}}});
        FinishedBlock wrong = twin_.child(random_, diff);
        wrong.block.header.state_root = keccak256(Bytes{1});

        const auto rejected = ledger->commit(std::move(wrong));

        ASSERT_FALSE(rejected.has_value());
        const std::string& detail = rejected.error().detail;
        EXPECT_NE(detail.find(to_string(address_from_low64(0x77))), std::string::npos) << detail;
        EXPECT_NE(detail.find("recomputed from the leaves it is the same"), std::string::npos)
            << detail;
        must_commit(*ledger, twin_.grow(random_));
        expect_stands_at(*ledger, twin_, number);
        if (HasFatalFailure()) return;
    }
}

TEST_F(DurableStateTest, numbers_tell_what_was_changed_and_written) {
    const auto ledger = must_create(options_for(directory_));
    StateDiff diff;
    diff.accounts.push_back({address_from_low64(2), Account{5, 5}, false, {{1, 0}, {9, 9}}});
    diff.accounts.push_back({address_from_low64(1), Account{0, 100}, false, {}});
    must_commit(*ledger, twin_.grow(random_, diff));
    ASSERT_TRUE(ledger->wait_durable(1).has_value());

    const LedgerStats stats = ledger->stats();

    // The second account is as it was.
    EXPECT_EQ(stats.accounts_changed, 1u);
    EXPECT_EQ(stats.slots_changed, 2u);
    EXPECT_GT(stats.root_ns, 0u);
    EXPECT_GT(stats.bytes_written, 500u);
}

}  // namespace
}  // namespace heddle::ledger
