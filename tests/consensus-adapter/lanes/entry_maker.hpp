// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Entries with signed transactions, for tests of lanes that check them.
#pragma once

#include <cstdint>
#include <utility>

#include <gtest/gtest.h>

#include <consensus_adapter/lanes/directory.hpp>
#include <consensus_adapter/lanes/move.hpp>
#include <consensus_adapter/lanes/placement.hpp>
#include <types/signing.hpp>
#include <types/transaction.hpp>

namespace heddle::consensus_adapter::lanes::test {

inline constexpr std::uint64_t kTestChain = 1337;

[[nodiscard]] inline Hash secret_of(std::uint8_t number) {
    Hash secret;
    secret.bytes[31] = number;
    return secret;
}
[[nodiscard]] inline Address account_of(std::uint8_t number) {
    return address_from_secret(secret_of(number)).value();
}

[[nodiscard]] inline Transaction unsigned_transfer(std::uint64_t nonce, const Address& to) {
    Transaction tx;
    tx.type = TransactionType::dynamic_fee;
    tx.chain_id = kTestChain;
    tx.nonce = nonce;
    tx.max_fee_per_gas = Uint256{std::uint64_t{10'000'000'000}};
    tx.max_priority_fee_per_gas = Uint256{std::uint64_t{1}};
    tx.gas_limit = 100'000;
    tx.to = to;
    tx.value = Uint256{std::uint64_t{1}};
    return tx;
}
[[nodiscard]] inline Transaction signed_with(Transaction tx, const Hash& secret) {
    EXPECT_TRUE(sign_transaction(tx, secret));
    tx.sender = recover_sender(tx);
    return tx;
}

/// What a transfer accesses.
[[nodiscard]] inline ObjectSet transfer_objects(const Transaction& tx) {
    return ObjectSet{{{{*tx.sender, ObjectKind::balance, {}}, AccessMode::write},
                      {{*tx.sender, ObjectKind::nonce, {}}, AccessMode::write},
                      {{*tx.to, ObjectKind::balance, {}}, AccessMode::add}}};
}

/// An entry of a transaction, the same for each of its lanes.
[[nodiscard]] inline Entry make_entry(Placement placement, const Transaction& tx,
                                      std::uint64_t id) {
    Entry entry;
    entry.placement = std::move(placement);
    encode_transaction(tx, entry.payload);
    entry.placement.payload_hash = keccak256(entry.payload);
    entry.placement.id = {id, lanes_of(entry.placement).first()};
    entry.digest = digest_of(entry.placement);
    return entry;
}
[[nodiscard]] inline Bytes encode(const Entry& entry) {
    Bytes bytes;
    encode_entry(entry, bytes);
    return bytes;
}

}  // namespace heddle::consensus_adapter::lanes::test
