// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Snapshots are made beside the chain, and only what is whole and of this chain is offered.
#include "cometbft/snapshot_store.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "cometbft/state_sync.hpp"
#include "copied_folder.hpp"
#include "history_contract.hpp"
#include "temporary_folder.hpp"
#include "test_node.hpp"

namespace heddle::node {
namespace {

namespace fs = std::filesystem;
using consensus_adapter::cometbft::SnapshotOffer;
using heddle::test::TemporaryFolder;
using test::kHistoryAddress;
using test::TestNode;

class SnapshotStoreTest : public testing::Test {
protected:
    /// Blocks up to this one, each told to the store.
    void grow(SnapshotStore* store, std::uint64_t last) {
        while (node_.head().number < last) {
            const BlockId block = node_.decide({test::call(0, nonce_++, kHistoryAddress)});
            if (store == nullptr) continue;
            store->on_committed(block);
            store->wait_idle();
        }
    }
    [[nodiscard]] SnapshotStoreOptions options(std::uint64_t interval, std::size_t kept = 2) const {
        SnapshotStoreOptions result;
        result.folder = snapshot_folder(datadir_);
        result.interval = interval;
        result.kept = kept;
        return result;
    }
    static std::vector<std::uint64_t> heights(const SnapshotStore& store) {
        std::vector<std::uint64_t> result;
        for (const SnapshotOffer& offer : store.list())
            result.push_back(offer.height);
        return result;
    }
    [[nodiscard]] fs::path folder(const std::string& name) const {
        return fs::path(snapshot_folder(datadir_)) / name;
    }
    using BlockId = consensus_adapter::BlockId;

