// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "cometbft/transaction_forwarder.hpp"

#include <array>
#include <functional>
#include <map>
#include <random>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "announced_seed.hpp"
#include "fake_comet.hpp"
#include "test_chain.hpp"

namespace heddle::node {
namespace {

using consensus_adapter::cometbft::BroadcastResult;
using consensus_adapter::cometbft::CometError;
using consensus_adapter::cometbft::CometErrorCode;
using test::encoded;
using test::FakeComet;
using test::kEther;
using test::kGwei;
using test::transfer;
using testing::ElementsAre;

Hash hash_of(const Transaction& tx) {
    return transaction_hash(tx);
}

const CometError kAway{CometErrorCode::unreachable, "away"};

class TransactionForwarderTest : public testing::Test {
protected:
    TransactionForwarderTest() {
        options_.pause = std::chrono::milliseconds{1};
        options_.max_pause = std::chrono::milliseconds{4};
    }
    void add(const Transaction& tx, Origin origin = Origin::local) {
        ASSERT_TRUE(pool_->add(encoded(tx), origin).has_value());
    }
    void start() { forwarder_.emplace(*pool_, comet_.broadcast(), options_); }
    void commit(const std::vector<Transaction>& included = {}) {
        StateDiff diff;
        std::map<Address, std::uint64_t> nonces;
        for (const Transaction& tx : included)
            nonces[*tx.sender] = std::max(nonces[*tx.sender], tx.nonce + 1);
        for (const auto& [address, nonce] : nonces)
            test::TestChain::set_account(diff, address, nonce, Uint256{10} * Uint256{kEther});
        const SharedBlock block = chain_.commit({.transactions = included, .diff = diff});
        pool_->on_head(*block);
        forwarder_->on_head(block->block.header.number);
    }
    /// Until the counters say so.
    template <typename Condition>
    void wait_until(Condition condition) {
        while (!condition(forwarder_->counters()))
            std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }

    /// Hands in two and waits until CometBFT is to forget both. It forgets the second one, which is
    /// handed in anew.
    void recall_one_of_two(std::uint64_t recall_blocks) {
        options_.recalls = true;
        options_.resend_blocks = 3;
        options_.recall_blocks = recall_blocks;
        start();
        add(transfer({.from = 1}));
        add(transfer({.from = 2}));
        (void)comet_.wait_for(2);
        wait_until([](const ForwarderCounters& counters) { return counters.handed == 2; });
        for (std::uint64_t block = 0; block < options_.resend_blocks; ++block)
            commit();
        while (!forwarder_->must_forget(hash_of(transfer({.from = 2}))))
            std::this_thread::sleep_for(std::chrono::milliseconds{1});
        (void)comet_.wait_for(3);
    }
    [[nodiscard]] std::ptrdiff_t times_taken(const Hash& hash) const {
        return std::ranges::count(comet_.taken(), hash);
    }

    /// While CometBFT is asked, and then one more; until CometBFT has all of it.
    void have_too_much_arrive(const std::function<void()>& before) {
        const std::size_t calls = comet_.sizes().size();
        comet_.hold(true);
        add(transfer({.from = 3}));
        comet_.wait_for_calls(calls + 1);
        before();
        for (std::uint64_t from = 4; from < 20; ++from)
            add(transfer({.from = from}));
        comet_.hold(false);
        for (std::uint64_t last = 19; last <= 20; ++last) {
            if (last == 20) add(transfer({.from = last}));  // behind all that was found
            while (times_taken(hash_of(transfer({.from = last}))) == 0)
                std::this_thread::sleep_for(std::chrono::milliseconds{1});
        }
    }

