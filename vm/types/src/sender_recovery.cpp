// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <secp256k1.h>
#include <secp256k1_recovery.h>

#include <types/signing.hpp>
#include <types/transaction.hpp>

#include "public_key.hpp"

namespace heddle {

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
