// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <vm/simulate.hpp>

#include <algorithm>

#include <gtest/gtest.h>

#include <vm/precompile.hpp>
#include <vm/transition.hpp>

#include "transition_fixture.hpp"

namespace heddle::vm::test {
namespace {

using enum TransactionError;

class ValidateCall : public testing::Test {
protected:
    ValidateCall() {
        env.revision = Revision::osaka;
        env.gas_limit = 30'000'000;
        env.base_fee_per_gas = 10;
        env.blob_base_fee = 2;
        env.max_blob_gas_per_block = 9 * kGasPerBlob;
        tx.type = TransactionType::dynamic_fee;
        tx.sender = kSender;
        tx.to = kTarget;
        tx.gas_limit = 100'000;
    }
    std::optional<TransactionError> error(const CallChecks& checks = {}) {
        const auto valid = validate_call(tx, state, env, checks);
        return valid ? std::nullopt : std::optional{valid.error()};
    }
    const Outcome& run(const PrecompileTable* precompiles = nullptr) {
        evm.use_precompiles(precompiles);
        const auto valid = validate_call(tx, state, env);
        EXPECT_TRUE(valid.has_value());
        if (valid) transition(state, NumberedBlockHashes{}, env, *valid, evm, outcome);
        return outcome;
    }
    static Hash blob_hash() {
        Hash hash;
        hash.bytes[0] = 1;
        return hash;
    }

public:
    RecordedState state;
    BlockEnv env;
    Transaction tx;
    Evm evm;
    Outcome outcome;
};

TEST_F(ValidateCall, needs_no_signature_no_funds_and_no_price) {
    const auto valid = validate_call(tx, state, env);
    ASSERT_TRUE(valid.has_value());
    EXPECT_EQ(valid->sender(), kSender);
    EXPECT_TRUE(valid->effective_gas_price().is_zero());
    EXPECT_EQ(valid->intrinsic().gas, 21'000u);
}

// As geth. Prices by the rules of London are let pass before it here, where nobody can tell zeros
// that were given from none: who reads the call refuses them.
TEST_F(ValidateCall, a_call_has_no_field_that_its_fork_does_not_know) {
    env.revision = Revision::istanbul;
    EXPECT_EQ(error(), std::nullopt);
    tx.access_list.emplace_back();
    EXPECT_EQ(error(), TransactionError::type_not_supported);
    env.revision = Revision::shanghai;
    EXPECT_EQ(error(), std::nullopt);
    tx.blob_versioned_hashes = {blob_hash()};
    EXPECT_EQ(error(), TransactionError::type_not_supported);
    tx.blob_versioned_hashes.clear();
    tx.authorization_list.emplace_back();
    EXPECT_EQ(error(), TransactionError::type_not_supported);
}

TEST_F(ValidateCall, a_list_that_is_there_is_one_although_it_is_empty) {
    env.revision = Revision::istanbul;
    EXPECT_EQ(error({.lists = {.access_list = true}}), type_not_supported);
    env.revision = Revision::shanghai;
    EXPECT_EQ(error({.lists = {.access_list = true}}), std::nullopt);
    EXPECT_EQ(error({.lists = {.blobs = true}}), type_not_supported);
    EXPECT_EQ(error({.lists = {.authorizations = true}}), type_not_supported);
    env.revision = Revision::prague;
    EXPECT_EQ(error({.lists = {.blobs = true}}), TransactionError::blob_count_zero);
    EXPECT_EQ(error({.lists = {.authorizations = true}}),
              TransactionError::authorization_list_empty);
}

// As the conversations of execution-apis have it, and geth 1.17.10.
TEST_F(ValidateCall, a_price_for_blobs_is_of_cancun_and_needs_no_blobs) {
    env.revision = Revision::shanghai;
    EXPECT_EQ(error({.lists = {.blob_price = true}}), type_not_supported);
    env.revision = Revision::cancun;
    EXPECT_EQ(error({.lists = {.blob_price = true}}), std::nullopt);
}

TEST_F(ValidateCall, contracts_may_call) {
    state.deploy(kSender, Bytes{0x00});
    EXPECT_EQ(error(), std::nullopt);
}

TEST_F(ValidateCall, has_a_reservoir_only_where_it_stands_for_a_transaction) {  // EIP-8037
    env.revision = Revision::amsterdam;
    tx.gas_limit = 30'000'000;
    const auto call = validate_call(tx, state, env);
    const auto transaction = validate_call(tx, state, env, {.execution_cap = true});
    ASSERT_TRUE(call.has_value() && transaction.has_value());
    EXPECT_EQ(call->gas().execution, 30'000'000 - call->intrinsic().gas);
    EXPECT_EQ(call->gas().reservoir, 0u);
    EXPECT_EQ(transaction->gas().reservoir, 30'000'000u - (1 << 24));
}

TEST_F(ValidateCall, gas_is_bounded_by_neither_block_nor_transaction_limit) {
    tx.gas_limit = env.gas_limit * 2;
    EXPECT_EQ(error(), std::nullopt);
    tx.gas_limit = std::uint64_t{1} << 63;
    EXPECT_EQ(error(), gas_limit_above_block);
}

TEST_F(ValidateCall, the_nonce_counts_where_it_is_asked_for) {
    state.set_balance(kSender, 1);
    tx.nonce = 7;
    EXPECT_EQ(error(), std::nullopt);
    EXPECT_EQ(error({.nonce = true}), nonce_too_high);
    tx.nonce = 0;
    EXPECT_EQ(error({.nonce = true}), std::nullopt);
}

TEST_F(ValidateCall, a_creation_goes_by_the_nonce_of_the_account) {
    state.accounts[kSender].nonce = 7;
    tx.to.reset();
    tx.gas_limit = 1'000'000;
    tx.data = from_hex("3060005260206000f3").value();  // returns its address
    for (const Revision revision : {Revision::osaka, Revision::amsterdam}) {
        env.revision = revision;
        EXPECT_EQ(run().output.size(), 32u);
        EXPECT_EQ(load_be(outcome.output.data()), to_word(create_address(kSender, 7)));
        EXPECT_EQ(outcome.status, Status::success);
    }
}

// As in geth: the creation is not even begun, and keeps what gas it has (EIP-2681).
TEST_F(ValidateCall, a_creation_fails_where_the_nonce_cannot_rise) {
    state.accounts[kSender].nonce = ~std::uint64_t{0};
    tx.to.reset();
    tx.gas_limit = 1'000'000;
    tx.data = from_hex("fe").value();
    for (const Revision revision : {Revision::osaka, Revision::amsterdam}) {
        env.revision = revision;
        EXPECT_EQ(run().status, Status::nonce_overflow);
        const IntrinsicGas least = intrinsic_gas(tx, revision);
        EXPECT_EQ(outcome.receipt.gas_used, std::max(least.gas, least.floor));
        EXPECT_TRUE(outcome.diff.accounts.empty()) << "the nonce is what it was";
    }
}

TEST_F(ValidateCall, zero_prices_pass_where_they_are_not_asked_for) {
    EXPECT_EQ(error(), std::nullopt);
    EXPECT_EQ(error({.zero_prices = true}), max_fee_below_base_fee);
    tx.max_fee_per_gas = 9;
    EXPECT_EQ(error(), max_fee_below_base_fee);
    tx.max_priority_fee_per_gas = 11;
    EXPECT_EQ(error(), priority_fee_above_max_fee);
}

TEST_F(ValidateCall, value_and_gas_must_be_covered) {
    state.set_balance(kSender, 1'000'004);
    tx.value = 5;
    tx.max_fee_per_gas = 10;
    EXPECT_EQ(error(), insufficient_funds);
    state.set_balance(kSender, 1'000'005);
    EXPECT_EQ(error(), std::nullopt);
}

TEST_F(ValidateCall, blobs_are_paid_for_by_the_block_even_where_nothing_is_offered) {
    tx.type = TransactionType::blob;
    EXPECT_EQ(error(), blob_count_zero);
    tx.blob_versioned_hashes = {blob_hash()};
    EXPECT_EQ(error(), insufficient_funds);
    env.blob_base_fee = 0;
    EXPECT_EQ(error(), std::nullopt);
    env.blob_base_fee = 2;
    state.set_balance(kSender, 2 * kGasPerBlob);
    EXPECT_EQ(error(), std::nullopt);
    EXPECT_EQ(error({.zero_prices = true}), max_fee_below_base_fee);
    state.set_balance(kSender, 2 * kGasPerBlob - 1);
    EXPECT_EQ(error(), insufficient_funds);
    EXPECT_EQ(error({.poor_have_blobs = true}), std::nullopt);
    tx.max_fee_per_blob_gas = 1;
    EXPECT_EQ(error({.poor_have_blobs = true}), blob_fee_too_low);
    EXPECT_EQ(error(), blob_fee_too_low);
    tx.blob_versioned_hashes[0].bytes[0] = 2;
    EXPECT_EQ(error(), blob_version_unknown);
    tx.to.reset();
    EXPECT_EQ(error(), blob_creation);
}

TEST_F(ValidateCall, authorizations_need_a_recipient_and_must_be_there) {
    tx.type = TransactionType::set_code;
    EXPECT_EQ(error(), authorization_list_empty);
    tx.authorization_list = {{1, kOther, 0, 0, 1, 1}};
    EXPECT_EQ(error(), std::nullopt);
    tx.to.reset();
    EXPECT_EQ(error(), set_code_creation);
}

TEST_F(ValidateCall, intrinsic_gas_floor_and_init_code_count) {
    tx.gas_limit = 20'999;
    EXPECT_EQ(error(), intrinsic_gas_too_low);
    tx.data = Bytes(1'000, 1);
    tx.gas_limit = 21'000 + 16'000;
    EXPECT_EQ(error(), gas_below_floor);
    tx.gas_limit = 10'000'000;
    tx.to.reset();
    tx.data = Bytes(49'153, 0);
    EXPECT_EQ(error(), init_code_too_large);
}

TEST_F(ValidateCall, a_free_call_pays_nobody_below_the_base_fee) {
    state.set_balance(kBeneficiary, 3);
    env.beneficiary = kBeneficiary;
    const StateDiff& diff = run().diff;
    EXPECT_EQ(outcome.status, Status::success);
    for (const AccountChange& change : diff.accounts)
        if (change.address == kBeneficiary) EXPECT_EQ(change.account->balance, 3u);
}

TEST_F(ValidateCall, peak_gas_is_what_was_used_before_refunds) {
    state.deploy(kTarget, (push(0) + push(1) + OP_SSTORE).bytes());
    state.set_storage(kTarget, 1, 5);
    run();
    EXPECT_EQ(outcome.status, Status::success);
    EXPECT_GT(outcome.peak_gas, outcome.receipt.gas_used);
    EXPECT_EQ(outcome.peak_gas - outcome.receipt.gas_used, 4'800u);
}

TEST_F(ValidateCall, precompiled_contracts_may_be_elsewhere) {
    PrecompileTable table = make_precompile_table(env.revision);
    const Address identity = address_from_low64(4);
    ASSERT_EQ(table.size(), active_precompiles(env.revision).size());
    table.erase(identity);
    table[kTarget] = 4;
    tx.data = {1, 2, 3};
    EXPECT_EQ(run(&table).output, tx.data);
    tx.to = identity;
    EXPECT_EQ(run(&table).output, Bytes{});
    EXPECT_EQ(run().output, tx.data);
}

}  // namespace
}  // namespace heddle::vm::test
