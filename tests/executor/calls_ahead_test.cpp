// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Light blocks of calls: one thread executes them, and others hash and read for it what calls of
// the same function have hashed and read before.
#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "bytecode.hpp"
#include "comes_true.hpp"
#include "forwarding_state.hpp"
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

/// In memory. Whoever executes waits, after the slots of a block, until others have read some too.
class AwaitingSlots final : public test::ForwardingState {
public:
    explicit AwaitingSlots(const StateView& state)
        : ForwardingState(state), executing_(std::this_thread::get_id()) {}

    [[nodiscard]] Uint256 storage(const Address& address,
                                  const Uint256& slot) const noexcept override {
        if (std::this_thread::get_id() != executing_)
            reads_of_others_.fetch_add(1);
        else if (++reads_ == 2 * kCalls + 1)
            has_waited_ = heddle::test::comes_true([this] { return reads_of_others_.load() != 0; });
        return ForwardingState::storage(address, slot);
    }
    [[nodiscard]] bool is_in_memory() const noexcept override { return true; }

    [[nodiscard]] bool has_waited() const noexcept { return has_waited_; }
    [[nodiscard]] std::size_t reads_of_others() const noexcept { return reads_of_others_; }

private:
    const std::thread::id executing_;
    mutable std::atomic<std::size_t> reads_of_others_ = 0;
    mutable std::size_t reads_ = 0;
    mutable bool has_waited_ = false;
};

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
    const AwaitingSlots awaiting(state_);
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
