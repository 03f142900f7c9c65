// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "state/read_ahead.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "fakes.hpp"
#include "state/block_state.hpp"

namespace heddle::executor {
namespace {

constexpr std::size_t kBatch = 16;

Address sender_of(std::size_t index) {
    return address_from_low64(0x1000 + index);
}
Address recipient_of(std::size_t index) {
    return address_from_low64(0x2000 + index);
}

class ReadAheadTest : public testing::Test {
protected:
    test::FakeState committed_;
    WorkerParking parking_;
    ReadAhead ahead_{&parking_};
    AccessForecaster forecaster_;

    /// Each with a sender that has `index` wei and a recipient that there is not.
    std::vector<Transaction> transfers(std::size_t count) {
        std::vector<Transaction> block(count);
        for (std::size_t i = 0; i < count; ++i) {
            block[i].sender = sender_of(i);
            block[i].to = recipient_of(i);
            committed_.set_balance(sender_of(i), Uint256{i});
        }
        return block;
    }
    unsigned read_all() {
        unsigned batches = 0;
        while (ahead_.run_once(forecaster_))
            ++batches;
        return batches;
    }
};

TEST_F(ReadAheadTest, others_read_what_the_executing_thread_has_not_come_to) {
    const std::vector<Transaction> block = transfers(3 * kBatch);
    ahead_.begin(committed_, block);
    EXPECT_TRUE(ahead_.has_work());
    EXPECT_EQ(read_all(), 3u);

    EXPECT_EQ(ahead_.find(0), nullptr) << "it is being executed";
    for (std::size_t i = kBatch; i < block.size(); ++i) {
        const TransactionAhead* const read = ahead_.find(i);
        ASSERT_NE(read, nullptr);
        EXPECT_EQ(read->sender->balance, Uint256{i});
        EXPECT_EQ(read->recipient, std::nullopt);
    }
    EXPECT_EQ(committed_.reads, 2 * 2 * kBatch);
    ahead_.end();
}

TEST_F(ReadAheadTest, what_has_been_passed_is_not_read) {
    const std::vector<Transaction> block = transfers(4 * kBatch);
    ahead_.begin(committed_, block);
    EXPECT_EQ(ahead_.find(2 * kBatch), nullptr);
    read_all();

    EXPECT_EQ(committed_.reads, 2 * kBatch);
    EXPECT_NE(ahead_.find(3 * kBatch), nullptr);
    ahead_.end();
}

/// Ends the block from within the read of an account.
class EndingState final : public StateView {
public:
    explicit EndingState(std::function<void()> at_read) : at_read_(std::move(at_read)) {}
    mutable std::size_t reads = 0;

