// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Snapshots: the same bytes on every node, a ledger that goes on like the one they were made of,
// and refusal of everything that is not whole.

#include <algorithm>
#include <thread>

#include <sys/stat.h>

#include <gtest/gtest.h>

#include <ledger/snapshot.hpp>

#include "snapshot_records.hpp"
#include "storage/whole_file.hpp"
#include "tools/snapshot_folders.hpp"
#include "tools/snapshot_stream.hpp"
#include "tools/snapshot_writer.hpp"
#include "tools_chain.hpp"

namespace heddle::ledger {
namespace {

using test::ToolsChain;

Bytes must_read(const std::string& path) {
    auto bytes = read_file(path, std::size_t{1} << 30, LedgerErrorCode::bad_snapshot);
    EXPECT_TRUE(bytes.has_value() && bytes->has_value()) << path;
    return bytes.has_value() && bytes->has_value() ? **std::move(bytes) : Bytes{};
}

class SnapshotTest : public testing::Test {
protected:
    Hash write_snapshot(const std::string& directory, const std::string& to) {
        auto opened = DurableLedger::open(test::tools_options(directory));
        EXPECT_TRUE(opened.has_value());
        auto writer = (*opened)->begin_snapshot();
        EXPECT_TRUE(writer.has_value());
        const auto id = (*writer)->write(to, {});
        EXPECT_TRUE(id.has_value()) << to_string(id.error());
        return id.value_or(Hash{});
    }
    Hash make_snapshot(std::uint64_t head, const std::string& to) {
        const std::string directory = folder_ / ("source" + std::to_string(head));
        if (!DurableLedger::exists(directory)) test::make_ledger(directory, chain_, head);
        return write_snapshot(directory, to);
    }
    std::expected<void, LedgerError> restore(const std::string& from, const std::string& to) {
        const auto reader = SnapshotReader::open(from);
        if (!reader.has_value()) return std::unexpected(reader.error());
        auto restorer =
            SnapshotRestorer::begin(test::maintenance_options(to), reader->manifest_bytes());
        if (!restorer.has_value()) return std::unexpected(restorer.error());
        while (restorer->next_chunk() < reader->manifest().chunks.size()) {
            const auto chunk = reader->read_chunk(restorer->next_chunk());
            if (!chunk.has_value()) return std::unexpected(chunk.error());
            if (auto applied = restorer->apply(*chunk); !applied.has_value()) return applied;
        }
        return restorer->finish();
    }
    /// The only chunk and a manifest that fits it: what a stranger may send.
    void replace_chunk(const std::string& snapshot, const Bytes& chunk,
                       const std::function<void(SnapshotManifest&)>& change = {}) {
        auto manifest = SnapshotReader::open(snapshot)->manifest();
        ASSERT_EQ(manifest.chunks.size(), 1u);
        manifest.chunks[0] = {.size = chunk.size(), .hash = keccak256(chunk)};
        if (change) change(manifest);
        ASSERT_TRUE(write_file(snapshot + "/chunk-000000", chunk).has_value());
        const Bytes bytes = encode_manifest(manifest);
        ASSERT_TRUE(write_file(snapshot + "/manifest", bytes).has_value());
        ASSERT_TRUE(write_file(snapshot + "/id", id_text(snapshot_id(bytes))).has_value());
    }
    void expect_refused(const std::string& snapshot, const std::string& text) {
        EXPECT_FALSE(verify_snapshot(snapshot, {}, 0).has_value()) << "instead of: " << text;
        const auto verified = verify_snapshot(snapshot, {});
        ASSERT_FALSE(verified.has_value()) << "instead of: " << text;
        EXPECT_EQ(verified.error().code, LedgerErrorCode::bad_snapshot);
        EXPECT_NE(to_string(verified.error()).find(text), std::string::npos)
            << to_string(verified.error());
        const std::string directory = folder_ / "refused";
        std::filesystem::remove_all(directory);
        const auto restored = restore(snapshot, directory);
        ASSERT_FALSE(restored.has_value()) << "instead of: " << text;
        EXPECT_EQ(restored.error().code, LedgerErrorCode::bad_snapshot)
            << to_string(restored.error());
        EXPECT_FALSE(DurableLedger::exists(directory));
        EXPECT_FALSE(DurableLedger::open(test::tools_options(directory)).has_value());
    }

