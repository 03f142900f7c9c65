// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "durable/block_writer.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "broken_file.hpp"
#include "comes_true.hpp"
#include "durable/records.hpp"
#include "forced_files.hpp"
#include "storage/schema.hpp"
#include "temporary_folder.hpp"

namespace heddle::ledger {
namespace {

constexpr SyncPolicy kNever{.blocks = 1'000'000, .interval = std::chrono::hours(24)};
constexpr SyncPolicy kLingering{
    .blocks = 1'000'000, .interval = std::chrono::hours(24), .linger = std::chrono::hours(24)};

class BlockWriterTest : public testing::Test {
protected:
    void start(BlockWriterOptions options) {
        BlockWriter::Events events;
        events.on_durable = [this](std::uint64_t number) {
            const std::lock_guard lock{mutex_};
            durable_.push_back(number);
        };
        events.on_state_persisted = [this](std::uint64_t number) { persisted_ = number; };
        events.on_failure = [this](const LedgerError&) { ++failures_; };
        start(options, std::move(events));
    }
    void start(BlockWriterOptions options, BlockWriter::Events events) {
        writer_ =
            std::make_unique<BlockWriter>(*database_, options, std::move(events), recent_, 0, 0, 1);
    }
    /// One that finds blocks whose state is in the tables, and all of whose history is kept.
    void go_on(BlockWriterOptions options, std::uint64_t head) {
        writer_.reset();
        writer_ = std::make_unique<BlockWriter>(*database_, options, BlockWriter::Events{}, recent_,
                                                head, head, 1);
    }

    /// Block `number` sets Alice's nonce to its number, and so many of her slots.
    SharedBlock block(std::uint64_t number, std::size_t slots = 1) {
        auto pending = std::make_shared<PendingBlock>();
        StoredBlock stored;
        stored.block.header.number = number;
        stored.hash = header_hash(stored.block.header);
        pending->stored = std::make_shared<const StoredBlock>(std::move(stored));
        BlockChanges changes;
        AccountUpdate& update = changes.accounts.emplace_back();
        update.address = kAlice;
        if (number > 1) update.before = AccountRecord{Account{number - 1, 0}};
        update.after = AccountRecord{Account{number, 0}};
        for (std::uint64_t slot = 1; slot <= slots; ++slot)
            update.slots.push_back({slot, number - 1, number});
        pending->changes = std::make_shared<const BlockChanges>(std::move(changes));
        recent_.add(number, pending->changes);
        return pending;
    }
    void push(std::uint64_t number, bool is_checkpoint = false) {
        push(block(number), is_checkpoint);
    }
    void push(SharedBlock block, bool is_checkpoint) {
        std::optional<WriteBatch> nodes;
        if (is_checkpoint) nodes.emplace(database_->batch());
        ASSERT_TRUE(writer_->push(std::move(block), std::move(nodes)).has_value());
    }
    void wait_written(std::uint64_t number) const {
        while (writer_->find(number) != nullptr)
            std::this_thread::yield();
    }
    [[nodiscard]] std::uint64_t nonce_in_tables() const {
        const auto bytes = database_->get(Table::accounts, schema::hash_of(kAlice).view());
        if (!bytes.has_value() || !bytes->has_value()) return 0;
        return schema::decode_account_entry(**bytes)->record.account.nonce;
    }
    [[nodiscard]] std::uint64_t number_in_meta(schema::Meta key) const {
        return read_number(*database_, key).value().value_or(0);
    }