    TemporaryFolder folder_;
    const std::string datadir_ = folder_ / "data";
    TestNode node_{datadir_, test::genesis_with_history()};
    std::uint64_t nonce_ = 0;
};

using Heights = std::vector<std::uint64_t>;

TEST_F(SnapshotStoreTest, makes_one_every_so_many_blocks_and_keeps_the_newest) {
    SnapshotStore store(node_.chain(), options(3));
    store.wait_idle();

    grow(&store, 13);

    EXPECT_EQ(heights(store), (Heights{12, 9}));
    EXPECT_EQ(store.stats().made, 4u);
    EXPECT_EQ(store.stats().failed, 0u);
    EXPECT_FALSE(fs::exists(folder("3")));
    EXPECT_FALSE(fs::exists(folder("6")));
    EXPECT_TRUE(ledger::verify_snapshot(folder("12").string(), nullptr).has_value());
}

// One that takes longer to fetch than its node takes to make so many newer ones was removed under
// the newcomer, which began again with a newer one, and never came to an end.
TEST_F(SnapshotStoreTest, one_that_is_being_fetched_stays_and_is_not_offered) {
    SnapshotStoreOptions wanted = options(3);
    wanted.hold = wanted.longest_hold = std::chrono::hours{100};
    SnapshotStore store(node_.chain(), std::move(wanted));
    store.wait_idle();
    grow(&store, 7);
    const Bytes chunk = store.load_chunk(3, 1, 0);
    ASSERT_FALSE(chunk.empty());

    grow(&store, 16);

    EXPECT_EQ(heights(store), (Heights{15, 12}));
    EXPECT_EQ(store.load_chunk(3, 1, 0), chunk);
    EXPECT_EQ(store.oldest(), 3u) << "its blocks are needed";
    EXPECT_TRUE(store.load_chunk(6, 1, 0).empty()) << "nobody has asked for it";
    EXPECT_FALSE(fs::exists(folder("6")));
}

TEST_F(SnapshotStoreTest, no_more_stay_for_who_fetches_them_than_are_offered) {
    SnapshotStoreOptions wanted = options(2, 1);
    wanted.hold = wanted.longest_hold = std::chrono::hours{100};
    SnapshotStore store(node_.chain(), std::move(wanted));
    store.wait_idle();
    for (std::uint64_t height = 2; height <= 10; height += 2) {
        grow(&store, height);
        for (std::uint64_t old = 2; old <= height; old += 2)
            (void)store.load_chunk(old, 1, 0);
    }
    EXPECT_EQ(heights(store), (Heights{10}));
    EXPECT_FALSE(store.load_chunk(2, 1, 0).empty()) << "the first that was asked for";
    for (const std::uint64_t old : {4u, 6u, 8u})
        EXPECT_FALSE(fs::exists(folder(std::to_string(old)))) << old;
}

TEST_F(SnapshotStoreTest, none_stays_longer_than_it_may_for_who_asks_for_ever) {
    for (const bool is_asked_too_rarely : {false, true}) {
        SnapshotStoreOptions wanted = options(2, 1);
        (is_asked_too_rarely ? wanted.longest_hold : wanted.hold) = std::chrono::hours{100};
        (is_asked_too_rarely ? wanted.hold : wanted.longest_hold) = std::chrono::nanoseconds{0};
        SnapshotStore store(node_.chain(), std::move(wanted));
        store.wait_idle();
        const std::uint64_t first = node_.head().number / 2 * 2 + 2;
        grow(&store, first);
        ASSERT_FALSE(store.load_chunk(first, 1, 0).empty());
        grow(&store, first + 2);
        EXPECT_TRUE(store.load_chunk(first, 1, 0).empty());
        EXPECT_FALSE(fs::exists(folder(std::to_string(first))));
    }
}

// On a full disk those that were held took the room of the next ones for ever.
TEST_F(SnapshotStoreTest, one_that_was_fetched_goes_though_no_newer_one_can_be_written) {
    SnapshotStoreOptions wanted = options(2, 1);
    wanted.hold = std::chrono::hours{100};
    wanted.longest_hold = std::chrono::nanoseconds{1};
    SnapshotStore store(node_.chain(), std::move(wanted));
    store.wait_idle();
    grow(&store, 2);
    ASSERT_FALSE(store.load_chunk(2, 1, 0).empty());
    grow(&store, 4);
    ASSERT_TRUE(fs::exists(folder("2"))) << "held";
    fs::create_symlink("nowhere", folder("6"));  // in the way

    grow(&store, 6);

    EXPECT_EQ(store.stats().failed, 1u);
    EXPECT_FALSE(fs::exists(folder("2")));
    EXPECT_EQ(heights(store), (Heights{4}));
}

TEST_F(SnapshotStoreTest, an_offer_is_what_the_snapshot_is) {
    SnapshotStore store(node_.chain(), options(5));
    store.wait_idle();
    grow(&store, 5);

    const auto offers = store.list();

    ASSERT_EQ(offers.size(), 1u);
    const auto reader = ledger::SnapshotReader::open(folder("5").string());
    ASSERT_TRUE(reader.has_value());
    EXPECT_EQ(offers[0].format, ledger::kSnapshotVersion);
    EXPECT_EQ(offers[0].chunks, reader->manifest().chunks.size());
    EXPECT_EQ(offers[0].metadata, reader->manifest_bytes());
    EXPECT_EQ(keccak256(offers[0].metadata).view().size(), offers[0].hash.size());
    EXPECT_TRUE(std::ranges::equal(offers[0].hash, keccak256(offers[0].metadata).bytes));
    EXPECT_EQ(header_hash(reader->manifest().header), node_.head().hash);
    for (int time = 0; time < 2; ++time)
        EXPECT_EQ(keccak256(store.load_chunk(5, 1, 0)), reader->manifest().chunks[0].hash);
    EXPECT_TRUE(store.load_chunk(5, 1, 1).empty());
    EXPECT_TRUE(store.load_chunk(5, 2, 0).empty());
    EXPECT_TRUE(store.load_chunk(4, 1, 0).empty());
}

TEST_F(SnapshotStoreTest, offers_after_a_restart_what_is_whole_and_of_this_chain) {
    {
        SnapshotStore store(node_.chain(), options(2, 9));
        store.wait_idle();
        grow(&store, 8);
        ASSERT_EQ(heights(store), (Heights{8, 6, 4, 2}));
    }
    std::fstream(folder("6") / "chunk-000000", std::ios::in | std::ios::out).seekp(100).put('x');
    fs::copy(folder("8"), folder("7"), fs::copy_options::recursive);
    fs::remove(folder("4") / "manifest");
    fs::create_directories(folder("9.unfinished"));
    fs::create_directories(folder("notes"));

    SnapshotStore store(node_.chain(), options(0, 9));
    store.wait_idle();

    EXPECT_EQ(heights(store), (Heights{8, 2}));
    EXPECT_FALSE(fs::exists(folder("9.unfinished")));
    EXPECT_TRUE(fs::exists(folder("notes")));
}

TEST_F(SnapshotStoreTest, says_which_blocks_newcomers_need_before_anything_is_checked) {
    {
        SnapshotStore store(node_.chain(), options(2, 3));
        EXPECT_EQ(store.oldest(), std::nullopt);
        store.wait_idle();
        grow(&store, 9);
        EXPECT_EQ(store.oldest(), 4u);
    }
    SnapshotStore store(node_.chain(), options(5, 3));
    EXPECT_EQ(store.oldest(), 4u);
    store.wait_idle();
    EXPECT_EQ(store.oldest(), 4u);

    store.on_committed(node_.decide({}));
    EXPECT_LE(store.oldest(), 6u);
    store.wait_idle();
    EXPECT_EQ(store.oldest(), 6u);
}

TEST_F(SnapshotStoreTest, makes_the_one_that_is_due_while_what_was_there_is_being_checked) {
    {
        SnapshotStore store(node_.chain(), options(2, 9));
        store.wait_idle();
        grow(&store, 8);
    }
    SnapshotStore store(node_.chain(), options(1, 9));

    store.on_committed(node_.decide({}));
    store.wait_idle();

    EXPECT_EQ(heights(store), (Heights{9, 8, 6, 4, 2}));
    EXPECT_EQ(store.stats().skipped, 0u);
}

TEST_F(SnapshotStoreTest, offers_nothing_of_another_chain) {
    {
        TestNode other(folder_ / "other");
        (void)other.decide({});
        (void)node_.decide({});
        const auto writer = other.chain().begin_snapshot();
        fs::create_directories(folder(""));
        ASSERT_TRUE((*writer)->write(folder("1").string(), nullptr).has_value());
    }

    SnapshotStore store(node_.chain(), options(0));
    store.wait_idle();

    EXPECT_TRUE(store.list().empty());
}

TEST_F(SnapshotStoreTest, leaves_out_what_cometbft_could_not_carry) {
    SnapshotStoreOptions small = options(1);
    small.max_manifest_bytes = 100;
    SnapshotStore store(node_.chain(), small);
    store.wait_idle();

    grow(&store, 2);

    EXPECT_EQ(store.stats().made, 2u);
    EXPECT_TRUE(store.list().empty());
}

TEST_F(SnapshotStoreTest, offers_no_more_what_was_damaged_meanwhile) {
    SnapshotStore store(node_.chain(), options(2));
    store.wait_idle();
    grow(&store, 4);
    fs::remove(folder("4") / "chunk-000000");

    EXPECT_TRUE(store.load_chunk(4, 1, 0).empty());
    EXPECT_EQ(heights(store), Heights{2});
}

TEST_F(SnapshotStoreTest, skips_a_block_while_another_is_written_and_loses_none_silently) {
    SnapshotStore store(node_.chain(), options(1, 1));
    store.wait_idle();

    for (int i = 0; i < 50; ++i)
        store.on_committed(node_.decide({test::call(0, nonce_++, kHistoryAddress)}));
    store.wait_idle();

    const SnapshotStoreStats stats = store.stats();
    EXPECT_EQ(stats.made + stats.skipped, 50u);
    EXPECT_GE(stats.made, 1u);
    EXPECT_EQ(stats.failed, 0u);
    EXPECT_EQ(store.list().size(), 1u);
}

TEST_F(SnapshotStoreTest, what_was_given_up_is_gone_and_is_made_the_next_time) {
    for (int i = 0; i < 10; ++i) {
        SnapshotStore store(node_.chain(), options(1, 1));
        store.wait_idle();
        store.on_committed(node_.decide({test::call(0, nonce_++, kHistoryAddress)}));
    }

    SnapshotStore store(node_.chain(), options(1, 1));
    store.wait_idle();
    store.on_committed(node_.decide({}));
    store.wait_idle();

    EXPECT_EQ(heights(store), Heights{11});
    std::size_t left = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder("")))
        ++left;
    EXPECT_EQ(left, 1u);
}

