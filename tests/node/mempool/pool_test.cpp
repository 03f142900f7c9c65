// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pool_fixture.hpp"

namespace heddle::node {
namespace {

using test::kRich;
using test::TransactionPoolTest;
using testing::ElementsAre;
using testing::IsEmpty;

TEST_F(TransactionPoolTest, the_next_nonce_is_executable_and_a_later_one_waits) {
    EXPECT_TRUE(add({.nonce = 0}));
    EXPECT_TRUE(add({.nonce = 2}));
    EXPECT_THAT(nonces(1), ElementsAre(0));
    EXPECT_THAT(nonces(1, false), ElementsAre(2));
    EXPECT_EQ(pool_->next_nonce(address_from_low64(1)), 1u);
}

TEST_F(TransactionPoolTest, filling_a_gap_makes_those_behind_it_executable) {
    EXPECT_TRUE(add({.nonce = 1}));
    EXPECT_TRUE(add({.nonce = 2}));
    EXPECT_THAT(changes_.executable, IsEmpty());
    EXPECT_TRUE(add({.nonce = 0}));
    EXPECT_EQ(changes_.executable.size(), 3u);
    EXPECT_THAT(nonces(1), ElementsAre(0, 1, 2));
}

TEST_F(TransactionPoolTest, a_past_nonce_is_refused_with_the_next_one) {
    account_.nonce = 5;
    const auto added = add({.nonce = 4});
    ASSERT_FALSE(added.has_value());
    EXPECT_EQ(added.error().code, AdmissionCode::nonce_too_low);
    EXPECT_EQ(added.error().message, "nonce too low: next nonce 5, tx nonce 4");
}

TEST_F(TransactionPoolTest, a_nonce_far_ahead_is_refused_whoever_sends_it) {
    for (const Origin origin : {Origin::local, Origin::submitted, Origin::remote}) {
        EXPECT_EQ(error_of({.nonce = 4'097, .origin = origin}), AdmissionCode::nonce_too_high);
        EXPECT_EQ(error_of({.nonce = 1'000'000, .origin = origin}), AdmissionCode::nonce_too_high);
    }
    EXPECT_TRUE(add({.nonce = 4'096}));
}

TEST_F(TransactionPoolTest, blobs_may_not_wait_for_an_earlier_nonce) {
    EXPECT_EQ(error_of({.nonce = 1, .type = TransactionType::blob}), AdmissionCode::nonce_too_high);
}

TEST_F(TransactionPoolTest, one_that_the_balance_does_not_cover_is_refused) {
    account_.balance = 9;
    const auto added = add({.cost = 10});
    ASSERT_FALSE(added.has_value());
    EXPECT_EQ(added.error().message,
              "insufficient funds for gas * price + value: balance 9, tx cost 10, overshot 1");
}

TEST_F(TransactionPoolTest, all_of_a_sender_together_must_be_covered) {
    account_.balance = 10;
    EXPECT_TRUE(add({.nonce = 0, .cost = 6}));
    const auto added = add({.nonce = 1, .cost = 5});
    ASSERT_FALSE(added.has_value());
    EXPECT_EQ(added.error().message,
              "insufficient funds for gas * price + value: balance 10, queued cost 6, tx cost 5, "
              "overshot 1");
    EXPECT_TRUE(add({.nonce = 1, .cost = 4}));
}

TEST_F(TransactionPoolTest, those_that_wait_for_an_earlier_nonce_reserve_balance_too) {
    account_.balance = 10;
    std::size_t admitted = 0;
    for (std::uint64_t nonce = 1; nonce <= 100; ++nonce)
        if (add({.nonce = nonce, .cost = 3})) ++admitted;
    EXPECT_EQ(admitted, 3u) << "what the balance pays for, not one for each nonce";

    const auto added = add({.nonce = 50, .cost = 2});
    ASSERT_FALSE(added.has_value());
    EXPECT_EQ(added.error().message,
              "insufficient funds for gas * price + value: balance 10, queued cost 9, tx cost 2, "
              "overshot 1");
    EXPECT_TRUE(add({.nonce = 2, .tip = 20, .fee_cap = 200, .cost = 4})) << "in place of its own";
    EXPECT_TRUE(pool_->remove(last_->hash, changes_));
    EXPECT_TRUE(add({.nonce = 0, .cost = 4})) << "what goes gives back what it reserved";
}

TEST_F(TransactionPoolTest, a_replacement_must_pay_a_tenth_more_in_both_prices) {
    EXPECT_TRUE(add({.tip = 10, .fee_cap = 100}));
    EXPECT_EQ(error_of({.tip = 11, .fee_cap = 109}), AdmissionCode::replacement_underpriced);
    EXPECT_EQ(error_of({.tip = 10, .fee_cap = 110}), AdmissionCode::replacement_underpriced);
    EXPECT_TRUE(add({.tip = 11, .fee_cap = 110}));
    EXPECT_EQ(pool_->status().pending, 1u);
    EXPECT_EQ(pool_->find(address_from_low64(1), 0), last_);
    EXPECT_EQ(changes_.replaced, 1u);
}

TEST_F(TransactionPoolTest, prices_so_small_that_a_tenth_is_nothing_must_still_rise) {
    EXPECT_TRUE(add({.tip = 1, .fee_cap = 1}));
    EXPECT_EQ(error_of({.tip = 1, .fee_cap = 1}), AdmissionCode::replacement_underpriced);
    EXPECT_TRUE(add({.tip = 2, .fee_cap = 2}));
}

TEST_F(TransactionPoolTest, one_with_blobs_is_replaced_for_twice_its_prices) {
    const Plan old_one{.tip = 10, .fee_cap = 100, .type = TransactionType::blob, .blob_fee_cap = 7};
    EXPECT_TRUE(add(old_one));
    Plan new_one = old_one;
    new_one.tip = 20;
    new_one.fee_cap = 200;
    new_one.blob_fee_cap = 13;
    EXPECT_EQ(error_of(new_one), AdmissionCode::replacement_underpriced);
    new_one.blob_fee_cap = 14;
    EXPECT_TRUE(add(new_one));
}

TEST_F(TransactionPoolTest, a_replacement_is_charged_only_the_difference) {
    account_.balance = 10;
    EXPECT_TRUE(add({.nonce = 0, .cost = 4}));
    EXPECT_TRUE(add({.nonce = 1, .cost = 4}));
    EXPECT_EQ(error_of({.nonce = 0, .tip = 20, .fee_cap = 200, .cost = 7}),
              AdmissionCode::insufficient_funds);
    EXPECT_TRUE(add({.nonce = 0, .tip = 20, .fee_cap = 200, .cost = 6}));
    EXPECT_THAT(nonces(1), ElementsAre(0, 1));
}

TEST_F(TransactionPoolTest, a_sender_is_bounded) {
    MempoolOptions options;
    options.max_per_sender = 2;
    use(options);
    EXPECT_TRUE(add({.nonce = 0}));
    EXPECT_TRUE(add({.nonce = 1}));
    EXPECT_EQ(error_of({.nonce = 2}), AdmissionCode::account_limit);
    EXPECT_TRUE(add({.nonce = 1, .tip = 20, .fee_cap = 200})) << "a replacement";
}

TEST_F(TransactionPoolTest, a_full_pool_gives_up_the_worst_paying_one) {
    MempoolOptions options;
    options.max_transactions = 3;
    use(options);
    EXPECT_TRUE(add({.from = 1, .tip = 5}));
    const SharedTransaction worst = last_;
    EXPECT_TRUE(add({.from = 2, .tip = 6}));
    EXPECT_TRUE(add({.from = 3, .tip = 7}));
    EXPECT_EQ(error_of({.from = 4, .tip = 5}), AdmissionCode::underpriced);
    EXPECT_TRUE(add({.from = 4, .tip = 6, .fee_cap = 101}));
    EXPECT_EQ(pool_->find(worst->hash), nullptr);
    EXPECT_EQ(changes_.evicted, 1u);
    EXPECT_EQ(pool_->status().pending, 3u);
}

TEST_F(TransactionPoolTest, waiting_ones_go_before_executable_ones_and_remote_before_local_ones) {
    MempoolOptions options;
    options.max_transactions = 3;
    use(options);
    EXPECT_TRUE(add({.from = 1, .tip = 1, .origin = Origin::local}));
    EXPECT_TRUE(add({.from = 2, .tip = 2}));
    EXPECT_TRUE(add({.from = 3, .nonce = 1, .tip = 90}));
    EXPECT_TRUE(add({.from = 4, .tip = 10}));
    EXPECT_THAT(nonces(3, false), IsEmpty());
    EXPECT_TRUE(add({.from = 5, .tip = 10, .fee_cap = 101}));
    EXPECT_THAT(nonces(2), IsEmpty());
    EXPECT_THAT(nonces(1), ElementsAre(0)) << "local";
}

TEST_F(TransactionPoolTest, one_below_the_base_fee_goes_first_whatever_it_promises) {
    MempoolOptions options;
    options.max_transactions = 2;
    use(options);
    base_fee_ = 50;
    EXPECT_TRUE(add({.from = 1, .tip = 49, .fee_cap = 49}));
    EXPECT_TRUE(add({.from = 2, .tip = 1, .fee_cap = 60}));
    EXPECT_TRUE(add({.from = 3, .tip = 1, .fee_cap = 60}));
    EXPECT_THAT(nonces(1), IsEmpty());
    EXPECT_THAT(nonces(2), ElementsAre(0));
}

TEST_F(TransactionPoolTest, what_the_base_fee_leaves_no_room_for_counts_for_nothing) {
    MempoolOptions options;
    options.max_transactions = 2;
    use(options);
    base_fee_ = 50;
    EXPECT_TRUE(add({.from = 1, .tip = 60, .fee_cap = 60})) << "pays 10, as one with a gas price";
    EXPECT_TRUE(add({.from = 2, .tip = 20, .fee_cap = 100}));
    EXPECT_EQ(error_of({.from = 3, .tip = 59, .fee_cap = 59}), AdmissionCode::underpriced);
    EXPECT_TRUE(add({.from = 4, .tip = 11, .fee_cap = 61}));
    EXPECT_THAT(nonces(1), IsEmpty());
    EXPECT_THAT(nonces(2), ElementsAre(0));
    EXPECT_TRUE(add({.from = 5, .tip = 61, .fee_cap = 62})) << "pays 12";
    EXPECT_THAT(nonces(4), IsEmpty());
    EXPECT_EQ(error_of({.from = 6, .tip = 12, .fee_cap = 62}), AdmissionCode::underpriced)
        << "the newer of equals";
}

TEST_F(TransactionPoolTest, blobs_below_the_blob_fee_go_first_whatever_they_pay_for_gas) {
    MempoolOptions options;
    options.max_transactions = 3;
    use(options);
    blob_base_fee_ = 5;
    const auto with_blobs = [](std::uint64_t from, std::uint64_t blob_fee_cap) {
        return Plan{
            .from = from, .tip = 90, .type = TransactionType::blob, .blob_fee_cap = blob_fee_cap};
    };
    EXPECT_TRUE(add(with_blobs(1, 3)));
    EXPECT_TRUE(add(with_blobs(2, 4)));
    EXPECT_TRUE(add(with_blobs(3, 5)));
    EXPECT_EQ(error_of(with_blobs(4, 3)), AdmissionCode::underpriced);
    EXPECT_TRUE(add({.from = 5, .tip = 1}));
    EXPECT_TRUE(add({.from = 6, .tip = 2}));
    EXPECT_THAT(nonces(1), IsEmpty());
    EXPECT_THAT(nonces(2), IsEmpty());
    EXPECT_THAT(nonces(3), ElementsAre(0));
    EXPECT_THAT(nonces(5), ElementsAre(0));
}

TEST_F(TransactionPoolTest, eviction_takes_a_senders_last_one_and_leaves_no_gap) {
    MempoolOptions options;
    options.max_transactions = 3;
    use(options);
    EXPECT_TRUE(add({.from = 1, .nonce = 0, .tip = 1}));
    EXPECT_TRUE(add({.from = 1, .nonce = 1, .tip = 50}));
    EXPECT_TRUE(add({.from = 1, .nonce = 2, .tip = 50}));
    EXPECT_TRUE(add({.from = 2, .tip = 2}));
    EXPECT_THAT(nonces(1), ElementsAre(0, 1));
    EXPECT_EQ(error_of({.from = 1, .nonce = 2, .tip = 60}), AdmissionCode::underpriced)
        << "its own first one is the worst";
}

TEST_F(TransactionPoolTest, bytes_are_bounded_too) {
    const std::size_t empty = memory_of(*make({.size = 0}));
    MempoolOptions options;
    options.max_bytes = 2 * empty + 250;
    use(options);
    EXPECT_TRUE(add({.from = 1, .tip = 1}));
    EXPECT_TRUE(add({.from = 2, .tip = 2}));
    EXPECT_TRUE(add({.from = 3, .tip = 3, .size = 150}));
    EXPECT_THAT(nonces(1), IsEmpty());
    EXPECT_EQ(pool_->status().memory, 2 * empty + 250);
    EXPECT_EQ(error_of({.from = 4, .tip = 99, .size = empty + 251}), AdmissionCode::underpriced);
}

/// Authorizations without a valid signature take seven times their network form.
TEST_F(TransactionPoolTest, what_is_bounded_is_memory_and_not_the_network_form) {
    constexpr std::size_t kAuthorizations = 600;
    MempoolOptions options;
    options.max_bytes = std::size_t{1} << 20;
    use(options);
    std::size_t taken = 0;
    while (add({.from = taken + 1, .authorizations = kAuthorizations}).has_value() && taken < 1'000)
        ++taken;
    EXPECT_GT(taken, 1u);
    EXPECT_LE(taken * kAuthorizations * sizeof(Authorization), options.max_bytes);
    EXPECT_LE(pool_->status().memory, options.max_bytes);
}

TEST_F(TransactionPoolTest, a_new_account_drops_what_is_past_and_promotes_the_rest) {
    EXPECT_TRUE(add({.nonce = 0}));
    EXPECT_TRUE(add({.nonce = 1}));
    EXPECT_TRUE(add({.nonce = 3}));
    pool_->set_account(address_from_low64(1), {3, kRich, false}, changes_);
    EXPECT_THAT(nonces(1), ElementsAre(3));
    EXPECT_EQ(changes_.dropped, 2u);
    pool_->set_account(address_from_low64(1), {4, kRich, false}, changes_);
    EXPECT_EQ(pool_->account(address_from_low64(1)), nullptr);
    EXPECT_EQ(pool_->status().pending + pool_->status().queued + pool_->status().memory, 0u);
}

TEST_F(TransactionPoolTest, a_poorer_sender_keeps_what_it_can_pay_and_the_rest_waits_or_goes) {
    EXPECT_TRUE(add({.nonce = 0, .cost = 5}));
    EXPECT_TRUE(add({.nonce = 1, .cost = 5}));
    EXPECT_TRUE(add({.nonce = 2, .cost = 50}));
    pool_->set_account(address_from_low64(1), {0, 8, false}, changes_);
    EXPECT_THAT(nonces(1), ElementsAre(0));
    EXPECT_THAT(nonces(1, false), ElementsAre(1)) << "it alone can be paid";
    EXPECT_THAT(pool_->watched({}, 9), ElementsAre(address_from_low64(1)));
    pool_->set_account(address_from_low64(1), {0, 10, false}, changes_);
    EXPECT_THAT(nonces(1), ElementsAre(0, 1));
    EXPECT_THAT(pool_->watched({}, 9), IsEmpty());
}

TEST_F(TransactionPoolTest, those_who_are_watched_take_turns) {
    account_.is_delegated = true;
    for (const std::uint64_t from : {5U, 2U, 4U, 3U})
        EXPECT_TRUE(add({.from = from}));
    const auto address = address_from_low64;
    EXPECT_THAT(pool_->watched(address(3), 2), ElementsAre(address(3), address(4)));
    EXPECT_THAT(pool_->watched(address(5), 3), ElementsAre(address(5), address(2), address(3)));
    EXPECT_THAT(pool_->watched(address(9), 9),
                ElementsAre(address(2), address(3), address(4), address(5)));
    EXPECT_THAT(pool_->watched(address(4), 9),
                ElementsAre(address(4), address(5), address(2), address(3)));
}

TEST_F(TransactionPoolTest, what_asks_for_more_gas_than_a_block_has_goes_and_what_is_behind_waits) {
    EXPECT_TRUE(add({.from = 1, .nonce = 0, .gas = 100}));
    EXPECT_TRUE(add({.from = 1, .nonce = 1, .gas = 101}));
    EXPECT_TRUE(add({.from = 1, .nonce = 2, .gas = 50}));
    EXPECT_TRUE(add({.from = 1, .nonce = 3, .gas = 200}));
    EXPECT_TRUE(add({.from = 2, .nonce = 0, .gas = 300}));
    EXPECT_TRUE(add({.from = 3, .nonce = 0, .gas = 100}));
    pool_->drop_above(100, changes_);
    EXPECT_EQ(changes_.dropped, 3u);
    EXPECT_THAT(nonces(1), ElementsAre(0));
    EXPECT_THAT(nonces(1, false), ElementsAre(2));
    EXPECT_EQ(pool_->account(address_from_low64(2)), nullptr);
    EXPECT_THAT(nonces(3), ElementsAre(0));
    EXPECT_EQ(pool_->status().pending, 2u);
    EXPECT_EQ(pool_->status().queued, 1u);
    pool_->drop_above(100, changes_);
    EXPECT_EQ(changes_.dropped, 3u) << "what is there asks for no more";

    EXPECT_TRUE(add({.from = 1, .nonce = 1, .gas = 100}));
    EXPECT_THAT(nonces(1), ElementsAre(0, 1, 2)) << "the place is free again";
}

TEST_F(TransactionPoolTest, removing_one_makes_those_behind_it_wait) {
    EXPECT_TRUE(add({.nonce = 0}));
    const Hash first = last_->hash;
    EXPECT_TRUE(add({.nonce = 1}));
    EXPECT_TRUE(pool_->remove(first, changes_));
    EXPECT_FALSE(pool_->remove(first, changes_));
    EXPECT_THAT(nonces(1), IsEmpty());
    EXPECT_THAT(nonces(1, false), ElementsAre(1));
}

TEST_F(TransactionPoolTest, those_that_waited_too_long_go_unless_they_are_local) {
    EXPECT_TRUE(add({.from = 1, .nonce = 1}));
    EXPECT_TRUE(add({.from = 2, .nonce = 1, .origin = Origin::local}));
    EXPECT_TRUE(add({.from = 3, .nonce = 0}));
    EXPECT_TRUE(add({.from = 4, .nonce = 1, .origin = Origin::submitted}));
    pool_->expire(TransactionPool::Clock::now() - std::chrono::hours{1}, changes_);
    EXPECT_EQ(pool_->status().queued, 3u);
    pool_->expire(TransactionPool::Clock::now(), changes_);
    EXPECT_THAT(nonces(1, false), IsEmpty());
    EXPECT_THAT(nonces(4, false), IsEmpty());
    EXPECT_THAT(nonces(2, false), ElementsAre(1));
    EXPECT_THAT(nonces(3), ElementsAre(0));
}

TEST_F(TransactionPoolTest, a_delegated_account_has_one_in_flight) {
    account_.is_delegated = true;
    EXPECT_EQ(error_of({.nonce = 1}), AdmissionCode::account_limit);
    EXPECT_TRUE(add({.nonce = 0}));
    EXPECT_EQ(error_of({.nonce = 1}), AdmissionCode::account_limit);
    EXPECT_TRUE(add({.nonce = 0, .tip = 20, .fee_cap = 200})) << "a replacement";
}

TEST_F(TransactionPoolTest, an_account_about_to_be_delegated_has_one_in_flight) {
    EXPECT_TRUE(add(
        {.from = 1, .type = TransactionType::set_code, .authorities = {address_from_low64(2)}}));
    const Hash delegation = last_->hash;
    EXPECT_TRUE(add({.from = 2, .nonce = 0}));
    EXPECT_EQ(error_of({.from = 2, .nonce = 1}), AdmissionCode::account_limit);
    EXPECT_TRUE(pool_->remove(delegation, changes_));
    EXPECT_TRUE(add({.from = 2, .nonce = 1}));
    EXPECT_EQ(
        error_of(
            {.from = 3, .type = TransactionType::set_code, .authorities = {address_from_low64(2)}}),
        AdmissionCode::account_limit)
        << "it has two in flight already";
}

TEST_F(TransactionPoolTest, the_best_come_by_tip_then_arrival_and_in_nonce_order) {
    EXPECT_TRUE(add({.from = 1, .nonce = 0, .tip = 5}));
    EXPECT_TRUE(add({.from = 1, .nonce = 1, .tip = 50}));
    EXPECT_TRUE(add({.from = 2, .nonce = 0, .tip = 20}));
    EXPECT_TRUE(add({.from = 3, .nonce = 0, .tip = 20}));
    EXPECT_TRUE(add({.from = 4, .nonce = 1, .tip = 99}));
    const auto best = pool_->best(0, 0);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> order;
    while (const SharedTransaction next = best->next())
        order.emplace_back(to_word(*next->tx.sender).low64(), next->tx.nonce);
    EXPECT_THAT(order,
                ElementsAre(std::pair{2, 0}, std::pair{3, 0}, std::pair{1, 0}, std::pair{1, 1}));
    EXPECT_EQ(best->next(), nullptr);
}

TEST_F(TransactionPoolTest, what_the_base_fee_leaves_of_the_fee_cap_is_the_tip) {
    EXPECT_TRUE(add({.from = 1, .tip = 90, .fee_cap = 100}));
    EXPECT_TRUE(add({.from = 2, .tip = 11, .fee_cap = 200}));
    EXPECT_TRUE(add({.from = 3, .tip = 5, .fee_cap = 89}));
    const auto best = pool_->best(90, 0);
    EXPECT_EQ(best->next()->tx.sender, address_from_low64(2));
    EXPECT_EQ(best->next()->tx.sender, address_from_low64(1));
    EXPECT_EQ(best->next(), nullptr) << "the third offers less than the base fee";
}

TEST_F(TransactionPoolTest, blobs_that_offer_too_little_are_left_out_with_those_behind_them) {
    EXPECT_TRUE(add({.nonce = 0, .type = TransactionType::blob, .blob_fee_cap = 5}));
    EXPECT_TRUE(add({.nonce = 1}));
    EXPECT_EQ(pool_->best(0, 6)->next(), nullptr);
    EXPECT_NE(pool_->best(0, 5)->next(), nullptr);
}

TEST_F(TransactionPoolTest, skipping_leaves_out_the_rest_of_the_sender) {
    EXPECT_TRUE(add({.from = 1, .nonce = 0, .tip = 20}));
    EXPECT_TRUE(add({.from = 1, .nonce = 1, .tip = 20}));
    EXPECT_TRUE(add({.from = 2, .nonce = 0, .tip = 10}));
    const auto best = pool_->best(0, 0);
    EXPECT_EQ(best->next()->tx.sender, address_from_low64(1));
    best->skip_sender();
    EXPECT_EQ(best->next()->tx.sender, address_from_low64(2));
    EXPECT_EQ(best->next(), nullptr);
}

}  // namespace
}  // namespace heddle::node
