// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/sender_recovery.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include <secp256k1.h>
#include <secp256k1_recovery.h>

#include <types/assert.hpp>
#include <types/signing.hpp>
#include <types/transaction.hpp>

#include "public_key.hpp"
#include "recovery/recover_lanes.hpp"

namespace heddle {
namespace {

/// Fewer are the library's: eight lanes take little longer than one recovery of its.
constexpr std::size_t kFewestInLanes = 2;

Address address_of(const recovery::PublicKey& key) noexcept {
    std::uint8_t point[64];
    store_be(key.x, point);
    store_be(key.y, point + 32);
    const Hash hash = keccak256(point);
    Address address;
    std::memcpy(address.bytes.data(), hash.bytes.data() + 12, 20);
    return address;
}

SignedMessage message_of(const Transaction& tx) {
    return {signing_hash(tx), tx.y_parity, tx.r, tx.s};
}

/// EIP-7702 asks for EIP-2's low s, and nobody has signed with another y_parity than 0 or 1.
bool has_canonical_signature(const Authorization& authorization) noexcept {
    return authorization.y_parity <= Uint256{1} && has_low_s(authorization.s);
}

/// @param authorization  has_canonical_signature().
SignedMessage message_of(const Authorization& authorization) {
    return {signing_hash(authorization), static_cast<std::uint8_t>(authorization.y_parity.low64()),
            authorization.r, authorization.s};
}

/// EIP-7702: whether it depends on who has signed it whether it takes effect.
bool may_take_effect(const Authorization& authorization, std::uint64_t chain_id) noexcept {
    return (authorization.chain_id.is_zero() || authorization.chain_id == Uint256{chain_id}) &&
           authorization.nonce != std::numeric_limits<std::uint64_t>::max() &&
           has_canonical_signature(authorization);
}

/// Signatures, as they come, until there are enough to recover at once.
class SignerBatch {
public:
    /// @param signer  Set by recover() at the latest.
    void add(const SignedMessage& message, std::optional<Address>& signer) {
        if (count_ == messages_.size()) recover();
        messages_[count_] = message;
        signers_[count_++] = &signer;
    }
    void recover() {
        std::array<std::optional<Address>, recovery::kMostInLanes> found;
        recover_signers(std::span{messages_}.first(count_), std::span{found}.first(count_));
        for (std::size_t i = 0; i < count_; ++i)
            *signers_[i] = found[i];
        count_ = 0;
    }

private:
    std::array<SignedMessage, recovery::kMostInLanes> messages_;
    std::array<std::optional<Address>*, recovery::kMostInLanes> signers_{};
    std::size_t count_ = 0;
};

}  // namespace

std::optional<Address> recover_signer(const Hash& message_hash, std::uint8_t y_parity,
                                      const Uint256& r, const Uint256& s) {
    if (y_parity > 1) return std::nullopt;
    std::uint8_t compact[64];
    store_be(r, compact);
    store_be(s, compact + 32);
    // The library's static context is constant: recovery needs no tables of its own, and threads
    // may share it. It rejects r or s of zero or beyond the curve order.
    secp256k1_ecdsa_recoverable_signature signature;
    secp256k1_pubkey key;
    if (secp256k1_ecdsa_recoverable_signature_parse_compact(secp256k1_context_static, &signature,
                                                            compact, y_parity) == 0 ||
        secp256k1_ecdsa_recover(secp256k1_context_static, &key, &signature,
                                message_hash.bytes.data()) == 0)
        return std::nullopt;
    return address_of(key);
}

void recover_signers(std::span<const SignedMessage> messages,
                     std::span<std::optional<Address>> signers) {
    HEDDLE_ASSERT(messages.size() == signers.size());
    static const bool kHasLanes = recovery::has_lanes();
    std::array<recovery::LaneResult, recovery::kMostInLanes> results;
    for (std::size_t at = 0; at < messages.size();) {
        const auto some =
            messages.subspan(at, std::min(messages.size() - at, recovery::kMostInLanes));
        const bool in_lanes = kHasLanes && some.size() >= kFewestInLanes;
        if (in_lanes) recovery::recover_in_lanes(some, std::span{results}.first(some.size()));
        for (std::size_t i = 0; i < some.size(); ++i) {
            const auto& [hash, y_parity, r, s] = some[i];
            std::optional<Address>& signer = signers[at + i];
            if (!in_lanes || results[i].kind == recovery::Recovered::exceptional)
                signer = recover_signer(hash, y_parity, r, s);
            else if (results[i].kind == recovery::Recovered::key)
                signer = address_of(results[i].key);
            else
                signer = std::nullopt;
        }
        at += some.size();
    }
}

void recover_senders(std::span<Transaction* const> transactions) {
    SignerBatch batch;
    for (Transaction* const tx : transactions)
        batch.add(message_of(*tx), tx->sender);
    batch.recover();
}

void recover_missing_senders(std::span<Transaction> transactions) {
    std::vector<Transaction*> missing;
    for (Transaction& tx : transactions)
        if (!tx.sender.has_value()) missing.push_back(&tx);
    recover_senders(missing);
}

void UnknownSigners::add(Transaction& tx) {
    if (!tx.sender.has_value()) signatures_.push_back({&tx, nullptr});
    const std::size_t paid_for = tx.gas_limit / kLeastAuthorizationGas;
    if (!tx.chain_id.has_value() || tx.authorization_list.size() > paid_for) return;
    for (Authorization& authorization : tx.authorization_list)
        if (!authorization.authority.is_known && may_take_effect(authorization, *tx.chain_id))
            signatures_.push_back({&tx, &authorization});
}

std::size_t UnknownSigners::pieces() const noexcept {
    return (signatures_.size() + kRecoveryGrain - 1) / kRecoveryGrain;
}

void UnknownSigners::recover(std::size_t piece) const {
    SignerBatch batch;
    const std::size_t first = piece * kRecoveryGrain;
    const std::size_t end = std::min(signatures_.size(), first + kRecoveryGrain);
    for (std::size_t i = first; i < end; ++i) {
        const auto& [tx, authorization] = signatures_[i];
        if (authorization == nullptr) {
            batch.add(message_of(*tx), tx->sender);
        } else {
            authorization->authority.is_known = true;
            batch.add(message_of(*authorization), authorization->authority.value);
        }
    }
    batch.recover();
}

void recover_missing_signers(std::span<Transaction> transactions) {
    UnknownSigners unknown;
    for (Transaction& tx : transactions)
        unknown.add(tx);
    for (std::size_t i = 0; i < unknown.pieces(); ++i)
        unknown.recover(i);
}

void remember_authorities(std::span<Authorization> authorizations) {
    SignerBatch batch;
    for (Authorization& authorization : authorizations) {
        if (authorization.authority.is_known) continue;
        authorization.authority = {true, std::nullopt};
        if (has_canonical_signature(authorization))
            batch.add(message_of(authorization), authorization.authority.value);
    }
    batch.recover();
}

void find_authorities(std::span<const Authorization> authorizations, std::uint64_t chain_id,
                      std::vector<std::optional<Address>>& authorities) {
    authorities.assign(authorizations.size(), std::nullopt);
    SignerBatch batch;
    for (std::size_t i = 0; i < authorizations.size(); ++i) {
        const Authorization& authorization = authorizations[i];
        if (!may_take_effect(authorization, chain_id)) continue;
        if (authorization.authority.is_known)
            authorities[i] = authorization.authority.value;
        else
            batch.add(message_of(authorization), authorities[i]);
    }
    batch.recover();
}

std::optional<Address> recover_sender(const Transaction& tx) {
    return recover_signer(signing_hash(tx), tx.y_parity, tx.r, tx.s);
}

Hash signing_hash(const Authorization& authorization) {
    Bytes encoded{0x05};  // EIP-7702's MAGIC
    rlp::encode_uint256(authorization.chain_id, encoded);
    rlp::encode_address(authorization.address, encoded);
    rlp::encode_uint64(authorization.nonce, encoded);
    rlp::wrap_list(1, encoded);
    return keccak256(encoded);
}

}  // namespace heddle
