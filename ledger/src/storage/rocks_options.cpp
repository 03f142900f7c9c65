// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "storage/rocks_options.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>

#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>
#include <rocksdb/write_buffer_manager.h>

#include "storage/rocks_buffer.hpp"
#include "storage/rocks_environment.hpp"
#include "storage/rocks_pinning.hpp"
#include "storage/rocks_versions.hpp"

namespace heddle::ledger {
namespace {

/// How a table is used, which decides how it is kept.
enum class Use : std::uint8_t {
    keyed_by_hash,    // small values in random places, read one by one: filters, no compression
    keyed_by_number,  // appended in order, read by range or one by one: compressed
    history,          // random places, read by range, seldom: compressed, no filters
};

struct TableTraits {
    const char* name;
    Use use;
};
/// RocksDB insists on a column family of the name `default`.
constexpr std::array<TableTraits, kTableCount> kTables{{
    {"default", Use::keyed_by_number},
    {"headers", Use::keyed_by_number},
    {"block_numbers", Use::keyed_by_hash},
    {"bodies", Use::keyed_by_number},
    {"receipts", Use::keyed_by_number},
    {"senders", Use::keyed_by_number},
    {"object_sets", Use::keyed_by_number},
    {"transactions", Use::keyed_by_hash},
    {"accounts", Use::keyed_by_hash},
    {"slots", Use::keyed_by_hash},
    {"codes", Use::keyed_by_number},
    {"trie_nodes", Use::keyed_by_hash},
    {"changes", Use::keyed_by_number},
    {"history", Use::history},
    {"access_lists", Use::keyed_by_number},
}};

/// A value that is looked up by its hash is read with its neighbours, which nobody wants.
constexpr std::size_t kHashBlockBytes = std::size_t{4} << 10;
constexpr std::size_t kBlockBytes = std::size_t{8} << 10;
constexpr std::size_t kMetadataBlockBytes = std::size_t{4} << 10;
constexpr std::size_t kMaxLogBytes = std::size_t{256} << 20;
constexpr int kFilterBitsPerKey = 10;
/// Of the cache, what may be pinned of the files' indices and filters, which take some two percent
/// of what the files take.
constexpr std::size_t kPinnedPart = 8;
/// And however large the cache is. Where there are more files than may be open, each that is opened
/// again would have them read in vain.
constexpr std::size_t kMostPinnedBytes = std::size_t{128} << 20;
/// The first level below the write buffers is as large as so many of them. RocksDB's own 256 MiB
/// would, with buffers of 4 MiB, merge each buffer into a level 64 times its size.
constexpr std::size_t kBuffersInFirstLevel = 8;
constexpr std::size_t kLeastFirstLevelBytes = std::size_t{32} << 20;
constexpr std::size_t kMostFirstLevelBytes = std::size_t{256} << 20;
constexpr std::size_t kFilesInFirstLevel = 4;
constexpr int kFlushThreads = 2;

/// The first that this RocksDB has.
rocksdb::CompressionType first_of(std::initializer_list<rocksdb::CompressionType> wanted) {
    const auto supported = rocksdb::GetSupportedCompressions();
    for (const auto type : wanted)
        if (std::ranges::find(supported, type) != supported.end()) return type;
    return rocksdb::kNoCompression;
}

rocksdb::CompressionType compression_of(Use use) {
    switch (use) {
        case Use::keyed_by_hash:
            break;
        case Use::keyed_by_number:
            return first_of(
                {rocksdb::kZSTD, rocksdb::kLZ4Compression, rocksdb::kSnappyCompression});
        case Use::history:
            // Hashes and values: ZSTD makes it no smaller and takes ten times as long, each time
            // that it is merged anew.
            return first_of({rocksdb::kLZ4Compression, rocksdb::kSnappyCompression});
    }
    return rocksdb::kNoCompression;
}

/// Of blocks: what is being written counts into the cache, too.
std::size_t pinned_blocks(const rocksdb::Cache& cache, const rocksdb::WriteBufferManager& buffers) {
    const std::size_t pinned = cache.GetPinnedUsage();
    return pinned - std::min(pinned, buffers.dummy_entries_in_cache_usage());
}

rocksdb::ColumnFamilyOptions table_options(
    Use use, std::size_t write_buffer_bytes, const std::shared_ptr<rocksdb::Cache>& cache,
    const std::shared_ptr<rocksdb::WriteBufferManager>& buffers) {
    rocksdb::BlockBasedTableOptions blocks;
    blocks.block_cache = cache;
    blocks.block_size = use == Use::keyed_by_hash ? kHashBlockBytes : kBlockBytes;
    blocks.format_version = 5;
    // What a file's index and filter take counts against the cache, so that memory stays bounded.
    blocks.cache_index_and_filter_blocks = true;
    blocks.pin_l0_filter_and_index_blocks_in_cache = true;
    // In parts, of which a read needs one of each: in one piece those of a file of 64 MiB take a
    // megabyte, and where the cache holds only some of them every read of another file evicts one
    // and reads one. The part that finds the others is small and stays.
    blocks.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
    blocks.metadata_block_size = kMetadataBlockBytes;
    blocks.pin_top_level_index_and_filter = true;
    if (use == Use::keyed_by_hash) {
        blocks.filter_policy.reset(rocksdb::NewRibbonFilterPolicy(kFilterBitsPerKey));
        blocks.partition_filters = true;
        // A key is found in its block without searching.
        blocks.data_block_index_type = rocksdb::BlockBasedTableOptions::kDataBlockBinaryAndHash;
        blocks.data_block_hash_table_util_ratio = 0.75;
    }

    rocksdb::ColumnFamilyOptions options;
    if (use == Use::keyed_by_hash)
        options.table_factory = make_pinned_tables(
            blocks, [cache, buffers] { return pinned_blocks(*cache, *buffers); },
            std::min(cache->GetCapacity() / kPinnedPart, kMostPinnedBytes));
    else
        options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(blocks));
    options.memtable_factory = make_buffer_factory();
    if (use == Use::keyed_by_hash) {
        // Most keys that are looked up are older than the buffer. About ten bits for each that it
        // holds, of 60 bytes with its value.
        options.memtable_whole_key_filtering = true;
        options.memtable_prefix_bloom_size_ratio = 0.02;
    }
    options.write_buffer_size = write_buffer_bytes;
    options.level_compaction_dynamic_level_bytes = true;
    const std::size_t first_level_bytes = std::clamp(kBuffersInFirstLevel * write_buffer_bytes,
                                                     kLeastFirstLevelBytes, kMostFirstLevelBytes);
    options.max_bytes_for_level_base = first_level_bytes;
    options.target_file_size_base = first_level_bytes / kFilesInFirstLevel;
    options.compression = compression_of(use);
    options.compression_opts.level = 1;
    return options;
}

}  // namespace

