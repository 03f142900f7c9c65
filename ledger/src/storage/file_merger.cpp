// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "storage/file_merger.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <rocksdb/convenience.h>
#include <rocksdb/metadata.h>
#include <rocksdb/options.h>

#include "storage/merge_plan.hpp"
#include "storage/rocks_options.hpp"

namespace heddle::ledger {
namespace {

/// Fewer files cannot be due, unless older ones were left over.
constexpr unsigned kFlushesBeforeLook = kMergeGrowth;

struct LocatedFile {
    FileSpan span;
    std::string name;
    int level = 0;
};

/// Ascending by first key. Files of level 0 are not among them: they stand for what is newer.
std::vector<LocatedFile> files_below_level_0(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family) {
    rocksdb::ColumnFamilyMetaData table;
    db.GetColumnFamilyMetaData(family, &table);
    std::vector<LocatedFile> files;
    files.reserve(table.file_count);
    for (rocksdb::LevelMetaData& level : table.levels) {
        if (level.level == 0) continue;
        for (const rocksdb::SstFileMetaData& file : level.files)
            files.push_back({{.first = file.smallestkey,
                              .last = file.largestkey,
                              .bytes = file.size,
                              .is_busy = file.being_compacted},
                             file.name,
                             level.level});
    }
    std::ranges::sort(files, {}, [](const LocatedFile& file) { return file.span.first; });
    return files;
}

}  // namespace

FileMerger::~FileMerger() {
    stop();
}

void FileMerger::start(rocksdb::DB& db, const Families& families) {
    db_ = &db;
    families_ = families;
    {
        const std::lock_guard lock{mutex_};
        for (std::size_t i = 0; i < kTableCount; ++i)
            tables_[i].is_wanted = is_appended(static_cast<Table>(i));
    }
    thread_ = std::thread([this] { run(); });
}

void FileMerger::stop() {
    if (!thread_.joinable()) return;
    {
        const std::lock_guard lock{mutex_};
        is_stopping_ = true;
    }
    changed_.notify_all();
    rocksdb::CancelAllBackgroundWork(db_, /*wait=*/false);
    thread_.join();
}

FileMerger::State* FileMerger::find(const std::string& family) {
    for (std::size_t i = 0; i < kTableCount; ++i) {
        const auto table = static_cast<Table>(i);
        if (is_appended(table) && family == column_family(table)) return &tables_[i];
    }
    return nullptr;
}

void FileMerger::OnFlushCompleted(rocksdb::DB* /*db*/, const rocksdb::FlushJobInfo& flush) {
    const std::lock_guard lock{mutex_};
    State* const table = find(flush.cf_name);
    if (table == nullptr || ++table->flushes < kFlushesBeforeLook) return;
    table->flushes = 0;
    table->is_wanted = true;
    changed_.notify_all();
}

void FileMerger::OnCompactionCompleted(rocksdb::DB* /*db*/,
                                       const rocksdb::CompactionJobInfo& compaction) {
    const std::lock_guard lock{mutex_};
    State* const table = find(compaction.cf_name);
    if (table == nullptr || !table->is_refused) return;
    table->is_refused = false;
    table->is_wanted = true;
    changed_.notify_all();
}

void FileMerger::OnBackgroundError(rocksdb::BackgroundErrorReason /*reason*/,
                                   rocksdb::Status* /*error*/) {
    const std::lock_guard lock{mutex_};
    is_stopping_ = true;
    changed_.notify_all();
}

std::optional<std::size_t> FileMerger::next_wanted() const {
    const auto it = std::ranges::find(tables_, true, &State::is_wanted);
    if (it == tables_.end()) return std::nullopt;
    return static_cast<std::size_t>(it - tables_.begin());
}

void FileMerger::wait() {
    std::unique_lock lock{mutex_};
    // RocksDB tells of an error first, and refuses writes with it when the merge returns.
    changed_.wait(lock, [&] { return !is_merging_ && (is_stopping_ || !next_wanted()); });
}

void FileMerger::run() {
    std::unique_lock lock{mutex_};
    while (true) {
        changed_.wait(lock, [&] { return is_stopping_ || next_wanted().has_value(); });
        if (is_stopping_) return;
        const std::size_t table = *next_wanted();
        tables_[table].is_wanted = false;
        is_merging_ = true;
        lock.unlock();
        // RocksDB has the error, and tells it to every later write.
        merge(static_cast<Table>(table)).PermitUncheckedError();
        lock.lock();
        is_merging_ = false;
        changed_.notify_all();
    }
}

rocksdb::Status FileMerger::merge(Table table) {
    const std::lock_guard lock{merging_};
    rocksdb::ColumnFamilyHandle* const family = families_[static_cast<std::size_t>(table)];
    bool was_refused = false;
    while (true) {
        {
            const std::lock_guard state{mutex_};
            if (is_stopping_) return {};
        }
        std::vector<LocatedFile> files = files_below_level_0(*db_, family);
        std::vector<FileSpan> spans;
        spans.reserve(files.size());
        for (LocatedFile& file : files)
            spans.push_back(std::move(file.span));
        const auto plan = plan_merge(spans);
        if (!plan.has_value()) return {};

        std::vector<std::string> names;
        int level = 0;
        for (const LocatedFile& file : std::span(files).subspan(plan->begin, plan->count)) {
            names.push_back(file.name);
            level = std::max(level, file.level);
        }
        rocksdb::CompactionOptions options;
        options.compression = rocksdb::kDisableCompressionOption;  // that of the table
        options.output_file_size_limit = 2 * kMostMergedBytes;  // one file, however it compresses
        rocksdb::Status status = db_->CompactFiles(options, family, names, level);
        if (status.IsShutdownInProgress()) return {};
        // A compaction has some of the files, or had them.
        const bool is_refused = status.IsAborted() || status.IsInvalidArgument();
        if (!status.ok() && !is_refused) return status;
        if (is_refused) {
            if (was_refused) return {};
            const std::lock_guard state{mutex_};
            tables_[static_cast<std::size_t>(table)].is_refused = true;
        }
        was_refused = is_refused;
    }
}

}  // namespace heddle::ledger
