// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What follows from a block's hash is restored, nothing else is; whenever it ends, it goes on.
#include "cometbft/state_sync.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "history_contract.hpp"
#include "temporary_folder.hpp"
#include "test_node.hpp"

namespace heddle::node {
namespace {

namespace fs = std::filesystem;
using consensus_adapter::BlockId;
using consensus_adapter::cometbft::ApplyOutcome;
using consensus_adapter::cometbft::ApplyResult;
using consensus_adapter::cometbft::OfferResult;
using consensus_adapter::cometbft::SnapshotOffer;
using heddle::test::TemporaryFolder;
using test::kHistoryAddress;
using test::TestNode;

const ValidatorContractConfig kValidators{address_from_low64(0x5a), 10};

Genesis genesis() {
    Genesis genesis = test::genesis_with_history();
    test::add_large_codes(genesis, 900);  // three chunks
    return genesis;
}

/// Another one's snapshot, once for all tests: three chunks, of block 4.
struct Source {
    static constexpr std::uint64_t kBlocks = 4;
    Source() {
        for (std::uint64_t i = 0; i < kBlocks; ++i)
            store.on_committed(node.decide({test::call(0, i, kHistoryAddress)}));
        store.wait_idle();
        offer = store.list().at(0);
        for (std::uint32_t i = 0; i < offer.chunks; ++i)
            chunks.push_back(store.load_chunk(offer.height, offer.format, i));
        head = node.head();
    }
    static SnapshotStoreOptions options(const std::string& datadir) {
        SnapshotStoreOptions result;
        result.folder = snapshot_folder(datadir);
        result.interval = kBlocks;
        return result;
    }
    TemporaryFolder folder;
    const Genesis first = genesis();
    TestNode node{folder / "data", first, kValidators};
    SnapshotStore store{node.chain(), ready()};
    SnapshotOffer offer;
    std::vector<Bytes> chunks;
    BlockId head;

private:
    [[nodiscard]] SnapshotStoreOptions ready() const { return options(folder / "data"); }
};

Source& source() {
    static Source the_source;
    return the_source;
}

class StateSyncTest : public testing::Test {
protected:
    [[nodiscard]] StateSyncOptions options() {
        StateSyncOptions result;
        result.ledger.directory = datadir_;
        result.ledger.memory_bytes = std::size_t{64} << 20;
        result.config = source().first.config;
        result.validators = kValidators;
        result.genesis_hash = source().node.ledger().block_hash(0);
        result.on_restored = [this]() -> std::expected<void, std::string> {
            ++restored_;
            return {};
        };
        return result;
    }
    static OfferResult offer(StateSync& sync, const SnapshotOffer& offer) {
        return sync.offer(offer, source().head.hash.view());
    }
    /// From the first on, as CometBFT does, until one is not accepted.
    static ApplyOutcome apply_all(StateSync& sync, const std::vector<Bytes>& chunks) {
        for (std::uint32_t i = 0; i < chunks.size(); ++i)
            if (const ApplyOutcome outcome = sync.apply(i, chunks[i]);
                outcome.result != ApplyResult::accept)
                return outcome;
        return {};
    }
    /// The chunks as another node would have made them up, and an offer that fits them.
    static std::pair<SnapshotOffer, std::vector<Bytes>> forged(std::size_t chunk,
                                                               std::size_t byte) {
        SnapshotOffer offer = source().offer;
        std::vector<Bytes> chunks = source().chunks;
        chunks[chunk][byte] ^= 1;
        auto manifest = ledger::decode_manifest(offer.metadata).value();
        manifest.chunks[chunk].hash = keccak256(chunks[chunk]);
        set_manifest(offer, manifest);
        return {offer, chunks};
    }
    static void set_manifest(SnapshotOffer& offer, const ledger::SnapshotManifest& manifest) {
        offer.metadata = encode_manifest(manifest);
        const Hash id = ledger::snapshot_id(offer.metadata);
        offer.hash.assign(id.bytes.begin(), id.bytes.end());
        offer.chunks = static_cast<std::uint32_t>(manifest.chunks.size());
    }
    void expect_restored() {
        EXPECT_EQ(restored_, 1);
        TestNode node(datadir_);
        EXPECT_EQ(node.head(), source().head);
    }

