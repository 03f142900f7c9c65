// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include <executor/executor.hpp>
#include <types/ordered_root.hpp>
#include <types/signing.hpp>
#include <vm/block.hpp>
#include <vm/system_contracts.hpp>
#include <vm/tracer.hpp>

#include "serial_executor_fixture.hpp"

namespace heddle::executor {
namespace {

TEST_F(SerialExecutorTest, makes_a_header_that_it_accepts) {
    const FinishedBlock made = make_block();
    EXPECT_EQ(made.block.header.number, 1u);
    EXPECT_EQ(made.block.header.parent_hash, header_hash(genesis_));
    EXPECT_EQ(made.block.header.gas_used, 21'000u);
    EXPECT_EQ(made.block.header.base_fee_per_gas, Uint256{875'000'000});
    EXPECT_EQ(made.block.header.state_root, to_hash(Uint256{1}));
    EXPECT_FALSE(made.check_state_root);

    EXPECT_EQ(import(made.block), std::nullopt);

    ASSERT_EQ(sink_.blocks.size(), 1u);
    EXPECT_TRUE(sink_.blocks[0].check_state_root);
    EXPECT_EQ(sink_.blocks[0].receipts, made.receipts);
    EXPECT_EQ(sink_.blocks[0].diff, made.diff);
    EXPECT_EQ(sink_.blocks[0].block.header, made.block.header);
    EXPECT_EQ(state_.accounts.at(kReceiver).balance, kEther);
}

TEST_F(SerialExecutorTest, fills_senders_in) {
    const FinishedBlock made = make_block();

    EXPECT_EQ(made.block.transactions.at(0).sender, address_from_secret(kSecret));
}

TEST_F(SerialExecutorTest, counts_what_it_accepted) {
    start();
    ASSERT_TRUE(run(proposal(12), {transfer(kEther), transfer(kEther)}).has_value());
    ASSERT_TRUE(run(proposal(24), {transfer(kEther)}).has_value());

    const auto summary = executor_->drain();

    ASSERT_TRUE(summary.has_value());
    EXPECT_EQ(summary->stats.blocks, 2u);
    EXPECT_EQ(summary->stats.transactions, 3u);
    EXPECT_EQ(summary->stats.gas_used, 63'000u);
    EXPECT_EQ(summary->head_number, 2u);
    EXPECT_EQ(summary->head_hash, header_hash(reported_.at(1)));
    EXPECT_EQ(summary->state_root, to_hash(Uint256{2}));
    EXPECT_EQ(state_.accounts.at(kReceiver).balance, Uint256{3} * kEther);
}

TEST_F(SerialExecutorTest, rejects_each_wrong_claim_by_its_name) {
    const Block made = make_block().block;
    const auto code_of = [&](auto change) {
        Block block = made;
        change(block);
        const auto error = import(block);
        EXPECT_TRUE(sink_.blocks.empty());
        return error.has_value() ? std::optional{error->code} : std::nullopt;
    };
    using enum BlockErrorCode;
    EXPECT_EQ(code_of([](Block& b) { b.header.parent_hash = {}; }), unknown_parent);
    EXPECT_EQ(code_of([](Block& b) { b.header.timestamp = 0; }), invalid_timestamp);
    EXPECT_EQ(code_of([](Block& b) { b.header.transactions_root = {}; }),
              invalid_transactions_root);
    EXPECT_EQ(code_of([](Block& b) { b.header.gas_used += 1; }), invalid_gas_used);
    EXPECT_EQ(code_of([](Block& b) { b.header.receipts_root = {}; }), invalid_receipts_root);
    EXPECT_EQ(code_of([](Block& b) { b.header.logs_bloom.bytes[0] = 1; }), invalid_logs_bloom);
    EXPECT_EQ(code_of([](Block& b) { b.withdrawals.reset(); }), invalid_withdrawals);
    sink_.rejects = true;
    EXPECT_EQ(code_of([](Block&) {}), state_root_mismatch);
}

TEST_F(SerialExecutorTest, says_which_transaction_is_invalid_and_why) {
    start();
    ++nonce_;
    ASSERT_TRUE(run(proposal(12), {transfer(kEther)}).has_value());

    const auto summary = executor_->drain();

    ASSERT_FALSE(summary.has_value());
    EXPECT_EQ(summary.error().code, BlockErrorCode::invalid_transaction);
    EXPECT_EQ(summary.error().transaction, TransactionError::nonce_too_high);
    EXPECT_EQ(summary.error().index, 0u);
    EXPECT_EQ(summary.error().number, 1u);
}

TEST_F(SerialExecutorTest, rejects_transactions_beyond_the_gas_limit) {
    start();
    BlockStart block = proposal(12);
    genesis_.gas_limit = block.header.gas_limit = 40'000;
    start();
    ASSERT_TRUE(run(std::move(block), {transfer(kEther), transfer(kEther)}).has_value());

    const auto summary = executor_->drain();

    ASSERT_FALSE(summary.has_value());
    EXPECT_EQ(summary.error().transaction, TransactionError::gas_limit_above_block);
    EXPECT_EQ(summary.error().index, 1u);
}

TEST_F(SerialExecutorTest, takes_nothing_after_a_rejected_block_until_the_next_start) {
    start();
    ++nonce_;
    ASSERT_TRUE(run(proposal(12), {transfer(kEther)}).has_value());
    nonce_ = 0;

    const auto later = run(proposal(24), {transfer(kEther)});

    ASSERT_FALSE(later.has_value());
    EXPECT_EQ(later.error().code, BlockErrorCode::execution_halted);
    EXPECT_TRUE(sink_.blocks.empty());

    start();
    nonce_ = 0;
    EXPECT_TRUE(run(proposal(24), {transfer(kEther)}).has_value());
    EXPECT_TRUE(executor_->drain().has_value());
}

TEST_F(SerialExecutorTest, takes_nothing_after_stop_and_keeps_what_was_accepted) {
    start();
    ASSERT_TRUE(run(proposal(12), {transfer(kEther)}).has_value());
    executor_->stop();

    EXPECT_FALSE(run(proposal(24), {transfer(kEther)}).has_value());
    const auto summary = executor_->drain();
    ASSERT_TRUE(summary.has_value());
    EXPECT_EQ(summary->stats.blocks, 1u);
}

TEST_F(SerialExecutorTest, checks_a_witness_block_without_its_parent_and_state_root) {
    Block made = make_block().block;
    made.header.parent_hash = Hash{};
    made.header.state_root = Hash{};
    made.header.number = 1'000'000;
    executor_->start({config_, state_, block_hashes_, sink_}, {});
    BlockStart begin;
    begin.mode = BlockMode::witness;
    begin.header = made.header;
    begin.header.difficulty = Uint256{};
    begin.withdrawals = made.withdrawals;

    ASSERT_TRUE(run(std::move(begin), made.transactions).has_value());

    ASSERT_TRUE(executor_->drain().has_value());
    ASSERT_EQ(sink_.blocks.size(), 1u);
    EXPECT_FALSE(sink_.blocks[0].check_state_root);
}

TEST_F(SerialExecutorTest, puts_intermediate_roots_into_receipts_before_byzantium) {
    config_ = config_until(Revision::homestead);
    genesis_.base_fee_per_gas.reset();
    start();
    Transaction first = transfer(kEther);
    first.chain_id.reset();
    ASSERT_TRUE(sign_transaction(first, kSecret));

    ASSERT_TRUE(run(proposal(12), {first}).has_value());

    ASSERT_TRUE(executor_->drain().has_value());
    EXPECT_EQ(sink_.roots_asked, 1u);
    // Sender, receiver and beneficiary.
    EXPECT_EQ(sink_.blocks.at(0).receipts.at(0).post_state, to_hash(Uint256{3}));
    EXPECT_EQ(state_.accounts.at(kMiner).balance,
              Uint256{5} * kEther + Uint256{21'000} * Uint256{2'000'000'000});
}

TEST_F(SerialExecutorTest, credits_withdrawals) {
    start();
    BlockStart block = proposal(12);
    block.withdrawals = {{0, 0, kReceiver, 3}};
    ASSERT_TRUE(run(std::move(block), {}).has_value());

    ASSERT_TRUE(executor_->drain().has_value());
    EXPECT_EQ(state_.accounts.at(kReceiver).balance, Uint256{3'000'000'000});
}

/// Whose code was executed, step by step.
struct Steps final : vm::Tracer {
    std::vector<Address> addresses;
    void on_step(const vm::TraceStep& step, vm::Status /*failure*/) noexcept override {
        addresses.push_back(step.address);
    }
};

// As geth does, whose lines `blocktest --trace` is to be compared with.
TEST_F(SerialExecutorTest, traces_transactions_and_no_system_calls) {
    config_.cancun_time = 0;
    genesis_.blob_gas_used = genesis_.excess_blob_gas = 0;
    state_.deploy(vm::kBeaconRootsAddress, {0x5f, 0x50, 0x00});  // PUSH0, POP, STOP
    state_.deploy(kReceiver, {0x5f, 0x00});
    Steps steps;
    Options options;
    options.tracer = &steps;
    executor_ = make_serial_executor(std::move(options));
    start();
    BlockStart block = proposal(12);
    block.header.parent_beacon_block_root = to_hash(Uint256{7});
    Transaction tx = transfer(kEther);
    tx.gas_limit = 100'000;
    ASSERT_TRUE(sign_transaction(tx, kSecret));

    ASSERT_TRUE(run(std::move(block), {tx}).has_value());

    ASSERT_TRUE(executor_->drain().has_value());
    EXPECT_EQ(steps.addresses, std::vector<Address>(2, kReceiver));
}

TEST_F(SerialExecutorTest, gives_the_same_result_with_the_plain_interpreter) {
    // Stores the call's value in slot 0 and logs it.
    const Address contract = address_from_low64(0xc0de);
    state_.deploy(contract, {0x34, 0x5f, 0x55, 0x34, 0x5f, 0x52, 0x60, 0x20, 0x5f, 0xa0});
    const test::FakeState before = state_;
    std::vector<FinishedBlock> results;
    for (const Interpreter interpreter : {Interpreter::fast, Interpreter::plain}) {
        state_ = before;
        nonce_ = 0;
        Options options;
        options.interpreter = interpreter;
        executor_ = make_serial_executor(std::move(options));
        start();
        Transaction tx = transfer(Uint256{42});
        tx.to = contract;
        tx.gas_limit = 100'000;
        ASSERT_TRUE(sign_transaction(tx, kSecret));
        ASSERT_TRUE(run(proposal(12), {tx}).has_value());
        ASSERT_TRUE(executor_->drain().has_value());
        EXPECT_EQ(state_.storage(contract, {}), Uint256{42});
        results.push_back(std::move(sink_.blocks.back()));
    }
    EXPECT_EQ(results[0].receipts, results[1].receipts);
    EXPECT_EQ(results[0].receipts.at(0).logs.size(), 1u);
    EXPECT_EQ(results[0].diff, results[1].diff);
}

}  // namespace
}  // namespace heddle::executor
