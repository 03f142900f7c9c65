// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the transactions of each workload do. Every draw from the random stream happens in a fixed
// order, because the stream is part of what a seed means.
#include <workload/generator.hpp>

#include <types/assert.hpp>
#include <types/hash.hpp>

#include <workload/bytecode.hpp>

#include "abi.hpp"

namespace heddle::workload {
namespace {

constexpr Uint256 kGwei{1'000'000'000};
constexpr std::uint64_t kTransferGas = 21'000;

Hash random_hash(Random& random) {
    return to_hash({random.next(), random.next(), random.next(), random.next()});
}

Address random_address(Random& random) {
    return address_from_word(to_word(random_hash(random)));
}

Hash balance_key(const Address& holder) {
    return to_hash(mapping_slot(to_word(holder), token::kBalanceOfSlot));
}

}  // namespace

Generator::Generator(const Options& options)
    : options_(options),
      world_(make_world(options)),
      random_(options.seed),
      nonces_(options.accounts),
      delegator_nonces_(world_.delegators.size()),
      cursors_(options.accounts) {}

Transaction Generator::next(const Uint256& base_fee_per_gas, std::uint64_t blobs_left,
                            bool takes_delegations) {
    Transaction tx;
    tx.chain_id = options_.chain_id;
    std::uint32_t sender = draw_account();
    const bool is_hot = random_.chance(options_.contention_ppm);
    // One in 256 each, where everything is mixed: the types that real blocks carry besides.
    const std::uint32_t rare = random_.below(256);
    if (options_.workload == Workload::mixed && rare == 0) {
        fill_blob(tx, blobs_left);
    } else if (takes_delegations && !world_.delegators.empty() && rare == 1) {
        fill_set_code(tx);
    } else {
        switch (draw_kind()) {
            case Workload::transfers:
                fill_transfer(tx, is_hot);
                break;
            case Workload::erc20:
                fill_token_call(tx, sender, is_hot);
                break;
            case Workload::swaps:
                fill_swap(tx, sender, is_hot);
                break;
            case Workload::storage:
                fill_storage(tx, sender, is_hot);
                break;
            case Workload::creations:
                fill_creation(tx, is_hot);
                break;
            case Workload::mixed:
                break;  // draw_kind() never gives it
        }
    }
    tx.gas_limit *= gas_factor(options_.revision);
    fill_fees(tx, base_fee_per_gas);
    tx.nonce = nonces_[sender]++;
    sign(tx, world_.accounts[sender]);
    HEDDLE_ASSERT(tx.gas_limit <= kMaxGasLimit * gas_factor(options_.revision));
    return tx;
}

Workload Generator::draw_kind() {
    if (options_.workload != Workload::mixed) return options_.workload;
    const std::uint32_t percent = random_.below(100);
    if (percent < 30) return Workload::transfers;
    if (percent < 70) return Workload::erc20;
    if (percent < 90) return Workload::swaps;
    return percent < 98 ? Workload::storage : Workload::creations;
}

std::uint32_t Generator::draw_account() {
    return random_.below(options_.accounts);
}

void Generator::fill_transfer(Transaction& tx, bool is_hot) {
    const std::uint32_t index = random_.below(options_.accounts + options_.idle_accounts);
    const Address existing = index < options_.accounts
                                 ? world_.accounts[index].address
                                 : idle_address(options_.seed, index - options_.accounts);
    // One in eight creates its recipient, which no scheduler may take for a plain credit.
    const bool is_fresh = random_.below(8) == 0;
    tx.to = is_hot ? world_.hot_recipient : is_fresh ? random_address(random_) : existing;
    tx.value = Uint256{1 + random_.below(1'000'000)} * kGwei;
    tx.gas_limit = kTransferGas;
}

void Generator::fill_token_call(Transaction& tx, std::uint32_t& sender, bool is_hot) {
    const std::uint32_t index = is_hot ? 0 : random_.below(kTokenCount);
    const Address recipient =
        is_hot ? world_.hot_recipient : world_.accounts[draw_account()].address;
    const Uint256 amount = Uint256{1 + random_.below(kMillion)} * kGwei;
    const std::uint32_t action = random_.below(20);
    tx.gas_limit = 120'000;

    if (action == 0 && !is_hot) {
        tx.to = world_.tokens[index];
        tx.data = encode_call(token::kApprove, {to_word(recipient), amount});
        return;
    }
    if (action == 1 && !is_hot) {
        const std::uint32_t owner = sender;
        sender = world_.spender_of(owner);
        tx.to = world_.tokens[World::shared_token_of(owner)];
        tx.data = encode_call(token::kTransferFrom, {to_word(world_.accounts[owner].address),
                                                     to_word(recipient), amount});
        return;
    }
    tx.to = world_.tokens[index];
    tx.data = encode_call(token::kTransfer, {to_word(recipient), amount});
    tx.access_list = {
        {*tx.to, {balance_key(world_.accounts[sender].address), balance_key(recipient)}}};
}

void Generator::fill_swap(Transaction& tx, std::uint32_t sender, bool is_hot) {
    const std::uint32_t pool = is_hot ? 0 : World::home_pool_of(sender);
    const bool is_forward = random_.below(2) == 0;
    const Address& token_in = world_.tokens[is_forward ? pool : pool + 1];
    const Uint256 amount = Uint256{1 + random_.below(kMillion)} * kGwei;
    // One in 64 asks for more than the pool gives, and reverts: prices slip in real blocks too.
    const Uint256 minimum = random_.below(64) == 0 ? Uint256::max() : Uint256{};
    tx.to = world_.pools[pool];
    tx.data = encode_call(pair::kSwap, {to_word(token_in), amount, minimum,
                                        to_word(world_.accounts[sender].address)});
    tx.gas_limit = 250'000;
    tx.access_list = {{world_.tokens[pool], {}}, {world_.tokens[pool + 1], {}}};
}

void Generator::fill_storage(Transaction& tx, std::uint32_t sender, bool is_hot) {
    const std::uint32_t store = random_.below(kStoreCount);
    const std::uint64_t count = 4 + random_.below(13);
    const std::uint32_t action = random_.below(16);
    const std::uint64_t word = random_.next();
    // Cells and records of different senders lie apart.
    const std::uint64_t base = std::uint64_t{sender} << 32;
    tx.to = world_.stores[is_hot ? 0 : store];
    tx.gas_limit = 100'000 + 60'000 * count;

    if (is_hot) {
        tx.data = encode_call(storage_heavy::kBump, {count});
    } else if (action < 8) {
        tx.data = encode_call(storage_heavy::kChurn, {base + cursors_[sender], count});
        cursors_[sender] += static_cast<std::uint32_t>(count);
    } else if (action < 10) {
        tx.data = encode_call(storage_heavy::kFill, {base + cursors_[sender], count, word});
        cursors_[sender] += static_cast<std::uint32_t>(count);
    } else if (action < 12) {
        const std::uint64_t back = cursors_[sender] < count ? 0 : cursors_[sender] - count;
        tx.data = encode_call(storage_heavy::kClear, {base + back, count});
    } else if (action < 14) {
        tx.data = encode_call(storage_heavy::kPack, {base + (word & 63), count, word >> 32});
    } else if (action < 15) {
        tx.data = encode_call(storage_heavy::kRemember, {count, word});
    } else {
        tx.data = encode_call(storage_heavy::kForget, {});
        tx.gas_limit = 1'500'000;  // drops half of what is there, however much that is
    }
}

void Generator::fill_creation(Transaction& tx, bool is_hot) {
    const std::uint32_t index = random_.below(kFactoryCount);
    const std::uint32_t action = random_.below(16);
    const Uint256 value = 1 + random_.below(kMillion);
    const std::uint32_t count = 2 + random_.below(5);
    const Hash salt = random_hash(random_);
    tx.to = world_.factories[is_hot ? 0 : index];
    tx.gas_limit = 250'000;

    if (is_hot || action < 6) {
        tx.data = encode_call(factory::kCreate, {value});
    } else if (action < 11) {
        tx.data = encode_call(factory::kCreateAt, {value, to_word(salt)});
    } else if (action < 13) {
        tx.data = encode_call(factory::kCreateMany, {count, value});
        tx.gas_limit = 200'000 + 200'000 * std::uint64_t{count};
    } else {
        auto code = from_hex(kToken.creation_hex);
        HEDDLE_ASSERT(code.has_value());
        tx.to = std::nullopt;
        tx.data = *std::move(code);
        append_word(value, tx.data);
        tx.gas_limit = 1'500'000;
    }
}

void Generator::fill_blob(Transaction& tx, std::uint64_t blobs_left) {
    tx.to = world_.accounts[draw_account()].address;
    tx.gas_limit = kTransferGas;
    const std::uint32_t count = 1 + random_.below(2);
    if (count > blobs_left) return;  // a transfer of nothing, then
    tx.type = TransactionType::blob;
    tx.max_fee_per_blob_gas = Uint256{1'000} * kGwei;
    for (std::uint32_t i = 0; i < count; ++i) {
        Hash hash = random_hash(random_);
        hash.bytes[0] = 0x01;  // version of KZG commitments (EIP-4844)
        tx.blob_versioned_hashes.push_back(hash);
    }
}

void Generator::fill_set_code(Transaction& tx) {
    const std::uint32_t index = random_.below(kDelegatorCount);
    const Key& authority = world_.delegators[index];
    Authorization authorization;
    authorization.chain_id = options_.chain_id;
    authorization.address = world_.stores[random_.below(kStoreCount)];
    authorization.nonce = delegator_nonces_[index]++;
    sign(authorization, authority);

    tx.type = TransactionType::set_code;
    tx.to = authority.address;
    tx.data = encode_call(storage_heavy::kBump, {random_.next()});
    tx.gas_limit = 200'000;
    tx.authorization_list.push_back(authorization);
}

void Generator::fill_fees(Transaction& tx, const Uint256& base_fee_per_gas) {
    const Uint256 tip = kGwei + random_.below(2'000'000'000);
    const std::uint32_t kind = random_.below(100);
    if (tx.type == TransactionType::legacy) {
        if (kind < 64)
            tx.type = TransactionType::dynamic_fee;
        else if (kind >= 80 && !tx.access_list.empty())
            tx.type = TransactionType::access_list;
    }
    const bool has_two_prices =
        tx.type != TransactionType::legacy && tx.type != TransactionType::access_list;
    if (tx.type != TransactionType::access_list) tx.access_list.clear();
    tx.max_fee_per_gas = base_fee_per_gas + (base_fee_per_gas >> 2) + tip;
    if (has_two_prices) tx.max_fee_per_gas += base_fee_per_gas;
    tx.max_priority_fee_per_gas = has_two_prices ? tip : tx.max_fee_per_gas;
}

}  // namespace heddle::workload
