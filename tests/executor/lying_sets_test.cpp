// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Object sets and access lists cost whoever sends a block nothing. What they may cost who executes
// it is counted here: values that are read, objects that are asked for, memory that stays.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <types/block_access_list.hpp>

#include <executor/executor.hpp>
#include <executor/schedulers.hpp>

#include "fakes.hpp"
#include "stream/set_credit.hpp"

namespace heddle::executor {
namespace {

constexpr std::uint64_t kGasLimit = 60'000'000;
const Address kBurner = address_from_low64(0xb42e);  // takes all gas for nothing
const Address kNamed = address_from_low64(0x4a3ed);

/// Blocks of a few transactions that may use much gas and do nothing.
class LyingSets : public testing::TestWithParam<std::string> {
protected:
    static constexpr std::size_t kBlocks = 20;
    static constexpr std::size_t kTransactions = 3;
    static constexpr std::uint64_t kNamedSlots = 20'000;  // by each

    LyingSets() {
        state_.deploy(kBurner, {0xfe});
        for (std::uint64_t i = 0; i < kTransactions; ++i)
            state_.set_balance(address_from_low64(0x1000 + i), ~Uint256{} >> 32);
    }
    void start(unsigned pipeline) {
        Options options;
        options.parallel.workers = 2;
        options.parallel.may_outnumber_processors = true;
        options.parallel.pipeline = pipeline;
        options.parallel.run_chains_inline = false;
        executor_ = make_executor(GetParam(), std::move(options));
        BlockHeader genesis;
        genesis.gas_limit = kGasLimit;
        genesis.base_fee_per_gas = Uint256{7};
        executor_->start({config_, state_, hashes_, sink_}, make_chain_head(genesis, Uint256{}));
    }
    void run() {
        for (std::uint64_t number = 1; number <= kBlocks; ++number) {
            BlockStart block;
            block.mode = BlockMode::propose;
            block.header.timestamp = 12 * number;
            block.header.gas_limit = kGasLimit;
            ASSERT_TRUE(executor_->begin_block(std::move(block)).has_value());
            for (std::uint64_t i = 0; i < kTransactions; ++i)
                executor_->submit(burner(i, number - 1), lie());
            executor_->end_block();
        }
        const auto summary = executor_->drain();
        ASSERT_TRUE(summary.has_value());
        EXPECT_EQ(summary->stats.transactions, kBlocks * kTransactions);
    }
    static Transaction burner(std::uint64_t sender, std::uint64_t nonce) {
        Transaction tx;
        tx.sender = address_from_low64(0x1000 + sender);
        tx.nonce = nonce;
        tx.max_fee_per_gas = tx.max_priority_fee_per_gas = Uint256{2'000'000'000};
        tx.gas_limit = 15'000'000;
        tx.to = kBurner;
        return tx;
    }
    ObjectSet lie() {
        std::vector<Access> accesses;
        for (std::uint64_t i = 0; i < kNamedSlots; ++i)
            accesses.push_back(
                {{kNamed, ObjectKind::storage, Uint256{next_slot_++}}, AccessMode::write});
        return ObjectSet{std::move(accesses)};
    }
    [[nodiscard]] std::size_t prefetched() const {
        std::size_t objects = 0;
        for (const ObjectSet& set : state_.prefetched)
            objects += set.accesses().size();
        return objects;
    }

    /// What a stream may lose before anything is known of it, and what honest sets hold.
    static constexpr std::size_t kEnough = static_cast<std::size_t>(SetCredit::kFirst) + 1'000;

    const ChainConfig config_ = test::config_of_shanghai();
    test::FakeState state_;
    test::FakeBlockHashes hashes_;
    test::FakeSink sink_{state_};
    std::unique_ptr<Executor> executor_;
    std::uint64_t next_slot_ = 0;
};

TEST_P(LyingSets, are_not_looked_up_for_gas_that_nothing_was_done_with) {
    for (const unsigned pipeline : {1U, 2U}) {
        for (const bool is_at_hand : {true, false}) {
            SCOPED_TRACE(std::to_string(pipeline) + (is_at_hand ? ", at hand" : ", far"));
            state_.is_at_hand = is_at_hand;
            state_.reads = 0;
            state_.prefetched.clear();
            start(pipeline);
            run();
            EXPECT_LT(state_.reads, kEnough);
            EXPECT_LT(prefetched(), kEnough);
            const MemoryUse use = executor_->memory();
            EXPECT_LT(use.cell_bytes + use.record_bytes, std::size_t{8} << 20);
            executor_.reset();
            for (std::uint64_t i = 0; i < kTransactions; ++i)
                state_.accounts[address_from_low64(0x1000 + i)].nonce = 0;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Schedulers, LyingSets,
                         testing::Values("dag", "auto", "early", "late", "optimistic"),
                         [](const auto& info) { return info.param; });

class LyingLists : public testing::Test {
protected:
    static constexpr std::uint64_t kNamedSlots = 20'000;

    LyingLists() {
        Options options;
        options.parallel.workers = 2;
        options.parallel.may_outnumber_processors = true;
        options.parallel.run_chains_inline = false;
        options.make_access_lists = true;
        executor_ = make_executor(kDefaultScheduler, std::move(options));
        state_.set_balance(kSender, ~Uint256{} >> 32);
        start();
    }
    /// At the block that was run last.
    void start() {
        BlockHeader head = sink_.blocks.empty() ? BlockHeader{} : sink_.blocks.back().block.header;
        head.gas_limit = kGasLimit;
        if (sink_.blocks.empty()) head.base_fee_per_gas = Uint256{7};
        executor_->start({config_, state_, hashes_, sink_}, make_chain_head(head, Uint256{}));
    }
    /// A block that does nothing but a transfer.
    /// @return how many accounts and slots the state was told to fetch.
    std::size_t run(std::uint64_t slots, std::uint64_t gas_limit) {
        BlockAccessList list;
        list.accounts.push_back({.address = kNamed, .storage_reads = {}});
        for (std::uint64_t i = 0; i < slots; ++i)
            list.accounts.back().storage_reads.emplace_back(i);
        BlockStart block;
        block.mode = BlockMode::decided;
        block.header.timestamp = 12 * (nonce_ + 1);
        block.header.gas_limit = kGasLimit;
        encode_block_access_list(list, block.access_list);
        EXPECT_TRUE(executor_->begin_block(std::move(block)).has_value());
        Transaction tx;
        tx.sender = kSender;
        tx.nonce = nonce_++;
        tx.max_fee_per_gas = tx.max_priority_fee_per_gas = Uint256{2'000'000'000};
        tx.gas_limit = gas_limit;
        tx.to = kNamed;
        executor_->submit(std::move(tx));
        executor_->end_block();
        EXPECT_TRUE(executor_->drain().has_value());
        std::size_t fetched = 0;
        for (const ObjectSet& objects : state_.prefetched)
            fetched += objects.accesses().size();
        state_.prefetched.clear();
        return fetched;
    }

    static constexpr Address kSender = address_from_low64(1);
    const ChainConfig config_ = test::config_of_shanghai();
    test::FakeState state_;
    test::FakeBlockHashes hashes_;
    test::FakeSink sink_{state_};
    std::unique_ptr<Executor> executor_;
    std::uint64_t nonce_ = 0;
};

TEST_F(LyingLists, name_no_more_than_the_transactions_can_access) {
    ASSERT_EQ(run(900, 21'000), 901u) << "otherwise nothing is shown";
    EXPECT_EQ(run(kNamedSlots, 21'000), 0u);
}

/// The gas that a transaction may use costs its sender nothing.
TEST_F(LyingLists, have_no_more_fetched_than_is_lost_once) {
    std::size_t fetched = 0;
    for (int i = 0; i < 20; ++i) {
        fetched += run(kNamedSlots, 55'000'000);
        if (i % 3 == 0) start();
    }
    EXPECT_GE(fetched, kNamedSlots) << "otherwise nothing is shown";
    EXPECT_LE(fetched, static_cast<std::size_t>(SetCredit::kMost) + SetCredit::kFree);
}

TEST(SetCredit, gives_each_a_few_and_to_all_what_was_accessed) {
    SetCredit credit;
    for (int i = 0; i < 100'000; ++i)
        ASSERT_TRUE(credit.draw(SetCredit::kFree));
    EXPECT_TRUE(credit.draw(SetCredit::kFree + 1'024));
    EXPECT_FALSE(credit.draw(SetCredit::kFree + 1));
    credit.pay(10);
    EXPECT_TRUE(credit.draw(SetCredit::kFree + 20));
    EXPECT_FALSE(credit.draw(SetCredit::kFree + 1));
    credit.reset();
    EXPECT_TRUE(credit.draw(SetCredit::kFree + 1'024));
}

TEST(SetCredit, is_bounded_however_much_was_accessed) {
    SetCredit credit;
    for (int i = 0; i < 1'000; ++i)
        credit.pay(~std::uint64_t{0} / 4);
    EXPECT_FALSE(credit.draw(~std::uint64_t{0}));
    EXPECT_FALSE(credit.draw(SetCredit::kFree + static_cast<std::uint64_t>(SetCredit::kMost) + 1));
    EXPECT_TRUE(credit.draw(SetCredit::kFree + static_cast<std::uint64_t>(SetCredit::kMost)));
    EXPECT_FALSE(credit.draw(SetCredit::kFree + 1));
}

}  // namespace
}  // namespace heddle::executor
