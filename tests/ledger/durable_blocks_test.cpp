// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <atomic>
#include <functional>
#include <future>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>

#include <ledger/durable_ledger.hpp>
#include <types/object_codec.hpp>

#include "temporary_folder.hpp"
#include "twin_chain.hpp"

namespace heddle::ledger {
namespace {

using test::must_commit;
using test::must_create;
using test::must_open;
using test::options_for;
using test::Random;
using test::TwinChain;

class DurableBlocksTest : public testing::Test {
protected:
    void expect_block(const DurableLedger& ledger, std::uint64_t number) const {
        SCOPED_TRACE("block " + std::to_string(number));
        const FinishedBlock& expected = twin_.block(number);
        const CommittedBlock& committed = twin_.committed(number);
        const auto block = ledger.block(number);
        ASSERT_TRUE(block.has_value()) << to_string(block.error());
        ASSERT_TRUE(block->has_value());
        EXPECT_EQ((*block)->block, expected.block);
        EXPECT_EQ((*block)->receipts, expected.receipts);
        EXPECT_EQ((*block)->hash, committed.hash);
        EXPECT_EQ((*block)->total_difficulty, committed.total_difficulty);

        const auto header = ledger.header(number);
        ASSERT_TRUE(header.has_value() && header->has_value());
        EXPECT_EQ((*header)->header, expected.block.header);
        EXPECT_EQ((*header)->hash, committed.hash);
        EXPECT_EQ((*header)->total_difficulty, committed.total_difficulty);
        EXPECT_EQ(ledger.block_hash(number), committed.hash);
        EXPECT_EQ(ledger.block_number(committed.hash).value(), number);

        const auto sets = ledger.object_sets(number);
        ASSERT_TRUE(sets.has_value());
        EXPECT_EQ(sets->value_or(std::vector<ObjectSet>{}), expected.object_sets);
        EXPECT_EQ(sets->has_value(), !expected.object_sets.empty());
        const auto encoded = ledger.encoded_object_sets(number);
        ASSERT_TRUE(encoded.has_value());
        EXPECT_EQ(encoded->has_value(), !expected.object_sets.empty());
        if (encoded->has_value()) {
            EXPECT_EQ(decode_object_sets(**encoded), expected.object_sets);
        }

        const auto list = ledger.access_list(number);
        ASSERT_TRUE(list.has_value());
        EXPECT_EQ(list->value_or(Bytes{}), expected.access_list);
        EXPECT_EQ(list->has_value(), !expected.access_list.empty());

        const std::vector<Transaction>& transactions = expected.block.transactions;
        for (std::size_t i = 0; i < transactions.size(); ++i) {
            const auto place = ledger.find_transaction(transaction_hash(transactions[i]));
            ASSERT_TRUE(place.has_value() && place->has_value());
            EXPECT_EQ((*place)->number, number);
            EXPECT_EQ((*place)->index, i);
        }
    }
    void expect_blocks(const DurableLedger& ledger) const {
        for (std::uint64_t number = 1; number <= twin_.head(); ++number)
            expect_block(ledger, number);
    }