    static constexpr Address kAlice = address_from_low64(0xa11ce);
    test::TemporaryFolder folder_;
    std::unique_ptr<Database> database_ =
        *Database::open({.directory = folder_ / "db", .create = true});
    RecentChanges recent_;
    std::mutex mutex_;
    std::vector<std::uint64_t> durable_;
    std::atomic<std::uint64_t> persisted_ = 0;
    std::atomic<int> failures_ = 0;
    std::unique_ptr<BlockWriter> writer_;
};

TEST(PendingBlock, counts_access_lists_of_transactions_and_code) {
    constexpr std::size_t kKeys = 1'000;
    constexpr std::size_t kCodeBytes = 24'000;
    PendingBlock pending;
    pending.changes = std::make_shared<const BlockChanges>();
    StoredBlock stored;
    stored.block.transactions.resize(1);
    pending.stored = std::make_shared<const StoredBlock>(stored);
    const std::size_t before = pending.size_bytes();

    stored.block.transactions[0].access_list.push_back({Address{}, std::vector<Hash>(kKeys)});
    pending.stored = std::make_shared<const StoredBlock>(stored);
    pending.codes.push_back({Hash{}, Bytes(kCodeBytes)});

    EXPECT_GE(pending.size_bytes(), before + kKeys * sizeof(Hash) + kCodeBytes);
}

TEST_F(BlockWriterTest, block_is_found_until_it_is_in_the_database) {
    start({.sync = kNever});
    for (std::uint64_t number = 1; number <= 50; ++number) {
        const SharedBlock pushed = block(number);
        ASSERT_TRUE(writer_->push(pushed).has_value());
        const SharedBlock found = writer_->find(number);
        if (found == nullptr)
            EXPECT_TRUE(read_header(*database_, number).value().has_value());
        else
            EXPECT_EQ(found, pushed);
        const SharedBlock by_hash = writer_->find(pushed->stored->hash);
        EXPECT_TRUE(by_hash == nullptr || by_hash == pushed);
    }
    EXPECT_EQ(writer_->find(51), nullptr);
    wait_written(50);
    EXPECT_EQ(read_head(*database_).value()->number, 50u);
}

TEST_F(BlockWriterTest, sync_after_so_many_blocks) {
    start({.sync = {.blocks = 3, .interval = std::chrono::hours(24)}});
    for (std::uint64_t number = 1; number <= 2; ++number) {
        push(number);
        wait_written(number);
        EXPECT_EQ(writer_->durable(), 0u);
    }
    push(3);
    while (writer_->durable() != 3)
        std::this_thread::yield();
    push(4);
    wait_written(4);
    EXPECT_EQ(writer_->durable(), 3u);
    writer_.reset();
    EXPECT_EQ(durable_, (std::vector<std::uint64_t>{3, 4}));
}

TEST_F(BlockWriterTest, syncs_when_the_interval_is_over_however_few_blocks_there_are) {
    start({.sync = {.blocks = 1'000'000, .interval = std::chrono::milliseconds(1)}});
    push(1);
    while (writer_->durable() != 1)
        std::this_thread::yield();
    push(2);
    while (writer_->durable() != 2)
        std::this_thread::yield();
}

TEST_F(BlockWriterTest, longest_interval_is_no_overflow) {
    start({.sync = {.blocks = 1'000'000, .interval = std::chrono::milliseconds::max()}});
    push(1);
    wait_written(1);
    push(2);
    wait_written(2);
    EXPECT_EQ(writer_->durable(), 0u);
    EXPECT_TRUE(writer_->wait_durable(2).has_value());
}

TEST_F(BlockWriterTest, waiting_syncs_although_more_blocks_keep_coming) {
    start({.sync = kNever});
    std::atomic<bool> is_done = false;
    std::jthread pusher([&] {
        for (std::uint64_t number = 1; !is_done; ++number)
            push(number);
    });
    for (const std::uint64_t number : {1u, 20u, 100u}) {
        ASSERT_TRUE(writer_->wait_durable(number).has_value());
        EXPECT_GE(writer_->durable(), number);
    }
    is_done = true;
}

TEST_F(BlockWriterTest, checkpoint_brings_the_tables_to_its_block) {
    start({.sync = kNever, .history_blocks = kArchive});
    for (std::uint64_t number = 1; number <= 4; ++number)
        push(number);
    EXPECT_FALSE(writer_->has_checkpoint_under_way());
    wait_written(4);
    EXPECT_EQ(nonce_in_tables(), 0u);
    push(5, true);
    ASSERT_TRUE(writer_->wait_checkpoint().has_value());
    EXPECT_EQ(nonce_in_tables(), 5u);
    EXPECT_EQ(number_in_meta(schema::Meta::state_block), 5u);
    EXPECT_EQ(writer_->state_block(), 5u);
    EXPECT_EQ(persisted_, 5u);
    EXPECT_TRUE(recent_.through(100).empty());

    push(6);
    push(7);
    ASSERT_TRUE(writer_->push_checkpoint(database_->batch()).has_value());
    ASSERT_TRUE(writer_->wait_checkpoint().has_value());
    EXPECT_EQ(nonce_in_tables(), 7u);
    EXPECT_EQ(writer_->state_block(), 7u);
    for (std::uint64_t number = 1; number <= 7; ++number)
        EXPECT_TRUE(read_changes(*database_, number).value().has_value());
}

TEST_F(BlockWriterTest, checkpoint_is_of_its_own_block_whatever_follows) {
    start({.sync = kNever, .history_blocks = kArchive});
    for (std::uint64_t number = 1; number <= 300; ++number)
        push(number, number % 7 == 0);
    ASSERT_TRUE(writer_->wait_checkpoint().has_value());
    EXPECT_EQ(writer_->state_block(), 294u);
    EXPECT_EQ(nonce_in_tables(), 294u);
    EXPECT_EQ(recent_.through(1000).size(), 6u);
}

TEST_F(BlockWriterTest, checkpoint_is_under_way_until_it_is_written) {
    start({.sync = kNever, .history_blocks = kArchive});
    push(1, true);
    push(2);
    wait_written(2);  // which is written after the checkpoint
    EXPECT_FALSE(writer_->has_checkpoint_under_way());
}

TEST_F(BlockWriterTest, history_is_kept_for_so_many_blocks) {
    start({.sync = kNever, .history_blocks = 3});
    for (std::uint64_t number = 1; number <= 10; ++number) {
        push(number, true);
        ASSERT_TRUE(writer_->wait_checkpoint().has_value());
        EXPECT_EQ(writer_->first_history(), number <= 3 ? 1 : number - 2);
        EXPECT_EQ(number_in_meta(schema::Meta::first_history), writer_->first_history());
    }
    const Hash alice = schema::hash_of(kAlice);
    for (std::uint64_t number = 1; number <= 10; ++number) {
        const auto past =
            database_->get(Table::history, schema::history_key(alice.view(), number)).value();
        EXPECT_EQ(past.has_value(), number >= 8) << number;
        EXPECT_EQ(read_changes(*database_, number).value().has_value(), number >= 8) << number;
    }
}

/// Where a ledger that has kept all history is to keep little, of blocks larger than those of now:
/// what one checkpoint dropped was four of them for each that came, in memory more than once.
TEST_F(BlockWriterTest, checkpoint_drops_no_more_history_than_it_may_hold) {
    constexpr std::uint64_t kLarge = 6;
    constexpr std::size_t kSlots = 50'000;
    start({.sync = kNever, .history_blocks = kArchive});
    for (std::uint64_t number = 1; number <= kLarge; ++number)
        push(block(number, kSlots), true);
    go_on({.sync = kNever, .history_blocks = 0}, kLarge);

    std::vector<std::uint64_t> first;
    for (std::uint64_t number = kLarge + 1; number <= kLarge + 6; ++number) {
        push(number, true);
        ASSERT_TRUE(writer_->wait_checkpoint().has_value());
        first.push_back(writer_->first_history());
    }

    // Of these two have more than 100,000 values; small ones go four at a time.
    EXPECT_EQ(first, (std::vector<std::uint64_t>{3, 5, 7, 11, 12, 13}));
    EXPECT_FALSE(read_changes(*database_, kLarge).value().has_value());
}

/// Of large blocks as many are dropped as come.
TEST_F(BlockWriterTest, history_of_large_blocks_does_not_pile_up) {
    constexpr std::size_t kSlots = 130'000;
    start({.sync = kNever, .history_blocks = 1});
    for (std::uint64_t number = 1; number <= 4; ++number) {
        const bool is_checkpoint = number % 2 == 0;
        push(block(number, kSlots), is_checkpoint);
        if (!is_checkpoint) continue;
        ASSERT_TRUE(writer_->wait_checkpoint().has_value());
        EXPECT_EQ(writer_->first_history(), number);
    }
}

TEST_F(BlockWriterTest, full_queue_makes_the_committer_wait) {
    std::promise<void> reached;
    std::promise<void> released;
    BlockWriter::Events events;
    std::atomic<bool> is_first = true;
    events.on_durable = [&](std::uint64_t) {
        if (!is_first.exchange(false)) return;
        reached.set_value();
        released.get_future().wait();
    };
    start({.sync = {.blocks = 1}, .max_queued_blocks = 4}, std::move(events));
    push(1);
    reached.get_future().wait();
    std::atomic<std::uint64_t> pushed = 1;
    std::jthread pusher([&] {
        for (std::uint64_t number = 2; number <= 20; ++number) {
            push(number);
            pushed = number;
        }
    });
    while (pushed < 5)
        std::this_thread::yield();
    // Longer would only make the test stronger.
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(pushed, 5u);
    released.set_value();
    pusher.join();
    EXPECT_EQ(pushed, 20u);
    EXPECT_TRUE(writer_->wait_durable(20).has_value());
    writer_.reset();  // its thread may be about to look at what is here
}

TEST_F(BlockWriterTest, block_larger_than_the_queue_passes_alone) {
    start({.sync = kNever, .max_queued_bytes = 1});
    for (std::uint64_t number = 1; number <= 10; ++number) {
        ASSERT_TRUE(writer_->wait_for_room().has_value());
        push(number);
    }
    EXPECT_TRUE(writer_->wait_durable(10).has_value());
}

TEST_F(BlockWriterTest, block_larger_than_two_queues_is_written_before_another_one_is_taken) {
    const SharedBlock large = block(1);
    std::atomic<bool> is_written = false;
    BlockWriter::Events events;
    events.on_durable = [&](std::uint64_t) {
        // Room that came while it is being written would be seen meanwhile.
        for (int i = 0; i < 1000; ++i)
            std::this_thread::yield();
        is_written = true;
    };
    start({.sync = {.blocks = 1}, .max_queued_bytes = large->size_bytes() / 2}, events);
    EXPECT_TRUE(writer_->push(large).has_value());
    EXPECT_TRUE(writer_->wait_for_room().has_value());
    EXPECT_TRUE(is_written);
}

TEST_F(BlockWriterTest, another_one_is_taken_while_a_block_of_one_queue_is_written) {
    const SharedBlock large = block(1);
    std::promise<void> has_room;
    BlockWriter::Events events;
    events.on_durable = [&](std::uint64_t) { has_room.get_future().wait(); };
    start({.sync = {.blocks = 1}, .max_queued_bytes = large->size_bytes()}, events);
    EXPECT_TRUE(writer_->push(large).has_value());
    EXPECT_TRUE(writer_->wait_for_room().has_value());
    has_room.set_value();
    writer_.reset();  // its thread may be about to look at what is here
}

TEST_F(BlockWriterTest, lingering_blocks_are_written_together_when_somebody_waits_for_one) {
    start({.sync = kLingering});
    for (std::uint64_t number = 1; number <= 3; ++number)
        push(number);
    ASSERT_NE(writer_->find(1), nullptr);
    EXPECT_FALSE(read_header(*database_, 1).value().has_value());
    ASSERT_TRUE(writer_->wait_written(1).has_value());
    EXPECT_EQ(read_head(*database_).value()->number, 3u);
    EXPECT_EQ(writer_->find(3), nullptr);
    // And once nobody waits any more they linger again.
    push(4);
    push(5);
    EXPECT_NE(writer_->find(4), nullptr);
    EXPECT_FALSE(read_header(*database_, 4).value().has_value());
}

TEST_F(BlockWriterTest, nobody_waits_for_the_linger) {
    start({.sync = kLingering});
    push(1);
    ASSERT_TRUE(writer_->wait_durable(1).has_value());
    push(2);
    ASSERT_TRUE(writer_->wait_idle().has_value());
    EXPECT_EQ(writer_->find(2), nullptr);
    push(3, true);
    ASSERT_TRUE(writer_->wait_checkpoint().has_value());
    EXPECT_EQ(persisted_, 3u);
}

TEST_F(BlockWriterTest, who_waits_for_a_block_waits_for_no_linger) {
    start({.sync = kLingering, .max_queued_blocks = 8});
    push(1);
    std::atomic<bool> is_written = false;
    const std::jthread waiting([&] {
        EXPECT_TRUE(writer_->wait_written(1).has_value());
        is_written = true;
    });
    EXPECT_TRUE(test::comes_true([&] { return is_written.load(); }));
    // Half a queue is written in any case, so that who waits for the linger comes back as well.
    for (std::uint64_t number = 2; number <= 4; ++number)
        push(number);
}

TEST_F(BlockWriterTest, half_a_queue_is_written_whatever_the_linger) {
    start({.sync = kLingering, .max_queued_blocks = 8});
    for (std::uint64_t number = 1; number <= 4; ++number)
        push(number);
    wait_written(4);
    EXPECT_EQ(read_head(*database_).value()->number, 4u);
}

TEST_F(BlockWriterTest, lingering_blocks_are_written_when_the_time_is_over) {
    SyncPolicy soon = kNever;
    soon.linger = std::chrono::milliseconds(5);
    start({.sync = soon});
    push(1);
    wait_written(1);
    EXPECT_EQ(read_head(*database_).value()->number, 1u);
}

TEST_F(BlockWriterTest, longest_linger_is_no_overflow_and_ends_with_the_writer) {
    SyncPolicy longest = kNever;
    longest.linger = std::chrono::milliseconds::max();
    start({.sync = longest});
    push(1);
    writer_.reset();
    EXPECT_EQ(read_head(*database_).value()->number, 1u);
}

TEST_F(BlockWriterTest, a_failure_without_its_folder_is_that_the_folder_was_removed) {
    for (const bool is_there : {true, false}) {
        std::promise<LedgerError> failure;
        BlockWriterOptions options{.sync = kNever};
        options.directory = is_there ? folder_.path() : folder_.path() / "gone";
        BlockWriter::Events events;
        events.on_failure = [&](const LedgerError& error) { failure.set_value(error); };
        start(options, std::move(events));

        writer_->fail({LedgerErrorCode::corrupt, "a file is not there"});

        const LedgerError told = failure.get_future().get();
        EXPECT_EQ(told.code, is_there ? LedgerErrorCode::corrupt : LedgerErrorCode::removed);
        EXPECT_EQ(told.detail, "a file is not there");
        EXPECT_EQ(writer_->wait_idle().error().code, told.code);
    }
}

TEST_F(BlockWriterTest, a_second_failure_is_told_to_nobody) {
    start({.sync = kNever});
    push(1);
    wait_written(1);
    // What the last sync needs.
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "db"))
        if (entry.path().extension() == ".log") test::break_open_file(entry.path());

