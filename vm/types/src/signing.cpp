// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/signing.hpp>

#include <secp256k1.h>
#include <secp256k1_recovery.h>

#include <types/assert.hpp>

#include "public_key.hpp"

namespace heddle {

namespace {

// Unlike recovery, signing needs tables of its own; made once, constant from then on and so safe to
// share. It lives as long as the process.
const secp256k1_context* signing_context() {
    static const secp256k1_context* const context =
        secp256k1_context_create(SECP256K1_CONTEXT_SIGN);
    HEDDLE_ASSERT(context != nullptr);
    return context;
}

}  // namespace

std::optional<Signature> sign(const Hash& message_hash, const Hash& secret) {
    secp256k1_ecdsa_recoverable_signature signature;
    if (secp256k1_ecdsa_sign_recoverable(signing_context(), &signature, message_hash.bytes.data(),
                                         secret.bytes.data(), nullptr, nullptr) == 0)
        return std::nullopt;
    std::uint8_t compact[64];
    int recovery_id = 0;
    secp256k1_ecdsa_recoverable_signature_serialize_compact(secp256k1_context_static, compact,
                                                            &recovery_id, &signature);
    // Ids 2 and 3 mean that r wrapped around the order: nobody has ever seen it happen, and
    // Ethereum has no way to write it down.
    if (recovery_id > 1) return std::nullopt;
    return Signature{static_cast<std::uint8_t>(recovery_id), load_be(compact),
                     load_be(compact + 32)};
}

std::optional<Address> address_from_secret(const Hash& secret) {
    secp256k1_pubkey key;
    if (secp256k1_ec_pubkey_create(signing_context(), &key, secret.bytes.data()) == 0)
        return std::nullopt;
    return address_of(key);
}

bool sign_transaction(Transaction& tx, const Hash& secret) {
    const auto sender = address_from_secret(secret);
    return sender.has_value() && sign_transaction(tx, secret, *sender);
}

bool sign_transaction(Transaction& tx, const Hash& secret, const Address& sender) {
    tx.hash = {};
    const auto signature = sign(signing_hash(tx), secret);
    if (!signature.has_value()) return false;
    tx.y_parity = signature->y_parity;
    tx.r = signature->r;
    tx.s = signature->s;
    tx.sender = sender;
    return true;
}

bool sign_authorization(Authorization& authorization, const Hash& secret) {
    const auto signature = sign(signing_hash(authorization), secret);
    if (!signature.has_value()) return false;
    authorization.y_parity = Uint256{signature->y_parity};
    authorization.r = signature->r;
    authorization.s = signature->s;
    authorization.authority = {};
    return true;
}

}  // namespace heddle
