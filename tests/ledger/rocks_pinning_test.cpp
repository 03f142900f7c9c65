// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "storage/rocks_pinning.hpp"

#include <limits>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rocksdb/filter_policy.h>

#include "storage/rocks_versions.hpp"
#include "temporary_folder.hpp"

namespace heddle::ledger {
namespace {

constexpr std::size_t kEverything = std::numeric_limits<std::size_t>::max();
constexpr int kFiles = 8;
constexpr int kKeysInFile = 20'000;

/// A database of several files, opened anew with each limit.
class PinnedTablesTest : public testing::Test {
protected:
    void SetUp() override {
        open(0);
        for (int file = 0; file < kFiles; ++file) {
            for (int i = 0; i < kKeysInFile; ++i)
                ASSERT_TRUE(db_->Put({}, key(i * kFiles + file), value(file)).ok());
            ASSERT_TRUE(db_->Flush({}).ok());
        }
    }

    void open(std::size_t most) {
        db_.reset();
        cache_ = rocksdb::NewLRUCache(std::size_t{64} << 20);
        rocksdb::BlockBasedTableOptions blocks;
        blocks.block_cache = cache_;
        blocks.cache_index_and_filter_blocks = true;
        blocks.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
        blocks.filter_policy.reset(rocksdb::NewRibbonFilterPolicy(10));
        blocks.partition_filters = true;
        blocks.pin_top_level_index_and_filter = true;
        rocksdb::Options options;
        options.create_if_missing = true;
        options.disable_auto_compactions = true;
        options.max_open_files = -1;  // all are opened with the database
        options.table_factory =
            make_pinned_tables(blocks, [cache = cache_] { return cache->GetPinnedUsage(); }, most);
        const rocksdb::Status status = open_rocks(db_, options, folder_ / "db");
        ASSERT_TRUE(status.ok()) << status.ToString();
    }
    [[nodiscard]] std::size_t pinned_with(std::size_t most) {
        open(most);
        return cache_->GetPinnedUsage();
    }
    [[nodiscard]] std::string read(int number) const {
        std::string found;
        return db_->Get({}, key(number), &found).ok() ? found : "";
    }

    static std::string key(int number) { return fmt::format("{:064}", number); }
    static std::string value(int file) { return fmt::format("value of file {}", file); }

    test::TemporaryFolder folder_;
    std::shared_ptr<rocksdb::Cache> cache_;
    std::unique_ptr<rocksdb::DB> db_;
};

TEST_F(PinnedTablesTest, pin_what_finds_values_up_to_the_limit_and_one_file) {
    const std::size_t none = pinned_with(0);
    const std::size_t all = pinned_with(kEverything);
    ASSERT_GT(all, 4 * none) << "the top levels are pinned anyway";

    const std::size_t of_one_file = all / kFiles;
    const std::size_t limit = all / 2;
    const std::size_t some = pinned_with(limit);
    EXPECT_GE(some, limit);
    EXPECT_LE(some, limit + of_one_file + none);
}

TEST_F(PinnedTablesTest, have_the_same_values_pinned_or_not) {
    for (const std::size_t most : {std::size_t{0}, std::size_t{200'000}, kEverything}) {
        open(most);
        for (int number = 0; number < kFiles * kKeysInFile; number += 997)
            ASSERT_EQ(read(number), value(number % kFiles)) << "limit " << most;
        EXPECT_EQ(read(-1), "");
    }
}

TEST_F(PinnedTablesTest, let_go_of_files_that_are_gone) {
    open(kEverything);
    const std::size_t before = cache_->GetPinnedUsage();
    ASSERT_TRUE(
        db_->DeleteRange({}, db_->DefaultColumnFamily(), key(0), key(kFiles * kKeysInFile)).ok());
    ASSERT_TRUE(db_->CompactRange({}, nullptr, nullptr).ok());
    EXPECT_LT(cache_->GetPinnedUsage(), before / 4);
}

}  // namespace
}  // namespace heddle::ledger