    writer_->fail({LedgerErrorCode::io_error, "a write beside the queue"});
    const auto waited = writer_->wait_durable(1);
    writer_.reset();

    ASSERT_FALSE(waited.has_value());
    EXPECT_EQ(waited.error().detail, "a write beside the queue");
    EXPECT_EQ(failures_, 1);
}

/// What was forced was the block that has been taken back since, not the one in its place.
TEST_F(BlockWriterTest, blocks_taken_back_while_they_are_forced_do_not_count_as_durable) {
    start({.sync = kNever});
    push(1);
    push(2);
    wait_written(2);
    bool is_rewound = false;
    test::once_data_is_forced([&] {
        recent_.drop_above(1);
        writer_->rewind(1);
        is_rewound = true;
    });

    const auto waited = writer_->wait_durable(1);
    push(2);
    wait_written(2);

    EXPECT_TRUE(waited.has_value());
    EXPECT_TRUE(is_rewound);
    EXPECT_EQ(writer_->durable(), 1u);
    const std::lock_guard lock{mutex_};
    EXPECT_EQ(durable_, std::vector<std::uint64_t>{1});
}

TEST_F(BlockWriterTest, ending_writes_what_is_queued) {
    start({.sync = kNever});
    for (std::uint64_t number = 1; number <= 100; ++number)
        push(number, number == 60);
    writer_.reset();
    EXPECT_EQ(read_head(*database_).value()->number, 100u);
    EXPECT_EQ(nonce_in_tables(), 60u);
    EXPECT_EQ(durable_.back(), 100u);
    EXPECT_TRUE(std::ranges::is_sorted(durable_));
    EXPECT_EQ(failures_, 0);
}

}  // namespace
}  // namespace heddle::ledger
