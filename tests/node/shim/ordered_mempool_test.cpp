// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the shim keeps order the mempool decides what one thread would have decided that does all
// in the order in which the shim is told of it, whatever was found out before and beside.
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mempool/mempool.hpp"
#include "shim/shim.hpp"
#include "test_chain.hpp"

namespace heddle::node {
namespace {

using heddle::test::encoded;
using heddle::test::kEther;
using heddle::test::kGwei;
using heddle::test::transfer;
using testing::ElementsAre;
using testing::HasSubstr;

/// Writes down what it is told.
class Witness final : public Shim {
public:
    [[nodiscard]] bool keeps_order() const noexcept override { return true; }
    [[nodiscard]] TimePoint now() override { return TimePoint{std::chrono::milliseconds{++time}}; }
    void before(PoolStep step) override {
        told.push_back("before " + std::string{to_string(step)});
    }
    void reached(PoolStep step, const PoolCounts& /*counts*/) override {
        told.emplace_back(to_string(step));
    }
    void admitted(const Admission& admission) override {
        told.emplace_back(admission.why == nullptr ? "taken" : admission.why->message);
        has_changed.push_back(admission.has_changed);
    }

    std::int64_t time = 0;
    std::vector<std::string> told;
    std::vector<bool> has_changed;
};

class OrderedMempoolTest : public testing::Test {
protected:
    static std::string text_of(const std::expected<Hash, AdmissionError>& verdict) {
        return verdict.has_value() ? "taken" : verdict.error().message;
    }
    static std::vector<std::string> add_all(Mempool& pool, const std::vector<Bytes>& all) {
        const std::vector<BytesView> views(all.begin(), all.end());
        std::vector<std::string> texts;
        for (const auto& verdict : pool.add_all(views, Origin::remote))
            texts.push_back(text_of(verdict));
        return texts;
    }

