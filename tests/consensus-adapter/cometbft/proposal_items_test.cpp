// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "cometbft/proposal_items.hpp"

#include <gtest/gtest.h>

#include <types/object_codec.hpp>

#include "fake_chain.hpp"

namespace heddle::consensus_adapter::cometbft {
namespace {

constexpr std::uint64_t kGasLimit = 30'000'000;

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

/// What their transactions access is known from themselves, and a list would be as long as all of
/// them.
TEST(ProposalItems, large_blocks_of_plain_transfers_go_without_help) {
    const auto has_help = [](std::size_t count, std::size_t calls, bool has_list) {
        Proposal proposal;
        for (std::size_t i = 0; i < count; ++i) {
            proposal.transactions.push_back(make_transaction(i, Bytes(i < calls ? 4 : 0)));
            proposal.object_sets.push_back(make_set(i, 2));
        }
        if (has_list) proposal.access_list = make_list(count);
        const std::vector<Bytes> items = pack({.gas_limit = kGasLimit}, proposal, SIZE_MAX);
        EXPECT_EQ(items.size(), 1 + count);
        const bool has = items[0].size() > kBarePreambleBytes;
        EXPECT_EQ(proposal.access_list.empty(), !has || !has_list);
        EXPECT_EQ(proposal.object_sets.empty(), !has || has_list);
        return has;
    };
    for (const bool has_list : {true, false}) {
        EXPECT_TRUE(has_help(255, 0, has_list)) << "it costs little";
        EXPECT_FALSE(has_help(256, 0, has_list));
        EXPECT_FALSE(has_help(256, 31, has_list));
        EXPECT_TRUE(has_help(256, 32, has_list));
        EXPECT_TRUE(has_help(256, 256, has_list));
    }
}

TEST(ProposalItems, large_blocks_of_creations_go_with_help) {
    Proposal proposal;
    for (std::size_t i = 0; i < 256; ++i) {
        proposal.transactions.push_back(make_transaction(i));
        proposal.transactions.back().to.reset();
        proposal.object_sets.push_back(make_set(i, 2));
    }
    EXPECT_GT(pack({}, proposal, SIZE_MAX)[0].size(), kBarePreambleBytes);
}

TEST(ProposalItems, more_accesses_than_can_be_encoded_are_left_out) {
    constexpr std::size_t kAccesses = 1'024;
    Proposal proposal;
    proposal.transactions.assign(kMaxAccessesPerBlock / kAccesses + 1,
                                 make_transaction(0, Bytes(1)));
    proposal.object_sets.assign(proposal.transactions.size(), make_set(1, kAccesses));
    EXPECT_EQ(pack({}, proposal, SIZE_MAX)[0].size(), kBarePreambleBytes);
}

TEST(ProposalItems, an_access_list_goes_before_object_sets) {
    Proposal proposal = make_proposal(12, 4);
    proposal.access_list = make_list(12);
    const std::vector<Bytes> items = pack({.gas_limit = kGasLimit}, proposal, SIZE_MAX);

    const auto decoded = decode_preamble(items[0]);
    ASSERT_TRUE(decoded.has_value());
    EXPECT_EQ(decoded->preamble.access_list, make_list(12));
    EXPECT_EQ(proposal.access_list, make_list(12));
    EXPECT_TRUE(proposal.object_sets.empty());
}

TEST(ProposalItems, an_access_list_without_room_makes_way_for_object_sets) {
    Proposal with_list = make_proposal(12, 1);
    with_list.access_list = make_list(12);
    Proposal with_sets = make_proposal(12, 1);
    const std::size_t wanted = plain_size(pack({.gas_limit = kGasLimit}, with_list, SIZE_MAX));
    const std::size_t least = plain_size(pack({.gas_limit = kGasLimit}, with_sets, SIZE_MAX));
    ASSERT_LT(least, wanted);
    for (std::size_t room = 0; room <= wanted; ++room) {
        Proposal proposal = make_proposal(12, 1);
        proposal.access_list = make_list(12);
        const std::vector<Bytes> items = pack({.gas_limit = kGasLimit}, proposal, room);
        ASSERT_LE(plain_size(items), room);
        EXPECT_EQ(!proposal.access_list.empty(), room == wanted) << room;
        if (room >= least) EXPECT_EQ(proposal.object_sets.empty(), room == wanted) << room;
    }
}

TEST(ProposalItems, an_access_list_that_helps_nobody_is_left_out) {
    const auto list_in = [](std::size_t transactions, const Bytes& list, std::uint64_t gas_limit,
                            std::size_t room = SIZE_MAX) {
        Proposal proposal = make_proposal(transactions, 0);
        proposal.access_list = list;
        (void)pack({.gas_limit = gas_limit}, proposal, room);
        return proposal.access_list;
    };
    EXPECT_EQ(list_in(4, make_list(4), kGasLimit), make_list(4));
    EXPECT_EQ(list_in(3, make_list(3), kGasLimit), Bytes{}) << "runs in order anyway";
    EXPECT_EQ(list_in(4, make_list(4), 7'999), Bytes{}) << "more items than gas can pay for";
    EXPECT_EQ(list_in(4, make_list(6), kGasLimit), Bytes{}) << "of another block";
    EXPECT_EQ(list_in(4, Bytes{0xc1}, kGasLimit), Bytes{}) << "no list";
    // Where the last transaction is cut off, the list is that of another block.
    Proposal whole = make_proposal(12, 0);
    const std::size_t full = plain_size(pack({.gas_limit = kGasLimit}, whole, SIZE_MAX));
    EXPECT_EQ(list_in(12, make_list(4), kGasLimit, full - 1), Bytes{});
}

TEST(ProposalItems, own_items_are_what_reading_them_gives) {
    for (const auto& [set_size, list] :
         std::vector<std::pair<std::size_t, Bytes>>{{0, {}}, {3, {}}, {3, make_list(70)}}) {
        Proposal proposal = make_proposal(70, set_size);
        proposal.access_list = list;
        const std::vector<Bytes> items = pack(
            {.beneficiary = address_from_low64(3), .gas_limit = kGasLimit}, proposal, SIZE_MAX);
        const std::vector<BytesView> views{items.begin(), items.end()};
        const BlockContents own = contents_of_own(items, std::move(proposal));
        const BlockContents read = read_contents(views, true);
        EXPECT_EQ(own.item_count, read.item_count);
        EXPECT_EQ(own.preamble, read.preamble);
        EXPECT_EQ(own.items, read.items);
        EXPECT_EQ(without_senders(own.proposal.transactions), read.proposal.transactions);
        EXPECT_EQ(own.proposal.object_sets, read.proposal.object_sets);
        EXPECT_EQ(own.proposal.access_list, read.proposal.access_list);
        EXPECT_EQ(own.proposal.access_list, list);
    }
}

}  // namespace
}  // namespace heddle::consensus_adapter::cometbft
