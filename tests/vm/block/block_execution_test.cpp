// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <vm/block_execution.hpp>

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include <vm/block.hpp>
#include <vm/system_contracts.hpp>

#include "chain_fixture.hpp"

namespace heddle::vm {
namespace {

const Address kSender = address_from_low64(0x5e);
const Address kReceiver = address_from_low64(0x4e);
const Address kMiner = address_from_low64(0xa);
const ObjectId kMinerBalance{kMiner, ObjectKind::balance, {}};
// Stores the first word of the call data in slot 0; STOP.
const Bytes kStoreInput{0x5f, 0x35, 0x5f, 0x55};
const Bytes kStop{0x00};

/// Steps as text: index, whether a transaction, accounts accessed and changed.
class StepLog final : public BlockRecorder {
public:
    void record(const BlockStep& step) override {
        EXPECT_EQ(step.accesses.changed_accounts.size(), step.diff.accounts.size());
        for (std::size_t i = 0; i < step.diff.accounts.size(); ++i)
            EXPECT_EQ(step.accesses.accounts[step.accesses.changed_accounts[i]].address,
                      step.diff.accounts[i].address);
        indices.push_back(step.index);
        transactions += step.is_transaction ? 1 : 0;
        for (const AccountAccess& access : step.accesses.accounts)
            seen.push_back({step.index, access});
    }
    [[nodiscard]] const AccountAccess* find(std::uint32_t index, const Address& address) const {
        const auto found = std::ranges::find_if(seen, [&](const Seen& entry) {
            return entry.index == index && entry.access.address == address;
        });
        return found == seen.end() ? nullptr : &found->access;
    }

