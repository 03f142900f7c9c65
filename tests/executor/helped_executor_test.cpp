// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Attacks on reading ahead: calls whose patterns lie, change, or are too many. Whenever the helper
// comes, results are those without help; and what it reads, and what who executes has to do
// besides, is bounded by what the transactions have paid for.
#include "helped_executor_fixture.hpp"

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <types/signing.hpp>
#include <vm/system_contracts.hpp>

#include "announced_seed.hpp"
#include "bytecode.hpp"

namespace heddle::executor {
namespace {

using namespace vm;
using namespace vm::test;

const Address kVictim = address_from_low64(0xc0de'0001);
const Address kMaker = address_from_low64(0xc0de'0002);
constexpr std::size_t kCalls = 160;  // of a block, if not said otherwise

Bytecode argument(std::uint64_t index) {
    return push(4 + 32 * index) + OP_CALLDATALOAD;
}
/// The slot of `key` in the mapping at `position`.
Bytecode slot_of(const Bytecode& key, const Bytecode& position) {
    return mstore(0, key) + mstore(32, position) + push(64) + push(0) + OP_KECCAK256;
}
/// What the mapping holds is read and counted up.
Bytecode count_up(const Bytecode& key, const Bytecode& position) {
    return push(1) + slot_of(key, position) + OP_SLOAD + OP_ADD + slot_of(key, position) +
           OP_SSTORE;
}
/// A program.
Bytecode either(const Bytecode& condition, const Bytecode& then, const Bytecode& otherwise) {
    return condition + push_sized(2, condition.size() + 5 + otherwise.size()) + OP_JUMPI +
           otherwise + OP_STOP + OP_JUMPDEST + then + OP_STOP;
}

class ReadAheadAttacks : public HelpedExecutorTest {
protected:
    /// Helpers that keep up, that come at random, and that come rarely.
    std::vector<Turns> all_turns() {
        const std::uint64_t seed = heddle::test::announced_seed();
        auto random = std::make_shared<std::mt19937_64>(seed);
        return {[](std::uint32_t) { return 1'000U; },
                [random](std::uint32_t) { return static_cast<unsigned>((*random)() % 3); },
                [random](std::uint32_t) { return (*random)() % 12 == 0 ? 2U : 0U; }};
    }
    /// The chain with and without help, however it comes.
    void expect_bounded(const Chain& chain) {
        const Made alone = made_without_help(chain);
        for (const Turns& turns : all_turns()) {
            const Made helped = import_with_help(alone, turns);
            // Who executes reads no more than it would have, and hashes no more but for what was
            // told and displaced something.
            EXPECT_LE(helped.reads.accounts, alone.reads.accounts);
            EXPECT_LE(helped.reads.slots, alone.reads.slots);
            EXPECT_LE(helped.hashes, alone.hashes + transactions_ * 3 / 100);
            // Accounts of those that are named, and slots by patterns.
            EXPECT_LE(counted_->helper.accounts, 2 * transactions_);
            EXPECT_LE(counted_->helper.slots, 3 * transactions_);
            EXPECT_LE(price_of(counted_->helper), gas_of(alone));
            last_ = counted_->helper;
        }
    }
    /// What they would cost that are read, each slot with the hash of its key.
    static std::uint64_t price_of(const StateReads& reads) {
        constexpr std::uint64_t kAccount = 2'600;  // EIP-2929, cold
        constexpr std::uint64_t kSlot = 2'100;
        constexpr std::uint64_t kHash = 42;  // YP App. G, of 64 bytes
        return reads.accounts * kAccount + reads.slots * (kSlot + kHash);
    }
    static std::uint64_t gas_of(const Made& made) {
        std::uint64_t gas = 0;
        for (const BlockHeader& header : made.headers)
            gas += header.gas_used;
        return gas;
    }

    StateReads last_;  // of the helper that comes rarely
};

// --- When helpers go on reading ------------------------------------------------------------------

/// Calls of people whose accounts and slots are at hand, but whose keys are new in each block.
class HashesAhead : public HelpedExecutorTest {
protected:
    static constexpr std::size_t kPeople = 200;

    Chain chain_of(std::size_t blocks, bool are_keys_new) {
        // Hashes, and reads nothing.
        state_.deploy(kVictim, (slot_of(OP_CALLER, argument(0)) + OP_POP + OP_STOP).bytes());
        Chain chain(blocks);
        for (std::size_t i = 0; i < blocks; ++i)
            for (std::size_t j = 0; j < kPeople; ++j)
                chain[i].push_back(
                    call(j, kVictim, 0xba, {Uint256{are_keys_new ? i : 0, 1, 0, 0}}));
        return chain;
    }
};

TEST_F(HashesAhead, are_wanted_where_nothing_but_hashes_is_missed) {
    const Made made = made_without_help(chain_of(4, true));
    EXPECT_EQ(made.hashes, 4 * kPeople);
    std::vector<std::uint64_t> wanted(4, 0);
    std::vector<std::uint64_t> hashed;
    share([&](std::uint32_t index) {
        if (index >= 16) wanted[hashed.size()] += ahead_.has_work() ? 1U : 0U;
        return 0;
    });
    for (std::size_t i = 0; i < 4; ++i) {
        ASSERT_TRUE(run(start_of(made, i), made.blocks[i].block.transactions));
        hashed.push_back(helped_->hashes_made());
    }
    EXPECT_TRUE(executor_->drain().has_value());
    EXPECT_EQ(wanted[2], kPeople - 16) << "accounts are at hand since the first block";
    EXPECT_EQ(wanted[3], kPeople - 16);
}

TEST_F(HashesAhead, are_made_by_the_helper_where_nothing_but_hashes_is_missed) {
    const Made made = made_without_help(chain_of(6, true));
    const Made helped = import_with_help(made, [](std::uint32_t) { return 1'000U; });
    // In each block but the first the first batch is being executed, and the last calls are none.
    constexpr std::size_t kAlone = kPeople % 16 + 16;
    EXPECT_LE(helped.hashes, kPeople + 5 * (kAlone + 8)) << "some displace each other";
}

TEST_F(HashesAhead, are_not_wanted_where_none_is_missed) {
    const Made made = made_without_help(chain_of(4, false));
    std::vector<std::uint64_t> wanted(4, 0);
    std::size_t block = 0;
    share([&](std::uint32_t index) {
        if (index >= 17) wanted[block] += ahead_.has_work() ? 1U : 0U;
        return 0;
    });
    for (block = 0; block < 4; ++block)
        ASSERT_TRUE(run(start_of(made, block), made.blocks[block].block.transactions));
    EXPECT_TRUE(executor_->drain().has_value());
    EXPECT_GT(wanted[0], 0u);
    // Two keys that displace each other are hashed in each block.
    EXPECT_LT(wanted[3], kPeople);
}

// --- Attacks -------------------------------------------------------------------------------------

TEST_F(ReadAheadAttacks, calls_of_many_functions_in_turn) {
    state_.deploy(kVictim, (count_up(OP_CALLER, push(3)) + OP_STOP).bytes());
    Chain chain(4);
    std::uint64_t number = 0;
    for (std::vector<Transaction>& block : chain)
        for (std::size_t i = 0; i < kCalls; ++i, ++number)
            block.push_back(call(number, kVictim, static_cast<std::uint32_t>(number % 311)));
    expect_bounded(chain);
}

TEST_F(ReadAheadAttacks, thousands_of_contracts_with_one_call_each) {
    genesis_.gas_limit = 500'000'000;
    Chain chain(3);
    std::uint64_t number = 0;
    for (std::vector<Transaction>& block : chain)
        for (std::size_t i = 0; i < 900; ++i, ++number) {
            const Address contract = address_from_low64(0xcccc'0000 + number);
            state_.deploy(contract, (count_up(OP_CALLER, push(3)) + OP_STOP).bytes());
            block.push_back(call(number % 700, contract, 0xba));
        }
    expect_bounded(chain);
    EXPECT_EQ(last_.slots, 0u) << "of none of them anything is known when it is called";
}

/// Whoever is looked at hashes and reads as much as a pattern holds, and nobody else does.
TEST_F(ReadAheadAttacks, patterns_that_promise_what_never_comes) {
    Bytecode much;
    for (std::uint64_t i = 0; i < AccessPattern::kMostHashes; ++i)
        much += slot_of(OP_CALLER, push(i)) + OP_SLOAD + OP_POP;
    state_.deploy(kVictim, either(argument(0), much, {}).bytes());
    Chain chain(5);
    std::uint64_t number = 0;
    for (std::vector<Transaction>& block : chain)
        for (std::size_t i = 0; i < 192; ++i, ++number)
            block.push_back(call(number, kVictim, 0xba, {Uint256{number % 64 == 0 ? 1U : 0U}}));
    expect_bounded(chain);
    EXPECT_GT(last_.slots, transactions_ / 4) << "otherwise nothing is shown";
}

TEST_F(ReadAheadAttacks, much_call_data_in_each_call) {
    state_.deploy(kVictim, (count_up(argument(1), push(3)) + OP_STOP).bytes());
    genesis_.gas_limit = 500'000'000;
    Chain chain(2);
    std::uint64_t number = 0;
    for (std::vector<Transaction>& block : chain)
        for (std::size_t i = 0; i < 130; ++i, ++number) {
            Transaction& tx = block.emplace_back(
                call(number, kVictim, 0xba, {to_word(person(number)), Uint256{number, 9, 9, 9}}));
            tx.data.resize(std::size_t{128} << 10, 0);
            tx.gas_limit = 3'000'000;
        }
    expect_bounded(chain);
}

TEST_F(ReadAheadAttacks, slots_that_depend_on_what_is_stored) {
    const Bytecode turn = sload(7);
    state_.deploy(kVictim, (count_up(OP_CALLER, turn) + count_up(turn, argument(0)) +
                            sstore(7, push(1) + sload(7) + OP_ADD) + OP_STOP)
                               .bytes());
    Chain chain(4);
    std::uint64_t number = 0;
    for (std::vector<Transaction>& block : chain)
        for (std::size_t i = 0; i < kCalls; ++i, ++number)
            block.push_back(call(number % 50, kVictim, 0xba, {Uint256{number % 5, 1, 0, 0}}));
    expect_bounded(chain);
}

/// Destroyed and made again within a block, with other values in the same slots, while others have
/// read the old ones.
TEST_F(ReadAheadAttacks, contracts_that_are_destroyed_and_made_again) {
    const Bytecode body = either(argument(0), OP_CALLER + OP_SELFDESTRUCT,
                                 count_up(OP_CALLER, push(3)) + count_up(argument(1), push(4)));
    const Bytecode init = count_up(OP_ORIGIN, push(3)) + deploy(body);
    state_.deploy(kMaker, (create2(init, Uint256{1}) + OP_POP + OP_STOP).bytes());
    const Bytes made = init.bytes();
    Bytes input{0xff};
    input.insert(input.end(), kMaker.bytes.begin(), kMaker.bytes.end());
    const Hash salt = to_hash(Uint256{1});
    input.insert(input.end(), salt.bytes.begin(), salt.bytes.end());
    const Hash code_hash = keccak256(made);
    input.insert(input.end(), code_hash.bytes.begin(), code_hash.bytes.end());
    const Hash name = keccak256(input);
    Address victim;
    std::copy(name.bytes.begin() + 12, name.bytes.end(), victim.bytes.begin());

    Chain chain(6);
    std::mt19937_64 random(heddle::test::announced_seed());
    for (std::vector<Transaction>& block : chain)
        for (std::size_t i = 0; i < kCalls; ++i) {
            const std::uint64_t sender = random() % 40;
            Transaction& tx = block.emplace_back();
            if (random() % 12 == 0)
                tx = call(sender, kMaker, 0);
            else
                tx = call(sender, victim, 0xba,
                          {Uint256{random() % 16 == 0 ? 1U : 0U}, to_word(person(random() % 40))});
            tx.gas_limit = 180'000;
        }
    const Made alone = made_without_help(chain);
    std::size_t destroyed = 0;
    std::size_t counted = 0;
    for (const FinishedBlock& block : alone.blocks)
        for (const AccountChange& change : block.diff.accounts) {
            if (change.address != victim) continue;
            destroyed += change.storage_cleared ? 1U : 0U;
            counted += change.storage.size();
        }
    EXPECT_GT(destroyed, 0u) << "otherwise nothing is shown";
    EXPECT_GT(counted, 0u);
    expect_bounded(chain);
    EXPECT_GT(last_.slots, 0u);
}

/// Accounts that run another's code, and soon again another one's (EIP-7702).
TEST_F(ReadAheadAttacks, accounts_that_are_delegated_to_another_code_each_time) {
    config_.cancun_time = config_.prague_time = 0;
    config_.blob_schedule.push_back({0, 6, 9, 5'007'716});
    genesis_.blob_gas_used = genesis_.excess_blob_gas = 0;
    for (const Address& contract :
         {vm::kWithdrawalRequestAddress, vm::kConsolidationRequestAddress})
        state_.deploy(contract, {0x00});
    std::vector<Address> codes;
    for (std::uint64_t i = 0; i < 3; ++i) {
        codes.push_back(address_from_low64(0xdddd'0000 + i));
        state_.deploy(
            codes.back(),
            (count_up(OP_CALLER, push(i)) + count_up(argument(0), push(i)) + OP_STOP).bytes());
    }
    const Hash secret = to_hash(Uint256{0x7702});
    const Address victim = *address_from_secret(secret);
    state_.set_balance(victim, kEther);
    Chain chain(5);
    std::uint64_t number = 0;
    std::uint64_t nonce = 0;
    for (std::vector<Transaction>& block : chain)
        for (std::size_t i = 0; i < kCalls; ++i, ++number) {
            Transaction& tx =
                block.emplace_back(call(number % 60, victim, 0xba, {to_word(person(number % 37))}));
            if (number % 23 != 0) continue;
            tx.type = TransactionType::set_code;
            tx.chain_id = 1;
            Authorization& authorization = tx.authorization_list.emplace_back();
            authorization.chain_id = Uint256{1};
            authorization.address = codes[number / 23 % codes.size()];
            authorization.nonce = nonce++;
            ASSERT_TRUE(sign_authorization(authorization, secret));
        }
    expect_bounded(chain);
    EXPECT_GT(last_.slots, 0u);
}

/// More than is ever read ahead in a block, and then as little as is shared at all.
TEST_F(ReadAheadAttacks, huge_blocks_and_then_tiny_ones) {
    genesis_.gas_limit = 500'000'000;
    state_.deploy(kVictim, (count_up(OP_CALLER, push(3)) + OP_STOP).bytes());
    Chain chain;
    std::uint64_t number = 0;
    for (const std::size_t calls : {4'500U, 129U, 1U, 4'500U, 15U, 130U}) {
        std::vector<Transaction>& block = chain.emplace_back();
        for (std::size_t i = 0; i < calls; ++i, ++number)
            block.push_back(call(number, kVictim, 0xba));
    }
    expect_bounded(chain);
    EXPECT_GT(last_.slots, 0u);
}

/// What is learned of a block that is rejected stays, and does no harm on the branch that is taken.
TEST_F(ReadAheadAttacks, patterns_of_a_block_that_was_rejected) {
    const Bytecode kind = push(5) + OP_SLOAD;
    state_.deploy(
        kVictim,
        (count_up(OP_CALLER, kind) + either(argument(0), sstore(5, argument(0)), {})).bytes());
    const auto block = [&](std::uint64_t kind_of_last) {
        std::vector<Transaction> result;
        for (std::size_t i = 0; i < kCalls; ++i)
            result.push_back(call(1'000 * kind_of_last + i, kVictim, 0xba,
                                  {Uint256{i + 1 == kCalls ? kind_of_last : 0}}));
        return result;
    };
    const Made first = made_without_help({block(1), block(2)});
    const Made second = made_without_help({block(3), block(4)});
    for (const Turns& turns : all_turns()) {
        const heddle::executor::test::FakeState before = state_;
        share(turns);
        ASSERT_TRUE(run(start_of(first, 0), first.blocks[0].block.transactions));
        BlockStart wrong = start_of(first, 1);
        wrong.header.receipts_root = {};
        ASSERT_TRUE(run(std::move(wrong), first.blocks[1].block.transactions));
        ASSERT_FALSE(executor_->drain().has_value());
        // Another branch, from the first block's parent on.
        sink_.blocks.clear();
        state_ = before;
        start_stream();
        for (std::size_t i = 0; i < 2; ++i)
            ASSERT_TRUE(run(start_of(second, i), second.blocks[i].block.transactions));
        const auto summary = executor_->drain();
        ASSERT_TRUE(summary.has_value()) << to_string(summary.error());
        for (std::size_t i = 0; i < 2; ++i) {
            EXPECT_EQ(sink_.blocks.at(i).receipts, second.blocks[i].receipts);
            EXPECT_EQ(sink_.blocks[i].diff, second.blocks[i].diff);
        }
        sink_.blocks.clear();
        take_back(before);
    }
}

}  // namespace
}  // namespace heddle::executor