    const Hash recalled_ = hash_of(transfer({.from = 1}));
    test::TestChain chain_;
    MempoolOptions pool_options_;
    std::unique_ptr<Mempool> pool_ = std::make_unique<Mempool>(pool_options_, chain_.chain());
    ForwarderOptions options_;
    FakeComet comet_;
    std::optional<TransactionForwarder> forwarder_;
};

TEST_F(TransactionForwarderTest, local_transactions_are_handed_in_as_they_arrive) {
    start();
    add(transfer({.from = 2}));
    add(transfer({.from = 9}), Origin::remote);
    add(transfer({.from = 1}));

    EXPECT_THAT(comet_.wait_for(2),
                ElementsAre(hash_of(transfer({.from = 2})), hash_of(transfer({.from = 1}))));
    wait_until([](const ForwarderCounters& counters) { return counters.handed == 2; });
    EXPECT_EQ(forwarder_->counters().forwarded, 2u);
    EXPECT_EQ(forwarder_->counters().waiting, 0u);
}

TEST_F(TransactionForwarderTest, a_queued_one_goes_once_it_can_be_executed) {
    start();
    add(transfer({.nonce = 1}));
    add(transfer({.nonce = 0}));

    EXPECT_THAT(comet_.wait_for(2),
                ElementsAre(hash_of(transfer({.nonce = 0})), hash_of(transfer({.nonce = 1}))));
}

TEST_F(TransactionForwarderTest, a_replacement_is_handed_in_too) {
    start();
    add(transfer({}));
    (void)comet_.wait_for(1);
    const Transaction better =
        transfer({.tip = Uint256{2 * kGwei}, .fee_cap = Uint256{20 * kGwei}});
    add(better);

    EXPECT_EQ(comet_.wait_for(2).back(), hash_of(better));
}

TEST_F(TransactionForwarderTest, what_the_journal_brought_is_handed_in_at_the_start) {
    pool_options_.journal = chain_.path("transactions");
    pool_ = std::make_unique<Mempool>(pool_options_, chain_.chain());
    add(transfer({.from = 1}));
    add(transfer({.from = 2}));
    pool_.reset();
    pool_ = std::make_unique<Mempool>(pool_options_, chain_.chain());
    start();

    const std::vector<Hash> taken = comet_.wait_for(2);

    EXPECT_THAT(taken, testing::UnorderedElementsAre(hash_of(transfer({.from = 1})),
                                                     hash_of(transfer({.from = 2}))));
}

TEST_F(TransactionForwarderTest, nothing_is_lost_while_cometbft_is_away) {
    comet_.decide([](std::span<const Bytes>) { return std::unexpected(kAway); });
    start();
    for (std::uint64_t from = 1; from <= 3; ++from)
        add(transfer({.from = from}));
    comet_.wait_for_calls(4);
    EXPECT_THAT(comet_.taken(), testing::IsEmpty());
    comet_.decide([](std::span<const Bytes> transactions) {
        return FakeComet::all(transactions, BroadcastResult::accepted);
    });

    EXPECT_THAT(comet_.wait_for(3),
                ElementsAre(hash_of(transfer({.from = 1})), hash_of(transfer({.from = 2})),
                            hash_of(transfer({.from = 3}))));
    EXPECT_GE(forwarder_->counters().retried, 3u);
}

TEST_F(TransactionForwarderTest, only_what_found_no_room_is_tried_again) {
    comet_.hold(true);
    bool was_full = false;
    comet_.decide([&](std::span<const Bytes> transactions) {
        auto results = FakeComet::all(transactions, BroadcastResult::accepted);
        if (transactions.size() == 3 && !std::exchange(was_full, true))
            (*results)[1] = BroadcastResult::mempool_full;
        return results;
    });
    add(transfer({.from = 1}));
    start();
    comet_.wait_for_calls(1);
    for (std::uint64_t from = 2; from <= 4; ++from)
        add(transfer({.from = from}));
    comet_.hold(false);

    EXPECT_THAT(comet_.wait_for(4),
                ElementsAre(hash_of(transfer({.from = 1})), hash_of(transfer({.from = 2})),
                            hash_of(transfer({.from = 4})), hash_of(transfer({.from = 3}))));
    EXPECT_THAT(comet_.sizes(), ElementsAre(1, 3, 1));
    wait_until([](const ForwarderCounters& counters) { return counters.handed == 4; });
    EXPECT_EQ(forwarder_->counters().retried, 1u);
}

TEST_F(TransactionForwarderTest, what_no_block_takes_is_handed_in_again) {
    options_.resend_blocks = 3;
    start();
    add(transfer({.from = 1}));
    add(transfer({.from = 2}));
    (void)comet_.wait_for(2);
    wait_until([](const ForwarderCounters& counters) { return counters.handed == 2; });
    commit({transfer({.from = 1})});
    commit();
    EXPECT_EQ(forwarder_->counters().resent, 0u);
    commit();

    EXPECT_THAT(comet_.wait_for(3).back(), hash_of(transfer({.from = 2})));
    wait_until([](const ForwarderCounters& counters) { return counters.handed == 1; });
    EXPECT_EQ(forwarder_->counters().resent, 1u);
}

// CometBFT tells each peer of a transaction once, and drops what it has: a peer that had no room
// then would never hear of it again.
TEST_F(TransactionForwarderTest, what_no_block_takes_is_handed_in_once_cometbft_has_forgotten_it) {
    options_.recalls = true;
    options_.resend_blocks = 3;
    options_.recall_blocks = 1'000;
    start();
    const Hash hash = hash_of(transfer({.from = 2}));
    add(transfer({.from = 1}));
    add(transfer({.from = 2}));
    (void)comet_.wait_for(2);
    wait_until([](const ForwarderCounters& counters) { return counters.handed == 2; });
    commit({transfer({.from = 1})});
    commit();
    EXPECT_FALSE(forwarder_->must_forget(hash));
    commit();
    while (!forwarder_->must_forget(hash))
        std::this_thread::sleep_for(std::chrono::milliseconds{1});

    EXPECT_EQ(comet_.wait_for(3).back(), hash);
    EXPECT_FALSE(forwarder_->must_forget(hash)) << "CometBFT would forget what was handed in anew";
    EXPECT_FALSE(forwarder_->must_forget(hash_of(transfer({.from = 1}))));
    wait_until([](const ForwarderCounters& counters) { return counters.handed >= 1; });
    EXPECT_EQ(forwarder_->counters().resent, 1u);
}

TEST_F(TransactionForwarderTest, what_cometbft_does_not_have_is_not_waited_for) {
    options_.recalls = true;
    options_.resend_blocks = 2;
    options_.recall_blocks = 1;
    start();
    add(transfer({}));
    (void)comet_.wait_for(1);
    wait_until([](const ForwarderCounters& counters) { return counters.handed == 1; });
    while (comet_.taken().size() < 2)
        commit();

    EXPECT_EQ(comet_.wait_for(2).back(), hash_of(transfer({})));
}

// It is forgotten to be handed in anew, which nobody does any more.
TEST_F(TransactionForwarderTest, nothing_is_to_be_forgotten_once_it_has_stopped) {
    recall_one_of_two(1'000);

    forwarder_->stop();

    EXPECT_FALSE(forwarder_->must_forget(recalled_));
}

TEST_F(TransactionForwarderTest, what_was_given_up_to_be_forgotten_stays_where_it_was_handed_in) {
    recall_one_of_two(1);

    commit();

    (void)comet_.wait_for(4);
    EXPECT_EQ(times_taken(recalled_), 2);
    EXPECT_FALSE(forwarder_->must_forget(recalled_));
}

TEST_F(TransactionForwarderTest, a_cometbft_that_was_away_is_given_what_it_should_have_forgotten) {
    recall_one_of_two(1'000);
    bool was_away = false;
    comet_.decide([&](std::span<const Bytes> transactions) -> FakeComet::Results {
        if (!std::exchange(was_away, true)) return std::unexpected(kAway);
        return FakeComet::all(transactions, BroadcastResult::accepted);
    });
    add(transfer({.from = 3}));
    (void)comet_.wait_for(4);
    add(transfer({.from = 4}));  // goes behind what is given anew

    while (times_taken(hash_of(transfer({.from = 4}))) == 0)
        std::this_thread::sleep_for(std::chrono::milliseconds{1});
    EXPECT_EQ(times_taken(recalled_), 2);
    EXPECT_FALSE(forwarder_->must_forget(recalled_)) << "it would forget what it has just got";
}

TEST_F(TransactionForwarderTest, without_blocks_it_is_handed_in_again_after_a_while) {
    options_.resend_after = std::chrono::milliseconds{5};
    start();
    add(transfer({}));

    EXPECT_EQ(comet_.wait_for(4).back(), hash_of(transfer({})));
}

TEST_F(TransactionForwarderTest, a_cometbft_that_was_away_is_given_everything_anew) {
    start();
    add(transfer({.from = 1}));
    (void)comet_.wait_for(1);
    bool was_away = false;
    comet_.decide([&](std::span<const Bytes> transactions) -> FakeComet::Results {
        if (!std::exchange(was_away, true)) return std::unexpected(kAway);
        return FakeComet::all(transactions, BroadcastResult::accepted);
    });
    add(transfer({.from = 2}));

    EXPECT_THAT(comet_.wait_for(3),
                ElementsAre(hash_of(transfer({.from = 1})), hash_of(transfer({.from = 2})),
                            hash_of(transfer({.from = 1}))));
}

TEST_F(TransactionForwarderTest, what_was_refused_is_not_given_up_while_it_is_in_the_pool) {
    options_.resend_blocks = 1;
    bool was_refused = false;
    comet_.decide([&](std::span<const Bytes> transactions) {
        return FakeComet::all(transactions, std::exchange(was_refused, true)
                                                ? BroadcastResult::accepted
                                                : BroadcastResult::refused);
    });
    start();
    add(transfer({}));
    wait_until([](const ForwarderCounters& counters) { return counters.handed == 1; });
    EXPECT_EQ(forwarder_->counters().refused, 1u);
    commit();

    EXPECT_THAT(comet_.wait_for(1), ElementsAre(hash_of(transfer({}))));
}

TEST_F(TransactionForwarderTest, batches_are_bounded_in_count_and_bytes) {
    options_.max_batch = 4;
    for (std::uint64_t from = 1; from <= 9; ++from)
        add(transfer({.from = from}));
    start();
    (void)comet_.wait_for(9);
    EXPECT_THAT(comet_.sizes(), ElementsAre(4, 4, 1));

    forwarder_.reset();
    options_.max_batch_bytes = 3 * encoded(transfer({.from = 1})).size() + 10;
    start();
    (void)comet_.wait_for(18);
    EXPECT_THAT(comet_.sizes(), ElementsAre(4, 4, 1, 3, 3, 3));
}

TEST_F(TransactionForwarderTest, more_arrivals_than_fit_are_found_in_the_pool) {
    options_.max_arrived = 4;
    comet_.hold(true);
    add(transfer({.from = 1}));
    start();
    comet_.wait_for_calls(1);
    for (std::uint64_t from = 2; from <= 40; ++from)
        add(transfer({.from = from}));
    comet_.hold(false);

    const std::vector<Hash> taken = comet_.wait_for(40);
    EXPECT_EQ((std::set<Hash>{taken.begin(), taken.end()}.size()), 40u);
}

// CometBFT was made to forget it, or it is wanted in a lane once more - so much arrives that this
// is lost with the rest - it waited for blocks, or for a minute, for it was known as handed in.
TEST_F(TransactionForwarderTest, what_is_wanted_again_is_handed_in_where_more_arrived_than_fits) {
    options_.max_arrived = 4;
    recall_one_of_two(1'000);
    const Hash wanted = hash_of(transfer({.from = 2}));
    const std::ptrdiff_t times_wanted = times_taken(wanted);

    have_too_much_arrive([&] {
        EXPECT_TRUE(forwarder_->must_forget(recalled_));
        forwarder_->hand_again(std::array{wanted});
    });

    EXPECT_EQ(times_taken(recalled_), 2);
    EXPECT_EQ(times_taken(wanted), times_wanted + 1);
}

TEST_F(TransactionForwarderTest, what_is_to_be_forgotten_stays_so_where_more_arrived_than_fits) {
    options_.max_arrived = 4;
    recall_one_of_two(1'000);
    const Hash other = hash_of(transfer({.from = 2}));
    const std::ptrdiff_t times = times_taken(other);
    have_too_much_arrive([] {});
    EXPECT_EQ(times_taken(recalled_), 1);
    EXPECT_TRUE(forwarder_->must_forget(recalled_));
    EXPECT_EQ(times_taken(other), times) << "it waits for blocks as before";
}

// The pool tells of a transaction after it has taken it - the forwarder looks through the pool in
// between, hands it in, and is told then - it was handed in once more.
TEST_F(TransactionForwarderTest, one_that_was_seen_before_it_was_told_of_is_handed_in_once) {
    options_.max_arrived = 2;
    const Hash seen = hash_of(transfer({.from = 1}));
    const Hash next = hash_of(transfer({.from = 2}));
    // Told before the forwarder is.
    const auto subscription = pool_->arrivals().subscribe([&](const BecameExecutable& event) {
        if (event.transaction->hash != seen) return;
        forwarder_->hand_again(std::array{Hash{}, Hash{}, Hash{}});  // more than fit: it looks
        (void)comet_.wait_for(1);
    });
    start();

    add(transfer({.from = 1}));
    add(transfer({.from = 2}));

    EXPECT_THAT(comet_.wait_for(2), ElementsAre(seen, next));
}

TEST_F(TransactionForwarderTest, what_has_left_the_pool_is_forgotten) {
    options_.prune_at = 4;
    comet_.decide([](std::span<const Bytes>) { return std::unexpected(kAway); });
    start();
    std::vector<Transaction> all;
    for (std::uint64_t from = 1; from <= 20; ++from)
        all.push_back(transfer({.from = from}));
    for (const Transaction& tx : all)
        add(tx);
    wait_until([](const ForwarderCounters& counters) { return counters.waiting == 20; });
    commit(all);

    wait_until([](const ForwarderCounters& counters) { return counters.waiting == 0; });
    EXPECT_THAT(comet_.taken(), testing::IsEmpty());
}

/// Whatever CometBFT answers and whatever blocks hold: every local transaction is taken, or has
/// left the pool.
TEST_F(TransactionForwarderTest, every_local_transaction_gets_there_in_the_end) {
    std::mt19937_64 random{heddle::test::announced_seed()};
    options_.max_batch = 1 + random() % 32;
    options_.max_arrived = 1 + random() % 64;
    options_.prune_at = 1 + random() % 64;
    options_.resend_blocks = 1 + random() % 5;
    options_.recall_blocks = 1 + random() % 5;
    options_.recalls = random() % 2 == 0;
    std::mt19937_64 chance{random()};  // under the fake's lock
    comet_.decide([&](std::span<const Bytes> transactions) -> FakeComet::Results {
        if (chance() % 4 == 0) return std::unexpected(kAway);
        auto results = FakeComet::all(transactions, BroadcastResult::accepted);
        for (BroadcastResult& result : *results)
            result = static_cast<BroadcastResult>(chance() % 4);
        return results;
    });
    constexpr std::uint64_t kSenders = 32;
    constexpr std::uint64_t kNonces = 6;
    start();
    std::vector<std::thread> bringing;
    for (std::uint64_t part = 0; part < 2; ++part) {
        bringing.emplace_back([&, part, order = std::mt19937_64{random()}]() mutable {
            std::vector<Transaction> all;
            for (std::uint64_t from = 1 + part; from <= kSenders; from += 2)
                for (std::uint64_t nonce = 0; nonce < kNonces; ++nonce)
                    all.push_back(transfer({.from = from, .nonce = nonce}));
            std::ranges::shuffle(all, order);
            for (const Transaction& tx : all)
                (void)pool_->add(encoded(tx), Origin::local);
        });
    }
    std::map<Address, std::uint64_t> nonces;
    for (int i = 0; i < 12; ++i) {
        std::vector<Transaction> included;
        for (const SharedTransaction& pending : pool_->content().pending)
            if (pending->tx.nonce == nonces[*pending->tx.sender] && random() % 8 == 0) {
                included.push_back(pending->tx);
                ++nonces[*pending->tx.sender];
            }
        commit(included);
        for (const SharedTransaction& pending : pool_->content().pending)
            (void)forwarder_->must_forget(pending->hash);
        std::this_thread::yield();
    }
    for (std::thread& thread : bringing)
        thread.join();
    comet_.decide([](std::span<const Bytes> transactions) {
        return FakeComet::all(transactions, BroadcastResult::accepted);
    });

    // Blocks without transactions, until all that is in the pool has been taken: what was answered
    // with a refusal is handed in again.
    const auto is_done = [&] {
        const std::vector<Hash> taken = comet_.taken();
        const std::set<Hash> known{taken.begin(), taken.end()};
        const Mempool::Content content = pool_->content();
        return content.queued.empty() && std::ranges::all_of(content.pending, [&](const auto& it) {
                   return known.contains(it->hash);
               });
    };
    while (!is_done())
        commit();
    const std::size_t pending = pool_->status().pending;
    wait_until([&](const ForwarderCounters& counters) { return counters.waiting == 0; });
    EXPECT_LE(pending, kSenders * kNonces);
    EXPECT_GE(forwarder_->counters().forwarded, pending);
}

}  // namespace
}  // namespace heddle::node
