// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "state/accounts_ahead.hpp"

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

class AccountsAheadTest : public testing::Test {
protected:
    test::FakeState committed_;
    WorkerParking parking_;
    AccountsAhead ahead_{&parking_};

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
        while (ahead_.run_once())
            ++batches;
        return batches;
    }
};

TEST_F(AccountsAheadTest, others_read_what_the_executing_thread_has_not_come_to) {
    const std::vector<Transaction> block = transfers(3 * kBatch);
    ahead_.begin(committed_, block);
    EXPECT_TRUE(ahead_.has_work());
    EXPECT_EQ(read_all(), 3u);

    EXPECT_EQ(ahead_.find(0), nullptr) << "it is being executed";
    for (std::size_t i = kBatch; i < block.size(); ++i) {
        const AccountsOfTransaction* const read = ahead_.find(i);
        ASSERT_NE(read, nullptr);
        EXPECT_EQ(read->sender->balance, Uint256{i});
        EXPECT_EQ(read->recipient, std::nullopt);
    }
    EXPECT_EQ(committed_.reads, 2 * 2 * kBatch);
    ahead_.end();
}

TEST_F(AccountsAheadTest, what_has_been_passed_is_not_read) {
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

TEST_F(AccountsAheadTest, a_batch_that_the_executing_thread_has_come_to_is_not_read_to_its_end) {
    const std::vector<Transaction> block = transfers(2 * kBatch);
    const EndingState state([&] { EXPECT_EQ(ahead_.find(kBatch + 1), nullptr); });
    ahead_.begin(state, block);
    read_all();

    EXPECT_EQ(state.reads, 6u) << "two for each of three transactions";
    EXPECT_EQ(ahead_.find(kBatch + 1), nullptr);
    ahead_.end();
}

TEST_F(AccountsAheadTest, nothing_is_read_when_the_block_is_over) {
    const std::vector<Transaction> block = transfers(4 * kBatch);
    ahead_.begin(committed_, block);
    EXPECT_TRUE(ahead_.run_once());
    ahead_.end();

    EXPECT_FALSE(ahead_.has_work());
    EXPECT_FALSE(ahead_.run_once());
    EXPECT_EQ(committed_.reads, 0u) << "the first batch had been passed";
    EXPECT_EQ(ahead_.find(kBatch), nullptr);
}

TEST_F(AccountsAheadTest, what_was_read_for_one_block_is_not_found_in_the_next) {
    const std::vector<Transaction> block = transfers(2 * kBatch);
    ahead_.begin(committed_, block);
    EXPECT_EQ(read_all(), 2u);
    EXPECT_NE(ahead_.find(kBatch), nullptr);
    ahead_.end();
    ahead_.begin(committed_, block);

    EXPECT_EQ(ahead_.find(kBatch), nullptr);
    ahead_.end();
}

TEST_F(AccountsAheadTest, nothing_is_read_while_it_is_of_no_use) {
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

TEST_F(AccountsAheadTest, a_transaction_may_name_one_account_or_none) {
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

TEST_F(AccountsAheadTest, nobody_reads_where_nobody_helps) {
    AccountsAhead alone{nullptr};
    const std::vector<Transaction> block = transfers(4 * kBatch);
    alone.begin(committed_, block);

    EXPECT_FALSE(alone.has_work());
    EXPECT_EQ(alone.find(kBatch), nullptr);
    alone.end();
}

TEST_F(AccountsAheadTest, a_block_state_does_not_read_again_what_others_have_read) {
    const std::vector<Transaction> block = transfers(4 * kBatch);
    BlockState state;
    state.attach(committed_);
    ahead_.begin(committed_, block);
    read_all();
    const std::size_t read_ahead = committed_.reads;
    for (std::size_t i = 0; i < block.size(); ++i) {
        state.expect_next(block, i, &ahead_);
        EXPECT_EQ(state.account(sender_of(i))->balance, Uint256{i});
        EXPECT_EQ(state.account(recipient_of(i)), std::nullopt);
    }
    ahead_.end();

    EXPECT_EQ(committed_.reads - read_ahead, 2 * kBatch) << "the first batch alone";
}

TEST_F(AccountsAheadTest, what_the_block_has_changed_is_not_replaced) {
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

TEST_F(AccountsAheadTest, threads_that_come_at_any_time_read_what_there_is) {
    std::vector<Transaction> block = transfers(64 * kBatch);
    std::atomic<bool> is_over = false;
    std::vector<std::thread> helpers;
    for (int i = 0; i < 3; ++i)
        helpers.emplace_back([&] {
            while (!is_over.load())
                if (!ahead_.run_once()) std::this_thread::yield();
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
