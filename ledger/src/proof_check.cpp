// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <ledger/proof_check.hpp>

#include <types/rlp.hpp>

#include "account_leaf.hpp"
#include "trie/trie_proof.hpp"

namespace heddle::ledger {
std::expected<ProvenAccount, std::string> check_account_proof(const Hash& state_root,
                                                              const Address& address,
                                                              std::span<const Bytes> nodes) {
    const auto leaf = verify_proof(state_root, keccak256(address.view()), nodes);
    if (!leaf.has_value()) return std::unexpected(std::string{to_string(leaf.error())});
    if (!leaf->has_value()) return ProvenAccount{};
    auto account = decode_account_leaf(**leaf);
    if (!account.has_value())
        return std::unexpected("the account is malformed: " + rlp::to_string(account.error()));
    return *account;
}

std::expected<Uint256, std::string> check_slot_proof(const Hash& storage_root, const Uint256& slot,
                                                     std::span<const Bytes> nodes) {
    const auto leaf = verify_proof(storage_root, keccak256(to_hash(slot).view()), nodes);
    if (!leaf.has_value()) return std::unexpected(std::string{to_string(leaf.error())});
    if (!leaf->has_value()) return Uint256{};
    rlp::Reader reader(**leaf);
    const auto value = reader.read_uint256();
    if (!value.has_value() || !reader.at_end())
        return std::unexpected(std::string{"the slot's value is malformed"});
    return *value;
}

}  // namespace heddle::ledger
