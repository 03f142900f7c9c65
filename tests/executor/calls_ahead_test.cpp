// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Light blocks of calls: one thread executes them, and others hash and read for it what calls of
// the same function have hashed and read before.
#include <vector>

#include <gtest/gtest.h>

#include "awaiting_slots.hpp"
#include "bytecode.hpp"
#include "parallel_executor_fixture.hpp"

namespace heddle::executor {
namespace {

using namespace vm;
using namespace vm::test;

const Address kToken = address_from_low64(0x70ce);
constexpr std::size_t kCalls = 200;

/// Reads the caller's balance, and that of who is named: mapping(address => uint) at 3.
Bytecode token_code() {
    const auto balance = [](const Bytecode& owner) {
        return mstore(0, owner) + mstore(32, push(3)) + push(64) + push(0) + OP_KECCAK256 +
               OP_SLOAD + OP_POP;
    };
    return balance(OP_CALLER) + balance(push(4) + OP_CALLDATALOAD) + OP_STOP;
}

class LightCallsTest : public ParallelExecutorTest {
protected:
    void SetUp() override { state_.deploy(kToken, token_code().bytes()); }

    std::vector<Transaction> calls() {
        std::vector<Transaction> result;
        for (std::size_t i = 0; i < kCalls; ++i) {
            Transaction& tx = result.emplace_back(transfer(i, 50'000));
            tx.data.assign(4 + 32, 0xba);
            store_be(to_word(address_from_low64(next_recipient_++)), tx.data.data() + 4);
            tx.to = kToken;
            tx.value = {};
        }
        return result;
    }
    /// Two blocks of calls, made by one thread without help.
    std::vector<Block> made() {
        start(workers(1));
        EXPECT_TRUE(propose(calls()));
        EXPECT_TRUE(propose(calls()));
        static_cast<void>(drained());
        std::vector<Block> blocks;
        for (std::size_t i = 0; i < 2; ++i) {
            blocks.push_back(sink_.blocks[i].block);
            blocks.back().header = made_[i];
        }
        sink_.blocks.clear();
        return blocks;
    }
};

TEST_F(LightCallsTest, others_read_the_slots_of_calls_like_those_of_the_block_before) {
    const test::FakeState before = state_;
    const std::vector<Block> blocks = made();
    state_ = before;
    for (const Block& block : blocks)
        for (const Transaction& tx : block.transactions)
            state_.set_balance(*tx.sender, kEther * kEther);
    test::AwaitingSlots awaiting(state_);
    awaiting.await(2 * kCalls, 1);
    Options options;
    options.parallel = workers(2);
    executor_ = make_executor(kDefaultScheduler, std::move(options));
    executor_->start({config_, awaiting, hashes_, sink_}, make_chain_head(genesis_, Uint256{}));

    ASSERT_TRUE(run(*executor_, make_ordered_block(blocks[0])).has_value());
    static_cast<void>(drained());
    EXPECT_EQ(awaiting.reads_of_others(), 0u) << "nobody has seen such a call";
    ASSERT_TRUE(run(*executor_, make_ordered_block(blocks[1])).has_value());

    EXPECT_EQ(drained().head_hash, header_hash(blocks[1].header));
    EXPECT_EQ(drained().stats.parallel.dispatched, 0u) << "they are light";
    EXPECT_TRUE(awaiting.has_waited());
}

}  // namespace
}  // namespace heddle::executor