    test::Random random_{42};
    const ToolsChain chain_{random_, 300};
    test::TemporaryFolder folder_;
    const std::string snapshot_ = folder_ / "snapshot";
    const std::string restored_ = folder_ / "restored";
};

/// Below its first block a ledger has headers alone. One that says that there were ommers may not
/// be taken for one without: they would be paid once more.
TEST_F(SnapshotTest, ancestors_end_where_ommers_are_not_known) {
    (void)make_snapshot(270, snapshot_);
    ASSERT_TRUE(restore(snapshot_, restored_).has_value());
    const auto ledger = DurableLedger::open(test::tools_options(restored_)).value();
    const std::uint64_t first = ledger->first_block();
    const auto is_known = [&](std::uint64_t number) {
        return number >= first || chain_.block(number).block.ommers.empty();
    };
    for (std::uint64_t number = first - 20; number <= 270; ++number) {
        std::size_t count = 1;  // the block itself, whatever is known of it
        while (count < kAncestorsForOmmers && is_known(number - count))
            ++count;
        const auto ancestors = ledger->ancestors(number);
        ASSERT_TRUE(ancestors.has_value()) << to_string(ancestors.error());
        EXPECT_EQ(ancestors->size(), count) << number;
        EXPECT_EQ(ancestors->front().hash, header_hash(chain_.block(number).block.header));
    }
}

TEST_F(SnapshotTest, restored_ledger_is_sound_and_goes_on_as_its_source) {
    for (const std::uint64_t head : {0u, 5u, 40u, 270u}) {
        std::filesystem::remove_all(snapshot_);
        std::filesystem::remove_all(restored_);
        const Hash id = make_snapshot(head, snapshot_);
        ASSERT_TRUE(verify_snapshot(snapshot_, {}).has_value());

        const auto result = restore(snapshot_, restored_);

        ASSERT_TRUE(result.has_value()) << to_string(result.error());
        test::expect_sound(restored_, head);
        {
            auto opened = DurableLedger::open(test::tools_options(restored_));
            ASSERT_TRUE(opened.has_value()) << to_string(opened.error());
            DurableLedger& ledger = **opened;
            EXPECT_EQ(ledger.chain(), Bytes{7});
            EXPECT_EQ(ledger.first_block(), head < 6 ? 0 : head - 6);
            EXPECT_EQ(ledger.first_state(), head);
            EXPECT_EQ(ledger.ancestors(head)->size(), std::min<std::uint64_t>(head + 1, 7));
            for (std::uint64_t i = head < 255 ? 0 : head - 255; i <= head; ++i)
                if (i != 0)
                    ASSERT_EQ(ledger.block_hash(i), header_hash(chain_.block(i).block.header));
            if (head != 0) {
                const auto block = ledger.block(head);
                ASSERT_TRUE(block.has_value() && block->has_value());
                EXPECT_EQ((*block)->block, chain_.block(head).block);
            }
            test::commit_through(ledger, chain_, 300);
            ASSERT_TRUE(ledger.close().has_value());
        }
        test::expect_sound(restored_, 300);
        // What it then knows of the state is what everybody knows.
        const std::string first = folder_ / ("again" + std::to_string(head));
        const std::string second = folder_ / ("expected" + std::to_string(head));
        EXPECT_EQ(write_snapshot(restored_, first), make_snapshot(300, second));
        EXPECT_EQ(must_read(first + "/chunk-000000"), must_read(second + "/chunk-000000"));
        EXPECT_NE(id, Hash{});
    }
}

/// Where the head is above the last checkpoint, the tables do not show its state.
TEST_F(SnapshotTest, after_blocks_were_taken_back_is_of_the_head) {
    const std::string directory = folder_ / "source";
    test::make_ledger(directory, chain_, 4);  // closed with a checkpoint
    const auto ledger = DurableLedger::open(test::tools_options(directory)).value();
    test::commit_through(*ledger, chain_, 6);
    ASSERT_TRUE(ledger->rewind(5).has_value());

    const auto writer = ledger->begin_snapshot();

    ASSERT_TRUE(writer.has_value()) << to_string(writer.error());
    ASSERT_TRUE((*writer)->write(snapshot_, {}).has_value());
    const auto verified = verify_snapshot(snapshot_, {});
    EXPECT_TRUE(verified.has_value()) << to_string(verified.error());
}

TEST_F(SnapshotTest, bytes_do_not_depend_on_how_the_ledger_came_to_be) {
    const Hash id = make_snapshot(120, snapshot_);

    // Other checkpoints, no history, more blocks taken back, tables compacted.
    const std::string other = folder_ / "other";
    auto options = test::tools_options(other);
    options.checkpoint_blocks = 1;
    test::make_ledger(options, chain_, 200);
    ASSERT_TRUE(rollback(test::maintenance_options(other), 120).has_value());
    ASSERT_TRUE(compact(test::maintenance_options(other)).has_value());

    EXPECT_EQ(write_snapshot(other, folder_ / "other_snapshot"), id);
    EXPECT_EQ(must_read(folder_ / "other_snapshot/chunk-000000"),
              must_read(snapshot_ + "/chunk-000000"));
}

TEST_F(SnapshotTest, is_written_while_blocks_are_committed) {
    const Hash id = make_snapshot(100, folder_ / "quiet");
    test::make_ledger(restored_, chain_, 90);
    auto opened = DurableLedger::open(test::tools_options(restored_));
    ASSERT_TRUE(opened.has_value());
    test::commit_through(**opened, chain_, 100);

    auto writer = (*opened)->begin_snapshot();
    ASSERT_TRUE(writer.has_value());
    EXPECT_EQ((*writer)->header().number, 100u);
    std::expected<Hash, LedgerError> written;
    std::thread writing([&] { written = (*writer)->write(snapshot_, {}); });
    test::commit_through(**opened, chain_, 300);
    writing.join();

    ASSERT_TRUE(written.has_value()) << to_string(written.error());
    EXPECT_EQ(*written, id);
    // The state stays fixed, however much comes after.
    const auto again = (*writer)->write(folder_ / "later", {});
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(*again, id);
}

TEST_F(SnapshotTest, interrupted_writing_leaves_nothing_under_its_name) {
    const Hash id = make_snapshot(50, folder_ / "whole");
    // What a process that was killed leaves.
    ASSERT_TRUE(make_empty_folder(snapshot_ + ".unfinished").has_value());
    ASSERT_TRUE(write_file(snapshot_ + ".unfinished/chunk-000007", Bytes{1, 2, 3}).has_value());
    EXPECT_FALSE(SnapshotReader::open(snapshot_).has_value());

    EXPECT_EQ(make_snapshot(50, snapshot_), id);

    EXPECT_FALSE(std::filesystem::exists(snapshot_ + ".unfinished"));
    EXPECT_FALSE(std::filesystem::exists(snapshot_ + "/chunk-000007"));
}

/// As on a full disk, whose last room it had.
TEST_F(SnapshotTest, writing_that_fails_leaves_nothing_at_all) {
    make_snapshot(20, folder_ / "whole");
    auto opened = DurableLedger::open(test::tools_options(folder_ / "source20"));
    ASSERT_TRUE(opened.has_value());
    auto writer = (*opened)->begin_snapshot();
    ASSERT_TRUE(writer.has_value());
    (*writer)->stop();

    EXPECT_FALSE((*writer)->write(snapshot_, {}).has_value());

    EXPECT_FALSE(std::filesystem::exists(snapshot_));
    EXPECT_FALSE(std::filesystem::exists(snapshot_ + ".unfinished"));
    // Those above it stayed, empty.
    EXPECT_FALSE((*writer)->write(folder_ / "snapshots/of/mine", {}).has_value());
    EXPECT_FALSE(std::filesystem::exists(folder_ / "snapshots"));
}

TEST_F(SnapshotTest, an_existing_folder_is_not_written_over) {
    make_snapshot(20, snapshot_);
    auto opened = DurableLedger::open(test::tools_options(folder_ / "source20"));
    ASSERT_TRUE(opened.has_value());
    auto writer = (*opened)->begin_snapshot();
    ASSERT_TRUE(writer.has_value());

    const auto again = (*writer)->write(snapshot_ + "/", {});

    ASSERT_FALSE(again.has_value());
    EXPECT_EQ(again.error().code, LedgerErrorCode::invalid);
    EXPECT_TRUE(verify_snapshot(snapshot_, {}).has_value());
}

/// Before, the one emptied the other's folder.
TEST_F(SnapshotTest, two_that_are_written_to_one_folder_do_not_meet) {
    const std::string unfinished = snapshot_ + ".unfinished";
    {
        const auto other = make_empty_folder(unfinished);
        ASSERT_TRUE(other.has_value());
        ASSERT_TRUE(write_file(unfinished + "/chunk-000000", Bytes{1, 2, 3}).has_value());
        test::make_ledger(folder_ / "source20", chain_, 20);
        auto opened = DurableLedger::open(test::tools_options(folder_ / "source20"));
        ASSERT_TRUE(opened.has_value());
        const auto written = (*opened)->begin_snapshot().value()->write(snapshot_, {});
        ASSERT_FALSE(written.has_value());
        EXPECT_EQ(written.error().code, LedgerErrorCode::invalid);
        EXPECT_NE(written.error().detail.find("another process"), std::string::npos);
        EXPECT_EQ(must_read(unfinished + "/chunk-000000"), (Bytes{1, 2, 3}));
    }
    make_snapshot(20, snapshot_);
    EXPECT_TRUE(verify_snapshot(snapshot_, {}).has_value());
}

/// What is emptied is never what a link leads to.
TEST_F(SnapshotTest, a_link_in_the_place_of_the_unfinished_folder_is_replaced) {
    ASSERT_TRUE(make_empty_folder(folder_ / "precious").has_value());
    ASSERT_TRUE(write_file(folder_ / "precious/file", Bytes{1}).has_value());
    std::filesystem::create_directory_symlink(folder_ / "precious", snapshot_ + ".unfinished");

    make_snapshot(20, snapshot_);

    EXPECT_TRUE(verify_snapshot(snapshot_, {}).has_value());
    EXPECT_EQ(must_read(folder_ / "precious/file"), Bytes{1});
}

TEST_F(SnapshotTest, a_bit_changed_anywhere_is_refused_and_its_file_named) {
    make_snapshot(30, snapshot_);
    for (const std::string name : {"manifest", "id", "chunk-000000"}) {
        const Bytes good = must_read(snapshot_ + "/" + name);
        const std::size_t step = std::max<std::size_t>(1, good.size() / 1000);
        for (std::size_t i = 0; i < good.size(); i += step) {
            Bytes bad = good;
            bad[i] ^= static_cast<std::uint8_t>(1 << random_.below(8));
            ASSERT_TRUE(write_file(snapshot_ + "/" + name, bad).has_value());
            const auto verified = verify_snapshot(snapshot_, {});
            ASSERT_FALSE(verified.has_value()) << name << " " << i;
            EXPECT_EQ(verified.error().code, LedgerErrorCode::bad_snapshot);
            ASSERT_NE(verified.error().detail.find(name), std::string::npos)
                << verified.error().detail;
        }
        ASSERT_TRUE(write_file(snapshot_ + "/" + name, good).has_value());
    }
    EXPECT_TRUE(verify_snapshot(snapshot_, {}).has_value());
}

TEST_F(SnapshotTest, of_an_earlier_version_has_no_file_with_its_id) {
    const Hash id = make_snapshot(30, snapshot_);
    ASSERT_TRUE(std::filesystem::remove(snapshot_ + "/id"));
    EXPECT_TRUE(verify_snapshot(snapshot_, {}).has_value());
    EXPECT_EQ(SnapshotReader::open(snapshot_)->id(), id);
    EXPECT_TRUE(restore(snapshot_, restored_).has_value());
}

TEST_F(SnapshotTest, missing_and_cut_files_are_named) {
    make_snapshot(30, snapshot_);
    const std::string chunk = snapshot_ + "/chunk-000000";
    const Bytes good = must_read(chunk);
    ASSERT_TRUE(write_file(chunk, BytesView(good).first(good.size() - 1)).has_value());
    expect_refused(snapshot_, "chunk-000000 has");
    std::filesystem::remove(chunk);
    expect_refused(snapshot_, "chunk-000000 is missing");
    ASSERT_EQ(::mkfifo(chunk.c_str(), 0600), 0);
    expect_refused(snapshot_, "chunk-000000 is not a regular file");
    std::filesystem::remove(chunk);
    ASSERT_TRUE(write_file(chunk, good).has_value());
    std::filesystem::remove(snapshot_ + "/manifest");
    const auto opened = SnapshotReader::open(snapshot_);
    ASSERT_FALSE(opened.has_value());
    EXPECT_NE(to_string(opened.error()).find("there is no file"), std::string::npos);
}

/// What a stranger offers who hashes right: a snapshot of block 40 with something changed in it.
class ForgedSnapshotTest : public SnapshotTest {
protected:
    void SetUp() override {
        SnapshotTest::SetUp();
        make_snapshot(40, snapshot_);
        RecordReader reader(40);
        ASSERT_TRUE(reader.read(must_read(snapshot_ + "/chunk-000000"), good_).has_value());
        ASSERT_EQ(good_.bytes(), must_read(snapshot_ + "/chunk-000000"));
    }
    template <typename Change>
    void refused(const std::string& text, Change change) {
        Records bad = good_;
        change(bad);
        replace_chunk(snapshot_, bad.bytes());
        expect_refused(snapshot_, text);
    }

