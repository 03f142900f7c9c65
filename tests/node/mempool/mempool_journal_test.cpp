// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What of a mempool survives a restart, also one after a kill.

#include "mempool/mempool.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "test_chain.hpp"

namespace heddle::node {
namespace {

using test::account_of;
using test::encoded;
using test::kEther;
using test::transfer;

class MempoolJournalTest : public testing::Test {
protected:
    MempoolJournalTest() { options_.journal = chain_.path("transactions"); }

    Bytes journal() const {
        std::ifstream file{options_.journal, std::ios::binary};
        return Bytes{std::istreambuf_iterator<char>{file}, {}};
    }

    test::TestChain chain_;
    MempoolOptions options_;
};

TEST_F(MempoolJournalTest, what_came_here_first_survives_without_being_saved) {
    {
        Mempool pool{options_, chain_.chain()};
        ASSERT_TRUE(pool.add(encoded(transfer({.from = 1})), Origin::local).has_value());
        ASSERT_TRUE(pool.add(encoded(transfer({.from = 2})), Origin::remote).has_value());
        ASSERT_TRUE(pool.add(encoded(transfer({.from = 3})), Origin::submitted).has_value());
    }
    for (int restart = 0; restart < 2; ++restart) {  // as it was appended, and as it was rewritten
        const Mempool pool{options_, chain_.chain()};
        EXPECT_EQ(pool.find(transaction_hash(transfer({.from = 2}))), nullptr);
        ASSERT_NE(pool.find(transaction_hash(transfer({.from = 1}))), nullptr);
        EXPECT_EQ(pool.find(transaction_hash(transfer({.from = 1})))->origin, Origin::local);
        ASSERT_NE(pool.find(transaction_hash(transfer({.from = 3}))), nullptr);
        EXPECT_EQ(pool.find(transaction_hash(transfer({.from = 3})))->origin, Origin::submitted);
    }
}

TEST_F(MempoolJournalTest, what_is_not_good_any_more_is_dropped_at_start) {
    {
        Mempool pool{options_, chain_.chain()};
        for (std::uint64_t from = 1; from <= 3; ++from)
            ASSERT_TRUE(pool.add(encoded(transfer({.from = from})), Origin::local).has_value());
    }
    const std::size_t before = journal().size();
    StateDiff diff;
    test::TestChain::set_account(diff, account_of(2), 1, kEther);
    chain_.commit({.diff = diff});
    const Mempool pool{options_, chain_.chain()};
    EXPECT_EQ(pool.status().pending, 2u);
    EXPECT_EQ(journal().size(), before / 3 * 2) << "compacted";
}

TEST_F(MempoolJournalTest, a_torn_end_is_left_out) {
    {
        Mempool pool{options_, chain_.chain()};
        for (std::uint64_t from = 1; from <= 2; ++from)
            ASSERT_TRUE(pool.add(encoded(transfer({.from = from})), Origin::local).has_value());
    }
    const Bytes whole = journal();
    for (std::size_t size = whole.size() / 2; size <= whole.size(); ++size) {
        std::filesystem::resize_file(options_.journal, size);
        const Mempool pool{options_, chain_.chain()};
        EXPECT_EQ(pool.status().pending, size == whole.size() ? 2u : 1u) << size;
        std::ofstream{options_.journal, std::ios::binary}.write(
            reinterpret_cast<const char*>(whole.data()),
            static_cast<std::streamsize>(whole.size()));
    }
}

TEST_F(MempoolJournalTest, what_comes_after_a_torn_first_entry_survives) {
    {
        Mempool pool{options_, chain_.chain()};
        ASSERT_TRUE(pool.add(encoded(transfer({.from = 1})), Origin::local).has_value());
    }
    std::filesystem::resize_file(options_.journal, journal().size() / 2);
    {
        Mempool pool{options_, chain_.chain()};
        EXPECT_EQ(pool.status().pending, 0u);
        ASSERT_TRUE(pool.add(encoded(transfer({.from = 2})), Origin::local).has_value());
    }
    const Mempool pool{options_, chain_.chain()};
    EXPECT_EQ(pool.status().pending, 1u);
}

TEST_F(MempoolJournalTest, what_this_process_has_signed_survives_too) {
    {
        Mempool pool{options_, chain_.chain()};
        ASSERT_TRUE(pool.add_signed(encoded(transfer({.from = 1})), account_of(1), Origin::local)
                        .has_value());
    }
    const Mempool pool{options_, chain_.chain()};
    EXPECT_EQ(pool.status().pending, 1u);
}

TEST_F(MempoolJournalTest, a_flipped_byte_takes_one_transaction) {
    {
        Mempool pool{options_, chain_.chain()};
        for (std::uint64_t from = 1; from <= 3; ++from)
            ASSERT_TRUE(pool.add(encoded(transfer({.from = from})), Origin::local).has_value());
    }
    Bytes bytes = journal();
    bytes[bytes.size() / 2] ^= 1;
    std::ofstream{options_.journal, std::ios::binary}.write(
        reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    const Mempool pool{options_, chain_.chain()};
    EXPECT_EQ(pool.status().pending, 2u);
}

// A development chain that goes back, and who takes a transaction out of the pool, want what was
// there before gone: also where the process is killed afterwards, and nothing is saved.
TEST_F(MempoolJournalTest, what_was_dropped_does_not_come_back_after_a_kill) {
    {
        Mempool pool{options_, chain_.chain()};
        for (std::uint64_t from = 1; from <= 3; ++from)
            ASSERT_TRUE(pool.add(encoded(transfer({.from = from})), Origin::submitted).has_value());
        pool.start_over({pool.find(transaction_hash(transfer({.from = 2})))});
        ASSERT_TRUE(pool.add(encoded(transfer({.from = 3})), Origin::local).has_value());
        ASSERT_TRUE(pool.add(encoded(transfer({.from = 4})), Origin::local).has_value());
        pool.remove(transaction_hash(transfer({.from = 3})), "asked for");
    }
    for (int restart = 0; restart < 2; ++restart) {  // as it was appended, and as it was rewritten
        const Mempool pool{options_, chain_.chain()};
        EXPECT_EQ(pool.status().pending, 2u);
        ASSERT_NE(pool.find(transaction_hash(transfer({.from = 2}))), nullptr);
        EXPECT_EQ(pool.find(transaction_hash(transfer({.from = 2})))->origin, Origin::submitted);
        EXPECT_NE(pool.find(transaction_hash(transfer({.from = 4}))), nullptr);
    }
}

TEST_F(MempoolJournalTest, what_comes_once_more_after_it_was_dropped_survives) {
    {
        Mempool pool{options_, chain_.chain()};
        const auto add = [&] {
            return pool.add(encoded(transfer({.from = 1})), Origin::local).has_value();
        };
        ASSERT_TRUE(add());
        pool.remove(transaction_hash(transfer({.from = 1})), "asked for");
        ASSERT_TRUE(add());
        pool.start_over({});
        ASSERT_TRUE(add());
    }
    const Mempool pool{options_, chain_.chain()};
    EXPECT_EQ(pool.status().pending, 1u);
}

TEST_F(MempoolJournalTest, is_rewritten_also_while_no_block_comes) {
    constexpr std::size_t kMost = std::size_t{64} << 20;
    {
        Mempool pool{options_, chain_.chain()};
        Transaction tx = transfer({});
        tx.data.resize(120'000);
        tx.gas_limit = 2'000'000;
        std::size_t appended = 0;
        for (; appended <= kMost; appended += tx.data.size()) {
            tx.value = Uint256{appended};
            ASSERT_TRUE(sign_transaction(tx, test::secret_of(1)));
            const auto added = pool.add(encoded(tx), Origin::submitted);
            ASSERT_TRUE(added.has_value()) << added.error().message;
            pool.remove(*added, "others are better");
        }
    }
    EXPECT_LT(journal().size(), kMost);
}

TEST_F(MempoolJournalTest, an_unwritable_journal_refuses_no_transaction) {
    options_.journal = chain_.path("no such folder/transactions");
    Mempool pool{options_, chain_.chain()};
    EXPECT_TRUE(pool.add(encoded(transfer({})), Origin::local).has_value());
    pool.save();
    EXPECT_EQ(pool.status().pending, 1u);
}

}  // namespace
}  // namespace heddle::node
