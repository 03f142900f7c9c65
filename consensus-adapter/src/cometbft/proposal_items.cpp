// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "cometbft/proposal_items.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <types/assert.hpp>
#include <types/object_codec.hpp>

namespace heddle::consensus_adapter::cometbft {
namespace {

/// Object sets take less than a third of what their transactions do.
constexpr std::size_t kSetsShare = 4;

bool can_be_declared(const Proposal& proposal) {
    if (proposal.transactions.empty() ||
        proposal.object_sets.size() != proposal.transactions.size())
        return false;
    const std::size_t accesses = std::accumulate(
        proposal.object_sets.begin(), proposal.object_sets.end(), std::size_t{0},
        [](std::size_t sum, const ObjectSet& set) { return sum + set.accesses().size(); });
    return accesses != 0 && accesses <= kMaxAccessesPerBlock;
}

}  // namespace

std::size_t transaction_room(std::size_t room) noexcept {
    const std::size_t preamble =
        std::max(item_bytes(kBarePreambleBytes), std::min(room / kSetsShare, kMaxPreambleBytes));
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

    preamble.object_sets = std::move(proposal.object_sets);
    items[0] = encode_preamble(preamble);
    const std::size_t with_sets =
        used - item_bytes(kBarePreambleBytes) + item_bytes(items[0].size());
    if (with_sets > room || items[0].size() > kMaxPreambleBytes) {
        preamble.object_sets.clear();
        items[0] = encode_preamble(preamble);
        HEDDLE_ASSERT(items[0].size() == kBarePreambleBytes);
    }
    proposal.object_sets = std::move(preamble.object_sets);
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