    Records good_;
};

TEST_F(ForgedSnapshotTest, of_accounts_and_code_is_refused) {
    refused("account", [&](Records& bad) { bad.erase(bad.find(RecordKind::slot, 3)); });
    refused("numbers of accounts", [&](Records& bad) {
        // One without storage or code, so that only the root is left to tell.
        for (std::size_t i = bad.find(RecordKind::account);; ++i) {
            if (bad.records[i].kind != RecordKind::account) continue;
            const auto entry = schema::decode_account_entry(bad.records[i].payload);
            if (entry->record.account.has_code() || entry->record.storage_root != kEmptyTrieRoot)
                continue;
            bad.erase(i);
            return;
        }
    });
    refused("state root", [&](Records& bad) {
        Bytes& payload = bad.records[bad.find(RecordKind::account)].payload;
        auto entry = schema::decode_account_entry(payload);
        entry->record.account.balance = entry->record.account.balance + Uint256{1};
        payload.clear();
        schema::encode_account_entry(entry->address, entry->record, payload);
    });
    refused("is missing", [&](Records& bad) { bad.erase(bad.find(RecordKind::code)); });
    refused("code", [&](Records& bad) { (void)bad.add(RecordKind::code, Bytes{1, 2, 3, 4, 5}); });
    // As many as the manifest says, one of them that nobody has.
    refused("code", [&](Records& bad) {
        bad.erase(bad.find(RecordKind::code));
        (void)bad.add(RecordKind::code, Bytes{1, 2, 3, 4, 5});
    });
    refused("order", [&](Records& bad) {
        std::swap(bad.records[bad.find(RecordKind::code)],
                  bad.records[bad.find(RecordKind::code, 1)]);
    });
}

TEST_F(ForgedSnapshotTest, of_blocks_is_refused) {
    refused("header of block 0 is missing", [&](Records& bad) {
        std::swap(bad.records[0], bad.records[bad.find(RecordKind::block)]);
    });
    refused("order", [&](Records& bad) { bad.insert(bad.records.size(), bad.records[0]); });
    refused("header of block", [&](Records& bad) { bad.erase(bad.find(RecordKind::header, 9)); });
    refused("block 40", [&](Records& bad) { bad.erase(bad.find(RecordKind::block) - 1); });
    refused("block", [&](Records& bad) { bad.erase(bad.find(RecordKind::block)); });
    refused("missing", [&](Records& bad) { bad.erase(bad.find(RecordKind::block, 6)); });
    // Readers would have taken them for blocks of the headers that are there.
    for (const std::uint64_t number : {20u, 41u})
        refused("block", [&](Records& bad) {
            Records::Record more = bad.records[bad.find(RecordKind::block)];
            std::ranges::copy(schema::number_key(number), more.payload.begin());
            bad.insert(bad.find(RecordKind::block), std::move(more));
        });
    refused("header of", [&](Records& bad) {
        const std::size_t place = bad.find(RecordKind::header, 9);
        Records::Record more = bad.records[place];
        more.payload[0] ^= 1;  // its hash
        bad.insert(place, std::move(more));
    });
}

/// Restoring took some of them, which verification refused: it saw tables, in which a record that
/// is there twice, or before another, stands once and in its place.
TEST_F(ForgedSnapshotTest, with_records_in_the_wrong_place_is_refused) {
    for (const RecordKind kind : {RecordKind::header, RecordKind::block}) {
        for (const std::size_t nth : {0u, 3u, 6u}) {
            refused("is out of order", [&](Records& bad) {
                const std::size_t place = bad.find(kind, nth);
                bad.insert(place, bad.records[place]);
            });
            refused("is out of order", [&](Records& bad) {
                std::swap(bad.records[bad.find(kind, nth)],
                          bad.records[bad.find(kind, (nth + 1) % 7)]);
            });
        }
    }
}

TEST_F(ForgedSnapshotTest, of_its_length_and_its_manifest_is_refused) {
    Bytes cut = good_.bytes();
    cut.pop_back();
    replace_chunk(snapshot_, cut);
    expect_refused(snapshot_, "cut short");
    replace_chunk(snapshot_, good_.bytes(),
                  [](SnapshotManifest& manifest) { manifest.header.state_root.bytes[3] ^= 1; });
    expect_refused(snapshot_, "header");
    replace_chunk(snapshot_, good_.bytes(), [](SnapshotManifest& manifest) {
        manifest.total_difficulty = manifest.total_difficulty + Uint256{1};
    });
    expect_refused(snapshot_, "manifest");
}

TEST_F(SnapshotTest, restoring_into_a_ledger_is_refused) {
    make_snapshot(20, snapshot_);
    ASSERT_TRUE(restore(snapshot_, restored_).has_value());

    const auto again = restore(snapshot_, restored_);

    ASSERT_FALSE(again.has_value());
    EXPECT_EQ(again.error().code, LedgerErrorCode::already_exists);
    test::expect_sound(restored_, 20);
}

TEST(Manifest, decodes_what_was_encoded_and_nothing_else) {
    SnapshotManifest manifest;
    manifest.header.number = 9;
    manifest.total_difficulty = 77;
    manifest.chain = Bytes{1, 2, 3};
    manifest.accounts = 4;
    manifest.chunks.push_back({.size = kSnapshotChunkBytes, .hash = keccak256(Bytes{1})});
    manifest.chunks.push_back({.size = 5, .hash = keccak256(Bytes{2})});
    const Bytes bytes = encode_manifest(manifest);

    EXPECT_EQ(*decode_manifest(bytes), manifest);
    for (std::size_t i = 0; i < bytes.size(); ++i)
        EXPECT_FALSE(decode_manifest(BytesView(bytes).first(i)).has_value()) << i;
    Bytes longer = bytes;
    longer.push_back(0);
    EXPECT_FALSE(decode_manifest(longer).has_value());
    manifest.chunks[0].size -= 1;
    EXPECT_FALSE(decode_manifest(encode_manifest(manifest)).has_value());
}

}  // namespace
}  // namespace heddle::ledger
