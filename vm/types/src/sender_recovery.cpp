// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/sender_recovery.hpp>

#include <algorithm>
#include <array>
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
    std::array<SignedMessage, recovery::kMostInLanes> messages;
    std::array<std::optional<Address>, recovery::kMostInLanes> signers;
    for (std::size_t at = 0; at < transactions.size();) {
        const auto some =
            transactions.subspan(at, std::min(transactions.size() - at, messages.size()));
        for (std::size_t i = 0; i < some.size(); ++i) {
            const Transaction& tx = *some[i];
            messages[i] = {signing_hash(tx), tx.y_parity, tx.r, tx.s};
        }
        recover_signers(std::span{messages}.first(some.size()),
                        std::span{signers}.first(some.size()));
        for (std::size_t i = 0; i < some.size(); ++i)
            some[i]->sender = signers[i];
        at += some.size();
    }
}

void recover_missing_senders(std::span<Transaction> transactions) {
    std::vector<Transaction*> missing;
    for (Transaction& tx : transactions)
        if (!tx.sender.has_value()) missing.push_back(&tx);
    recover_senders(missing);
}

std::optional<Address> recover_sender(const Transaction& tx) {
    return recover_signer(signing_hash(tx), tx.y_parity, tx.r, tx.s);
}

std::optional<Address> recover_authority(const Authorization& authorization) {
    if (authorization.y_parity > Uint256{1} || !has_low_s(authorization.s)) return std::nullopt;
    return recover_signer(signing_hash(authorization),
                          static_cast<std::uint8_t>(authorization.y_parity.low64()),
                          authorization.r, authorization.s);
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
