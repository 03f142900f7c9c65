// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "storage/database.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include <rocksdb/convenience.h>
#include <rocksdb/iterator.h>
#include <rocksdb/options.h>
#include <rocksdb/perf_level.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/statistics.h>

#include <types/expected.hpp>

#include "storage/file_merger.hpp"
#include "storage/rocks_batch.hpp"
#include "storage/rocks_environment.hpp"
#include "storage/rocks_folder.hpp"
#include "storage/rocks_options.hpp"
#include "storage/rocks_versions.hpp"

namespace heddle::ledger {

namespace {

constexpr std::size_t kReadAheadBytes = std::size_t{2} << 20;
/// For the blocks of one value.
constexpr std::size_t kPeekBytes = std::size_t{1} << 20;

/// RocksDB counts every comparison of keys and every step of a cursor into variables of the thread,
/// which nobody reads here and which cost more than the comparisons.
void count_nothing() noexcept {
    thread_local const bool is_told = [] {
        rocksdb::SetPerfLevel(rocksdb::PerfLevel::kDisable);
        return true;
    }();
    (void)is_told;
}

BytesView view(const rocksdb::Slice& bytes) noexcept {
    return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

}  // namespace

const char* table_name(Table table) noexcept {
    return table == Table::meta ? "meta" : column_family(table);
}

// --- Cursor ------------------------------------------------------------------------------------

struct Cursor::Impl {
    std::unique_ptr<rocksdb::Iterator> iterator;
};

Cursor::Cursor(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
Cursor::Cursor(Cursor&&) noexcept = default;
Cursor& Cursor::operator=(Cursor&&) noexcept = default;
Cursor::~Cursor() = default;

void Cursor::seek(BytesView key) {
    impl_->iterator->Seek(slice(key));
}

void Cursor::next() {
    impl_->iterator->Next();
}

bool Cursor::valid() const noexcept {
    return impl_->iterator->Valid();
}

BytesView Cursor::key() const noexcept {
    return view(impl_->iterator->key());
}

BytesView Cursor::value() const noexcept {
    return view(impl_->iterator->value());
}

bool Cursor::has_prefix(BytesView prefix) const noexcept {
    return valid() && impl_->iterator->key().starts_with(slice(prefix));
}

std::expected<void, LedgerError> Cursor::error() const {
    const rocksdb::Status status = impl_->iterator->status();
    if (!status.ok()) return failure("reading the database", status);
    return {};
}

// --- TableFile ---------------------------------------------------------------------------------

struct TableFile::Impl {
    explicit Impl(const rocksdb::Options& options, rocksdb::ColumnFamilyHandle* family)
        : writer(rocksdb::EnvOptions(options), options, family,
                 // It is read again at once, when it is taken over.
                 /*invalidate_page_cache=*/false) {}
    rocksdb::SstFileWriter writer;
};

TableFile::TableFile(std::unique_ptr<Impl> impl, std::string path) noexcept
    : impl_(std::move(impl)), path_(std::move(path)) {}
TableFile::TableFile(TableFile&&) noexcept = default;
TableFile& TableFile::operator=(TableFile&&) noexcept = default;
TableFile::~TableFile() = default;

std::expected<void, LedgerError> TableFile::put(BytesView key, BytesView value) {
    const rocksdb::Status status = impl_->writer.Put(slice(key), slice(value));
    if (!status.ok()) return failure("writing a file of the database", status);
    size_ += key.size() + value.size();
    return {};
}

std::expected<void, LedgerError> TableFile::finish() {
    const rocksdb::Status status = impl_->writer.Finish();
    impl_.reset();
    if (!status.ok()) return failure("writing a file of the database", status);
    return {};
}

// --- Database ----------------------------------------------------------------------------------

namespace {

class Snapshot final : public DatabaseSnapshot {
public:
    explicit Snapshot(rocksdb::DB& db) : db_(db), snapshot_(db.GetSnapshot()) {}
    ~Snapshot() override { db_.ReleaseSnapshot(snapshot_); }
    Snapshot(const Snapshot&) = delete;
    Snapshot& operator=(const Snapshot&) = delete;
    [[nodiscard]] const rocksdb::Snapshot* get() const noexcept { return snapshot_; }

private:
    rocksdb::DB& db_;
    const rocksdb::Snapshot* snapshot_;
};

/// For a database that has failed: ends its work and gives its lock back, but does not take it
/// apart. A write that fails because no new log could be begun leaves RocksDB's count of references
/// wrong where several full buffers were to be flushed before it, and RocksDB, built with
/// assertions as on Debian, then ends the process when the database is closed (7.8.3). What it has
/// in memory stays until the process ends, which is soon: nothing can be written any more.
void leave(std::unique_ptr<rocksdb::DB> db, const std::string& directory) {
    rocksdb::CancelAllBackgroundWork(db.get(), /*wait=*/true);
    leave_folder(directory);
    static std::mutex mutex;
    static auto* const left = new std::vector<std::unique_ptr<rocksdb::DB>>;
    const std::lock_guard lock{mutex};
    left->push_back(std::move(db));
}

rocksdb::ReadOptions read_options(const DatabaseSnapshot* snapshot) {
    rocksdb::ReadOptions options;
    if (snapshot != nullptr) options.snapshot = static_cast<const Snapshot*>(snapshot)->get();
    return options;
}

}  // namespace

struct Database::Impl {
    std::unique_ptr<rocksdb::DB> db;
    ColumnFamilies families{};
    std::shared_ptr<FileMerger> merger;
    std::shared_ptr<rocksdb::Statistics> statistics;
    std::shared_ptr<rocksdb::Cache> cache;
    std::shared_ptr<rocksdb::WriteBufferManager> buffers;
    std::string directory;
    std::atomic<std::uint64_t> files_made = 0;  // by new_file(): names that are not used twice
    std::atomic<bool> has_failed = false;
    mutable std::mutex failure_mutex;
    LedgerError failure;  // the first of writing

    ~Impl() {
        if (!db) return;
        merger->stop();
        for (rocksdb::ColumnFamilyHandle* family : families)
            if (family != nullptr) db->DestroyColumnFamilyHandle(family);
        if (has_failed.load(std::memory_order_acquire))
            leave(std::move(db), directory);
        else  // A failure to close leaves what a crash would: the log has everything.
            (void)db->Close();
    }

    [[nodiscard]] rocksdb::ColumnFamilyHandle* family(Table table) const noexcept {
        return families[static_cast<std::size_t>(table)];
    }

    std::expected<void, LedgerError> check(const char* doing, const rocksdb::Status& status) {
        if (status.ok()) return {};
        auto result = ledger::failure(doing, status);
        const std::lock_guard lock{failure_mutex};
        if (!has_failed.load(std::memory_order_relaxed)) failure = result.error();
        has_failed.store(true, std::memory_order_release);
        return std::unexpected(failure);
    }

    [[nodiscard]] std::expected<void, LedgerError> check_usable() const {
        if (!has_failed.load(std::memory_order_acquire)) return {};
        const std::lock_guard lock{failure_mutex};
        return std::unexpected(failure);
    }
};

Database::Database(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
Database::~Database() = default;

std::expected<std::unique_ptr<Database>, LedgerError> Database::open(
    const DatabaseOptions& options) {
    HEDDLE_CHECK(check_folder(options));
    const auto cache =
        rocksdb::NewLRUCache(std::max<std::size_t>(options.memory_bytes, std::size_t{8} << 20));
    rocksdb::DBOptions db_options = make_database_options(options, cache);
    HEDDLE_CHECK(check_tables(db_options, options.directory));

    const std::vector<rocksdb::ColumnFamilyDescriptor> descriptors =
        make_tables(options, cache, db_options.write_buffer_manager);
    auto impl = std::make_unique<Impl>();
    impl->merger = std::make_shared<FileMerger>();
    db_options.listeners.push_back(impl->merger);
    std::vector<rocksdb::ColumnFamilyHandle*> handles;
    const rocksdb::Status status =
        open_rocks(impl->db, db_options, options.directory, descriptors, &handles);
    if (!status.ok()) return open_failure(options.directory, status);
    std::ranges::copy(handles, impl->families.begin());
    impl->statistics = db_options.statistics;
    impl->cache = cache;
    impl->buffers = db_options.write_buffer_manager;
    impl->directory = options.directory;
    impl->merger->start(*impl->db, impl->families);
    return std::unique_ptr<Database>(new Database(std::move(impl)));
}

std::expected<void, LedgerError> Database::check(const std::string& directory) {
    return check_folder({.directory = directory, .create = false});
}

std::expected<std::optional<Bytes>, LedgerError> Database::peek(const std::string& directory,
                                                                BytesView key) {
    const DatabaseOptions options{.directory = directory, .memory_bytes = 0};
    HEDDLE_CHECK(check_folder(options));
    const auto cache = rocksdb::NewLRUCache(kPeekBytes);
    const rocksdb::DBOptions db_options = make_database_options(options, cache);
    HEDDLE_CHECK(check_tables(db_options, directory));
    auto tables = make_tables(options, cache, db_options.write_buffer_manager);
    tables.erase(tables.begin() + 1, tables.end());  // of others nothing is read
    std::unique_ptr<rocksdb::DB> db;
    std::vector<rocksdb::ColumnFamilyHandle*> handles;
    rocksdb::Status status = open_rocks_to_read(db, db_options, directory, tables, &handles);
    if (!status.ok()) return open_failure(directory, status);
    std::string value;
    status = db->Get(rocksdb::ReadOptions{}, handles.front(), slice(key), &value);
    db->DestroyColumnFamilyHandle(handles.front()).PermitUncheckedError();
    if (status.IsNotFound()) return std::nullopt;
    if (!status.ok()) return failure("reading the database", status);
    return Bytes(value.begin(), value.end());
}

std::expected<void, LedgerError> Database::destroy(const std::string& directory) {
    std::vector<rocksdb::ColumnFamilyDescriptor> descriptors;
    descriptors.reserve(kTableCount);
    for (std::size_t i = 0; i < kTableCount; ++i)
        descriptors.emplace_back(column_family(static_cast<Table>(i)),
                                 rocksdb::ColumnFamilyOptions{});
    rocksdb::Options options;
    options.env = &durable_env();
    const rocksdb::Status status = rocksdb::DestroyDB(directory, options, descriptors);
    if (!status.ok()) return open_failure(directory, status);
    return {};
}

std::expected<std::optional<Bytes>, LedgerError> Database::get(
    Table table, BytesView key, const DatabaseSnapshot* snapshot) const {
    count_nothing();
    rocksdb::PinnableSlice value;
    const rocksdb::Status status =
        impl_->db->Get(read_options(snapshot), impl_->family(table), slice(key), &value);
    if (status.IsNotFound()) return std::nullopt;
    if (!status.ok()) return failure("reading the database", status);
    const BytesView bytes = view(value);
    return Bytes(bytes.begin(), bytes.end());
}

std::expected<std::vector<std::optional<Bytes>>, LedgerError> Database::get_all(
    Table table, std::span<const Bytes> keys) const {
    count_nothing();
    std::vector<rocksdb::Slice> slices;
    slices.reserve(keys.size());
    for (const Bytes& key : keys)
        slices.push_back(slice(key));
    std::vector<rocksdb::PinnableSlice> values(keys.size());
    std::vector<rocksdb::Status> statuses(keys.size());
    impl_->db->MultiGet(rocksdb::ReadOptions{}, impl_->family(table), slices.size(), slices.data(),
                        values.data(), statuses.data());
    std::vector<std::optional<Bytes>> result(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (statuses[i].IsNotFound()) continue;
        if (!statuses[i].ok()) return failure("reading the database", statuses[i]);
        const BytesView bytes = view(values[i]);
        result[i].emplace(bytes.begin(), bytes.end());
    }
    return result;
}

WriteBatch Database::batch(std::size_t reserved_bytes) const {
    return WriteBatch(std::make_unique<WriteBatch::Impl>(impl_->families, reserved_bytes));
}

std::expected<void, LedgerError> Database::write(WriteBatch& batch, bool sync) {
    HEDDLE_CHECK(impl_->check_usable());
    HEDDLE_CHECK(impl_->check("preparing a write", batch.impl_->status));
    count_nothing();
    rocksdb::WriteOptions options;
    options.sync = sync;
    return impl_->check("writing to the database", impl_->db->Write(options, &batch.impl_->writes));
}

std::expected<void, LedgerError> Database::sync() {
    HEDDLE_CHECK(impl_->check_usable());
    return impl_->check("syncing the database's log", impl_->db->SyncWAL());
}

std::expected<void, LedgerError> Database::flush() {
    HEDDLE_CHECK(impl_->check_usable());
    const auto flush = [this](rocksdb::ColumnFamilyHandle* family, bool wait) {
        rocksdb::FlushOptions options;
        options.wait = wait;
        return impl_->check("flushing the database's log", impl_->db->Flush(options, family));
    };
    rocksdb::ColumnFamilyHandle* const marks = impl_->family(Table::meta);
    std::vector<std::pair<std::uint64_t, rocksdb::ColumnFamilyHandle*>> others;
    for (rocksdb::ColumnFamilyHandle* const family : impl_->families) {
        std::uint64_t bytes = 0;
        impl_->db->GetIntProperty(family, rocksdb::DB::Properties::kCurSizeAllMemTables, &bytes);
        if (family != marks) others.emplace_back(bytes, family);
    }
    std::ranges::sort(others, std::greater{}, [](const auto& other) { return other.first; });
    // RocksDB would write one table after the other, each behind three waits for the disk. All are
    // asked for first, so that its threads share them; the largest first, for it takes longest.
    for (const bool wait : {false, true})
        for (const auto& [bytes, family] : others)
            HEDDLE_CHECK(flush(family, wait));
    // Of two tables that end together each says that the log is still needed for the other, and it
    // stays. The last one says that it is not; every write has something of this table.
    return flush(marks, true);
}

std::expected<TableFile, LedgerError> Database::new_file(Table table) {
    HEDDLE_CHECK(impl_->check_usable());
    const rocksdb::Options options = impl_->db->GetOptions(impl_->family(table));
    auto file = std::make_unique<TableFile::Impl>(options, impl_->family(table));
    // Not a name of the database's own: what it does not know it leaves alone.
    const std::string path =
        impl_->directory + "/loaded-" + std::to_string(impl_->files_made.fetch_add(1)) + ".sst";
    const rocksdb::Status status = file->writer.Open(path);
    if (!status.ok()) return failure("making a file of the database", status);
    return TableFile(std::move(file), path);
}

std::expected<void, LedgerError> Database::adopt(Table table, std::span<const TableFile> files) {
    HEDDLE_CHECK(impl_->check_usable());
    if (files.empty()) return {};
    std::vector<std::string> paths;
    paths.reserve(files.size());
    for (const TableFile& file : files)
        paths.push_back(file.path_);
    rocksdb::IngestExternalFileOptions options;
    options.move_files = true;
    return impl_->check("taking over files of the database",
                        impl_->db->IngestExternalFile(impl_->family(table), paths, options));
}

Cursor Database::cursor(Table table, const DatabaseSnapshot* snapshot) const {
    count_nothing();
    auto impl = std::make_unique<Cursor::Impl>();
    rocksdb::ReadOptions options = read_options(snapshot);
    // On the way that minds ranges that were erased, RocksDB 7 and 8 pass over a file whose
    // beginning cannot be read, and all that follow it in its level, without an error
    // (facebook/rocksdb#11782). Nothing is erased by range but nodes, which only verification walks
    // over, and only to find too many.
    options.ignore_range_deletions = table != Table::trie_nodes;
    impl->iterator.reset(impl_->db->NewIterator(options, impl_->family(table)));
    return Cursor(std::move(impl));
}

std::unique_ptr<DatabaseSnapshot> Database::snapshot() const {
    return std::make_unique<Snapshot>(*impl_->db);
}

std::expected<void, LedgerError> Database::verify_files() const {
    rocksdb::ReadOptions options;
    options.readahead_size = kReadAheadBytes;
    const rocksdb::Status status = impl_->db->VerifyChecksum(options);
    if (!status.ok()) return failure("verifying the database's files", status);
    return {};
}

std::expected<void, LedgerError> Database::compact(Table table) {
    HEDDLE_CHECK(impl_->check_usable());
    HEDDLE_CHECK(impl_->check("compacting the database",
                              impl_->db->CompactRange(rocksdb::CompactRangeOptions{},
                                                      impl_->family(table), nullptr, nullptr)));
    if (!is_appended(table)) return {};
    return impl_->check("merging small files of the database", impl_->merger->merge(table));
}

void Database::wait_merged() const {
    impl_->merger->wait();
}

TableStats Database::stats(Table table) const {
    TableStats stats{.table = table};
    const auto property = [&](const std::string& name) {
        std::uint64_t value = 0;
        return impl_->db->GetIntProperty(impl_->family(table), name, &value) ? value : 0;
    };
    stats.keys = property(rocksdb::DB::Properties::kEstimateNumKeys);
    stats.disk_bytes = property(rocksdb::DB::Properties::kTotalSstFilesSize);
    stats.memory_bytes = property(rocksdb::DB::Properties::kSizeAllMemTables);
    rocksdb::ColumnFamilyMetaData metadata;
    impl_->db->GetColumnFamilyMetaData(impl_->family(table), &metadata);
    stats.files = metadata.file_count;
    return stats;
}

DatabaseMemory Database::memory() const {
    DatabaseMemory memory;
    // What buffers take is entered in the cache, too, so that both have one bound.
    const std::size_t entered = impl_->buffers->dummy_entries_in_cache_usage();
    const std::size_t cached = impl_->cache->GetUsage();
    memory.block_cache = cached - std::min(cached, entered);
    memory.write_buffers = impl_->buffers->memory_usage();
    for (rocksdb::ColumnFamilyHandle* family : impl_->families) {
        std::uint64_t bytes = 0;
        if (impl_->db->GetIntProperty(family, rocksdb::DB::Properties::kEstimateTableReadersMem,
                                      &bytes))
            memory.table_readers += bytes;
    }
    return memory;
}

std::uint64_t Database::bytes_written() const noexcept {
    const rocksdb::Statistics& statistics = *impl_->statistics;
    return statistics.getTickerCount(rocksdb::WAL_FILE_BYTES) +
           statistics.getTickerCount(rocksdb::FLUSH_WRITE_BYTES) +
           statistics.getTickerCount(rocksdb::COMPACT_WRITE_BYTES);
}

std::uint64_t Database::reads() const noexcept {
    const rocksdb::Statistics& statistics = *impl_->statistics;
    return statistics.getTickerCount(rocksdb::NUMBER_KEYS_READ) +
           statistics.getTickerCount(rocksdb::NUMBER_MULTIGET_KEYS_READ) +
           statistics.getTickerCount(rocksdb::NUMBER_DB_SEEK) +
           statistics.getTickerCount(rocksdb::NUMBER_DB_NEXT) +
           statistics.getTickerCount(rocksdb::NUMBER_DB_PREV);
}

}  // namespace heddle::ledger
