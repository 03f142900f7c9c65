// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// From a curve point to the account it controls; shared by recovery and signing only.
#pragma once

#include <secp256k1.h>

#include <types/address.hpp>
#include <types/hash.hpp>

namespace heddle {

/// Low 160 bits of the hash of the uncompressed point without its prefix byte (YP App. F).
[[nodiscard]] inline Address address_of(const secp256k1_pubkey& key) noexcept {
    std::uint8_t point[65];
    std::size_t size = sizeof point;
    secp256k1_ec_pubkey_serialize(secp256k1_context_static, point, &size, &key,
                                  SECP256K1_EC_UNCOMPRESSED);
    const Hash hash = keccak256({point + 1, 64});
    Address address;
    std::memcpy(address.bytes.data(), hash.bytes.data() + 12, 20);
    return address;
}

}  // namespace heddle
