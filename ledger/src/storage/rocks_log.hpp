// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// RocksDB's write-ahead logs, as rocks_environment.hpp promises them. Not for anything else.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include <rocksdb/file_system.h>

namespace heddle::ledger {

/// The logs that are open for writing. Thread safety: everything from any thread.
class OpenLogs {
public:
    void add(rocksdb::FSWritableFile* log, const std::string& path) {
        const std::lock_guard lock{mutex_};
        logs_[log] = path;
    }
    void remove(rocksdb::FSWritableFile* log) {
        const std::lock_guard lock{mutex_};
        logs_.erase(log);
    }
    /// Of a database that is not going to write any more.
    void forget(const std::string& directory) {
        const std::lock_guard lock{mutex_};
        std::erase_if(logs_, [&](const auto& log) { return is_in(directory, log.second); });
    }
    /// Those of one database: what another one's disk says is no business of it.
    rocksdb::IOStatus sync(std::string_view directory) {
        const std::lock_guard lock{mutex_};
        for (const auto& [log, path] : logs_) {
            if (!is_in(directory, path)) continue;
            const auto status = log->Sync(rocksdb::IOOptions{}, nullptr);
            if (!status.ok()) return status;
        }
        return rocksdb::IOStatus::OK();
    }

private:
    static bool is_in(std::string_view directory, std::string_view path) {
        return path.substr(0, path.rfind('/')) == directory;
    }

    std::mutex mutex_;
    std::map<rocksdb::FSWritableFile*, std::string> logs_;  // their paths
};

/// Removes the file that it was made for, as far as that can be done.
using RemoveFile = std::function<void()>;

/// A log that is among the open ones until RocksDB is done with it. The first sync that fails is
/// the last one that is tried, and one to which nothing was added since the last sync is not synced
/// again. Several threads of RocksDB sync a log. One that has stayed empty does not stay behind:
/// RocksDB begins a log with each opening, and forgets it until the next one that writes.
class Log final : public rocksdb::FSWritableFileOwnerWrapper {
public:
    Log(std::unique_ptr<rocksdb::FSWritableFile> file, const std::string& path,
        std::shared_ptr<OpenLogs> open, RemoveFile remove)
        : FSWritableFileOwnerWrapper(std::move(file)),
          open_(std::move(open)),
          remove_(std::move(remove)) {
        open_->add(this, path);
    }
    ~Log() override { open_->remove(this); }
    Log(const Log&) = delete;
    Log& operator=(const Log&) = delete;

    rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* context) override {
        return changed(FSWritableFileOwnerWrapper::Append(data, options, context));
    }
    rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                             const rocksdb::DataVerificationInfo& checksum,
                             rocksdb::IODebugContext* context) override {
        return changed(FSWritableFileOwnerWrapper::Append(data, options, checksum, context));
    }
    rocksdb::IOStatus PositionedAppend(const rocksdb::Slice& data, std::uint64_t offset,
                                       const rocksdb::IOOptions& options,
                                       rocksdb::IODebugContext* context) override {
        return changed(
            FSWritableFileOwnerWrapper::PositionedAppend(data, offset, options, context));
    }
    rocksdb::IOStatus PositionedAppend(const rocksdb::Slice& data, std::uint64_t offset,
                                       const rocksdb::IOOptions& options,
                                       const rocksdb::DataVerificationInfo& checksum,
                                       rocksdb::IODebugContext* context) override {
        return changed(
            FSWritableFileOwnerWrapper::PositionedAppend(data, offset, options, checksum, context));
    }
    rocksdb::IOStatus Truncate(std::uint64_t size, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* context) override {
        return changed(FSWritableFileOwnerWrapper::Truncate(size, options, context));
    }
    rocksdb::IOStatus Sync(const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* context) override {
        return force([&] { return FSWritableFileOwnerWrapper::Sync(options, context); });
    }
    rocksdb::IOStatus Fsync(const rocksdb::IOOptions& options,
                            rocksdb::IODebugContext* context) override {
        return force([&] { return FSWritableFileOwnerWrapper::Fsync(options, context); });
    }
    rocksdb::IOStatus Close(const rocksdb::IOOptions& options,
                            rocksdb::IODebugContext* context) override {
        open_->remove(this);
        const bool is_empty = GetFileSize(options, context) == 0;
        const auto status = FSWritableFileOwnerWrapper::Close(options, context);
        if (is_empty) remove_();
        return status;
    }

private:
    /// Counted when it is done: a sync that begins meanwhile may not have it.
    rocksdb::IOStatus changed(rocksdb::IOStatus status) {
        changes_.fetch_add(1, std::memory_order_release);
        return status;
    }
    template <typename Force>
    rocksdb::IOStatus force(const Force& force_it) {
        const std::lock_guard lock{mutex_};
        const std::uint64_t changes = changes_.load(std::memory_order_acquire);
        if (!failure_.ok() || forced_changes_ == changes) return failure_;
        failure_ = force_it();
        if (failure_.ok()) forced_changes_ = changes;
        return failure_;
    }

    const std::shared_ptr<OpenLogs> open_;
    const RemoveFile remove_;
    std::atomic<std::uint64_t> changes_ = 1;  // its making is one
    std::mutex mutex_;
    // Under the mutex.
    std::uint64_t forced_changes_ = 0;
    rocksdb::IOStatus failure_;  // of the first sync that failed
};

}  // namespace heddle::ledger
