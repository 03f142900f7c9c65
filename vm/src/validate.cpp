// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <vm/validate.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>

#include <types/assert.hpp>
#include <types/expected.hpp>

#include <vm/limits.hpp>
#include <vm/simulate.hpp>

#include "code.hpp"

namespace heddle::vm {
namespace {

constexpr std::uint8_t kBlobHashVersion = 0x01;  // EIP-4844

/// Gas is counted in signed 64-bit integers once a transaction is valid; no block has more.
constexpr auto kMaxGas = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

std::uint64_t blob_gas_of(const Transaction& tx) noexcept {
    return tx.blob_versioned_hashes.size() * kGasPerBlob;
}

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
                    const BlockEnv& env) noexcept {
    const Account account = view.account(sender).value_or(Account{});
    HEDDLE_CHECK(check_nonce(tx, account));
    // EIP-3607; an EIP-7702 delegation does not make an account a contract.
    if (account.has_code() && !env.code_may_send &&
        !delegation_target(view.code(account.code_hash), env.revision))
        return std::unexpected(TransactionError::sender_not_eoa);
    HEDDLE_TRY(const Uint256 cost, upfront_cost(tx));
    if (account.balance < cost) return std::unexpected(TransactionError::insufficient_funds);
    return {};
}

/// Whom it goes to and what it carries: what every transaction pays, whatever its data (EIP-2780).
/// @param sender  nullopt: not known, then the least that it can be.
std::uint64_t base_gas(const Transaction& tx, const std::optional<Address>& sender,
                       const IntrinsicCosts& costs) noexcept {
    if (tx.is_creation()) return costs.transaction + costs.create;
    if (!sender || *tx.to == *sender) return costs.transaction;
    return costs.transaction + costs.recipient + (tx.value.is_zero() ? 0 : costs.value);
}

/// In pieces whose count fits a byte, so that a vector register counts as many bytes as it has.
std::uint64_t count_zeros(BytesView data) noexcept {
    constexpr std::size_t kPiece = 128;
    std::uint64_t zeros = 0;
    while (!data.empty()) {
        const BytesView piece = data.first(std::min(kPiece, data.size()));
        std::uint8_t count = 0;
        for (const std::uint8_t byte : piece)
            count = static_cast<std::uint8_t>(count + (byte == 0 ? 1 : 0));
        zeros += count;
        data = data.subspan(piece.size());
    }
    return zeros;
}

IntrinsicGas intrinsic_gas_from(const Transaction& tx, const std::optional<Address>& sender,
                                Revision revision) noexcept {
    constexpr std::uint64_t kAddressBytes = 20;
    constexpr std::uint64_t kSlotBytes = 32;
    const IntrinsicCosts& costs = intrinsic_costs(revision);
    const std::uint64_t zeros = count_zeros(tx.data);
    const std::uint64_t non_zeros = tx.data.size() - zeros;
    const std::uint64_t base = base_gas(tx, sender, costs);
    IntrinsicGas result;
    result.gas = base + zeros * costs.zero_byte + non_zeros * costs.non_zero_byte;
    if (tx.is_creation()) result.gas += costs.init_code_word * ((tx.data.size() + 31) / 32);
    std::uint64_t list_bytes = 0;
    for (const AccessListEntry& entry : tx.access_list) {
        result.gas +=
            costs.access_list_address + costs.access_list_slot * entry.storage_keys.size();
        list_bytes += kAddressBytes + kSlotBytes * entry.storage_keys.size();
    }
    const std::uint64_t list_floor = costs.access_list_floor_byte * list_bytes;
    result.gas += list_floor + costs.authorization * tx.authorization_list.size();
    if (costs.floor_token != 0) {
        // EIP-2780 put the whole base into the floor; before, a creation's price was no part of it.
        result.floor = (costs.recipient != 0 ? base : costs.transaction) + list_floor +
                       costs.floor_token * (zeros + costs.tokens_per_non_zero_byte * non_zeros);
    }
    return result;
}

/// Whether the gas limit covers what is due before execution, and that is not too much (EIP-8037).
Result check_intrinsic_gas(const Transaction& tx, const IntrinsicGas& intrinsic) noexcept {
    if (tx.gas_limit < intrinsic.gas)
        return std::unexpected(TransactionError::intrinsic_gas_too_low);
    if (tx.gas_limit < intrinsic.floor) return std::unexpected(TransactionError::gas_below_floor);
    return {};
}

/// What the reservoir does not pay for (EIP-8037).
Result check_execution_cap(const IntrinsicGas& intrinsic, Revision revision) noexcept {
    if (std::max(intrinsic.gas, intrinsic.floor) > limits(revision).max_execution_gas)
        return std::unexpected(TransactionError::intrinsic_gas_too_high);
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
    // What a block may hold is no business of a call.
    HEDDLE_CHECK(check_blob_hashes(tx, env, std::numeric_limits<std::uint64_t>::max()));
    const bool is_free = !checks.zero_prices && tx.max_fee_per_blob_gas.is_zero();
    if (!is_free && tx.max_fee_per_blob_gas < env.blob_base_fee)
        return std::unexpected(TransactionError::blob_fee_too_low);
    return {};
}

/// Calls have the lists of several types of transactions: each must be one that the fork knows, and
/// what its type asks for.
Result check_call_lists(const Transaction& tx, const BlockEnv& env,
                        const CallChecks& checks) noexcept {
    using Type = TransactionType;
    const CallLists own = lists_of(tx);
    const auto check_type = [&](Type type) -> Result {
        if (env.revision >= first_revision(type)) return {};
        return std::unexpected(TransactionError::type_not_supported);
    };
    if (own.access_list || checks.lists.access_list) HEDDLE_CHECK(check_type(Type::access_list));
    const bool has_blobs = own.blobs || checks.lists.blobs;
    if (has_blobs || checks.lists.blob_price) HEDDLE_CHECK(check_type(Type::blob));
    if (has_blobs) HEDDLE_CHECK(check_call_blobs(tx, env, checks));
    if (own.authorizations || checks.lists.authorizations) {
        HEDDLE_CHECK(check_type(Type::set_code));
        if (tx.is_creation()) return std::unexpected(TransactionError::set_code_creation);
        if (tx.authorization_list.empty())
            return std::unexpected(TransactionError::authorization_list_empty);
    }
    return {};
}

/// What a call's blobs cost, where the balance covers what will be taken: the most that gas can
/// cost, and what blobs cost in this block, which is more than was offered where the price was let
/// pass.
std::expected<Uint256, TransactionError> call_blob_fee(const Transaction& tx, const BlockEnv& env,
                                                       const CallChecks& checks,
                                                       const Uint256& balance) noexcept {
    HEDDLE_TRY(const Uint256 offered, upfront_cost(tx));
    if (balance < offered) return std::unexpected(TransactionError::insufficient_funds);
    const Uint256 gas{blob_gas_of(tx)};
    if (tx.max_fee_per_blob_gas >= env.blob_base_fee) return gas * env.blob_base_fee;
    Uint256 fee;
    if (!mul_overflow(gas, env.blob_base_fee, fee) &&
        fee - gas * tx.max_fee_per_blob_gas <= balance - offered)
        return fee;
    if (!checks.poor_have_blobs) return std::unexpected(TransactionError::insufficient_funds);
    return Uint256{};
}

/// EIP-3860.
bool has_too_much_init_code(const Transaction& tx, const BlockEnv& env) noexcept {
    return tx.is_creation() && tx.data.size() > limits(env.revision).max_init_code_bytes &&
           !env.any_code_size;
}

/// What can be said of a transaction without its sender, but for intrinsic gas.
Result check_form(const Transaction& tx, const BlockEnv& env) noexcept {
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
    if (has_too_much_init_code(tx, env))
        return std::unexpected(TransactionError::init_code_too_large);
    return {};
}

/// @param gas_limit  At least `intrinsic.gas`, which is at most Limits::max_execution_gas.
GasSplit split_gas(std::uint64_t gas_limit, const IntrinsicGas& intrinsic,
                   Revision revision) noexcept {
    const std::uint64_t gas = gas_limit - intrinsic.gas;
    const std::uint64_t execution =
        std::min(gas, limits(revision).max_execution_gas - intrinsic.gas);
    return {.execution = execution, .reservoir = gas - execution};
}

}  // namespace

