// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The serial executor with help: others hash its leaves, and read and hash ahead for it.
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <types/ordered_root.hpp>
#include <vm/block.hpp>
#include <vm/system_contracts.hpp>

#include "announced_seed.hpp"
#include "awaiting_slots.hpp"
#include "bytecode.hpp"
#include "serial_executor_fixture.hpp"

namespace heddle::executor {
namespace {

/// With another thread that does nothing but recover signers, hash leaves, and read and hash ahead.
class SharedLeavesTest : public SerialExecutorTest {
protected:
    WorkerParking parking_;
    SignerRecovery signers_{&parking_};
    LeafHasher hasher_{&parking_};
    ReadAhead ahead_{&parking_};
    std::atomic<bool> is_over_ = false;
    std::thread helper_;
    Bytes made_list_;  // of what made() has made last

    void SetUp() override {
        SerialExecutorTest::SetUp();
        helper_ = std::thread([this] {
            LeafMaker leaf;
            AccessForecaster forecaster;
            while (!is_over_.load()) {
                if (!signers_.run_once() && !ahead_.run_once(forecaster) && !hasher_.run_once(leaf))
                    parking_.wait(1, [this] {
                        return is_over_.load() || signers_.has_work() || ahead_.has_work() ||
                               hasher_.has_work();
                    });
            }
        });
    }
    void TearDown() override {
        is_over_.store(true);
        parking_.notify_others();
        helper_.join();
    }
    /// A block of so many transfers, made by the thread of the stream alone.
    Block made(std::size_t transfers) {
        const test::FakeState before = state_;
        start();
        std::vector<Transaction> transactions;
        for (std::size_t i = 0; i < transfers; ++i)
            transactions.push_back(transfer(Uint256{1}));
        EXPECT_TRUE(run(proposal(12), std::move(transactions)).has_value());
        EXPECT_TRUE(executor_->drain().has_value());
        Block block = std::move(sink_.blocks.back().block);
        block.header = reported_.back();
        made_list_ = std::move(sink_.blocks.back().access_list);
        sink_.blocks.clear();
        state_ = before;
        return block;
    }
    /// Where headers claim access lists.
    void enter_amsterdam() {
        config_.cancun_time = config_.prague_time = config_.osaka_time = 0;
        config_.amsterdam_time = 0;
        config_.blob_schedule.push_back({0, 6, 9, 5'007'716});
        genesis_.blob_gas_used = genesis_.excess_blob_gas = 0;
        for (const Address& contract :
             {vm::kWithdrawalRequestAddress, vm::kConsolidationRequestAddress,
              vm::kBuilderDepositAddress, vm::kBuilderExitAddress})
            state_.deploy(contract, {0x00});
        state_.set_balance(kReceiver, Uint256{1});
    }
    void share() {
        auto serial = std::make_unique<SerialExecutor>(Options{});
        serial->share(signers_, hasher_, ahead_);
        executor_ = std::move(serial);
    }
};

TEST_F(SharedLeavesTest, blocks_are_what_they_are_without_help) {
    const Block block = made(300);
    share();

    EXPECT_FALSE(import(block).has_value());
    EXPECT_EQ(sink_.blocks.size(), 1u);
}

TEST_F(SharedLeavesTest, a_wrong_claim_is_named_as_without_help) {
    const Block block = made(300);
    share();
    const auto code_of = [&](auto change) {
        Block wrong = block;
        change(wrong);
        const auto error = import(wrong);
        EXPECT_TRUE(sink_.blocks.empty());
        return error.has_value() ? std::optional{error->code} : std::nullopt;
    };
    using enum BlockErrorCode;
    EXPECT_EQ(code_of([](Block& b) { b.header.receipts_root = {}; }), invalid_receipts_root);
    EXPECT_EQ(code_of([](Block& b) { b.transactions.back().nonce += 1; }),
              invalid_transactions_root)
        << "said before what executing it would say";
    EXPECT_EQ(code_of([](Block& b) {
                  b.transactions.back() = b.transactions.front();
                  b.header.transactions_root = vm::transactions_root(b.transactions);
              }),
              invalid_transaction);
}

TEST_F(SharedLeavesTest, a_list_that_came_with_the_block_is_checked_as_without_help) {
    enter_amsterdam();
    const Block block = made(300);
    const Bytes list = made_list_;
    const auto errors_of = [&](const Block& claiming, const Bytes& claimed) {
        executor_ = make_serial_executor(Options{});
        const auto alone = import(claiming, claimed);
        EXPECT_TRUE(sink_.blocks.empty());
        share();
        const auto shared = import(claiming, claimed);
        EXPECT_TRUE(sink_.blocks.empty());
        EXPECT_EQ(alone.has_value() ? to_string(*alone) : "",
                  shared.has_value() ? to_string(*shared) : "");
        return alone.has_value() ? std::optional{alone->code} : std::nullopt;
    };
    Block changed = block;
    const Bytes no_list{0xc1};
    changed.header.block_access_list_hash = keccak256(no_list);
    using enum BlockErrorCode;
    EXPECT_EQ(errors_of(changed, no_list), invalid_access_list);
    EXPECT_EQ(errors_of(block, no_list), invalid_access_list);
    EXPECT_EQ(errors_of(changed, list), invalid_access_list);
    changed.transactions.back().nonce += 1;
    changed.header.transactions_root = vm::transactions_root(changed.transactions);
    EXPECT_EQ(errors_of(changed, no_list), invalid_access_list)
        << "said before what executing it would say";

    share();
    EXPECT_EQ(import(block, list), std::nullopt);
}

// --- Calls of contracts that hash keys and read slots in many ways -------------------------------

using namespace vm;
using namespace vm::test;

/// Contracts and calls drawn by a seed.
class RandomCalls {
public:
    static constexpr std::uint64_t kContracts = 4;
    static constexpr std::uint64_t kPeople = 30;

