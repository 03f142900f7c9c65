// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Merges small files of tables whose keys come in ascending order (ADR 32). Each flush of such a
// table makes a file that overlaps with none, which RocksDB only ever moves from level to level:
// it merges files that overlap. With little memory flushes are small, and their files would be
// without number.
//
// A thread of its own does that, so that flushes, compactions and writers never wait for it. A
// table is *wanted* when the database has been opened, and then whenever it has been flushed so
// often that a merge may be due. The thread takes a wanted table, looks at its files and merges
// what is due (merge_plan.hpp) until nothing is. What it saw may have changed when RocksDB begins:
// a compaction has taken one of the files. Then RocksDB refuses, the table is *refused*, and the
// thread looks once more: a compaction that ended before that look is not in the way any more, one
// that ends later makes a refused table wanted.
//
// RocksDB's threads mark tables as wanted and the merging thread takes them, all under
// `mutex_`; files are looked at and merged under `merging_` alone, by one thread at a time. stop()
// sets `is_stopping_`, has RocksDB give up what it does, and waits for the thread.
//
// An error of a merge is one of the background: RocksDB refuses every later write with it. Nothing
// is merged after an error of anything in the background.
#pragma once

#include <array>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include <rocksdb/db.h>
#include <rocksdb/listener.h>

#include "storage/database.hpp"

namespace heddle::ledger {

/// Thread safety: everything from any thread, but start() and stop() once each, in this order.
class FileMerger final : public rocksdb::EventListener {
public:
    using Families = std::array<rocksdb::ColumnFamilyHandle*, kTableCount>;

    FileMerger() = default;
    FileMerger(const FileMerger&) = delete;
    FileMerger& operator=(const FileMerger&) = delete;
    ~FileMerger() override;

    /// @param families  Like `db` there until stop() has returned.
    void start(rocksdb::DB& db, const Families& families);
    /// Ends at once: what is being merged is dropped, and merged another time. Background work of
    /// the database ends, too. Without start() it does nothing.
    void stop();

    /// Merges what is due, in the calling thread. Between start() and stop().
    [[nodiscard]] rocksdb::Status merge(Table table);
    /// Returns when no table is wanted and nothing is being merged, or nothing will be any more.
    /// What a compaction holds is not waited for.
    void wait();

    void OnFlushCompleted(rocksdb::DB* db, const rocksdb::FlushJobInfo& flush) override;
    void OnCompactionCompleted(rocksdb::DB* db,
                               const rocksdb::CompactionJobInfo& compaction) override;
    void OnBackgroundError(rocksdb::BackgroundErrorReason reason, rocksdb::Status* error) override;

private:
    struct State {
        unsigned flushes = 0;  // since it was wanted last
        bool is_wanted = false;
        bool is_refused = false;  // until a compaction ends
    };

    void run();
    [[nodiscard]] std::optional<std::size_t> next_wanted() const;
    /// The state of an appended table; null: of another. Under mutex_.
    [[nodiscard]] State* find(const std::string& family);

    rocksdb::DB* db_ = nullptr;
    Families families_{};
    std::thread thread_;
    std::mutex merging_;

    std::mutex mutex_;
    std::condition_variable changed_;
    // Under mutex_.
    std::array<State, kTableCount> tables_{};
    bool is_merging_ = false;
    bool is_stopping_ = false;  // or nothing is merged any more because of an error
};

}  // namespace heddle::ledger
