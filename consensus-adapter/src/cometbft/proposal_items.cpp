// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "cometbft/proposal_items.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <types/assert.hpp>
#include <types/block_access_list.hpp>
#include <types/object_codec.hpp>

namespace heddle::consensus_adapter::cometbft {
namespace {

/// What a preamble may take of the room. Object sets take less than a third of what their
/// transactions do. An access list takes about as much as these: it goes along where the block is
/// full of gas, not of bytes.
constexpr std::size_t kHelpShare = 4;
/// A block with fewer transactions runs in order anyway.
constexpr std::size_t kLeastListed = 4;

/// From so many transactions on, help costs more than it brings where fewer than one in
/// kTransactionsPerCall calls anything: what a plain transfer accesses is known from itself, and
/// every byte goes to all validators, several times, before they vote. For fewer transactions help
/// is too short to matter.
constexpr std::size_t kLeastWeighed = 256;
constexpr std::size_t kTransactionsPerCall = 8;

/// Whether code may run; a payment to a contract without data is taken for a plain transfer.
bool is_call(const Transaction& tx) noexcept {
    return !tx.to.has_value() || !tx.data.empty();
}

bool gains_by_help(std::span<const Transaction> transactions) {
    if (transactions.size() < kLeastWeighed) return true;
    const auto calls = static_cast<std::size_t>(std::ranges::count_if(transactions, is_call));
    return calls * kTransactionsPerCall >= transactions.size();
}

bool can_be_declared(const Proposal& proposal) {
    if (proposal.transactions.empty() ||
        proposal.object_sets.size() != proposal.transactions.size())
        return false;
    const std::size_t accesses = std::accumulate(
        proposal.object_sets.begin(), proposal.object_sets.end(), std::size_t{0},
        [](std::size_t sum, const ObjectSet& set) { return sum + set.accesses().size(); });
    return accesses != 0 && accesses <= kMaxAccessesPerBlock;
}

bool fits(std::size_t size, std::size_t room) {
    return size <= kMaxPreambleBytes && item_bytes(size) <= room;
}

/// Whether whoever reads it would take it.
bool is_well_formed(const BlockPreamble& preamble, const Proposal& proposal) {
    const auto list = decode_block_access_list(proposal.access_list);
    return list.has_value() &&
           check_form(*list, proposal.transactions.size(), preamble.gas_limit).has_value();
}

/// The access list, which says more, else the object sets; what there is no room for is dropped.
/// @param room  Bytes for the preamble as an item.
void add_help(BlockPreamble& preamble, Proposal& proposal, std::size_t room) {
    if (!proposal.access_list.empty() &&
        fits(kBarePreambleBytes + proposal.access_list.size(), room) &&
        is_well_formed(preamble, proposal)) {
        proposal.object_sets.clear();
        preamble.access_list = proposal.access_list;
        return;
    }
    proposal.access_list.clear();
    preamble.object_sets = proposal.object_sets;
    if (fits(encode_preamble(preamble).size(), room)) return;
    proposal.object_sets.clear();
    preamble.object_sets.clear();
}

}  // namespace

std::size_t transaction_room(std::size_t room) noexcept {
    const std::size_t preamble =
        std::max(item_bytes(kBarePreambleBytes), std::min(room / kHelpShare, kMaxPreambleBytes));
    return room - std::min(room, preamble);
}

std::vector<Bytes> pack(BlockPreamble preamble, Proposal& proposal, std::size_t room) {
    std::vector<Bytes> items;
    std::size_t used = item_bytes(kBarePreambleBytes);
    if (used > room) {
        proposal = {};
        return items;
    }
    const bool has_sets = can_be_declared(proposal);
    const std::size_t whole = proposal.transactions.size();
    items.reserve(1 + proposal.transactions.size());
    items.emplace_back();
    for (const Transaction& tx : proposal.transactions) {
        Bytes encoded;
        encode_transaction(tx, encoded);
        // Those behind it may need it to be executed before them.
        if (used + item_bytes(encoded.size()) > room) break;
        used += item_bytes(encoded.size());
        items.push_back(std::move(encoded));
    }
    const std::size_t count = items.size() - 1;
    proposal.transactions.resize(count);
    proposal.object_sets.resize(has_sets ? count : 0);

    const std::size_t left = room - (used - item_bytes(kBarePreambleBytes));
    // Of what was cut off, the list would say what it does.
    if (count != whole || count < kLeastListed) proposal.access_list.clear();
    if (gains_by_help(proposal.transactions)) {
        add_help(preamble, proposal, left);
    } else {
        proposal.access_list.clear();
        proposal.object_sets.clear();
    }
    items[0] = encode_preamble(preamble);
    HEDDLE_ASSERT(item_bytes(items[0].size()) <= left);
    return items;
}

BlockContents contents_of_own(std::span<const Bytes> items, Proposal proposal) {
    BlockContents contents;
    contents.item_count = items.size();
    if (items.empty()) return contents;
    auto decoded = decode_preamble(BytesView{items[0]}.first(kBarePreambleBytes));
    HEDDLE_ASSERT(decoded.has_value());
    contents.preamble = std::move(decoded->preamble);
    contents.items.resize(proposal.transactions.size());
    std::iota(contents.items.begin(), contents.items.end(), std::size_t{1});
    contents.proposal = std::move(proposal);
    return contents;
}

}  // namespace heddle::consensus_adapter::cometbft
