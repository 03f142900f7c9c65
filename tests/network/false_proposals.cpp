// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "false_proposals.hpp"

#include <algorithm>
#include <utility>

#include <types/assert.hpp>
#include <types/block_access_list.hpp>
#include <types/object.hpp>

namespace heddle::test {
namespace {

using consensus_adapter::cometbft::BlockPreamble;
using consensus_adapter::cometbft::decode_preamble;
using consensus_adapter::cometbft::encode_preamble;

constexpr std::size_t kAccounts = 3'000;
/// Below what one transaction may have (EIP-7825).
constexpr std::uint64_t kMuchGas = 16'000'000;

constexpr Address address_of(std::uint8_t last) {
    Address address;
    address.bytes[0] = 0xca;
    address.bytes.back() = last;
    return address;
}
constexpr Address kBurner = address_of(1);    // JUMPDEST PUSH0 JUMP
constexpr Address kReverter = address_of(2);  // PUSH0 PUSH0 REVERT

GenesisAccount contract(const Address& address, std::string_view code) {
    return {address, 1, {}, from_hex(code).value(), {}};
}

/// So many bytes of accesses to slots, that nobody makes.
ObjectSet set_of_about(std::size_t bytes, std::mt19937_64& random) {
    constexpr std::size_t kBytesEach = 34;  // of the slot in the table, and of the access
    std::vector<Access> accesses;
    for (std::size_t i = 0; i < bytes / kBytesEach; ++i) {
        Access& access = accesses.emplace_back();
        access.object.address = kReverter;
        access.object.kind = ObjectKind::storage;
        access.mode = AccessMode::write;
        std::array<std::uint8_t, 32> slot{};
        std::ranges::generate(slot, [&] { return static_cast<std::uint8_t>(random()); });
        slot[0] |= 0x80;  // none is shorter
        access.object.slot = load_be(slot.data());
    }
    return ObjectSet{std::move(accesses)};
}

}  // namespace

Liar::Liar(std::uint64_t seed) : random_(seed), accounts_(make_accounts("liar", kAccounts)) {}

Genesis Liar::genesis() const {
    Genesis genesis = node::dev_genesis();
    genesis.alloc.push_back(contract(kBurner, "5b5f56"));
    genesis.alloc.push_back(contract(kReverter, "5f5ffd"));
    for (const node::DevAccount& account : accounts_)
        genesis.alloc.push_back({account.address, 0, node::dev_balance(), {}, {}});
    return genesis;
}

const node::DevAccount& Liar::fresh_account() {
    HEDDLE_ASSERT(next_account_ < accounts_.size());
    return accounts_[next_account_++];
}

Bytes Liar::transfer(const node::DevAccount& from, std::uint64_t nonce) {
    Transaction tx = make_call(nonce, node::dev_accounts()[random_() % 10].address);
    tx.value = Uint256{random_() % 1'000};
    return signed_bytes(std::move(tx), from);
}

Bytes Liar::random_bytes(std::size_t size) {
    Bytes bytes(size);
    std::ranges::generate(bytes, [this] { return static_cast<std::uint8_t>(random_()); });
    return bytes;
}

/// So that there is something to lie about: transfers that are in order.
void Liar::add_transfers(FalseProposal& proposal) {
    for (std::size_t i = 0; i < 3; ++i)
        proposal.items.push_back(transfer(fresh_account(), 0));
}

FalseProposal Liar::make(Lie lie, const std::vector<Bytes>& honest) {
    HEDDLE_ASSERT(!honest.empty());
    auto decoded = decode_preamble(honest.front());
    HEDDLE_ASSERT(decoded.has_value());
    Preamble preamble = std::move(decoded->preamble);
    FalseProposal proposal;
    if (lie == Lie::no_items) return proposal;
    proposal.items = honest;
    preamble.object_sets.clear();
    preamble.access_list.clear();
    proposal.items.front() = encode_preamble(preamble);
    add_transfers(proposal);
    switch (lie) {
        case Lie::no_preamble:
        case Lie::garbage_preamble:
        case Lie::second_preamble:
        case Lie::huge_gas_limit:
            lie_in_preamble(lie, proposal, std::move(preamble));
            break;
        case Lie::empty_sets:
        case Lie::foreign_sets:
        case Lie::too_few_sets:
        case Lie::too_many_sets:
        case Lie::large_sets:
        case Lie::too_large:
            lie_in_sets(lie, proposal, std::move(preamble));
            break;
        case Lie::foreign_list:
        case Lie::garbage_list:
            lie_in_list(lie, proposal, std::move(preamble));
            break;
        default:
            lie_in_transactions(lie, proposal);
            break;
    }
    return proposal;
}

void Liar::lie_in_preamble(Lie lie, FalseProposal& proposal, Preamble preamble) {
    auto& items = proposal.items;
    if (lie == Lie::no_preamble) {
        items.erase(items.begin());
    } else if (lie == Lie::garbage_preamble) {
        items.front() = random_bytes(1 + random_() % 100);
        items.front().front() = consensus_adapter::cometbft::kPreambleMark;
        // Of another version, so that it is never one by chance.
        if (items.front().size() > 1) items.front()[1] = 0xff;
        proposal.left_out = 1;
    } else if (lie == Lie::second_preamble) {
        items.insert(items.begin() + 1 + static_cast<std::ptrdiff_t>(random_() % items.size()),
                     Bytes{items.front()});
        proposal.left_out = 1;
    } else {
        preamble.gas_limit = ~(random_() >> 40);
        items.front() = encode_preamble(preamble);
    }
}

void Liar::lie_in_sets(Lie lie, FalseProposal& proposal, Preamble preamble) {
    const std::size_t count = proposal.items.size() - 1;
    auto& sets = preamble.object_sets;
    if (lie == Lie::too_few_sets) {
        sets.resize(1 + random_() % (count - 1));
    } else if (lie == Lie::too_many_sets) {
        sets.resize(count + 1 + random_() % 1'000);
    } else if (lie == Lie::foreign_sets) {
        for (std::size_t i = 0; i < count; ++i) {
            const Address& whose = accounts_[random_() % accounts_.size()].address;
            sets.emplace_back(std::vector<Access>{
                {{whose, ObjectKind::balance, {}}, AccessMode::write},
                {{whose, ObjectKind::nonce, {}}, AccessMode::write},
                {{node::dev_accounts()[i % 10].address, ObjectKind::balance, {}},
                 AccessMode::add}});
        }
        proposal.wrongly_declared = count;
    } else {
        sets.resize(count);
        if (lie == Lie::large_sets) sets.back() = set_of_about(std::size_t{3} << 20, random_);
        if (lie == Lie::too_large) sets.back() = set_of_about(std::size_t{5} << 20, random_);
        proposal.wrongly_declared = count;
    }
    proposal.items.front() = encode_preamble(preamble);
}

void Liar::lie_in_list(Lie lie, FalseProposal& proposal, Preamble preamble) {
    if (lie == Lie::garbage_list) {
        preamble.access_list = random_bytes(1 + random_() % 1'000);
        preamble.access_list.front() = 0x7f;  // no list
    } else {
        BlockAccessList list;
        list.accounts.push_back({.address = accounts_[random_() % accounts_.size()].address,
                                 .balance_changes = {{1, Uint256{random_()}}}});
        encode_block_access_list(list, preamble.access_list);
        proposal.has_wrong_list = true;
    }
    proposal.items.front() = encode_preamble(preamble);
}

void Liar::lie_in_transactions(Lie lie, FalseProposal& proposal) {
    auto& items = proposal.items;
    const node::DevAccount& from = fresh_account();
    // Most of these cannot be executed.
    proposal.left_out = 1;
    switch (lie) {
        case Lie::wrong_nonce_order:
            items.push_back(transfer(from, 1));
            items.push_back(transfer(from, 0));
            break;
        case Lie::same_twice:
            items.push_back(transfer(from, 0));
            items.push_back(items.back());
            break;
        case Lie::nonce_too_high:
            items.push_back(transfer(from, 1 + random_() % 1'000));
            break;
        case Lie::no_funds: {
            Transaction tx = make_call(0, kReverter);
            tx.value = node::dev_balance();
            items.push_back(signed_bytes(std::move(tx), from));
            break;
        }
        case Lie::fee_too_low: {
            Transaction tx = make_call(0, node::dev_accounts()[0].address);
            tx.max_fee_per_gas = tx.max_priority_fee_per_gas = Uint256{1};
            items.push_back(signed_bytes(std::move(tx), from));
            break;
        }
        case Lie::no_signer: {
            Transaction tx = make_call(0, node::dev_accounts()[0].address);
            tx.r = Uint256{5};  // no point of the curve has this coordinate
            tx.s = Uint256{1};
            encode_transaction(tx, items.emplace_back());
            break;
        }
        case Lie::garbage:
            items.push_back(random_bytes(1 + random_() % 1'000));
            items.back().front() = 0x7f;  // a type that there is not (EIP-2718)
            break;
        case Lie::empty_item:
            items.emplace_back();
            break;
        case Lie::blobs: {
            Transaction tx = make_call(0, node::dev_accounts()[0].address);
            tx.type = TransactionType::blob;
            tx.max_fee_per_blob_gas = Uint256{1'000'000'000};
            tx.blob_versioned_hashes.emplace_back().bytes[0] = 1;
            items.push_back(signed_bytes(std::move(tx), from));
            break;
        }
        case Lie::out_of_gas:
            items.push_back(signed_bytes(make_call(0, kBurner, 100'000), from));
            proposal.left_out = 0;
            break;
        case Lie::reverts:
            items.push_back(signed_bytes(make_call(0, kReverter, 100'000), from));
            proposal.left_out = 0;
            break;
        case Lie::more_gas_than_a_block: {
            // The gas limit is 60,000,000: three of them fit.
            for (std::uint64_t nonce = 0; nonce < 5; ++nonce)
                items.push_back(signed_bytes(make_call(nonce, kBurner, kMuchGas), from));
            proposal.left_out = 2;
            break;
        }
        default:
            HEDDLE_ASSERT(false);
    }
}

}  // namespace heddle::test