std::uint64_t BlockGas::most(Revision revision) const noexcept {
    const std::uint64_t for_execution = gas < limits(revision).max_execution_gas ? gas : kNoLimit;
    return std::min(for_execution, state_gas);
}

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
    return intrinsic_gas_from(tx, tx.sender, revision);
}

Uint256 effective_gas_price(const Transaction& tx, const Uint256& base_fee_per_gas) noexcept {
    if (tx.type < TransactionType::dynamic_fee) return tx.max_fee_per_gas;
    Uint256 price;
    if (add_overflow(base_fee_per_gas, tx.max_priority_fee_per_gas, price))
        return tx.max_fee_per_gas;
    return price < tx.max_fee_per_gas ? price : tx.max_fee_per_gas;
}

std::expected<void, TransactionError> check_room(const Transaction& tx, const BlockGas& left,
                                                 Revision revision) noexcept {
    const std::uint64_t for_execution = std::min(tx.gas_limit, limits(revision).max_execution_gas);
    if (for_execution > left.gas || tx.gas_limit > left.state_gas || tx.gas_limit > kMaxGas)
        return std::unexpected(TransactionError::gas_limit_above_block);
    if (blob_gas_of(tx) > left.blob_gas)
        return std::unexpected(TransactionError::blob_gas_above_block);
    return {};
}

