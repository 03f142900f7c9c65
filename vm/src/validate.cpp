// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <vm/validate.hpp>

#include <algorithm>
#include <limits>

#include <types/assert.hpp>
#include <types/expected.hpp>

#include <vm/limits.hpp>
#include <vm/simulate.hpp>

#include "code.hpp"

namespace heddle::vm {
namespace {

constexpr std::uint8_t kBlobHashVersion = 0x01;  // EIP-4844

using Result = std::expected<void, TransactionError>;

/// @param max_blob_gas  That a block may use.
Result check_blob_hashes(const Transaction& tx, const BlockEnv& env,
                         std::uint64_t max_blob_gas) noexcept {
    if (tx.is_creation()) return std::unexpected(TransactionError::blob_creation);
    const std::size_t count = tx.blob_versioned_hashes.size();
    if (count == 0) return std::unexpected(TransactionError::blob_count_zero);
    if (count * kGasPerBlob > max_blob_gas)
        return std::unexpected(TransactionError::blob_gas_above_block);
    if (count > limits(env.revision).max_blobs_per_transaction)
        return std::unexpected(TransactionError::blob_count_too_high);
    for (const Hash& hash : tx.blob_versioned_hashes)
        if (hash.bytes[0] != kBlobHashVersion)
            return std::unexpected(TransactionError::blob_version_unknown);
    return {};
}

Result check_blobs(const Transaction& tx, const BlockEnv& env) noexcept {
    HEDDLE_CHECK(check_blob_hashes(tx, env, env.max_blob_gas_per_block));
    if (tx.max_fee_per_blob_gas < env.blob_base_fee)
        return std::unexpected(TransactionError::blob_fee_too_low);
    return {};
}

Result check_fees(const Transaction& tx, const BlockEnv& env) noexcept {
    if (tx.max_priority_fee_per_gas > tx.max_fee_per_gas)
        return std::unexpected(TransactionError::priority_fee_above_max_fee);
    if (env.revision >= Revision::london && tx.max_fee_per_gas < env.base_fee_per_gas)
        return std::unexpected(TransactionError::max_fee_below_base_fee);
    return {};
}

Result check_nonce(const Transaction& tx, const Account& account) noexcept {
    if (tx.nonce < account.nonce) return std::unexpected(TransactionError::nonce_too_low);
    if (tx.nonce > account.nonce) return std::unexpected(TransactionError::nonce_too_high);
    if (tx.nonce == std::numeric_limits<std::uint64_t>::max())
        return std::unexpected(TransactionError::nonce_overflow);
    return {};
}

Result check_sender(const Transaction& tx, const Address& sender, const StateView& view,
                    Revision revision) noexcept {
    const Account account = view.account(sender).value_or(Account{});
    HEDDLE_CHECK(check_nonce(tx, account));
    // EIP-3607; an EIP-7702 delegation does not make an account a contract.
    if (account.has_code() && !delegation_target(view.code(account.code_hash), revision))
        return std::unexpected(TransactionError::sender_not_eoa);
    HEDDLE_TRY(const Uint256 cost, upfront_cost(tx));
    if (account.balance < cost) return std::unexpected(TransactionError::insufficient_funds);
    return {};
}

/// The prices of a call; those that are zero may be let pass.
Result check_call_prices(const Transaction& tx, const BlockEnv& env,
                         const CallChecks& checks) noexcept {
    const bool is_free = tx.max_fee_per_gas.is_zero() && tx.max_priority_fee_per_gas.is_zero();
    if (env.revision >= Revision::london && (checks.zero_prices || !is_free))
        HEDDLE_CHECK(check_fees(tx, env));
    return {};
}

Result check_call_blobs(const Transaction& tx, const BlockEnv& env,
                        const CallChecks& checks) noexcept {
    if (tx.type != TransactionType::blob && tx.blob_versioned_hashes.empty()) return {};
    // What a block may hold is no business of a call.
    HEDDLE_CHECK(check_blob_hashes(tx, env, std::numeric_limits<std::uint64_t>::max()));
    const bool is_free = !checks.zero_prices && tx.max_fee_per_blob_gas.is_zero();
    if (!is_free && tx.max_fee_per_blob_gas < env.blob_base_fee)
        return std::unexpected(TransactionError::blob_fee_too_low);
    return {};
}

/// Whether the balance covers what will be taken: the most that gas can cost, and what blobs cost
/// in this block, which is more than was offered where the price was let pass.
Result check_call_funds(const Transaction& tx, const BlockEnv& env,
                        const Uint256& balance) noexcept {
    HEDDLE_TRY(const Uint256 offered, upfront_cost(tx));
    if (balance < offered) return std::unexpected(TransactionError::insufficient_funds);
    if (tx.max_fee_per_blob_gas >= env.blob_base_fee) return {};
    Uint256 shortfall;
    if (mul_overflow(Uint256{tx.blob_versioned_hashes.size() * kGasPerBlob},
                     env.blob_base_fee - tx.max_fee_per_blob_gas, shortfall) ||
        balance - offered < shortfall)
        return std::unexpected(TransactionError::insufficient_funds);
    return {};
}

}  // namespace

Revision first_revision(TransactionType type) noexcept {
    switch (type) {
        case TransactionType::legacy:
            return Revision::frontier;
        case TransactionType::access_list:
            return Revision::berlin;
        case TransactionType::dynamic_fee:
            return Revision::london;
        case TransactionType::blob:
            return Revision::cancun;
        case TransactionType::set_code:
            return Revision::prague;
    }
    return kLatestRevision;
}

std::expected<Uint256, TransactionError> upfront_cost(const Transaction& tx) noexcept {
    Uint256 cost;
    if (mul_overflow(Uint256{tx.gas_limit}, tx.max_fee_per_gas, cost))
        return std::unexpected(TransactionError::gas_price_overflow);
    if (add_overflow(cost, tx.value, cost))
        return std::unexpected(TransactionError::insufficient_funds);
    if (tx.blob_versioned_hashes.empty()) return cost;
    Uint256 blob_cost;
    const Uint256 blob_gas{tx.blob_versioned_hashes.size() * kGasPerBlob};
    if (mul_overflow(blob_gas, tx.max_fee_per_blob_gas, blob_cost) ||
        add_overflow(cost, blob_cost, cost))
        return std::unexpected(TransactionError::insufficient_funds);
    return cost;
}

IntrinsicGas intrinsic_gas(const Transaction& tx, Revision revision) noexcept {
    const IntrinsicCosts& costs = intrinsic_costs(revision);
    const auto zeros = static_cast<std::uint64_t>(std::ranges::count(tx.data, std::uint8_t{0}));
    const std::uint64_t non_zeros = tx.data.size() - zeros;
    IntrinsicGas result;
    result.gas = costs.transaction + zeros * costs.zero_byte + non_zeros * costs.non_zero_byte;
    if (tx.is_creation())
        result.gas += costs.create + costs.init_code_word * ((tx.data.size() + 31) / 32);
    for (const AccessListEntry& entry : tx.access_list)
        result.gas +=
            costs.access_list_address + costs.access_list_slot * entry.storage_keys.size();
    result.gas += costs.authorization * tx.authorization_list.size();
    if (costs.floor_token != 0)
        result.floor = costs.transaction +
                       costs.floor_token * (zeros + costs.tokens_per_non_zero_byte * non_zeros);
    return result;
}

Uint256 effective_gas_price(const Transaction& tx, const Uint256& base_fee_per_gas) noexcept {
    if (tx.type < TransactionType::dynamic_fee) return tx.max_fee_per_gas;
    Uint256 price;
    if (add_overflow(base_fee_per_gas, tx.max_priority_fee_per_gas, price))
        return tx.max_fee_per_gas;
    return price < tx.max_fee_per_gas ? price : tx.max_fee_per_gas;
}

std::expected<void, TransactionError> validate_stateless(const Transaction& tx,
                                                         const BlockEnv& env) noexcept {
    if (env.revision < first_revision(tx.type))
        return std::unexpected(TransactionError::type_not_supported);
    if (tx.chain_id && (env.revision < Revision::spurious_dragon || *tx.chain_id != env.chain_id))
        return std::unexpected(TransactionError::chain_id_mismatch);
    if (env.revision >= Revision::homestead && !has_low_s(tx.s))
        return std::unexpected(TransactionError::invalid_signature);
    HEDDLE_CHECK(check_fees(tx, env));
    if (tx.type == TransactionType::blob) HEDDLE_CHECK(check_blobs(tx, env));
    if (tx.type == TransactionType::set_code) {
        if (tx.is_creation()) return std::unexpected(TransactionError::set_code_creation);
        if (tx.authorization_list.empty())
            return std::unexpected(TransactionError::authorization_list_empty);
    }
    if (tx.gas_limit > limits(env.revision).max_transaction_gas)
        return std::unexpected(TransactionError::gas_limit_above_maximum);
    if (tx.is_creation() && tx.data.size() > limits(env.revision).max_init_code_bytes)
        return std::unexpected(TransactionError::init_code_too_large);
    const IntrinsicGas intrinsic = intrinsic_gas(tx, env.revision);
    if (tx.gas_limit < intrinsic.gas)
        return std::unexpected(TransactionError::intrinsic_gas_too_low);
    if (tx.gas_limit < intrinsic.floor) return std::unexpected(TransactionError::gas_below_floor);
    return {};
}

std::expected<ValidTransaction, TransactionError> validate(const Transaction& tx,
                                                           const StateView& view,
                                                           const BlockEnv& env,
                                                           const BlockGas& left) noexcept {
    if (env.revision < first_revision(tx.type))
        return std::unexpected(TransactionError::type_not_supported);
    // As the specification does, what the block has left comes before the transaction's own limits
    // and prices. Gas is counted in signed 64-bit integers from here on; no block has more.
    constexpr auto kMaxGas = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (tx.gas_limit > left.gas || tx.gas_limit > kMaxGas)
        return std::unexpected(TransactionError::gas_limit_above_block);
    const std::uint64_t blob_gas = tx.blob_versioned_hashes.size() * kGasPerBlob;
    if (blob_gas > left.blob_gas) return std::unexpected(TransactionError::blob_gas_above_block);
    HEDDLE_CHECK(validate_stateless(tx, env));

    const std::optional<Address> sender = tx.sender ? tx.sender : recover_sender(tx);
    if (!sender) return std::unexpected(TransactionError::invalid_signature);
    HEDDLE_CHECK(check_sender(tx, *sender, view, env.revision));

    ValidTransaction valid;
    valid.tx_ = &tx;
    valid.sender_ = *sender;
    valid.intrinsic_ = intrinsic_gas(tx, env.revision);
    valid.gas_price_ = effective_gas_price(tx, env.base_fee_per_gas);
    valid.blob_gas_ = blob_gas;
    return valid;
}

std::expected<ValidTransaction, TransactionError> validate_call(const Transaction& tx,
                                                                const StateView& view,
                                                                const BlockEnv& env,
                                                                const CallChecks& checks) noexcept {
    HEDDLE_ASSERT(tx.sender.has_value());
    constexpr auto kMaxGas = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (tx.gas_limit > kMaxGas) return std::unexpected(TransactionError::gas_limit_above_block);
    const Account sender = view.account(*tx.sender).value_or(Account{});
    if (checks.nonce) HEDDLE_CHECK(check_nonce(tx, sender));
    HEDDLE_CHECK(check_call_prices(tx, env, checks));
    HEDDLE_CHECK(check_call_blobs(tx, env, checks));
    if (tx.type == TransactionType::set_code || !tx.authorization_list.empty()) {
        if (tx.is_creation()) return std::unexpected(TransactionError::set_code_creation);
        if (tx.authorization_list.empty())
            return std::unexpected(TransactionError::authorization_list_empty);
    }
    HEDDLE_CHECK(check_call_funds(tx, env, sender.balance));
    const IntrinsicGas intrinsic = intrinsic_gas(tx, env.revision);
    if (tx.gas_limit < intrinsic.gas)
        return std::unexpected(TransactionError::intrinsic_gas_too_low);
    if (tx.gas_limit < intrinsic.floor) return std::unexpected(TransactionError::gas_below_floor);
    if (tx.is_creation() && tx.data.size() > limits(env.revision).max_init_code_bytes)
        return std::unexpected(TransactionError::init_code_too_large);

    ValidTransaction valid;
    valid.tx_ = &tx;
    valid.sender_ = *tx.sender;
    valid.intrinsic_ = intrinsic;
    valid.gas_price_ = effective_gas_price(tx, env.base_fee_per_gas);
    valid.blob_gas_ = tx.blob_versioned_hashes.size() * kGasPerBlob;
    return valid;
}

}  // namespace heddle::vm