    explicit RandomCalls(std::uint64_t seed) : random_(seed) {}

    static Address contract(std::uint64_t number) {
        return address_from_low64(0xc0de'0000 + number);
    }
    static Address person(std::uint64_t number) { return address_from_low64(0xfeed'0000 + number); }

    Bytecode code() {
        Bytecode code;
        const std::uint64_t steps = 1 + draw(5);
        for (std::uint64_t i = 0; i < steps; ++i)
            code += step();
        return code + OP_STOP;
    }
    Transaction call() {
        Transaction tx;
        const std::uint64_t sender = draw(kPeople);
        tx.sender = person(sender);
        tx.nonce = nonces_[sender]++;
        tx.max_fee_per_gas = tx.max_priority_fee_per_gas = Uint256{2'000'000'000};
        tx.gas_limit = 40'000 + draw(120'000);
        tx.to = contract(draw(kContracts));
        tx.value = Uint256{draw(2)};
        tx.data.assign(4, static_cast<std::uint8_t>(draw(2)));
        const std::uint64_t arguments = draw(4);
        for (std::uint64_t i = 0; i < arguments; ++i) {
            std::uint8_t word[32];
            store_be(argument(), word);
            tx.data.insert(tx.data.end(), word, word + 32);
        }
        return tx;
    }

private:
    std::uint64_t draw(std::uint64_t below) { return random_() % below; }

    Uint256 argument() {
        switch (draw(5)) {
            case 0:
                return to_word(person(draw(kPeople)));
            case 1:
                return to_word(contract(draw(kContracts)));
            case 2:
                return Uint256{draw(4)};
            case 3:
                return Uint256{draw(3), 0, 0, 1} + to_word(person(draw(kPeople)));
            default:
                return Uint256{0x1'0000 + draw(3)};
        }
    }
    /// A word that a contract may take for a key or a position.
    Bytecode key() {
        switch (draw(5)) {
            case 0:
                return OP_CALLER;
            case 1:
                return push(4 + 32 * draw(3)) + OP_CALLDATALOAD;
            case 2:
                return push(draw(3)) + OP_SLOAD;
            case 3:
                return push(draw(3));
            default:
                return slot();
        }
    }
    Bytecode slot() {
        const std::uint64_t place = 64 * draw(3);
        const Bytecode first = draw(6) == 0 ? slot_of(OP_CALLER, place) : key_without_slot();
        return slot_of(first, place) + (draw(3) == 0 ? push(draw(5'000)) + OP_ADD : Bytecode{});
    }
    Bytecode key_without_slot() {
        return draw(2) == 0 ? Bytecode{OP_CALLER} : push(4 + 32 * draw(3)) + OP_CALLDATALOAD;
    }
    Bytecode slot_of(const Bytecode& first, std::uint64_t place) {
        return mstore(place, first) + mstore(place + 32, push(draw(3))) + push(64) + push(place) +
               OP_KECCAK256;
    }
    Bytecode step() {
        switch (draw(8)) {
            case 0:
                return key() + OP_SLOAD + OP_POP;
            case 1:
                return push(1) + key() + OP_SLOAD + OP_ADD + key() + OP_SSTORE;
            case 2:
                return push(0) + key() + OP_SSTORE;
            case 3: {
                const Opcode opcode = draw(2) == 0 ? OP_DELEGATECALL : OP_CALL;
                CallCode inner{.opcode = opcode, .to = push(contract(draw(kContracts)))};
                inner.gas = push(30'000);
                inner.input_size = Uint256{68};
                return Bytecode{inner} + OP_POP;
            }
            case 4:  // half of the callers go no further
                return draw(2) == 0 ? Bytecode{OP_STOP} : raw({});
            case 5:
                return draw(4) == 0 ? OP_CALLER + OP_SELFDESTRUCT : key() + OP_SLOAD + OP_POP;
            default:
                return slot() + OP_SLOAD + push(1) + OP_ADD + slot() + OP_SSTORE;
        }
    }

    std::mt19937_64 random_;
    std::map<std::uint64_t, std::uint64_t> nonces_;
};

TEST_F(SharedLeavesTest, whatever_calls_hash_and_read_the_outcome_is_that_without_help) {
    constexpr std::size_t kBlocks = 3;
    const std::uint64_t seed = heddle::test::announced_seed();
    const test::FakeState empty = state_;
    for (std::uint64_t round = 0; round < 40; ++round) {
        SCOPED_TRACE(round);
        RandomCalls random(seed + round);
        state_ = empty;
        for (std::uint64_t i = 0; i < RandomCalls::kContracts; ++i)
            state_.deploy(RandomCalls::contract(i), random.code().bytes());
        for (std::uint64_t i = 0; i < RandomCalls::kPeople; ++i)
            state_.set_balance(RandomCalls::person(i), Uint256{100} * kEther);
        const test::FakeState before = state_;
        Options options;
        options.on_block = [this](const BlockReport& report) {
            reported_.push_back(report.header);
        };
        executor_ = make_serial_executor(std::move(options));
        start();
        for (std::size_t i = 0; i < kBlocks; ++i) {
            std::vector<Transaction> calls;
            for (std::size_t j = 0; j < 160; ++j)
                calls.push_back(random.call());
            ASSERT_TRUE(run(proposal(12 * (i + 1)), std::move(calls)).has_value());
        }
        ASSERT_TRUE(executor_->drain().has_value());
        const std::vector<FinishedBlock> made = std::exchange(sink_.blocks, {});
        const std::vector<BlockHeader> headers = std::exchange(reported_, {});

        state_ = before;
        share();
        executor_->start({config_, state_, block_hashes_, sink_},
                         make_chain_head(genesis_, genesis_.difficulty));
        for (std::size_t i = 0; i < kBlocks; ++i) {
            BlockStart begin;
            begin.header = headers.at(i);
            begin.withdrawals = made[i].block.withdrawals;
            ASSERT_TRUE(run(std::move(begin), made[i].block.transactions).has_value());
        }
        const auto summary = executor_->drain();
        ASSERT_TRUE(summary.has_value()) << to_string(summary.error());
        for (std::size_t i = 0; i < kBlocks; ++i) {
            EXPECT_EQ(sink_.blocks.at(i).receipts, made[i].receipts);
            EXPECT_EQ(sink_.blocks[i].diff, made[i].diff);
        }
        sink_.blocks.clear();
    }
}

TEST_F(SharedLeavesTest, keys_that_others_have_hashed_are_not_hashed_again) {
    constexpr std::size_t kCalls = 200;
    const Address token = address_from_low64(0x70ce);
    const Bytecode balance = mstore(32, push(3)) + push(64) + push(0) + OP_KECCAK256 + OP_SLOAD;
    state_.deploy(token, (mstore(0, OP_CALLER) + balance + OP_STOP).bytes());
    std::uint64_t sender = 0xfeed'0000;
    std::vector<Transaction> calls[2];
    for (std::vector<Transaction>& block : calls)
        for (std::size_t i = 0; i < kCalls; ++i) {
            Transaction& tx = block.emplace_back();
            tx.sender = address_from_low64(sender++);
            state_.set_balance(*tx.sender, kEther);
            tx.max_fee_per_gas = tx.max_priority_fee_per_gas = Uint256{2'000'000'000};
            tx.gas_limit = 50'000;
            tx.to = token;
            tx.data.assign(4, 0xba);
        }
    // The first batch is being executed while others begin, and the last ones are none.
    constexpr std::size_t kReadAhead = kCalls / 16 * 16 - 16;
    executor::test::AwaitingSlots awaiting(state_);
    awaiting.await(kCalls, kReadAhead);
    auto serial = std::make_unique<SerialExecutor>(Options{});
    serial->share(signers_, hasher_, ahead_);
    const SerialExecutor& executing = *serial;
    executor_ = std::move(serial);
    executor_->start({config_, awaiting, block_hashes_, sink_},
                     make_chain_head(genesis_, genesis_.difficulty));

    ASSERT_TRUE(run(proposal(12), std::move(calls[0])).has_value());
    EXPECT_EQ(executing.hashes_made(), kCalls) << "nobody has seen such a call";
    ASSERT_TRUE(run(proposal(24), std::move(calls[1])).has_value());

    EXPECT_TRUE(awaiting.has_waited());
    // Of those that were told, one may take another one's place before that is asked for.
    EXPECT_LE(executing.hashes_made() - kCalls, kCalls - kReadAhead + 8);
}

}  // namespace
}  // namespace heddle::executor
