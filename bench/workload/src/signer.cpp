// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// secp256k1 keys and recoverable signatures (YP App. F).
#include <workload/signer.hpp>

#include <cstring>

#include <secp256k1.h>
#include <secp256k1_recovery.h>

#include <types/assert.hpp>
#include <types/rlp.hpp>

namespace heddle::workload {

struct Signer::Context {
    secp256k1_context* handle = secp256k1_context_create(SECP256K1_CONTEXT_SIGN);
    Context() = default;
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
    ~Context() { secp256k1_context_destroy(handle); }
};

namespace {

struct Signature {
    Uint256 r;
    Uint256 s;
    std::uint8_t y_parity = 0;
};

Signature sign_hash(const secp256k1_context* context, const Hash& hash, const Key& key) {
    secp256k1_ecdsa_recoverable_signature raw;
    const int signed_ok = secp256k1_ecdsa_sign_recoverable(context, &raw, hash.bytes.data(),
                                                           key.secret.data(), nullptr, nullptr);
    HEDDLE_ASSERT(signed_ok == 1);
    std::array<std::uint8_t, 64> bytes{};
    int recovery_id = 0;
    secp256k1_ecdsa_recoverable_signature_serialize_compact(context, bytes.data(), &recovery_id,
                                                            &raw);
    return {load_be(bytes.data()), load_be(bytes.data() + 32),
            static_cast<std::uint8_t>(recovery_id & 1)};
}

Hash authorization_hash(const Authorization& authorization) {
    Bytes message{0x05};
    rlp::encode_uint256(authorization.chain_id, message);
    rlp::encode_address(authorization.address, message);
    rlp::encode_uint64(authorization.nonce, message);
    rlp::wrap_list(1, message);
    return keccak256(message);
}

}  // namespace

Signer::Signer() : context_(std::make_unique<Context>()) {
    HEDDLE_ASSERT(context_->handle != nullptr);
}
Signer::~Signer() = default;

Key Signer::derive_key(std::uint64_t seed, std::string_view purpose, std::uint64_t index) const {
    constexpr std::string_view kDomain = "heddle workload key ";
    Bytes material(kDomain.begin(), kDomain.end());
    material.insert(material.end(), purpose.begin(), purpose.end());
    for (const std::uint64_t number : {seed, index})
        for (int shift = 56; shift >= 0; shift -= 8)
            material.push_back(static_cast<std::uint8_t>(number >> shift));

    Key key;
    secp256k1_pubkey point;
    Hash digest = keccak256(material);
    // A digest that is no valid key (zero or not below the curve order) is about as likely as
    // 2^-128.
    while (secp256k1_ec_pubkey_create(context_->handle, &point, digest.bytes.data()) != 1)
        digest = keccak256(digest.view());
    key.secret = digest.bytes;

    std::array<std::uint8_t, 65> uncompressed{};
    std::size_t size = uncompressed.size();
    secp256k1_ec_pubkey_serialize(context_->handle, uncompressed.data(), &size, &point,
                                  SECP256K1_EC_UNCOMPRESSED);
    const Hash hash = keccak256(BytesView(uncompressed).subspan(1));
    std::memcpy(key.address.bytes.data(), hash.bytes.data() + 12, 20);
    return key;
}

void Signer::sign(Transaction& tx, const Key& key) const {
    const Signature signature = sign_hash(context_->handle, signing_hash(tx), key);
    tx.r = signature.r;
    tx.s = signature.s;
    tx.y_parity = signature.y_parity;
    tx.sender = key.address;
}

void Signer::sign(Authorization& authorization, const Key& key) const {
    const Signature signature = sign_hash(context_->handle, authorization_hash(authorization), key);
    authorization.r = signature.r;
    authorization.s = signature.s;
    authorization.y_parity = signature.y_parity;
}

}  // namespace heddle::workload
