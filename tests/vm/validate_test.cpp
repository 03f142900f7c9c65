// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <vm/limits.hpp>
#include <vm/validate.hpp>

#include <gtest/gtest.h>

#include "transition_fixture.hpp"

namespace heddle::vm::test {
namespace {

using enum TransactionError;

class Validate : public testing::Test {
protected:
    Validate() {
        env.revision = Revision::osaka;
        env.gas_limit = 30'000'000;
        env.base_fee_per_gas = 10;
        env.blob_base_fee = 2;
        env.max_blob_gas_per_block = 9 * kGasPerBlob;
        tx.sender = kSender;
        tx.to = kTarget;
        tx.gas_limit = 100'000;
        tx.max_fee_per_gas = 10;
        tx.max_priority_fee_per_gas = 10;
        state.set_balance(kSender, Uint256{1} << 80);
    }
    void make(TransactionType type) {
        tx.type = type;
        tx.chain_id = env.chain_id;
        if (type == TransactionType::blob) {
            tx.blob_versioned_hashes = {blob_hash()};
            tx.max_fee_per_blob_gas = 2;
        }
        if (type == TransactionType::set_code) tx.authorization_list = {{1, kOther, 0, 0, 1, 1}};
    }
    static Hash blob_hash() {
        Hash hash;
        hash.bytes[0] = 1;
        return hash;
    }
    std::optional<TransactionError> error() {
        const auto valid = validate(tx, state, env, left);
        return valid ? std::nullopt : std::optional{valid.error()};
    }

public:
    RecordedState state;
    BlockEnv env;
    Transaction tx;
    BlockGas left{30'000'000, 30'000'000, 9 * kGasPerBlob};
};

TEST_F(Validate, a_plain_transaction_passes_with_what_execution_needs) {
    make(TransactionType::dynamic_fee);
    tx.max_fee_per_gas = 15;
    tx.max_priority_fee_per_gas = 3;
    const auto valid = validate(tx, state, env, left);

    ASSERT_TRUE(valid.has_value());
    EXPECT_EQ(valid->sender(), kSender);
    EXPECT_EQ(valid->effective_gas_price(), 13u);
    EXPECT_EQ(valid->intrinsic().gas, 21'000u);
    EXPECT_EQ(&valid->tx(), &tx);
}

TEST_F(Validate, types_come_with_their_forks) {
    const std::pair<TransactionType, Revision> types[] = {
        {TransactionType::access_list, Revision::berlin},
        {TransactionType::dynamic_fee, Revision::london},
        {TransactionType::blob, Revision::cancun},
        {TransactionType::set_code, Revision::prague}};
    for (const auto& [type, since] : types) {
        tx.blob_versioned_hashes.clear();
        tx.authorization_list.clear();
        make(type);
        env.revision = since;
        EXPECT_EQ(error(), std::nullopt);
        env.revision = static_cast<Revision>(static_cast<unsigned>(since) - 1);
        EXPECT_EQ(error(), type_not_supported);
    }
}

TEST_F(Validate, the_chain_must_be_this_one) {
    tx.chain_id = 2;
    EXPECT_EQ(error(), chain_id_mismatch);
    tx.chain_id = 1;
    EXPECT_EQ(error(), std::nullopt);
    env.revision = Revision::homestead;  // nobody signed chain ids then
    env.base_fee_per_gas = 0;
    EXPECT_EQ(error(), chain_id_mismatch);
}

TEST_F(Validate, nonces_count_up_without_gaps) {
    state.accounts[kSender].nonce = 5;
    tx.nonce = 4;
    EXPECT_EQ(error(), nonce_too_low);
    tx.nonce = 6;
    EXPECT_EQ(error(), nonce_too_high);
    tx.nonce = 5;
    EXPECT_EQ(error(), std::nullopt);
    tx.nonce = state.accounts[kSender].nonce = ~std::uint64_t{0};
    EXPECT_EQ(error(), nonce_overflow);  // EIP-2681
    tx.nonce = state.accounts[kSender].nonce = ~std::uint64_t{0} - 1;
    EXPECT_EQ(error(), std::nullopt);
}

TEST_F(Validate, contracts_send_no_transactions_but_delegated_accounts_do) {  // EIP-3607, EIP-7702
    Bytes code{0xef, 0x01, 0x00};
    code.resize(23);
    state.deploy(kSender, code);
    state.accounts[kSender].nonce = 0;
    EXPECT_EQ(error(), std::nullopt);
    env.revision = Revision::cancun;  // no delegation yet, whatever the code looks like
    EXPECT_EQ(error(), sender_not_eoa);
    env.revision = Revision::prague;
    state.deploy(kSender, {0x00});
    state.accounts[kSender].nonce = 0;
    EXPECT_EQ(error(), sender_not_eoa);
    env.code_may_send = true;  // on development chains
    EXPECT_EQ(error(), std::nullopt);
}

TEST_F(Validate, the_sender_owns_the_most_that_it_can_cost) {
    tx.value = 7;
    state.set_balance(kSender, 1'000'007);
    EXPECT_EQ(error(), std::nullopt);
    state.set_balance(kSender, 1'000'006);
    EXPECT_EQ(error(), insufficient_funds);
    tx.value = Uint256::max();
    EXPECT_EQ(error(), insufficient_funds);
    // The fee that is promised counts, not the one that is paid; blobs count as well.
    make(TransactionType::blob);
    tx.value = 0;
    tx.max_fee_per_gas = 20;
    state.set_balance(kSender, 2'000'000 + 2 * kGasPerBlob);
    EXPECT_EQ(error(), std::nullopt);
    state.set_balance(kSender, 2'000'000 + 2 * kGasPerBlob - 1);
    EXPECT_EQ(error(), insufficient_funds);
    // Nobody is there.
    tx.sender = kThird;
    EXPECT_EQ(error(), insufficient_funds);
}

TEST_F(Validate, prices_do_not_overflow) {
    tx.max_fee_per_gas = Uint256::max();
    EXPECT_EQ(error(), gas_price_overflow);
}

TEST_F(Validate, fees_cover_the_base_fee_and_the_tip) {
    make(TransactionType::dynamic_fee);
    tx.max_fee_per_gas = 9;
    tx.max_priority_fee_per_gas = 0;
    EXPECT_EQ(error(), max_fee_below_base_fee);
    tx.max_fee_per_gas = 10;
    tx.max_priority_fee_per_gas = 11;
    EXPECT_EQ(error(), priority_fee_above_max_fee);
}

TEST_F(Validate, gas_fits_into_what_the_block_has_left) {
    left.gas = 100'000;
    EXPECT_EQ(error(), std::nullopt);
    left.gas = 99'999;
    EXPECT_EQ(error(), gas_limit_above_block);
}

TEST_F(Validate, one_transaction_has_at_most_2_to_the_24_gas_since_osaka) {  // EIP-7825
    tx.gas_limit = limits(Revision::osaka).max_transaction_gas;
    EXPECT_EQ(error(), std::nullopt);
    tx.gas_limit += 1;
    EXPECT_EQ(error(), gas_limit_above_maximum);
    env.revision = Revision::prague;
    EXPECT_EQ(error(), std::nullopt);
}

TEST_F(Validate, every_byte_of_calldata_is_counted_whatever_its_length) {
    for (std::size_t size = 0; size <= 600; ++size) {
        tx.data.assign(size, 0);
        for (std::size_t i = 0; i < size; i += 3)
            tx.data[i] = static_cast<std::uint8_t>(1 + i % 255);
        const std::uint64_t non_zeros = (size + 2) / 3;
        const std::uint64_t zeros = size - non_zeros;
        EXPECT_EQ(intrinsic_gas(tx, Revision::istanbul).gas, 21'000 + 4 * zeros + 16 * non_zeros);
    }
    tx.data.assign(100'000, 0);
    EXPECT_EQ(intrinsic_gas(tx, Revision::istanbul).gas, 21'000u + 4 * 100'000);
}

TEST_F(Validate, intrinsic_gas_depends_on_the_revision) {
    tx.data = {0, 0, 1};
    EXPECT_EQ(intrinsic_gas(tx, Revision::frontier).gas, 21'000u + 8 + 68);
    EXPECT_EQ(intrinsic_gas(tx, Revision::istanbul).gas, 21'000u + 8 + 16);  // EIP-2028
    tx.to.reset();
    EXPECT_EQ(intrinsic_gas(tx, Revision::frontier).gas, 21'000u + 8 + 68);
    EXPECT_EQ(intrinsic_gas(tx, Revision::homestead).gas, 53'000u + 8 + 68);     // EIP-2
    EXPECT_EQ(intrinsic_gas(tx, Revision::shanghai).gas, 53'000u + 8 + 16 + 2);  // EIP-3860
    EXPECT_EQ(intrinsic_gas(tx, Revision::cancun).floor, 0u);
    EXPECT_EQ(intrinsic_gas(tx, Revision::prague).floor, 21'000u + 60);  // EIP-7623
    tx.access_list = {{kTarget, {{}, {}}}, {kOther, {}}};
    EXPECT_EQ(intrinsic_gas(tx, Revision::berlin).gas, 53'000u + 24 + 2 * 2'400 + 2 * 1'900);
    tx.authorization_list.resize(2);
    EXPECT_EQ(intrinsic_gas(tx, Revision::prague).gas,
              53'000u + 24 + 2 + 2 * 2'400 + 2 * 1'900 + 50'000);
}

TEST_F(Validate, amsterdam_prices_whom_a_transaction_goes_to) {  // EIP-2780
    const auto gas = [&] { return intrinsic_gas(tx, Revision::amsterdam).gas; };
    tx.sender = kSender;
    EXPECT_EQ(gas(), 15'000u);
    tx.value = 1;
    EXPECT_EQ(gas(), 21'000u);
    tx.to = kSender;
    EXPECT_EQ(gas(), 12'000u);
    tx.to.reset();
    tx.data = Bytes(33, 1);
    EXPECT_EQ(gas(), 24'000u + 33 * 16 + 2 * 2);
    tx.to = kTarget;
    tx.sender.reset();
    EXPECT_EQ(gas(), 12'000u + 33 * 16);  // the least that it can be
}

TEST_F(Validate, amsterdam_counts_lists_into_the_floor) {  // EIP-7976, 7981
    tx.sender = kSender;
    tx.data = {0, 1, 0};
    tx.access_list = {{kTarget, {{}, {}}}, {kOther, {}}};
    tx.authorization_list.resize(2);
    const IntrinsicGas gas = intrinsic_gas(tx, Revision::amsterdam);
    const std::uint64_t list = 2 * 20 * 64 + 2 * 32 * 64;
    EXPECT_EQ(gas.floor, 15'000u + 3 * 64 + list);
    EXPECT_EQ(gas.gas, 15'000u + 24 + 2 * 2'900 + 2 * 2'000 + list + 2 * 7'816);
}

TEST_F(Validate, amsterdam_bounds_what_is_due_before_execution) {  // EIP-8037
    env.revision = Revision::amsterdam;
    tx.sender = kSender;
    left = {100'000'000, 100'000'000, 0};
    tx.gas_limit = 50'000'000;
    EXPECT_EQ(error(), std::nullopt);
    tx.data = Bytes((16'777'216 - 15'000) / 64, 1);
    EXPECT_EQ(error(), std::nullopt);
    tx.data.push_back(1);
    EXPECT_EQ(error(), intrinsic_gas_too_high);
    tx.data.clear();
    left.gas = left.state_gas = tx.gas_limit = 0xffff'ffff;
    EXPECT_EQ(error(), std::nullopt);
    left.gas = left.state_gas = tx.gas_limit += 1;
    EXPECT_EQ(error(), gas_limit_above_maximum);
}

TEST_F(Validate, a_block_must_have_room_in_both_dimensions) {  // EIP-8037
    env.revision = Revision::amsterdam;
    tx.sender = kSender;
    tx.gas_limit = 20'000'000;
    left = {16'777'216, 20'000'000, 0};
    EXPECT_EQ(error(), std::nullopt);
    left = {16'777'215, 20'000'000, 0};
    EXPECT_EQ(error(), gas_limit_above_block);
    left = {16'777'216, 19'999'999, 0};
    EXPECT_EQ(error(), gas_limit_above_block);
}

TEST_F(Validate, gas_is_split_at_the_cap_of_execution) {  // EIP-8037
    const auto split = [&](std::uint64_t gas_limit) {
        tx.gas_limit = gas_limit;
        const auto valid = validate(tx, state, env, left);
        return valid ? valid->gas() : GasSplit{};
    };
    env.revision = Revision::amsterdam;

    const GasSplit small = split(1'000'000);
    const GasSplit large = split(20'000'000);

    EXPECT_EQ(small.execution, 985'000u);
    EXPECT_EQ(small.reservoir, 0u);
    EXPECT_EQ(large.execution, 16'777'216u - 15'000);
    EXPECT_EQ(large.reservoir, 20'000'000u - 16'777'216);
    env.revision = Revision::prague;
    EXPECT_EQ(split(20'000'000).execution, 20'000'000u - 21'000);
}

TEST_F(Validate, the_limit_covers_intrinsic_gas_and_floor) {
    tx.gas_limit = 20'999;
    EXPECT_EQ(error(), intrinsic_gas_too_low);
    tx.gas_limit = 21'000;
    EXPECT_EQ(error(), std::nullopt);
    tx.data = Bytes(100, 1);
    tx.gas_limit = 21'000 + 1'600;
    EXPECT_EQ(error(), gas_below_floor);
    tx.gas_limit = 21'000 + 4'000;
    EXPECT_EQ(error(), std::nullopt);
}

TEST_F(Validate, init_code_is_bounded_since_shanghai) {
    tx.to.reset();
    tx.gas_limit = 5'000'000;
    tx.data = Bytes(49'152, 1);
    EXPECT_EQ(error(), std::nullopt);
    tx.data.push_back(1);
    EXPECT_EQ(error(), init_code_too_large);
    env.any_code_size = true;  // on development chains
    EXPECT_EQ(error(), std::nullopt);
    env.any_code_size = false;
    env.revision = Revision::paris;
    EXPECT_EQ(error(), std::nullopt);
}

TEST_F(Validate, signatures_have_a_low_s_since_homestead) {  // EIP-2
    tx.s = Uint256::max();
    EXPECT_EQ(error(), invalid_signature);
    env.revision = Revision::frontier;
    EXPECT_EQ(error(), std::nullopt);
}

TEST_F(Validate, a_sender_that_is_not_filled_in_is_recovered) {
    tx.sender.reset();
    EXPECT_EQ(error(), invalid_signature);  // r and s are zero
    tx.r = 1;
    tx.s = 1;
    state.set_balance(recover_sender(tx).value(), Uint256{1} << 80);
    const auto valid = validate(tx, state, env, left);
    ASSERT_TRUE(valid.has_value());
    EXPECT_EQ(valid->sender(), recover_sender(tx));
}

TEST_F(Validate, blob_transactions_keep_their_rules) {  // EIP-4844, EIP-7594
    make(TransactionType::blob);
    EXPECT_EQ(error(), std::nullopt);
    tx.blob_versioned_hashes = {Hash{}};
    EXPECT_EQ(error(), blob_version_unknown);
    tx.blob_versioned_hashes = {blob_hash(), Hash{}};
    EXPECT_EQ(error(), blob_version_unknown);
    tx.blob_versioned_hashes.clear();
    EXPECT_EQ(error(), blob_count_zero);
    tx.blob_versioned_hashes.assign(7, blob_hash());
    EXPECT_EQ(error(), blob_count_too_high);
    env.revision = Revision::prague;
    EXPECT_EQ(error(), std::nullopt);
    left.blob_gas = 6 * kGasPerBlob;
    EXPECT_EQ(error(), blob_gas_above_block);
    tx.blob_versioned_hashes.resize(1);
    tx.max_fee_per_blob_gas = 1;
    EXPECT_EQ(error(), blob_fee_too_low);
    tx.to.reset();
    EXPECT_EQ(error(), blob_creation);
}

TEST_F(Validate, set_code_transactions_keep_their_rules) {  // EIP-7702
    make(TransactionType::set_code);
    EXPECT_EQ(error(), std::nullopt);
    tx.authorization_list.clear();
    EXPECT_EQ(error(), authorization_list_empty);
    tx.to.reset();
    EXPECT_EQ(error(), set_code_creation);
}

}  // namespace
}  // namespace heddle::vm::test
