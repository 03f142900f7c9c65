// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Keys from a seed and signatures by them.
#include <workload/keys.hpp>

#include <string>

#include <fmt/format.h>

#include <types/assert.hpp>
#include <types/bytes.hpp>
#include <types/signing.hpp>

namespace heddle::workload {

Key derive_key(std::uint64_t seed, std::string_view purpose, std::uint64_t index) {
    const std::string text = fmt::format("heddle workload key {} {} {}", purpose, seed, index);
    Key key;
    key.secret = keccak256(Bytes(text.begin(), text.end()));
    auto address = address_from_secret(key.secret);
    // A digest that is no valid key (zero or not below the curve order) is as likely as 2^-128.
    while (!address) {
        key.secret = keccak256(key.secret.view());
        address = address_from_secret(key.secret);
    }
    key.address = *address;
    return key;
}

// The key's address is known here, so signing need not derive it again: that would double the time.
void sign(Transaction& tx, const Key& key) {
    const auto signature = heddle::sign(signing_hash(tx), key.secret);
    HEDDLE_ASSERT(signature.has_value());
    tx.y_parity = signature->y_parity;
    tx.r = signature->r;
    tx.s = signature->s;
    tx.sender = key.address;
}

void sign(Authorization& authorization, const Key& key) {
    const bool is_signed = sign_authorization(authorization, key.secret);
    HEDDLE_ASSERT(is_signed);
}

}  // namespace heddle::workload