const char* column_family(Table table) noexcept {
    return kTables[static_cast<std::size_t>(table)].name;
}

bool is_appended(Table table) noexcept {
    return kTables[static_cast<std::size_t>(table)].use == Use::keyed_by_number;
}

rocksdb::DBOptions make_database_options(const DatabaseOptions& options,
                                         const std::shared_ptr<rocksdb::Cache>& cache) {
    rocksdb::DBOptions result;
    result.env = &durable_env();
    result.info_log = make_silent_logger();
    result.create_if_missing = options.create;
    // Also where one is opened: it may be of a time when there were fewer (kFirstLaterTable).
    result.create_missing_column_families = true;
    result.paranoid_checks = true;
    // A torn tail of the log is what a loss of power leaves. A log that is gone is something else.
    result.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
    result.track_and_verify_wals_in_manifest = true;
    // Said separately: of two for both, RocksDB gives one to flushes, which then compress at the
    // speed of one processor what all others make.
    result.max_background_flushes = kFlushThreads;
    result.max_background_compactions =
        static_cast<int>(std::max(2u, options.background_threads)) - 1;
    result.max_open_files = 512;
    result.bytes_per_sync = std::size_t{1} << 20;
    result.max_total_wal_size = kMaxLogBytes;
    result.write_buffer_manager = std::make_shared<rocksdb::WriteBufferManager>(
        std::max<std::size_t>(options.memory_bytes / 4 * 3, std::size_t{8} << 20), cache);
    // Going on after an error is decided above, not in the background.
    result.max_bgerror_resume_count = 0;
    // There is one writer, and buffers that only one at a time can insert into.
    result.allow_concurrent_memtable_write = false;
    result.keep_log_file_num = 4;
    result.max_log_file_size = std::size_t{4} << 20;
    result.statistics = rocksdb::CreateDBStatistics();
    result.statistics->set_stats_level(rocksdb::StatsLevel::kExceptHistogramOrTimers);
    return result;
}

std::vector<rocksdb::ColumnFamilyDescriptor> make_tables(
    const DatabaseOptions& options, const std::shared_ptr<rocksdb::Cache>& cache,
    const std::shared_ptr<rocksdb::WriteBufferManager>& buffers) {
    const std::size_t write_buffer_bytes = std::clamp<std::size_t>(
        options.memory_bytes / 8, std::size_t{4} << 20, std::size_t{64} << 20);
    std::vector<rocksdb::ColumnFamilyDescriptor> tables;
    tables.reserve(kTables.size());
    for (const TableTraits& table : kTables)
        tables.emplace_back(table.name,
                            table_options(table.use, write_buffer_bytes, cache, buffers));
    return tables;
}

}  // namespace heddle::ledger
