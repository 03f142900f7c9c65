// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks with everything that a block can have, at random. No signature of them is right; what is
// kept of a block does not depend on it.
#pragma once

#include <utility>
#include <vector>

#include <types/block.hpp>
#include <types/object.hpp>
#include <types/receipt.hpp>
#include <types/transaction.hpp>

#include "random.hpp"

namespace heddle::test {

inline Hash random_hash(Random& random) {
    return keccak256(random.bytes(8));
}

inline Address random_address(Random& random) {
    return address_from_low64(1 + random.below(20));
}

/// Words of every length.
inline Uint256 random_word(Random& random) {
    return load_be_partial(random.bytes(1 + random.below(32)));
}

inline Transaction random_transaction(Random& random) {
    Transaction tx;
    tx.type = static_cast<TransactionType>(random.below(5));
    if (tx.type != TransactionType::legacy || random.one_in(2)) tx.chain_id = random.below(5000);
    tx.nonce = random.below(1000);
    tx.max_fee_per_gas = random.below(100'000);
    tx.max_priority_fee_per_gas = tx.max_fee_per_gas;
    if (tx.type >= TransactionType::dynamic_fee) tx.max_priority_fee_per_gas = random.below(1000);
    tx.gas_limit = 21'000 + random.below(100'000);
    if (tx.type >= TransactionType::blob || !random.one_in(3)) tx.to = random_address(random);
    tx.value = random_word(random);
    tx.data = random.bytes(random.below(80));
    if (tx.type != TransactionType::legacy)
        for (std::size_t i = random.below(3); i != 0; --i)
            tx.access_list.push_back({random_address(random), {random_hash(random)}});
    if (tx.type == TransactionType::blob) {
        tx.max_fee_per_blob_gas = random.below(100);
        for (std::size_t i = random.below(4); i != 0; --i)
            tx.blob_versioned_hashes.push_back(random_hash(random));
    }
    if (tx.type == TransactionType::set_code)
        tx.authorization_list.push_back({.chain_id = 1,
                                         .address = random_address(random),
                                         .nonce = random.below(9),
                                         .y_parity = random.below(2),
                                         .r = random_word(random),
                                         .s = random_word(random)});
    tx.y_parity = static_cast<std::uint8_t>(random.below(2));
    tx.r = 1 + random.below(1'000'000);
    tx.s = 1 + random.below(1'000'000);
    tx.sender = random_address(random);
    return tx;
}

inline BlockHeader random_header(Random& random, std::uint64_t number) {
    BlockHeader header;
    header.parent_hash = random_hash(random);
    header.beneficiary = random_address(random);
    header.state_root = random_hash(random);
    header.difficulty = random.one_in(2) ? Uint256{} : random_word(random);
    header.number = number;
    header.gas_limit = random.below(30'000'000);
    header.timestamp = random.below(2'000'000'000);
    header.extra_data = random.bytes(random.below(33));
    header.prev_randao = random_hash(random);
    header.nonce[7] = static_cast<std::uint8_t>(random.below(256));
    // Each fork brought fields and kept those before.
    const std::size_t fork = random.below(6);
    if (fork >= 1) header.base_fee_per_gas = random.below(100'000);
    if (fork >= 2) header.withdrawals_root = random_hash(random);
    if (fork >= 3) {
        header.blob_gas_used = random.below(1'000'000);
        header.excess_blob_gas = random.below(1'000'000);
        header.parent_beacon_block_root = random_hash(random);
    }
    if (fork >= 4) header.requests_hash = random_hash(random);
    if (fork >= 5) {
        header.block_access_list_hash = random_hash(random);
        header.slot_number = random.below(1'000'000);
    }
    return header;
}

inline Block random_block(Random& random, std::uint64_t number) {
    Block block;
    block.header = random_header(random, number);
    for (std::size_t i = random.below(6); i != 0; --i)
        block.transactions.push_back(random_transaction(random));
    if (random.one_in(4)) block.ommers.push_back(random_header(random, number));
    block.header.ommers_hash = ommers_hash(block.ommers);
    if (block.header.withdrawals_root.has_value()) {
        block.withdrawals.emplace();
        for (std::size_t i = random.below(3); i != 0; --i)
            block.withdrawals->push_back(
                {random.below(1000), random.below(1000), random_address(random), random.below(99)});
    }
    return block;
}

/// One receipt for each transaction, as complete as execution makes them.
inline std::vector<Receipt> random_receipts(Random& random, const Block& block) {
    std::vector<Receipt> receipts;
    std::uint64_t gas = 0;
    const bool has_roots = random.one_in(4);
    for (const Transaction& tx : block.transactions) {
        Receipt& receipt = receipts.emplace_back();
        receipt.type = tx.type;
        receipt.gas_used = random.below(100'000);
        receipt.cumulative_gas_used = gas += receipt.gas_used;
        if (has_roots)
            receipt.post_state = random_hash(random);
        else
            receipt.success = random.one_in(2);
        for (std::size_t i = random.below(3); i != 0; --i) {
            Log& log = receipt.logs.emplace_back();
            log.address = random_address(random);
            for (std::size_t k = random.below(5); k != 0; --k)
                log.topics.push_back(random_hash(random));
            log.data = random.bytes(random.below(100));
        }
        receipt.bloom = logs_bloom(receipt.logs);
        receipt.blob_gas_used = 131'072 * tx.blob_versioned_hashes.size();
        if (tx.is_creation()) receipt.contract_address = create_address(*tx.sender, tx.nonce);
        const Uint256 base_fee = block.header.base_fee_per_gas.value_or(Uint256{});
        receipt.effective_gas_price =
            block.header.base_fee_per_gas.has_value()
                ? std::min(tx.max_fee_per_gas, base_fee + tx.max_priority_fee_per_gas)
                : tx.max_fee_per_gas;
    }
    return receipts;
}

inline std::vector<ObjectSet> random_object_sets(Random& random, std::size_t count) {
    std::vector<ObjectSet> sets;
    for (; count != 0; --count) {
        std::vector<Access> accesses;
        for (std::size_t i = random.below(5); i != 0; --i) {
            ObjectId object{random_address(random), static_cast<ObjectKind>(random.below(5)), {}};
            if (object.kind == ObjectKind::storage) object.slot = random_word(random);
            accesses.push_back({object, static_cast<AccessMode>(random.below(4))});
        }
        sets.emplace_back(std::move(accesses));
    }
    return sets;
}

}  // namespace heddle::test