    std::optional<Account> account(const Address&) const noexcept override {
        if (++reads == 5) at_read_();
        return std::nullopt;
    }
    Uint256 storage(const Address&, const Uint256&) const noexcept override { return {}; }
    bool has_storage(const Address&) const noexcept override { return false; }
    BytesView code(const Hash&) const noexcept override { return {}; }

private:
    std::function<void()> at_read_;
};

TEST_F(ReadAheadTest, a_batch_that_the_executing_thread_has_come_to_is_not_read_to_its_end) {
    const std::vector<Transaction> block = transfers(2 * kBatch);
    const EndingState state([&] { EXPECT_EQ(ahead_.find(kBatch + 1), nullptr); });
    ahead_.begin(state, block);
    read_all();

    EXPECT_EQ(state.reads, 6u) << "two for each of three transactions";
    EXPECT_EQ(ahead_.find(kBatch + 1), nullptr);
    ahead_.end();
}

TEST_F(ReadAheadTest, nothing_is_read_when_the_block_is_over) {
    const std::vector<Transaction> block = transfers(4 * kBatch);
    ahead_.begin(committed_, block);
    EXPECT_TRUE(ahead_.run_once(forecaster_));
    ahead_.end();

    EXPECT_FALSE(ahead_.has_work());
    EXPECT_FALSE(ahead_.run_once(forecaster_));
    EXPECT_EQ(committed_.reads, 0u) << "the first batch had been passed";
    EXPECT_EQ(ahead_.find(kBatch), nullptr);
}

TEST_F(ReadAheadTest, what_was_read_for_one_block_is_not_found_in_the_next) {
    const std::vector<Transaction> block = transfers(2 * kBatch);
    ahead_.begin(committed_, block);
    EXPECT_EQ(read_all(), 2u);
    EXPECT_NE(ahead_.find(kBatch), nullptr);
    ahead_.end();
    ahead_.begin(committed_, block);

    EXPECT_EQ(ahead_.find(kBatch), nullptr);
    ahead_.end();
}

TEST_F(ReadAheadTest, nothing_is_read_while_it_is_of_no_use) {
    const std::vector<Transaction> block = transfers(3 * kBatch);
    ahead_.want(false);
    ahead_.begin(committed_, block);
    EXPECT_FALSE(ahead_.has_work());
    EXPECT_EQ(read_all(), 0u);

    ahead_.want(true);
    EXPECT_EQ(read_all(), 3u);
    EXPECT_NE(ahead_.find(kBatch), nullptr);
    ahead_.end();
}

TEST_F(ReadAheadTest, a_transaction_may_name_one_account_or_none) {
    std::vector<Transaction> block = transfers(2 * kBatch);
    block[kBatch].to.reset();
    block[kBatch + 1].sender.reset();
    block[kBatch + 2].sender.reset();
    block[kBatch + 2].to.reset();
    ahead_.begin(committed_, block);
    read_all();

    EXPECT_EQ(ahead_.find(kBatch)->sender->balance, Uint256{kBatch});
    EXPECT_EQ(ahead_.find(kBatch + 1)->sender, std::nullopt);
    EXPECT_EQ(committed_.reads, 2 * kBatch - 4);
    ahead_.end();
}

TEST_F(ReadAheadTest, nobody_reads_where_nobody_helps) {
    ReadAhead alone{nullptr};
    const std::vector<Transaction> block = transfers(4 * kBatch);
    alone.begin(committed_, block);

    EXPECT_FALSE(alone.has_work());
    EXPECT_EQ(alone.find(kBatch), nullptr);
    alone.end();
}

TEST_F(ReadAheadTest, a_block_state_does_not_read_again_what_others_have_read) {
    const std::vector<Transaction> block = transfers(4 * kBatch);
    BlockState state;
    state.attach(committed_);
    ahead_.begin(committed_, block);
    read_all();
    const std::size_t read_ahead = committed_.reads;
    for (std::size_t i = 0; i < block.size(); ++i) {
        (void)state.expect_next(block, i, &ahead_);
        EXPECT_EQ(state.account(sender_of(i))->balance, Uint256{i});
        EXPECT_EQ(state.account(recipient_of(i)), std::nullopt);
    }
    ahead_.end();

    EXPECT_EQ(committed_.reads - read_ahead, 2 * kBatch) << "the first batch alone";
}

TEST_F(ReadAheadTest, what_the_block_has_changed_is_not_replaced) {
    const std::vector<Transaction> block = transfers(2 * kBatch);
    BlockState state;
    state.attach(committed_);
    ahead_.begin(committed_, block);
    read_all();
    AccountChange change;
    change.address = sender_of(kBatch);
    change.account.emplace().balance = Uint256{7};
    state.apply({{change}, {}});
    for (std::size_t i = 0; i < block.size(); ++i)
        state.expect_next(block, i, &ahead_);
    ahead_.end();

    EXPECT_EQ(state.account(sender_of(kBatch))->balance, Uint256{7});
}

// --- Calls, by the patterns of what they call ----------------------------------------------------

const Address kToken = address_from_low64(0x70ce);

/// The slot that a token keeps an owner's balance in: `mapping` at position 3.
Uint256 balance_slot(const Address& owner) {
    std::array<std::uint8_t, 64> input;
    store_be(to_word(owner), input.data());
    store_be(Uint256{3}, input.data() + 32);
    return to_word(keccak256(input));
}

/// Who gets something from the `index`-th call.
Address owner_of(std::size_t index) {
    return address_from_low64(0x3000'0000 + index);
}

class CallsAheadTest : public ReadAheadTest {
protected:
    AccessPatterns patterns_;

    /// transfer(recipient, amount) of a token; the token holds i for sender i.
    std::vector<Transaction> calls(std::size_t count) {
        std::vector<Transaction> block = transfers(count);
        for (std::size_t i = 0; i < count; ++i) {
            block[i].data.assign(4 + 64, 0);
            store_be(to_word(owner_of(i)), block[i].data.data() + 4);
            store_be(Uint256{i}, block[i].data.data() + 36);
            block[i].to = kToken;
            committed_.slots[{kToken, to_hash(balance_slot(sender_of(i)))}] = Uint256{i};
        }
        committed_.set_balance(kToken, Uint256{1});
        return block;
    }
    /// As if the call had been executed, looked on at.
    void learn(const Transaction& tx) {
        CallNotes notes;
        Bytes argument{tx.data.begin() + 16, tx.data.begin() + 36};
        Address recipient;
        std::ranges::copy(argument, recipient.bytes.begin());
        for (const Address& owner : {*tx.sender, recipient}) {
            std::array<std::uint8_t, 64> input;
            store_be(to_word(owner), input.data());
            store_be(Uint256{3}, input.data() + 32);
            notes.hashes.add(vm::ShortInput{input}, keccak256(input));
            notes.read.push_back({kToken, balance_slot(owner), {}});
        }
        EXPECT_TRUE(patterns_.wants(tx));
        patterns_.learn(tx, notes);
        patterns_.publish();
    }
};

TEST_F(CallsAheadTest, slots_and_hashes_are_found_that_were_not_told) {
    const std::vector<Transaction> block = calls(3 * kBatch);
    learn(block[0]);
    ahead_.begin(committed_, block, &patterns_);
    read_all();

    for (std::size_t i = kBatch; i < block.size(); ++i) {
        const TransactionAhead* const read = ahead_.find(i);
        ASSERT_NE(read, nullptr);
        ASSERT_EQ(read->slots.size(), 2u);
        EXPECT_EQ(read->slots[0].slot, balance_slot(sender_of(i)));
        EXPECT_EQ(read->slots[0].value, Uint256{i});
        EXPECT_EQ(read->slots[1].slot, balance_slot(owner_of(i)));
        EXPECT_EQ(read->slots[1].value, Uint256{});
        ASSERT_EQ(read->hashes.size(), 2u);
        for (const vm::KnownHash& known : read->hashes)
            EXPECT_EQ(known.hash, keccak256(known.input.bytes()));
    }
    ahead_.end();
}

TEST_F(CallsAheadTest, a_block_state_does_not_read_again_the_slots_that_others_have_read) {
    const std::vector<Transaction> block = calls(4 * kBatch);
    learn(block[0]);
    BlockState state;
    state.attach(committed_);
    ahead_.begin(committed_, block, &patterns_);
    read_all();
    (void)state.account(kToken);
    const std::size_t read_ahead = committed_.reads;
    for (std::size_t i = 0; i < block.size(); ++i) {
        (void)state.expect_next(block, i, &ahead_);
        EXPECT_EQ(state.storage(kToken, balance_slot(sender_of(i))), Uint256{i});
    }
    ahead_.end();

    EXPECT_EQ(committed_.reads - read_ahead, kBatch) << "the first batch alone";
}

TEST_F(CallsAheadTest, slots_that_the_block_has_changed_or_cleared_are_not_replaced) {
    const std::vector<Transaction> block = calls(3 * kBatch);
    learn(block[0]);
    const Uint256 slot = balance_slot(sender_of(kBatch));
    const auto read_after = [&](const AccountChange& change) {
        BlockState state;
        state.attach(committed_);
        ahead_.begin(committed_, block, &patterns_);
        read_all();
        state.apply({{change}, {}});
        for (std::size_t i = 0; i < block.size(); ++i)
            (void)state.expect_next(block, i, &ahead_);
        ahead_.end();
        return state.storage(kToken, slot);
    };
    const Account token{.balance = Uint256{1}};

    EXPECT_EQ(read_after({.address = kToken, .account = token, .storage = {{slot, Uint256{7}}}}),
              Uint256{7});
    EXPECT_EQ(
        read_after({.address = kToken, .account = token, .storage_cleared = true, .storage = {}}),
        Uint256{});
    EXPECT_EQ(read_after({.address = kToken, .account = std::nullopt, .storage = {}}), Uint256{});
    EXPECT_EQ(read_after({.address = sender_of(0), .account = token, .storage = {}}),
              Uint256{kBatch});
}

TEST_F(CallsAheadTest, what_one_transaction_can_have_read_is_bounded) {
    std::vector<Transaction> block = calls(2 * kBatch);
    // Hashes more than any pattern holds, each with a slot behind it.
    CallNotes notes;
    for (std::uint64_t i = 0; i < 30; ++i) {
        std::array<std::uint8_t, 64> input;
        store_be(to_word(*block[0].sender), input.data());
        store_be(Uint256{i}, input.data() + 32);
        const Hash hash = keccak256(input);
        notes.hashes.add(vm::ShortInput{input}, hash);
        notes.read.push_back({kToken, to_word(hash), {}});
    }
    ASSERT_TRUE(patterns_.wants(block[0]));
    patterns_.learn(block[0], notes);
    patterns_.publish();
    ahead_.begin(committed_, block, &patterns_);
    read_all();

    EXPECT_EQ(committed_.reads, 2 * kBatch + 3 * kBatch) << "accounts, and three slots for each";
    std::size_t slots = 0;
    std::size_t hashes = 0;
    for (std::size_t i = kBatch; i < block.size(); ++i) {
        EXPECT_LE(ahead_.find(i)->slots.size(), AccessPattern::kMostSlots);
        EXPECT_LE(ahead_.find(i)->hashes.size(), AccessPattern::kMostHashes);
        slots += ahead_.find(i)->slots.size();
        hashes += ahead_.find(i)->hashes.size();
    }
    EXPECT_EQ(slots, 3 * kBatch);
    EXPECT_EQ(hashes, 3 * kBatch);
    ahead_.end();
}

TEST_F(ReadAheadTest, threads_that_come_at_any_time_read_what_there_is) {
    std::vector<Transaction> block = transfers(64 * kBatch);
    std::atomic<bool> is_over = false;
    std::vector<std::thread> helpers;
    for (int i = 0; i < 3; ++i)
        helpers.emplace_back([&] {
            AccessForecaster forecaster;
            while (!is_over.load())
                if (!ahead_.run_once(forecaster)) std::this_thread::yield();
        });
    for (std::uint64_t round = 1; round <= 50; ++round) {
        BlockState state;
        state.attach(committed_);
        ahead_.begin(committed_, block);
        for (std::size_t i = 0; i < block.size(); ++i) {
            state.expect_next(block, i, &ahead_);
            ASSERT_EQ(state.account(sender_of(i))->balance, Uint256{round * i});
        }
        ahead_.end();
        // Nobody reads now, so all of it may change, and the block go elsewhere.
        block = transfers(64 * kBatch);
        for (std::size_t i = 0; i < block.size(); ++i)
            committed_.accounts[sender_of(i)].balance = Uint256{(round + 1) * i};
    }
    is_over = true;
    for (std::thread& helper : helpers)
        helper.join();
}

}  // namespace
}  // namespace heddle::executor
