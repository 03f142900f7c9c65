// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Making signatures, for tools and tests that build transactions. A node that only executes never
// needs it and it is no wallet: secrets are plain values.
#pragma once

#include <optional>

#include <types/address.hpp>
#include <types/hash.hpp>
#include <types/transaction.hpp>
#include <types/uint256.hpp>

namespace heddle {

struct Signature {
    std::uint8_t y_parity = 0;
    Uint256 r;
    Uint256 s;  // in the lower half (EIP-2)
    friend bool operator==(const Signature&, const Signature&) = default;
};

/// ECDSA over secp256k1 with the deterministic nonce of RFC 6979: the same input gives the same
/// signature everywhere. Thread safety: pure.
/// @return nullopt when the secret is zero or not below the curve order.
[[nodiscard]] std::optional<Signature> sign(const Hash& message_hash, const Hash& secret);

/// Signs `tx` in place: fills y_parity, r, s and sender. @return false as sign().
[[nodiscard]] bool sign_transaction(Transaction& tx, const Hash& secret);
/// The same where the account of the secret is known, which saves as much time as signing takes.
[[nodiscard]] bool sign_transaction(Transaction& tx, const Hash& secret, const Address& sender);

/// Signs an EIP-7702 authorization in place. @return false as sign().
[[nodiscard]] bool sign_authorization(Authorization& authorization, const Hash& secret);

/// Account that `secret` controls; nullopt as sign().
[[nodiscard]] std::optional<Address> address_from_secret(const Hash& secret);

/// What an EIP-7702 authority signs.
[[nodiscard]] Hash signing_hash(const Authorization& authorization);

}  // namespace heddle
