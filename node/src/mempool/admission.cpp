// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "mempool/admission.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <types/expected.hpp>
#include <types/sender_recovery.hpp>
#include <types/transaction_error_names.hpp>
#include <vm/blob_proof.hpp>
#include <vm/limits.hpp>
#include <vm/validate.hpp>

#include "mempool/blob_sidecar.hpp"

namespace heddle::node {
namespace {

using Result = std::expected<void, AdmissionError>;

constexpr std::uint8_t kBlobHashVersion = 0x01;  // EIP-4844
constexpr std::size_t kDelegationBytes = 23;     // EIP-7702
constexpr std::uint8_t kDelegationPrefix[] = {0xef, 0x01, 0x00};
constexpr std::size_t kMaxSidecarBytes =
    16 * (vm::kBlobBytes + (2 + vm::kCellsPerBlob) * (vm::kKzgPointBytes + 1) + 16);

template <typename... Args>
std::unexpected<AdmissionError> refuse(AdmissionCode code, fmt::format_string<Args...> format,
                                       Args&&... args) {
    return std::unexpected(AdmissionError{code, fmt::format(format, std::forward<Args>(args)...)});
}

std::unexpected<AdmissionError> decode_error(TransactionDecodeError error) {
    switch (error) {
        case TransactionDecodeError::unknown_type:
            return refuse(AdmissionCode::unsupported_type, "transaction type not supported");
        case TransactionDecodeError::invalid_chain_id:
        case TransactionDecodeError::invalid_y_parity:
        case TransactionDecodeError::invalid_signature:
        case TransactionDecodeError::malleable_signature:
            return refuse(AdmissionCode::invalid_sender,
                          "invalid sender: invalid transaction v, r, s values");
        case TransactionDecodeError::rlp:
        case TransactionDecodeError::creation_forbidden:
        case TransactionDecodeError::with_blobs:
            break;
    }
    return refuse(AdmissionCode::malformed, "malformed transaction: {}", to_string(error));
}

/// What guards the people who use this node, and is no rule of the chain.
Result check_own(const Transaction& tx, const MempoolOptions& options) {
    Uint256 fee;
    if (!options.max_fee.is_zero() &&
        (mul_overflow(tx.max_fee_per_gas, Uint256{tx.gas_limit}, fee) || fee > options.max_fee)) {
        const auto ether = [](const Uint256& wei) {
            const Uint256 hundredths = wei / Uint256{10'000'000'000'000'000};
            return fmt::format("{}.{:02}", to_decimal(hundredths / Uint256{100}),
                               (hundredths % Uint256{100}).low64());
        };
        return refuse(AdmissionCode::other,
                      "tx fee ({} ether) exceeds the configured cap ({} ether)", ether(fee),
                      ether(options.max_fee));
    }
    if (!tx.chain_id && !options.allow_unprotected)
        return refuse(AdmissionCode::not_protected,
                      "only replay-protected (EIP-155) transactions allowed over RPC");
    return {};
}

Result check_gas(const Transaction& tx, const BlockEnv& next) {
    const vm::Limits& limits = vm::limits(next.revision);
    if (tx.is_creation() && tx.data.size() > limits.max_init_code_bytes && !next.any_code_size)
        return refuse(AdmissionCode::gas_limit_exceeded, "{}: code size {} limit {}",
                      geth_text(TransactionError::init_code_too_large), tx.data.size(),
                      limits.max_init_code_bytes);
    if (tx.gas_limit > limits.max_transaction_gas)
        return refuse(AdmissionCode::gas_limit_exceeded, "{} (cap: {}, tx: {})",
                      geth_text(TransactionError::gas_limit_above_maximum),
                      limits.max_transaction_gas, tx.gas_limit);
    if (tx.gas_limit > next.gas_limit)
        return refuse(AdmissionCode::gas_limit_exceeded, "exceeds block gas limit");
    return {};
}

/// What a pool asks for that prefers some transactions to others.
Result check_least_tip(const PooledTransaction& transaction, const MempoolOptions& options) {
    const Transaction& tx = transaction.tx;
    if (transaction.origin != Origin::local &&
        tx.max_priority_fee_per_gas < options.min_priority_fee)
        return refuse(AdmissionCode::underpriced,
                      "transaction gas price below minimum: gas tip cap {}, minimum needed {}",
                      to_decimal(tx.max_priority_fee_per_gas),
                      to_decimal(options.min_priority_fee));
    return {};
}

Result check_intrinsic_gas(const Transaction& tx, Revision revision) {
    const vm::IntrinsicGas intrinsic = vm::intrinsic_gas(tx, revision);
    if (tx.gas_limit < intrinsic.gas)
        return refuse(AdmissionCode::intrinsic_gas, "{}: gas {}, minimum needed {}",
                      geth_text(TransactionError::intrinsic_gas_too_low), tx.gas_limit,
                      intrinsic.gas);
    if (tx.gas_limit < intrinsic.floor)
        return refuse(AdmissionCode::intrinsic_gas, "{}: gas {}, minimum needed {}",
                      geth_text(TransactionError::gas_below_floor), tx.gas_limit, intrinsic.floor);
    if (const std::uint64_t cap = vm::limits(revision).max_execution_gas;
        std::max(intrinsic.gas, intrinsic.floor) > cap)
        return refuse(AdmissionCode::gas_limit_exceeded, "{} (cap: {}, intrinsic: {})",
                      geth_text(TransactionError::intrinsic_gas_too_high), cap,
                      std::max(intrinsic.gas, intrinsic.floor));
    return {};
}

/// Of one whose sender may not be known yet: then it may go to its sender, which costs less
/// (EIP-2780). What is too little for that as well is told what it has to be.
Result check_least_gas(const Transaction& tx, Revision revision) {
    auto checked = check_intrinsic_gas(tx, revision);
    if (checked.has_value() || tx.sender || revision < Revision::amsterdam) return checked;
    Transaction sent = tx;
    sent.sender = recover_sender(tx);
    return check_intrinsic_gas(sent, revision);
}

Result check_blobs(const PooledTransaction& transaction, const BlockEnv& next) {
    const Transaction& tx = transaction.tx;
    const std::size_t count = tx.blob_versioned_hashes.size();
    if (transaction.sidecar.empty())
        return refuse(AdmissionCode::invalid_blobs, "missing sidecar in blob transaction");
    if (count == 0) return refuse(AdmissionCode::invalid_blobs, "blobless blob transaction");
    const std::uint64_t limit = std::min(next.max_blob_gas_per_block / vm::kGasPerBlob,
                                         vm::limits(next.revision).max_blobs_per_transaction);
    if (count > limit)
        return refuse(AdmissionCode::invalid_blobs,
                      "transaction blob limit exceeded: blob count {}, limit {}", count, limit);
    for (std::size_t i = 0; i < count; ++i)
        if (tx.blob_versioned_hashes[i].bytes[0] != kBlobHashVersion)
            return refuse(AdmissionCode::invalid_blobs, "blob {} has invalid hash version", i);
    if (tx.max_fee_per_blob_gas.is_zero())
        return refuse(AdmissionCode::underpriced,
                      "transaction gas price below minimum: blob fee cap 0, minimum needed 1");
    const auto sidecar = decode_sidecar(transaction.sidecar);
    if (!sidecar.has_value())
        return refuse(AdmissionCode::malformed, "malformed transaction: {}",
                      rlp::to_string(sidecar.error()));
    const auto checked = check_sidecar(*sidecar, tx.blob_versioned_hashes, next.revision);
    if (!checked.has_value()) return refuse(AdmissionCode::invalid_blobs, "{}", checked.error());
    return {};
}

bool is_delegation(BytesView code) noexcept {
    return code.size() == kDelegationBytes && equal(code.first(3), kDelegationPrefix);
}

}  // namespace

std::expected<PooledTransaction, AdmissionError> decode_network_form(BytesView encoded,
                                                                     Origin origin) {
    PooledTransaction transaction;
    transaction.origin = origin;
    transaction.size_bytes = encoded.size();
    if (encoded.empty() || (encoded.size() == 1 && encoded[0] < 0x80))
        return refuse(AdmissionCode::malformed, "typed transaction too short");
    const std::size_t limit = encoded[0] == static_cast<std::uint8_t>(TransactionType::blob)
                                  ? kMaxTransactionBytes + kMaxSidecarBytes
                                  : kMaxTransactionBytes;
    if (encoded.size() > limit)
        return refuse(AdmissionCode::oversized, "oversized data: transaction size {}, limit {}",
                      encoded.size(), limit);
    NetworkForm form;
    BytesView canonical = encoded;
    if (has_sidecar(encoded)) {
        auto split = split_network_form(encoded);
        if (!split.has_value())
            return refuse(AdmissionCode::malformed, "malformed transaction: {}",
                          rlp::to_string(split.error()));
        form = *std::move(split);
        canonical = form.canonical;
        transaction.sidecar.assign(form.sidecar.begin(), form.sidecar.end());
        if (canonical.size() > kMaxTransactionBytes)
            return refuse(AdmissionCode::oversized, "oversized data: transaction size {}, limit {}",
                          canonical.size(), kMaxTransactionBytes);
    }
    auto tx = decode_transaction(canonical);
    if (!tx.has_value()) return decode_error(tx.error());
    transaction.tx = *std::move(tx);
    // What decodes is canonical, so its bytes are what is hashed.
    transaction.hash = keccak256(canonical);
    transaction.tx.hash.value = transaction.hash;
    return transaction;
}

Bytes encode_network_form(const PooledTransaction& transaction) {
    Bytes canonical;
    encode_transaction(transaction.tx, canonical);
    if (transaction.sidecar.empty()) return canonical;
    return join_network_form(canonical, transaction.sidecar);
}

std::expected<void, AdmissionError> check_stateless(const PooledTransaction& transaction,
                                                    const BlockEnv& next,
                                                    const MempoolOptions& options) {
    const Transaction& tx = transaction.tx;
    if (tx.type == TransactionType::blob && !options.allow_blobs)
        return refuse(AdmissionCode::unsupported_type,
                      "blob transactions are refused on this network: it keeps no blobs");
    if (is_own(transaction.origin)) HEDDLE_CHECK(check_own(tx, options));
    if (next.revision < vm::first_revision(tx.type))
        return refuse(AdmissionCode::unsupported_type,
                      "transaction type not supported: type {} rejected, pool not yet in {}",
                      static_cast<unsigned>(tx.type), to_string(vm::first_revision(tx.type)));
    HEDDLE_CHECK(check_gas(tx, next));
    if (tx.max_fee_per_gas < tx.max_priority_fee_per_gas)
        return refuse(AdmissionCode::fee_cap_too_low, "{}",
                      geth_text(TransactionError::priority_fee_above_max_fee));
    if (tx.chain_id && *tx.chain_id != next.chain_id)
        return refuse(AdmissionCode::wrong_chain,
                      "invalid sender: invalid chain id for signer: have {} want {}", *tx.chain_id,
                      next.chain_id);
    if (next.revision >= Revision::homestead && !has_low_s(tx.s))
        return refuse(AdmissionCode::invalid_sender,
                      "invalid sender: invalid transaction v, r, s values");
    if (tx.nonce == std::numeric_limits<std::uint64_t>::max())
        return refuse(AdmissionCode::nonce_too_high, "{}",
                      geth_text(TransactionError::nonce_overflow));
    HEDDLE_CHECK(check_least_gas(tx, next.revision));
    // Behind what no pool may take: who pays more tip is not to be refused once more.
    HEDDLE_CHECK(check_least_tip(transaction, options));
    if (tx.type == TransactionType::blob) HEDDLE_CHECK(check_blobs(transaction, next));
    if (tx.type == TransactionType::set_code && tx.authorization_list.empty())
        return refuse(AdmissionCode::other,
                      "set code tx must have at least one authorization tuple");
    return {};
}

std::expected<void, AdmissionError> check_sender(const PooledTransaction& transaction,
                                                 Revision revision) {
    if (!transaction.tx.sender)
        return refuse(AdmissionCode::invalid_sender, "invalid sender: recovery failed");
    // Whether it goes to its sender, which costs less (EIP-2780), is known only now.
    return check_intrinsic_gas(transaction.tx, revision);
}

void fill_authorities(PooledTransaction& transaction) {
    const std::vector<Authorization>& list = transaction.tx.authorization_list;
    if (list.empty()) return;
    // What was signed for another chain, which anybody may send here, hinders nobody.
    remember_authorities(transaction.tx.authorization_list);
    std::vector<std::optional<Address>> authorities;
    find_authorities(list, *transaction.tx.chain_id, authorities);
    for (const std::optional<Address>& authority : authorities)
        if (authority.has_value()) transaction.authorities.push_back(*authority);
}

std::expected<SenderAccount, AdmissionError> read_account(const StateView& state,
                                                          const Address& address,
                                                          const SenderRules& next) {
    const Account account = state.account(address).value_or(Account{});
    SenderAccount result{account.nonce, account.balance, false};
    if (!account.has_code()) return result;
    const bool is_contract =
        next.revision < Revision::prague || !is_delegation(state.code(account.code_hash));
    if (is_contract && !next.code_may_send)
        return refuse(AdmissionCode::sender_not_eoa, "{}: address {}, codehash: {}",
                      geth_text(TransactionError::sender_not_eoa), to_checksum_string(address),
                      to_string(account.code_hash));
    result.is_delegated = !is_contract;
    return result;
}

SenderAccount reread_account(const StateView& state, const Address& address) {
    const Account account = state.account(address).value_or(Account{});
    const bool is_delegated = account.has_code() && is_delegation(state.code(account.code_hash));
    return {account.nonce, account.balance, is_delegated};
}

std::expected<void, AdmissionError> check_blob_proofs(const PooledTransaction& transaction) {
    if (transaction.sidecar.empty()) return {};
    const auto sidecar = decode_sidecar(transaction.sidecar);
    if (!sidecar.has_value())
        return refuse(AdmissionCode::malformed, "malformed transaction: {}",
                      rlp::to_string(sidecar.error()));
    const auto verified = verify_proofs(*sidecar);
    if (!verified.has_value()) return refuse(AdmissionCode::invalid_blobs, "{}", verified.error());
    return {};
}

bool is_still_allowed(const PooledTransaction& transaction, const BlockEnv& next) {
    if (!check_gas(transaction.tx, next).has_value()) return false;
    if (!check_intrinsic_gas(transaction.tx, next.revision).has_value()) return false;
    return transaction.tx.type != TransactionType::blob ||
           check_blobs(transaction, next).has_value();
}

}  // namespace heddle::node