    struct Seen {
        std::uint32_t index = 0;
        AccountAccess access;
    };
    std::vector<std::uint32_t> indices;
    std::vector<Seen> seen;
    int transactions = 0;
};

Transaction transfer(std::uint64_t nonce, std::uint64_t value) {
    Transaction tx;
    tx.nonce = nonce;
    tx.gas_limit = 21'000;
    tx.max_fee_per_gas = Uint256{2'000'000'000};
    tx.max_priority_fee_per_gas = Uint256{2'000'000'000};
    tx.to = kReceiver;
    tx.value = Uint256{value};
    tx.r = Uint256{1};
    tx.s = Uint256{1};
    tx.sender = kSender;
    return tx;
}

class BlockExecutionTest : public testing::Test {
protected:
    test::MapState state_;
    test::NoBlockHashes block_hashes_;
    Evm evm_{{.record_accesses = true}};
    Outcome outcome_;
    StepLog log_;
    BlockExecution execution_;
    BlockHeader header_;
    BlockEnv env_;
    ChainConfig config_;

    void SetUp() override {
        state_.accounts[kSender].balance = Uint256{1'000'000'000'000'000'000};
        state_.deploy(kWithdrawalRequestAddress, kStop);
        state_.deploy(kConsolidationRequestAddress, kStop);
        state_.deploy(kBuilderDepositAddress, kStop);
        state_.deploy(kBuilderExitAddress, kStop);
        state_.deploy(kBeaconRootsAddress, kStoreInput);
        state_.deploy(kHistoryStorageAddress, kStoreInput);
    }
    void begin(Revision revision, std::uint64_t gas_limit = 30'000'000) {
        config_ = test::config_at(revision);
        header_ = test::parent_at(revision);
        header_.beneficiary = kMiner;
        header_.gas_limit = gas_limit;
        header_.parent_hash = Hash{{0x09}};
        env_ = make_block_env(header_, config_, revision >= Revision::paris);
        ASSERT_TRUE(execution_
                        .begin({.header = header_,
                                .env = env_,
                                .config = config_,
                                .block_hashes = block_hashes_,
                                .recorder = &log_},
                               state_, evm_)
                        .has_value());
    }
};

TEST_F(BlockExecutionTest, adds_transactions_up) {
    begin(Revision::prague);

    ASSERT_TRUE(execution_.add(transfer(0, 5), evm_, outcome_).has_value());
    ASSERT_TRUE(execution_.add(transfer(1, 6), evm_, outcome_).has_value());
    ASSERT_TRUE(execution_.end({}, evm_).has_value());

    const BlockResult& result = execution_.result();
    EXPECT_EQ(result.gas_used, 42'000u);
    ASSERT_EQ(result.receipts.size(), 2u);
    EXPECT_EQ(result.receipts[0].cumulative_gas_used, 21'000u);
    EXPECT_EQ(result.receipts[1].cumulative_gas_used, 42'000u);
    EXPECT_EQ(state_.accounts.at(kReceiver).balance, Uint256{11});
}

// EIP-7778, 8037: the header's gas is not what senders pay.
TEST_F(BlockExecutionTest, counts_each_dimension_of_gas_for_itself_since_amsterdam) {
    // SSTORE(0, 1), SSTORE(0, 0): what is refunded counts in the block all the same.
    const Bytes write_and_clear{0x60, 1, 0x5f, 0x55, 0x5f, 0x5f, 0x55};
    const Address contract = address_from_low64(0xc0);
    state_.deploy(contract, write_and_clear);
    begin(Revision::amsterdam);
    Transaction creation = transfer(0, 5);  // brings the receiver to life
    creation.gas_limit = 300'000;
    Transaction call = transfer(1, 0);
    call.to = contract;
    call.gas_limit = 300'000;

    ASSERT_TRUE(execution_.add(creation, evm_, outcome_).has_value());
    EXPECT_EQ(execution_.left().gas, 30'000'000u - 21'000);
    EXPECT_EQ(execution_.left().state_gas, 30'000'000u - 183'600);
    ASSERT_TRUE(execution_.add(call, evm_, outcome_).has_value());

    const BlockResult& result = execution_.result();
    const std::uint64_t called = 15'000 + 5 + 12'100 + 4 + 100;
    EXPECT_EQ(result.gas, (BlockGasUsed{.execution = 21'000 + called, .state = 183'600}));
    EXPECT_EQ(result.gas_used, 183'600u);
    EXPECT_EQ(result.receipts[0].cumulative_gas_used, 204'600u);
    EXPECT_EQ(result.receipts[1].gas_used, called - called / 5);
    EXPECT_EQ(result.receipts[1].cumulative_gas_used, 204'600u + called - called / 5);
}

TEST_F(BlockExecutionTest, what_is_forfeited_is_gone_in_each_dimension) {
    begin(Revision::amsterdam);
    Transaction creation = transfer(0, 5);
    creation.gas_limit = 300'000;
    ASSERT_TRUE(execution_.run(creation, evm_, outcome_).has_value());
    execution_.forfeit(outcome_);

    EXPECT_EQ(execution_.left().gas, 30'000'000u - 21'000);
    EXPECT_EQ(execution_.left().state_gas, 30'000'000u - 183'600);
    EXPECT_EQ(execution_.result().gas, BlockGasUsed{});
}

TEST_F(BlockExecutionTest, is_as_before_where_a_transaction_is_refused) {
    begin(Revision::prague, 50'000);
    ASSERT_TRUE(execution_.add(transfer(0, 5), evm_, outcome_).has_value());
    const auto accounts = state_.accounts;

    EXPECT_EQ(execution_.add(transfer(0, 5), evm_, outcome_).error(),
              TransactionError::nonce_too_low);
    Transaction large = transfer(1, 5);
    large.gas_limit = 29'001;
    EXPECT_EQ(execution_.add(large, evm_, outcome_).error(),
              TransactionError::gas_limit_above_block);

    EXPECT_EQ(state_.accounts, accounts);
    EXPECT_EQ(execution_.result().receipts.size(), 1u);
    EXPECT_EQ(execution_.left().gas, 29'000u);
    EXPECT_EQ(log_.transactions, 1);
}

TEST_F(BlockExecutionTest, runs_without_changing_anything_until_it_is_kept) {
    begin(Revision::prague);
    const auto accounts = state_.accounts;

    ASSERT_TRUE(execution_.run(transfer(0, 5), evm_, outcome_).has_value());
    EXPECT_EQ(state_.accounts, accounts);
    EXPECT_TRUE(execution_.result().receipts.empty());

    execution_.keep(outcome_);
    EXPECT_EQ(state_.accounts.at(kReceiver).balance, Uint256{5});
    EXPECT_EQ(execution_.result().gas_used, 21'000u);
}

TEST_F(BlockExecutionTest, tells_of_every_step_in_order_system_calls_included) {
    begin(Revision::prague);
    EXPECT_EQ(log_.indices, (std::vector<std::uint32_t>{0, 0}));
    ASSERT_NE(log_.find(0, kBeaconRootsAddress), nullptr);
    ASSERT_NE(log_.find(0, kHistoryStorageAddress), nullptr);

    ASSERT_TRUE(execution_.add(transfer(0, 5), evm_, outcome_).has_value());
    ASSERT_TRUE(execution_.add(transfer(1, 6), evm_, outcome_).has_value());
    const Withdrawal withdrawals[] = {{0, 0, kMiner, 3}, {1, 0, kReceiver, 0}};
    ASSERT_TRUE(execution_.end({.withdrawals = withdrawals}, evm_).has_value());

    EXPECT_EQ(log_.indices, (std::vector<std::uint32_t>{0, 0, 1, 2, 3, 3, 3}));
    EXPECT_EQ(log_.transactions, 2);
    EXPECT_NE(log_.find(1, kReceiver), nullptr);
    ASSERT_NE(log_.find(3, kMiner), nullptr);
    EXPECT_EQ(log_.find(3, kMiner)->balance, FieldAccess::add);
    EXPECT_NE(log_.find(3, kWithdrawalRequestAddress), nullptr);
    EXPECT_NE(log_.find(3, kConsolidationRequestAddress), nullptr);
}

TEST_F(BlockExecutionTest, tells_of_who_comes_to_life_by_a_reward) {
    begin(Revision::london);
    const std::vector<OmmerReward> ommers{{kReceiver, 1}, {kSender, 2}};

    ASSERT_TRUE(execution_.end({.reward = block_reward(Revision::london), .ommers = ommers}, evm_)
                    .has_value());

    ASSERT_NE(log_.find(1, kReceiver), nullptr);
    EXPECT_EQ(log_.find(1, kReceiver)->code, FieldAccess::write);
    EXPECT_EQ(log_.find(1, kReceiver)->balance, FieldAccess::write);
    ASSERT_NE(log_.find(1, kSender), nullptr);
    EXPECT_EQ(log_.find(1, kSender)->code, FieldAccess::read);
    EXPECT_EQ(log_.find(1, kSender)->balance, FieldAccess::add);
}

TEST_F(BlockExecutionTest, asks_for_roots_of_states_before_byzantium_only) {
    for (const Revision revision : {Revision::spurious_dragon, Revision::byzantium}) {
        config_ = test::config_at(revision);
        header_ = test::parent_at(revision);
        env_ = make_block_env(header_, config_, false);
        int asked = 0;
        const BlockContext context{.header = header_,
                                   .env = env_,
                                   .config = config_,
                                   .block_hashes = block_hashes_,
                                   .state_root = [&] {
                                       ++asked;
                                       return Hash{{0x77}};
                                   }};
        ASSERT_TRUE(execution_.begin(context, state_, evm_).has_value());
        outcome_ = {};
        execution_.accept(outcome_);

        EXPECT_EQ(asked, revision < Revision::byzantium ? 1 : 0);
        EXPECT_EQ(execution_.result().receipts[0].post_state.has_value(), asked == 1);
    }
}

const ListedAccount* find_account(const BlockAccessList& list, const Address& address) {
    const auto found = std::ranges::find(list.accounts, address, &ListedAccount::address);
    return found == list.accounts.end() ? nullptr : &*found;
}

// EIP-7928: system calls at 0, transactions from 1, withdrawals and system calls behind them.
TEST_F(BlockExecutionTest, makes_the_access_list_from_amsterdam_on) {
    evm_ = Evm{};  // recording is turned on where it is needed
    begin(Revision::amsterdam);
    Transaction tx = transfer(0, 5);
    tx.gas_limit = 250'000;
    ASSERT_TRUE(execution_.add(tx, evm_, outcome_).has_value());
    const Withdrawal withdrawals[] = {{0, 0, kReceiver, 3}};
    ASSERT_TRUE(execution_.end({.withdrawals = withdrawals}, evm_).has_value());

    ASSERT_TRUE(execution_.result().access_list.has_value());
    const MadeAccessList& made = *execution_.result().access_list;
    EXPECT_EQ(made.hash, keccak256(made.encoded));
    const auto list = decode_block_access_list(made.encoded);
    ASSERT_TRUE(list.has_value());
    EXPECT_TRUE(check_form(*list, 1, header_.gas_limit).has_value());
    for (const Address& address : {kBeaconRootsAddress, kHistoryStorageAddress})
        EXPECT_EQ(find_account(*list, address)->address, address);
    EXPECT_EQ(find_account(*list, kHistoryStorageAddress)->storage_changes[0].changes,
              (std::vector<ListedChange<Uint256>>{{0, to_word(Hash{{0x09}})}}));
    EXPECT_EQ(find_account(*list, kSender)->nonce_changes,
              (std::vector<ListedChange<std::uint64_t>>{{1, 1}}));
    EXPECT_EQ(find_account(*list, kReceiver)->balance_changes,
              (std::vector<ListedChange<Uint256>>{{1, Uint256{5}}, {2, Uint256{3'000'000'005}}}));
    EXPECT_EQ(find_account(*list, kMiner)->balance_changes.size(), 1u);
    EXPECT_NE(find_account(*list, kBuilderExitAddress), nullptr);
}

TEST_F(BlockExecutionTest, leaves_the_access_list_to_whoever_has_the_state_of_afterwards) {
    const test::MapState before = state_;
    const auto run = [&](auto&& end) {
        state_ = before;
        begin(Revision::amsterdam);
        EXPECT_TRUE(execution_.add(transfer(0, 5), evm_, outcome_).has_value());
        end();
        EXPECT_FALSE(execution_.owes_access_list());
        return *execution_.result().access_list;
    };
    const MadeAccessList at_once = run([&] { ASSERT_TRUE(execution_.end({}, evm_).has_value()); });
    const MadeAccessList later = run([&] {
        ASSERT_TRUE(execution_.end_without_list({}, evm_).has_value());
        EXPECT_TRUE(execution_.owes_access_list());
        EXPECT_FALSE(execution_.result().access_list.has_value());
        const test::MapState after = state_;
        state_.accounts.clear();  // whoever executes has gone on
        execution_.make_access_list(after);
    });

    EXPECT_EQ(at_once.encoded, later.encoded);
    EXPECT_EQ(at_once.hash, later.hash);
}

TEST_F(BlockExecutionTest, a_refused_transaction_leaves_no_trace_in_the_access_list) {
    begin(Revision::amsterdam);
    Transaction refused = transfer(7, 5);
    refused.to = address_from_low64(0xdead);
    EXPECT_FALSE(execution_.add(refused, evm_, outcome_).has_value());
    ASSERT_TRUE(execution_.end({}, evm_).has_value());

    const auto list = decode_block_access_list(execution_.result().access_list->encoded);
    ASSERT_TRUE(list.has_value());
    EXPECT_EQ(find_account(*list, *refused.to), nullptr);
    EXPECT_EQ(find_account(*list, kSender), nullptr);
    EXPECT_EQ(find_account(*list, kMiner), nullptr);
}

TEST_F(BlockExecutionTest, bounds_the_access_list_by_the_gas_limit) {
    begin(Revision::amsterdam, 2'000 * 7);

    const auto ended = execution_.end({}, evm_);

    // Six system contracts, and a slot that two of them set.
    ASSERT_FALSE(ended.has_value());
    EXPECT_EQ(ended.error().code, BlockErrorCode::access_list_too_large);
    begin(Revision::amsterdam, 2'000 * 8);
    EXPECT_TRUE(execution_.end({}, evm_).has_value());
}

TEST_F(BlockExecutionTest, makes_no_access_list_before_amsterdam_or_where_it_is_not_wanted) {
    begin(Revision::osaka);
    ASSERT_TRUE(execution_.end({}, evm_).has_value());
    EXPECT_FALSE(execution_.result().access_list.has_value());
    begin(Revision::amsterdam);
    ASSERT_TRUE(execution_
                    .begin({.header = header_,
                            .env = env_,
                            .config = config_,
                            .block_hashes = block_hashes_,
                            .access_list = AccessListMaking::never},
                           state_, evm_)
                    .has_value());
    ASSERT_TRUE(execution_.end({}, evm_).has_value());
    EXPECT_FALSE(execution_.result().access_list.has_value());
}

TEST_F(BlockExecutionTest, keeps_object_sets_of_transactions_whoever_pays_the_fee) {
    config_ = test::config_at(Revision::prague);
    header_ = test::parent_at(Revision::prague);
    header_.beneficiary = kMiner;
    env_ = make_block_env(header_, config_, true);
    ObjectSetRecorder sets;
    ASSERT_TRUE(execution_
                    .begin({.header = header_,
                            .env = env_,
                            .config = config_,
                            .block_hashes = block_hashes_,
                            .recorder = &sets},
                           state_, evm_)
                    .has_value());
    Evm deferring{{.record_accesses = true, .defer_fees = true}};

    ASSERT_TRUE(execution_.add(transfer(0, 5), evm_, outcome_).has_value());
    ASSERT_TRUE(execution_.run(transfer(1, 5), deferring, outcome_).has_value());
    execution_.keep(outcome_);

    const std::vector<ObjectSet> taken = sets.take();
    ASSERT_EQ(taken.size(), 2u);
    EXPECT_EQ(taken[0].find(kMinerBalance)->mode, AccessMode::add);
    EXPECT_EQ(taken[1].find(kMinerBalance)->mode, AccessMode::add);
    EXPECT_TRUE(sets.take().empty());
}

}  // namespace
}  // namespace heddle::vm
