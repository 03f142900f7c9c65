// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What proofs of accounts and slots (EIP-1186) prove, for whoever got them from somebody else.
#pragma once

#include <expected>
#include <optional>
#include <span>
#include <string>

#include <types/account.hpp>
#include <types/address.hpp>
#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/uint256.hpp>

namespace heddle::ledger {

struct ProvenAccount {
    std::optional<Account> account;  // nullopt: there is none
    Hash storage_root = kEmptyTrieRoot;
};

/// @param nodes  RLP of the nodes from the root down.
/// Errors: in which way it proves nothing.
/// Thread safety: pure.
[[nodiscard]] std::expected<ProvenAccount, std::string> check_account_proof(
    const Hash& state_root, const Address& address, std::span<const Bytes> nodes);

/// The value of a slot, zero where the proof is of its absence. Errors: as check_account_proof().
[[nodiscard]] std::expected<Uint256, std::string> check_slot_proof(const Hash& storage_root,
                                                                   const Uint256& slot,
                                                                   std::span<const Bytes> nodes);

}  // namespace heddle::ledger
