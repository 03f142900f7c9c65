// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "cometbft/proposal_items.hpp"

#include <gtest/gtest.h>

#include <types/object_codec.hpp>

#include "fake_chain.hpp"

namespace heddle::consensus_adapter::cometbft {
namespace {

Proposal make_proposal(std::size_t count, std::size_t set_size) {
    Proposal proposal;
    for (std::size_t i = 0; i < count; ++i) {
        proposal.transactions.push_back(make_transaction(i, Bytes(i * 7)));
        if (set_size != 0) proposal.object_sets.push_back(make_set(i, set_size));
    }
    return proposal;
}

/// As CometBFT counts (types.ComputeProtoSizeForTxs): each item as a field 1 of bytes.
std::size_t plain_size(const std::vector<Bytes>& items) {
    std::size_t total = 0;
    for (const Bytes& item : items) {
        total += 1;
        for (std::size_t length = item.size();; length >>= 7) {
            total += 1;
            if (length < 128) break;
        }
        total += item.size();
    }
    return total;
}

TEST(ProposalItems, whatever_the_room_the_items_fit_it_and_lose_no_more_than_they_must) {
    const Proposal whole = make_proposal(12, 4);
    Proposal all = whole;
    const std::size_t full = plain_size(pack({}, all, SIZE_MAX));
    const std::size_t bare_size = kBarePreambleBytes + 2;
    for (std::size_t room = 0; room <= full + 1; ++room) {
        Proposal proposal = whole;
        const std::vector<Bytes> items = pack({}, proposal, room);
        ASSERT_LE(plain_size(items), room);
        EXPECT_EQ(items.empty(), room < bare_size);
        if (items.empty()) continue;

        ASSERT_EQ(proposal.transactions.size(), items.size() - 1);
        // The next one would not have fitted.
        if (proposal.transactions.size() < whole.transactions.size()) {
            std::vector<Bytes> more = items;
            more[0].resize(kBarePreambleBytes);
            more.push_back(encoded(whole.transactions[proposal.transactions.size()]));
            EXPECT_GT(plain_size(more), room);
        }
        const auto decoded = decode_preamble(items[0]);
        ASSERT_TRUE(decoded.has_value());
        EXPECT_EQ(decoded->preamble.object_sets, proposal.object_sets);
        EXPECT_TRUE(proposal.object_sets.empty() ||
                    proposal.object_sets.size() == proposal.transactions.size());
    }
    Proposal proposal = whole;
    EXPECT_EQ(plain_size(pack({}, proposal, full)), full);
    EXPECT_EQ(proposal.object_sets, whole.object_sets);
    proposal = whole;
    (void)pack({}, proposal, full - 1);
    EXPECT_TRUE(proposal.object_sets.empty()) << "the sets are the first to go";
    EXPECT_EQ(proposal.transactions.size(), whole.transactions.size());
}

TEST(ProposalItems, room_for_transactions_leaves_some_for_the_preamble) {
    EXPECT_EQ(transaction_room(0), 0u);
    EXPECT_EQ(transaction_room(31), 0u);
    EXPECT_EQ(transaction_room(100), 100u - 32u);
    EXPECT_EQ(transaction_room(4'000), 3'000u);
    EXPECT_EQ(transaction_room(100'000'000), 100'000'000u - kMaxPreambleBytes);
}

TEST(ProposalItems, sets_that_are_not_one_for_each_transaction_are_left_out) {
    Proposal proposal = make_proposal(3, 2);
    proposal.object_sets.pop_back();
    const std::vector<Bytes> items = pack({}, proposal, SIZE_MAX);
    EXPECT_EQ(items[0].size(), kBarePreambleBytes);
    EXPECT_EQ(items.size(), 4u);
}

TEST(ProposalItems, sets_that_say_nothing_are_left_out) {
    Proposal proposal = make_proposal(3, 0);
    proposal.object_sets.resize(3);
    EXPECT_EQ(pack({}, proposal, SIZE_MAX)[0].size(), kBarePreambleBytes);
}

TEST(ProposalItems, more_accesses_than_can_be_encoded_are_left_out) {
    constexpr std::size_t kAccesses = 1'024;
    Proposal proposal;
    proposal.transactions.assign(kMaxAccessesPerBlock / kAccesses + 1, make_transaction(0));
    proposal.object_sets.assign(proposal.transactions.size(), make_set(1, kAccesses));
    EXPECT_EQ(pack({}, proposal, SIZE_MAX)[0].size(), kBarePreambleBytes);
}

TEST(ProposalItems, own_items_are_what_reading_them_gives) {
    for (const std::size_t set_size : {0u, 3u}) {
        Proposal proposal = make_proposal(70, set_size);
        const std::vector<Bytes> items =
            pack({.beneficiary = address_from_low64(3), .gas_limit = 9, .object_sets = {}},
                 proposal, SIZE_MAX);
        const std::vector<BytesView> views{items.begin(), items.end()};
        const BlockContents own = contents_of_own(items, std::move(proposal));
        const BlockContents read = read_contents(views, true);
        EXPECT_EQ(own.item_count, read.item_count);
        EXPECT_EQ(own.preamble, read.preamble);
        EXPECT_EQ(own.items, read.items);
        EXPECT_EQ(without_senders(own.proposal.transactions), read.proposal.transactions);
        EXPECT_EQ(own.proposal.object_sets, read.proposal.object_sets);
    }
}

}  // namespace
}  // namespace heddle::consensus_adapter::cometbft
