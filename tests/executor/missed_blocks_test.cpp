// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Executors that go on after blocks that others have executed.
#include "missed_blocks.hpp"

#include <array>
#include <cstdint>
#include <random>
#include <utility>

#include <gtest/gtest.h>

#include "dag/dag_scheduler.hpp"
#include "fakes.hpp"
#include "parallel_executor.hpp"
#include "serial_executor.hpp"
#include "state/block_state.hpp"
#include "state/committed_state.hpp"
#include "state/versioned_state.hpp"

namespace heddle::executor {
namespace {

const Address kAlice = address_from_low64(0xa);
const Uint256 kEther{1'000'000'000'000'000'000};

FinishedBlock block_with(std::size_t slots) {
    FinishedBlock block;
    AccountChange& change = block.diff.accounts.emplace_back();
    change.address = kAlice;
    change.account.emplace();
    for (std::size_t i = 0; i < slots; ++i)
        change.storage.push_back({Uint256{i}, Uint256{1}});
    block.diff.codes.push_back({keccak256(Bytes{1}), Bytes{1}});
    return block;
}

TEST(MissedBlocks, notes_what_was_accepted_while_somebody_waits) {
    test::FakeState state;
    test::FakeSink sink{state};
    MissedBlocks missed;
    missed.attach(sink);
    ASSERT_TRUE(missed.commit(block_with(1)).has_value());
    EXPECT_FALSE(missed.are_known());
    EXPECT_TRUE(missed.diffs().empty());

    missed.begin();
    ASSERT_TRUE(missed.commit(block_with(2)).has_value());
    sink.rejects = true;
    ASSERT_FALSE(missed.commit(block_with(3)).has_value());
    EXPECT_TRUE(missed.are_known());
    ASSERT_EQ(missed.diffs().size(), 1u);
    EXPECT_EQ(missed.diffs()[0].accounts, block_with(2).diff.accounts);
    EXPECT_EQ(sink.blocks.size(), 2u);

    missed.end();
    EXPECT_FALSE(missed.are_known());
    EXPECT_TRUE(missed.diffs().empty());
}

TEST(MissedBlocks, gives_up_when_it_is_too_much) {
    test::FakeState state;
    test::FakeSink sink{state};
    MissedBlocks missed;
    missed.attach(sink);
    missed.begin();
    ASSERT_TRUE(missed.commit(block_with(MissedBlocks::kMostChanges - 1)).has_value());
    EXPECT_TRUE(missed.are_known());
    ASSERT_TRUE(missed.commit(block_with(1)).has_value());
    EXPECT_FALSE(missed.are_known());
    EXPECT_TRUE(missed.diffs().empty());
    EXPECT_EQ(sink.blocks.size(), 2u);
}

constexpr std::uint64_t kAccounts = 6;
constexpr std::uint64_t kSlots = 6;

/// What a block may change: values, whole storages, accounts that end and begin again.
StateDiff random_diff(std::mt19937_64& random, const StateView& state) {
    StateDiff diff;
    for (std::uint64_t i = 0; i < kAccounts; ++i) {
        if (random() % 3 != 0) continue;
        AccountChange& change = diff.accounts.emplace_back();
        change.address = address_from_low64(0x100 + i);
        if (random() % 12 == 0) continue;  // gone
        change.account = state.account(change.address).value_or(Account{});
        change.account->balance = Uint256{1 + random() % 100};
        change.storage_cleared = random() % 12 == 0;
        for (std::uint64_t slot = 0; slot < kSlots; ++slot)
            if (random() % 4 == 0) change.storage.push_back({Uint256{slot}, Uint256{random() % 3}});
    }
    return diff;
}

template <typename Visit>
void visit_some(std::mt19937_64& random, std::uint64_t one_in, Visit&& visit) {
    for (std::uint64_t i = 0; i < kAccounts; ++i)
        for (std::uint64_t slot = 0; slot < kSlots; ++slot)
            if (random() % one_in == 0) visit(address_from_low64(0x100 + i), Uint256{slot});
}

TEST(MissedBlocks, a_serial_state_that_follows_is_the_committed_one) {
    for (std::uint64_t seed = 1; seed <= 2'000; ++seed) {
        std::mt19937_64 random{seed};
        test::FakeState base;
        BlockState state;
        state.attach(base);
        for (int block = 0; block < 12; ++block) {
            visit_some(random, 3, [&](const Address& address, const Uint256& slot) {
                static_cast<void>(state.storage(address, slot));
            });
            const StateDiff diff = random_diff(random, base);
            if (random() % 2 == 0) {
                state.apply(diff);
                base.apply(diff);
                state.accept();
            } else {
                base.apply(diff);
                state.follow(diff);
            }
            visit_some(random, 1, [&](const Address& address, const Uint256& slot) {
                ASSERT_EQ(state.account(address), base.account(address)) << "seed " << seed;
                ASSERT_EQ(state.storage(address, slot), base.storage(address, slot))
                    << "seed " << seed;
                ASSERT_EQ(state.has_storage(address), base.has_storage(address)) << "seed " << seed;
            });
        }
    }
}

TEST(MissedBlocks, cells_that_follow_show_the_committed_state) {
    std::size_t followed = 0;
    std::size_t left = 0;
    for (std::uint64_t seed = 1; seed <= 2'000; ++seed) {
        std::mt19937_64 random{seed};
        test::FakeState base;
        VersionedState cells;
        CommittedState state{cells};
        cells.attach(base);
        for (std::uint64_t block = 1; block <= 12; ++block) {
            BlockChanges changes;
            changes.serial = block;
            changes.first_stamp = make_stamp(10 * block, 0);
            state.begin_in_order(changes, make_stamp_in_order(10 * block));
            visit_some(random, 3, [&](const Address& address, const Uint256& slot) {
                static_cast<void>(state.storage(address, slot));
            });
            const StateDiff diff = random_diff(random, base);
            if (random() % 2 == 0) {
                state.apply(diff);
                base.apply(diff);
            } else {
                base.apply(diff);
                const bool has_followed = cells.follow(diff);
                ++(has_followed ? followed : left);
                state.forget();
                if (!has_followed) cells.attach(base);
            }
            // Others than these are read by nobody until they are asked for again.
            visit_some(random, 2, [&](const Address& address, const Uint256& slot) {
                ASSERT_EQ(state.account(address), base.account(address)) << "seed " << seed;
                ASSERT_EQ(state.storage(address, slot), base.storage(address, slot))
                    << "seed " << seed;
                ASSERT_EQ(state.has_storage(address), base.has_storage(address)) << "seed " << seed;
            });
        }
    }
    EXPECT_GT(followed, 2'000u);
    EXPECT_GT(left, 1'000u) << "what cleared storage";
}

/// Two executors take turns on a chain of transfers between the same accounts.
class TakingTurns : public testing::Test {
protected:
    const ChainConfig config_ = test::config_of_shanghai();
    test::FakeState state_;
    test::FakeBlockHashes hashes_;
    test::FakeSink sink_{state_};
    MissedBlocks missed_;
    SerialExecutor serial_{Options{}};
    ParallelExecutor parallel_{options(), {.make = make_dag_scheduler}};
    std::array<std::uint64_t, 8> nonces_{};
    std::uint64_t timestamp_ = 0;

    static Options options() {
        Options result;
        result.parallel.workers = 2;
        result.parallel.may_outnumber_processors = true;
        return result;
    }
    void SetUp() override {
        for (std::uint64_t i = 0; i < nonces_.size(); ++i)
            state_.set_balance(sender(i), kEther);
        missed_.attach(sink_);
    }
    static Address sender(std::uint64_t i) { return address_from_low64(0x1000 + i); }
    [[nodiscard]] World world() { return {config_, state_, hashes_, missed_}; }
    static ChainHead genesis() {
        BlockHeader header;
        header.gas_limit = 30'000'000;
        header.base_fee_per_gas = Uint256{1'000'000'000};
        return make_chain_head(header, Uint256{});
    }
    void run_block(Executor& executor) {
        BlockStart block;
        block.mode = BlockMode::propose;
        block.header.timestamp = timestamp_ += 12;
        block.header.gas_limit = 30'000'000;
        block.header.beneficiary = address_from_low64(0x313e3);
        ASSERT_TRUE(executor.begin_block(std::move(block)).has_value());
        for (std::uint64_t i = 0; i < nonces_.size(); ++i) {
            Transaction tx;
            tx.sender = sender(i);
            tx.nonce = nonces_[i]++;
            tx.max_fee_per_gas = tx.max_priority_fee_per_gas = Uint256{2'000'000'000};
            tx.gas_limit = 21'000;
            tx.to = sender((i + 1) % nonces_.size());
            tx.value = Uint256{timestamp_ + i};
            executor.submit(std::move(tx), std::nullopt);
        }
        executor.end_block();
        const auto summary = executor.drain();
        ASSERT_TRUE(summary.has_value());
        ASSERT_EQ(summary->head_number, timestamp_ / 12);
    }
};

TEST_F(TakingTurns, who_goes_on_reads_nothing_anew_and_sees_what_was_changed) {
    serial_.start(world(), genesis());
    run_block(serial_);
    parallel_.start(world(), serial_.tip().head());
    missed_.begin();  // for the serial one
    run_block(parallel_);
    for (int turn = 0; turn < 4; ++turn) {
        const std::size_t reads = state_.reads;
        serial_.go_on(parallel_.tip().head(), missed_.diffs());
        missed_.begin();
        run_block(serial_);
        run_block(serial_);
        parallel_.go_on(serial_.tip().head(), missed_.diffs());
        missed_.begin();
        run_block(parallel_);
        EXPECT_EQ(state_.reads, reads) << "turn " << turn;
    }
    // Nonces and balances were checked on the way: only the right ones are accepted.
    for (std::uint64_t i = 0; i < nonces_.size(); ++i)
        EXPECT_EQ(state_.account(sender(i))->nonce, nonces_[i]);
    EXPECT_EQ(sink_.blocks.size(), 14u);
}

TEST_F(TakingTurns, counts_what_each_turn_has_executed) {
    parallel_.start(world(), genesis());
    run_block(parallel_);
    run_block(parallel_);
    serial_.start(world(), parallel_.tip().head());
    run_block(serial_);
    parallel_.go_on(serial_.tip().head(), {});
    EXPECT_EQ(parallel_.drain()->stats.blocks, 0u);
    EXPECT_EQ(parallel_.drain()->head_number, 3u);
    serial_.go_on(parallel_.tip().head(), {});
    EXPECT_EQ(serial_.drain()->stats.blocks, 0u);
}

}  // namespace
}  // namespace heddle::executor
