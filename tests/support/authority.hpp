// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Whose an EIP-7702 authorization is, found out for one alone: the oracle of what finds many at
// once (types/sender_recovery.hpp).
#pragma once

#include <cstdint>
#include <optional>

#include <types/address.hpp>
#include <types/signing.hpp>
#include <types/transaction.hpp>
#include <types/uint256.hpp>

namespace heddle::test {

/// nullopt: the signature is invalid, malleable, or y_parity is above 1. Chain id and nonce are not
/// looked at.
[[nodiscard]] inline std::optional<Address> authority_of(const Authorization& authorization) {
    if (authorization.y_parity > Uint256{1} || !has_low_s(authorization.s)) return std::nullopt;
    return recover_signer(signing_hash(authorization),
                          static_cast<std::uint8_t>(authorization.y_parity.is_zero() ? 0 : 1),
                          authorization.r, authorization.s);
}

}  // namespace heddle::test