    test::TemporaryFolder folder_;
    const std::string directory_ = folder_ / "data";
    Random random_{12};
    TwinChain twin_;
};

TEST_F(DurableBlocksTest, blocks_come_back_as_they_were) {
    auto ledger = must_create(options_for(directory_));
    for (int i = 0; i < 80; ++i) {
        must_commit(*ledger, twin_.grow(random_));
        expect_block(*ledger, twin_.head());
    }
    expect_blocks(*ledger);
    ledger.reset();
    ledger = must_open(options_for(directory_));
    expect_blocks(*ledger);
}

/// Holds the writing thread in its first report until it is let go.
class HeldWriter {
public:
    [[nodiscard]] std::function<void(std::uint64_t)> handler() {
        return [this](std::uint64_t) {
            if (is_first_.exchange(false)) {
                reached_.set_value();
                released_.get_future().wait();
            }
        };
    }
    void wait_until_held() { reached_.get_future().wait(); }
    void let_go() { released_.set_value(); }

private:
    std::atomic<bool> is_first_ = true;
    std::promise<void> reached_;
    std::promise<void> released_;
};

TEST_F(DurableBlocksTest, blocks_that_are_not_written_yet_come_back_too) {
    HeldWriter writer;
    auto options = options_for(directory_);
    options.sync.blocks = 1;
    options.on_durable = writer.handler();
    options.checkpoint_blocks = 1000;
    auto ledger = must_create(options);
    must_commit(*ledger, twin_.grow(random_));
    writer.wait_until_held();
    for (int i = 0; i < 50; ++i)
        must_commit(*ledger, twin_.grow(random_));
    EXPECT_EQ(ledger->durable(), 1u);

    expect_blocks(*ledger);
    for (std::uint64_t number = 0; number <= twin_.head(); ++number) {
        const auto past = ledger->state_at(number);
        ASSERT_TRUE(past.has_value());
        test::expect_same_state(**past, twin_.state(number));
    }

    writer.let_go();
    ASSERT_TRUE(ledger->wait_durable(51).has_value());
    EXPECT_EQ(ledger->durable(), 51u);
    expect_blocks(*ledger);
}

TEST_F(DurableBlocksTest, what_is_not_there_is_not_found) {
    const auto ledger = must_create(options_for(directory_));
    must_commit(*ledger, twin_.grow(random_));
    const Hash nothing = keccak256(Bytes{1});

    EXPECT_EQ(ledger->block_number(nothing).value(), std::nullopt);
    EXPECT_FALSE(ledger->find_transaction(nothing).value().has_value());
    EXPECT_FALSE(ledger->header(2).value().has_value());
    EXPECT_FALSE(ledger->block(2).value().has_value());
    EXPECT_FALSE(ledger->object_sets(2).value().has_value());
    EXPECT_FALSE(ledger->object_sets(0).value().has_value());
    EXPECT_FALSE(ledger->encoded_object_sets(2).value().has_value());
    EXPECT_FALSE(ledger->encoded_object_sets(0).value().has_value());
    EXPECT_FALSE(ledger->access_list(2).value().has_value());
    EXPECT_FALSE(ledger->access_list(0).value().has_value());
}

TEST_F(DurableBlocksTest, access_lists_go_after_the_blocks_asked_for) {
    auto options = options_for(directory_);
    options.access_list_blocks = 3;
    auto ledger = must_create(options);
    for (std::uint8_t i = 1; i <= 8; ++i) {
        FinishedBlock block = twin_.child(random_, {});
        block.access_list = {0xc0, i};
        must_commit(*ledger, block);
        twin_.accept(std::move(block));
    }
    ASSERT_TRUE(ledger->wait_written(8).has_value());

    for (std::uint64_t number = 1; number <= 8; ++number)
        EXPECT_EQ(ledger->access_list(number).value().has_value(), number > 5) << number;
    EXPECT_EQ(ledger->access_list(8).value(), (Bytes{0xc0, 8}));
}

TEST_F(DurableBlocksTest, unknown_senders_stay_unknown) {
    auto ledger = must_create(options_for(directory_));
    FinishedBlock block = twin_.child(random_, {});
    block.block.transactions.assign(2, test::random_transaction(random_));
    block.block.transactions[0].sender.reset();
    block.receipts = std::vector<Receipt>(2);
    const Block expected = block.block;
    must_commit(*ledger, std::move(block));
    ledger.reset();
    ledger = must_open(options_for(directory_));

    EXPECT_EQ(ledger->block(1).value()->block, expected);
}

TEST_F(DurableBlocksTest, ancestors_begin_at_the_block_asked_for) {
    auto ledger = must_create(options_for(directory_));
    for (int i = 0; i < 20; ++i)
        must_commit(*ledger, twin_.grow(random_));
    for (const bool is_reopened : {false, true}) {
        if (is_reopened) {
            ledger.reset();
            ledger = must_open(options_for(directory_));
        }
        for (std::uint64_t number = 0; number <= 20; ++number) {
            const auto ancestors = ledger->ancestors(number);
            ASSERT_TRUE(ancestors.has_value());
            ASSERT_EQ(ancestors->size(), std::min<std::uint64_t>(number + 1, kAncestorsForOmmers));
            for (std::size_t i = 0; i < ancestors->size(); ++i) {
                const CommittedBlock& expected = twin_.committed(number - i);
                EXPECT_EQ((*ancestors)[i].header, expected.header);
                EXPECT_EQ((*ancestors)[i].hash, expected.hash);
                ASSERT_EQ((*ancestors)[i].ommers.size(), expected.ommers.size());
                for (std::size_t k = 0; k < expected.ommers.size(); ++k)
                    EXPECT_EQ((*ancestors)[i].ommers[k], header_hash(expected.ommers[k]));
            }
        }
    }
}

TEST_F(DurableBlocksTest, bodies_of_ancestors_are_read_only_where_they_have_ommers) {
    auto ledger = must_create(options_for(directory_));
    for (int i = 0; i < 20; ++i)
        must_commit(*ledger, twin_.grow(random_));
    ledger.reset();
    ledger = must_open(options_for(directory_));
    for (std::uint64_t number = kAncestorsForOmmers; number <= 20; ++number) {
        std::uint64_t reads = kAncestorsForOmmers;  // of headers
        for (std::uint64_t i = 0; i < kAncestorsForOmmers; ++i)
            if (!twin_.committed(number - i).ommers.empty()) reads += 3;  // header, body, senders
        const std::uint64_t before = ledger->stats().database_reads;
        ASSERT_TRUE(ledger->ancestors(number).has_value());
        EXPECT_EQ(ledger->stats().database_reads - before, reads) << number;
    }
}

TEST_F(DurableBlocksTest, the_head_is_shared_and_older_blocks_are_read) {
    auto ledger = must_create(options_for(directory_));
    for (int i = 0; i < 5; ++i)
        must_commit(*ledger, twin_.grow(random_));
    EXPECT_EQ(*ledger->shared_block(5), *ledger->shared_block(5));
    ASSERT_TRUE(ledger->wait_durable(5).has_value());
    EXPECT_EQ(*ledger->shared_block(5), *ledger->shared_block(5));
    EXPECT_EQ(*ledger->shared_block(6), nullptr);

    ASSERT_TRUE(ledger->rewind(3).has_value());
    EXPECT_EQ(*ledger->shared_block(4), nullptr);
    for (std::uint64_t number = 0; number <= 3; ++number) {
        const auto block = ledger->shared_block(number);
        ASSERT_TRUE(block.has_value() && *block);
        EXPECT_EQ((*block)->block, ledger->block(number).value()->block);
        EXPECT_EQ((*block)->hash, twin_.committed(number).hash);
    }
}

TEST_F(DurableBlocksTest, hashes_reach_beyond_what_is_held_in_memory) {
    auto ledger = must_create(options_for(directory_));
    for (int i = 0; i < 300; ++i)
        must_commit(*ledger, twin_.grow(random_, {}));
    for (const bool is_reopened : {false, true}) {
        if (is_reopened) {
            ledger.reset();
            ledger = must_open(options_for(directory_));
        }
        for (std::uint64_t number = 0; number <= 300; ++number)
            ASSERT_EQ(ledger->block_hash(number), twin_.committed(number).hash);
    }
}

// Its memory is free when whoever makes blocks goes on: else the next one, as large, was executed
// beside it. The queue is four megabytes here.
TEST_F(DurableBlocksTest, a_block_that_the_writer_takes_alone_is_written_when_it_is_committed) {
    auto options = options_for(directory_);
    options.sync.blocks = 1;
    const auto ledger = must_create(options);
    for (std::uint64_t number = 1; number <= 3; ++number) {
        FinishedBlock block = twin_.child(random_, TwinChain::random_diff(random_));
        block.access_list = Bytes(std::size_t{9} << 20, 1);
        must_commit(*ledger, block);
        EXPECT_EQ(ledger->durable(), number);
        twin_.accept(std::move(block));
    }
    expect_blocks(*ledger);
}

TEST_F(DurableBlocksTest, every_block_becomes_durable_by_itself_where_so_asked) {
    std::mutex mutex;
    std::vector<std::uint64_t> reported;
    auto options = options_for(directory_);
    options.sync.blocks = 1;
    options.on_durable = [&](std::uint64_t number) {
        const std::lock_guard lock{mutex};
        reported.push_back(number);
    };
    const auto ledger = must_create(options);
    for (std::uint64_t number = 1; number <= 20; ++number) {
        must_commit(*ledger, twin_.grow(random_));
        while (ledger->durable() < number)
            std::this_thread::yield();
    }
    ASSERT_TRUE(ledger->close().has_value());
    const std::lock_guard lock{mutex};
    EXPECT_EQ(reported.back(), 20u);
    EXPECT_TRUE(std::ranges::is_sorted(reported));
}

TEST_F(DurableBlocksTest, waiting_makes_blocks_durable_whatever_the_policy_says) {
    const auto ledger = must_create(options_for(directory_));
    for (int i = 0; i < 5; ++i)
        must_commit(*ledger, twin_.grow(random_));
    EXPECT_EQ(ledger->durable(), 0u);
    ASSERT_TRUE(ledger->wait_durable(0).has_value());
    ASSERT_TRUE(ledger->wait_durable(3).has_value());
    EXPECT_GE(ledger->durable(), 3u);
    ASSERT_TRUE(ledger->wait_durable(5).has_value());
    EXPECT_EQ(ledger->durable(), 5u);
}

}  // namespace
}  // namespace heddle::ledger