    TemporaryFolder folder_;
    const std::string datadir_ = folder_ / "data";
    int restored_ = 0;
};

TEST_F(StateSyncTest, restores_the_chain_of_an_offer) {
    StateSync sync(options());
    ASSERT_EQ(source().chunks.size(), 3u);

    ASSERT_EQ(offer(sync, source().offer), OfferResult::accept);
    for (std::uint32_t i = 0; i < 3; ++i) {
        EXPECT_EQ(restored_, 0);
        ASSERT_EQ(sync.apply(i, source().chunks[i]).result, ApplyResult::accept);
    }

    expect_restored();
}

TEST_F(StateSyncTest, goes_on_after_an_end_between_any_two_chunks) {
    {
        StateSync sync(options());
        ASSERT_EQ(offer(sync, source().offer), OfferResult::accept);
    }
    for (std::size_t there = 0; there < 3; ++there) {
        StateSync sync(options());
        ASSERT_EQ(offer(sync, source().offer), OfferResult::accept);
        for (std::uint32_t i = 0; i < there; ++i)
            ASSERT_EQ(sync.apply(i, {}).result, ApplyResult::accept) << "it is there already";
        ASSERT_EQ(restored_, 0);
        if (there == 2) break;
        ASSERT_EQ(sync.apply(static_cast<std::uint32_t>(there), source().chunks[there]).result,
                  ApplyResult::accept);
    }

    StateSync sync(options());
    ASSERT_EQ(offer(sync, source().offer), OfferResult::accept);
    ASSERT_EQ(apply_all(sync, source().chunks).result, ApplyResult::accept);

    expect_restored();
}

TEST_F(StateSyncTest, takes_another_snapshot_in_the_middle_of_one) {
    const auto [other, chunks] = forged(2, 5'000);
    StateSync sync(options());
    ASSERT_EQ(offer(sync, other), OfferResult::accept);
    ASSERT_EQ(sync.apply(0, chunks[0]).result, ApplyResult::accept);
    ASSERT_EQ(sync.apply(1, chunks[1]).result, ApplyResult::accept);

    ASSERT_EQ(offer(sync, source().offer), OfferResult::accept);
    ASSERT_EQ(apply_all(sync, source().chunks).result, ApplyResult::accept);

    expect_restored();
}

TEST_F(StateSyncTest, fetches_a_wrong_chunk_again_from_somebody_else) {
    StateSync sync(options());
    ASSERT_EQ(offer(sync, source().offer), OfferResult::accept);
    ASSERT_EQ(sync.apply(0, source().chunks[0]).result, ApplyResult::accept);
    Bytes wrong = source().chunks[1];
    wrong[77] ^= 1;

    for (const Bytes& bytes : {wrong, Bytes{}, source().chunks[0]}) {
        const ApplyOutcome outcome = sync.apply(1, bytes);
        EXPECT_EQ(outcome.result, ApplyResult::retry);
        EXPECT_EQ(outcome.refetch_chunks, std::vector<std::uint32_t>{1});
        EXPECT_TRUE(outcome.rejects_sender);
    }

    ASSERT_EQ(sync.apply(1, source().chunks[1]).result, ApplyResult::accept);
    ASSERT_EQ(sync.apply(2, source().chunks[2]).result, ApplyResult::accept);
    expect_restored();
}

TEST_F(StateSyncTest, rejects_a_snapshot_whose_chunks_are_made_up_and_takes_the_right_one) {
    struct Forgery {
        std::size_t chunk;
        std::size_t byte;
    };
    // The first record's length; code of a contract, which shows at the end; the last byte.
    for (const Forgery forgery :
         {Forgery{0, 1}, Forgery{1, 5'000'000}, Forgery{2, source().chunks[2].size() - 1}}) {
        const auto [bad, chunks] = forged(forgery.chunk, forgery.byte);
        StateSync sync(options());
        for (int time = 0; time < 2; ++time) {
            ASSERT_EQ(offer(sync, bad), OfferResult::accept);
            const ApplyOutcome outcome = apply_all(sync, chunks);
            EXPECT_EQ(outcome.result, ApplyResult::reject_snapshot);
            EXPECT_TRUE(outcome.rejects_sender) << "its next forgery is fetched as well";
        }
        EXPECT_EQ(restored_, 0);
        EXPECT_FALSE(ledger::DurableLedger::exists(datadir_));
    }

    StateSync sync(options());
    ASSERT_EQ(offer(sync, source().offer), OfferResult::accept);
    ASSERT_EQ(apply_all(sync, source().chunks).result, ApplyResult::accept);
    expect_restored();
}

TEST_F(StateSyncTest, rejects_a_snapshot_in_which_somebody_is_richer_than_the_block_says) {
    const Bytes& chunk = source().chunks[0];
    const Address rich = dev_accounts()[7].address;
    const Bytes balance = from_hex("021e19e0c9bab2400000").value();
    const auto account = std::ranges::search(chunk, rich.bytes);
    ASSERT_FALSE(account.empty());
    const auto wei = std::search(account.end(), chunk.end(), balance.begin(), balance.end());
    ASSERT_LT(wei - account.end(), 10);
    const auto [bad, chunks] = forged(0, static_cast<std::size_t>(wei - chunk.begin()));
    StateSync sync(options());

    ASSERT_EQ(offer(sync, bad), OfferResult::accept);
    ASSERT_EQ(sync.apply(0, chunks[0]).result, ApplyResult::accept);
    ASSERT_EQ(sync.apply(1, chunks[1]).result, ApplyResult::accept);
    EXPECT_EQ(sync.apply(2, chunks[2]).result, ApplyResult::reject_snapshot);
    EXPECT_EQ(restored_, 0);

    ASSERT_EQ(offer(sync, source().offer), OfferResult::accept);
    ASSERT_EQ(apply_all(sync, source().chunks).result, ApplyResult::accept);
    expect_restored();
}

TEST_F(StateSyncTest, refuses_what_is_not_what_it_says_it_is) {
    StateSync sync(options());
    const SnapshotOffer& good = source().offer;
    const auto with = [&](auto change) {
        SnapshotOffer changed = good;
        change(changed);
        return offer(sync, changed);
    };

    EXPECT_EQ(with([](auto& o) { o.format = 2; }), OfferResult::reject_format);
    EXPECT_EQ(with([](auto& o) { o.hash[3] ^= 1; }), OfferResult::reject_sender);
    EXPECT_EQ(with([](auto& o) { o.hash.clear(); }), OfferResult::reject_sender);
    EXPECT_EQ(with([](auto& o) { o.metadata.clear(); }), OfferResult::reject_sender);
    EXPECT_EQ(with([](auto& o) { o.metadata.back() ^= 1; }), OfferResult::reject_sender);
    EXPECT_EQ(with([](auto& o) { ++o.chunks; }), OfferResult::reject_sender);
    EXPECT_EQ(with([](auto& o) { ++o.height; }), OfferResult::reject);
    EXPECT_EQ(sync.offer(good, Hash{}.view()), OfferResult::reject);
    EXPECT_EQ(sync.offer(good, {}), OfferResult::reject);
    EXPECT_FALSE(fs::exists(datadir_)) << "nothing was begun";
    EXPECT_EQ(offer(sync, good), OfferResult::accept);
}

TEST_F(StateSyncTest, refuses_a_header_that_is_not_the_verified_one) {
    auto manifest = ledger::decode_manifest(source().offer.metadata).value();
    manifest.header.state_root.bytes[0] ^= 1;
    SnapshotOffer changed = source().offer;
    set_manifest(changed, manifest);
    StateSync sync(options());

    EXPECT_EQ(offer(sync, changed), OfferResult::reject);
}

TEST_F(StateSyncTest, refuses_the_snapshot_of_a_chain_with_other_rules) {
    StateSyncOptions other_rules = options();
    other_rules.config.strict_access_lists = true;
    StateSyncOptions other_validators = options();
    other_validators.validators->epoch_blocks = 11;
    StateSyncOptions no_validators = options();
    no_validators.validators.reset();

    for (const StateSyncOptions& wanted : {other_rules, other_validators, no_validators}) {
        StateSync sync(wanted);
        EXPECT_EQ(offer(sync, source().offer), OfferResult::reject);
    }
}

TEST_F(StateSyncTest, refuses_the_snapshot_of_a_chain_with_another_first_block) {
    StateSyncOptions wanted = options();
    wanted.genesis_hash.bytes[31] ^= 1;
    StateSync sync(wanted);

    ASSERT_EQ(offer(sync, source().offer), OfferResult::accept);
    EXPECT_EQ(sync.apply(0, source().chunks[0]).result, ApplyResult::reject_snapshot);
}

TEST_F(StateSyncTest, asks_for_the_offer_again_where_it_knows_of_none) {
    StateSync sync(options());
    EXPECT_EQ(sync.apply(0, source().chunks[0]).result, ApplyResult::retry_snapshot);
    ASSERT_EQ(offer(sync, source().offer), OfferResult::accept);
    EXPECT_EQ(sync.apply(1, source().chunks[1]).result, ApplyResult::retry_snapshot);
    EXPECT_EQ(sync.apply(7, source().chunks[1]).result, ApplyResult::retry_snapshot);
    EXPECT_EQ(sync.apply(0, source().chunks[0]).result, ApplyResult::accept);
}

TEST_F(StateSyncTest, takes_only_its_own_head_where_there_is_a_chain) {
    {
        StateSync sync(options());
        ASSERT_EQ(offer(sync, source().offer), OfferResult::accept);
        ASSERT_EQ(apply_all(sync, source().chunks).result, ApplyResult::accept);
    }
    TestNode node(datadir_);
    StateSync sync(options());
    sync.chain_is_there(node.chain(), nullptr);

    // CometBFT ended before it noted that the snapshot was restored.
    EXPECT_EQ(offer(sync, source().offer), OfferResult::accept);
    EXPECT_EQ(apply_all(sync, source().chunks).result, ApplyResult::accept);
    EXPECT_EQ(restored_, 1);
    (void)node.decide({});
    EXPECT_EQ(offer(sync, source().offer), OfferResult::reject);
}

TEST_F(StateSyncTest, leaves_a_folder_with_other_files_alone) {
    fs::create_directories(datadir_);
    std::ofstream(fs::path(datadir_) / "letter.txt") << "dear";
    StateSync sync(options());

    EXPECT_EQ(offer(sync, source().offer), OfferResult::abort);
    EXPECT_TRUE(fs::exists(fs::path(datadir_) / "letter.txt"));
}

TEST_F(StateSyncTest, says_so_where_the_node_cannot_start_on_what_was_restored) {
    StateSyncOptions wanted = options();
    wanted.on_restored = []() -> std::expected<void, std::string> {
        return std::unexpected("the port is taken");
    };
    StateSync sync(wanted);
    ASSERT_EQ(offer(sync, source().offer), OfferResult::accept);

    EXPECT_EQ(apply_all(sync, source().chunks).result, ApplyResult::abort);
}

TEST_F(StateSyncTest, serves_once_there_is_a_chain) {
    StateSync sync(options());
    EXPECT_TRUE(sync.list().empty());
    EXPECT_TRUE(sync.load_chunk(4, 1, 0).empty());

    sync.chain_is_there(source().node.chain(), &source().store);

    ASSERT_EQ(sync.list().size(), 1u);
    EXPECT_EQ(sync.load_chunk(4, 1, 2), source().chunks[2]);
}

}  // namespace
}  // namespace heddle::node
