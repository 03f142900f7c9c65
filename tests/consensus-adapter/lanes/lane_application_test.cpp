// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <consensus_adapter/lanes/lane_application.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <consensus_adapter/lanes/lane_feed.hpp>

#include "../scratch_file.hpp"
#include "entry_maker.hpp"

namespace heddle::consensus_adapter::lanes {
namespace {

using consensus_adapter::test::ScratchFile;
using test::account_of;
using test::encode;
using test::kTestChain;
using test::make_entry;
using test::secret_of;
using test::signed_with;
using test::transfer_objects;
using test::unsigned_transfer;

class LaneApplicationTest : public testing::Test {
protected:
    static constexpr std::uint8_t kLanes = 3;

    /// The lane at which an account is at home.
    [[nodiscard]] LaneNumber lane_of(const Address& address) const {
        return directory_.home_of({address, {}}).lane;
    }
    /// A lane's application, of its own log. @param lane  Lane 0 leads.
    [[nodiscard]] LaneApplication& start(LaneNumber lane, LaneRules rules = {},
                                         PayerCheck payers = {}) {
        rules.head = {lane, kLanes, 0};
        rules.comet_chain_id = "test";
        rules.chain_id = kTestChain;
        rules.cut_patience = std::chrono::milliseconds{1};
        application_.reset();
        store_.reset();
        store_ = LaneStore::open(file_.path(), rules.head).value();
        application_ = std::make_unique<LaneApplication>(
            *store_, rules,
            LaneClocks{[this] { return now_us_ + set_us_; }, [this] { return now_us_; }},
            std::move(payers));
        return *application_;
    }
    [[nodiscard]] Entry transfer(std::uint8_t from, std::uint64_t nonce = 0) const {
        const Transaction tx =
            signed_with(unsigned_transfer(nonce, account_of(from)), secret_of(from));
        return make_entry(place(directory_, transfer_objects(tx)), tx, 1 + nonce);
    }
    [[nodiscard]] static std::uint32_t code_of(LaneApplication& lane, const Bytes& item) {
        const auto checked = lane.check(item);
        return checked.has_value() ? 0 : checked.error().code;
    }
    static constexpr std::uint32_t code_of(LaneRefusal refusal) {
        return static_cast<std::uint32_t>(refusal);
    }
    /// Decides the next height of these items and keeps it.
    static cometbft::OrderedItems order(LaneApplication& lane, const std::vector<Bytes>& items) {
        const std::vector<BytesView> views(items.begin(), items.end());
        auto ordered = lane.finalize({lane.committed().height + 1, 5'000}, views);
        EXPECT_TRUE(ordered.has_value());
        EXPECT_TRUE(lane.commit().has_value());
        return *std::move(ordered);
    }
    [[nodiscard]] static std::vector<Bytes> propose(LaneApplication& lane,
                                                    const std::vector<Bytes>& pending,
                                                    std::size_t room = 1 << 20) {
        const std::vector<BytesView> views(pending.begin(), pending.end());
        return lane.propose({lane.committed().height + 1, 0}, views, room);
    }
    [[nodiscard]] static std::string verdict(LaneApplication& lane,
                                             const std::vector<Bytes>& items) {
        const std::vector<BytesView> views(items.begin(), items.end());
        const auto judged = lane.judge({lane.committed().height + 1, 0}, views);
        return judged.has_value() ? "" : judged.error();
    }

    const ScratchFile file_{{}};
    RangeDirectory directory_{make_even_ranges(kLanes)};
    std::uint64_t now_us_ = 10'000'000;
    std::uint64_t set_us_ = 0;  // what the wall clock is ahead; it wraps
    std::unique_ptr<LaneStore> store_;
    std::unique_ptr<LaneApplication> application_;
};

TEST_F(LaneApplicationTest, takes_an_entry_whose_transaction_its_sender_has_signed) {
    const Entry entry = transfer(1);
    LaneApplication& lane = start(lane_of(account_of(1)));
    EXPECT_EQ(lane.check(encode(entry)).value(), 100'000u);
    EXPECT_EQ(lane.waiting(), 1u);
    EXPECT_EQ(lane.check(encode(entry)).value(), 100'000u) << "again is welcome";
    EXPECT_EQ(lane.waiting(), 1u);
    order(lane, {encode(entry)});
    EXPECT_EQ(lane.waiting(), 0u);
}

TEST_F(LaneApplicationTest, refuses_what_nobody_has_signed_for) {
    LaneRules rules;
    rules.min_fee_per_gas = 1'000;
    const LaneNumber home = lane_of(account_of(1));
    LaneApplication& lane = start(home, rules);
    const Transaction good = signed_with(unsigned_transfer(0, account_of(1)), secret_of(1));
    const Placement placement = place(directory_, transfer_objects(good));

    EXPECT_EQ(code_of(lane, Bytes(50, 7)), code_of(LaneRefusal::no_entry));
    Entry bare = make_entry(placement, good, 1);
    bare.payload.clear();
    EXPECT_EQ(code_of(lane, encode(bare)), code_of(LaneRefusal::no_transaction));
    Transaction other_chain = unsigned_transfer(0, account_of(1));
    other_chain.chain_id = kTestChain + 1;
    EXPECT_EQ(
        code_of(lane, encode(make_entry(placement, signed_with(other_chain, secret_of(1)), 1))),
        code_of(LaneRefusal::no_transaction));
    Transaction unsigned_one = good;
    unsigned_one.s = Uint256{};
    EXPECT_EQ(code_of(lane, encode(make_entry(placement, unsigned_one, 1))),
              code_of(LaneRefusal::no_transaction));
    EXPECT_EQ(
        code_of(lane,
                encode(make_entry(
                    placement, signed_with(unsigned_transfer(0, account_of(1)), secret_of(2)), 1))),
        code_of(LaneRefusal::not_its_sender));
    Transaction cheap = unsigned_transfer(0, account_of(1));
    cheap.max_fee_per_gas = cheap.max_priority_fee_per_gas = Uint256{std::uint64_t{999}};
    EXPECT_EQ(code_of(lane, encode(make_entry(placement, signed_with(cheap, secret_of(1)), 1))),
              code_of(LaneRefusal::low_fee));
    EXPECT_EQ(code_of(lane, encode(make_entry(placement, good, 1))), 0u);
}

/// Asked once about all that came together, and only about what is good in itself and new.
TEST_F(LaneApplicationTest, takes_only_what_its_sender_can_pay_for_where_somebody_says) {
    std::vector<std::vector<std::uint64_t>> asked;
    const auto payers = [&](std::span<const Transaction> transactions) {
        std::vector<std::optional<std::string>> reasons;
        asked.emplace_back();
        for (const Transaction& tx : transactions) {
            EXPECT_EQ(tx.sender, account_of(1));
            asked.back().push_back(tx.nonce);
            reasons.emplace_back(tx.nonce == 1 ? std::optional{"it cannot"} : std::nullopt);
        }
        return reasons;
    };
    LaneApplication& lane = start(lane_of(account_of(1)), {}, payers);
    const std::vector<Bytes> items{encode(transfer(1, 0)), Bytes(50, 7), encode(transfer(1, 1)),
                                   encode(transfer(1, 2))};
    const std::vector<BytesView> views(items.begin(), items.end());
    std::vector<std::uint32_t> codes;
    for (const auto& checked : lane.check_all(views))
        codes.push_back(checked.has_value() ? 0 : checked.error().code);
    EXPECT_EQ(codes, (std::vector<std::uint32_t>{0, code_of(LaneRefusal::no_entry),
                                                 code_of(LaneRefusal::cannot_pay), 0}));
    EXPECT_EQ(lane.waiting(), 2u);
    EXPECT_EQ(code_of(lane, items[0]), 0u) << "it waits";
    EXPECT_EQ(asked, (std::vector<std::vector<std::uint64_t>>{{0, 1, 2}}));
}

/// What does not pay costs no signature once there is no room.
TEST_F(LaneApplicationTest, looks_at_nothing_that_has_no_room) {
    LaneRules rules;
    rules.max_waiting = 2;
    std::size_t asked = 0;
    const auto payers = [&](std::span<const Transaction> transactions) {
        asked += transactions.size();
        return std::vector<std::optional<std::string>>(transactions.size());
    };
    LaneApplication& lane = start(lane_of(account_of(1)), rules, payers);
    for (std::uint64_t nonce = 0; nonce < 10; ++nonce)
        EXPECT_EQ(code_of(lane, encode(transfer(1, nonce))),
                  nonce < 2 ? 0u : code_of(LaneRefusal::too_many));
    EXPECT_EQ(asked, 2u);
}

/// Validators of one lane may ask for different fees.
TEST_F(LaneApplicationTest, accepts_proposals_with_what_others_have_taken_for_less) {
    LaneRules rules;
    rules.min_fee_per_gas = 1'000;
    const LaneNumber home = lane_of(account_of(1));
    LaneApplication& lane = start(home, rules);
    Transaction cheap = unsigned_transfer(0, account_of(1));
    cheap.max_fee_per_gas = cheap.max_priority_fee_per_gas = Uint256{std::uint64_t{999}};
    const Transaction tx = signed_with(cheap, secret_of(1));
    std::vector<Bytes> items;
    if (home == 0) items.push_back(encode_cut({{0, 0, 0}, {}}));
    items.push_back(encode(make_entry(place(directory_, transfer_objects(tx)), tx, 1)));
    EXPECT_EQ(verdict(lane, items), "");
}

TEST_F(LaneApplicationTest, takes_a_move_that_the_owner_or_the_mover_has_signed) {
    const Address owner = account_of(1);
    const LaneNumber home = lane_of(owner);
    const auto to = static_cast<LaneNumber>((home + 1) % kLanes);
    LaneRules rules;
    rules.mover = account_of(2);
    LaneApplication& lane = start(home, rules);
    const Placement placement = place_move(directory_, {owner, {}}, to);
    const auto move_by = [&](std::uint8_t signer, std::uint64_t moves) {
        Transaction tx = unsigned_transfer(0, homes_address());
        tx.data = encode_move({{owner, {}}, to, moves});
        return encode(make_entry(placement, signed_with(tx, secret_of(signer)), 1));
    };
    EXPECT_EQ(code_of(lane, move_by(1, 0)), 0u);
    EXPECT_EQ(code_of(lane, move_by(2, 0)), 0u);
    EXPECT_EQ(code_of(lane, move_by(3, 0)), code_of(LaneRefusal::no_move));
    EXPECT_EQ(code_of(lane, move_by(1, 1)), code_of(LaneRefusal::no_move)) << "of another time";
}

// An entry that is in the log is ignored where lanes are merged: it took room in blocks, and nobody
// paid for it.
TEST_F(LaneApplicationTest, takes_nothing_that_is_in_its_log) {
    LaneRules rules;
    rules.remembered_entries = 3;
    const LaneNumber home = lane_of(account_of(1));
    LaneApplication* lane = &start(home, rules);
    std::vector<Bytes> entries;
    for (std::uint64_t nonce = 0; nonce < 5; ++nonce)
        entries.push_back(encode(transfer(1, nonce)));
    order(*lane, {entries[0], entries[1]});
    order(*lane, {entries[2], entries[3]});
    const auto expect_remembered = [&] {
        EXPECT_EQ(code_of(*lane, entries[0]), 0u) << "long ago";
        for (std::size_t i = 1; i < 4; ++i)
            EXPECT_EQ(code_of(*lane, entries[i]), code_of(LaneRefusal::there_already)) << i;
        EXPECT_EQ(code_of(*lane, entries[4]), 0u);
        EXPECT_EQ(lane->waiting(), 2u);
        EXPECT_EQ(verdict(*lane, {entries[3]}), "") << "each validator remembers what it has";
    };
    expect_remembered();
    lane = &start(home, rules);
    expect_remembered();
}

TEST_F(LaneApplicationTest, bounds_what_waits_of_one_sender_and_of_all) {
    LaneRules rules;
    rules.max_waiting_of_sender = 3;
    LaneApplication& lane = start(lane_of(account_of(1)), rules);
    for (std::uint64_t nonce = 0; nonce < 3; ++nonce)
        EXPECT_EQ(code_of(lane, encode(transfer(1, nonce))), 0u);
    EXPECT_EQ(code_of(lane, encode(transfer(1, 3))), code_of(LaneRefusal::too_many));
    order(lane, {encode(transfer(1, 0))});
    EXPECT_EQ(code_of(lane, encode(transfer(1, 3))), 0u);

    rules.max_waiting = 1;
    LaneApplication& small = start(lane_of(account_of(1)), rules);
    EXPECT_EQ(code_of(small, encode(transfer(1, 4))), 0u);
    EXPECT_EQ(code_of(small, encode(transfer(1, 5))), code_of(LaneRefusal::too_many));
}

TEST_F(LaneApplicationTest, forgets_what_has_waited_for_too_many_heights) {
    LaneRules rules;
    rules.max_waiting_heights = 4;
    LaneApplication& lane = start(lane_of(account_of(1)), rules);
    EXPECT_EQ(code_of(lane, encode(transfer(1))), 0u);
    for (int i = 0; i < 6; ++i)
        order(lane, {});
    EXPECT_EQ(lane.waiting(), 0u);
}

TEST_F(LaneApplicationTest, goes_on_after_a_restart_with_the_same_hash) {
    const LaneNumber home = lane_of(account_of(1));
    LaneApplication& lane = start(home);
    EXPECT_EQ(lane.committed().height, 0u);
    EXPECT_TRUE(lane.committed().app_hash.empty());
    const auto ordered = order(lane, {encode(transfer(1)), Bytes(9, 9)});
    EXPECT_EQ(ordered.is_good, (std::vector<bool>{true, false}));
    LaneApplication& again = start(home);
    EXPECT_EQ(again.committed().height, 1u);
    EXPECT_EQ(again.committed().app_hash, ordered.app_hash);
}

TEST_F(LaneApplicationTest, gives_up_what_is_older_than_it_retains_and_tells_cometbft) {
    LaneRules rules;
    rules.retain_blocks = 3;
    LaneApplication& lane = start(1, rules);
    std::uint64_t most = 0;
    for (std::uint64_t height = 1; height <= 20; ++height) {
        ASSERT_TRUE(lane.finalize({height, 5'000}, {}).has_value());
        const auto first_needed = lane.commit();
        ASSERT_TRUE(first_needed.has_value());
        const std::uint64_t given_up = lane.store().given_up();
        EXPECT_EQ(*first_needed, given_up == 0 ? 0 : given_up + 1);
        most = std::max(most, height - given_up);
        EXPECT_GE(height - given_up, std::min<std::uint64_t>(height, 3));
    }
    EXPECT_EQ(most, 6u) << "at most twice as many are there";
    EXPECT_EQ(lane.committed().height, 20u);
}

TEST_F(LaneApplicationTest, finalizes_the_same_height_twice_alike_and_keeps_it_once) {
    LaneApplication& lane = start(lane_of(account_of(1)));
    const Bytes item = encode(transfer(1));
    const std::vector<BytesView> items{item};
    const auto first = lane.finalize({1, 77}, items);
    const auto second = lane.finalize({1, 77}, items);
    EXPECT_EQ(first.value().app_hash, second.value().app_hash);
    ASSERT_TRUE(lane.commit().has_value());
    EXPECT_EQ(lane.committed().height, 1u);
    const auto block = decode_lane_block(store_->read(1).value());
    EXPECT_EQ(block->time_ms, 77u);
    EXPECT_EQ(block->items, std::vector<Bytes>{item});
}

TEST_F(LaneApplicationTest, proposes_what_is_due_in_order_and_no_more_than_fits) {
    LaneApplication& lane = start(lane_of(account_of(1)));
    Entry late = transfer(1, 0);
    late.placement.insert_at_us = now_us_ + 1'000'000;
    Entry later_than_may_be = transfer(1, 1);
    later_than_may_be.placement.insert_at_us = now_us_ + 60'000'000;
    Entry first = transfer(1, 2);
    first.placement.insert_at_us = now_us_ - 20;
    Entry second = transfer(1, 3);
    second.placement.insert_at_us = now_us_ - 10;
    const std::vector<Bytes> pending{encode(late), encode(second), encode(first),
                                     encode(later_than_may_be), Bytes(5, 5)};
    if (lane.rules().head.lane != 0) {
        EXPECT_EQ(propose(lane, pending), (std::vector<Bytes>{pending[3], pending[2], pending[1]}));
        EXPECT_EQ(propose(lane, pending, pending[3].size() + 8).size(), 1u);
        EXPECT_TRUE(propose(lane, pending, 3).empty());
    }
    now_us_ += 2'000'000;
    EXPECT_EQ(propose(lane, {pending[0]}).back(), pending[0]);
}

TEST_F(LaneApplicationTest, of_the_leading_lane_names_what_it_has_seen_and_who_is_silent) {
    LaneApplication& lane = start(0);
    lane.saw(1, 7);
    now_us_ += 6'000'000;
    lane.saw(2, 9);
    const auto proposal = propose(lane, {});
    ASSERT_EQ(proposal.size(), 1u);
    const auto cut = decode_cut(proposal.front(), kLanes);
    ASSERT_TRUE(cut.has_value());
    EXPECT_EQ(cut->heights, (std::vector<std::uint64_t>{0, 7, 9}));
    EXPECT_TRUE(cut->silent.has(1));
    EXPECT_FALSE(cut->silent.has(2));
    EXPECT_EQ(verdict(lane, proposal), "");

    order(lane, proposal);
    const auto block = decode_lane_block(store_->read(1).value());
    EXPECT_EQ(block->cut, cut);
    EXPECT_TRUE(block->items.empty());
}

// A machine's clock is set by hand, or by a server that it has not heard for long.
TEST_F(LaneApplicationTest, of_the_leading_lane_measures_silence_whatever_its_clock_is_set_to) {
    constexpr std::uint64_t kHourUs = 3'600'000'000;
    set_us_ = 2 * kHourUs;
    LaneApplication& lane = start(0);
    const auto is_silent = [&] {
        return decode_cut(propose(lane, {}).front(), kLanes)->silent.has(1);
    };
    LaneSet one;
    one.add(1);
    const Bytes calls_it_silent = encode_cut({{0, 0, 0}, one});
    lane.saw(1, 7);
    set_us_ = 3 * kHourUs;
    EXPECT_FALSE(is_silent()) << "nothing is an hour ago";
    EXPECT_EQ(verdict(lane, {calls_it_silent}), "its cut calls lanes silent that are not");
    set_us_ = kHourUs;
    now_us_ += 6'000'000;
    EXPECT_TRUE(is_silent()) << "nor yet to come";
    EXPECT_EQ(verdict(lane, {calls_it_silent}), "");
}

TEST_F(LaneApplicationTest, of_the_leading_lane_accepts_no_cut_that_names_what_is_not_there) {
    LaneApplication& lane = start(0);
    lane.saw(1, 7);
    EXPECT_EQ(verdict(lane, {encode_cut({{0, 8, 0}, {}})}),
              "its cut names heights of other lanes that are not known here");
    EXPECT_EQ(verdict(lane, {}), "it does not begin with a cut");
    EXPECT_EQ(verdict(lane, {Bytes(4, 4)}), "it does not begin with a cut");
    EXPECT_EQ(verdict(lane, {encode_cut({{0, 7}, {}})}), "it does not begin with a cut");
    EXPECT_EQ(verdict(lane, {encode_cut({{99, 7, 0}, {}})}), "") << "its own height counts itself";
}

TEST_F(LaneApplicationTest, of_the_leading_lane_counts_witnesses_that_lie) {
    LaneRules rules;
    rules.silence_ms = 1'000;
    rules.witnesses = {1, 4, 1};
    LaneApplication& lane = start(0, rules);
    EXPECT_TRUE(lane.saw(Witness{1, 2}, 1'000'000));
    for (std::uint64_t height = 1; height <= 3; ++height) {
        now_us_ += 500'000;
        EXPECT_TRUE(lane.saw(Witness{1, 0}, height));
        EXPECT_TRUE(lane.saw(Witness{1, 1}, height));
    }
    EXPECT_FALSE(lane.saw(Witness{1, 2}, 1'000'001));
    EXPECT_EQ(lane.doubted(), 1u);
    EXPECT_EQ(verdict(lane, {encode_cut({{0, 3, 0}, {}})}), "");
    EXPECT_EQ(verdict(lane, {encode_cut({{0, 4, 0}, {}})}),
              "its cut names heights of other lanes that are not known here");
}

TEST_F(LaneApplicationTest, of_the_leading_lane_accepts_no_cut_that_calls_silent_who_is_not) {
    LaneRules rules;
    rules.silence_ms = 1'000;
    LaneApplication& lane = start(0, rules);
    const auto verdict_on = [&](LaneNumber silent) {
        LaneSet lanes;
        lanes.add(silent);
        return verdict(lane, {encode_cut({{0, 0, 0}, lanes})});
    };
    EXPECT_EQ(verdict_on(1), "") << "nothing has ever come of it";
    lane.saw(1, 7);
    EXPECT_EQ(verdict_on(1), "its cut calls lanes silent that are not");
    EXPECT_EQ(verdict_on(2), "");
    now_us_ += 499'000;
    EXPECT_EQ(verdict_on(1), "its cut calls lanes silent that are not");
    now_us_ += 1'000;
    EXPECT_EQ(verdict_on(1), "") << "its proposer may have seen the last one earlier";
}

TEST_F(LaneApplicationTest, accepts_no_proposal_with_what_could_not_wait) {
    const LaneNumber home = lane_of(account_of(1));
    LaneApplication& lane = start(home);
    std::vector<Bytes> items;
    if (home == 0) items.push_back(encode_cut({{0, 0, 0}, {}}));
    items.push_back(encode(transfer(1)));
    EXPECT_EQ(verdict(lane, items), "");
    items.push_back(items.back());
    EXPECT_NE(verdict(lane, items).find("is there twice"), std::string::npos);
    items.back() = Bytes(30, 1);
    EXPECT_NE(verdict(lane, items), "");
}

// Decided it would end the lane: no node could read the block.
TEST_F(LaneApplicationTest, accepts_no_proposal_that_could_not_be_a_block) {
    LaneApplication& lane = start(lane_of(account_of(1)));
    std::vector<Bytes> items;
    for (std::uint64_t nonce = 0; nonce < 17; ++nonce) {
        Transaction tx = unsigned_transfer(nonce, account_of(1));
        tx.data.resize((1 << 20) - 1'000);
        tx = signed_with(tx, secret_of(1));
        items.push_back(encode(make_entry(place(directory_, transfer_objects(tx)), tx, nonce + 1)));
    }

    EXPECT_NE(verdict(lane, items).find("its items are more than"), std::string::npos);
    const std::vector<Bytes> proposed = propose(lane, items, std::size_t{64} << 20);
    EXPECT_EQ(proposed.size(), 16u);
    const std::vector<BytesView> views(proposed.begin(), proposed.end());
    EXPECT_TRUE(lane.finalize({1, 5'000}, views).has_value());
}

TEST_F(LaneApplicationTest, belongs_to_one_network) {
    LaneApplication& lane = start(1);
    cometbft::ChainStart start;
    start.chain_id = "test";
    EXPECT_TRUE(lane.begin(start).has_value());
    start.chain_id = "another";
    EXPECT_FALSE(lane.begin(start).has_value());
}

TEST(LaneCut, is_read_as_it_was_written_and_only_so) {
    Cut cut{{1, 2, ~std::uint64_t{0}}, LaneSet{5}};
    const Bytes bytes = encode_cut(cut);
    EXPECT_EQ(decode_cut(bytes, 3), cut);
    EXPECT_FALSE(decode_cut(bytes, 2).has_value());
    for (std::size_t size = 0; size < bytes.size(); ++size)
        EXPECT_FALSE(decode_cut(BytesView{bytes}.first(size), 3).has_value());
    Bytes longer = bytes;
    longer.push_back(0);
    EXPECT_FALSE(decode_cut(longer, 3).has_value());
}

TEST(Move, is_read_as_it_was_written_and_only_so) {
    const Move move{{account_of(3), Uint256{std::uint64_t{9}}}, 5, 11};
    Transaction tx = unsigned_transfer(0, homes_address());
    tx.data = encode_move(move);
    EXPECT_EQ(move_of(tx), move);
    for (std::size_t i = 0; i < 12; ++i) {
        Transaction changed = tx;
        changed.data[i] = 1;  // not a part of an address
        EXPECT_FALSE(move_of(changed).has_value());
    }
    Transaction shorter = tx;
    shorter.data.pop_back();
    EXPECT_FALSE(move_of(shorter).has_value());
    Transaction elsewhere = tx;
    elsewhere.to = account_of(3);
    EXPECT_FALSE(move_of(elsewhere).has_value());
    Transaction far = tx;
    far.data[64] = 1;  // lane
    EXPECT_FALSE(move_of(far).has_value());
}

}  // namespace
}  // namespace heddle::consensus_adapter::lanes
