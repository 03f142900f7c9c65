// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "lanes/half_placements.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <consensus_adapter/lanes/directory.hpp>

#include "../../consensus-adapter/lanes/entry_maker.hpp"

namespace heddle::node::lanes {
namespace {

namespace homes = consensus_adapter::lanes;
using homes::LaneSet;
using homes::test::account_of;
using homes::test::make_entry;
using homes::test::secret_of;
using homes::test::signed_with;
using homes::test::unsigned_transfer;
using testing::ElementsAre;
using testing::IsEmpty;

class Head final : public StateView {
public:
    std::map<Address, Account> accounts;
    [[nodiscard]] std::optional<Account> account(const Address& address) const noexcept override {
        const auto found = accounts.find(address);
        return found == accounts.end() ? std::nullopt : std::optional{found->second};
    }
    [[nodiscard]] Uint256 storage(const Address&, const Uint256&) const noexcept override {
        return {};
    }
    [[nodiscard]] bool has_storage(const Address&) const noexcept override { return false; }
    [[nodiscard]] BytesView code(const Hash&) const noexcept override { return {}; }
};

class HalfPlacementsTest : public testing::Test {
protected:
    /// Gas at its most and one wei: what a transfer of the tests costs.
    static constexpr std::uint64_t kCost = std::uint64_t{10'000'000'000} * 100'000 + 1;

    HalfPlacementsTest() { fund(1, 3, kCost * 100); }
    void fund(std::uint8_t account, std::uint64_t nonce, std::uint64_t balance) {
        Account& there = head_.accounts[account_of(account)];
        there.nonce = nonce;
        there.balance = Uint256{balance};
    }
    static homes::HalfPlaced half(std::uint8_t from, std::uint64_t nonce, std::uint64_t id) {
        const Transaction tx =
            signed_with(unsigned_transfer(nonce, account_of(2)), secret_of(from));
        const homes::RangeDirectory directory{homes::make_even_ranges(3)};
        const homes::Entry entry =
            make_entry(homes::place(directory, homes::test::transfer_objects(tx)), tx, id);
        return {entry.digest, LaneSet{2}, homes::test::encode(entry), entry.payload};
    }
    [[nodiscard]] std::vector<Hash> chosen(std::vector<homes::HalfPlaced> others) const {
        std::vector<Hash> result;
        for (const SentEntry& entry : to_complete({{}, std::move(others)}, head_))
            result.push_back(entry.digest);
        return result;
    }

    Head head_;
};

TEST_F(HalfPlacementsTest, completes_of_others_what_their_accounts_can_pay_for) {
    const auto past = half(1, 2, 1);
    const auto next = half(1, 3, 2);
    const auto later = half(1, 4, 3);
    const auto far = half(1, 3 + 16, 4);
    const auto poor = half(2, 0, 5);
    EXPECT_THAT(chosen({past, next, later, far, poor}), ElementsAre(next.digest, later.digest));
}

TEST_F(HalfPlacementsTest, completes_its_own_whatever_it_costs) {
    const auto own = half(2, 7, 1);
    const auto sent = to_complete({{own}, {}}, head_);
    ASSERT_EQ(sent.size(), 1u);
    EXPECT_EQ(sent.front().digest, own.digest);
    EXPECT_EQ(sent.front().entry, own.entry);
    EXPECT_EQ(sent.front().lanes, own.missing);
}

TEST_F(HalfPlacementsTest, a_balance_is_promised_once) {
    fund(1, 3, kCost * 2 + 1);
    const auto first = half(1, 3, 1);
    const auto second = half(1, 4, 2);
    EXPECT_THAT(chosen({first, second, half(1, 5, 3)}), ElementsAre(first.digest, second.digest));
}

/// Trigger: a client signs many transactions of one nonce, or places one under many numbers, half
/// of each. Only one of them can ever be paid for.
TEST_F(HalfPlacementsTest, a_nonce_is_completed_once) {
    std::vector<homes::HalfPlaced> halves;
    for (std::uint64_t id = 1; id <= 50; ++id)
        halves.push_back(half(1, 3, id));
    EXPECT_THAT(chosen(halves), ElementsAre(halves.front().digest));
}

TEST_F(HalfPlacementsTest, does_no_more_than_it_may_for_others) {
    CompletingBounds bounds;
    bounds.most = 2;
    bounds.most_looked_at = 4;
    std::vector<homes::HalfPlaced> halves;
    for (std::uint64_t nonce = 3; nonce < 10; ++nonce)
        halves.push_back(half(1, nonce, nonce));
    EXPECT_EQ(to_complete({{}, halves}, head_, bounds).size(), 2u);
    // Four that cannot be paid for are all that is looked at.
    std::vector<homes::HalfPlaced> poor;
    for (std::uint64_t id = 1; id <= 4; ++id)
        poor.push_back(half(2, 0, id));
    poor.push_back(half(1, 3, 9));
    EXPECT_THAT(to_complete({{}, poor}, head_, bounds), IsEmpty());
}

TEST_F(HalfPlacementsTest, are_due_at_their_ages_and_stop_when_they_are_complete) {
    homes::FeedRules rules;
    rules.merge.lane_count = 3;
    rules.cut.lane_count = 3;
    homes::LaneFeed feed{rules};
    OpenPlacements own;
    // From an account of lane 0 to one of another lane, so that lane 0 alone has an entry.
    const homes::RangeDirectory directory{homes::make_even_ranges(3)};
    std::uint8_t from = 1;
    while (directory.home_of({account_of(from), {}}).lane != 0)
        ++from;
    std::uint8_t to = 1;
    while (directory.home_of({account_of(to), {}}).lane != 1)
        ++to;
    const Transaction tx = signed_with(unsigned_transfer(0, account_of(to)), secret_of(from));
    const homes::Entry entry =
        make_entry(homes::place(directory, homes::test::transfer_objects(tx)), tx, 1);
    const Bytes encoded = homes::test::encode(entry);

    std::vector<std::uint64_t> own_ages;
    std::vector<std::uint64_t> others_ages;
    std::uint64_t height = 0;
    const auto merge = [&](std::vector<Bytes> items) {
        ++height;
        const homes::LaneBlock block{0, height, height, homes::Cut{{height, 0, 0}, {}},
                                     std::move(items)};
        ASSERT_TRUE(feed.offer(block).has_value());
        ASSERT_TRUE(feed.next().has_value());
        const auto due = half_placements_due(feed, own);
        for (const homes::HalfPlaced& half : due.own) {
            EXPECT_EQ(half.entry, encoded);
            EXPECT_EQ(half.missing, LaneSet{2});
            own_ages.push_back(height - 1);
        }
        if (!due.others.empty()) others_ages.push_back(height - 1);
    };
    merge({encoded});
    for (int i = 0; i < 20; ++i)
        merge({});
    EXPECT_THAT(own_ages, IsEmpty());
    EXPECT_THAT(others_ages, ElementsAre(8));

    height = 0;
    feed = homes::LaneFeed{rules};
    others_ages.clear();
    own.placed({keccak256(entry.payload), account_of(from), 0}, {entry.digest, encoded, {}});
    merge({encoded});
    for (int i = 0; i < 20; ++i)
        merge({});
    EXPECT_THAT(own_ages, ElementsAre(4, 8, 12));
    EXPECT_THAT(others_ages, IsEmpty());
}

}  // namespace
}  // namespace heddle::node::lanes