TEST_F(SnapshotStoreTest, serves_while_the_chain_grows) {
    SnapshotStore store(node_.chain(), options(3, 2));
    store.wait_idle();
    std::atomic<bool> is_done = false;
    std::atomic<std::uint64_t> loaded = 0;
    std::vector<std::thread> peers;
    for (int i = 0; i < 3; ++i)
        peers.emplace_back([&] {
            do {
                for (const SnapshotOffer& offer : store.list()) {
                    const auto manifest = ledger::decode_manifest(offer.metadata);
                    ASSERT_TRUE(manifest.has_value());
                    const Bytes chunk = store.load_chunk(offer.height, offer.format, 0);
                    if (chunk.empty()) continue;  // no longer kept
                    EXPECT_EQ(keccak256(chunk), manifest->chunks[0].hash);
                    ++loaded;
                }
            } while (!is_done || loaded == 0);
        });

    for (int i = 0; i < 60; ++i)
        store.on_committed(node_.decide({test::call(0, nonce_++, kHistoryAddress)}));
    store.wait_idle();
    is_done = true;
    for (std::thread& peer : peers)
        peer.join();

    EXPECT_GT(loaded, 0u);
    EXPECT_EQ(store.stats().failed, 0u);
}

TEST_F(SnapshotStoreTest, a_data_directory_may_hold_them_beside_its_ledger) {
    {
        SnapshotStore store(node_.chain(), options(1));
        store.wait_idle();
        grow(&store, 2);
    }
    const consensus_adapter::BlockId head = node_.head();
    const std::string copy = folder_ / "copy";
    heddle::test::copy_at_one_moment(datadir_, copy);

    TestNode reopened(copy);

    EXPECT_EQ(reopened.head(), head);
}

}  // namespace
}  // namespace heddle::node