    /// One that shares the pool's lock with no other of its batch.
    static Bytes large(std::uint64_t from, std::uint64_t nonce = 0) {
        Transaction tx = transfer({.from = from, .nonce = nonce, .gas_limit = 1'000'000});
        tx.data.resize(70'000);
        EXPECT_TRUE(sign_transaction(tx, heddle::test::secret_of(from)));
        return encoded(tx);
    }

    test::TestChain chain_;
    Witness witness_;
};

// Others wait for few of a batch at a time, and the verdicts are those of one after the other.
TEST_F(OrderedMempoolTest, a_batch_is_admitted_in_pieces) {
    std::vector<Bytes> batch;
    for (std::uint64_t nonce = 0; nonce < 100; ++nonce)
        batch.push_back(encoded(transfer({.from = 1, .nonce = nonce})));
    batch[70] = batch[3];  // known by then; those behind it wait for it
    batch[80] = Bytes{0xc0};
    batch.push_back(large(2));
    batch.push_back(large(2, 1));
    batch.push_back(encoded(transfer({.from = 2, .nonce = 2})));
    Mempool one_by_one({}, chain_.chain());
    std::vector<std::string> wanted;
    for (const Bytes& tx : batch)
        wanted.push_back(text_of(one_by_one.add(tx, Origin::remote)));
    ASSERT_EQ(wanted[70], "already known");

    Mempool pool({}, chain_.chain(), witness_);
    std::vector<std::size_t> pieces;  // where they end
    const auto subscription = pool.arrivals().subscribe([&](const BecameExecutable&) {
        if (pieces.empty() || pieces.back() != witness_.told.size())
            pieces.push_back(witness_.told.size());
    });
    EXPECT_EQ(add_all(pool, batch), wanted);
    EXPECT_EQ(witness_.told, wanted);
    EXPECT_THAT(pieces, ElementsAre(64, 100, 101, 102, 103));
    EXPECT_EQ(pool.status().pending, one_by_one.status().pending);
    EXPECT_EQ(pool.status().queued, one_by_one.status().queued);
}

// The second one is known when the batch is looked at, and has made room for the first when it is
// its turn.
TEST_F(OrderedMempoolTest, what_was_known_is_judged_once_more_when_it_is_gone) {
    MempoolOptions options;
    options.max_transactions = 1;
    const Bytes cheap = encoded(transfer({.from = 1}));
    const Bytes better = encoded(transfer({.from = 2, .tip = 3 * kGwei}));
    Mempool one_by_one(options, chain_.chain());
    std::vector<std::string> wanted;
    for (const Bytes* const tx : {&cheap, &better, &cheap})
        wanted.push_back(text_of(one_by_one.add(*tx, Origin::remote)));
    ASSERT_THAT(wanted[2], HasSubstr("the pool is full"));

    Mempool pool(options, chain_.chain(), witness_);
    EXPECT_EQ(add_all(pool, {cheap}).front(), "taken");
    EXPECT_THAT(add_all(pool, {better, cheap}), ElementsAre("taken", wanted[2]));
    EXPECT_EQ(witness_.told, wanted);
}

// A block that comes between the check and the decision takes gas from all blocks after it.
TEST_F(OrderedMempoolTest, what_was_checked_before_a_block_is_checked_once_more_after_it) {
    Mempool pool({}, chain_.chain(), witness_);
    bool is_first = true;
    const auto subscription = pool.arrivals().subscribe([&](const BecameExecutable&) {
        if (!std::exchange(is_first, false)) return;
        pool.on_head(*chain_.commit({.gas_limit = 15'000'000}));
    });
    const auto verdicts =
        add_all(pool, {large(1), encoded(transfer({.from = 2, .gas_limit = 16'000'000}))});
    EXPECT_THAT(verdicts, ElementsAre("taken", "exceeds block gas limit"));
    EXPECT_THAT(witness_.told,
                ElementsAre("taken", "before the pool follows the block",
                            "the pool follows the block", "exceeds block gas limit"));
}

// As one that comes after the block: its sender has been recovered, all else is looked at again.
TEST_F(OrderedMempoolTest, senders_are_looked_at_once_more_after_a_block) {
    std::vector<Bytes> batch{large(1)};
    for (std::uint64_t from = 2; from <= 5; ++from)
        batch.push_back(encoded(transfer({.from = from})));
    Mempool pool({}, chain_.chain(), witness_);
    bool is_first = true;
    const auto subscription = pool.arrivals().subscribe([&](const BecameExecutable&) {
        if (!std::exchange(is_first, false)) return;
        StateDiff diff;
        test::TestChain::set_account(diff, heddle::test::account_of(3), 1, Uint256{kEther});
        test::TestChain::set_account(diff, heddle::test::account_of(4), 0, Uint256{1});
        test::TestChain::set_account(diff, heddle::test::account_of(5), 0, Uint256{kEther},
                                     Bytes{0x60});
        pool.on_head(*chain_.commit({.diff = std::move(diff)}));
    });
    const std::vector<std::string> texts = add_all(pool, batch);
    Mempool after({}, chain_.chain());
    EXPECT_EQ(texts, add_all(after, batch));
    EXPECT_THAT(texts, ElementsAre("taken", "taken", HasSubstr("nonce too low"),
                                   HasSubstr("insufficient funds"), HasSubstr("not an eoa")));
    EXPECT_EQ(pool.status().pending, 2u);
}

TEST_F(OrderedMempoolTest, a_refusal_for_want_of_room_moves_nobody_and_is_told_as_no_change) {
    MempoolOptions options;
    options.max_bytes = 2'000;  // of memory: two transfers
    Mempool pool(options, chain_.chain(), witness_);
    ASSERT_EQ(add_all(pool, {encoded(transfer({.from = 1}))}).front(), "taken");
    ASSERT_EQ(add_all(pool, {encoded(transfer({.from = 2, .tip = 5 * kGwei}))}).front(), "taken");
    // Pays more than the first and less than the second, and needs the room of both.
    Transaction large = transfer({.from = 3, .tip = 3 * kGwei});
    large.data = Bytes(200, 1);
    large.gas_limit = 100'000;
    ASSERT_TRUE(sign_transaction(large, heddle::test::secret_of(3)));
    EXPECT_THAT(add_all(pool, {encoded(large)}).front(), HasSubstr("the pool is full"));
    EXPECT_EQ(pool.status().pending, 2u);
    EXPECT_EQ(witness_.has_changed, (std::vector<bool>{true, true, false}));
    (void)add_all(pool, {Bytes{0xc0}});
    EXPECT_FALSE(witness_.has_changed.back());
}

TEST_F(OrderedMempoolTest, every_step_is_told_before_and_under_the_lock) {
    Mempool pool({}, chain_.chain(), witness_);
    const Transaction tx = transfer({.from = 1});
    ASSERT_EQ(add_all(pool, {encoded(tx)}).front(), "taken");
    (void)pool.choose(Uint256{}, Uint256{});
    pool.remove(transaction_hash(tx), "a test");
    pool.while_shown([&] { witness_.told.emplace_back("now"); });
    EXPECT_THAT(
        witness_.told,
        ElementsAre("taken", "before candidates are chosen", "candidates are chosen",
                    "before a transaction is taken out", "a transaction is taken out",
                    "before the ledger shows the block", "now", "the ledger shows the block"));
}

TEST_F(OrderedMempoolTest, a_pool_is_taken_down_and_made_again) {
    MempoolOptions options;
    options.waiting_lifetime = std::chrono::milliseconds{5};
    Mempool pool(options, chain_.chain(), witness_);
    for (const std::uint64_t nonce : {0U, 1U, 3U, 4U})  // with a gap
        (void)add_all(pool, {encoded(transfer({.from = 1, .nonce = nonce}))});
    (void)add_all(pool, {encoded(transfer({.from = 2, .value = kEther * Uint256{6}})),
                         encoded(transfer({.from = 2, .nonce = 1}))});
    PoolContent content;
    pool.with_content([&](PoolContent now) { content = std::move(now); });
    ASSERT_EQ(content.senders.size(), 2u);

    Witness other_witness;
    other_witness.time = witness_.time;
    Mempool again(options, chain_.chain(), other_witness);
    EXPECT_EQ(again.restore(content), 0u);
    again.with_content([&](const PoolContent& found) { EXPECT_EQ(found, content); });
    EXPECT_EQ(again.status().pending, pool.status().pending);
    EXPECT_EQ(again.status().queued, pool.status().queued);
    // What waits grows old at the same moment, and what comes next stands in the same place.
    const SharedBlock block = chain_.commit({});
    for (Mempool* const one : {&pool, &again}) {
        one->on_head(*block);
        (void)add_all(*one, {encoded(transfer({.from = 3}))});
    }
    PoolContent after;
    pool.with_content([&](PoolContent now) { after = std::move(now); });
    EXPECT_NE(after, content);
    again.with_content([&](const PoolContent& found) { EXPECT_EQ(found, after); });
}

// A recording may come from anybody.
TEST_F(OrderedMempoolTest, what_is_out_of_order_is_not_put_back) {
    Mempool pool({}, chain_.chain(), witness_);
    for (const std::uint64_t nonce : {0U, 1U, 2U})
        (void)add_all(pool, {encoded(transfer({.from = 1, .nonce = nonce}))});
    PoolContent content;
    pool.with_content([&](PoolContent now) { content = std::move(now); });
    PoolContent::Sender sender = content.senders.at(0);
    std::swap(sender.entries.at(0), sender.entries.at(1));
    sender.entries.push_back(sender.entries.back());  // nonces 1, 0, 2, 2
    const PoolContent::Sender twice = sender;
    PoolContent::Sender past = sender;
    past.nonce = 7;
    content.senders = {past, twice, twice};

    Witness other_witness;
    Mempool again({}, chain_.chain(), other_witness);
    EXPECT_EQ(again.restore(content), 10u);
    EXPECT_EQ(again.status().pending, 0u);
    EXPECT_EQ(again.status().queued, 2u);
    (void)add_all(again, {encoded(transfer({.from = 1}))});
    EXPECT_EQ(again.status().pending, 3u);
    again.remove(transaction_hash(transfer({.from = 1, .nonce = 1})), "a test");
    EXPECT_EQ(again.status().pending, 1u);
    EXPECT_EQ(again.status().queued, 1u);
}

}  // namespace
}  // namespace heddle::node
