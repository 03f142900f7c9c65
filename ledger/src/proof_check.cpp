// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <ledger/proof_check.hpp>

#include <types/rlp.hpp>

#include "trie/trie_proof.hpp"

namespace heddle::ledger {
namespace {

/// The leaf of an account (YP 4.1): nonce, balance, storage root, code hash.
std::expected<ProvenAccount, rlp::Error> decode_leaf(BytesView bytes) {
    rlp::Reader outer(bytes);
    auto fields = outer.read_list();
    if (!fields.has_value()) return std::unexpected(fields.error());
    const auto nonce = fields->read_uint64();
    const auto balance = fields->read_uint256();
    const auto storage_root = fields->read_hash();
    const auto code_hash = fields->read_hash();
    if (!nonce.has_value()) return std::unexpected(nonce.error());
    if (!balance.has_value()) return std::unexpected(balance.error());
    if (!storage_root.has_value()) return std::unexpected(storage_root.error());
    if (!code_hash.has_value()) return std::unexpected(code_hash.error());
    if (!fields->at_end() || !outer.at_end())
        return std::unexpected(rlp::Error{rlp::ErrorCode::trailing_bytes, outer.offset()});
    return ProvenAccount{Account{.nonce = *nonce, .balance = *balance, .code_hash = *code_hash},
                         *storage_root};
}

}  // namespace

std::expected<ProvenAccount, std::string> check_account_proof(const Hash& state_root,
                                                              const Address& address,
                                                              std::span<const Bytes> nodes) {
    const auto leaf = verify_proof(state_root, keccak256(address.view()), nodes);
    if (!leaf.has_value()) return std::unexpected(std::string{to_string(leaf.error())});
    if (!leaf->has_value()) return ProvenAccount{};
    auto account = decode_leaf(**leaf);
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