std::expected<void, TransactionError> validate_stateless(const Transaction& tx,
                                                         const BlockEnv& env) noexcept {
    HEDDLE_CHECK(check_form(tx, env));
    const IntrinsicGas intrinsic = intrinsic_gas(tx, env.revision);
    HEDDLE_CHECK(check_intrinsic_gas(tx, intrinsic));
    return check_execution_cap(intrinsic, env.revision);
}

std::expected<ValidTransaction, TransactionError> validate(const Transaction& tx,
                                                           const StateView& view,
                                                           const BlockEnv& env,
                                                           const BlockGas& left) noexcept {
    if (env.revision < first_revision(tx.type))
        return std::unexpected(TransactionError::type_not_supported);
    // As the specification does, what the block has left comes before the transaction's own limits
    // and prices.
    HEDDLE_CHECK(check_room(tx, left, env.revision));
    HEDDLE_CHECK(check_form(tx, env));

    const std::optional<Address> sender = tx.sender ? tx.sender : recover_sender(tx);
    if (!sender) return std::unexpected(TransactionError::invalid_signature);
    HEDDLE_CHECK(check_sender(tx, *sender, view, env));
    const IntrinsicGas intrinsic = intrinsic_gas_from(tx, sender, env.revision);
    HEDDLE_CHECK(check_intrinsic_gas(tx, intrinsic));
    HEDDLE_CHECK(check_execution_cap(intrinsic, env.revision));

    ValidTransaction valid;
    valid.tx_ = &tx;
    valid.sender_ = *sender;
    valid.intrinsic_ = intrinsic;
    valid.gas_price_ = effective_gas_price(tx, env.base_fee_per_gas);
    valid.blob_gas_ = blob_gas_of(tx);
    valid.blob_fee_ = Uint256{valid.blob_gas_} * env.blob_base_fee;
    valid.gas_ = split_gas(tx.gas_limit, intrinsic, env.revision);
    return valid;
}

CallLists lists_of(const Transaction& tx) noexcept {
    return {
        .access_list = tx.type == TransactionType::access_list || !tx.access_list.empty(),
        .blobs = tx.type == TransactionType::blob || !tx.blob_versioned_hashes.empty(),
        .authorizations = tx.type == TransactionType::set_code || !tx.authorization_list.empty()};
}

std::expected<ValidTransaction, TransactionError> validate_call(const Transaction& tx,
                                                                const StateView& view,
                                                                const BlockEnv& env,
                                                                const CallChecks& checks) noexcept {
    HEDDLE_ASSERT(tx.sender.has_value());
    if (tx.gas_limit > kMaxGas) return std::unexpected(TransactionError::gas_limit_above_block);
    const Account sender = view.account(*tx.sender).value_or(Account{});
    if (checks.nonce) HEDDLE_CHECK(check_nonce(tx, sender));
    HEDDLE_CHECK(check_call_prices(tx, env, checks));
    HEDDLE_CHECK(check_call_lists(tx, env, checks));
    if (has_too_much_init_code(tx, env))
        return std::unexpected(TransactionError::init_code_too_large);
    HEDDLE_TRY(const Uint256 blob_fee, call_blob_fee(tx, env, checks, sender.balance));
    const IntrinsicGas intrinsic = intrinsic_gas(tx, env.revision);
    HEDDLE_CHECK(check_intrinsic_gas(tx, intrinsic));
    if (checks.execution_cap) HEDDLE_CHECK(check_execution_cap(intrinsic, env.revision));

    ValidTransaction valid;
    valid.tx_ = &tx;
    valid.sender_ = *tx.sender;
    valid.intrinsic_ = intrinsic;
    valid.gas_price_ = effective_gas_price(tx, env.base_fee_per_gas);
    valid.blob_gas_ = blob_gas_of(tx);
    valid.blob_fee_ = blob_fee;
    valid.gas_ = checks.execution_cap
                     ? split_gas(tx.gas_limit, intrinsic, env.revision)
                     : GasSplit{.execution = tx.gas_limit - intrinsic.gas, .reservoir = 0};
    return valid;
}

}  // namespace heddle::vm
